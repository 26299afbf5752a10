#!/usr/bin/env python3
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`adapt --stream` against `adapt`: the same tables, errors and notes, with
memory that does not grow with the rows."""

import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness
from harness import TestCase, main, write_csv

TERMS = ("l(trend)", "s(temp, k=4)", "c(day, n_cat=7)", "c(kind)",
         "p(trend, deg=3)", "f(season, m=2, period=(0,1))", "w(temp)",
         "f(temp, m=2, period=auto)", "rbf(temp, n_centers=4)",
         "n(trend, n_neurons=3)", "t(temp, n_trees=2, max_depth=2)",
         "pid(temp, w=3)", "te(s(season, k=3), c(day, n_cat=7))",
         "c(day, unseen=mean)", "l(temp, extrapolate=constant)")
# Rows read at once: about one, some, and all.
CHUNKS = (["--chunk-rows=1"], ["--chunk-rows=1", "--threads=1"],
          ["--chunk-rows=37", "--threads=3"], [])


def make_rows(count, groups, order, draw):
    """Rows of groups in turns ("turns"), one after another ("major"), or with
    many of one between two of another ("uneven")."""
    rows = []
    for place, group in enumerate(groups):
        own = count - 13 * place
        for t in range(own):
            temp = 10 + 8 * math.sin(t / 9) + draw.gauss(0, 2)
            when = {"turns": (t, place), "major": (place, t),
                    "uneven": (t // (5 + 30 * place), place, t)}[order]
            rows.append((when, {
                "date": f"{t:05}", "site": group, "trend": t,
                "temp": round(temp, 3), "day": t % 7, "season": t % 12 / 12,
                "kind": draw.choice("xyz") + ("" if t < own / 2 else "'"),
                "w": draw.randint(1, 4),
                "y": round(0.02 * t + (temp - 10) ** 2 / 20 + t % 7
                           + draw.gauss(0, 0.3), 6)}))
    rows.sort(key=lambda row: row[0])
    return [dict(row, date=1 + int(row["date"])) for _, row in rows]


class Stream(TestCase):
    def compile_windows(self, formula, window=30, update=5, horizon=3,
                        correction="", options=(), name="model", **keys):
        keys = {"group": "site", "date": "date", **keys}
        head = f"formula: '{correction}', " if correction else ""
        return self.compile(
            formula, *options, name=name,
            adapt="{%swindow: %d, update: %d, horizon: %d}"
            % (head, window, update, horizon),
            **{key: value for key, value in keys.items() if value})

    def notes(self, model, data, *options, table="out.csv"):
        """Runs; returns stderr without what only a stream says."""
        run = self.run_program(model, "adapt", data, "-o", self.dir / table,
                               *options)
        return run.returncode, "".join(
            line for line in run.stderr.splitlines(True)
            if "--stream" not in line)

    def check_same(self, model, data, *options, chunks=CHUNKS):
        """Both tables, status and messages of a run in memory and of streams;
        returns the messages."""
        out, coefficients = self.dir / "out.csv", self.dir / "c.csv"
        expected = None
        for more in (None, *chunks):
            for path in (out, coefficients):
                path.unlink(missing_ok=True)
            got = [*self.notes(
                model, data, "--coefficients", coefficients, *options,
                *([] if more is None else ["--stream", *more]))]
            got += [path.exists() and path.read_bytes()
                    for path in (out, coefficients)]
            if expected is None:
                expected = got
            self.assertEqual(got, expected, (options, more))
        return expected[1]

    def test_random(self):
        draw = random.Random(11)
        for case in range(12):
            groups = draw.choice((["a"], ["b", "a"], ["3", "1.0", "2", "1"]))
            order = draw.choice(("turns", "major", "uneven"))
            update = draw.choice((1, 2, 7, 24, 48))
            formula = "y ~ " + " + ".join(
                draw.sample(TERMS, draw.randint(1, 3)))
            keys = {"weights": draw.choice((None, "w"))}
            if len(groups) == 1:
                keys |= {"group": None} if draw.random() < 0.5 else {}
                keys |= {"date": None} if draw.random() < 0.5 else {}
            rows = make_rows(draw.choice((60, 130)), groups, order, draw)
            if groups[0] == "b":
                # Targets are missing where no window trains.
                for row in {row["site"]: row for row in rows}.values():
                    row["y"] = ""
            options = draw.choice(([], ["--forget=0.95"], ["--windows=2"]))
            with self.subTest(case=case, formula=formula, order=order,
                              update=update, options=options, **keys):
                data = write_csv(self.dir / "data.csv", rows)
                model = self.compile_windows(
                    formula, window=draw.choice((12, 40)), update=update,
                    horizon=draw.choice((1, 5)),
                    options=["--profile", data], **keys)
                self.check_same(model, data, *options)
                self.assertTrue((self.dir / "out.csv").exists())

    def test_correction(self):
        draw = random.Random(3)
        for order, update, keys in (("turns", 1, {}), ("major", 24, {}),
                                    ("uneven", 48, {"weights": "w"})):
            rows = make_rows(150, ["b", "a", "c"], order, draw)
            data = write_csv(self.dir / "data.csv", rows)
            with self.subTest(order=order, update=update):
                model = self.compile_windows(
                    "y ~ s(temp, k=4) + c(day, n_cat=7) + c(kind)", window=40,
                    update=update, correction="residual ~ l(effect_temp) + "
                    "c(kind) + l(season) + l(effect_kind)",
                    options=["--profile", data], **keys)
                weights = self.fit(model, data)
                self.check_same(model, data, "--weights", weights)

    def test_large_file(self):
        # Several blocks and pieces; and coefficients of groups whose turn has
        # not come take more than the memory for them.
        draw = random.Random(5)
        model = self.compile_windows(
            "y ~ s(temp, k=12) + c(day, n_cat=7) + s(season, k=9)", window=60,
            update=1, horizon=1)
        data = write_csv(self.dir / "data.csv", make_rows(
            9000, ["z", "b", "a"], "major", draw))
        self.check_same(model, data, chunks=(["--chunk-rows=900"], []))

    def test_errors(self):
        # The same error, whatever comes first in the file.
        draw = random.Random(7)
        rows = make_rows(70, ["b", "a"], "turns", draw)
        plain = self.compile_windows("y ~ l(trend) + s(temp, k=4)",
                                     weights="w", window=20, update=3)
        cases = {"missing": {90: {"y": ""}, 31: {"y": ""}},
                 "number": {100: {"temp": "warm"}, 20: {"y": ""}},
                 "infinite": {100: {"temp": "inf"}, 20: {"y": ""}},
                 "group": {100: {"site": ""}},
                 "date": {100: {"date": "x"}},
                 "weight": {100: {"w": -1}}}
        for name, changes in cases.items():
            with self.subTest(name=name):
                changed = [row | changes.get(i, {})
                           for i, row in enumerate(rows)]
                told = self.check_same(
                    plain, write_csv(self.dir / "data.csv", changed))
                self.assertIn("error: ", told)
        with self.subTest(name="windows without weight"):
            changed = [row | ({"w": 0} if 50 < i < 110 else {})
                       for i, row in enumerate(rows)]
            self.assertRegex(self.check_same(
                plain, write_csv(self.dir / "data.csv", changed)),
                r"error: .*'a, rows \d+ to \d+'.*weight")
        with self.subTest(name="forecast"):
            changed = [row | ({"trend": "1e308"} if i in (110, 121) else {})
                       for i, row in enumerate(rows)]
            self.check_same(plain, write_csv(self.dir / "data.csv", changed))
        with self.subTest(name="short"):
            self.assertIn("got at most 70", self.check_same(
                plain, write_csv(self.dir / "data.csv", rows),
                "--window=70"))
            self.assertIn("no forecast for 1 of 2 groups", self.check_same(
                plain, write_csv(self.dir / "data.csv", rows),
                "--window=57"))

    def test_rows_that_must_be_kept(self):
        draw = random.Random(9)
        model = self.compile_windows("y ~ l(trend)")
        rows = make_rows(60, ["b", "a"], "turns", draw)
        draw.shuffle(rows)
        data = write_csv(self.dir / "data.csv", rows)
        self.check_same(model, data)
        run = self.run_program(model, "adapt", data, "--stream", "-o", "x.csv")
        self.assertRegex(run.stderr, r"note: --stream keeps all rows, \d+ "
                         r"bytes: the dates of group '[ab]' are not in order")
        pid = self.compile_windows(
            "y ~ pid(temp, w=3)", correction="residual ~ l(trend)", name="pid")
        weights = self.fit(pid, data)
        run = self.run_program(pid, "adapt", data, "--stream", "-o", "x.csv",
                               "--weights", weights)
        self.assertIn("--stream keeps all rows: a prediction needs those "
                      "before it", run.stderr)
        with open(data, "rb") as file:
            piped = subprocess.Popen(["cat"], stdin=file,
                                     stdout=subprocess.PIPE)
            run = subprocess.run(
                [model, "adapt", "-", "--stream", "-o", self.dir / "p.csv"],
                stdin=piped.stdout, capture_output=True, text=True)
            piped.stdout.close()
            piped.wait()
        self.assertIn("leave out --stream", run.stderr)

    def test_least_memory(self):
        # What the error asks for is enough, and `info` says what windows hold.
        draw = random.Random(13)
        model = self.compile_windows("y ~ l(trend)", window=200, update=50)
        groups = [f"g{i}" for i in range(20)]
        data = write_csv(self.dir / "data.csv",
                         make_rows(700, groups, "turns", draw))
        self.succeed(model, "adapt", data, "-o", "whole.csv")
        run = self.run_program(model, "adapt", data, "--stream", "-o", "x.csv",
                               "--memory=500K")
        self.assertEqual(run.returncode, 1)
        match = re.search(r"error: .*expected (\d+) bytes of memory for the "
                          r"rows that windows of 20 groups hold at a time.* "
                          r"(\d+) bytes more would do", run.stderr)
        self.assertTrue(match, run.stderr)
        self.assertFalse((self.dir / "x.csv").exists())
        self.succeed(model, "adapt", data, "--stream", "-o", "x.csv",
                     f"--memory={500 * 1024 + int(match[2])}")
        self.assertEqual((self.dir / "x.csv").read_bytes(),
                         (self.dir / "whole.csv").read_bytes())
        info = json.loads(self.succeed(model, "info", "--format=json"))
        need = info["adapt"]["stream"]
        self.assertLess(
            20 * min(700, need["rows_per_group"]) * need["per_row"],
            2 * int(match[1]))
        # So does `plan --memory`, with all groups open.
        least = 500 * 1024
        for fits in (False, True):
            plan = json.loads(self.succeed(
                model, "plan", "--format=json", "--rows=14000", "--groups=20",
                f"--memory={least}"))["stream"]
            self.assertEqual(plan["fits"], fits)
            least = plan["least_memory"]
            self.assertEqual(plan["bytes"], 20 * need["rows_per_group"]
                             * need["per_row"])
            self.assertLess(abs(plan["least_memory"] - 500 * 1024
                                - int(match[2])), 40_000)
        self.assertIn("window rows of a stream: fits: at most ", self.succeed(
            model, "plan", "--memory=2M"))
        self.assertIn("window rows of a stream: does not fit: ", self.succeed(
            model, "plan", "--rows=14000", "--groups=20",
            f"--memory={least - 1}"))
        # One after another they need less.
        major = write_csv(self.dir / "major.csv",
                          make_rows(700, groups, "major", draw))
        self.succeed(model, "adapt", major, "--stream", "-o", "x.csv",
                     "--memory=500K")

    def test_rows_far_apart(self):
        # Rows of another group wait for the last rows of the first one.
        draw = random.Random(15)
        model = self.compile_windows("y ~ l(trend)", window=20, update=5)
        rows = make_rows(40, ["a"], "turns", draw)
        rows[30:30] = make_rows(20_000, ["b"], "turns", draw)
        data = write_csv(self.dir / "data.csv", rows)
        run = self.run_program(model, "adapt", data, "--stream", "-o", "x.csv",
                               "--memory=500K", "--chunk-rows=500")
        self.assertIn("rows of a group are far from each other", run.stderr)
        self.assertFalse((self.dir / "x.csv").exists())
        self.check_same(model, data, chunks=(["--chunk-rows=500"],))

    def peak(self, model, data, *options):
        """The largest resident memory of a run, in KiB."""
        return harness.largest_resident(model, "adapt", data, "-o", os.devnull,
                                        "--threads=1", *options) / 1024

    def test_memory_does_not_grow_with_rows(self):
        model = self.compile_windows("y ~ l(trend) + c(day, n_cat=7)",
                                     window=96, update=48)
        for order in ("turns", "major"):
            peaks = []
            for count in (6_000, 60_000):
                data = write_csv(self.dir / f"{count}.csv", make_rows(
                    count, ["b", "a", "d", "c"], order, random.Random(1)))
                peaks.append(self.peak(model, data, "--stream",
                                       "--chunk-rows=2000"))
            whole = self.peak(model, data)
            with self.subTest(order=order, peaks=peaks, whole=whole):
                self.assertLess(peaks[1], 1.1 * peaks[0])
                self.assertGreater(whole, 1.5 * peaks[1])

    def test_help(self):
        model = self.compile_windows("y ~ l(trend)")
        self.assertRegex(self.succeed(model, "adapt", "--help"),
                         r"--stream +Read the file twice instead of keeping "
                         r"its rows")


main()
