#!/usr/bin/env python3
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sliding windows: `adapt` without a formula against a loop that fits and
predicts the rows of each window as files of their own."""

import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import BUILD, header, main, read_csv, write_csv
from windows import FORMULA, WindowsCase, make_rows

BACKENDS = BUILD / "test" / "backends"


class Windows(WindowsCase):
    """`adapt` without a formula."""

    def test_equals_a_loop(self):
        rows = make_rows(60)
        model = self.compile_windows()
        expected, coefficients = self.loop(model, rows, 30, 5, 3)
        data = write_csv(self.dir / "data.csv", rows)
        out = self.adapt(model, data, "--coefficients", "c.csv")
        self.assertEqual(header(out), ["site", "date", "prediction"])
        self.assertEqual(self.check(out, rows, expected, 1e-9), 2 * 28)
        got = {}
        firsts = {}
        for row in read_csv(self.dir / "c.csv"):
            key = row["site"], int(row["window"])
            got.setdefault(key, []).append(float(row["value"]))
            firsts[key] = row["date"]
        self.assertEqual(list(got), list(coefficients))
        for key, values in got.items():
            self.assert_close_to_norm(values, coefficients[key], 1e-8)
        own = [row["date"] for row in rows if row["site"] == "a"]
        self.assertEqual([firsts["a", w] for w in range(6)],
                         [own[32 + 5 * w] for w in range(6)])
        self.assertEqual(header(self.dir / "c.csv"),
                         ["site", "date", "window", "effect", "index",
                          "value"])

    def test_same_bytes(self):
        # Whatever the threads, chunks and windows at once, also if memory is
        # short.
        rows = make_rows(200)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        whole = self.adapt(model, data, "--coefficients", "c.csv",
                           "--threads", "1").read_bytes()
        table = (self.dir / "c.csv").read_bytes()
        for options in (["--threads", "3"], ["--windows", "1"],
                        ["--windows", "7", "--threads", "2"],
                        ["--chunk-rows", "4"], ["--memory", "2M"],
                        ["--placement", "solve=cpu"]):
            with self.subTest(options=options):
                out = self.adapt(model, data, "--coefficients", "c2.csv",
                                 *options, output="other.csv")
                self.assertEqual(out.read_bytes(), whole)
                self.assertEqual((self.dir / "c2.csv").read_bytes(), table)

    def test_shared_sums(self):
        # Windows with the same ranges share their sums: they equal fits of
        # their own except for rounding, and have the same bytes whatever is
        # fitted at once. Some windows here have ranges or levels of their own.
        rows = make_rows(260)
        for t, row in enumerate(rows):
            row["season"] = t // 2 % 12 / 12
            row["temp"] = 30 if t == 240 else row["temp"]
            # Levels that windows lose, and meet again in rows they predict.
            row["kind"] = "w" if t in (11, 300, 501) else row["kind"]
        data = write_csv(self.dir / "data.csv", rows)
        for formula, update, options in (
                ("y ~ s(season, k=4) + c(day, n_cat=7) + f(season, m=2, "
                 "period=(0,1))", 1, []),
                ("y ~ s(temp, k=4) + c(day, n_cat=7)", 3, []),
                ("y ~ c(kind) + l(season) + n(season, n_neurons=3)", 7,
                 ["--profile", data]),
                ("y ~ te(s(season, k=3), c(day, n_cat=7))", 30, [])):
            with self.subTest(formula=formula):
                model = self.compile_windows(formula, window=90, horizon=2,
                                             update=update, options=options)
                few = rows if update > 3 else rows[:2 * 150]
                expected, _ = self.loop(model, few, 90, update, 2)
                out = self.adapt(model, write_csv(self.dir / "few.csv", few))
                self.check(out, few, expected, 1e-9)
                whole = self.adapt(model, data, "--threads=1").read_bytes()
                for more in (["--threads=3"], ["--windows=1"],
                             ["--windows=70"], ["--chunk-rows=8"]):
                    self.assertEqual(
                        self.adapt(model, data, *more,
                                   output="other.csv").read_bytes(),
                        whole, more)

    def test_moving_ranges(self):
        # Windows whose ranges differ share sums, too, where bases follow from
        # each other, and so do windows of weighted rows.
        rows = make_rows(150)
        for t, row in enumerate(rows):
            row["season"] = t // 2 % 12 / 12
            # Now and then far from the others, or constant.
            row["far"] = (1e6 if t % 97 == 5 else t // 2 % 40) * (t < 230)
        data = write_csv(self.dir / "data.csv", rows)
        for formula, update, forget, keys in (
                ("y ~ l(trend, scaled=2) + c(day, n_cat=7)", 1, 1, {}),
                ("y ~ p(trend, deg=4) + s(season, k=4) + l(temp)", 2, 1, {}),
                ("y ~ l(far) + p(far, deg=3) + l(trend) + f(season, m=2, "
                 "period=(0,1))", 1, 1, {}),
                ("y ~ te(l(trend), c(day, n_cat=7)) + l(trend) + l(temp, "
                 "extrapolate=constant)", 3, 1, {}),
                ("y ~ l(trend) + c(day, n_cat=7)", 2, 0.9, {}),
                ("y ~ p(trend, deg=3) + s(season, k=4)", 1, 0.9,
                 {"weights": "w"}),
                ("y ~ l(temp) + c(day, n_cat=7)", 1, 0.02, {"weights": "w"}),
                ("y ~ s(season, k=4) + c(day, n_cat=7)", 1, 1,
                 {"weights": "w"}),
                # More rows between windows than are designed one by one.
                ("y ~ l(trend) + p(temp, deg=2) + c(day, n_cat=7)", 17, 0.97,
                 {"weights": "w"})):
            with self.subTest(formula=formula, forget=forget, **keys):
                model = self.compile_windows(formula, window=60, horizon=2,
                                             update=update, **keys)
                # A separate fit has the weights that forgetting gives.
                alone = self.compile_windows(formula, window=60, horizon=2,
                                             update=update, weights="w",
                                             name="alone")
                part = rows[:2 * 100]
                expected, _ = self.loop(
                    alone, part, 60, update, 2,
                    lambda row, age: (row["w"] if keys else 1)
                    * forget ** age)
                options = [f"--forget={forget}"] if forget < 1 else []
                out = self.adapt(model, write_csv(self.dir / "part.csv", part),
                                 *options)
                # If few rows count, the floor decides, and rounding with it.
                self.check(out, part, expected, 1e-9 if forget > .1 else 1e-7)
                whole = self.adapt(model, data, "--threads=1",
                                   *options).read_bytes()
                for more in (["--threads=3"], ["--windows=1"],
                             ["--windows=70"], ["--chunk-rows=8"]):
                    self.assertEqual(
                        self.adapt(model, data, *more, *options,
                                   output="other.csv").read_bytes(),
                        whole, more)

    def test_ill_conditioned_windows(self):
        # Rounding errors of shared sums would change the forecasts: such windows
        # are fitted by themselves, and counted.
        rows = make_rows(150, ("a",))
        draw = random.Random(7)
        for t, row in enumerate(rows):
            row["season"] = t % 48 / 48
            row["near"] = round(row["temp"] + draw.gauss(0, 1e-3), 5)
            row["far"] = round(1e4 + t / 200 + draw.gauss(0, 0.1), 3)
        terms = ("l(trend)", "p(trend, deg=4)", "p(trend, deg=7)",
                 "p(temp, deg=5)", "l(near)", "p(far, deg=4)",
                 "c(day, n_cat=7)", "s(season, k=6)",
                 "te(p(trend, deg=3), l(temp))")
        # At least one of each is so, and none.
        cases = [("p(trend, deg=7) + p(temp, deg=5) + c(day, n_cat=7)", 30, 2,
                  0.5, True),
                 ("l(trend) + p(trend, deg=7) + l(far)", 60, 2, 0.5, True),
                 ("l(trend) + c(day, n_cat=7)", 60, 2, 1, False)]
        cases += [(" + ".join(draw.sample(terms, draw.randint(1, 4))),
                   draw.choice((30, 60)), draw.choice((2, 3)),
                   draw.choice((1, 0.95, 0.8, 0.5)), None)
                  for _ in range(5)]
        data = write_csv(self.dir / "data.csv", rows)
        for formula, window, update, forget, is_so in cases:
            with self.subTest(formula=formula, forget=forget):
                model = self.compile_windows("y ~ " + formula, window=window,
                                             horizon=1, update=update)
                alone = self.compile_windows("y ~ " + formula, window=window,
                                             horizon=1, update=update,
                                             weights="w", name="alone")
                part = rows[:100]
                expected, _ = self.loop(alone, part, window, update, 1,
                                        lambda row, age: forget ** age)
                options = [f"--forget={forget}"] if forget < 1 else []
                out = self.dir / "out.csv"
                run = self.run_program(
                    model, "adapt", write_csv(self.dir / "part.csv", part),
                    "-o", out, "--timings=json", *options,
                    env=dict(os.environ, TAMRT_LOG="info"))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.check(out, part, expected, 1e-9)
                told = json.loads(next(line for line in run.stderr.splitlines()
                                       if line.startswith("{")))
                count = told["uncertain windows"]
                if is_so is not None:
                    self.assertEqual(count > 0, is_so, told)
                self.assertEqual(
                    f"info: {count} of {told['fitted windows']} windows were fitted "
                    "by themselves: rounding" in run.stderr, count > 0)
                # Which ones does not depend on what is fitted or solved at once.
                least = self.least_memory(model, data, *options)
                whole = self.adapt(model, data, "--threads=1",
                                   *options).read_bytes()
                for more in (["--threads=3"], ["--windows=1"],
                             ["--memory", least],
                             ["--chunk-rows=8"]):
                    self.assertEqual(
                        self.adapt(model, data, *more, *options,
                                   output="other.csv").read_bytes(),
                        whole, more)

    def test_device(self):
        # Sums on a device whose memory the CPU does not address.
        if not any(BACKENDS.glob("libtamrt-backend-sim*")):
            self.skipTest("there is no simulated device")
        data = write_csv(self.dir / "data.csv", make_rows(100))
        formula = "y ~ p(trend, deg=2) + c(day, n_cat=7)"
        model = self.compile_windows(formula, window=40, update=1,
                                     options=["--device-steps=true"])
        # What a device runs whose memory the CPU cannot address.
        kernels = self.compile_windows(formula, window=40, update=1,
                                       options=["--fuse-rows=false"],
                                       name="kernels")
        for options in ([], ["--forget=0.97"]):
            there = self.adapt(kernels, data, *options).read_bytes()
            expected = self.adapt(model, data, *options).read_bytes()
            for opaque in "01":
                environment = dict(os.environ, TAMRT_SIM_OPAQUE=opaque,
                                   TAMRT_BACKEND_PATH=str(BACKENDS))
                self.succeed(model, "adapt", data, "-o", "sim.csv",
                             "--device=sim", *options, env=environment)
                self.assertEqual((self.dir / "sim.csv").read_bytes(),
                                 there if opaque == "1" else expected,
                                 (options, opaque))

    def test_windows_without_weight(self):
        rows = make_rows(60)
        for t, row in enumerate(rows):
            row["w"] = int(t < 30 or t >= 100)
        model = self.compile_windows("y ~ l(trend)", window=20, update=1,
                                     horizon=1, weights="w")
        self.assertRegex(
            self.refuse(model, "adapt",
                        write_csv(self.dir / "data.csv", rows), "-o", "x.csv"),
            r"a, rows \d+ to \d+.*weight")

    def test_too_little_memory(self):
        model = self.compile_windows()
        data = write_csv(self.dir / "data.csv", make_rows(60))
        error = self.refuse(model, "adapt", data, "-o", "out.csv",
                            "--memory", "1K")
        self.assertIn("60% of 1024 bytes free", error)
        self.assertFalse((self.dir / "out.csv").exists())

    def test_least_memory(self):
        # What the message asks for is enough, and less than the sums of all
        # windows of a unit take, of which fewer are kept then.
        data = write_csv(self.dir / "data.csv", make_rows(150))
        for update, options in ((1, []), (1, ["--forget=0.99"]), (7, [])):
            with self.subTest(update=update, options=options):
                model = self.compile_windows(
                    "y ~ s(temp, k=20) + c(day, n_cat=7)", window=60,
                    update=update, horizon=1)
                whole = self.adapt(model, data, *options).read_bytes()
                least = self.least_memory(model, data, *options)
                if update == 1:
                    columns = 1 + 20 + 7
                    self.assertLess(least,
                                    60 * 8 * columns * (columns + 1) // 2)
                for memory in (least, least * 5 // 4, 2 * least, 8 * least):
                    for threads in (1, 3):
                        out = self.adapt(model, data, "--memory", memory,
                                         "--threads", threads, *options,
                                         output="other.csv")
                        self.assertEqual(out.read_bytes(), whole)
                self.refuse(model, "adapt", data, "-o", "no.csv", "--memory",
                            least - 1, *options)

    def test_memory_of_single_windows(self):
        # Windows whose sums no other one shares are solved one at a time: the
        # thread has no memory for a bundle of eight systems.
        model = self.compile_windows("y ~ s(trend, k=41)", window=60, update=20,
                                     horizon=1)
        data = write_csv(self.dir / "data.csv", make_rows(130))
        run = self.run_program(model, "adapt", data, "-o", "out.csv",
                               "--threads", "1",
                               env=dict(os.environ, TAMRT_LOG="info"))
        self.assertEqual(run.returncode, 0, run.stderr)
        most = [int(bytes) for bytes in re.findall(
            "memory of 'cpu', .*, at most ([0-9]+); ", run.stderr)]
        columns = 1 + 41
        self.assertLess(max(most), 8 * 8 * 2 * columns**2)

    def test_terms(self):
        # Levels of each window's own rows, tables that are learnt or drawn,
        # periods, recursions and conjugate gradients.
        rows = make_rows(50)
        for formula, options, tolerance in (
                ("y ~ c(kind) + c(day, unseen=mean)", ["--profile"], 1e-12),
                ("y ~ f(temp, m=3, period=auto) + w(trend)", [], None),
                ("y ~ rbf(temp, n_centers=5) + n(trend, n_neurons=4)", [],
                 None),
                ("y ~ t(temp, n_trees=3, max_depth=2, sp_alpha=1)", [], 1e-9),
                ("y ~ pid(temp, w=3) + te(s(temp, k=3), c(day, n_cat=7))", [],
                 None),
                ("y ~ s(temp, k=5)", ["--solver", "cg"], None)):
            with self.subTest(formula=formula):
                data = write_csv(self.dir / "data.csv", rows)
                if options == ["--profile"]:
                    options = ["--profile", data]
                model = self.compile_windows(formula, window=20, update=9,
                                             horizon=1, options=options)
                expected, _ = self.loop(model, rows, 20, 9, 1)
                self.check(self.adapt(model, data), rows, expected, tolerance)

    def test_order_and_keys(self):
        # Rows in any order of the file; without keys the file's order is that
        # of time.
        rows = make_rows(60)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        sorted_rows = {(row["site"], row["date"]): row["prediction"]
                       for row in read_csv(self.adapt(model, data))}
        random.Random(4).shuffle(rows)
        out = read_csv(self.adapt(
            model, write_csv(self.dir / "shuffled.csv", rows)))
        self.assertEqual([(row["site"], row["date"]) for row in out],
                         [(row["site"], row["date"]) for row in rows])
        self.assertEqual({(row["site"], row["date"]): row["prediction"]
                          for row in out}, sorted_rows)
        own = [row for row in make_rows(60) if row["site"] == "a"]
        model = self.compile_windows(group=None, date=None, name="plain")
        out = self.adapt(model, write_csv(self.dir / "own.csv", own),
                         "--coefficients", "c.csv")
        self.assertEqual(header(out), ["prediction"])
        self.assertEqual(header(self.dir / "c.csv"),
                         ["window", "effect", "index", "value"])
        self.assertEqual([row["prediction"] for row in read_csv(out)],
                         [sorted_rows["a", row["date"]] for row in own])

    def test_output_that_fails(self):
        data = write_csv(self.dir / "data.csv", make_rows(60))
        kept = self.dir / "kept.csv"
        kept.write_text("old")
        run = self.run_program(self.compile_windows(), "adapt", data, "-o",
                               "/dev/full", "--coefficients", kept)
        self.assertIn("cannot write", run.stderr)
        self.assertEqual(kept.read_text(), "old")

    def test_weights_and_forgetting(self):
        rows = make_rows(50)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows(weights="w")
        expected, _ = self.loop(model, rows, 30, 5, 3)
        self.check(self.adapt(model, data), rows, expected, 1e-10)
        expected, _ = self.loop(model, rows, 30, 5, 3,
                                lambda row, age: row["w"] * 0.9 ** age)
        self.check(self.adapt(model, data, "--forget", "0.9"), rows, expected,
                   1e-10)
        # Without a column the rows have the weights of their age alone.
        plain = self.compile_windows(name="plain")
        expected, _ = self.loop(model, rows, 30, 5, 3,
                                lambda row, age: 0.9 ** age)
        self.check(self.adapt(plain, data, "--forget=0.9"), rows, expected,
                   1e-10)
        for value in ("0", "1.5", "-1", "x"):
            self.assertIn("--forget", self.refuse(
                model, "adapt", data, "-o", "x.csv", "--forget", value))

    def test_missing_targets(self):
        # A target may be missing where no window trains: after the last one,
        # and before the first if the horizon leaves a rest.
        rows = make_rows(60)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        whole = self.adapt(model, data).read_bytes()
        for row in rows[2 * 55:]:
            row["y"] = ""
        out = self.adapt(model, write_csv(self.dir / "new.csv", rows))
        self.assertEqual(out.read_bytes(), whole)
        rows[2 * 54 + 1]["y"] = "NA"
        rows[2 * 54]["y"] = "NaN"
        error = self.refuse(
            model, "adapt", write_csv(self.dir / "bad.csv", rows), "-o",
            "bad-out.csv")
        self.assertIn(
            "bad.csv: line 110: column 'y': group 'b': expected a finite "
            "value in a row that a window trains on, got a missing value",
            error)
        self.assertFalse((self.dir / "bad-out.csv").exists())
        rows[-1]["temp"] = ""
        error = self.refuse(
            model, "adapt", write_csv(self.dir / "bad.csv", rows))
        self.assertIn("line 121: column 'temp': group 'a': expected a finite "
                      "value, got a missing value", error)

    def test_short_groups(self):
        rows = make_rows(40, ("a",)) + make_rows(32, ("b",))
        model = self.compile_windows()
        run = self.run_program(
            model, "adapt", write_csv(self.dir / "data.csv", rows), "-o",
            "out.csv")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("note: no forecast for 1 of 2 groups, which have fewer "
                      "than 33 rows", run.stderr)
        out = read_csv(self.dir / "out.csv")
        self.assertEqual([row["prediction"] == "" for row in out],
                         [True] * 32 + [False] * 8 + [True] * 32)
        data = write_csv(self.dir / "data.csv", rows[40:])
        self.assertIn(
            "data.csv: expected a group of more than 32 rows, a window and "
            "its horizon, got at most 32",
            self.refuse(model, "adapt", data, "-o", "short.csv"))
        self.assertFalse((self.dir / "short.csv").exists())

    def test_errors(self):
        rows = make_rows(40)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        self.assertIn("expected no --weights, because 'adapt' of the spec has "
                      "no formula",
                      self.refuse(model, "adapt", data, "--weights", "w"))
        self.assertIn("unexpected argument",
                      self.refuse(model, "adapt", data, "--drop-missing"))
        self.assertIn("expected a file of its own for the coefficients, got "
                      "the data of the run",
                      self.refuse(model, "adapt", data, "--coefficients",
                                  data))
        plain = self.compile(FORMULA, name="plain")
        self.assertIn("expected a model whose spec has 'adapt', got one "
                      "without", self.refuse(plain, "adapt", data))
        # An error of a fit names the window.
        model = self.compile_windows("y ~ l(temp)", name="overflow",
                                     weights="w")
        for row in rows[:2 * 30]:
            row["w"] = 0
        self.assertIn(
            "data.csv: column 'w': group 'a, rows 1 to 30': expected a row "
            "weight above 0, got none",
            self.refuse(model, "adapt", write_csv(data, rows)))

    def test_other_numbers_of_rows(self):
        # Options replace those of the spec.
        rows = make_rows(80)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        for window, update, horizon in ((20, 4, 1), (30, 1, 6)):
            with self.subTest(window=window):
                wanted = self.adapt(self.compile_windows(
                    window=window, update=update, horizon=horizon,
                    name="other"), data, output="wanted.csv").read_bytes()
                out = self.adapt(model, data, "--window", str(window),
                                 "--update", str(update), "--horizon",
                                 str(horizon))
                self.assertEqual(out.read_bytes(), wanted)
        out = self.adapt(model, data, "--horizon=6", "--update=1")
        self.assertEqual(out.read_bytes(), wanted)
        self.assertIn("expected a group of more than 80 rows, a window and its "
                      "horizon, got at most 80",
                      self.refuse(model, "adapt", data, "--window=80",
                                  "--horizon=1"))
        for option in ("--window=0", "--update=x", "--horizon=-1",
                       "--window=4294967296"):
            self.assertIn(option.split("=")[0],
                          self.refuse(model, "adapt", data, option))

    def test_penalties(self):
        # --ap is that of the windows' fits, which share sums or do not.
        rows = make_rows(120)
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile_windows()
        other = self.compile_windows(
            "y ~ l(trend) + s(temp, k=4, ap=2) + c(day, n_cat=7)", name="other")
        for options in (["--update=1"], ["--update=30"],
                        ["--update=1", "--forget=0.98"],
                        ["--update=30", "--forget=0.98"],
                        ["--update=1", "--windows=1"]):
            with self.subTest(options=options):
                plain = self.adapt(model, data, *options).read_bytes()
                out = self.adapt(model, data, "--ap=temp=2", *options)
                self.assertNotEqual(out.read_bytes(), plain)
                self.assertEqual(
                    out.read_bytes(),
                    self.adapt(other, data, *options,
                               output="wanted.csv").read_bytes())
        self.assertIn("--ap: expected one of the penalties",
                      self.refuse(model, "adapt", data, "--ap=other=1"))

    def test_fit_is_the_same(self):
        # The key changes neither weights nor the spec that they belong to.
        rows = make_rows(40)
        data = write_csv(self.dir / "data.csv", rows)
        with_key = self.fit(self.compile_windows(), data, weights="a")
        plain = self.compile(FORMULA, group="site", date="date")
        self.assertEqual(with_key.read_bytes(),
                         self.fit(plain, data, weights="b").read_bytes())

    def test_plan_and_info(self):
        model = self.compile_windows()
        info = self.succeed(model, "info")
        self.assertIn("windows of 30 rows, update 5, horizon 3", info)
        self.assertIn("window fit", info)
        plan = self.succeed(model, "plan")
        self.assertIn("window_fit_chunk", plan)


main()
