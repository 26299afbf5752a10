# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`evaluate`: the same bytes for any threads, chunks and streams; rows without a
target; its text; errors. The numbers are tested in test/golden."""

import json
import math
import random
import re

import small
import test_inference
from small import harness
from test_inference import CARRY, FORMULA


class TestCase(test_inference.TestCase):
    def evaluate(self, model, path, weights, *options):
        return json.loads(self.succeed(
            model, "evaluate", path, "--weights", weights, "--format=json",
            *options))


class Bytes(TestCase):
    METHODS = (["--interval=.9,.5"], ["--interval=.5", "--method=conformal"],
               ["--interval=.5", "--method=conformal-signed"], [])

    def check(self, model, train, path, *fit):
        weights = self.fit(model, train, "--inference", "--calibrate=0.3", *fit)
        for method in self.METHODS:
            for by in ([], ["--by=month"], ["--by=d"], ["--by=w"]):
                command = ["evaluate", path, "--weights", weights, *method, *by]
                for kind in ("text", "json"):
                    said = [*command, f"--format={kind}"]
                    good = self.succeed(model, *said, "--threads", 1)
                    for options in (
                            ["--threads", 3], ["--chunk-rows", 1], ["--stream"],
                            ["--stream", "--chunk-rows", 7, "--threads", 2],
                            ["--allocator", "caching"], ["-o", "out"]):
                        got = self.succeed(model, *said, *options)
                        if "-o" in options:
                            self.assertEqual(got, "")
                            got = (self.dir / "out").read_text()
                        self.assertEqual(got, good, (said, options))

    def test_runs(self):
        train = self.weighted()
        rows = harness.read_csv(train)
        random.Random(1).shuffle(rows)
        disorder = harness.write_csv(self.dir / "disorder.csv", rows)
        for formula, keys in ((FORMULA, {}), (CARRY, {"weights": "w"})):
            model = self.compile(formula, **small.KEYS, **keys)
            for path in (train, disorder):
                self.check(model, train, path)

    def test_far_target(self):
        """The note on the floor names the bias, and the group."""
        model = self.compile("y ~ s(a, k=5)", **small.KEYS)
        # A constant target has no residuals that the floor could exceed.
        for mean, scale, noted in ((1e9, 1, True), (0, 1, False),
                                   (1, 0, False)):
            path = self.dir / "far.csv"
            harness.write_csv(path, [
                dict(row, y=repr(mean + scale * float(row["y"])))
                if row["g"] == "1" else row
                for row in harness.read_csv(self.weighted())])
            for stream in ([], ["--stream"]):
                run = self.run_program(model, "fit", path, "-o", "w",
                                       "--inference", *stream)
                self.assertEqual(run.returncode, 0, run.stderr)
                found = re.findall(r"note: (.*)shifts predictions by (\S+), ",
                                   run.stderr)
                self.assertEqual(len(found), noted, run.stderr)
            if noted:
                by = self.evaluate(model, path, "w", "--by=g")["by"]["values"]
                self.assertEqual(found[0][0], "group '1': the floor of the "
                                              "offset's penalty ")
                # The offset's ap of -9 has the rest.
                self.assertAlmostEqual(float(found[0][1]) / -by[1]["bias"], 1,
                                       delta=0.002)

    def test_parts(self):
        """A file of several parts of a stream, in any order."""
        train = small.generate(self.dir / "train.csv", "--groups", 3, "--days",
                               300)
        lines = train.read_text().splitlines(keepends=True)
        rows = lines[1:] * (150_000 // 900)
        random.Random(2).shuffle(rows)
        wide = self.dir / "wide.csv"
        wide.write_text(lines[0] + "".join(rows))
        model = self.compile("y ~ l(a)+s(c,k=5)+c(d,n_cat=7)", **small.KEYS)
        weights = self.fit(model, train, "--inference")
        command = ["evaluate", wide, "--weights", weights, "--interval=.9",
                   "--by=weekday"]
        good = self.succeed(model, *command, "--threads", 1)
        for options in (["--threads", 4], ["--stream"],
                        ["--stream", "--threads", 3, "--chunk-rows", 100]):
            self.assertEqual(self.succeed(model, *command, *options), good)


class Rows(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.weighted()
        self.rows = harness.read_csv(self.train)

    def test_without_target(self):
        """They do not count, but a recursion needs them."""
        rng = random.Random(5)
        gaps = [dict(row, y=rng.choice((row["y"], row["y"], "", "NA")))
                for row in self.rows]
        path = harness.write_csv(self.dir / "gaps.csv", gaps)
        for formula in ("y ~ l(a)", "y ~ l(a)+pid(b,w=3)"):
            model = self.compile(formula, **small.KEYS)
            weights = self.fit(model, self.train)
            numbers = harness.read_csv(self.predict(model, path, weights))
            known = [(float(row["y"]), float(got["prediction"]))
                     for row, got in zip(gaps, numbers, strict=True)
                     if row["y"] not in ("", "NA")]
            mae = math.fsum(abs(y - mu) for y, mu in known) / len(known)
            for options in ([], ["--stream"], ["--drop-missing"]):
                got = self.evaluate(model, path, weights, *options)
                self.assertEqual((got["rows"], got["without_target"]),
                                 (len(known), len(gaps) - len(known)))
                self.assert_close([got["all"]["mae"]], [mae], 1e-12)
            text = self.succeed(model, "evaluate", path, "--weights", weights)
            self.assertIn(f"\n{len(known)} rows with a target, "
                          f"{len(gaps) - len(known)} without\n", text)

    def test_groups(self):
        """Those without rows are left out."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train)
        path = harness.write_csv(self.dir / "some.csv", [
            dict(row, y=row["y"] if row["g"] == "2" else "")
            for row in self.rows if row["g"] != "0"])
        got = self.evaluate(model, path, weights, "--by=g")
        self.assertEqual([one["group"] for one in got["groups"]], ["2"])
        self.assertEqual([one["value"] for one in got["by"]["values"]], ["2"])

    def test_dropped(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train)
        rows = [dict(row, a="" if place < 4 else row["a"])
                for place, row in enumerate(self.rows)]
        path = harness.write_csv(self.dir / "gaps.csv", rows)
        self.failure(model, "evaluate", path, "--weights", weights,
                     says=f"{path}: line 2: column 'a'")
        run = self.run_program(model, "evaluate", path, "--weights", weights,
                               "--drop-missing", "--format=json")
        self.assertIn("note: dropped 4 of", run.stderr)
        self.assertEqual(json.loads(run.stdout)["rows"], len(rows) - 4)

    def test_values(self):
        """Texts with anything in them, in the order of groups."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train)
        for texts, order in (
                (["10", "9", "NA", "-1"], ["-1", "9", "10", "NA"]),
                (["b", "a,\"x\"", "", "10"], ["", "10", "a,\"x\"", "b"])):
            rows = [dict(row, k=texts[place % len(texts)])
                    for place, row in enumerate(self.rows)]
            path = harness.write_csv(self.dir / "values.csv", rows)
            got = self.evaluate(model, path, weights, "--by=k")
            self.assertEqual([one["value"] for one in got["by"]["values"]],
                             order)
            text = self.succeed(model, "evaluate", path, "--weights", weights,
                                "--by=k")
            self.assertEqual("\n(empty)  " in text, "" in texts)

    def test_column_before_date(self):
        """A column of the file is preferred to a part of the date."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train)
        path = harness.write_csv(self.dir / "month.csv", [
            dict(row, month="x") for row in self.rows])
        for data, values in ((path, ["x"]),
                             (self.train, ["2015-01", "2015-02"])):
            got = self.evaluate(model, data, weights, "--by=month")
            self.assertEqual([one["value"] for one in got["by"]["values"]],
                             values)

    def test_standard_streams(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train)
        good = self.succeed(model, "evaluate", self.train, "--weights", weights)
        for options in ([], ["--stream"]):
            with open(self.train, "rb") as file:
                self.assertEqual(
                    self.succeed(model, "evaluate", "-", "--weights", weights,
                                 *options, stdin=file), good)
        with open(weights, "rb") as file:
            self.assertEqual(
                self.succeed(model, "evaluate", self.train, "--weights", "-",
                             stdin=file), good)


class Text(TestCase):
    def test_text(self):
        """Four digits of the numbers of the JSON."""
        train = self.weighted()
        for keys in (small.KEYS, {"date": "date"}):
            model = self.compile("y ~ l(a)+s(c,k=5)", **keys)
            weights = self.fit(model, train, "--calibrate=0.1")
            said = ["--weights", weights, "--interval=.5,.875",
                    "--method=conformal", "--by=d"]
            text = self.succeed(model, "evaluate", train, *said)
            result = self.evaluate(model, train, *said[1:])
            formula, rows, empty, *lines = text.split("\n")
            self.assertEqual(formula, result["formula"])
            self.assertEqual(rows, f"{result['rows']} rows with a target, 0 "
                                   "without; conformal intervals")
            self.assertEqual(empty, "")
            middle = lines.index("")
            tables = lines[:middle], lines[middle + 1:-1]
            names = ["rows", "rmse", "mae", "mape", "%", "nmae", "%", "r2",
                     "bias", "covered_50", "%", "width_50", "pinball_50",
                     "covered_87.5", "%", "width_87.5", "pinball_87.5"]
            groups = [*result["groups"], dict(result["all"], group="all")] \
                if "group" in keys else [dict(result["all"], group="")]
            for table, first, entries, key in (
                    (tables[0], keys.get("group", ""), groups, "group"),
                    (tables[1], "d", result["by"]["values"], "value")):
                self.assertEqual(table[0].split(), first.split() + names)
                for line, entry in zip(table[1:], entries, strict=True):
                    numbers = [f"{entry[name]:.4g}" for name in
                               ("rmse", "mae", "mape", "nmae", "r2", "bias")]
                    for one in entry["intervals"]:
                        numbers += [f"{100 * one['coverage']:.4g}"] + [
                            "inf" if one[name] is None else f"{one[name]:.4g}"
                            for name in ("width", "pinball")]
                    self.assertEqual(line.split(), entry[key].split() + [
                        str(entry["rows"]), *numbers])
            self.assertEqual("inf" in text, "group" in keys)

    def test_help(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        text = self.succeed(model, "evaluate", "--help")
        for option in ("--weights W", "-o,--output OUT", "--by COLUMN",
                       "--interval LEVELS", "--method NAME", "--format FORMAT",
                       "--stream", "--timings", "--device", "--memory BYTES",
                       "--sep", "--drop-missing"):
            self.assertRegex(text, rf"(?m)^  {option}", option)
        self.assertRegex(self.succeed(model, "--help"),
                         r"(?m)^  evaluate +Print how far predictions are from "
                         r"the target$")
        self.failure(model, says="decompose, evaluate, adapt")

    def test_timings(self):
        train = self.weighted()
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, train)
        run = self.run_program(model, "evaluate", train, "--weights", weights,
                               "--timings=json")
        timings = json.loads(run.stderr)
        self.assertLessEqual({"read", "predict", "evaluate", "write", "total"},
                             set(timings), timings)


class Errors(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.weighted()
        self.rows = harness.read_csv(self.train)
        self.model = self.compile("y ~ l(a)", **small.KEYS)
        self.weights = self.fit(self.model, self.train)

    def refuse(self, says, *options, path=None, model=None, weights=None):
        for stream in ([], ["--stream"]):
            self.failure(model or self.model, "evaluate", path or self.train,
                         "--weights", weights or self.weights, "-o", "out",
                         *options, *stream, says=says)
            self.assertFalse((self.dir / "out").exists())

    def with_rows(self, edit):
        return harness.write_csv(self.dir / "other.csv",
                                 [edit(dict(row)) for row in self.rows])

    def test_target(self):
        path = harness.write_csv(self.dir / "other.csv", self.rows,
                                 ["date", "g", "a"])
        self.refuse(f"{path}: ", path=path)
        self.refuse("'y'", path=path)
        path = self.with_rows(lambda row: row | {"y": ""})
        self.refuse(f"{path}: column 'y': expected a target, got none in "
                    f"{len(self.rows)} rows", path=path)
        path = self.with_rows(lambda row: row | {"y": "inf"})
        self.refuse(f"{path}: line 2: column 'y': group '0': expected a finite "
                    "value, got infinity", path=path)
        path = self.with_rows(lambda row: row | {"y": "much"})
        self.refuse(f"{path}: line 2: column 'y'", path=path)

    def test_by(self):
        self.refuse("'color'", "--by=color")
        self.refuse("expected a value of --by", "--by=")
        model = self.compile("y ~ l(a)", group="g", name="model")
        weights = self.fit(model, self.train, weights="other")
        self.refuse("'month'", "--by=month", model=model, weights=weights)
        path = self.with_rows(lambda row: row | {"date": row["d"]})
        model = self.compile("y ~ l(a)", name="model", **small.KEYS)
        self.refuse(f"{path}: column 'date': expected dates for --by=hour, got "
                    "numbers", "--by=hour", path=path, model=model,
                    weights=self.fit(model, self.train, weights="third"))

    def test_weights_column(self):
        model = self.compile("y ~ l(a)", weights="w", name="model",
                             **small.KEYS)
        weights = self.fit(model, self.train, weights="other")
        path = harness.write_csv(self.dir / "other.csv", self.rows,
                                 ["date", "g", "a", "y"])
        self.refuse("'w'", path=path, model=model, weights=weights)
        path = self.with_rows(lambda row: row | {"w": "-1"})
        self.refuse("expected a weight that is not negative", path=path,
                    model=model, weights=weights)

    def test_groups(self):
        path = self.with_rows(lambda row: row | {"g": "7"})
        self.refuse(f"{path}: line 2: column 'g': expected a group that was "
                    "trained", path=path)

    def test_options(self):
        self.refuse("--format: expected text or json, got 'csv'",
                    "--format=csv")
        self.refuse("unexpected argument", "--se")
        self.refuse("expected --interval with --method=conformal",
                    "--method=conformal")
        self.refuse(test_inference.NONE, "--interval=.9")
        self.failure(self.model, "evaluate", self.train, says="--weights")
        self.failure(self.model, "evaluate", "-", "--weights", "-",
                     says="got both")
        self.failure(self.model, "evaluate", self.train, "--weights",
                     self.weights, "-o", self.train,
                     says="expected a file of its own for the output, got the "
                          "data of the run")
        self.failure(self.model, "evaluate", self.train, "--weights",
                     self.weights, "--memory=1", says="memory")


if __name__ == "__main__":
    harness.main()
