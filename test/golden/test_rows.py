# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel generated for a model against the runtime's kernels, one for each
pair of effects, with various terms, row weights, chunks and segments. Without
panels the weights have the same bits; panels add the rows in another order, so
that predictions differ by rounding."""

import os
import random

import golden  # noqa: F401 (finds harness)
import harness
from random_formula import LEVELS, Formula, random_rows, with_all_levels

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 12))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261121))


class Fusible(Formula):
    """Mostly terms that the row loop supports."""

    def text(self):
        draws = [self.linear, self.spline, self.spline, self.number]
        terms = [self.rng.choice(draws)(40)
                 for _ in range(self.rng.randint(1, 5))]
        if self.rng.random() < .5:
            terms.append(self.product())
        if self.rng.random() < .4:
            terms.append(self.term(12))
        self.rng.shuffle(terms)
        return "y ~ " + " + ".join(term for term, _ in terms)

    def product(self):
        """A product of two or three splines and categories."""
        draws = [self.spline, self.spline, self.number]
        factors = [self.rng.choice(draws)(8)[0]
                   for _ in range(self.rng.randint(2, 3))]
        if len(factors) == 3 and self.rng.random() < .5:
            factors[:2] = [f"te({', '.join(factors[:2])})"]
        return f"te({', '.join(factors)})", 0

    def number(self, most):
        return f"c(k, n_cat={LEVELS}, {self.ap()})", LEVELS


class Rows(harness.TestCase):
    def table(self, model, path, chunk):
        """The coefficients, as text, and predictions of a fit."""
        weights = self.fit(model, path, "--chunk-rows", chunk)
        table = self.succeed(model, "coefficients", "--weights", weights)
        predicted = self.succeed(model, "predict", path, "--weights", weights)
        return table, [float(line.rsplit(",", 1)[1])
                       for line in predicted.split()[1:]]

    def same(self, formula, train, chunks, **keys):
        """Compares the kernels' results for several numbers of rows of a
        chunk."""
        path = harness.write_csv(self.dir / "train.csv", train)
        pairs, plain, panels = (
            self.compile(formula, *options, "--profile", path, name=name,
                         **keys)
            for name, options in (("pairs", ["--fuse-rows=false"]),
                                  ("plain", ["--panels=false"]),
                                  ("panels", [])))
        table, predicted = self.table(pairs, path, chunks[0])
        own, near = self.table(panels, path, chunks[0])
        scale = max(map(abs, predicted))
        for a, b in zip(predicted, near, strict=True):
            self.assertLessEqual(abs(a - b), 1e-9 * scale)
        for chunk in chunks:
            for model, expected in ((pairs, table), (plain, table),
                                    (panels, own)):
                got, _ = self.table(model, path, chunk)
                self.assertEqual(got, expected, (model, chunk))

    def test_random(self):
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            formula = Fusible(rng).text()
            train = with_all_levels(
                random_rows(rng, ["p", "q"][:rng.randint(1, 2)],
                            rng.choice((20, 150, 700)), 1))
            keys = dict(group="g", date="day")
            if case % 2:
                keys["weights"] = "w"
            with self.subTest(case=case, formula=formula, **keys):
                self.same(formula, train, (1024, rng.choice((1, 7, 64))),
                          **keys)

    def test_segments(self):
        # Two segments end within the group, not at ends of chunks.
        rng = random.Random(5)
        train = []
        while len(train) < 8300:
            train = random_rows(rng, "p", 9000, 1)
        for keys in ({}, {"weights": "w"}):
            self.same("y ~ l(a) + l(b) + s(a, k=9) + s(d) + s(b, k=3, deg=2)"
                      f" + c(k, n_cat={LEVELS})", train, (1000, 17),
                      group="g", date="day", **keys)

    def test_many_effects(self):
        # More sums than fit in one loop, and less scratch for each.
        rng = random.Random(6)
        terms = [f"s({x}, k={k}, ap=-1)" for k in range(4, 12)
                 for x in ("a", "b", "d")]
        self.same("y ~ " + " + ".join(terms), random_rows(rng, "p", 400, 1),
                  (1024, 64), group="g", date="day")


if __name__ == "__main__":
    harness.main()
