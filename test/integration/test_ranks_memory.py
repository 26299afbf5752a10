# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rank of a fit under MPI takes the memory that `model info` states."""

import json
import sys

import ranks
import small
from ranks import SEGMENT
from small import harness


class RanksMemory(ranks.TestCase):
    def write_groups(self, groups, rows, width):
        """So many rows of each group, in turns: each rank reads all groups.
        Their names have `width` bytes."""
        train = self.dir / "train.csv"
        tails = [f"{i * 7 % 23},{i % 40},{i % 11}\n" for i in range(997)]
        with open(train, "w", encoding="utf-8") as file:
            file.write("date,g,w,a,d,y\n")
            for row in range(rows):
                file.writelines(
                    f"{row},{group:0{width}},{group % 7 + .5},"
                    f"{tails[(row + group) % 997]}" for group in range(groups))
        return train

    def peaks(self, count, model, train):
        """Most bytes in memory of each rank."""
        run = self.run_ranks(
            count, "/bin/sh", "-c", 'exec "$@" > rank-$OMPI_COMM_WORLD_RANK',
            "sh", sys.executable, "-S", "-c", harness.RESIDENT, model, "fit",
            train, "-o", self.dir / "w", "--threads=1")
        self.assertEqual(run.returncode, 0, run.stderr)
        return [harness.resident_bytes((self.dir / f"rank-{rank}").read_text())
                for rank in range(count)]

    def promises(self, count, model, groups, rows, use):
        """What `info` states of rank 0 and of the others."""
        info = json.loads(self.succeed(model, "info", "--format=json"))
        rung = max(rung["total"] for rung in info["rungs"]
                   if rung["use"] == use)
        if count == 1:
            need = info["fit"]
            return [need["constant"] + rung + 20 * need["per_level"]
                    + groups * rows * need["per_row"]
                    + groups * need["per_group"]]
        need = info["ranks"]
        one, = [each for each in need["uses"] if each["use"] == use]
        # Cuts are at segments; a group may be on two ranks.
        own_rows = groups * rows // count + min(SEGMENT, rows)
        own_groups = groups // count + 1
        nodes = 20 if rows > SEGMENT else 0
        all_ranks = (need["constant"] + count * need["per_rank"] + rung
                     + 20 * need["per_level"] + own_rows * need["per_row"]
                     + groups * need["per_group"]
                     + own_groups * (one["per_own_group"]
                                     + nodes * one["per_node"]))
        return ([all_ranks + groups * need["per_group_of_first"]]
                + [all_ranks] * (count - 1))

    def check(self, formula, groups, rows, counts, solver="direct", width=5,
              **keys):
        use = "fit" if solver == "direct" else "fit by cg"
        model = self.compile(formula, f"--solver={solver}", **small.KEYS,
                             **keys)
        train = self.write_groups(groups, rows, width)
        for count in counts:
            promises = self.promises(count, model, groups, rows, use)
            for rank, (peak, promise) in enumerate(
                    zip(self.peaks(count, model, train), promises)):
                with self.subTest(ranks=count, rank=rank, peak=peak,
                                  promise=promise):
                    self.assertLessEqual(peak, promise)
                    self.assertGreater(peak, promise / 2)

    def test_rows(self):
        self.check("y ~ l(a) + s(d, k=9)", 3, 250_000, (1, 2, 4))

    def test_groups(self):
        self.check("y ~ s(a, k=9) + s(d, k=9)", 30_000, 5, (2, 4))

    def test_weights(self):
        # Their sums are exact, so that most memory is for a group.
        self.check("y ~ l(a)", 20_000, 5, (2, 3), width=24, weights="w")

    def test_coefficients(self):
        self.check("y ~ l(a) + c(d, n_cat=40)", 30_000, 5, (2, 3))

    def test_conjugate_gradients(self):
        self.check("y ~ l(a) + c(d, n_cat=7)", 10_000, 8, (2,), solver="cg")

    def test_models_that_ranks_do_not_fit(self):
        model = self.compile("y ~ rbf(a, n_centers=3)", group="g")
        told = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertIsNone(told["ranks"])
        self.assertNotIn("rank of MPI", self.succeed(model, "info"))


if __name__ == "__main__":
    harness.main()
