# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row weights may have any unit: a fit equals that of the oracle, whose penalty
is proportional to the sum of the weights, and a common factor of a group's
weights changes nothing."""

import random

import golden  # noqa: F401 (finds harness)
import harness
import reference
from random_formula import random_rows

KEYS = dict(group="g", date="day", weights="w")
FORMULA = ("y ~ s(a, k=9, ap=-3) + f(b, m=4, ap=-2) + c(k, n_cat=5, ap=-1) + "
           "te(s(a, k=4), l(d))")
FORMULAS = (FORMULA, "y ~ rbf(a, others='b', n_centers=20) + l(d)",
            "y ~ t(a, others='d', n_trees=9, max_depth=3) + s(b, k=6)")


def predictions(table):
    return [float(row["prediction"]) for row in harness.read_csv(table)]


class Weights(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.rows = sorted(random_rows(random.Random(5), "pqr", 300, 1),
                           key=lambda row: row["day"])
        self.new = harness.write_csv(self.dir / "new.csv", self.rows[:200])

    def train(self, unit=lambda group: 1.0, name="train.csv"):
        """The rows, with the weights of each group in a unit of its own."""
        return harness.write_csv(self.dir / name, [
            dict(row, w=repr(float(row["w"]) * unit(row["g"])))
            for row in self.rows])

    def predicted(self, model, train, *options):
        return predictions(self.predict(
            model, self.new, self.fit(model, train, *options)))

    def test_oracle(self):
        units = {"p": 1e-6, "q": 1.0, "r": 4e7}
        train = self.train(units.get)
        model = self.compile(FORMULA, "--profile", train, "--min-cg=0",
                             **KEYS)
        oracle = reference.Model(FORMULA, harness.read_csv(train), "g", "day",
                                 "w")
        expected = oracle.predict(self.rows[:200])
        for solver, tolerance in (("direct", 1e-10), ("cg", 1e-6)):
            self.assert_close_to_norm(
                self.predicted(model, train, f"--solver={solver}"), expected,
                tolerance, solver)

    def test_units(self):
        for formula in FORMULAS:
            model = self.compile(formula, "--profile", self.train(),
                                 "--min-cg=0", **KEYS)
            for solver, tolerance in (("direct", 1e-10), ("cg", 1e-6)):
                option = f"--solver={solver}"
                expected = self.predicted(model, self.train(), option)
                for factor in (1e-6, 3.0, 1e6):
                    got = self.predicted(
                        model, self.train(lambda _, by=factor: by), option)
                    self.assert_close_to_norm(got, expected, tolerance,
                                              f"{formula} {solver} {factor}")
                # Scaling rounds no weight, so that results are equal.
                fits = [self.fit(model, self.train(lambda _, by=factor: by),
                                 option, weights="w").read_bytes()
                        for factor in (1.0, 2.0 ** -70, 2.0 ** 900)]
                self.assertEqual(len(set(fits)), 1)

    def test_ones(self):
        """Equal weights give the same bits as no weights."""
        plain = self.compile(FORMULA, "--profile", self.train(), name="plain",
                             group="g", date="day")
        model = self.compile(FORMULA, "--profile", self.train(), **KEYS)
        expected = self.coefficients(plain, self.fit(plain, self.train(),
                                                     weights="plain.w"))
        for weight in ("1", "7", "1e-300", "5e307"):  # whose sum is no double
            path = harness.write_csv(self.dir / "ones.csv",
                                     [dict(row, w=weight)
                                      for row in self.rows])
            got = self.coefficients(model, self.fit(model, path))
            self.assertEqual(got, expected, weight)

    def test_bits(self):
        """Results do not depend on threads, chunks, and whether rows are in
        memory. Groups have more than a segment, and the sums of their weights
        round."""
        draw = random.Random(2)
        path = self.dir / "long.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write("day,g,a,b,y,w\n")
            for i in range(9000):
                file.write(f"{i},{'pq'[i % 7 == 0]},{draw.random()},"
                           f"{draw.random()},{draw.gauss(0, 1)},"
                           f"{draw.expovariate(1e-3)}\n")
        model = self.compile("y ~ s(a, k=9) + l(b)", "--min-cg=0", **KEYS)
        for solver in ("direct", "cg"):
            fits = {self.fit(model, path, f"--solver={solver}", *options,
                             weights="w").read_bytes()
                    for options in (["--threads=1"], ["--threads=3"],
                                    ["--threads=2", "--chunk-rows=37"],
                                    ["--stream"],
                                    ["--stream", "--threads=2",
                                     "--chunk-rows=500"])}
            self.assertEqual(len(fits), 1, solver)

    def test_shared_column(self):
        """A term that reads the column of weights gets unscaled values."""
        formula = "y ~ l(w) + s(a, k=5)"
        train = self.train({"p": 1e-6, "q": 1.0, "r": 4e7}.get)
        rows = harness.read_csv(train)
        self.new = train
        model = self.compile(formula, **KEYS)
        expected = reference.Model(formula, rows, "g", "day",
                                   "w").predict(rows)
        for options in ([], ["--stream"]):
            self.assert_close_to_norm(self.predicted(model, train, *options),
                                      expected, 1e-10)

    def test_no_weight(self):
        """A group whose weights are all 0, or whose mean has less than full
        precision, is an error that names it."""
        model = self.compile("y ~ l(a)", "--min-cg=0", **KEYS)
        for unit, says in (
                (0.0, "expected a row weight above 0, got none"),
                (5e-324, "expected row weights whose mean is a double of full "
                         "precision; choose another unit")):
            train = self.train(lambda group, by=unit: by if group == "q"
                               else 1.0)
            for options in ([], ["--solver=cg"], ["--stream"]):
                run = self.run_program(model, "fit", train, "-o", "w",
                                       *options)
                self.assertEqual(run.returncode, 1)
                self.assertEqual(
                    run.stderr,
                    f"model: error: {train}: column 'w': group 'q': {says}\n")
                self.assertFalse((self.dir / "w").exists())


if __name__ == "__main__":
    harness.main()
