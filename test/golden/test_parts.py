# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits in parts have the bytes of fits of one file: French load, and random
models on random data."""

import os
import random
import re

import golden
import harness
import parts
from random_formula import Formula, random_rows, with_all_levels

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 12))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261126))
# Terms whose tables need the rows themselves.
NEED_ROWS = re.compile(r"\brbf\(|split_strategy='quantile'|"
                       r"sp_alpha=(?!0[,)])")


class National(parts.TestCase):
    def check(self, name):
        case, rows, expected = golden.national(name)
        train = harness.write_csv(
            self.dir / "train.csv",
            [row for row in rows if row["split"] == "train"])
        everything = harness.write_csv(self.dir / "all.csv", rows)
        model = self.compile(case["formula"], name=name,
                             group=case["group"], date=case["date"])
        whole = self.fit(model, train)
        for count in (1, 5, 64):
            with self.subTest(count=count):
                files = self.split(model, train, count)
                self.assertEqual(self.fit_parts(model, files, seed=count),
                                 whole.read_bytes())
        # Parts cut at random agree with the golden numbers.
        solved = self.dir / "solved.safetensors"
        files = self.cut(train, 7, random.Random(2))
        solved.write_bytes(self.fit_parts(model, files))
        table = self.predict(model, everything, solved)
        self.assert_close(
            [float(row["prediction"]) for row in harness.read_csv(table)],
            expected, 1e-9, "prediction")

    def test_load_splines(self):
        self.check("load_splines")

    def test_load_tensor(self):
        self.check("load_tensor")


class Random(parts.TestCase):
    def rows(self, rng):
        """Short groups, and one of several segments, in the order of dates."""
        rows = random_rows(rng, [str(n) for n in range(9, 12)], 80, 1)
        long = random_rows(rng, ["3"], 3, 1)
        while len(long) < 2 * parts.SEGMENT + 900:
            long.append(dict(rng.choice(rows), g="3"))
        for day, row in enumerate(long):
            row["day"] = day
            row["y"] = repr(rng.gauss(1, 2))
        rows += long
        if rng.random() < .5:
            rows.sort(key=lambda row: row["day"])
        return with_all_levels(rows)

    def test_random(self):
        merged = 0
        for case in range(COUNT):
            # Each case has its own generator, so that it can be rerun.
            rng = random.Random(f"{SEED}.{case}")
            formula = Formula(rng, 5).text()
            while case % 3 and NEED_ROWS.search(formula):
                formula = Formula(rng, 5).text()
            keys = dict(group="g", date="day")
            if case % 2:
                keys["weights"] = "w"
            with self.subTest(case=case, formula=formula, **keys):
                merged += self.compare(rng, formula, keys)
        self.assertGreaterEqual(merged, COUNT * 2 // 3)

    def compare(self, rng, formula, keys):
        """Whether there is a fit in parts."""
        train = harness.write_csv(self.dir / "train.csv", self.rows(rng))
        model = self.compile(formula, "--profile", train, **keys)
        if NEED_ROWS.search(formula):
            run = self.run_program(model, "survey", train, "-o", "refused")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(
                run.stderr, r"error: effect '.*': expected tables that follow "
                r"from the ranges of the parts: .*, take the weights of a fit "
                r"of some rows as the spec's state, or fit the rows as one "
                r"file\n$")
            return False
        files = self.split(model, train, rng.choice((2, 3, 5, 64)))
        self.assertEqual(
            self.fit_parts(model, files, seed=rng.random(),
                           sums=rng.choice(([], ["--stream"]))),
            self.fit(model, train).read_bytes())
        return True


if __name__ == "__main__":
    harness.main()
