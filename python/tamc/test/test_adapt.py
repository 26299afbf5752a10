#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits in sliding windows give what the executable's command adapt gives."""

import csv
import unittest

import numpy as np

from test_model import DATA, Executable, Folder, frames_of, read, tamc

TRAIN = DATA / "effects/train_G2.csv"
FORMULA = "y ~ s(a, k=8) + l(b)"
CORRECTION = "residual ~ l(effect_a) + s(c, k=4)"
KEYS = "group: g\ndate: date\n"


class Adapt(Folder):
    def setUp(self):
        super().setUp()
        self.train = read(TRAIN)
        self.model = tamc.AdditiveModel(FORMULA, group="g", date="date")

    def executable(self, formula, windows, keys=KEYS):
        path = self.folder / "adapt.yaml"
        path.write_text(f"formula: {formula}\n{keys}adapt: {windows}\n")
        return Executable(self.folder, path)

    def table(self, text):
        """The rows of a table by columns; None where there is no number."""
        rows = list(csv.DictReader(text.splitlines()))
        return {name: [self.number(row[name]) for row in rows]
                for name in rows[0]}

    @staticmethod
    def number(text):
        try:
            return float(text) if text else None
        except ValueError:
            return text

    def check(self, got, wanted):
        """Compares numbers, of which NaN stands for none."""
        self.assertEqual([None if value != value else value
                          for value in np.asarray(got).tolist()], wanted)

    def check_coefficients(self, got, wanted, data):
        for name in ("window", "effect", "index", "value"):
            self.assertEqual(np.asarray(got[name]).tolist(), wanted[name])
        rows = np.asarray(got["row"])
        for name, key in (("g", "group"), ("g", None), ("date", None)):
            values = (np.asarray(got[key]) if key
                      else np.asarray(data[name])[rows])
            self.assertEqual([str(value) for value in values], wanted[name])

    def test_same_numbers(self):
        coefficients = self.folder / "coefficients.csv"
        wanted = self.table(self.executable(
            FORMULA, "{window: 60, update: 7, horizon: 2}").run(
                "adapt", TRAIN, "--forget=0.99", "--coefficients",
                coefficients))["prediction"]
        self.assertLess(wanted.count(None), len(wanted))
        values = self.table(coefficients.read_text())
        for kind, frame in frames_of(self.train):
            with self.subTest(kind=kind):
                got, fits = self.model.adapt(
                    frame, window=60, update=7, horizon=2, forget=0.99,
                    coefficients=True)
                self.check(got, wanted)
                self.check_coefficients(fits, values, self.train)
                self.assertIs(type(fits), type(frame))
                if kind in ("pandas", "polars"):
                    self.assertEqual(type(got).__name__, "Series")
                    self.assertEqual(got.name, "prediction")
        # It fits nothing else, and each number of windows at once will do.
        self.assertFalse(hasattr(self.model, "coefficients_"))
        for options in ({"windows": 1}, {"windows": 3}):
            self.check(self.model.adapt(
                self.train, window=60, update=7, horizon=2, forget=0.99,
                **options), wanted)

    def test_order_and_index(self):
        """Results are in the order of the rows, whatever it is."""
        wanted = self.model.adapt(self.train, window=60, update=7)
        mixed = np.random.default_rng(1).permutation(len(wanted))
        data = {name: values[mixed] for name, values in self.train.items()}
        got, fits = self.model.adapt(data, window=60, update=7,
                                     coefficients=True)
        np.testing.assert_array_equal(got, wanted[mixed])
        self.assertEqual(data["g"][fits["row"]].tolist(),
                         fits["group"].tolist())
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.DataFrame(data, index=mixed)
        got = self.model.adapt(frame, window=60, update=7)
        np.testing.assert_array_equal(got.sort_index(), wanted)

    def test_one_compilation(self):
        """Numbers of rows do not make it compile again."""
        runs = []
        for window, update, horizon in ((50, 1, 1), (60, 5, 2), (20, 9, 4)):
            wanted = self.table(self.executable(
                FORMULA, f"{{window: {window}, update: {update}, "
                f"horizon: {horizon}}}").run("adapt", TRAIN))
            self.check(self.model.adapt(self.train, window=window,
                                        update=update, horizon=horizon),
                       wanted["prediction"])
            runs.append(len(list((self.folder / "cache").glob("*.so"))))
        self.assertEqual(runs, [1, 1, 1])

    def test_penalties(self):
        windows = "{window: 60, update: 20, horizon: 1}"
        executable = self.executable(FORMULA, windows)
        plain = self.table(executable.run("adapt", TRAIN))["prediction"]
        wanted = self.table(executable.run("adapt", TRAIN, "--ap=a=3",
                                           "--ap=b=-1"))["prediction"]
        self.assertNotEqual(wanted, plain)
        self.model.set_params(ap={"a": 3, "b": -1})
        self.check(self.model.adapt(self.train, window=60, update=20), wanted)
        self.assertEqual(wanted, self.table(self.executable(
            "y ~ s(a, k=8, ap=3) + l(b, ap=-1)", windows).run(
                "adapt", TRAIN))["prediction"])

    def test_correction(self):
        executable = self.executable(
            FORMULA, f'{{formula: "{CORRECTION}", window: 60, update: 20, '
            "horizon: 3}")
        executable.run("fit", TRAIN, "--ap=a=1", "-o", executable.weights)
        coefficients = self.folder / "coefficients.csv"
        wanted = self.table(executable.run(
            "adapt", TRAIN, "--weights", executable.weights, "--coefficients",
            coefficients))
        values = self.table(coefficients.read_text())
        self.model.set_params(ap={"a": 1}).fit(self.train)
        path = self.folder / "model.tamc"
        self.model.save(path)
        for model in (self.model, tamc.load(path)):
            for kind, frame in frames_of(self.train):
                with self.subTest(kind=kind):
                    got, fits = model.adapt(
                        frame, window=60, update=20, horizon=3,
                        formula=CORRECTION, coefficients=True)
                    self.assertIs(type(got), type(frame))
                    for name in ("prediction", "base", "correction"):
                        self.check(got[name], wanted[name])
                    self.check_coefficients(fits, values, self.train)
        rows = {name: values for name, values in self.train.items()
                if name != "y"}
        again = self.model.adapt(rows, self.train["y"], window=60, update=20,
                                 horizon=3, formula=CORRECTION)
        self.check(again["prediction"], wanted["prediction"])
        self.assertEqual(again["base"].tolist(),
                         self.model.predict(self.train).tolist())

    def test_correction_of_chosen_penalties(self):
        """The model is that of the last fit, whatever its parameters are."""
        self.model.tune(self.train)
        wanted = self.model.predict(self.train).tolist()
        self.model.set_params(formula="y ~ l(c)", ap=None)
        got = self.model.adapt(self.train, window=60, formula=CORRECTION)
        self.assertEqual(got["base"].tolist(), wanted)

    def test_levels(self):
        """Levels of the model are those of its fit, and those of a column that
        the correction alone reads are those of the rows."""
        random = np.random.default_rng(3)
        kinds = np.array(["x", "y", "z"])[random.integers(0, 3, 300)]
        days = np.array(["mon", "tue"])[random.integers(0, 2, 300)]
        data = dict(self.train, kind=kinds, day=days)
        first = {name: values[kinds != "z"] for name, values in data.items()}
        path = self.folder / "all.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(data)
            writer.writerows(zip(*(values.tolist()
                                   for values in data.values())))
        for formula in ("y ~ c(kind) + l(a)", "y ~ l(a) + c(kind) + c(day)"):
            spec = self.folder / "levels.yaml"
            spec.write_text(f"formula: {formula}\n{KEYS}adapt: {{window: 70, "
                            "update: 3, horizon: 1}\n")
            executable = Executable(self.folder, spec, "--profile", path)
            model = tamc.AdditiveModel(formula, group="g", date="date")
            self.check(model.adapt(data, window=70, update=3),
                       self.table(executable.run("adapt", path))["prediction"])
        model = tamc.AdditiveModel("y ~ l(a) + c(day)", group="g", date="date")
        model.fit(first)
        got = model.adapt(data, window=70, update=3,
                          formula="residual ~ c(kind) + l(effect_day) + c(day)")
        self.assertEqual(got["base"].tolist(), model.predict(data).tolist())
        spec.write_text(
            f"formula: y ~ l(a) + c(day)\n{KEYS}adapt: {{formula: residual ~ "
            "c(kind) + l(effect_day) + c(day), window: 70, update: 3, "
            "horizon: 1}\n")
        executable = Executable(self.folder, spec, "--profile", path)
        part = self.folder / "first.csv"
        part.write_text("\n".join(
            line for line in path.read_text().splitlines()
            if ",z," not in line) + "\n")
        executable.fit(part)
        wanted = self.table(executable.run("adapt", path, "--weights",
                                           executable.weights))
        self.check(got["correction"], wanted["correction"])

    def test_row_weights(self):
        weights = 1 + self.train["k"]
        wanted = self.table(self.executable(
            FORMULA, "{window: 60, update: 20, horizon: 1}",
            KEYS + "weights: k\n").run("adapt", TRAIN))["prediction"]
        model = tamc.AdditiveModel(FORMULA, group="g", date="date",
                                   weights="k")
        self.check(model.adapt(self.train, window=60, update=20), wanted)
        self.check(self.model.adapt(self.train, window=60, update=20,
                                    sample_weight=self.train["k"]), wanted)
        self.model.fit(self.train, sample_weight=weights)
        self.model.adapt(self.train, sample_weight=weights, window=60,
                         formula=CORRECTION)
        with self.assertRaisesRegex(tamc.Error, "sample_weight"):
            self.model.adapt(self.train, window=60, formula=CORRECTION)
        self.model.fit(self.train)
        with self.assertRaisesRegex(tamc.Error, "fitted without row weights"):
            self.model.adapt(self.train, sample_weight=weights, window=60,
                             formula=CORRECTION)

    def test_arrays(self):
        """Of two dimensions, as scikit-learn passes them."""
        x = np.column_stack([self.train["a"], self.train["b"]])
        model = tamc.AdditiveModel("y ~ s(x0, k=8) + l(x1)")
        wanted = tamc.AdditiveModel(FORMULA).adapt(self.train, window=80)
        got, fits = model.adapt(x, self.train["y"], window=80,
                                coefficients=True)
        np.testing.assert_array_equal(got, wanted)
        self.assertEqual(list(fits),
                         ["row", "window", "effect", "index", "value"])
        with self.assertRaisesRegex(tamc.Error, "requires y"):
            model.adapt(x, window=80)
        model.fit(x, self.train["y"])
        got = model.adapt(x, self.train["y"], window=80,
                          formula="residual ~ l(x0)")
        self.assertEqual(got["base"].tolist(), model.predict(x).tolist())
        with self.assertRaisesRegex(tamc.Error, "X has 1 features"):
            model.adapt(x[:, :1], self.train["y"], window=80,
                        formula="residual ~ l(x0)")

    def test_missing_targets(self):
        last = {name: values.copy() for name, values in self.train.items()}
        ends = [np.flatnonzero(last["g"] == group)[-3:]
                for group in sorted(set(last["g"]))]
        last["y"][np.concatenate(ends)] = np.nan
        count = sum(last["g"] == "G0")
        # The last window starts where it predicts the last rows alone.
        window, update = count - 3, 3
        wanted = self.model.adapt(self.train, window=window, update=update)
        for kind, frame in frames_of(last):
            with self.subTest(kind=kind):
                np.testing.assert_array_equal(
                    self.model.adapt(frame, window=window, update=update),
                    wanted)
        self.assertEqual(int(np.isfinite(wanted).sum()), 3 * len(ends))
        try:
            import pyarrow
        except ImportError:
            pass
        else:
            nulls = pyarrow.array(last["y"], from_pandas=True)
            self.assertEqual(nulls.null_count, 3 * len(ends))
            np.testing.assert_array_equal(
                self.model.adapt(pyarrow.table(dict(last, y=nulls)),
                                 window=window, update=update), wanted)
        last["y"][30] = np.nan
        for kind, frame in frames_of(last):
            with self.subTest(kind=kind):
                with self.assertRaisesRegex(
                        tamc.Error, "^data: row 30: column 'y': group 'G.': "
                        "expected a finite value in a row that a window trains "
                        "on, got a missing value$"):
                    self.model.adapt(frame, window=window, update=update)
        last["y"][30] = np.inf
        with self.assertRaisesRegex(tamc.Error, "^data: row 30: column 'y'"):
            self.model.adapt(last, window=window, update=update)
        last["a"][7] = np.nan
        with self.assertRaisesRegex(tamc.Error, "row 7: column 'a'"):
            self.model.adapt(last, window=window, update=update)

    def test_notes(self):
        """What the command notes, beside the notes of the fit."""
        few = {name: np.concatenate([values, values[:3]])
               for name, values in self.train.items()}
        few["g"] = np.concatenate([self.train["g"], ["few"] * 3])
        lacks = ["no forecast for 1 of 3 groups, which have fewer than 61 rows"]
        self.model.adapt(few, window=60)
        self.assertEqual(self.model.adapt_notes_, lacks)
        self.assertFalse(hasattr(self.model, "notes_"))
        self.model.adapt(self.train, window=60)
        self.assertEqual(self.model.adapt_notes_, [])
        x = few["a"].copy()
        x[7] = np.nan
        self.model.set_params(formula="y ~ l(x)", drop_missing=True)
        self.model.fit(dict(few, x=x))
        dropped = [f"dropped 1 of {len(x)} rows: missing values in 'x' (1)"]
        self.assertEqual(self.model.notes_, dropped)
        self.model.set_params(drop_missing=False)
        self.model.adapt(dict(few, x=few["a"]), window=60,
                         formula="residual ~ l(b)")
        self.assertEqual(self.model.adapt_notes_, lacks)
        self.assertEqual(self.model.notes_, dropped)

    def test_memory(self):
        wanted = self.model.adapt(self.train, window=60, update=7)
        self.model.set_params(memory="1G")
        np.testing.assert_array_equal(
            self.model.adapt(self.train, window=60, update=7), wanted)
        self.model.set_params(memory=4096)
        with self.assertRaisesRegex(tamc.Error, r"4096 bytes free \(--memory"):
            self.model.adapt(self.train, window=60, update=7)

    def test_errors(self):
        with self.assertRaisesRegex(Exception, "not fitted|is fitted"):
            self.model.adapt(self.train, window=60, formula=CORRECTION)
        for arguments, message in (
                ({"window": 0}, "--window"), ({"window": 2.5}, "--window"),
                ({"window": "x"}, "--window"), ({"window": -1}, "--window"),
                ({"window": 2**32}, "--window"),
                ({"window": 60, "update": 0}, "--update"),
                ({"window": 60, "horizon": 0}, "--horizon"),
                ({"window": 60, "forget": 0}, "--forget"),
                ({"window": 60, "forget": 1.5}, "--forget"),
                ({"window": 60, "windows": 0}, "--windows"),
                ({"window": 10**6}, "expected a group of more than 1000000 "
                 "rows")):
            with self.subTest(arguments=arguments):
                with self.assertRaisesRegex(tamc.Error, message):
                    self.model.adapt(self.train, **arguments)
        with self.assertRaises(TypeError):
            self.model.adapt(self.train)
        with self.assertRaisesRegex(tamc.Error, "'b'"):
            self.model.adapt({name: values for name, values
                              in self.train.items() if name != "b"}, window=60)
        self.model.set_params(drop_missing=True)
        with self.assertRaisesRegex(tamc.Error, "drop_missing=False"):
            self.model.adapt(self.train, window=60)
        self.model.set_params(drop_missing=False).fit(self.train)
        for formula, message in (
                ("residual ~ l(effect_z)", "<spec>:2:.*expected an effect"),
                ("y ~ l(b)", "<spec>:2:.*expected the target 'residual'"),
                ("residual ~ l(", "<spec>:2:.*error: ")):
            with self.subTest(formula=formula):
                with self.assertRaisesRegex(tamc.CompileError, message):
                    self.model.adapt(self.train, window=60, formula=formula)
        other = dict(self.train, g=np.full(len(self.train["g"]), "other"))
        with self.assertRaisesRegex(tamc.Error, "row 0: column 'g': expected a "
                                    "group that was trained"):
            self.model.adapt(other, window=60, formula=CORRECTION)
        # The model is as it was.
        self.assertEqual(
            self.model.predict(self.train).tolist(),
            tamc.AdditiveModel(FORMULA, group="g", date="date").fit(
                self.train).predict(self.train).tolist())


if __name__ == "__main__":
    unittest.main()
