# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`evaluate`, `fit --calibrate` and conformal intervals against the formulas of
docs/math.md, section 8, in plain Python; and how often intervals contain what
they are for, on 200 data sets."""

import json
import math
import random
import statistics

import golden
import harness

LEVELS = (.5, .8, .9, .99)
# Of sums of some hundred numbers.
TOLERANCE = 1e-12


def conformal(residuals, level, signed):
    """Offsets of the ends of an interval."""
    n, a = len(residuals), 1 - level
    if signed:
        ordered = [-math.inf, *sorted(residuals), math.inf]
        low = math.floor((n + 1) * a / 2 + 1e-9)
        return ordered[low], ordered[n + 1 - low]
    k = n + 1 - math.floor((n + 1) * a + 1e-9)
    half = (sorted(map(abs, residuals)) + [math.inf])[k - 1]
    return -half, half


def pinball(target, quantile, tau):
    return max(tau * (target - quantile), (tau - 1) * (target - quantile))


def measures(rows):
    """Of (weight, target, prediction, [(level, lower, upper)])."""
    rows = [row for row in rows if row[0] > 0]
    total = math.fsum(w for w, *_ in rows)

    def mean(values):
        return math.fsum(w * value for (w, *_), value
                         in zip(rows, values, strict=True)) / total
    squares = mean([(y - mu) ** 2 for _, y, mu, _ in rows])
    middle = mean([y for _, y, _, _ in rows])
    known = [(w, y, mu) for w, y, mu, _ in rows if y != 0]
    around = mean([(y - middle) ** 2 for _, y, _, _ in rows])
    absolute = mean([abs(y - mu) for _, y, mu, _ in rows])
    result = {
        "rows": len(rows), "rmse": math.sqrt(squares), "mae": absolute,
        "mape": 100 * math.fsum(w * abs((y - mu) / y) for w, y, mu in known)
        / math.fsum(w for w, *_ in known) if known else None,
        "nmae": 100 * absolute / mean([abs(y) for _, y, _, _ in rows])
        if any(y for _, y, _, _ in rows) else None,
        "r2": 1 - squares / around if around > 0 else None,
        "bias": mean([mu - y for _, y, mu, _ in rows])}
    intervals = []
    for i, (level, *_) in enumerate(rows[0][3]):
        ends = [(row[1], *row[3][i][1:]) for row in rows]
        a = 1 - level
        infinite = any(math.isinf(hi) for _, _, hi in ends)
        intervals.append({
            "level": level,
            "coverage": mean([lo <= y <= hi for y, lo, hi in ends]),
            "width": None if infinite else mean([hi - lo for _, lo, hi in
                                                 ends]),
            "pinball": None if infinite else mean(
                [(pinball(y, lo, a / 2) + pinball(y, hi, 1 - a / 2)) / 2
                 for y, lo, hi in ends])})
    if intervals:
        result["intervals"] = intervals
    return result


class Evaluate(harness.TestCase):
    def data(self, sizes, seed):
        """Rows of groups, of which (fitted, held out, tested) are given. Some
        are the same, so that residuals are, too."""
        rng = random.Random(seed)
        rows = []
        for group, counts in enumerate(sizes):
            day = 0
            for split, count in zip(("fit", "calib", "test"), counts):
                for i in range(count):
                    day += 1
                    x = rng.choice((0, .25, .5, 1))
                    error = rng.choice((-2, -1, 0, 1, 1, 4)) * (group + 1)
                    rows.append({
                        "date": f"{1969 + day // 336}-{day // 28 % 12 + 1:02}-"
                                f"{day % 28 + 1:02}T{day % 24:02}:30",
                        "g": f"G{group}", "x": x, "y": 3 * x + error,
                        "w": rng.choice((0, .5, 1, 3)) if i else 1,
                        "kind": rng.choice(("9", "10", "9.5", "-1")),
                        "split": split})
        rng.shuffle(rows)
        return rows

    def split(self, rows):
        return {split: harness.write_csv(
            self.dir / f"{split}.csv",
            [row for row in rows if row["split"] == split], list(rows[0]))
            for split in ("fit", "calib", "test")}

    def residuals(self, model, weights, path):
        """By group, those of rows of positive weight."""
        found = {}
        table = harness.read_csv(self.predict(model, path, weights))
        for row, got in zip(harness.read_csv(path), table, strict=True):
            if float(row["w"]) > 0:
                found.setdefault(row["g"], []).append(
                    float(row["y"]) - float(got["prediction"]))
        return found

    def check_conformal(self, sizes, seed, **keys):
        rows = self.data(sizes, seed)
        if not keys.get("weights"):
            for row in rows:
                row["w"] = 1
        paths = self.split(rows)
        both = harness.write_csv(self.dir / "both.csv", [
            row for row in rows if row["split"] != "test"])
        model = self.compile("y ~ l(x)", group="g", date="date", **keys)
        alone = self.fit(model, paths["fit"], weights="alone")
        weights = self.fit(model, both, "--calibrate=split=calib")
        self.assertEqual(self.coefficients(model, weights),
                         self.coefficients(model, alone))
        residuals = self.residuals(model, alone, paths["calib"])
        named = ",".join(map(str, LEVELS))
        infinite = 0
        for signed in (False, True):
            method = "conformal-signed" if signed else "conformal"
            run = self.run_program(
                model, "predict", paths["test"], "--weights", weights,
                "-o", "intervals.csv", f"--interval={named}",
                f"--method={method}")
            self.assertEqual(run.returncode, 0, run.stderr)
            table = harness.read_csv(self.dir / "intervals.csv")
            found = []
            for row, got in zip(harness.read_csv(paths["test"]), table,
                                strict=True):
                mu = float(got["prediction"])
                ends = []
                for level in LEVELS:
                    low, high = conformal(residuals[row["g"]], level, signed)
                    name = f"{100 * level:g}"
                    ends.append((level, float(got[f"lower_{name}"]),
                                 float(got[f"upper_{name}"])))
                    self.assertEqual(ends[-1][1:], (mu + low, mu + high),
                                     (row, level, signed))
                    infinite += math.isinf(high)
                found.append((row, (float(row["w"]), float(row["y"]), mu,
                                    ends)))
            for level in LEVELS:
                few = sum(math.isinf(conformal(those, level, signed)[1])
                          for those in residuals.values())
                self.assertEqual(
                    f"intervals of level {level:g} are infinite" in run.stderr,
                    few > 0, run.stderr)
            self.check_evaluation(model, paths["test"], weights, found,
                                  f"--interval={named}", f"--method={method}")
        return infinite

    def check_evaluation(self, model, path, weights, found, *options):
        """Compares with the measures of `found`, pairs of a row and its
        numbers."""
        keys = {"kind": lambda row: row["kind"],
                "year": lambda row: row["date"][:4],
                "month": lambda row: row["date"][:7],
                "hour": lambda row: row["date"][11:13]}
        for by, key in keys.items():
            got = json.loads(self.succeed(
                model, "evaluate", path, "--weights", weights, *options,
                f"--by={by}", "--format=json"))
            self.assertEqual(got["rows"], len(found))
            self.compare(got["all"], [numbers for _, numbers in found])
            groups = {}
            values = {}
            for row, numbers in found:
                groups.setdefault(row["g"], []).append(numbers)
                values.setdefault(key(row), []).append(numbers)
            self.assertEqual([one["group"] for one in got["groups"]],
                             sorted(groups))
            for one in got["groups"]:
                self.compare(one, groups[one["group"]])
            self.assertEqual(got["by"]["column"], by)
            # A value all of whose rows have weight 0 is left out.
            values = {name: rows for name, rows in values.items()
                      if any(row[0] > 0 for row in rows)}
            self.assertEqual([one["value"] for one in got["by"]["values"]],
                             sorted(values, key=float if by == "kind" else str))
            for one in got["by"]["values"]:
                self.compare(one, values[one["value"]])

    def compare(self, got, numbers):
        expected = measures(numbers)
        self.assertEqual(set(expected), set(got) - {"group", "value"})
        scale = max(abs(number) for row in numbers for number in row[1:3])
        for name, value in expected.items():
            if name == "intervals":
                for one, other in zip(got[name], value, strict=True):
                    self.assertEqual(set(one), set(other))
                    for key, number in other.items():
                        self.compare_number(one[key], number, scale, key)
            elif name == "r2" and value is not None:
                self.compare_number(got[name], value, 1 + abs(value), name)
            else:
                self.compare_number(got[name], value, scale, name)

    def compare_number(self, got, expected, scale, what):
        if expected is None:
            self.assertIsNone(got, what)
        else:
            self.assert_close([got], [expected], TOLERANCE, what,
                              TOLERANCE * scale)

    def test_random(self):
        """Groups of many and of few held-out rows, with ties."""
        infinite = 0
        for seed in range(4):
            rng = random.Random(seed)
            sizes = [(40, 100, 60), (5, 1, 7), (9, 9, 12), (20, 19, 20)] + [
                (rng.randint(4, 50), rng.randint(1, 220), rng.randint(1, 40))
                for _ in range(6)]
            for keys in ({}, {"weights": "w"}):
                infinite += self.check_conformal(sizes, seed, **keys)
        self.assertGreater(infinite, 100)

    def test_gaussian(self):
        """The measures of the intervals that `predict` prints."""
        rows = self.data([(30, 0, 40), (12, 0, 9)], 7)
        paths = self.split(rows)
        model = self.compile("y ~ l(x)", group="g", date="date", weights="w")
        weights = self.fit(model, paths["fit"], "--inference")
        table = harness.read_csv(self.predict(model, paths["test"], weights,
                                              "--interval=.8,.95"))
        found = [
            (row, (float(row["w"]), float(row["y"]), float(got["prediction"]),
                   [(level, float(got[f"lower_{100 * level:g}"]),
                     float(got[f"upper_{100 * level:g}"]))
                    for level in (.8, .95)]))
            for row, got in zip(harness.read_csv(paths["test"]), table,
                                strict=True)]
        self.check_evaluation(model, paths["test"], weights, found,
                              "--interval=.8,.95")

    def test_summary(self):
        """Those of training rows are those of the summary."""
        rows = self.data([(30, 0, 0), (12, 0, 0), (80, 0, 0)], 9)
        path = self.split(rows)["fit"]
        for keys in ({}, {"weights": "w"}):
            model = self.compile("y ~ l(x)", group="g", date="date", **keys)
            weights = self.fit(model, path, "--inference")
            summary = json.loads(self.succeed(
                model, "summary", "--weights", weights, "--format=json"))
            got = json.loads(self.succeed(
                model, "evaluate", path, "--weights", weights,
                "--format=json"))
            for one, other in zip([got["all"], *got["groups"]],
                                  [summary["all"], *summary["groups"]],
                                  strict=True):
                for name in ("rows", "rmse", "mape", "nmae", "r2"):
                    self.assert_close([one[name]], [other[name]], 1e-11, name)

    def test_national(self):
        """Of published predictions: the measures of a model with the same."""
        case, rows, predictions = golden.national("load_splines")
        model = self.compile(case["formula"], group=case["group"],
                             date=case["date"])
        paths = {split: harness.write_csv(
            self.dir / f"{split}.csv",
            [row for row in rows if row["split"] == split])
            for split in ("train", "test")}
        got = json.loads(self.succeed(
            model, "evaluate", paths["test"], "--weights",
            self.fit(model, paths["train"]), "--format=json", "--by=month"))
        found = [(row, (1, float(row[case["target"]]), prediction, []))
                 for row, prediction in zip(rows, predictions, strict=True)
                 if row["split"] == "test"]
        for entries, key, name in ((got["groups"], case["group"], "group"),
                                   (got["by"]["values"], "month", "value")):
            for one in entries:
                expected = measures([numbers for row, numbers in found
                                     if row[key] == one[name]])
                for measure, value in expected.items():
                    # Predictions agree to 1e-9, and a bias is a difference of
                    # them.
                    self.assert_close([one[measure]], [value], 1e-8, measure,
                                      1e-5 * (measure == "bias"))
            self.assertEqual(sum(one["rows"] for one in entries), len(found))

    def test_weekday(self):
        rows = [{"date": f"2024-02-{day:02}", "x": day % 3, "y": day}
                for day in range(1, 29)]
        path = harness.write_csv(self.dir / "days.csv", rows)
        model = self.compile("y ~ l(x)", date="date")
        weights = self.fit(model, path)
        got = json.loads(self.succeed(model, "evaluate", path, "--weights",
                                      weights, "--by=weekday",
                                      "--format=json"))
        # 1 February 2024 was a Thursday.
        table = harness.read_csv(self.predict(model, path, weights))
        for one in got["by"]["values"]:
            self.compare(one, [
                (1, row["y"], float(other["prediction"]), [])
                for row, other in zip(rows, table, strict=True)
                if (row["y"] + 2) % 7 + 1 == int(one["value"])])
        self.assertEqual(len(got["by"]["values"]), 7)


class Coverage(harness.TestCase):
    """200 data sets, each a group: intervals contain as many of the rows as
    their level says."""

    # One held-out row more or less would change the coverage by 0.025.
    SETS, FITTED, HELD_OUT, TESTED = 200, 60, 39, 300

    def check(self, method, error, scale, *options):
        rng = random.Random(method)
        files = {"train": [], "test": []}
        for group in range(self.SETS):
            spread = scale(rng)
            for i in range(self.FITTED + self.HELD_OUT + self.TESTED):
                x = rng.random()
                is_test = i >= self.FITTED + self.HELD_OUT
                files["test" if is_test else "train"].append({
                    "g": group, "x": f"{x:.6f}",
                    "y": f"{2 * x + spread * error(rng):.9f}"})
        paths = {name: harness.write_csv(self.dir / f"{name}.csv", rows)
                 for name, rows in files.items()}
        model = self.compile("y ~ l(x)", group="g")
        weights = self.fit(model, paths["train"], *options)
        levels = (.5, .9)
        got = json.loads(self.succeed(
            model, "evaluate", paths["test"], "--weights", weights,
            "--format=json", "--interval=0.5,0.9", f"--method={method}"))
        self.assertEqual(got["all"]["rows"], self.SETS * self.TESTED)
        for level, one in zip(levels, got["all"]["intervals"], strict=True):
            self.assertEqual(one["level"], level)
            self.assertLess(abs(one["coverage"] - level), .015, (method, level))
        # Each group has a scale of its own.
        for group in got["groups"]:
            self.assertGreater(group["intervals"][1]["coverage"], .6, group)
        widths = [group["intervals"][1]["width"] for group in got["groups"]]
        return max(widths) / statistics.median(widths)

    def test_gaussian(self):
        self.check("gaussian", lambda rng: rng.gauss(0, 1), lambda rng: 1.0,
                   "--inference")

    def test_skewed_errors(self):
        share = self.HELD_OUT / (self.FITTED + self.HELD_OUT)
        for method in ("conformal", "conformal-signed"):
            spread = self.check(method, lambda rng: rng.expovariate(1) - 1,
                                lambda rng: 10 ** rng.uniform(-2, 2),
                                f"--calibrate={share!r}")
            self.assertGreater(spread, 10)


if __name__ == "__main__":
    harness.main()
