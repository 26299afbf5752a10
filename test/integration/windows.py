# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with sliding windows, and a loop that fits and predicts the rows of
each window as files of their own."""

import math
import random
import re

from harness import CPU_ALONE, TestCase, read_csv, write_csv

FORMULA = "y ~ l(trend) + s(temp, k=4) + c(day, n_cat=7)"


def make_rows(count, groups=("b", "a"), seed=1):
    """Rows of groups in turns, each group's dates in order."""
    draw = random.Random(seed)
    rows = []
    for t in range(count):
        for group in groups:
            temp = 10 + 8 * math.sin(t / 9) + draw.gauss(0, 2)
            rows.append({
                "date": f"2020-01-01T{t // 60 % 24:02}:{t % 60:02}:00"
                        if count <= 1440 else t,
                "site": group, "trend": t, "temp": round(temp, 3),
                "day": t % 7, "kind": draw.choice("xyz"),
                "w": draw.randint(1, 4),
                "y": round(0.02 * t + (temp - 10) ** 2 / 20 + t % 7
                           + draw.gauss(0, 0.3), 6)})
    return rows


def windows_of(count, window, update, horizon):
    """(first training row, first predicted row, end of those)."""
    start = window + horizon - 1
    return [(s - horizon + 1 - window, s, min(s + update, count))
            for s in range(start, count, update)]


class WindowsCase(TestCase):
    """Runs `adapt` and a loop of fits."""

    OPTIONS = CPU_ALONE

    def compile_windows(self, formula=FORMULA, window=30, update=5, horizon=3,
                        options=(), name="model", **keys):
        keys.setdefault("group", "site")
        keys.setdefault("date", "date")
        return self.compile(
            formula, *options, name=name, adapt="{window: %d, update: %d, "
            "horizon: %d}" % (window, update, horizon),
            **{key: value for key, value in keys.items() if value})

    def adapt(self, model, data, *options, output="out.csv"):
        self.succeed(model, "adapt", data, "-o", self.dir / output, *options)
        return self.dir / output

    def least_memory(self, model, data, *options):
        """The bytes that an error asks for."""
        error = self.refuse(model, "adapt", data, "-o", "no.csv",
                            "--memory", 1, *options)
        more = re.search(r" (\d+) bytes more would do", error)
        self.assertIsNotNone(more, error)
        return 1 + int(more[1])

    def refuse(self, model, *arguments):
        run = self.run_program(model, *arguments)
        self.assertEqual(run.returncode, 1, run.stderr)
        return run.stderr

    def loop(self, model, rows, window, update, horizon, weigh=None):
        """The predictions and coefficients by group and row of independent
        fits."""
        predictions, coefficients = {}, {}
        groups = {row["site"] for row in rows}
        for group in sorted(groups):
            own = [row for row in rows if row["site"] == group]
            for w, (train, first, end) in enumerate(
                    windows_of(len(own), window, update, horizon)):
                part = own[train:train + window]
                if weigh:
                    part = [dict(row, w=weigh(row, window - 1 - i))
                            for i, row in enumerate(part)]
                weights = self.fit(
                    model, write_csv(self.dir / "part.csv", part),
                    weights="part.safetensors")
                out = read_csv(self.predict(model, write_csv(
                    self.dir / "new.csv", own[first:end]), weights,
                    output="part-out.csv"))
                for i, row in enumerate(out):
                    predictions[group, first + i] = row["prediction"]
                coefficients[group, w] = self.coefficients(
                    model, weights)[group]
        return predictions, coefficients

    def check(self, out, rows, expected, tolerance=None):
        """Compares a table with the predictions of `loop`; returns the number
        of forecasts."""
        table = read_csv(out)
        self.assertEqual(len(table), len(rows))
        place, found = {}, 0
        for row, got in zip(rows, table):
            group = row["site"]
            t = place.get(group, 0)
            place[group] = t + 1
            self.assertEqual((got["site"], got["date"]),
                             (group, str(row["date"])))
            want = expected.get((group, t), "")
            if want and tolerance:
                self.assert_close([float(got["prediction"])], [float(want)],
                                  tolerance)
            else:
                self.assertEqual(got["prediction"], want, (group, t))
            found += want != ""
        self.assertEqual(found, len(expected))
        return found
