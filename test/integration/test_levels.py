# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums by the levels of columns with few values: they equal sums row by row
except for rounding, have the same bytes for all chunks and threads, and plain
steps are used if the data are not like the profile."""

import json
import math
import os
import random
import re

import test_faults
from small import harness

KEYS = {"group": "g", "date": "date"}
ALWAYS = "--rows-per-level=1"
NEVER = "--rows-per-level=0"
TERMS = ("s(hour, k=9)", "f(hour, m=5)", "f(hour, m=3, period=(0, 24))",
         "f(hour, m=2, period='auto')", "f(hour, m=4, cyclic=True)",
         "p(hour, deg=4)", "w(hour, n_scales=2, n_locations=4)")
# Two terms of each kind, besides terms that are not compressed.
ALL = ("y ~ l(a) + s(hour, k=9) + f(hour, m=3, period=(0, 24)) + "
       "p(day, deg=3) + w(day) + s(a, k=6) + c(k, n_cat=5)")
# Rows of groups: more than two segments, between two, less than one.
SIZES = (9000, 200, 5000)


def write_rows(path, sizes=(240, 240), seed=3, weights=(), **columns):
    """Rows of groups of these sizes, dates in order. A column is a function of
    the generator and the row's number in its group, or of the group too."""
    rng = random.Random(seed)
    columns = {"hour": lambda rng, row: row % 24,
               "day": lambda rng, row: row // 24 % 7 + 1} | columns
    rows = []
    for group, size in enumerate(sizes):
        for i in range(size):
            row = {"date": i, "g": f"G{group}", "a": f"{rng.gauss(0, 1):.5f}",
                   "k": rng.randrange(5), "w": rng.choice(weights or (1,))}
            for name, draw in columns.items():
                row[name] = draw(rng, i) if draw.__code__.co_argcount == 2 \
                    else draw(rng, i, group)
            row["y"] = f"{math.cos(i / 24 * 6.3) + rng.gauss(0, 1):.5f}"
            rows.append(row)
    return harness.write_csv(path, rows)


class TestCase(harness.TestCase):
    OPTIONS = harness.CPU_ALONE

    def both(self, formula, profile, *options, **keys):
        """The model that sums by levels if possible, and the one that does
        not."""
        keys = KEYS | keys
        return [self.compile(formula, "--profile", profile, option, *options,
                             name=f"m{option[-1]}", **keys)
                for option in (ALWAYS, NEVER)]

    def told(self, model, train, *options):
        """Fits; returns the weights, the levels of columns in the timings, and
        the notes."""
        run = self.run_program(model, "fit", train, "-o", "w", *options,
                               "--timings=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stderr.splitlines()
        told = {name: value for name, value in json.loads(lines[-1]).items()
                if name.startswith("levels of ")}
        return (self.dir / "w").read_bytes(), told, lines[:-1]

    def named(self, weights):
        """Weights of either model under one name."""
        return harness.seal(weights.replace(b'"m1"', b'"m0"'))

    def assert_agree(self, models, train, levels, new=None, tolerance=1e-10):
        """Both fits predict the same, the first by these levels."""
        tables = []
        for model, expected in zip(models, (levels, {}), strict=True):
            weights, told, notes = self.told(model, train)
            self.assertEqual(told, {f"levels of '{name}'": count
                                    for name, count in expected.items()})
            self.assertEqual(notes, [])
            path = self.dir / "w"
            path.write_bytes(weights)
            table = self.predict(model, new or train, path, "--type=response")
            tables.append([float(list(row.values())[-1])
                           for row in harness.read_csv(table)])
        self.assert_close_to_norm(tables[0], tables[1], tolerance,
                                  "prediction")


class Numbers(TestCase):
    def check(self, formula, train, levels, **keys):
        self.assert_agree(self.both(formula, train, **keys), train, levels)

    def test_terms(self):
        train = write_rows(self.dir / "train.csv")
        for term in TERMS:
            with self.subTest(term=term):
                self.check(f"y ~ {term}", train, {"hour": 24})
                self.check(f"y ~ l(a) + {term} + c(k, n_cat=5) + s(a, k=8)",
                           train, {"hour": 24})

    def test_several_terms_of_a_column(self):
        train = write_rows(self.dir / "train.csv")
        self.check("y ~ s(hour, k=9) + s(hour, k=4, deg=1) + p(hour, deg=2) + "
                   "w(hour) + l(hour) + f(hour, m=2)", train, {"hour": 24})
        # Columns of several inputs.
        self.check("y ~ s(hour, k=9) + f(hour, m=2, period=(0, 24)) + "
                   "f(hour, m=2, period=(-2, 30))", train, {"hour": 26})

    def test_several_columns(self):
        train = write_rows(self.dir / "train.csv")
        self.check(ALL, train, {"hour": 24, "day": 7})

    def test_weights(self):
        train = write_rows(self.dir / "train.csv", weights=(0, .25, 1, 3))
        self.check(ALL, train, {"hour": 24, "day": 7}, weights="w")

    def test_segments(self):
        train = write_rows(self.dir / "train.csv", SIZES)
        self.check(ALL, train, {"hour": 24, "day": 7})

    def test_no_groups(self):
        train = write_rows(self.dir / "train.csv", (500,))
        models = [self.compile(ALL, "--profile", train, option,
                               name=f"m{option[-1]}")
                  for option in (ALWAYS, NEVER)]
        self.assert_agree(models, train, {"hour": 24, "day": 7})

    def test_unequal_groups(self):
        # Of another length, with part of the levels, from another level on.
        def part(rng, row, group):
            return (row % 24, 2 * (row % 5), 7 + row % 9,
                    rng.choice((1, 23)))[group]
        train = write_rows(self.dir / "train.csv", (600, 31, 200, 90),
                           hour=part)
        for term in TERMS:
            with self.subTest(term=term):
                self.check(f"y ~ {term} + p(day, deg=2) + l(a)", train,
                           {"hour": 24, "day": 7})

    def test_grids(self):
        for first, step, count in ((0, .5, 48), (-2, .1, 40), (-12, 1, 24),
                                   (-.35, .05, 15), (1000, 25, 20),
                                   (-3e-7, 1e-8, 30), (1e9, 1, 24)):
            with self.subTest(first=first, step=step, count=count):
                train = write_rows(
                    self.dir / "train.csv", (400, 400),
                    hour=lambda rng, row, *, f=first, s=step, c=count:
                    f"{f + s * (row % c):.12g}")
                self.check("y ~ s(hour, k=9) + p(hour, deg=3) + f(hour) + "
                           "w(hour)", train, {"hour": count})

    def test_missing_levels(self):
        hours = (0, 1, 5, 6, 22, 23)
        train = write_rows(self.dir / "train.csv",
                           hour=lambda rng, row: rng.choice(hours))
        self.check(ALL, train, {"hour": 24, "day": 7})

    def test_beside_products_and_trees(self):
        train = write_rows(self.dir / "train.csv")
        self.check("y ~ f(hour, m=3) + te(s(hour, k=4), c(k, n_cat=5))", train,
                   {"hour": 24})
        self.check("y ~ f(hour, m=3) + te(s(day, k=4), l(a)) + p(day, deg=2)",
                   train, {"hour": 24, "day": 7})
        self.check("y ~ f(hour, m=3) + n(a, n_neurons=4) + rbf(a, n_centers=3)"
                   " + pid(a)", train, {"hour": 24})
        # A formula with trees is not compressed.
        self.check("y ~ f(hour, m=3) + t(a, n_trees=3, max_depth=2)", train,
                   {})

    def test_values_beyond_a_period(self):
        """The range is not between grid points."""
        profile = write_rows(self.dir / "profile.csv", (500, 500),
                             hour=lambda rng, row: row % 168)
        for period in ((0, 24), (0, 5), (-3, 9), (0, 166.6), (1, 300)):
            with self.subTest(period=period):
                self.check(f"y ~ f(hour, m=3, period={period}) + l(a)", profile,
                           {})
        self.check("y ~ f(hour, m=3, period=(0, 167))", profile, {"hour": 168})


class Choice(TestCase):
    """The columns that the compiler compresses."""

    def levels(self, formula, profile, *options, train=None, **keys):
        model = self.compile(formula, "--profile", profile, *options,
                             **(KEYS | keys))
        _, told, notes = self.told(model, train or profile)
        self.assertEqual(notes, [])
        return {name.split("'")[1]: count for name, count in told.items()}

    def test_rows_per_level(self):
        train = write_rows(self.dir / "train.csv", (576, 576))
        for term, least in (("f(hour, m=3)", 24), ("s(hour, k=9)", 6)):
            for rows, expected in ((least, {"hour": 24}), (least + 1, {})):
                self.assertEqual(
                    self.levels(f"y ~ {term}", train,
                                f"--rows-per-level={rows}"), expected)
        # The default.
        self.assertEqual(self.levels("y ~ f(hour, m=3)", train), {"hour": 24})
        self.assertEqual(self.levels("y ~ s(hour, k=9)", train), {})
        run = self.run_program(harness.TAMC, "-f", "y ~ s(a)",
                               "--emit=spec", "--rows-per-level=x")
        self.assertEqual(run.returncode, 1)

    def test_most_levels(self):
        for count, expected in ((1023, 1023), (1024, 1024), (1025, None)):
            train = write_rows(self.dir / "train.csv", (2100,),
                               hour=lambda rng, row, *, c=count: row % c)
            self.assertEqual(
                self.levels("y ~ f(hour, m=3)", train, ALWAYS),
                {"hour": expected} if expected else {})

    def test_profiles_that_say_nothing(self):
        train = write_rows(self.dir / "train.csv")
        rows = harness.read_csv(train)
        formula = "y ~ f(hour, m=3)"
        self.assertEqual(self.levels(formula, train, ALWAYS), {"hour": 24})

        def profile(change):
            changed = [dict(row) for row in rows]
            for row in changed:
                change(row)
            return harness.write_csv(self.dir / "profile.csv", changed)

        for name, change in (
                ("column", lambda row: row.pop("hour")),
                ("groups", lambda row: row.pop("g")),
                ("one value", lambda row: row.update(hour="3")),
                ("no value", lambda row: row.update(hour="NA")),
                ("text", lambda row: row.update(hour="noon"))):
            with self.subTest(name):
                self.assertEqual(self.levels(formula, profile(change), ALWAYS,
                                             train=train), {})
        empty = self.dir / "empty.csv"
        empty.write_text(train.read_text().partition("\n")[0] + "\n")
        self.assertEqual(self.levels(formula, empty, ALWAYS, train=train), {})
        # A missing header is an error only if a column is needed.
        empty.write_text("")
        spec = self.dir / "model.yaml"
        run = self.run_program(harness.TAMC, spec, "--profile", empty)
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected a header, got an empty file", run.stderr)

    def test_missing_values(self):
        """They are dropped, in the profile as in training."""
        train = write_rows(
            self.dir / "train.csv",
            hour=lambda rng, row: row % 24 if row % 5 else "NA")
        models = self.both(ALL, train)
        results = set()
        for options in ([], ["--stream"], ["--threads=2"]):
            weights, told, _ = self.told(models[0], train, "--drop-missing",
                                         *options)
            self.assertEqual(told, {"levels of 'hour'": 24,
                                    "levels of 'day'": 7})
            results.add(weights)
        self.assertEqual(len(results), 1)

    def test_spec_hash(self):
        """It is the same model, by whichever sums."""
        train = write_rows(self.dir / "train.csv")
        first = self.compile(ALL, "--profile", train, ALWAYS, **KEYS).rename(
            self.dir / "first")
        second = self.compile(ALL, "--profile", train, NEVER, **KEYS)
        tables = []
        for fitted, weights in ((first, "one"), (second, "two")):
            self.fit(fitted, train, weights=weights)
            for model in (first, second):
                tables.append(self.predict(model, train, self.dir / weights)
                              .read_bytes())
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[2], tables[3])


class Bytes(TestCase):
    def test_chunks_threads_and_streams(self):
        train = write_rows(self.dir / "train.csv", SIZES, weights=(.5, 1, 3))
        results = set()
        for chunk in (1, 7, 1024, 20_000):
            model = self.compile(ALL, "--profile", train, ALWAYS,
                                 "--chunk-rows", chunk, weights="w", **KEYS)
            for options in ([], ["--threads=1"], ["--threads=2"],
                            ["--threads=3"], ["--stream"],
                            ["--stream", "--threads=3"],
                            ["--chunk-rows=5"],
                            ["--stream", "--chunk-rows=999"]):
                weights, told, notes = self.told(model, train, *options)
                self.assertEqual(told, {"levels of 'hour'": 24,
                                        "levels of 'day'": 7})
                self.assertEqual(notes, [])
                results.add(weights)
                self.assertEqual(len(results), 1, f"{chunk} {options}")

    def test_one_group(self):
        # Several threads share the rows of a group.
        train = write_rows(self.dir / "train.csv", (20 * 4096 + 5,))
        model = self.compile(ALL, "--profile", train, ALWAYS, date="date")
        results = set()
        for options in ([], ["--threads=1"], ["--threads=2"], ["--threads=7"],
                        ["--threads=3", "--chunk-rows=4097"], ["--stream"],
                        ["--stream", "--threads=3", "--chunk-rows=4095"]):
            weights, told, _ = self.told(model, train, *options)
            self.assertEqual(len(told), 2)
            results.add(weights)
            self.assertEqual(len(results), 1, f"{options}")

    def test_ways_to_compile(self):
        """Only --fuse-rows changes the order of additions."""
        train = write_rows(self.dir / "train.csv", (4500, 300))
        results = set()
        for options in ([], ["--mcpu=x86-64"], ["--mcpu=native"],
                        ["--min-cg=0"]):
            model = self.compile(ALL, "--profile", train, ALWAYS, *options,
                                 **KEYS)
            weights, told, _ = self.told(
                model, train,
                *(["--solver=direct"] if "--min-cg=0" in options else []))
            self.assertEqual(len(told), 2, options)
            results.add(weights)
            self.assertEqual(len(results), 1, options)
        for options, levels in ((["--fuse-rows=false"], {"hour": 24, "day": 7}),
                                (["--panels=false"], {"hour": 24, "day": 7}),
                                (["--dense"], {})):
            self.assert_agree(self.both(ALL, train, *options), train, levels)

    def test_memory(self):
        """With little memory, a stream fits fewer groups at a time and gives
        the same bytes."""
        train = write_rows(self.dir / "train.csv", (100,) * 48)
        models = self.both(ALL, train)
        expected = self.named(self.told(models[0], train)[0])
        groups = set()
        for power in range(40):
            memory = int(1e7 * 0.8 ** power)
            run = self.run_program(
                models[0], "fit", train, "-o", "w", "--stream", "--threads=1",
                f"--memory={memory}", env=dict(os.environ, TAMRT_LOG="info"))
            if run.returncode:
                self.assertRegex(run.stderr.splitlines()[-1],
                                 r"error: .*expected \d+ bytes of memory")
                break
            self.assertEqual(self.named((self.dir / "w").read_bytes()),
                             expected, power)
            groups.update(line for line in run.stderr.splitlines()
                          if "groups at a time" in line)
        self.assertEqual(run.returncode, 1)
        self.assertGreater(len(groups), 3)

    def test_memory_is_that_of_the_larger(self):
        """The data determine which steps a fit uses, so there must be memory
        for both, and plan's answer is for both."""
        train = write_rows(self.dir / "train.csv", (3000,),
                           hour=lambda rng, row: row % 100)
        models = self.both("y ~ p(hour, deg=3) + s(a, k=30)", train)
        least = []
        for model in models:
            answer = json.loads(self.succeed(
                model, "plan", "--memory=1G", "--format=json", "--threads=1"))
            least.append(answer["uses"][0]["least_memory"])
        self.assertGreater(least[0], least[1])
        other = write_rows(self.dir / "other.csv", (3000,),
                           hour=lambda rng, row: row % 100 + .5 * (row == 7))
        for data in (train, other):
            run = self.run_program(models[0], "fit", data, "-o", "w",
                                   "--threads=1", "--memory=140000")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r"error: .*expected \d+ bytes")

    def test_plan_and_info_have_both_fits(self):
        train = write_rows(self.dir / "train.csv", (300,))
        levels, rows = self.both(ALL, train)
        steps = [[step["step"] for step in json.loads(self.succeed(
            model, "plan", "--format=json"))["steps"]]
            for model in (levels, rows)]
        self.assertEqual([name for name in steps[0]
                          if "by_levels" not in name], steps[1])
        self.assertEqual({name.split("_chunk")[0] for name in steps[0]
                          if "by_levels" in name},
                         {"fit_by_levels_init", "fit_by_levels",
                          "fit_by_levels_finish", "fit_by_levels_infer",
                          "fit_by_levels_system"})
        text = self.succeed(levels, "plan")
        for name in ("fit_chunk_", "fit_by_levels_chunk_",
                     "fit_by_levels_finish"):
            self.assertEqual(text.count(f"step {name}"), 1)
        self.assertIn("fit by levels", self.succeed(levels, "info"))
        self.assertNotIn("by levels", self.succeed(rows, "info"))

    def test_large_states(self):
        """A stream fits only as many groups at a time as there is memory for
        the levels' sums."""
        train = write_rows(self.dir / "train.csv", (1030,) * 40,
                           hour=lambda rng, row: row % 1024)
        # More rows than are in memory at a time, by date, so that no group ends
        # before the others.
        head, *lines = train.read_text().splitlines(keepends=True)
        rows = sorted((int(date), rest) for date, rest in
                      (line.split(",", 1) for line in lines))
        with open(train, "w", encoding="utf-8") as file:
            file.write(head)
            for lap in range(25):
                file.writelines(f"{1030 * lap + date},{rest}"
                                for date, rest in rows)
        models = self.both("y ~ p(hour, deg=2) + s(a, k=100)", train)
        readings = []
        for model in models:
            expected, told, _ = self.told(model, train)
            self.assertEqual(len(told), model == models[0])
            run = self.run_program(model, "fit", train, "-o", "w", "--stream",
                                   "--threads=1", "--timings=json")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "w").read_bytes(), expected)
            readings.append(json.loads(run.stderr.splitlines()[-1])[
                "readings of the file"])
        self.assertEqual(readings[1], 2)
        self.assertGreater(readings[0], 2)

    def test_cpp(self):
        train = write_rows(self.dir / "train.csv", (5000, 300))
        other = write_rows(self.dir / "other.csv", (300, 300),
                           hour=lambda rng, row: row % 24 + .25 * (row == 9))
        # C++ has no steps for devices.
        options = ["--profile", train, ALWAYS, "--chunk-rows", 64,
                   "--device-steps=false"]
        model = self.compile(ALL, *options, **KEYS)
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", *options,
                     "--emit=cpp", "-o", source)
        built = self.build_cpp(source, self.dir / "built")
        for data, told in ((train, 2), (other, 0)):
            expected = self.told(model, data)
            self.assertEqual(len(expected[1]), told)
            self.assertEqual(self.told(built, data), expected)
        for command in ("plan", "info"):
            self.assertEqual(*(harness.without_program(
                self.succeed(each, command)) for each in (built, model)))


class Fallback(TestCase):
    NOTE = "m1: note: rows are not summed by levels: "
    OFF = "the values of column '{}' are not all on the grid of the profile"
    SINGLE = "a group has a single value of column '{}'"

    def check(self, models, train, reason):
        """The bytes of the plain model, in memory and from a stream."""
        expected, told, notes = self.told(models[1], train)
        self.assertEqual((told, notes), ({}, []))
        for options in ([], ["--stream"], ["--threads=3"],
                        ["--stream", "--chunk-rows=7"]):
            weights, told, notes = self.told(models[0], train, *options)
            self.assertEqual(told, {}, options)
            self.assertEqual(notes, [self.NOTE + reason], options)
            self.assertEqual(self.named(weights), expected, options)

    def test_other_values(self):
        profile = write_rows(self.dir / "profile.csv")
        models = self.both(ALL, profile)
        self.assertEqual(len(self.told(models[0], profile)[1]), 2)
        for name, hour in (
                ("between", lambda rng, row, g: row % 24 + .5 * (row == 77)),
                ("more", lambda rng, row, g: row % 25),
                ("below", lambda rng, row, g: row % 24 - (row == 24)),
                ("far", lambda rng, row, g: row % 24 + 1e17 * (row == 24)),
                ("near", lambda rng, row, g:
                 row % 24 + 1e-10 * (row == 29)),
                ("one value", lambda rng, row, g: 3 if g else row % 24),
                ("in the last group", lambda rng, row, g:
                 row % 24 + .5 * (g == 1 and row == 239)),
                ("elsewhere", lambda rng, row, g: row % 24 + 30.5 * g)):
            with self.subTest(name):
                train = write_rows(self.dir / "train.csv", hour=hour)
                reason = self.SINGLE if name == "one value" else self.OFF
                self.check(models, train, reason.format("hour"))
        train = write_rows(self.dir / "train.csv",
                           day=lambda rng, row: row % 9)
        self.check(models, train, self.OFF.format("day"))

    def test_conjugate_gradients(self):
        """They compute no sums of products, and no note is printed."""
        profile = write_rows(self.dir / "profile.csv")
        other = write_rows(self.dir / "other.csv",
                           hour=lambda rng, row: row % 31)
        models = self.both(ALL, profile, "--min-cg=0")
        for train in (profile, other):
            for options in ([], ["--stream"]):
                options = ["--solver=cg", *options]
                weights, told, notes = self.told(models[0], train, *options)
                self.assertEqual(told, {})
                self.assertFalse([n for n in notes if "levels" in n])
                expected, _, _ = self.told(models[1], train, *options)
                self.assertEqual(self.named(weights), expected)

    def test_levels_elsewhere(self):
        """Without a period a group may have its levels anywhere on the grid."""
        profile = write_rows(self.dir / "profile.csv")
        models = self.both("y ~ s(hour, k=9) + p(hour, deg=2)", profile)
        train = write_rows(self.dir / "train.csv",
                           hour=lambda rng, row, g: row % 24 + 1000 * g - 7)
        self.assert_agree(models, train, {"hour": 24})

    def test_segments(self):
        profile = write_rows(self.dir / "profile.csv")
        models = self.both(ALL, profile)
        train = write_rows(self.dir / "train.csv", SIZES,
                           hour=lambda rng, row: row % 24 + .5 * (row == 4999))
        self.check(models, train, self.OFF.format("hour"))

    def test_predictions_off_the_grid(self):
        train = write_rows(self.dir / "train.csv")
        models = self.both(ALL, train)
        # Far outside, differences by rounding grow.
        for first, last, tolerance in ((0, 23, 1e-10), (-4, 31, 1e-8)):
            new = write_rows(
                self.dir / "new.csv", hour=lambda rng, row, *, f=first, l=last:
                f + (l - f) * row / 239)
            self.assert_agree(models, train, {"hour": 24, "day": 7}, new,
                              tolerance)


class Devices(TestCase):
    OPTIONS = ()

    def test_simulated_device(self):
        train = write_rows(self.dir / "train.csv", (4500, 200))
        # Without loops first: that is what a device runs whose memory the CPU
        # cannot address.
        there = None
        for options in (["--fuse-rows=false"], []):
            model = self.compile(ALL, "--profile", train, ALWAYS, *options,
                                 **KEYS)
            expected, told, _ = self.told(model, train)
            self.assertEqual(len(told), 2)
            there = there or expected
            for more in ([], ["--stream"]):
                # Memory that the CPU can address, and memory that it cannot.
                for opaque in "01":
                    run = self.run_program(
                        model, "fit", train, "-o", "w", "--device", "sim",
                        *more, env=dict(
                            os.environ, TAMRT_LOG="debug",
                            TAMRT_SIM_OPAQUE=opaque,
                            TAMRT_BACKEND_PATH=str(test_faults.BACKENDS)))
                    self.assertEqual(run.returncode, 0, run.stderr)
                    kernels = re.search(test_faults.COUNTS, run.stderr)[3]
                    self.assertGreater(int(kernels), test_faults.TEST_KERNELS)
                    self.assertEqual((self.dir / "w").read_bytes(),
                                     there if opaque == "1" else expected)


if __name__ == "__main__":
    harness.main()
