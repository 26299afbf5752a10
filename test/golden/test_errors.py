# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference of random models on random data, against the oracle of reference,
from the model's design matrix: degrees of freedom, standard errors, intervals
and statistics, with row weights (some are 0), uneven groups, penalties from the
command line, unseen levels, and rows beyond the training range."""

import json
import math
import os
import random

import golden  # noqa: F401 (finds harness)
import harness
import reference
from reference import data, inference
from random_formula import LEVELS, Formula, random_model, random_rows

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 40))
TERMS = int(os.environ.get("TAMC_RANDOM_TERMS", 5))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261125))
# Of what the text of a table and rounding leave.
TOLERANCE = 1e-8
GROUP, DATE = "g", "day"
INTERVALS = (.9, .5)
UNSEEN = ("edge", "mean", "zero")


class WithWords(Formula):
    """Often with a column of texts, of which new rows have others."""

    def text(self):
        text = super().text()
        if self.rng.random() < .4:
            text += (f" + c(s, {self.ap()}, "
                     f"unseen={self.rng.choice(UNSEEN)})")
        return text


def model_of(rng, terms=TERMS, rows=150):
    """A formula, rows to fit and new rows."""
    text, train, new = random_model(rng, terms, rows,
                                    WithWords(rng, terms).text())
    for rows, levels in ((train, LEVELS), (new, 2 * LEVELS)):
        for i, row in enumerate(rows):
            row["s"] = f"v{i if i < LEVELS else rng.randrange(levels)}"
            if rng.random() < .05:
                row["y"] = "0"
    if rng.random() < .5:
        for row in train:
            if rng.random() < .2:
                row["w"] = "0"
        # Each group has a weight.
        for row in {row[GROUP]: row for row in train}.values():
            row["w"] = "1.5"
    return text, train, new


class Errors(harness.TestCase):
    OPTIONS = harness.CPU_ALONE

    def random_aps(self, rng, model):
        """Options of a fit, and the penalties that they set."""
        names = [row["penalty"] for row in json.loads(self.succeed(
            model, "info", "--format=json"))["penalties"]]
        aps = {name: rng.choice((-2, -1, 0, 1)) for name in names
               if rng.random() < .5}
        return [f"--ap={name}={ap}" for name, ap in aps.items()], aps

    def table(self, command, path, weights, *options):
        """The names of the columns, without keys, and the rows."""
        out = self.dir / "out.csv"
        self.succeed(self.model, *command, path, "--weights", weights, "-o",
                     out, *options)
        names = [name for name in harness.header(out)
                 if name not in (GROUP, DATE)]
        return names, [[float(row[name]) for name in names]
                       for row in harness.read_csv(out)]

    def design(self, path, weights, *options):
        return self.table(["predict", "--type=design"], path, weights,
                          *options)[1]

    def oracle_of(self, text, train, path, weights, aps, column):
        """The expected inference of each group, and the model's oracle."""
        whole = reference.Model(text, train, GROUP, DATE, column, aps=aps)
        design = self.design(path, weights)
        return whole, {
            name: reference.Inference(
                [design[i] for i in indices],
                [float(train[i]["y"]) for i in indices],
                [float(train[i][column]) if column else 1.0 for i in indices],
                whole.first, whole.penalty)
            for name, indices in data.group_rows(train, GROUP, DATE).items()}

    def fields(self, got, expected, what, tolerance=TOLERANCE):
        """Numbers by name: relative, or absolute below 1."""
        for name, number in expected.items():
            if number is None:
                self.assertIsNone(got[name], (what, name))
                continue
            self.assertIsNotNone(got[name], (what, name))
            self.assert_close([got[name]], [number], tolerance,
                              f"{what} {name}", tolerance)

    def check_summary(self, weights, whole, oracle):
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        self.assertEqual([group["group"] for group in summary["groups"]],
                         list(oracle))
        for got in summary["groups"]:
            expected = oracle[got["group"]]
            # Where few degrees are left, their rounding errors are large.
            tolerance = TOLERANCE * max(1, expected.rows / expected.degrees)
            self.fields(got, expected.summary(), got["group"], tolerance)
            self.assertEqual([e["effect"] for e in got["effects"]],
                             whole.names)
            for i, effect in enumerate(got["effects"]):
                self.fields(effect, expected.summary_of_effect(i),
                            effect["effect"])
                if effect["term"].count("te(") < 2:
                    self.assertEqual(effect["ap"], whole.ap_of(i), effect)
            shares = [effect["share"] for effect in got["effects"]]
            if None not in shares:
                self.assert_close([math.fsum(shares)], [1], 1e-9, "shares")
        self.fields(summary["all"],
                    {"rows": sum(group.rows for group in oracle.values()),
                     **inference.quality(list(oracle.values()))}, "all")
        text = self.succeed(self.model, "summary", "--weights", weights)
        self.assertEqual(any(line.startswith("all ")
                             for line in text.splitlines()), len(oracle) > 1)

    def check_coefficients(self, weights, oracle):
        got = {}
        for row in harness.parse_csv(self.succeed(
                self.model, "coefficients", "--se", "--weights", weights)):
            got.setdefault(row["group"], []).append(
                (float(row["value"]), float(row["se"])))
        self.assertEqual(list(got), list(oracle))
        for name, expected in oracle.items():
            values, errors = zip(*got[name])
            self.assert_close_to_norm(values, expected.beta, TOLERANCE)
            self.assert_close(errors, expected.coefficient_errors(),
                              self.rounding(expected), "se of a coefficient")

    @staticmethod
    def rounding(group):
        """Tolerance of standard errors of a group: of numbers that the rounding
        errors of the system, and of the degrees that are left, affect."""
        return TOLERANCE * max(1, group.rows / group.degrees,
                               1e-7 * group.condition)

    def check_rows(self, rows, path, weights, whole, oracle, column):
        design = self.design(path, weights)
        levels = ",".join(map(str, INTERVALS))
        names, responses = self.table(["predict"], path, weights, "--se",
                                      f"--interval={levels}")
        self.assertEqual(names, ["prediction", "se", "lower_90", "upper_90",
                                 "lower_50", "upper_50"])
        names, effects = self.table(["decompose"], path, weights, "--se")
        self.assertEqual(names, whole.names
                         + [f"se_{name}" for name in whole.names])
        for row, line, response, terms in zip(rows, design, responses, effects,
                                              strict=True):
            group = oracle[row[GROUP]]
            tolerance = self.rounding(group)
            self.assert_close([response[1]], [group.error_of(group.form(line))],
                              tolerance, "se of a prediction")
            weight = float(row[column]) if column else 1.0
            expected = [end for level in INTERVALS
                        for end in group.interval(line, level, weight)]
            if weight > 0:
                scale = max(map(abs, expected))
                self.assert_close(response[2:], expected, 0,
                                  "end of an interval", tolerance * scale)
            else:
                self.assertEqual(response[2:], expected)
            values, errors = group.centred(line)
            count = len(values)
            scale = max(map(abs, group.effects_of(line) + values))
            self.assert_close(terms[:count], values, 0, "centred effect",
                              tolerance * scale)
            # Differences of numbers of this size are rounded.
            sizes = [group.error_of(group.form(line, i)
                                    + group.form(group.means, i))
                     for i in range(count)]
            for got, error, size in zip(terms[count:], errors, sizes):
                self.assert_close([got ** 2], [error ** 2], tolerance,
                                  "variance of a centred effect",
                                  tolerance * size ** 2)
            self.assert_close([math.fsum(terms[:count])], [response[0]], 0,
                              "sum of effects", 1e-11 * max(scale, 1))

    def compare(self, text, train, new, rng, column, *options, both=True):
        """Predicts the new rows, and those to fit if `both`."""
        paths = [harness.write_csv(self.dir / name, rows) for name, rows
                 in (("train.csv", train), ("new.csv", new))]
        keys = {"weights": column} if column else {}
        self.model = self.compile(text, "--profile", paths[0], group=GROUP,
                                  date=DATE, **keys)
        given, aps = self.random_aps(rng, self.model) \
            if rng.random() < .4 else ([], {})
        weights = self.fit(self.model, paths[0], "--inference", *given,
                           *options)
        whole, oracle = self.oracle_of(text, train, paths[0], weights, aps,
                                       column)
        self.check_summary(weights, whole, oracle)
        self.check_coefficients(weights, oracle)
        for rows, path in list(zip((new, train), paths[::-1]))[:1 + both]:
            self.check_rows(rows, path, weights, whole, oracle, column)
        return weights, oracle

    def test_random(self):
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            text, train, new = model_of(rng)
            column = "w" if case % 2 else None
            chunk = rng.choice((None, 1, 2, 7, 64, 1000))
            options = ["--chunk-rows", chunk] if chunk else []
            with self.subTest(case=case, formula=text, weights=column,
                              chunk=chunk):
                self.compare(text, train, new, rng, column, *options)

    def scaled(self, text, train, factor, name):
        path = harness.write_csv(self.dir / name, [
            dict(row, w=repr(float(row["w"]) * factor)) for row in train])
        weights = self.fit(self.model, path, "--inference", weights=f"{name}.w")
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        tables = [self.succeed(self.model, *command, "--weights", weights,
                               "--se")
                  for command in (["coefficients"],
                                  ["predict", path, "--interval=0.9"],
                                  ["decompose", path])]
        return summary, tables

    def test_unit_of_weights(self):
        """A common factor of the row weights multiplies what has their unit and
        changes nothing else."""
        for case in range(max(COUNT // 4, 1)):
            rng = random.Random(f"{SEED}.unit.{case}")
            text, train, _ = model_of(rng)
            path = harness.write_csv(self.dir / "train.csv", train)
            self.model = self.compile(text, "--profile", path, group=GROUP,
                                      date=DATE, weights="w")
            summary, tables = self.scaled(text, train, 1, "unit.csv")
            for factor in (2.0 ** -40, 2.0 ** 61, 7.3, 1e-5):
                with self.subTest(case=case, formula=text, factor=factor):
                    self.check_unit(summary, tables, factor, *self.scaled(
                        text, train, factor, "scaled.csv"))

    def check_unit(self, summary, tables, factor, got, texts):
        for group, expected in zip(got["groups"], summary["groups"],
                                   strict=True):
            columns = sum(e["columns"] for e in expected["effects"])
            for name in ("sigma2", "weight"):
                expected[name] = expected[name] * factor
            expected["log_determinant"] += columns * math.log(factor)
            tolerance = TOLERANCE * max(1, expected["rows"] / (
                expected["rows"] - expected["edf"]))
            effects = expected.pop("effects")
            self.fields(group, {k: v for k, v in expected.items()
                                if k != "group"}, "group", tolerance)
            for a, b in zip(group["effects"], effects, strict=True):
                self.fields(a, {k: v for k, v in b.items()
                                if k not in ("effect", "term", "ap")},
                            b["effect"])
            for name in ("sigma2", "weight"):
                expected[name] = expected[name] / factor
            expected["log_determinant"] -= columns * math.log(factor)
            expected["effects"] = effects
        self.fields(got["all"], summary["all"], "all")
        if math.frexp(factor)[0] == .5:
            # It rounds nothing.
            self.assertEqual(texts, tables)

    def test_many_columns(self):
        """More columns than the kernels have in one panel, and dense rows."""
        rng = random.Random(8)
        train = [dict(row, day=day) for day, row in enumerate(
            row for _ in range(99) for row in random_rows(rng, ["p"], 300, 1))]
        for neurons, rows in ((31, 300), (140, 250), (330, 400)):
            with self.subTest(neurons=neurons):
                self.compare(
                    f"y ~ n(a, others='b', n_neurons={neurons}, act=cos, ap=-2)"
                    " + s(d, k=20, p=0, ap=-2)"
                    " + te(l(b, ap=-1), s(a, k=4, p=0, ap=-1), ap=-1)",
                    train[:rows], train[rows:rows + 20], random.Random(1), "w",
                    both=False)

    def test_products_of_products(self):
        """The strength of a factor's penalty is the product of its own and
        those of all products around it."""
        rng = random.Random(9)
        train = random_rows(rng, ["p"], 99, 1)
        path = harness.write_csv(self.dir / "train.csv", train)
        text = ("y ~ te(te(l(a, ap=-1), s(b, k=3, ap=-2), ap=-.5),"
                " c(k, n_cat=5, ap=1), ap=.25)")
        self.model = self.compile(text, group=GROUP, date=DATE)
        weights = self.fit(self.model, path, "--inference")
        whole = reference.Model(text, train, GROUP, DATE)
        self.assertEqual(whole.ap_of(1), [-1.25, -2.25, 1.25])
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        self.assertEqual(summary["groups"][0]["effects"][1]["ap"],
                         whole.ap_of(1))

    def test_one_level(self):
        """A column of one value in a group says nothing about its effect."""
        rng = random.Random(6)
        train = random_rows(rng, ["p"], 200, 1)
        while len(train) < 60:
            train += random_rows(rng, ["p"], 200, 1)
        for i, row in enumerate(train):
            row[DATE] = i
        other = [dict(row, g="q", k=3, d="2.5") for row in train]
        self.compare("y ~ s(a, k=6, ap=-2) + c(k, n_cat=5, ap=-2) + l(d)",
                     train + other, train + other, random.Random(1), None)

    def test_target_without_spread(self):
        """Measures that divide by the target, or by its spread."""
        rng = random.Random(7)
        train = [dict(row, y=value) for value, group in ((0, "p"), (4, "q"))
                 for row in random_rows(rng, [group], 90, 1)]
        path = harness.write_csv(self.dir / "train.csv", train)
        self.model = self.compile("y ~ s(a, k=6, ap=-2) + l(b)", group=GROUP,
                                  date=DATE)
        weights = self.fit(self.model, path, "--inference")
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        zero, constant = summary["groups"]
        for name in ("mape", "nmae", "r2", "acf1"):
            self.assertIsNone(zero[name], name)
        self.assertEqual((zero["sigma2"], zero["rmse"], zero["drift"]),
                         (0, 0, 0))
        self.assertEqual([e["share"] for e in zero["effects"]], [None] * 3)
        self.assertIsNone(constant["r2"])
        self.assertIsNotNone(constant["mape"])
        _, rows = self.table(["predict"], path, weights, "--se",
                             "--interval=0.9")
        self.assertEqual(rows[:5], [[0, 0, 0, 0]] * 5)


if __name__ == "__main__":
    harness.main()
