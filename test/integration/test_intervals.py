# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gaussian intervals of rows with weights: they follow from standard errors and
sigma; other predictions do not read the weights of their rows."""

import json
import math
import random
import statistics

import small
import test_inference
from small import harness
from test_inference import FORMULA

LEVELS = {"90": .9, "50": .5}
ASKED = "--interval=0.9,0.5"


class TestCase(test_inference.TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.weighted()
        self.model = self.compile(FORMULA, weights="w", **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference",
                                "--calibrate=0.2")
        rng = random.Random(5)
        self.rows = [
            dict(row, w=rng.choice(("0", "0.01", "0.5", "1", "7", "1e9")))
            for row in harness.read_csv(self.train)]
        self.new = self.write("new.csv", self.rows)

    def write(self, name, rows, columns=None):
        return harness.write_csv(self.dir / name, rows, columns)

    def without_weights(self):
        return self.write("bare.csv", self.rows,
                          [name for name in self.rows[0] if name != "w"])

    def run_predict(self, path, *options, **keys):
        run = self.run_program(self.model, "predict", path, "--weights",
                               self.weights, *options, **keys)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def sigma2(self):
        """That of each group."""
        summary = json.loads(self.succeed(
            self.model, "summary", "--weights", self.weights,
            "--format=json"))
        return {group["group"]: group["sigma2"] for group in summary["groups"]}

    def check_ends(self, rows, weights, run):
        """Of rows of these weights, whose table has standard errors, too."""
        sigma2 = self.sigma2()
        table = harness.parse_csv(run.stdout)
        for row, weight, got in zip(rows, weights, table, strict=True):
            middle = float(got["prediction"])
            for name, level in LEVELS.items():
                quantile = statistics.NormalDist().inv_cdf((1 + level) / 2)
                half = math.inf if weight == 0 else quantile * math.sqrt(
                    sigma2[row["g"]] / weight + float(got["se"]) ** 2)
                ends = [float(got[f"{side}_{name}"])
                        for side in ("lower", "upper")]
                if math.isinf(half):
                    self.assertEqual(ends, [-half, half])
                else:
                    self.assert_close(ends, [middle - half, middle + half],
                                      1e-12, "end", 1e-12 * half)


class Ends(TestCase):
    def test_ends(self):
        weights = [float(row["w"]) for row in self.rows]
        good = self.run_predict(self.new, "--se", ASKED)
        self.check_ends(self.rows, weights, good)
        self.assertIn(
            f"warning: intervals of {weights.count(0)} of {len(weights)} rows "
            "are infinite: their weights in column 'w' are 0 or too small\n",
            good.stderr)
        self.assertNotIn("missing", good.stderr)
        for options in (["--threads", 3], ["--chunk-rows", 7],
                        ["--stream", "--threads", 2],
                        ["--drop-missing"]):
            run = self.run_predict(self.new, "--se", ASKED, *options)
            self.assertEqual(run.stdout, good.stdout, options)
            self.assertIn(good.stderr, run.stderr)
        # The other columns are those without intervals.
        se = harness.parse_csv(self.run_predict(self.new, "--se").stdout)
        self.assertEqual([{name: row[name] for name in se[0]}
                          for row in harness.parse_csv(good.stdout)], se)

    def test_order(self):
        """Each row has its own weight, wherever it is in the file."""
        table = self.run_predict(self.new, ASKED).stdout.splitlines()[1:]
        order = list(range(len(table)))
        random.Random(2).shuffle(order)
        path = self.write("other.csv", [self.rows[i] for i in order])
        self.assertEqual(
            self.run_predict(path, ASKED).stdout.splitlines()[1:],
            [table[i] for i in order])

    def test_parts_of_a_stream(self):
        """Rows of 16 MB and more are several parts, whose rows are counted
        together."""
        rows = self.rows * 900
        path = self.write("long.csv", rows)
        good = self.run_predict(path, ASKED)
        run = self.run_predict(path, ASKED, "--stream")
        self.assertEqual(run.stdout, good.stdout)
        self.assertEqual(run.stderr, good.stderr)
        count = sum(row["w"] == "0" for row in rows)
        self.assertIn(f"intervals of {count} of {len(rows)} rows", run.stderr)

    def test_weight_of_one(self):
        """It gives the bytes of a file without the column, with a note."""
        ones = self.write("ones.csv", [dict(row, w="1") for row in self.rows])
        good = self.run_predict(ones, "--se", ASKED)
        self.check_ends(self.rows, [1] * len(self.rows), good)
        self.assertNotIn("column 'w'", good.stderr)
        for options in ([], ["--stream"]):
            run = self.run_predict(self.without_weights(), "--se", ASKED,
                                   *options)
            self.assertEqual(run.stdout, good.stdout)
            self.assertEqual(
                run.stderr, good.stderr + "model: note: column 'w' is missing: "
                "intervals are those of rows of weight 1\n")

    def test_files(self):
        """Several give the bytes of one."""
        for folder, path in (("weighted", self.new),
                             ("bare", self.without_weights())):
            (self.dir / folder).mkdir()
            columns = harness.header(path)
            self.write(f"{folder}/0.csv", self.rows[:30], columns)
            self.write(f"{folder}/1.csv", self.rows[30:], columns)
            run = self.run_predict(self.dir / folder / "*.csv", "--se", ASKED)
            good = self.run_predict(path, "--se", ASKED)
            self.assertEqual((run.stdout, run.stderr),
                             (good.stdout, good.stderr))

    def test_extremes(self):
        """No end is NaN."""
        rows = [dict(self.rows[0], w=w)
                for w in ("0", "5e-324", "1e-323", "1e300", "-0")]
        path = self.write("extreme.csv", rows)
        run = self.run_predict(path, "--interval=0.9,0.00000000000000000001")
        for row, weight in zip(harness.parse_csv(run.stdout), (0, 0, 0, 1, 0),
                               strict=True):
            ends = [float(number) for name, number in row.items()
                    if name.startswith(("lower", "upper"))]
            if weight:
                self.assertTrue(all(map(math.isfinite, ends)), ends)
            else:
                self.assertEqual(ends, [-math.inf, math.inf] * 2)
        self.assertIn("intervals of 4 of 5 rows are infinite", run.stderr)

    def test_row_far_away(self):
        """The variance of its prediction is infinite: no weight is to blame."""
        for name, keys in (("weighted", {"weights": "w"}), ("plain", {})):
            self.model = self.compile("y ~ l(a)", name=name, **keys,
                                      **small.KEYS)
            self.weights = self.fit(self.model, self.train, "--inference",
                                    weights=f"{name}.weights")
            rows = [dict(self.rows[0], a="1e200", w="4")]
            for columns in (None, [each for each in rows[0] if each != "w"]):
                path = self.write("far.csv", rows, columns)
                run = self.run_predict(path, "--interval=0.9")
                row, = harness.parse_csv(run.stdout)
                self.assertEqual((row["lower_90"], row["upper_90"]),
                                 ("-inf", "inf"))
                self.assertNotIn("warning", run.stderr)

    def test_column_of_an_effect(self):
        """The column of weights may be an input, too."""
        self.model = self.compile("y ~ l(a) + l(w)", weights="w", name="other",
                                  **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference",
                                weights="other.weights")
        run = self.run_predict(self.new, "--se", ASKED)
        self.check_ends(self.rows, [float(row["w"]) for row in self.rows], run)
        se = self.run_predict(self.new, "--se").stdout
        self.assertEqual([row["prediction"] for row
                          in harness.parse_csv(run.stdout)],
                         [row["prediction"] for row in harness.parse_csv(se)])

    def test_model_without_weights(self):
        """It does not read such a column."""
        self.model = self.compile(FORMULA, name="plain", **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference",
                                weights="plain.weights")
        run = self.run_predict(self.new, "--se", ASKED)
        self.check_ends(self.rows, [1] * len(self.rows), run)
        bare = self.run_predict(self.without_weights(), "--se", ASKED)
        self.assertEqual((run.stdout, run.stderr), (bare.stdout, bare.stderr))


class Faults(TestCase):
    def test_weights_that_are_not_read(self):
        """Other predictions ignore the column, whatever it has."""
        bare = self.without_weights()
        bad = self.write("bad.csv", [
            dict(row, w=w) for row, w in zip(
                self.rows, ["-1", "", "much", "inf"] * len(self.rows))])
        for options in ([], ["--se"], ["--type=terms", "--se"],
                        ["--type=design"], ["--interval=.5",
                                            "--method=conformal"],
                        ["--interval=.5", "--method=conformal-signed"]):
            run = self.run_predict(bad, *options)
            good = self.run_predict(bare, *options)
            self.assertEqual((run.stdout, run.stderr),
                             (good.stdout, good.stderr), options)

    def test_errors(self):
        """They are those of a fit, at the same place."""
        for wrong in ("-1", "-1e-300", "", "NA", "nan", "inf", "much"):
            path = self.write("bad.csv", [
                dict(row, w=wrong if i == 6 else row["w"])
                for i, row in enumerate(self.rows)])
            with self.subTest(weight=wrong):
                expected = self.failure(self.model, "fit", path, "-o", "w",
                                        says=f"{path}: line 8: column 'w'")
                for options in ([], ["--stream"]):
                    got = self.failure(self.model, "predict", path,
                                       "--weights", self.weights, ASKED, "-o",
                                       "out.csv", *options)
                    self.assertEqual(got, expected)
                    self.assertFalse((self.dir / "out.csv").exists())

    def test_missing_weights(self):
        """With --drop-missing, rows are dropped as by a fit."""
        path = self.write("gaps.csv", [
            dict(row, w="" if i in (3, 9) else row["w"])
            for i, row in enumerate(self.rows)])
        run = self.run_predict(path, ASKED, "--drop-missing")
        lines = self.run_predict(self.new, ASKED).stdout.splitlines()
        self.assertEqual(run.stdout.splitlines(),
                         [line for i, line in enumerate(lines)
                          if i not in (4, 10)])
        self.assertIn(f"dropped 2 of {len(self.rows)} rows: missing values in "
                      "'w' (2)", run.stderr)
        # Without intervals there is nothing to drop.
        self.assertEqual(
            self.run_predict(path, "--drop-missing").stdout,
            self.run_predict(self.new, "--drop-missing").stdout)


class Evaluation(TestCase):
    def evaluate(self, path, *options):
        run = self.run_program(self.model, "evaluate", path, "--weights",
                               self.weights, "--format=json", *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("infinite", run.stderr)
        return json.loads(run.stdout)

    def test_measures(self):
        """Those of the intervals of `predict`, without rows of weight 0."""
        table = harness.parse_csv(self.run_predict(self.new, ASKED).stdout)
        kept = [(float(row["w"]), float(row["y"]), got)
                for row, got in zip(self.rows, table, strict=True)
                if row["w"] != "0"]
        total = math.fsum(weight for weight, *_ in kept)
        got = self.evaluate(self.new, ASKED)["all"]
        self.assertEqual(got["rows"], len(kept))
        for measures, name in zip(got["intervals"], LEVELS, strict=True):
            ends = [(weight, y, float(row[f"lower_{name}"]),
                     float(row[f"upper_{name}"])) for weight, y, row in kept]
            self.assert_close(
                [measures["width"], measures["coverage"]],
                [math.fsum(w * (high - low) for w, _, low, high in ends)
                 / total,
                 math.fsum(w * (low <= y <= high) for w, y, low, high in ends)
                 / total], 1e-12, name)

    def test_rows_of_weight_zero(self):
        """Neither their number nor their targets matter."""
        good = self.evaluate(self.new, ASKED)
        other = self.evaluate(self.write("far.csv", [
            dict(row, y="1e9") if row["w"] == "0" else row
            for row in self.rows]), ASKED)
        self.assertEqual(other, good)
        less = self.evaluate(self.write("less.csv", [
            row for row in self.rows if row["w"] != "0"]), ASKED)
        self.assertEqual((less["all"], less["groups"]),
                         (good["all"], good["groups"]))

    def test_conformal(self):
        """Weights play no role for such intervals."""
        asked = ["--interval=0.5", "--method=conformal"]
        ones = self.write("ones.csv", [dict(row, w="1") for row in self.rows])
        tables = [self.run_predict(path, *asked).stdout
                  for path in (self.new, ones)]
        self.assertEqual(*tables)


if __name__ == "__main__":
    harness.main()
