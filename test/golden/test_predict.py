# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions by the kernel generated for a model against those of the
runtime's kernels, effect by effect, from the same weights: they differ only by
rounding, within the range, beyond it in every mode, and for unseen levels. A
row's bits do not depend on its chunk, its neighbours or the thread."""

import math
import os
import random

import golden  # noqa: F401 (finds harness)
import harness
from random_formula import (LEVELS, MODES, Formula, random_rows,
                            with_all_levels)

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 12))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261121))
# Tolerance between the kernels, relative to the row's largest effect.
ROUNDING = 1e-12
UNSEEN = ("edge", "mean", "zero")


class Fusible(Formula):
    """Mostly terms that the kernel supports."""

    def text(self):
        draws = [self.linear, self.spline, self.spline, self.number, self.word]
        terms = [self.rng.choice(draws)(40)
                 for _ in range(self.rng.randint(1, 6))]
        if self.rng.random() < .4:
            terms.append(self.term(12))
        self.rng.shuffle(terms)
        return "y ~ " + " + ".join(term for term, _ in terms)

    def spline(self, most):
        k, deg = self.rng.choice((1, 2, 3, 9, 40)), self.rng.randint(1, 7)
        return (f"s({self.feature()}, k={k}, deg={deg}, p=1, {self.ap()}"
                f"{self.mode()})", k + deg)

    def number(self, most):
        return f"c(k, n_cat={LEVELS}, {self.ap()})", LEVELS

    def word(self, most):
        unseen = self.rng.choice(UNSEEN)
        return f"c(s, {self.ap()}, unseen={unseen})", LEVELS


def rows_of(rng, groups, most, spread, levels):
    rows = with_all_levels(random_rows(rng, groups, most, spread))
    for i, row in enumerate(rows):
        row["s"] = f"v{i if i < LEVELS else rng.randrange(levels)}"
    return rows


class Predict(harness.TestCase):
    def lines(self, model, path, *options):
        """The fields of all rows, without the header."""
        text = self.succeed(model, "predict", path, "--weights", self.weights,
                            *options)
        return [line.split(",") for line in text.split("\n")[1:-1]]

    def predictions(self, model, path, *options):
        """As text, row by row."""
        return [fields[-1] for fields in self.lines(model, path, *options)]

    def effects(self, model, path, keys):
        """The largest effect of each row, and the sum of the effects, which
        come after `keys` columns."""
        rows = [[float(field) for field in fields[keys:]]
                for fields in self.lines(model, path, "--type=terms")]
        return [(max(map(abs, row)), sum(row)) for row in rows]

    def same(self, formula, train, new, chunks, *options, **keys):
        train = harness.write_csv(self.dir / "train.csv", train)
        path = harness.write_csv(self.dir / "new.csv", new)
        kernels, own = (
            self.compile(formula, *more, *options, "--profile", train,
                         name=name, **keys)
            for name, more in (("kernels", ["--fuse-rows=false"]),
                               ("own", [])))
        self.weights = self.fit(own, train)
        expected = self.predictions(kernels, path)
        got = self.predictions(own, path)
        for i, (a, b, (scale, total)) in enumerate(zip(
                expected, got, self.effects(own, path, len(keys)), strict=True)):
            bound = ROUNDING * max(scale, abs(float(a)))
            self.assertLessEqual(abs(float(a) - float(b)), bound, (i, new[i]))
            self.assertLessEqual(abs(total - float(b)), bound, (i, new[i]))
        for more in [["--chunk-rows", chunk] for chunk in chunks] + [
                ["--threads", 2]]:
            self.assertEqual(self.predictions(own, path, *more), got, more)
        # A row of pid() depends on those before it.
        alone = 0 if "pid(" in formula else min(len(new), 5)
        for i in random.Random(SEED).sample(range(len(new)), alone):
            one = harness.write_csv(self.dir / "one.csv", [new[i]])
            self.assertEqual(self.predictions(own, one), [got[i]], new[i])

    def test_random(self):
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            formula = Fusible(rng).text()
            groups = ["p", "q"][:rng.randint(1, 2)]
            train = rows_of(rng, groups, rng.choice((20, 150)), 1, LEVELS)
            new = rows_of(rng, groups, rng.choice((9, 70, 300)),
                          rng.choice((.7, 2, 10)), LEVELS + 2)
            with self.subTest(case=case, formula=formula):
                self.same(formula, train, new, (1, rng.choice((7, 13, 64))),
                          group="g", date="day")

    def modes(self, formula):
        """Rows none, some, or all of which are beyond the range: on both sides,
        at its ends and far away."""
        rng = random.Random(3)
        train = rows_of(rng, "p", 90, 1, LEVELS)
        numbers = sorted(float(row["a"]) for row in train)
        lo, hi = numbers[0], numbers[-1]
        near = [lo, hi, math.nextafter(lo, -math.inf),
                math.nextafter(hi, math.inf), (lo + hi) / 2, hi + 1e-9,
                lo - 1e-7, hi - 1e-7, lo + (hi - lo) / 9, hi + 3, lo - 40]
        new = []
        for i in range(203):
            row = dict(rng.choice(train))
            if i % 64 > 20:
                row["a"] = repr(rng.choice(near))
            if i > 150:
                row["a"] = repr(rng.uniform(hi, hi + 2))
            new.append(row)
        self.same(formula, train, new, (1, 2, 5, 9, 16))

    def test_modes(self):
        for mode in MODES:
            for degree in range(1, 8):
                with self.subTest(mode=mode, degree=degree):
                    self.modes(f"y ~ s(a, k=9, deg={degree},"
                               f" extrapolate='{mode}') + l(b)")
            with self.subTest(mode=mode):
                self.modes(f"y ~ l(a, extrapolate='{mode}') + s(a) + s(b, k=1)")

    def test_unseen(self):
        for unseen in UNSEEN:
            rng = random.Random(4)
            train = rows_of(rng, "p", 60, 1, LEVELS)
            new = rows_of(rng, "p", 150, 1, 3 * LEVELS)
            with self.subTest(unseen=unseen):
                self.same(f"y ~ c(s, unseen={unseen}) + s(a) + c(k)", train,
                          new, (1, 6, 50))

    def test_many_intervals(self):
        # More polynomials than the kernel computes before the rows.
        rng = random.Random(5)
        self.same("y ~ s(a, k=1500, ap=-1) + s(b, k=20) + s(d, k=900, deg=5)",
                  rows_of(rng, "p", 300, 1, LEVELS),
                  rows_of(rng, "p", 2000, 1, LEVELS), (3, 40, 400))


if __name__ == "__main__":
    harness.main()
