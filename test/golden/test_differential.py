# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models on random data, against the oracle of reference.py: uneven
groups, shuffled rows, row weights, values beyond the training range, groups of
one row, constant columns."""

import math
import random

import golden  # noqa: F401 (finds harness)
import harness
import reference

MODES = ("continue", "constant", "linear", "saturation")


def random_term(rng, feature):
    """A term of the five kinds with random parameters."""
    ap = f"ap={rng.choice((-4, -3, -2.5, -1, 0))}"
    mode = f"extrapolate='{rng.choice(MODES)}'"
    topo = rng.choice(("nominal", "ordinal", "fourier"))
    return rng.choice((
        f"l({feature}, scaled={rng.uniform(.5, 4):.3f}, {ap}, {mode})",
        f"f({feature}, m={rng.randint(1, 6)}, s={rng.choice((0, 1, 2))}, "
        f"cyclic={rng.choice((True, False))}, {ap}, {mode})",
        f"s({feature}, k={rng.randint(1, 12)}, deg={rng.randint(1, 4)}, "
        f"p={rng.randint(0, 2)}, {ap}, {mode})",
        f"p({feature}, deg={rng.randint(1, 7)}, s={rng.choice((0, 1))}, "
        f"{ap}, {mode})",
        f"c(k, n_cat=5, topo='{topo}', {ap})",
        f"c(k, topo='{topo}', {ap})",
    ))


def random_rows(rng, groups, most, spread):
    rows = []
    for group in groups:
        for day in range(rng.randint(2, most)):
            rows.append({
                "day": day, "g": group, "w": repr(rng.uniform(.1, 3)),
                "a": repr(rng.gauss(5, spread)), "b": repr(rng.gauss(0, spread)),
                "k": rng.randint(0, 4), "y": repr(rng.gauss(1, 2))})
    rng.shuffle(rows)
    return rows


class Differential(harness.TestCase):
    def compare(self, formula, train, new, **keys):
        harness.write_csv(self.dir / "train.csv", train)
        harness.write_csv(self.dir / "new.csv", new)
        model = self.compile(formula, "--profile", self.dir / "train.csv",
                             **keys)
        weights = self.fit(model, self.dir / "train.csv")
        oracle = reference.Model(formula, train, keys.get("group"),
                                 keys.get("date"), keys.get("weights"))
        beta = self.coefficients(model, weights)
        self.assertEqual(list(beta), list(oracle.coefficients))
        for name, values in beta.items():
            self.assert_close_to_norm(values, oracle.coefficients[name],
                                      1e-6, f"coefficient of {name}")

        def table(kind):
            path = self.predict(model, self.dir / "new.csv", weights,
                                f"--type={kind}")
            names = [column for column in harness.header(path)
                     if column not in (keys.get("group"), keys.get("date"))]
            return [[float(row[name]) for name in names]
                    for row in harness.read_csv(path)]

        for got, expected in zip(table("design"), oracle.design(new),
                                 strict=True):
            scale = max(map(abs, expected))
            self.assert_close(got, expected, 0, "column", 1e-9 * scale)
        expected = oracle.predict(new)
        scale = max(map(abs, expected))
        got = [row[0] for row in table("response")]
        self.assert_close(got, expected, 1e-8, "prediction", 1e-8 * scale)
        sums = [math.fsum(row) for row in table("terms")]
        self.assert_close(sums, got, 1e-9, "sum of terms", 1e-9 * scale)

    def test_random(self):
        rng = random.Random(20260301)
        for case in range(12):
            terms = [random_term(rng, rng.choice("ab"))
                     for _ in range(rng.randint(1, 4))]
            formula = "y ~ " + " + ".join(terms)
            groups = [str(n) for n in range(9, 9 + rng.randint(1, 4))]
            train = random_rows(rng, groups, 80, 1)
            # Every level in training, so that both sides know the codes.
            for level, row in zip(range(5), train):
                row["k"] = level
            new = random_rows(rng, groups, 20, 3)
            keys = dict(group="g", date="day")
            if case % 2:
                keys["weights"] = "w"
            with self.subTest(case=case, formula=formula, **keys):
                self.compare(formula, train, new, **keys)

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

    def test_no_groups_no_date(self):
        rng = random.Random(9)
        self.compare("y ~ s(a) + s(b, k=5)", random_rows(rng, ["x"], 200, 1),
                     random_rows(rng, ["x"], 30, 2))


if __name__ == "__main__":
    harness.main()
