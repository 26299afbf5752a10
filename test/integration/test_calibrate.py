# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fit --calibrate` and `--method=conformal`: which rows are held out; the same
bytes for any threads, chunks and streams; other commands read the weights as if
they had no residuals; errors and damage."""

import json
import math
import os
import random
import struct
import subprocess

import small
import test_inference
from library import Library
from small import harness
from test_inference import CARRY, FORMULA, header_of

NONE = ("expected weights with residuals of held-out rows, which conformal "
        "intervals need, got none; fit again with fit --calibrate")
PREFIX = "inference.calibration."


class TestCase(test_inference.TestCase):
    def calibration(self, path):
        """The residuals in a file, by group."""
        tensors = self.stored(path)
        residuals = list(tensors["calibration.residuals"])
        groups = []
        for count in tensors["calibration.rows"]:
            groups.append(residuals[:int(count)])
            del residuals[:int(count)]
        self.assertEqual(residuals, [])
        return groups

    def plain(self, path):
        """A file's tensors but those of the calibration, and its metadata."""
        header, content = header_of(path.read_bytes())
        metadata = header.pop("__metadata__")
        for key in ("calibration", "checksum"):
            metadata.pop(key, None)
        return metadata, {
            name: (tensor["shape"], content[slice(*tensor["data_offsets"])])
            for name, tensor in header.items() if not name.startswith(PREFIX)}

    def levelled(self, effect="k", **keys):
        """A model with levels of k."""
        profile = harness.write_csv(self.dir / "profile.csv", [
            {"date": "2020-01-01", "g": "A", "a": place, "k": k, "y": 0}
            for place, k in enumerate(("0", "1", "2", "new"))])
        return self.compile(f"y ~ l(a)+c({effect})", "--profile", profile,
                            "--rows-per-level=0", **keys)

    def dated(self, rows=60, groups=("A", "B"), seed=1):
        rng = random.Random(seed)
        return [{"date": f"2020-{1 + day // 28:02}-{1 + day % 28:02}",
                 "g": group, "a": f"{rng.uniform(-1, 2):.4f}",
                 "k": str(day % 3), "y": f"{rng.gauss(0, 1):.4f}"}
                for group in groups for day in range(rows)]

    def check_split(self, model, rows, split, held_out, *options, name="g"):
        """Checks that the rows that satisfy held_out(row) are held out."""
        path = harness.write_csv(self.dir / "all.csv", rows)
        weights = self.fit(model, path, f"--calibrate={split}", *options)
        fitted = harness.write_csv(
            self.dir / "fitted.csv", [row for row in rows if not held_out(row)])
        alone = self.fit(model, fitted, *options, weights="alone")
        self.assertEqual(self.plain(weights), self.plain(alone))
        rest = harness.write_csv(self.dir / "rest.csv",
                                 [row for row in rows if held_out(row)])
        expected = {}
        table = harness.read_csv(self.predict(
            model, rest, alone,
            *(option for option in options if option == "--drop-missing")))
        kept = [row for row in harness.read_csv(rest) if all(row.values())]
        for row, got in zip(kept, table, strict=True):
            expected.setdefault(row.get(name, ""), []).append(
                float(row["y"]) - float(got["prediction"]))
        self.assertEqual(self.calibration(weights),
                         [sorted(expected[group]) for group in
                          sorted(expected)])
        metadata = header_of(weights.read_bytes())[0]["__metadata__"]
        self.assertEqual(json.loads(metadata["calibration"]), {"split": split})
        return weights


class Splits(TestCase):
    def test_share(self):
        model = self.levelled(**small.KEYS)
        for count, share, last in ((60, "0.2", 12), (60, "0.29", 17),
                                   (10, "0.3", 3), (100, ".29", 29),
                                   (7, "0.9", 6), (50, "2e-2", 1)):
            with self.subTest(share=share):
                rows = self.dated(count)
                dates = sorted({row["date"] for row in rows})[-last:]
                for shuffled in (False, True):
                    if shuffled:
                        random.Random(2).shuffle(rows)
                    self.check_split(model, rows, share,
                                     lambda row, dates=dates: row["date"]
                                     in dates)

    def test_share_of_each_group(self):
        """Groups of different sizes and times."""
        model = self.levelled(**small.KEYS)
        rows = self.dated(60, ("B",)) + self.dated(13, ("A",), 3)
        last = {group: sorted(row["date"] for row in rows
                              if row["g"] == group)[-count:]
                for group, count in (("A", 3), ("B", 15))}
        for seed in range(3):
            self.check_split(model, rows, "0.25",
                             lambda row: row["date"] in last[row["g"]])
            random.Random(seed).shuffle(rows)

    def test_share_without_dates(self):
        """The order of the file counts."""
        for keys in ({}, {"group": "g"}):
            model = self.levelled(**keys)
            rows = self.dated(40)
            random.Random(1).shuffle(rows)
            for place, row in enumerate(rows):
                row["n"] = str(sum(1 for other in rows[:place] if not keys or
                                   other["g"] == row["g"]))
            first = 30 if keys else 60
            self.check_split(model, rows, "0.25",
                             lambda row, first=first: int(row["n"]) >= first,
                             name="g" if keys else "none")

    def test_same_dates(self):
        """Of rows of one date the first of the file come first."""
        model = self.compile("y ~ l(a)", date="date")
        rows = [{"date": 5, "a": a, "y": a * a, "n": a} for a in range(20)]
        rows[10]["date"] = rows[0]["date"] = 6
        for row in rows:
            row["late"] = row["n"] in (0, 10, 17, 18, 19)
        self.check_split(model, rows, "0.25", lambda row: row["late"],
                         name="none")

    def test_date(self):
        model = self.levelled(**small.KEYS)
        rows = self.dated(84)
        for split, first in (("2020-03-01", "2020-03-01"),
                             ("2020-03", "2020-03-01"),
                             ("2020-02-13T00:00:01", "2020-02-14"),
                             ("2020-01-02", "2020-01-02")):
            with self.subTest(split=split):
                self.check_split(model, rows, split,
                                 lambda row, first=first: row["date"] >= first)
                random.Random(4).shuffle(rows)

    def test_number_as_date(self):
        model = self.compile("y ~ l(a)", date="date")
        rows = [{"date": day + .5, "a": day % 7, "y": day % 5}
                for day in range(-20, 20)]
        for split, first in (("10", 10), ("9.5", 9.5), ("-3", -3), ("1", 1)):
            self.check_split(model, rows, split,
                             lambda row, first=first: row["date"] >= first,
                             name="none")

    def test_value(self):
        model = self.levelled(**small.KEYS)
        rows = self.dated(40)
        rng = random.Random(9)
        for row in rows:
            row["split"] = rng.choice(("calib", "fit", "fit", "later"))
            row["flag"] = rng.choice(("0", "1.0"))
            row["long column, 'quoted'"] = rng.choice(("a=b", "a"))
        for split, column, value in (
                ("split=calib", "split", "calib"), ("flag=1", "flag", "1.0"),
                ("long column, 'quoted'=a=b", "long column, 'quoted'", "a=b"),
                ("k=2", "k", "2")):
            with self.subTest(split=split):
                self.check_split(
                    model, rows, split,
                    lambda row, column=column, value=value:
                    row[column] == value)

    def test_dropped_rows(self):
        """They count on neither side; also where it is known only at the end
        that a group or a level is missing."""
        model = self.levelled(**small.KEYS)
        rows = self.dated(40, ("1", "2.0"))
        rng = random.Random(6)
        for row in rows:
            if row["g"] == "2.0" and rng.random() < .5:
                row["g"] = "2"
        for gap in ({"a": ""}, {"y": ""}, {"k": "NA"}, {"g": "NA"}):
            with self.subTest(gap=gap):
                gaps = list(rows)
                for _ in range(6):
                    at = rng.randrange(len(gaps))
                    gaps.insert(at, dict(gaps[at], **gap))
                path = harness.write_csv(self.dir / "gaps.csv", gaps)
                # Which of the equal rows is dropped does not matter.
                good = harness.write_csv(self.dir / "good.csv", rows)
                for split in ("0.2", "2020-02-05", "k=1"):
                    expected = self.fit(model, good, f"--calibrate={split}")
                    for options in ([], ["--stream"], ["--threads=1"]):
                        run = self.run_program(
                            model, "fit", path, "-o", "other",
                            f"--calibrate={split}", "--drop-missing", *options)
                        self.assertEqual(run.returncode, 0, run.stderr)
                        self.assertIn("dropped 6 of 86 rows: missing values in "
                                      f"'{next(iter(gap))}' (6)", run.stderr)
                        self.assertEqual(
                            (self.plain(self.dir / "other")[1],
                             self.calibration(self.dir / "other")),
                            (self.plain(expected)[1],
                             self.calibration(expected)), (split, options))

    def test_levels_of_the_fit(self):
        """A level that only held-out rows have is not trained."""
        model = self.levelled("k,unseen='mean'", **small.KEYS)
        rows = self.dated(30)
        for row in rows:
            if row["date"] > "2020-01-26":
                row["k"] = "new"
        self.check_split(model, rows, "2020-01-21",
                         lambda row: row["date"] >= "2020-01-21")

    def test_with_other_options(self):
        """Inference and penalties are those of the fitted rows."""
        model = self.levelled(**small.KEYS)
        rows = self.dated()
        for options in (["--inference"], ["--ap=a=2"], ["--stream"],
                        ["--inference", "--stream"]):
            self.check_split(model, rows, "2020-02-20",
                             lambda row: row["date"] >= "2020-02-20", *options)
        path = harness.write_csv(self.dir / "all.csv", rows)
        fitted = harness.write_csv(
            self.dir / "fitted.csv",
            [row for row in rows if row["date"] < "2020-02-20"])
        one = self.succeed(model, "tune", path, "-o", "one",
                           "--calibrate=2020-02-20")
        self.assertEqual(one, self.succeed(model, "tune", fitted, "-o",
                                           "other"))
        self.assertEqual(self.plain(self.dir / "one"),
                         self.plain(self.dir / "other"))
        self.assertEqual(len(self.calibration(self.dir / "one")), 2)

    def test_row_weights(self):
        """Rows of weight 0 have no residual; others have one each."""
        rows = self.dated(40)
        for place, row in enumerate(rows):
            row["w"] = (0, 1, .5)[place % 3]
        model = self.compile("y ~ l(a)", weights="w", **small.KEYS)
        path = harness.write_csv(self.dir / "all.csv", rows)
        weights = self.fit(model, path, "--calibrate=0.3")
        late = sorted({row["date"] for row in rows})[-12:]
        table = harness.read_csv(self.predict(model, path, weights))
        expected = {"A": [], "B": []}
        for row, got in zip(rows, table, strict=True):
            if row["date"] in late and row["w"]:
                expected[row["g"]].append(float(row["y"])
                                          - float(got["prediction"]))
        self.assertEqual(self.calibration(weights),
                         [sorted(one) for one in expected.values()])


class Bytes(TestCase):
    def test_runs(self):
        rows = harness.read_csv(self.weighted())
        train = harness.write_csv(self.dir / "train.csv", rows)
        shuffled = list(rows)
        random.Random(1).shuffle(shuffled)
        disorder = harness.write_csv(self.dir / "disorder.csv", shuffled)
        for formula, keys in ((FORMULA, {}), (CARRY, {"weights": "w"})):
            model = self.compile(formula, **small.KEYS, **keys)
            for split in ("0.3", "2015-02-01", "w=0.25"):
                if split.startswith("w") and formula == CARRY:
                    continue
                fit = ["--inference", f"--calibrate={split}"]
                good = self.fit(model, train, *fit, "--threads", 1)
                for options in (
                        ["--threads", 2], ["--threads", 5],
                        ["--chunk-rows", 1], ["--stream"],
                        ["--stream", "--chunk-rows", 7, "--threads", 3],
                        ["--memory", "600M"]):
                    for path in (train, disorder):
                        other = self.fit(model, path, *fit, *options,
                                         weights="other")
                        self.assertTrue(
                            other.read_bytes() == good.read_bytes(),
                            (split, options, path))
                for method in ("conformal", "conformal-signed"):
                    command = ["predict", train, "--weights", good,
                               "--interval=.5,.8", f"--method={method}"]
                    expected = self.succeed(model, *command, "--threads", 1)
                    for options in (["--threads", 3], ["--chunk-rows", 1],
                                    ["--stream"]):
                        self.assertEqual(
                            self.succeed(model, *command, *options), expected,
                            (split, options))

    def test_large_file(self):
        """In parts, and in blocks on several threads."""
        train = small.generate(self.dir / "train.csv", "--groups", 30, "--days",
                               4000)
        model = self.compile("y ~ l(a)+s(c,k=5)+c(d,n_cat=7)", **small.KEYS)
        for split, kept in (("0.2", 4 * 30 * 4000), ("2023-01-01", 0),
                            ("d=6", 0)):
            fit = ["fit", train, f"--calibrate={split}", "-o"]
            self.succeed(model, *fit, "one", "--threads", 1)
            run = self.run_program(model, *fit, "other", "--threads", 4,
                                   "--stream")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(f"--stream keeps {kept} bytes" in run.stderr,
                             kept > 0, run.stderr)
            self.assertTrue((self.dir / "one").read_bytes()
                            == (self.dir / "other").read_bytes(), split)

    def test_message(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        path = harness.write_csv(self.dir / "all.csv", self.dated(60))
        run = self.run_program(model, "fit", path, "-o", "w",
                               "--calibrate=0.25", "--timings")
        self.assertIn("model: note: --calibrate held out 30 of 120 rows: the "
                      "coefficients are those of the others; it adds "
                      f"{8 * 30 + 8 * 2} bytes to the weights\n", run.stderr)
        self.assertRegex(run.stderr, r"(?m)^split +\d")
        self.assertRegex(run.stderr, r"(?m)^calibrate +\d")


class OtherReaders(TestCase):
    def test_commands(self):
        model = self.levelled(**small.KEYS)
        rows = self.dated()
        path = harness.write_csv(self.dir / "all.csv", rows)
        weights = self.fit(model, path, "--calibrate=k=2", "--inference")
        alone = self.fit(model, harness.write_csv(
            self.dir / "fitted.csv", [row for row in rows if row["k"] != "2"]),
            "--inference", weights="alone")
        for command in self.commands(path, alone).values():
            other = [weights if each == alone else each for each in command]
            self.assertEqual(self.succeed(model, *other),
                             self.succeed(model, *command), command)

    def test_library(self):
        """It takes the weights, with and without inference."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        path = harness.write_csv(self.dir / "all.csv", self.dated())
        library = Library(self)
        for options in ([], ["--inference"]):
            weights = self.fit(model, path, "--calibrate=0.2", *options)
            self.assertEqual(library.load(weights.read_bytes()), 0)


class Errors(TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.levelled(**small.KEYS)
        self.rows = self.dated()
        self.train = harness.write_csv(self.dir / "train.csv", self.rows)

    def refuse(self, split, says, train=None, model=None, **options):
        self.failure(model or self.model, "fit", train or self.train, "-o", "w",
                     f"--calibrate={split}", says=says, **options)
        self.assertFalse((self.dir / "w").exists())
        self.failure(model or self.model, "fit", train or self.train, "-o", "w",
                     f"--calibrate={split}", "--stream", says=says, **options)

    def test_split(self):
        for wrong in ("calib", "1/2", "20%", "2013-13-01", "=calib", "NA",
                      "nan", "inf", "0.2,0.3"):
            self.refuse(wrong, "--calibrate: expected a share between 0 and 1, "
                               "a date, or a column and a value such as "
                               f"split=calib, got '{wrong}'")
        self.failure(self.model, "fit", self.train, "-o", "w", "--calibrate=",
                     says="expected a value of --calibrate")

    def test_format_of_the_date(self):
        says = (f"{self.train}: column 'date': expected dates of the format of "
                "--calibrate={}, got others")
        for split in ("0", "1", "1.5", "-0.2"):
            self.refuse(split, says.format(split)
                        + "; a share is between 0 and 1\n")
        split = "2020-01-20T00:00Z"
        self.refuse(split, says.format(split) + "\n")

    def test_sides(self):
        side = ("expected some of the rows held out by --calibrate={}, and "
                "some not, got {} of {}")
        for split, out in (("2021-01-01", 0), ("2019-01-01", 60), ("k=5", 0),
                           ("0.01", 0)):
            self.refuse(split, f"{self.train}: group 'A': "
                        + side.format(split, out, 60))
        few = harness.write_csv(
            self.dir / "few.csv", self.rows + self.dated(2, ("0",)))
        self.refuse("0.2", "group '0': " + side.format("0.2", 0, 2), few)
        self.refuse("2020-01-05", "group '0': "
                    + side.format("2020-01-05", 0, 2), few)
        plain = self.compile("y ~ l(a)", date="date", name="model")
        self.refuse("2021-01-01", f"{self.train}: "
                    + side.format("2021-01-01", 0, 120), model=plain)

    def test_columns(self):
        self.refuse("split=calib", "'split'")
        plain = self.compile("y ~ l(a)", group="g", name="model")
        self.refuse("2020-01-20", "expected a share between 0 and 1, or a "
                                  "column and a value, as --calibrate of a "
                                  "model without a date column, got 2020-01-20",
                    model=plain)

    def test_data_that_cannot_be_read_twice(self):
        with open(self.train, "rb") as file:
            self.refuse("0.2", "expected a file for --calibrate, which is read "
                               "several times, got standard input", "-",
                        stdin=file)
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        for options in ([], ["--stream"]):
            with subprocess.Popen(["cp", self.train, pipe]) as writer:
                self.failure(self.model, "fit", pipe, "-o", "w",
                             "--calibrate=0.2", *options,
                             says="--calibrate reads the data several times")
                writer.wait()

    def test_no_weight(self):
        rows = [dict(row, w=int(row["g"] == "A" or row["date"] < "2020-02"))
                for row in self.rows]
        path = harness.write_csv(self.dir / "weights.csv", rows)
        model = self.compile("y ~ l(a)", weights="w", name="model",
                             **small.KEYS)
        self.refuse("2020-02-01", f"{path}: group 'B': expected a held-out row "
                                  "of positive weight, got none", path, model)

    def test_bad_rows(self):
        """Of either side."""
        for place in (3, 55):
            rows = [dict(row) for row in self.rows]
            rows[place]["a"] = "abc"
            path = harness.write_csv(self.dir / "bad.csv", rows)
            self.refuse("0.2", f"{path}: line {place + 2}: column 'a'", path)
        for row in rows:
            row["y"] = 1e6 * float(row["y"])
        rows[55]["a"] = "1e307"
        path = harness.write_csv(self.dir / "bad.csv", rows)
        model = self.compile("y ~ l(a,ap=-30)", name="model", **small.KEYS)
        self.refuse("0.2", f"{path}: line 57: group 'A'", path, model)

    def test_file_that_changes(self):
        """It gets longer or shorter between two readings."""
        lines = [f"{i},{i % 97},{i % 11}\n" for i in range(1_200_000)]
        train = self.dir / "long.csv"
        model = self.compile("y ~ l(a)+s(a,k=20)", date="date", name="model")
        for change in (lambda file: file.write("9999999,1,5\n"),
                       lambda file: file.truncate(len("date,a,y\n" + "".join(
                           lines[:-9])))):
            train.write_text("date,a,y\n" + "".join(lines))
            status, said = harness.run_with_change(
                [model, "fit", train, "-o", self.dir / "w", "--stream",
                 "--calibrate=0.2", "--threads", "1"], train, change,
                self.dir / "w")
            self.assertEqual(status, 1, said)
            self.assertIn("the file has changed meanwhile", said)
            self.assertFalse((self.dir / "w").exists())

    def test_conformal_intervals(self):
        for options in ([], ["--inference"]):
            weights = self.fit(self.model, self.train, *options)
            for method in ("conformal", "conformal-signed"):
                for command in ("predict", "evaluate"):
                    self.failure(self.model, command, self.train, "--weights",
                                 weights, "--interval=.9",
                                 f"--method={method}", "-o", "out",
                                 says=f"{weights}: {NONE}")
        weights = self.fit(self.model, self.train, "--calibrate=0.2")
        said = ["--weights", weights]
        self.failure(self.model, "predict", self.train, *said,
                     "--interval=.9", says=test_inference.NONE)
        self.failure(self.model, "predict", self.train, *said,
                     "--method=conformal",
                     says="expected --interval with --method=conformal")
        self.failure(self.model, "predict", self.train, *said,
                     "--interval=.9", "--method=split",
                     says="--method: expected gaussian, conformal or "
                          "conformal-signed, got 'split'")
        self.failure(self.model, "decompose", self.train, *said,
                     "--method=conformal", says="--method")

    def test_both(self):
        """Standard errors beside conformal intervals."""
        weights = self.fit(self.model, self.train, "--calibrate=0.2",
                           "--inference")
        both, errors, ends = (
            harness.parse_csv(self.succeed(
                self.model, "predict", self.train, "--weights", weights,
                *options))
            for options in (["--se", "--interval=.9", "--method=conformal"],
                            ["--se"], ["--interval=.9", "--method=conformal"]))
        for row, one, other in zip(both, errors, ends, strict=True):
            self.assertEqual(row, one | other)

    def test_infinite(self):
        rows = self.rows + self.dated(5, ("few",)) + self.dated(5, ("less",))
        path = harness.write_csv(self.dir / "few.csv", rows)
        weights = self.fit(self.model, path, "--calibrate=0.2")
        command = ["predict", path, "--weights", weights, "-o", "out.csv"]
        for options, warnings in (
                (["--interval=.9,.5", "--method=conformal"],
                 ["intervals of level 0.9 are infinite in 2 groups: expected at "
                  "least 9 held-out rows, got 1 in group 'few'"]),
                (["--interval=.9,.5", "--method=conformal-signed"],
                 ["intervals of level 0.9 are infinite in 4 groups: expected at "
                  "least 19 held-out rows, got 12 in group 'A'",
                  "intervals of level 0.5 are infinite in 2 groups: expected at "
                  "least 3 held-out rows, got 1 in group 'few'"])):
            run = self.run_program(self.model, *command, *options)
            self.assertEqual(run.returncode, 0)
            self.assertEqual(
                [line for line in run.stderr.splitlines() if "note" not in line],
                [f"model: warning: {warning}" for warning in warnings])
            for row in harness.read_csv(self.dir / "out.csv"):
                if row["g"] in ("few", "less"):
                    self.assertEqual((row["lower_90"], row["upper_90"]),
                                     ("-inf", "inf"))
        # Groups that are not predicted do not matter.
        path = harness.write_csv(self.dir / "one.csv", [
            row for row in rows if row["g"] in ("A", "less")])
        run = self.run_program(self.model, "predict", path, "--weights",
                               weights, "--interval=.9", "--method=conformal")
        self.assertTrue(run.stderr.endswith(
            "model: warning: intervals of level 0.9 are infinite in group "
            "'less': expected at least 9 held-out rows, got 1\n"), run.stderr)

    def test_lists_of_levels(self):
        weights = self.fit(self.model, self.train, "--inference",
                           "--calibrate=.5")
        for command in ("predict", "evaluate"):
            said = [command, self.train, "--weights", weights]
            for wrong, part in (("0.9,", ""), (",0.9", ""), ("0.9,,0.5", ""),
                                (",", ""), ("0.5,1.5", "1.5"),
                                ("0.5, 0.9", " 0.9"), ("0.5,-.1", "-.1")):
                for given in ([f"--interval={wrong}"], ["--interval", wrong]):
                    self.failure(
                        self.model, *said, *given,
                        says="--interval: expected levels between 0 and 1 in "
                             f"digits, such as 0.9, got '{part}'")
            self.failure(self.model, *said, "--interval=.9", "--interval=.90",
                         says="--interval: .90: expected once, got twice")

    def test_help(self):
        for command, options in (("fit", ["--calibrate SPLIT"]),
                                 ("tune", ["--calibrate SPLIT"]),
                                 ("predict", ["--method NAME=gaussian"])):
            text = self.succeed(self.model, command, "--help")
            for option in options:
                self.assertRegex(text, rf"(?m)^  {option} ", command)
        text = " ".join(self.succeed(self.model, "fit", "--help").split())
        self.assertIn("the coefficients are those of the other rows alone",
                      text)
        self.assertNotIn("--method", self.succeed(self.model, "decompose",
                                                  "--help"))


class Damage(TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.levelled(**small.KEYS)
        self.train = harness.write_csv(self.dir / "train.csv", self.dated())
        self.good = self.fit(self.model, self.train,
                             "--calibrate=0.2").read_bytes()
        self.bad = self.dir / "bad.safetensors"

    def check(self, content, says):
        self.bad.write_bytes(harness.seal(content))
        for command in ("predict", "evaluate"):
            for method in ("conformal", "conformal-signed"):
                error = self.failure(
                    self.model, command, self.train, "--weights", self.bad,
                    "--interval=.8", f"--method={method}", says=str(self.bad))
                self.assertIn(says, error)

    def changed(self, tensor, index, number):
        content = bytearray(self.good)
        header, _ = header_of(content)
        first, _ = header[PREFIX + tensor]["data_offsets"]
        start = 8 + struct.unpack_from("<Q", content)[0]
        struct.pack_into("<d", content, start + first + 8 * index, number)
        return bytes(content)

    def edited(self, edit):
        header, content = header_of(self.good)
        edit(header)
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        return struct.pack("<Q", len(text)) + text + content

    def test_numbers(self):
        for number in (math.nan, math.inf, -math.inf, 1e300):
            self.check(self.changed("residuals", 3, number),
                       f"tensor '{PREFIX}residuals': expected finite numbers, "
                       "ascending in each group")
        for number in (math.nan, math.inf, 0, -1, 2.5, 25):
            self.check(self.changed("rows", 0, number),
                       f"tensor '{PREFIX}rows': expected numbers of residuals")
        self.check(self.changed("rows", 1, 11.0),
                   f"tensor '{PREFIX}rows': expected 24 residuals in all, got "
                   "23")

    def test_headers(self):
        for wrong in ("", "[]", "3", "{", "null", "{}", '{"split": 1}'):
            self.check(self.edited(lambda header, wrong=wrong: header[
                "__metadata__"].update(calibration=wrong)), "calibration")
        self.check(self.edited(lambda header: header["__metadata__"].pop(
            "calibration") and None), NONE)
        self.check(self.edited(lambda header: header.update(
            {"elsewhere": header.pop(PREFIX + "rows")})), PREFIX + "rows")
        self.check(self.edited(lambda header: header[
            PREFIX + "residuals"].update(shape=[2, 12])), PREFIX + "residuals")
        self.check(self.edited(lambda header: header[
            PREFIX + "rows"].update(dtype="I64")), PREFIX + "rows")

    def test_flips(self):
        draw = random.Random(3)
        for bit in draw.sample(range(8 * len(self.good)), 30):
            content = bytearray(self.good)
            content[bit // 8] ^= 1 << bit % 8
            self.bad.write_bytes(content)
            self.failure(self.model, "predict", self.train, "--weights",
                         self.bad, "--interval=.8", "--method=conformal",
                         says=str(self.bad))


if __name__ == "__main__":
    harness.main()
