# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rank under MPI takes the memory that `model info` states."""

import json
import re
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

    def peaks(self, count, model, *arguments):
        """Most bytes in memory of each rank."""
        run = self.run_ranks(
            count, "/bin/sh", "-c", 'exec "$@" > rank-$OMPI_COMM_WORLD_RANK',
            "sh", sys.executable, "-S", "-c", harness.RESIDENT, model,
            *arguments, "--threads=1")
        self.assertEqual(run.returncode, 0, run.stderr)
        return [harness.resident_bytes((self.dir / f"rank-{rank}").read_text())
                for rank in range(count)]

    def info(self, model, use):
        """What `info` tells, and the largest rung of a use."""
        info = json.loads(self.succeed(model, "info", "--format=json"))
        return info, max(rung["total"] for rung in info["rungs"]
                         if rung["use"] == use)

    def promises(self, count, model, groups, rows, use, gathered=(),
                 sketches=False):
        """What `info` states of rank 0 and of the others. `gathered` names
        what comes from all groups to rank 0, `inference` or `tune`."""
        info, rung = self.info(model, use)
        if count == 1:
            need = info["fit"]
            return [need["constant"] + rung + 20 * need["per_level"]
                    + groups * rows * need["per_row"]
                    + groups * need["per_group"]]
        need = info["ranks"]
        one, = [each for each in need["uses"] if each["use"] == use]
        # Cuts are at segments; a group may be on two ranks. With inference
        # they are between groups.
        own_rows = (groups * rows // count
                    + (rows if "inference" in gathered
                      else min(SEGMENT, rows)))
        own_groups = groups // count + 1
        nodes = 20 if rows > SEGMENT else 0
        all_ranks = (need["constant"] + count * need["per_rank"] + rung
                     + 20 * need["per_level"] + own_rows * need["per_row"]
                     + groups * need["per_group"]
                     + own_groups * (one["per_own_group"]
                                     + nodes * one["per_node"]))
        if sketches:
            all_ranks += min(own_groups * one["per_sketch"],
                             max(one["per_sketch"], need["sketches"]))
        first = groups * need["per_group_of_first"]
        for name in gathered:
            more = need[name]
            all_ranks += (min(more["messages"],
                              2 * groups * more["per_own_group"])
                          + more["per_thread"]
                          + own_groups * more["per_own_group"])
            first += groups * more["per_group_of_first"]
        return [all_ranks + first] + [all_ranks] * (count - 1)

    def check(self, formula, groups, rows, counts, *options, command="fit",
              solver="direct", sketches=False, width=5, **keys):
        use = "fit" if solver == "direct" else "fit by cg"
        gathered = [name for name, is_asked in
                    (("tune", command == "tune"),
                     ("inference", "--inference" in options)) if is_asked]
        model = self.compile(formula, f"--solver={solver}", **small.KEYS,
                             **keys)
        train = self.write_groups(groups, rows, width)
        for count in counts:
            self.compare(
                self.promises(count, model, groups, rows, use, gathered,
                              sketches),
                self.peaks(count, model, command, train, "-o", self.dir / "w",
                           *options))

    def compare(self, promises, peaks):
        for rank, (peak, promise) in enumerate(zip(peaks, promises)):
            with self.subTest(ranks=len(promises), rank=rank, peak=peak,
                              promise=promise):
                self.assertLessEqual(peak, promise)
                self.assertGreater(peak, promise / 2)

    @staticmethod
    def rows_read(train, count):
        """Most rows of the parts of a file's bytes that ranks read."""
        content = train.read_bytes()
        return max(content.count(b"\n", len(content) * i // count,
                                 len(content) * (i + 1) // count)
                   for i in range(count)) + 1

    def check_table(self, command, use, formula, groups, rows, counts,
                    *fitting, width=5, asked=(), columns=0, **keys):
        """A prediction by ranks, each of a part of the file's bytes. With
        `asked`, standard errors have so many columns."""
        model = self.compile(formula, **small.KEYS, **keys)
        train = self.write_groups(groups, rows, width)
        weights = self.fit(model, train, *fitting)
        info, rung = self.info(model, use)
        need = info["ranks_predict"]
        per_row, = [each["per_row"] for each in need["uses"]
                    if each["use"] == use]
        besides = (need["constant"] + rung + groups * need["per_group"]
                   + (weights.stat().st_size if asked else 0))
        if asked:
            errors, = [each for each in need["errors"] if each["use"] == use]
            per_row += columns * errors["per_column"]
            if "--method=conformal" not in asked:
                per_row += errors["per_row"]
                besides += errors["per_thread"] + groups * errors["per_group"]
        for count in counts:
            most = self.rows_read(train, count)
            promise = besides + count * need["per_rank"] + most * per_row
            first = promise + min(need["messages_of_first"], most * per_row)
            self.compare(
                [first] + [promise] * (count - 1),
                self.peaks(count, model, command, train, "--weights", weights,
                           "-o", self.dir / "out.csv", *asked))

    def check_windows(self, formula, adapt, groups, rows, counts, asked=(),
                      tells_coefficients=False, is_correction=False):
        """Windows by ranks, which have whole groups. Returns the model."""
        update, = map(int, re.findall("update: ([0-9]+)", adapt))
        model = self.compile(formula, adapt=adapt, **small.KEYS)
        train = self.write_groups(groups, rows, 17)
        options = ["-o", self.dir / "out.csv", *asked]
        if is_correction:
            options += ["--weights", self.fit(model, train)]
        if tells_coefficients:
            options += ["--coefficients", self.dir / "windows.csv"]
        need = json.loads(self.succeed(model, "info", "--format=json"))[
            "ranks_adapt"]
        for count in counts:
            own = rows * -(-groups // count)
            told = own // update * need["per_coefficients"]
            per_rows = (max(own, self.rows_read(train, count)) * need["per_row"]
                        + (told if tells_coefficients else 0))
            promise = (need["constant"] + count * need["per_rank"]
                       + need["windows"] + per_rows
                       + own // update * need["per_window"]
                       + groups * need["per_group"])
            first = promise + min(need["messages_of_first"], per_rows)
            self.compare([first] + [promise] * (count - 1),
                         self.peaks(count, model, "adapt", train, *options))
        return model

    def test_inference(self):
        # Most memory is for the inverses.
        self.check("y ~ l(a) + s(d, k=120)", 1500, 5, (2, 3), "--inference")

    def test_tune(self):
        self.check("y ~ s(a, k=50) + s(d, k=50)", 1000, 6, (2, 3),
                   command="tune")

    def test_tune_groups(self):
        # The matrices of the searches of all groups at once are too much.
        self.check("y ~ l(a) + s(d, k=25)", 4000, 5, (2,), "--per-group",
                   "--candidates=-9,0", command="tune")

    def test_sketch(self):
        # Its iterations need more products than it takes.
        self.check("y ~ c(date, n_cat=900) + s(d, k=30, ap=-8) "
                   "+ s(a, k=30, ap=-8)", 100, 950, (2,), solver="cg",
                   sketches=True)

    def test_inference_of_rows(self):
        self.check("y ~ l(a) + s(d, k=9)", 40, 15_000, (2,), "--inference")

    def test_predict(self):
        # Keys of 24 bytes: a further copy of the text is too much.
        self.check_table("predict", "predict", "y ~ l(a) + s(d, k=9)", 3,
                         500_000, (2, 4), width=17)

    def test_decompose(self):
        self.check_table("decompose", "terms",
                         "y ~ l(a) + s(a, k=5) + l(d) + s(d, k=9)", 3, 200_000,
                         (2, 3))

    def test_predict_groups(self):
        self.check_table("predict", "predict", "y ~ s(a, k=9) + s(d, k=9)",
                         30_000, 5, (2, 4))

    def test_predict_with_inference(self):
        """Which stays in the file."""
        self.check_table("predict", "predict", "y ~ l(a) + c(d, n_cat=40)",
                         10_000, 5, (2,), "--inference")

    def test_standard_errors(self):
        self.check_table("predict", "predict", "y ~ l(a) + s(d, k=9)", 3,
                         300_000, (2, 3), "--inference", width=17,
                         asked=("--se", "--interval=0.9,0.99"), columns=5,
                         weights="w")

    def test_standard_errors_of_effects(self):
        self.check_table("decompose", "terms",
                         "y ~ l(a) + s(a, k=5) + l(d) + s(d, k=9)", 3, 200_000,
                         (2,), "--inference", width=17, asked=("--se",),
                         columns=5)

    def test_standard_errors_of_groups(self):
        self.check_table("predict", "predict", "y ~ l(a) + c(d, n_cat=40)",
                         10_000, 5, (2,), "--inference", asked=("--se",),
                         columns=1)

    def test_conformal_intervals(self):
        self.check_table("predict", "predict", "y ~ l(a) + s(d, k=9)", 3,
                         300_000, (2,), "--calibrate=0.1", width=17,
                         asked=("--interval=0.9,0.99", "--method=conformal"),
                         columns=4)

    def test_windows(self):
        self.check_windows("y ~ l(a) + s(d, k=9)",
                           "{window: 500, update: 250, horizon: 1}", 40, 40_000,
                           (2, 3))

    def test_windows_of_many_columns(self):
        self.check_windows("y ~ l(a) + s(d, k=150)",
                           "{window: 800, update: 20, horizon: 1}", 4, 2000,
                           (2,))

    def test_uncertain_windows(self):
        """Windows that share no sums, for these lose digits: the rows of each
        are copied, but not those of all at a time."""
        model = self.check_windows("y ~ p(a, deg=12) + p(d, deg=9)",
                                   "{window: 2000, update: 1, horizon: 1}", 4,
                                   3000, (2,), asked=("--forget=0.1",))
        run = self.run_program(model, "adapt", self.dir / "train.csv", "-o",
                               self.dir / "out.csv", "--forget=0.1",
                               "--timings=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        told, = (json.loads(line) for line in run.stderr.splitlines()
                 if line.startswith("{"))
        self.assertGreater(told["fitted windows"], 0)
        self.assertEqual(told["uncertain windows"], told["fitted windows"])

    def test_coefficients_of_windows(self):
        self.check_windows("y ~ l(a) + s(d, k=9)",
                           "{window: 200, update: 4, horizon: 1}", 40, 6000,
                           (2,), tells_coefficients=True)

    def test_correction(self):
        self.check_windows(
            "y ~ l(a) + s(d, k=9)",
            "{formula: 'residual ~ l(effect_d) + s(a, k=4)', window: 500, "
            "update: 250, horizon: 1}", 40, 30_000, (2,), is_correction=True)

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
        # They fit its windows, each of which learns from its own rows.
        model = self.compile("y ~ rbf(a, n_centers=3)", group="g",
                             adapt="{window: 30, update: 5, horizon: 1}")
        told = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertIsNone(told["ranks"])
        self.assertIsNotNone(told["ranks_adapt"])
        self.assertIsNotNone(told["ranks_predict"])
        told = self.succeed(model, "info")
        self.assertNotIn("rank of MPI in a fit", told)
        self.assertIn("rank of MPI in adapt", told)
        self.assertIn("rank of MPI in a prediction", told)

    def test_models_that_ranks_do_not_predict(self):
        model = self.compile("y ~ pid(a, w=3)", group="g")
        told = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertIsNone(told["ranks_predict"])
        self.assertIsNone(told["ranks_adapt"])
        self.assertIsNotNone(told["ranks"]["inference"])
        told = self.succeed(model, "info")
        self.assertNotIn("rank of MPI in a prediction", told)
        self.assertNotIn("rank of MPI in adapt", told)


if __name__ == "__main__":
    harness.main()
