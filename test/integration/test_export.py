# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/export.md is sufficient: the predictors of examples/export, which read
only what `export` writes, give the model's predictions."""

import json
import os
import random
import re
import sys

import small
from small import harness

sys.path.insert(0, str(harness.SOURCE / "test" / "golden"))
from random_formula import MODES, random_model  # noqa: E402

FOLDER = harness.SOURCE / "examples" / "export"
PREDICTORS = ((sys.executable, FOLDER / "predict.py"),
              (os.environ.get("NODE", "node"), FOLDER / "predict.mjs"))
# More cases than by default for a longer run.
COUNT = int(os.environ.get("TAMC_EXPORT_CASES", 12))
SEED = os.environ.get("TAMC_EXPORT_SEED", "1")
# Tolerances relative to the largest prediction. The slope at the border of the
# range divides a difference by 1e-5 and so magnifies rounding.
EXACT, SLOPE = 1e-12, 1e-9
MILD = "{all: {ap: -1}}"
# Every kind of feature map, without its last parenthesis.
TERMS = (
    "l(a, scaled=2.5", "f(h, m=4, cyclic=True", "f(a, m=3",
    "f(h, m=2, period=(0, 20)", "f(h, m=2, period='auto'", "s(a, k=7",
    "s(b, k=4, deg=2", "s(b, k=3, deg=0, p=1", "p(b, deg=4",
    "w(a, n_scales=3, n_locations=6", "phys(a, k=6",
    "phys(b, basis='fourier', n_coeffs=6",
    "n(a, others='b|h', n_neurons=9, act='cos', n_hidden_layers=2",
    "n(b, n_neurons=1, act='relu'", "n(b, n_neurons=5, act='tanh'",
    "rbf(a, others='b', n_centers=5", "rbf(b, n_centers=4, nu=0.5",
    "rbf(a, others='h', n_centers=4, nu=1.5, gamma=2",
    "rbf(b, n_centers=4, nu=2.5", "rbf(a, n_centers=4, nu=0.8",
    "rbf(a, n_centers=3, nu=12",
    "t(a, others='b', n_trees=3, max_depth=3, sp_alpha=0.5",
    "t(a, n_trees=3, max_leaves=4", "t(b, n_trees=1, max_leaves=3",
    "lt(a, others='b', slope='h', max_depth=2", "lt(b, max_leaves=3",
    "te(s(a, k=3), f(b, m=2)", "te(c(d, n_cat=3, levels=True), s(a, k=3)",
    "te(s(a, k=3, extrapolate='constant'), te(l(a), p(h, deg=2))",
    "te(t(a, others='b', n_trees=2), c(k, n_cat=4)",
    "te(lt(a, others='b'), l(h)")
# Those for which the rule beyond the range plays no part.
OTHERS = ("pid(a, w=3)", "pid(b, w=0)", "pid(h, w=1000)", "te(pid(a), l(b))",
          "c(k, n_cat=4)", "c(k, n_cat=5, topo='ordinal')",
          "c(k, n_cat=4, topo='fourier')", "c(d, n_cat=5, levels=True)")


class Export(harness.TestCase):
    def export(self, model, weights):
        """Exports; returns the path of the description."""
        path = self.dir / "model.json"
        self.succeed(model, "export", "--weights", weights, "-o", path)
        return path

    def check(self, model, weights, new, beyond=False):
        """Compares predictions; `beyond` says whether rows are beyond the
        training range."""
        expected = [float(row["prediction"]) for row in harness.read_csv(
            self.predict(model, new, weights))]
        description = self.export(model, weights)
        text = description.read_text(encoding="utf-8")
        has_slope = any(f'"extrapolate": "{mode}"' in text
                        for mode in ("linear", "saturation"))
        tolerance = SLOPE if beyond and has_slope else EXACT
        for predictor in PREDICTORS:
            got = [float(line) for line in self.succeed(
                *predictor, description, new).split()]
            self.assert_close_to_norm(got, expected, tolerance,
                                      predictor[1].name)

    def rows(self, spread, name, seed=4):
        draw = random.Random(f"{seed}.{spread}")
        rows = [{"g": draw.choice(("north", "süd", "a\"b")),
                 "date": f"2020-01-{1 + n // 3 % 28:02} {n % 24:02}:30",
                 "a": repr(draw.gauss(3, spread)),
                 "b": repr(draw.gauss(-1, spread)),
                 "h": repr(draw.uniform(0, 24)),
                 "k": str(draw.randrange(4 if spread == 1 else 7)),
                 "d": draw.choice(("mon", "tue", "é")),
                 "v": draw.choice(("-1", "0.5", "10")),
                 "y": repr(draw.gauss(0, 1))} for n in range(240)]
        draw.shuffle(rows)
        return harness.write_csv(self.dir / f"{name}.csv", rows)

    def test_terms(self):
        """Each term, each mode beyond the training range, and texts."""
        train, new = self.rows(1, "train"), self.rows(2, "new")
        for mode in MODES:
            terms = [f"{term}, extrapolate='{mode}')" for term in TERMS]
            formula = "y ~ " + " + ".join([*terms, *OTHERS])
            with self.subTest(mode=mode):
                model = self.compile(formula, name=mode, group="g",
                                     date="date", defaults=MILD,
                                     solver="direct")
                weights = self.fit(model, train)
                self.check(model, weights, train)
                self.check(model, weights, new, beyond=True)

    def test_random(self):
        """Random formulas; rows beyond the training range."""
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            formula, train, new = random_model(rng)
            for name, rows in (("train", train), ("new", new)):
                harness.write_csv(self.dir / f"{name}.csv", rows)
            with self.subTest(case=case, formula=formula):
                model = self.compile(formula, "--profile",
                                     self.dir / "train.csv", group="g",
                                     date="day", weights="w")
                weights = self.fit(model, self.dir / "train.csv")
                self.check(model, weights, self.dir / "train.csv")
                self.check(model, weights, self.dir / "new.csv", beyond=True)

    def test_levels(self):
        """Levels that are text and levels that are numbers, other spellings of
        them, and values that are none."""
        train = self.rows(1, "train")
        values = {"d": ("mon", "sun", "Mon", "1", "é"),
                  "v": ("-1", "+0.50", "1e1", "-1.0", "-7", "5.25", "5.2",
                        "99", "word", "0.5000001")}
        for unseen in ("edge", "mean", "zero"):
            for column, texts in values.items():
                for n in (3, 4):
                    with self.subTest(unseen=unseen, column=column, n=n):
                        self.check_levels(train, unseen, column, texts, n)

    def check_levels(self, train, unseen, column, texts, n):
        formula = (f"y ~ c({column}, n_cat={n}, levels=True, "
                   f"unseen='{unseen}') + te(l(a), c({column}, n_cat={n}, "
                   f"levels=True, unseen='{unseen}'))")
        model = self.compile(formula, group="g", defaults=MILD)
        new = harness.write_csv(self.dir / "new.csv", [
            {"g": g, "a": "2.5", column: text}
            for g in ("north", "süd") for text in texts])
        self.check(model, self.fit(model, train), new)

    def test_groups_of_numbers(self):
        """Groups of a number in several spellings, and rows in a new order."""
        rows = small.rows(("1", "2.50", "10"))
        train = harness.write_csv(self.dir / "train.csv", rows)
        for row, name in zip(rows, ("1.0", "+2.5", "1e1", " 1", "10") * 99):
            row["g"] = name
        new = harness.write_csv(self.dir / "new.csv", rows[::-1])
        model = self.compile("y ~ s(a) + c(k, n_cat=3) + pid(a)", group="g",
                             date="date", defaults=MILD)
        self.check(model, self.fit(model, train), new)

    def test_text(self):
        """The shortest numbers, and those of the weights; the same bytes on
        standard output."""
        train = self.rows(1, "train")
        model = self.compile("y ~ s(a, k=20) + w(b) + n(a, n_neurons=40)",
                             group="g", defaults=MILD)
        weights = self.fit(model, train)
        text = self.export(model, weights).read_text(encoding="utf-8")
        self.assertEqual(
            self.succeed(model, "export", "--weights", weights,
                         "--format=json"), text)
        self.assertEqual(self.succeed(model, "export", "--weights", weights,
                                      "-o", "-"), text)

        def number(literal):
            digits = re.sub(r"e.*|[-.]", "", literal).strip("0")
            shortest = re.sub(r"e.*|[-.]", "", repr(float(literal))).strip("0")
            self.assertEqual(digits, shortest)
            return float(literal)

        read = json.loads(text, parse_float=number,
                          parse_constant=lambda name: self.fail(name))
        self.assertEqual((read["format"], read["version"]), ("tamc-model", 1))
        self.assertEqual(read["columns"], {"target": "y", "group": "g",
                                           "date": None})
        self.assertEqual(read["groups"], {"numeric": False,
                                          "names": ["a\"b", "north", "süd"]})
        expected = self.coefficients(model, weights)
        got = {name: [value for effect in read["effects"]
                      for value in effect["coefficients"][group]]
               for group, name in enumerate(read["groups"]["names"])}
        self.assertEqual(got, expected)
        for effect in read["effects"]:
            for values in effect["coefficients"]:
                self.assertEqual(len(values), effect["map"]["columns"])

    def test_errors(self):
        train = self.rows(1, "train")
        model = self.compile("y ~ l(a)")
        weights = self.fit(model, train)
        other = self.compile("y ~ l(b)", name="other")
        before = weights.read_bytes()
        for program, arguments, says in (
                (other, ["--weights", weights], "expected weights of"),
                (model, ["--weights", "none"], "none: cannot open"),
                (model, [], "--weights"),
                (model, ["--weights", weights, "--format=xml"], "json"),
                (model, ["--weights", weights, "-o", "no/model.json"],
                 "no/model.json: "),
                (model, ["--weights", weights, "-o", weights],
                 "expected a file of its own for the output, got the weights")):
            with self.subTest(says):
                run = self.run_program(program, "export", *arguments)
                self.assertEqual(run.returncode, 1)
                self.assertEqual(run.stdout, "")
                self.assertIn(says, run.stderr)
        self.assertEqual(weights.read_bytes(), before)
        self.assertIn("export", self.succeed(model, "--help"))


if __name__ == "__main__":
    harness.main()
