# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models on random data, against the oracle of reference.py: uneven
groups, shuffled rows, row weights, values beyond the training range, groups of
one row, constant columns."""

import math
import os
import random
import re

import golden  # noqa: F401 (finds harness)
import harness
import reference
from random_formula import (FEATURES, LEVELS, Formula, random_model,
                            random_rows, with_all_levels)

# Number of formulas, the first of test_random, and the most terms of one; a
# longer run uses another number and seed.
COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 40))
FIRST = int(os.environ.get("TAMC_RANDOM_FIRST", 0))
TERMS = int(os.environ.get("TAMC_RANDOM_TERMS", 5))
BESSEL = re.compile(r"nu=(?!0\.5\b|1\.5\b|2\.5\b)")
TREE = re.compile(r"\bl?t\(")
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20260301))


class Differential(harness.TestCase):
    def compare(self, formula, train, new, chunk=None, compiling=(), **keys):
        """With chunks of `chunk` rows, if given."""
        options = () if chunk is None else ("--chunk-rows", chunk)
        # The slope beyond the range is a difference divided by 1e-5: it
        # multiplies rounding errors of a basis by 1e5, and those of a Bessel
        # function differ between two programs.
        tolerance = 1e-7 if BESSEL.search(formula) else 1e-9
        harness.write_csv(self.dir / "train.csv", train)
        harness.write_csv(self.dir / "new.csv", new)
        model = self.compile(formula, "--profile", self.dir / "train.csv",
                             *compiling, **keys)
        weights = self.fit(model, self.dir / "train.csv", *options)
        oracle = reference.Model(formula, train, keys.get("group"),
                                 keys.get("date"), keys.get("weights"))
        beta = self.coefficients(model, weights)
        self.assertEqual(list(beta), list(oracle.coefficients))
        for name, values in beta.items():
            self.assert_close_to_norm(values, oracle.coefficients[name],
                                      1e-6, f"coefficient of {name}")

        def table(kind):
            path = self.predict(model, self.dir / "new.csv", weights,
                                f"--type={kind}", *options)
            names = [column for column in harness.header(path)
                     if column not in (keys.get("group"), keys.get("date"))]
            return [[float(row[name]) for name in names]
                    for row in harness.read_csv(path)]

        for got, expected in zip(table("design"), oracle.design(new),
                                 strict=True):
            scale = max(map(abs, expected))
            self.assert_close(got, expected, 0, "column", tolerance * scale)
        expected = oracle.predict(new)
        scale = max(map(abs, expected))
        got = [row[0] for row in table("response")]
        self.assert_close(got, expected, 0, "prediction",
                          tolerance * scale)
        sums = [math.fsum(row) for row in table("terms")]
        self.assert_close(sums, got, 1e-9, "sum of terms", 1e-9 * scale)

    def test_random(self):
        for case in range(FIRST, FIRST + COUNT):
            # Each case has its own generator, so that it can be rerun.
            rng = random.Random(f"{SEED}.{case}")
            formula, train, new = random_model(rng, TERMS)
            keys = dict(group="g", date="day",
                        chunk=rng.choice((None, 1, 2, 7, 64, 1000)))
            if case % 2:
                keys["weights"] = "w"
            # Chunks of other sizes are the same steps again, and loops for
            # other CPUs the same loops: of long formulas, that take long to
            # compile, most do without.
            if TERMS > 5 and case % 5:
                keys["compiling"] = ("--chunk-rows=4", "--mcpu=native")
            with self.subTest(case=case, formula=formula, **keys):
                self.compare(formula, train, new, **keys)

    def test_levels(self):
        """Columns of few values, summed by their levels."""
        counted = 0
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.levels.{case}")
            # A threshold halfway between two values of a grid may be on either
            # side of a value, depending on rounding.
            while TREE.search(formula := Formula(rng).text()):
                pass
            formula, train, new = random_model(rng, rows=160, formula=formula)
            # Some columns are on grids; a group, or the new rows, may lack some
            # points.
            for name in FEATURES:
                step = rng.choice((None, 1, .5, .25, .1, 1 / 3))
                for rows in (train, new) if rng.random() < .5 else (train,):
                    for row in rows if step else ():
                        row[name] = repr(round(float(row[name]) / step) * step)
            keys = dict(group="g", date="day",
                        chunk=rng.choice((None, 1, 7, 64, 1000)))
            if case % 2:
                keys["weights"] = "w"
            with self.subTest(case=case, formula=formula, **keys):
                self.compare(formula, train, new,
                             compiling=["--rows-per-level=1"], **keys)
                run = self.run_program(
                    self.dir / "model", "fit", self.dir / "train.csv", "-o",
                    "again", "--timings")
                counted += "levels of '" in run.stderr
        # Not every formula has a term to compress, nor every group two values.
        self.assertGreater(counted, COUNT // 10)

    def test_threads(self):
        # More threads than groups, which end within segments of the sums: the
        # bytes are those of one thread. The results of one thread are compared
        # with the oracle on fewer rows above.
        for case in range(max(COUNT // 4, 1)):
            rng = random.Random(f"{SEED}.threads.{case}")
            formula = Formula(rng).text()
            sizes = [rng.choice((60, 4095, 4096, 4097, 8192, 13000, 21000))
                     for _ in range(rng.randint(1, 2))]
            few = random_rows(rng, ["x"], 40, 1)
            while len(few) < LEVELS:
                few += random_rows(rng, ["x"], 40, 1)
            with_all_levels(few)
            # Rows that repeat, except for the target, which causes rounding.
            train = [dict(few[day % len(few)], g=group, day=day,
                          y=repr(rng.gauss(1, 2)))
                     for group, size in enumerate(sizes)
                     for day in range(size)]
            keys = dict(group="g", date="day")
            if case % 2:
                keys["weights"] = "w"
            path = harness.write_csv(self.dir / "train.csv", train)
            with self.subTest(case=case, formula=formula, sizes=sizes, **keys):
                model = self.compile(formula, "--profile", path, **keys)
                first = None
                for options in (["--threads", 1], ["--threads", 2],
                                ["--threads", 5, "--chunk-rows", 4095],
                                ["--threads", 3, "--stream"]):
                    weights = self.fit(model, path, *options)
                    table = self.predict(
                        model, path, weights,
                        *(o for o in options if o != "--stream"))
                    got = weights.read_bytes(), table.read_bytes()
                    first = first or got
                    self.assertTrue(got == first, options)

    def test_one_row_per_group(self):
        rng = random.Random(7)
        train = random_rows(rng, "pqr", 2, 1)
        train = list({row["g"]: row for row in train}.values())
        self.assertEqual(len(train), 3)
        self.compare("y ~ l(a) + s(b, k=4) + f(a, m=2) + p(b) + c(k, n_cat=5)",
                     train, random_rows(rng, "pqr", 5, 2), group="g",
                     date="day")

    def test_constant_column(self):
        rng = random.Random(8)
        train = random_rows(rng, ["x"], 50, 1)
        for row in train:
            row["a"] = "3.5"
        self.compare("y ~ l(a) + s(a, k=4) + l(b)", train,
                     random_rows(rng, ["x"], 9, 1))

    def test_product_beyond_a_period(self):
        # The last sines are 0 at the border and not inside, so a product has
        # fewer numbers there.
        rng = random.Random(9)
        train = random_rows(rng, ["x"], 300, 1)
        new = random_rows(rng, ["x"], 20, 2)
        for mode in ("linear", "saturation"):
            with self.subTest(mode=mode):
                self.compare("y ~ te(s(a, k=2, deg=2),"
                             " f(b, m=2, period=(-0.1, 0.1)), ap=2,"
                             f" extrapolate={mode})", train, new)

    def test_range_of_few_roundings(self):
        # The middle of such a range is not a double: rounded, it is farther
        # from one end than from the other.
        rows = [dict(x=5 + (3 + step) * 2.0 ** -50, d=day, y=y)
                for step, day, y in ((0, 0, 1), (349525, 1, 2),
                                     (1048577, 0, 5))]
        new = [dict(x=5 + step * 2.0 ** -50, d=day)
               for step, day in ((-90000, 0), (3, 1), (500003, 0),
                                 (1048580, 1), (1200000, 0))]
        self.compare("y ~ s(x, k=40) + c(d, n_cat=2)", rows, new)

    def test_many_linear_terms(self):
        # They are summed as one matrix, between terms of all encodings.
        rng = random.Random(10)
        names = [f"x{i}" for i in range(33)]
        linear = [f"l({name})" for name in names]
        formula = "y ~ " + " + ".join(
            linear[:16] + ["s(a, k=6)", "l(b)", "c(k, n_cat=5)"] + linear[16:]
            + ["f(b, m=2)", "te(s(a, k=4), c(k, n_cat=5))", "t(b, n_trees=3)"])
        train, new = (random_rows(rng, "pq", count, spread)
                      for count, spread in ((90, 1), (20, 3)))
        for row in train + new:
            row.update((name, repr(rng.gauss(0, 1))) for name in names)
        with_all_levels(train)
        for keys in (dict(), dict(weights="w", chunk=1),
                     dict(compiling=["--merge-columns=0"])):
            with self.subTest(**keys):
                self.compare(formula, train, new, group="g", date="day", **keys)

    def test_many_categories(self):
        # Those outside the loop are summed as matrices of several of them.
        rng = random.Random(11)
        names = [f"k{i}" for i in range(24)]
        levels = [2 + i % 3 for i in range(24)]
        terms = [f"c({name}, n_cat={count})"
                 for name, count in zip(names, levels)]
        formula = "y ~ " + " + ".join(
            terms[:20] + ["s(a, k=6)", "l(b)", "f(b, m=2)"] + terms[20:]
            + ["te(s(a, k=4), c(k2, n_cat=4))", "t(b, n_trees=3)"])
        train, new = (random_rows(rng, "pq", count, spread)
                      for count, spread in ((90, 1), (20, 3)))
        for row in train + new:
            row.update((name, str(rng.randrange(count)))
                       for name, count in zip(names, levels))
        for group in "pq":
            for level, row in enumerate(
                    [row for row in train if row["g"] == group][:4]):
                row.update((name, str(min(level, count - 1)))
                           for name, count in zip(names, levels))
        some = "--merge-columns=3"
        for keys in (dict(compiling=[some, "--row-words=24"]),
                     dict(compiling=[some, "--row-words=24"], weights="w",
                          chunk=1),
                     dict(compiling=[some, "--fuse-rows=false"]),
                     dict(compiling=[some, "--panels=false"])):
            with self.subTest(**keys):
                self.compare(formula, train, new, group="g", date="day", **keys)

    def test_no_groups_no_date(self):
        rng = random.Random(9)
        self.compare("y ~ s(a) + s(b, k=5)", random_rows(rng, ["x"], 200, 1),
                     random_rows(rng, ["x"], 30, 2))


if __name__ == "__main__":
    harness.main()
