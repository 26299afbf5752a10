#!/usr/bin/env python3
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corrections: `adapt` with a formula against a loop that fits and predicts the
rows of each window as files of their own."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import DATA, TAMC, header, main, read_csv, write_csv
from windows import FORMULA, WindowsCase, make_rows

RESIDUAL = "residual ~ l(effect_temp) + c(day, n_cat=7) + s(trend, k=3)"


class Correction(WindowsCase):
    """`adapt` with a formula, of the residuals of a fit."""

    def setUp(self):
        super().setUp()
        self.rows = make_rows(60)
        self.data = write_csv(self.dir / "data.csv", self.rows)
        self.model = self.compile(
            FORMULA, group="site", date="date",
            adapt="{formula: '%s', window: 20, update: 6, horizon: 2}"
            % RESIDUAL)
        self.weights = self.fit(self.model, write_csv(
            self.dir / "train.csv", self.rows[:2 * 40]))

    def test_equals_a_loop(self):
        base = self.predict(self.model, self.data, self.weights,
                            output="base.csv")
        self.succeed(self.model, "decompose", self.data, "--weights",
                     self.weights, "-o", "effects.csv")
        residuals = [dict(row, effect_temp=effect["temp"],
                          residual=repr(row["y"] - float(of["prediction"])))
                     for row, of, effect in zip(
                         self.rows, read_csv(base),
                         read_csv(self.dir / "effects.csv"))]
        correction = self.compile(RESIDUAL, name="correction", group="site",
                                  date="date")
        expected, coefficients = self.loop(correction, residuals, 20, 6, 2)
        out = self.adapt(self.model, self.data, "--weights", self.weights,
                         "--coefficients", "c.csv")
        self.assertEqual(header(out), ["site", "date", "prediction", "base",
                                       "correction"])
        table = read_csv(out)
        for row, of in zip(table, read_csv(base)):
            self.assertEqual(row["base"], of["prediction"])
            self.assertEqual(row["prediction"] == "",
                             row["correction"] == "")
            if row["prediction"]:
                self.assertEqual(
                    float(row["prediction"]),
                    float(row["base"]) + float(row["correction"]))
        corrections = [dict(row, prediction=row["correction"])
                       for row in table]
        self.assertEqual(self.check(
            write_csv(self.dir / "corrections.csv", corrections), self.rows,
            expected), 2 * 39)
        got = {}
        for row in read_csv(self.dir / "c.csv"):
            got.setdefault((row["site"], int(row["window"])), []).append(
                float(row["value"]))
        self.assertEqual(got, coefficients)

    def test_same_bytes(self):
        whole = self.adapt(self.model, self.data, "--weights", self.weights,
                           "--threads", "1").read_bytes()
        for options in (["--threads", "3"], ["--windows", "2"],
                        ["--chunk-rows", "4"]):
            self.assertEqual(self.adapt(
                self.model, self.data, "--weights", self.weights, *options,
                output="other.csv").read_bytes(), whole, options)

    def test_penalties(self):
        # --ap names penalties of the correction, and leaves the base alone.
        wanted = self.compile(
            FORMULA, group="site", date="date", name="other",
            adapt="{formula: '%s', window: 20, update: 6, horizon: 2}"
            % RESIDUAL.replace("k=3", "k=3, ap=1"))
        expected = self.adapt(wanted, self.data, "--weights", self.weights,
                              output="wanted.csv").read_bytes()
        got = self.adapt(self.model, self.data, "--weights", self.weights,
                         "--ap=trend=1").read_bytes()
        self.assertEqual(got, expected)
        self.assertNotEqual(got, self.adapt(
            self.model, self.data, "--weights", self.weights).read_bytes())
        self.assertIn("--ap: expected one of the penalties 'offset', "
                      "'effect_temp'", self.refuse(
                          self.model, "adapt", self.data, "--weights",
                          self.weights, "--ap=temp=1"))

    def test_levels_of_both(self):
        # A column whose levels both models read; those of a window are its
        # own.
        for row in self.rows[:2 * 30]:
            row["kind"] = "x" if row["kind"] == "z" else row["kind"]
        data = write_csv(self.dir / "levels.csv", self.rows)
        model = self.compile(
            "y ~ c(kind)", "--profile", data, group="site", date="date",
            name="levels",
            adapt="{formula: residual ~ c(kind) + l(effect_kind), window: 20,"
                  " update: 6, horizon: 2}")
        weights = self.fit(model, data)
        base = read_csv(self.predict(model, data, weights, output="base.csv"))
        residuals = [dict(row, effect_kind=repr(
            float(effect["kind"])),
            residual=repr(row["y"] - float(of["prediction"])))
            for row, of, effect in zip(self.rows, base, self.effects(
                model, data, weights))]
        correction = self.compile(
            "residual ~ c(kind) + l(effect_kind)", "--profile", data,
            name="correction", group="site", date="date")
        expected, _ = self.loop(correction, residuals, 20, 6, 2)
        out = read_csv(self.adapt(model, data, "--weights", weights))
        corrections = [dict(row, prediction=row["correction"])
                       for row in out]
        self.check(write_csv(self.dir / "corrections.csv", corrections),
                   self.rows, expected, 1e-10)

    def effects(self, model, data, weights):
        self.succeed(model, "decompose", data, "--weights", weights, "-o",
                     "effects.csv")
        return read_csv(self.dir / "effects.csv")

    def test_errors(self):
        self.assertIn("expected --weights of the fit whose residuals are "
                      "corrected",
                      self.refuse(self.model, "adapt", self.data))
        rows = [dict(row, site="c") for row in self.rows]
        self.assertIn("expected a group that was trained", self.refuse(
            self.model, "adapt", write_csv(self.dir / "c.csv", rows),
            "--weights", self.weights))
        rows[0]["y"] = ""
        rows = [dict(row, site="a") for row in rows]
        self.assertIn("c.csv: line 2: column 'y': group 'a': expected a "
                      "finite value in a row that a window trains on",
                      self.refuse(self.model, "adapt",
                                  write_csv(self.dir / "c.csv", rows),
                                  "--weights", self.weights))
        self.assertIn("expected a spec without 'adapt'", self.run_program(
            TAMC, self.dir / "model.yaml", "--emit=lib", "-o",
            "libx.a").stderr)

    def test_saved_modules(self):
        # Compilation that stops after a phase and goes on gives the same.
        whole = self.adapt(self.model, self.data, "--weights",
                           self.weights).read_bytes()
        for phase in ("import", "kernels", "plan"):
            saved = self.dir / f"{phase}.mlir"
            self.succeed(TAMC, self.dir / "model.yaml",
                         f"--compile-to={phase}", "-o", saved)
            again = self.dir / f"again-{phase}"
            self.succeed(TAMC, saved, f"--compile-from={phase}", "-o", again)
            self.assertEqual(self.adapt(
                again, self.data, "--weights", self.weights,
                output="again.csv").read_bytes(), whole, phase)


class National(WindowsCase):
    """A correction of a model of the national load (test/golden/data)."""

    CORRECTION = ("residual ~ l(effect_temperature_smooth_950) "
                  "+ c(day_type_week, n_cat=7, ap=-3)")

    def test_equals_a_loop(self):
        folder = DATA / "national"
        case = json.loads((folder / "load_splines.json").read_text())
        rows = read_csv(folder / "national_sub.csv")
        data = write_csv(self.dir / "data.csv", rows)
        model = self.compile(
            case["formula"], group="tod", date="date",
            adapt="{formula: '%s', window: 365, update: 56, horizon: 2}"
            % self.CORRECTION)
        weights = self.fit(model, write_csv(
            self.dir / "train.csv",
            [row for row in rows if row["split"] == "train"]))
        table = read_csv(self.adapt(model, data, "--weights", weights))
        base = read_csv(self.predict(model, data, weights, output="base.csv"))
        self.succeed(model, "decompose", data, "--weights", weights, "-o",
                     "effects.csv")
        effects = read_csv(self.dir / "effects.csv")
        name = "temperature_smooth_950"
        residuals = [
            dict(row, site=row["tod"], **{"effect_" + name: effect[name]},
                 residual=repr(float(row["Load"]) - float(of["prediction"])))
            for row, of, effect in zip(rows, base, effects)]
        correction = self.compile(self.CORRECTION, name="correction",
                                  group="tod", date="date")
        expected, _ = self.loop(correction, residuals, 365, 56, 2)
        corrections = [dict(row, site=row["tod"], prediction=row["correction"])
                       for row in table]
        found = self.check(
            write_csv(self.dir / "corrections.csv", corrections),
            residuals, expected, 1e-9)
        self.assertEqual(found, len(rows) - 8 * 366)


main()
