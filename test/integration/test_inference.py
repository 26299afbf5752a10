# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fit --inference` and what reads its weights: the same bytes for any threads,
chunks and streams; other commands read the weights as if they had no inference;
errors and damage. test_inference_devices.py runs it on devices,
test_inference_memory.py in little memory."""

import json
import math
import os
import random
import re
import statistics
import struct

import small
from library import Library
from small import harness

# Every encoding, with tables, and with the rows before a row.
FORMULA = ("y ~ l(a)+f(b,m=3)+s(c,k=5)+c(d,n_cat=7)+t(a,n_trees=3,max_depth=2)"
           "+w(b,n_scales=2,n_locations=4)+rbf(c,n_centers=4)"
           "+te(s(a,k=3),c(d,n_cat=7))")
CARRY = FORMULA + "+pid(b,w=3)"
NOT_FINITE = re.compile(r"\b(nan|inf|NaN|Infinity)\b")
# What --se, --interval and summary need and a fit without --inference leaves
# out.
NONE = "expected weights with inference, got none; fit again with --inference"


def header_of(weights):
    """The header of a weights file, and the bytes after it."""
    size, = struct.unpack_from("<Q", weights)
    return json.loads(weights[8:8 + size]), weights[8 + size:]


class TestCase(harness.TestCase):
    def weighted(self, days=40, groups=3):
        """Rows with weights, of which some are 0."""
        rng = random.Random(3)
        path = small.generate(self.dir / "train.csv", "--days", days,
                              "--groups", groups)
        rows = [dict(row, w=rng.choice(("0", "0.25", "1", "3")))
                for row in harness.read_csv(path)]
        return harness.write_csv(path, rows)

    def commands(self, train, weights):
        """Commands that read inference; all but the last two have rows."""
        said = ["--weights", weights]
        return {
            "predict": ["predict", train, *said, "--se", "--interval=0.9,.5"],
            "interval": ["predict", train, *said, "--interval=0.95"],
            "terms": ["predict", train, *said, "--type=terms", "--se"],
            "decompose": ["decompose", train, *said, "--se"],
            "coefficients": ["coefficients", *said, "--se"],
            "summary": ["summary", *said],
            "json": ["summary", *said, "--format=json"]}

    def rows_of(self, train, weights):
        return {name: command for name, command
                in self.commands(train, weights).items()
                if train in command}

    def outputs(self, model, train, weights, *options):
        """The tables of rows, with these options."""
        return {name: self.succeed(model, *command, *options)
                for name, command in self.rows_of(train, weights).items()}

    def failure(self, model, *command, says=None, **options):
        run = self.run_program(model, *command, **options)
        self.assertEqual(run.returncode, 1, (command, run.stdout, run.stderr))
        self.assertRegex(run.stderr, r"\Amodel: error: [^\n]*\n\Z")
        if says:
            self.assertIn(says, run.stderr)
        return run.stderr

    def stored(self, path):
        """The tensors of inference in a file: name: numbers."""
        header, content = header_of(path.read_bytes())
        tensors = {}
        for name, tensor in header.items():
            if name.startswith("inference."):
                first, last = tensor["data_offsets"]
                tensors[name.removeprefix("inference.")] = struct.unpack_from(
                    f"<{(last - first) // 8}d", content, first)
        return tensors


class Bytes(TestCase):
    def check(self, formula, train, *compiling, streams=True, **keys):
        model = self.compile(formula, *compiling, **small.KEYS, **keys)
        weights = self.fit(model, train, "--inference", "--threads", 1)
        good = weights.read_bytes()
        for options in (["--threads", 2], ["--threads", 5],
                        ["--chunk-rows", 1], ["--chunk-rows", 7],
                        ["--threads", 3, "--chunk-rows", 64], ["--stream"],
                        ["--stream", "--chunk-rows", 5, "--threads", 1],
                        ["--stream", "--threads", 3],
                        ["--memory", "600M"], ["--allocator", "caching"]):
            run = self.run_program(model, "fit", train, "-o", "other",
                                   "--inference", *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue((self.dir / "other").read_bytes() == good, options)
            self.assertEqual(
                "keeps all rows" in run.stderr,
                not streams and "--stream" in options, run.stderr)
        expected = self.outputs(model, train, weights, "--threads", 1)
        for options in (["--threads", 3], ["--chunk-rows", 1],
                        ["--chunk-rows", 33, "--threads", 2], ["--stream"],
                        ["--stream", "--threads", 2, "--chunk-rows", 5]):
            self.assertEqual(self.outputs(model, train, weights, *options),
                             expected, options)
        self.assertEqual(expected["terms"], expected["decompose"])
        return model, weights

    def test_runs(self):
        train = self.weighted()
        self.check(FORMULA, train)
        self.check(FORMULA, train, "--fuse-rows=false", weights="w")

    def test_recursion(self):
        self.check(CARRY, self.weighted(), streams=False, weights="w")

    def test_levels(self):
        """Rows that are summed by the levels of columns."""
        train = self.weighted(days=120)
        for keys in ({}, {"weights": "w"}):
            model, weights = self.check(
                "y ~ l(a)+f(b,m=3)+s(d,k=3)+p(d,deg=2)+c(d,n_cat=7)", train,
                "--profile", train, "--rows-per-level=1", **keys)
            run = self.run_program(model, "fit", train, "-o", "other",
                                   "--inference", "--timings")
            self.assertIn("levels of 'd'", run.stderr)
            plain = self.compile(
                "y ~ l(a)+f(b,m=3)+s(d,k=3)+p(d,deg=2)+c(d,n_cat=7)",
                "--profile", train, "--rows-per-level=0", name="plain",
                **small.KEYS, **keys)
            other = self.stored(self.fit(plain, train, "--inference",
                                         weights="plain.w"))
            for name, numbers in self.stored(weights).items():
                self.assert_close_to_norm(numbers, other[name], 1e-8, name)

    def test_segments(self):
        """Groups longer than a segment of the sums, in parts of a stream."""
        train = small.generate(self.dir / "train.csv", "--groups", 2, "--days",
                               9001)
        self.check("y ~ l(a)+s(c,k=5)+c(d,n_cat=7)", train)

    def test_some_groups_at_a_time(self):
        """A stream that sums the rows of some groups, then of others."""
        rng = random.Random(4)
        rows = [{"g": i % 130, "date": i // 130, "a": f"{rng.gauss(0, 1):.5f}",
                 "b": f"{rng.gauss(0, 1):.5f}", "w": rng.choice((0, 1, 2.5)),
                 "y": f"{rng.gauss(0, 1):.5f}"} for i in range(130 * 40)]
        train = harness.write_csv(self.dir / "train.csv", rows)
        model = self.compile("y ~ n(a,others='b',n_neurons=450,ap=-1)",
                             "--solver=direct", weights="w", **small.KEYS)
        good = self.fit(model, train, "--inference").read_bytes()
        run = self.run_program(model, "fit", train, "-o", "other",
                               "--inference", "--stream")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, "reads the file at most [2-9] times for sums")
        self.assertTrue((self.dir / "other").read_bytes() == good)

    def test_order_of_rows(self):
        """Rows may come in any order, dropped ones between them; a stream keeps
        them if their dates are not in order."""
        rows = harness.read_csv(self.weighted())
        model = self.compile(CARRY, **small.KEYS, weights="w")
        train = harness.write_csv(self.dir / "train.csv", rows)
        good = self.fit(model, train, "--inference").read_bytes()
        for i in (3, 50, 51):
            rows.insert(i, dict(rows[i], a=""))
        random.Random(5).shuffle(rows)
        train = harness.write_csv(self.dir / "train.csv", rows)
        for options in ([], ["--stream"], ["--threads", 3]):
            weights = self.fit(model, train, "--inference", "--drop-missing",
                               *options, weights="other")
            self.assertTrue(weights.read_bytes() == good, options)

    def test_file_that_changes(self):
        """Between the reading for the sums and that for the residuals."""
        train = self.dir / "train.csv"
        lines = [f"{i},{i % 97},{i % 11}\n" for i in range(1_200_000)]
        most = len("date,a,y\n" + "".join(lines[:-9]))
        model = self.compile("y ~ l(a)+s(a,k=20)", date="date")
        for change in (lambda file: file.write("9999999,1,5\n"),
                       lambda file: file.truncate(most)):
            train.write_text("date,a,y\n" + "".join(lines))
            status, said = harness.run_with_change(
                [model, "fit", train, "-o", self.dir / "w", "--stream",
                 "--inference", "--threads", "1"], train, change,
                self.dir / "w")
            self.assertEqual(status, 1, said)
            self.assertIn("the file has changed meanwhile", said)
            self.assertFalse((self.dir / "w").exists())

    def test_parts_of_a_stream(self):
        train = small.generate(self.dir / "train.csv", "--groups", 3, "--days",
                               300)
        lines = train.read_text().splitlines(keepends=True)
        wide = self.dir / "wide.csv"
        wide.write_text(lines[0] + "".join(lines[1:]) * (120_000 // 900))
        model = self.compile("y ~ l(a)+s(c,k=5)+c(d,n_cat=7)", **small.KEYS)
        weights = self.fit(model, train, "--inference")
        whole = self.outputs(model, wide, weights)
        self.assertTrue(self.outputs(model, wide, weights, "--stream") == whole)

    def test_cpus(self):
        """Instruction sets and the C library's functions change no bit."""
        train = self.weighted()
        results = []
        plain = dict(os.environ, GLIBC_TUNABLES=os.environ.get(
            "GLIBC_TUNABLES", "glibc.malloc.perturb=165")
            + ":glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2")
        for options in ([], ["--mcpu=x86-64"], ["--mcpu=native"]):
            model = self.compile(FORMULA, *options, **small.KEYS, weights="w")
            for env in (None, plain):
                weights = self.fit(model, train, "--inference", env=env)
                commands = self.commands(train, weights)
                results.append([weights.read_bytes(), *(
                    self.succeed(model, *command, env=env)
                    for command in commands.values())])
        for result in results[1:]:
            self.assertTrue(result == results[0])

    def test_cpp(self):
        """The program that --emit=cpp writes."""
        train = self.weighted()
        model = self.compile(CARRY, "--chunk-rows", 8, **small.KEYS)
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", "--chunk-rows", 8,
                     "--emit=cpp", "-o", source)
        built = self.build_cpp(source, self.dir / "built")
        expected = self.fit(model, train, "--inference")
        weights = self.fit(built, train, "--inference", weights="other")
        self.assertEqual(weights.read_bytes(), expected.read_bytes())
        self.assertEqual(self.outputs(built, train, weights),
                         self.outputs(model, train, expected))
        self.assertEqual(*(self.succeed(program, "summary", "--weights",
                                        weights) for program in (built, model)))

    def test_rows_alone(self):
        """The errors of a row do not depend on its neighbours."""
        train = self.weighted()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train, "--inference")
        whole = self.outputs(model, train, weights)
        rows = harness.read_csv(train)
        for i in random.Random(1).sample(range(len(rows)), 6):
            one = harness.write_csv(self.dir / "one.csv", [rows[i]])
            for name, text in self.outputs(model, one, weights).items():
                self.assertEqual(text.splitlines()[1],
                                 whole[name].splitlines()[1 + i], name)

    def test_repeated(self):
        """Standard errors do not depend on what else is asked for, nor values
        on the errors; the offset has what centred effects lack."""
        train = self.weighted()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train, "--inference")
        both = harness.parse_csv(self.succeed(
            model, *self.commands(train, weights)["predict"]))
        only = harness.parse_csv(self.succeed(
            model, "predict", train, "--weights", weights, "--se"))
        plain = harness.parse_csv(self.succeed(
            model, "predict", train, "--weights", weights))
        terms = harness.parse_csv(self.succeed(
            model, *self.commands(train, weights)["terms"]))
        for row, errors, value, effects in zip(both, only, plain, terms,
                                               strict=True):
            self.assertEqual({name: row[name] for name in errors}, errors)
            self.assertEqual(row["prediction"], value["prediction"])
            self.assertLess(float(row["lower_90"]), float(row["lower_50"]))
            self.assertLess(float(row["upper_50"]), float(row["upper_90"]))
            total = math.fsum(
                float(number) for name, number in effects.items()
                if name not in ("g", "date") and not name.startswith("se_"))
            self.assert_close([total], [float(row["prediction"])], 1e-10)
        # Without row weights, the mean of a centred effect is 0.
        for name in effects:
            if name.startswith("se_") and name != "se_offset":
                values = [float(row[name[3:]]) for row in terms
                          if row["g"] == "0"]
                self.assertLess(abs(math.fsum(values)) / len(values),
                                1e-9 * max(map(abs, values)), name)


class OtherReaders(TestCase):
    """Of weights with inference."""

    def test_plain_weights(self):
        """A fit without --inference writes what it wrote before there was
        any."""
        train = self.weighted()
        for formula in (FORMULA, CARRY):
            model = self.compile(formula, **small.KEYS)
            plain = self.fit(model, train).read_bytes()
            rich = self.fit(model, train, "--inference",
                            weights="rich").read_bytes()
            header, content = header_of(plain)
            self.assertNotIn(b"inference", plain)
            other, more = header_of(rich)
            metadata = other["__metadata__"]
            self.assertEqual(json.loads(metadata.pop("inference")).keys(),
                             {"groups", "effects"})
            metadata["checksum"] = header["__metadata__"]["checksum"]
            self.assertEqual(metadata, header["__metadata__"])
            for name, tensor in header.items():
                if name == "__metadata__":
                    continue
                found = other.pop(name)
                self.assertEqual(*(
                    one[slice(*each["data_offsets"])]
                    for one, each in ((content, tensor), (more, found))), name)
                self.assertEqual(found["shape"], tensor["shape"])
            del other["__metadata__"]
            self.assertEqual({name.split(".")[0] for name in other},
                             {"inference"})

    def test_commands(self):
        train = self.weighted()
        model = self.compile(FORMULA, **small.KEYS)
        plain = self.fit(model, train)
        rich = self.fit(model, train, "--inference", weights="rich")
        for command in (["predict", train], ["decompose", train],
                        ["predict", train, "--type=design"],
                        ["predict", train, "--stream"], ["coefficients"]):
            self.assertEqual(
                self.succeed(model, *command, "--weights", rich),
                self.succeed(model, *command, "--weights", plain), command)
        with open(rich, "rb") as file:
            self.succeed(model, "summary", "--weights", "-", stdin=file)

    def test_state(self):
        """The compiler reads tables from such weights."""
        train = self.weighted()
        model = self.compile(FORMULA, **small.KEYS)
        saved = []
        for name, options in (("plain", ()), ("rich", ("--inference",))):
            weights = self.fit(model, train, *options,
                               weights=f"{name}.safetensors")
            self.compile(FORMULA, name=name, state=weights.name, **small.KEYS)
            saved.append(self.succeed(self.dir / name, "predict", train,
                                      "--weights", self.fit(
                                          self.dir / name, train)))
        self.assertEqual(*saved)

    def test_library(self):
        train = self.weighted()
        model = self.compile(FORMULA, **small.KEYS)
        plain = self.fit(model, train)
        rich = self.fit(model, train, "--inference", weights="rich")
        library = Library(self)
        for weights in (plain, rich):
            self.assertEqual(library.load(weights.read_bytes()), 0)


class Options(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.weighted()

    def test_weights_without_inference(self):
        model = self.compile(FORMULA, **small.KEYS)
        plain = self.fit(model, self.train)
        for name, command in self.commands(self.train, plain).items():
            with self.subTest(command=name):
                self.failure(model, *command, says=f"{plain}: {NONE}")
        self.failure(model, "predict", self.train, "--weights", plain, "--se",
                     "-o", self.dir / "out.csv")
        self.assertFalse((self.dir / "out.csv").exists())

    def test_intervals(self):
        model = self.compile("y ~ l(a)+s(c,k=5)", **small.KEYS)
        weights = self.fit(model, self.train, "--inference")
        predict = ["predict", self.train, "--weights", weights]
        for wrong in ("0", "1", "1.5", "abc", "-0.5", "nan", "0.9,1", "0.9,0",
                      "90%", "0.9;0.5", "1e-1", "inf", ".", "0.0", "1.0"):
            with self.subTest(interval=wrong):
                self.failure(model, *predict, f"--interval={wrong}",
                             says="--interval")
        for given in (["--interval="], ["--interval"]):
            with self.subTest(interval=given):
                self.failure(model, *predict, *given, says="--interval")
        for given, names in (
                (["--interval=0.9"], ["90"]), (["--interval=.9"], ["90"]),
                (["--interval=0.90"], ["90"]),
                (["--interval=0.975"], ["97.5"]),
                (["--interval=0.05"], ["5"]), (["--interval=0.005"], ["0.5"]),
                (["--interval", "0.5,0.9"], ["50", "90"]),
                (["--interval=0.5", "--interval=0.9"], ["50", "90"]),
                (["--interval=0.999999"], ["99.9999"])):
            with self.subTest(interval=given):
                rows = harness.parse_csv(self.succeed(model, *predict, *given))
                ends = [f"{side}_{name}" for name in names
                        for side in ("lower", "upper")]
                self.assertEqual(list(rows[0]),
                                 ["g", "date", "prediction", *ends])
                for row in rows[:3]:
                    for name in names:
                        below, above = (
                            float(row[f"{side}_{name}"])
                            - float(row["prediction"])
                            for side in ("lower", "upper"))
                        self.assertLess(below, 0)
                        self.assert_close([above], [-below], 1e-9)

    def test_widths_of_intervals(self):
        """They are proportional to quantiles of the normal distribution, also
        far from the middle."""
        model = self.compile("y ~ l(a)+s(c,k=5)", **small.KEYS)
        weights = self.fit(model, self.train, "--inference")
        levels = ["0.5", "0.05", "0.849", "0.851", "0.9", "0.99", "0.9999",
                  "0.9999999", "0.99999999999", "0.9999999999999"]
        rows = harness.parse_csv(self.succeed(
            model, "predict", self.train, "--weights", weights,
            f"--interval={','.join(levels)}"))
        for row in rows[:3]:
            ends = [float(number) for number in list(row.values())[3:]]
            widths = [above - below for below, above
                      in zip(ends[::2], ends[1::2], strict=True)]
            # The levels are rounded to doubles near 1.
            quantiles = [statistics.NormalDist().inv_cdf((1 - level) / 2)
                         for level in map(float, levels)]
            self.assert_close([width / widths[0] for width in widths],
                              [quantile / quantiles[0]
                               for quantile in quantiles], 1e-11, "width")

    def test_far_away(self):
        """A variance that overflows is infinite, and never no number."""
        train, new = self.dir / "train.csv", self.dir / "new.csv"
        train.write_text("a,b,y\n1,2,1\n2,1,3\n4,2,2\n3,5,4\n2,2,2\n")
        new.write_text("a,b,y\n1e200,1,1\n1e200,-1e200,2\n1e160,1e160,1\n"
                       "2,2,2\n")
        model = self.compile("y ~ l(a) + l(b)", name="far")
        weights = self.fit(model, train, "--inference")
        said = [new, "--weights", weights]
        rows = harness.parse_csv(self.succeed(
            model, "predict", *said, "--se", "--interval=.9"))
        for row in rows[:-1]:
            self.assertTrue(math.isfinite(float(row["prediction"])))
            self.assertEqual((row["se"], row["lower_90"], row["upper_90"]),
                             ("inf", "-inf", "inf"))
        self.assertLess(float(rows[-1]["se"]), 10)
        self.assertNotIn("nan", self.succeed(model, "predict", *said,
                                             "--type=terms", "--se"))
        told = json.loads(self.succeed(model, "evaluate", *said,
                                       "--interval=.9", "--format=json"))
        self.assertEqual(told["all"]["intervals"][0]["coverage"], 1)

    def test_level_next_to_one(self):
        """Every level that is taken gives ends that are numbers."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train, "--inference")
        for digits in range(14, 19):
            level = "0." + "9" * digits
            with self.subTest(level=level):
                run = self.run_program(model, "predict", self.train,
                                       "--weights", weights, "--interval",
                                       level)
                if run.returncode:
                    self.assertIn("--interval", run.stderr)
                    continue
                for row in harness.parse_csv(run.stdout):
                    self.assertTrue(all(math.isfinite(float(value))
                                        for name, value in row.items()
                                        if name not in ("g", "date")), row)

    def test_same_level_twice(self):
        """The columns would have the same names."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        weights = self.fit(model, self.train, "--inference")
        for given in ("0.9,0.9", "0.9,0.90", ".5,0.5"):
            with self.subTest(interval=given):
                self.failure(model, "predict", self.train, "--weights",
                             weights, f"--interval={given}",
                             says=f"--interval: {given.split(',')[1]}: expected"
                                  " once, got twice")

    def test_combinations(self):
        model = self.compile("y ~ l(a)+s(c,k=5)", "--min-cg=0", **small.KEYS)
        weights = self.fit(model, self.train, "--inference")
        said = [self.train, "--weights", weights]
        self.failure(model, "decompose", *said, "--interval=0.9",
                     says="--interval")
        for kind in ("terms", "design"):
            self.failure(model, "predict", *said, f"--type={kind}",
                         "--interval=0.9", says="expected --interval with "
                                                "--type=response, got " + kind)
        self.failure(model, "predict", *said, "--type=design", "--se",
                     says="expected --se with --type=response or terms, got "
                          "design")
        self.failure(model, "fit", self.train, "-o", "w", "--inference",
                     "--solver=cg", says="expected the direct solver with "
                                         "--inference, got conjugate gradients")
        self.failure(model, "summary", "--weights", weights, "--format=csv",
                     says="--format")
        self.failure(model, "summary", says="--weights")
        for command in ("plan", "info"):
            self.failure(model, command, "--se", says="--se")
        only = self.compile("y ~ l(a)+s(c,k=5)", "--solver=cg", name="model",
                            **small.KEYS)
        self.failure(only, "fit", self.train, "-o", "w", "--inference",
                     says="expected the direct solver with --inference, got "
                          "conjugate gradients")
        self.assertFalse((self.dir / "w").exists())

    def test_solver_that_is_chosen(self):
        """Only the direct solver has an inverse, so that it is chosen, whatever
        the limit from which on other fits use conjugate gradients."""
        model = self.compile("y ~ l(a)+s(c,k=5)", "--min-cg=0", **small.KEYS)
        good = self.fit(model, self.train, "--inference").read_bytes()
        for options in (["--direct-limit=1"], ["--solver=direct"],
                        ["--oracle=estimate", "--direct-limit=1"]):
            weights = self.fit(model, self.train, "--inference", *options,
                               weights="other")
            self.assertTrue(weights.read_bytes() == good, options)

    def test_text_of_a_summary(self):
        """Four digits of the numbers of the JSON; of effects those of all
        groups together."""
        for keys in (small.KEYS, {}):
            model = self.compile("y ~ l(a)+s(c,k=5)", **keys)
            weights = self.fit(model, self.train, "--inference", "--ap=a=-1.5")
            text = self.succeed(model, "summary", "--weights", weights)
            summary = json.loads(self.succeed(
                model, "summary", "--weights", weights, "--format=json"))
            formula, groups, effects = re.fullmatch(
                r"(.*)\n\n((?s:.*?))\n(?:edf, sd and share: .*\n)?"
                r"(effect (?s:.*))", text).groups()
            self.assertEqual(formula, summary["formula"])

            def digits(*numbers):
                return [f"{number:.4g}" for number in numbers]

            names, *lines = [line.split() for line in groups.splitlines()]
            count = len(summary["groups"])
            self.assertEqual(names, ["g"] * bool(keys) + [
                "rows", "edf", "sigma", "rmse", "mape", "%", "nmae", "%", "r2",
                "acf1", "drift", "condition"])
            for line, one in zip(lines, summary["groups"]):
                self.assertEqual(line, [one["group"]] * bool(keys)
                                 + [str(one["rows"])] + digits(
                    one["edf"], math.sqrt(one["sigma2"]), one["rmse"],
                    one["mape"], one["nmae"], one["r2"], one["acf1"],
                    one["drift"], one["condition"]))
            whole = summary["all"]
            self.assertEqual(lines[count:], [
                ["all", str(whole["rows"])] + digits(
                    whole["rmse"], whole["mape"], whole["nmae"], whole["r2"])]
                * (count > 1))
            for line, parts in zip(
                    effects.splitlines()[1:],
                    zip(*(one["effects"] for one in summary["groups"])),
                    strict=True):
                def mean(name, parts=parts):
                    return math.fsum(part[name] for part in parts) / count
                first = parts[0]
                self.assertEqual(line.split(), [
                    first["effect"], str(first["columns"]),
                    *digits(mean("edf")), f"{first['ap']:g}",
                    *digits(min(part["low"] for part in parts),
                            max(part["high"] for part in parts), mean("sd"),
                            100 * mean("share"))])

    def test_help(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        for command, options in (("fit", ["--inference"]),
                                 ("predict", ["--se", "--interval"]),
                                 ("decompose", ["--se"]),
                                 ("coefficients", ["--se"]),
                                 ("summary", ["--weights", "--format"])):
            text = self.succeed(model, command, "--help")
            for option in options:
                self.assertRegex(text, rf"(?m)^  {option}\b", command)
        self.assertNotIn("--interval", self.succeed(model, "decompose",
                                                    "--help"))
        self.assertIn("summary", self.succeed(model, "--help"))
        self.failure(model, says="summary")

    def test_columns_with_names_of_the_output(self):
        """All columns of a table have different names."""
        rows = harness.read_csv(self.train)
        for group, date, x, other in (
                ("se", "lower_90", "se_x", "x"), ("prediction", "date", "se",
                                                  "se_se"),
                ("se_offset", "offset", "lower_90", "upper_90")):
            with self.subTest(group=group, date=date, x=x):
                names = {"g": group, "date": date, "a": x, "c": other}
                path = harness.write_csv(self.dir / "named.csv", [
                    {names.get(name, name): value
                     for name, value in row.items()} for row in rows])
                model = self.compile(f"y ~ l({x})+s({other},k=5)", group=group,
                                     date=date)
                weights = self.fit(model, path, "--inference")
                for name, command in self.rows_of(path, weights).items():
                    table = self.succeed(model, *command)
                    columns = table.split("\n", 1)[0].split(",")
                    self.assertEqual(len(set(columns)), len(columns), columns)
                    self.assertEqual(columns[:2], [group, date], name)
                table = self.succeed(model, "coefficients", "--weights",
                                     weights, "--se").split("\n", 1)[0]
                self.assertEqual(len(set(table.split(","))), 5, table)

    def test_constant_column(self):
        """An effect that is 0 in all rows has no degrees of freedom: not the
        rounding below 0 of a difference."""
        model = self.compile("y ~ l(a)+l(k)", **small.KEYS)
        for days in (5, 9, 27):
            path = harness.write_csv(
                self.dir / "constant.csv",
                [row | {"a": "3.7"} for row in small.rows(days=days)])
            weights = self.fit(model, path, "--inference")
            text = self.succeed(model, "summary", "--weights", weights,
                                "--format=json")
            for group in json.loads(text)["groups"]:
                edf = group["effects"][1]["edf"]
                self.assertTrue(0 <= edf < 1e-15, (days, edf))

    def test_few_rows(self):
        """Of groups of 1 to 3 rows, others are not affected."""
        rows = harness.read_csv(self.train)
        long = [row for row in rows if row["g"] != "0"]
        model = self.compile("y ~ l(a, ap=-30)+s(c,k=5)", **small.KEYS)
        for few in (1, 2, 3):
            with self.subTest(rows=few):
                path = harness.write_csv(
                    self.dir / "few.csv",
                    [row for row in rows if row["g"] == "0"][:few] + long)
                weights = self.fit(model, path, "--inference")
                summary = json.loads(self.succeed(
                    model, "summary", "--format=json", "--weights", weights))
                first = summary["groups"][0]
                self.assertEqual(first["rows"], few)
                self.assertTrue(first["edf"] <= few + 1e-6, first)
                self.succeed(model, "summary", "--weights", weights)
                table = harness.write_csv(self.dir / "long.csv", long)
                for command in self.rows_of(table, weights).values():
                    self.succeed(model, *command)
                # Errors of the group are numbers, or there is a message.
                for name, command in self.commands(path, weights).items():
                    run = self.run_program(model, *command)
                    if run.returncode:
                        self.assertIn("group '0': expected more training rows "
                                      "than effective degrees of freedom",
                                      run.stderr)
                    else:
                        self.assertIsNone(NOT_FINITE.search(run.stdout), name)
                if first["sigma2"] is None:
                    self.failure(model, *self.commands(path, weights)["terms"],
                                 says="group '0'")

    def test_no_degrees_left(self):
        """A group with as many degrees as rows has coefficients, no errors."""
        model = self.compile("y ~ l(a, ap=-30)", **small.KEYS)
        row = harness.read_csv(self.train)[0]
        # The offset reproduces the only row except for the floor.
        path = harness.write_csv(self.dir / "one.csv", [row])
        weights = self.fit(model, path, "--inference")
        content = bytearray(weights.read_bytes())
        header, _ = header_of(content)
        fields = json.loads(header["__metadata__"]["inference"])["groups"]
        start = (8 + struct.unpack_from("<Q", content)[0]
                 + header["inference.groups"]["data_offsets"][0])
        for field, value in (("edf", 1), ("sigma2", math.nan)):
            struct.pack_into("<d", content, start + 8 * fields.index(field),
                             value)
        first, last = header["inference.covariance"]["data_offsets"]
        for at in range(first, last, 8):
            struct.pack_into("<d", content, start - header["inference.groups"]
                             ["data_offsets"][0] + at, math.nan)
        weights.write_bytes(harness.seal(bytes(content)))
        for name, command in self.commands(path, weights).items():
            run = self.run_program(model, *command)
            if name in ("summary", "json"):
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIsNone(NOT_FINITE.search(run.stdout))
            else:
                self.assertEqual(run.returncode, 1, (name, run.stdout))
                self.assertIn("group '0': expected more training rows than "
                              "effective degrees of freedom", run.stderr, name)

    def test_extreme_targets(self):
        """Squares of residuals vanish or overflow: nothing is told of them."""
        model = self.compile("y ~ s(a, k=5)", **small.KEYS)
        for factor, what in ((1e-175, "underflow"), (1e160, "overflow")):
            path = harness.write_csv(self.dir / "extreme.csv", [
                dict(row, y=repr(float(row["y"]) * factor))
                for row in harness.read_csv(self.train)])
            self.succeed(model, "survey", path, "-o", "survey")
            self.succeed(model, "sums", path, "--survey=survey", "-o", "sums")
            self.succeed(model, "solve", "sums", "-o", "solved", "--inference")
            for weights in (self.fit(model, path, "--inference"), "solved"):
                summary = self.succeed(model, "summary", "--weights", weights)
                self.assertRegex(summary, r"\n *0 +\d+ +[0-9.]+ +- +- ")
                self.failure(
                    model, "predict", path, "--weights", weights, "--se",
                    says="expected a finite variance of the residuals")
            for criterion in ("gcv", "reml"):
                self.failure(model, "tune", path, "-o", self.dir / "none",
                             f"--criterion={criterion}",
                             says=f"expected a finite {criterion.upper()} "
                                  f"score, got an {what}")


class Damage(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.weighted()
        self.model = self.compile(FORMULA, **small.KEYS)
        self.good = self.fit(self.model, self.train, "--inference").read_bytes()
        self.bad = self.dir / "bad.safetensors"

    def test_flips(self):
        draw = random.Random(20261125)
        commands = list(self.commands(self.train, self.bad).values())
        for count, bit in enumerate(draw.sample(range(8 * len(self.good)), 60)):
            content = bytearray(self.good)
            content[bit // 8] ^= 1 << bit % 8
            self.bad.write_bytes(content)
            with self.subTest(bit=bit):
                self.failure(self.model, *commands[count % len(commands)],
                             says=str(self.bad))

    def test_shortened(self):
        for part in (0, 1, 8, 200, len(self.good) // 2, len(self.good) - 8,
                     len(self.good) - 1):
            self.bad.write_bytes(self.good[:part])
            for command in self.commands(self.train, self.bad).values():
                self.failure(self.model, *command, says=str(self.bad))

    def edited(self, edit):
        """The weights with a header changed by edit(header), sealed."""
        header, content = header_of(self.good)
        edit(header)
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        self.bad.write_bytes(harness.seal(
            struct.pack("<Q", len(text)) + text + content))

    def refused(self, says):
        for command in self.commands(self.train, self.bad).values():
            self.failure(self.model, *command, says=str(self.bad))
            self.failure(self.model, *command, says=says)

    def test_headers(self):
        def fields(header):
            header["__metadata__"]["inference"] = json.dumps(
                {"groups": ["rows"], "effects": ["low"]})
        self.edited(fields)
        self.refused("expected the fields of this version; fit again")

        for wrong in ("", "[]", "3", "{", "null"):
            def text(header, wrong=wrong):
                header["__metadata__"]["inference"] = wrong
            self.edited(text)
            self.refused("inference")

        def absent(header):
            header["inference.elsewhere"] = header.pop("inference.edf")
        self.edited(absent)
        self.refused("inference.e")

        def shape(header):
            header["inference.means"]["shape"].reverse()
        self.edited(shape)
        self.refused("inference.means")

        def kind(header):
            header["inference.groups"]["dtype"] = "I64"
        self.edited(kind)
        self.refused("inference.groups")

    def test_numbers(self):
        """Numbers that no fit leaves are refused or give no numbers that are
        not finite."""
        header, _ = header_of(self.good)
        start = 8 + struct.unpack_from("<Q", self.good)[0]
        for tensor in ("covariance", "edf", "means"):
            first, _ = header[f"inference.{tensor}"]["data_offsets"]
            for number in (math.nan, math.inf, -math.inf, -1e300):
                content = bytearray(self.good)
                struct.pack_into("<d", content, start + first, number)
                self.bad.write_bytes(harness.seal(bytes(content)))
                for name, command in self.commands(self.train,
                                                   self.bad).items():
                    with self.subTest(tensor=tensor, number=number,
                                      command=name):
                        run = self.run_program(self.model, *command)
                        if run.returncode == 0:
                            self.assertIsNone(NOT_FINITE.search(run.stdout))
                        else:
                            self.assertEqual(run.returncode, 1)
                            self.assertIn(str(self.bad), run.stderr)


if __name__ == "__main__":
    harness.main()
