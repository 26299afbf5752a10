# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a fit can do with the sums of all parts, without rows: choose
penalties, and store what standard errors need. Penalties and coefficients have
the bytes of those of one file."""

import json
import math
import os
import random
import subprocess

import small
from small import harness

import parts
from parts import SEGMENT

FORMULA = "y ~ l(a) + s(d, k=9)"


def write_rows(path, *sizes, weights=False):
    """Rows of groups of these sizes, whose best penalties are inside of the
    bounds."""
    rng = random.Random(sum(sizes))
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,g,a,d,y" + (",w" if weights else "") + "\n")
        for group, size in enumerate(sizes):
            for i in range(size):
                a, d = math.sin(i), i * 7919 % 9973 / 9973
                y = math.sin(6 * d + group) + a / 3 + rng.gauss(0, .4)
                weight = f",{rng.choice((0, .3, 1, 2.5))}" if weights else ""
                file.write(f"{i},{group},{a:.6f},{d:.5f},{y:.6f}{weight}\n")
    return path


class TestCase(parts.TestCase):
    def sums_of(self, model, train, count, seed=1, **options):
        """The merged sums of parts by split."""
        files = self.split(model, train, count)
        return self.sum_parts(model, files, random.Random(seed), **options)[1]

    def tune(self, model, source, *options):
        """What tune prints, and the weights' bytes."""
        weights = self.dir / "tuned"
        weights.unlink(missing_ok=True)
        told = self.succeed(model, "tune", source, "-o", weights, *options)
        return told, weights.read_bytes()


class Tune(TestCase):
    def check(self, model, train, counts, *options, **how):
        whole = self.tune(model, train, *options)
        for count in counts:
            with self.subTest(parts=count, options=options):
                merged = self.sums_of(model, train, count, **how)
                self.assertEqual(self.tune(model, merged, *options), whole)
        return whole

    def test_one_group(self):
        model = self.compile(FORMULA, date="date")
        train = write_rows(self.dir / "train.csv", 5 * SEGMENT + 77)
        tuned = self.check(model, train, (1, 2, 6))
        self.check(model, train, (3,), "--criterion", "reml")
        # The rows are read in pieces.
        self.assertEqual(self.tune(model, train, "--stream"), tuned)
        # The search has moved.
        self.assertNotEqual(tuned[1], self.fit(model, train).read_bytes())

    def test_groups(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_rows(self.dir / "train.csv", 9000, 300, SEGMENT, 2, 40)
        for criterion in "gcv", "reml":
            for each in [], ["--per-group"]:
                self.check(model, train, (1, 3), "--criterion", criterion,
                           *each)
        self.check(model, train, (2,), "--bounds=-8,2", "--gamma", 1,
                   "--cycles", 2, "--format", "json")
        self.check(model, train, (2,), "--threads", 1,
                   sums=["--stream", "--threads", 3])

    def test_row_weights(self):
        # Some are 0: their rows count for penalties alone.
        model = self.compile(FORMULA, weights="w", **small.KEYS)
        train = write_rows(self.dir / "train.csv", 9000, 300, weights=True)
        for options in [], ["--criterion", "reml", "--per-group"]:
            self.check(model, train, (1, 3), *options)

    def test_sums_by_levels(self):
        train = write_rows(self.dir / "train.csv", 9000, 600)
        rows = train.read_text().replace(".", ".0")
        train.write_text(rows)
        grid = write_rows(self.dir / "grid.csv", 9000, 600)
        # All values are on a grid.
        lines = [line.split(",") for line in grid.read_text().splitlines()]
        for line in lines[1:]:
            line[3] = str(int(float(line[3]) * 20) / 20)
        grid.write_text("".join(",".join(line) + "\n" for line in lines))
        model = self.compile("y ~ s(d, k=9)", "--profile", grid, **small.KEYS)
        for data in grid, train:
            self.check(model, data, (1, 3))

    def test_parts_cut_at_random(self):
        """Penalties agree, but for the rounding errors of the score."""
        model = self.compile(FORMULA, date="date")
        train = write_rows(self.dir / "train.csv", 3 * SEGMENT)
        files = self.cut(train, 4, random.Random(5))
        merged = self.sum_parts(model, files, random.Random(1))[1]
        whole, other = (
            json.loads(self.tune(model, source, "--criterion", "reml",
                                 "--format", "json")[0])
            for source in (train, merged))
        self.assert_close([other["score"]], [whole["score"]], 1e-9)
        self.assert_close([each["ap"] for each in other["coordinates"]],
                          [each["ap"] for each in whole["coordinates"]], 1e-4)

    def test_what_needs_rows(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_rows(self.dir / "train.csv", 900, 30)
        merged = self.sums_of(model, train, 2)
        for name, options in (("--stream", ["--stream"]),
                              ("--calibrate", ["--calibrate", ".2"]),
                              ("--drop-missing", ["--drop-missing"]),
                              ("--chunk-rows", ["--chunk-rows", 7]),
                              ("--sep, --decimal or --missing",
                               ["--sep", ";"]),
                              ("--sep, --decimal or --missing",
                               ["--missing", "none"])):
            run = self.run_program(model, "tune", merged, "-o", "w", *options)
            self.assertEqual(run.returncode, 1, options)
            self.assertRegex(run.stderr, f"error: expected no {name} with "
                             "sums, got '.*', which has no rows\n$")
        run = self.run_program(model, "tune", self.fit(model, train), "-o",
                               "w")
        self.assertIn("expected a file of format 'tamc survey 2' or "
                      "'tamc sums 3', got 'tamc weights 2'", run.stderr)
        self.assertFalse((self.dir / "w").exists())

    def test_older_files(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_rows(self.dir / "train.csv", 900, 30)
        survey = self.dir / "old.survey"
        self.succeed(model, "survey", train, "-o", survey)
        sums = self.sums_of(model, train, 2)
        good = {path: path.read_bytes() for path in (survey, sums)}
        for path, old, new, what in (
                (sums, "tamc sums 1", "tamc sums 3", "which lack the sums of "
                 "the target; sum the parts again"),
                (sums, "tamc sums 2", "tamc sums 3", "which lack what the "
                 "rows are checked by; survey and sum the parts again"),
                (survey, "tamc survey 1", "tamc survey 2", "which lacks what "
                 "the rows are checked by; survey the parts again")):
            path.write_bytes(harness.seal(
                good[path].replace(new.encode(), old.encode())))
            for command in "solve", "tune", "merge":
                run = self.run_program(model, command, path, "-o", "w")
                self.assertEqual(run.returncode, 1)
                self.assertEqual(
                    run.stderr,
                    f"model: error: {path}: expected format 'tamc sums 3' or "
                    f"'tamc survey 2', got the older '{old}', {what}\n")


class Inference(TestCase):
    def summary(self, model, weights):
        return json.loads(self.succeed(model, "summary", "--weights",
                                       weights, "--format", "json"))

    def compare(self, whole, solved):
        """Compares two summaries; returns the fields that are missing."""
        missing = set()
        for a, b in zip(whole["groups"], solved["groups"]):
            pairs = [(a, b)] + list(zip(a["effects"], b["effects"]))
            for of, got in pairs:
                for key, value in of.items():
                    if key == "effects" or isinstance(value, (str, list)):
                        continue
                    if got[key] is None and value is not None:
                        missing.add(key)
                    elif value is None:
                        self.assertIsNone(got[key], key)
                    else:
                        self.assertLess(abs(got[key] - value),
                                        1e-8 * (1 + abs(value)), key)
        return missing

    def check(self, model, train, counts=(1, 3)):
        whole = self.fit(model, train, "--inference", weights="whole")
        for count in counts:
            merged = self.sums_of(model, train, count)
            solved = self.dir / "solved"
            self.succeed(model, "solve", merged, "-o", solved, "--inference")
            self.assertEqual(
                self.compare(self.summary(model, whole),
                             self.summary(model, solved)),
                {"mape", "nmae", "acf1", "drift", "low", "high"})
            self.assertNotIn("inf", self.succeed(
                model, "summary", "--weights", solved))
            tables = []
            for weights in whole, solved:
                out = self.predict(model, train, weights, "--se",
                                   "--interval", .9)
                tables.append([[float(row[key]) for key in
                                ("prediction", "se", "lower_90", "upper_90")]
                               for row in harness.read_csv(out)])
            for got, good in zip(tables[1], tables[0]):
                self.assert_close(got, good, 1e-9)
        return merged

    def test_groups(self):
        model = self.compile(FORMULA + " + te(s(a, k=4), s(d, k=4))",
                             **small.KEYS)
        train = write_rows(self.dir / "train.csv", 9000, 300, 60)
        merged = self.check(model, train)
        # Pipes have no places.
        run = subprocess.run([model, "solve", merged, "-o", "-",
                              "--inference"], cwd=self.dir,
                             capture_output=True, check=True)
        self.assertEqual(run.stdout, (self.dir / "solved").read_bytes())

    def test_row_weights(self):
        model = self.compile(FORMULA, weights="w", **small.KEYS)
        self.check(model, write_rows(self.dir / "train.csv", 9000, 300,
                                     weights=True))

    def test_tune(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_rows(self.dir / "train.csv", 9000, 300)
        merged = self.sums_of(model, train, 2)
        tuned = []
        for source in train, merged:
            self.tune(model, source, "--inference", "--per-group")
            tuned.append(self.summary(model, self.dir / "tuned"))
        self.compare(*tuned)


class Devices(TestCase):
    def test_solve(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_rows(self.dir / "train.csv", 9000, 300)
        merged = self.sums_of(model, train, 2)
        environment = dict(os.environ, TAMRT_LOG="debug",
                           TAMRT_BACKEND_PATH=str(
                               harness.BUILD / "test" / "backends"))
        for command in ["solve"], ["solve", "--inference"], ["tune"]:
            self.succeed(model, *command, merged, "-o", "here")
            run = self.run_program(model, *command, merged, "-o", "there",
                                   "--device", "sim", env=environment)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stderr, r"debug: sim: .*, [1-9]\d* kernels")
            self.assertEqual((self.dir / "there").read_bytes(),
                             (self.dir / "here").read_bytes())


if __name__ == "__main__":
    harness.main()
