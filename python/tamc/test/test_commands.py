#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods that run the commands of a model give what the executable gives."""

import csv
import json
import pathlib
import pickle
import unittest

import numpy as np

from test_model import DATA, Executable, Folder, frames_of, read, tamc

TRAIN = DATA / "effects/train_G2.csv"
NEW = DATA / "effects/test_G2.csv"
FORMULA = "y ~ s(a, k=8) + l(b)"


class Commands(Folder):
    def setUp(self):
        super().setUp()
        self.executable = Executable(self.folder, FORMULA, "--group=g",
                                     "--date=date")
        self.train = read(TRAIN)
        self.new = read(NEW)
        self.model = tamc.AdditiveModel(FORMULA, group="g", date="date")

    def command(self, name, *arguments):
        return self.executable.run(name, *arguments, "--weights",
                                   self.executable.weights)

    def fit(self, command, *options):
        return self.executable.run(command, TRAIN, "-o",
                                   self.executable.weights, *options)

    def check_coefficients(self):
        rows = csv.DictReader(self.command("coefficients").splitlines())
        self.assertEqual(self.model.coefficients_["value"].tolist(),
                         [float(row["value"]) for row in rows])

    def check_tune(self, arguments, *options):
        printed = self.fit("tune", "--format=json", *options)
        self.assertIs(self.model.tune(self.train, **arguments), self.model)
        self.assertEqual(self.model.tuning_, json.loads(printed))
        self.check_coefficients()

    def test_tune(self):
        self.check_tune({})
        self.assertEqual(list(self.model.ap_), ["offset", "a", "b"])
        self.assertIn("ap=", self.model.tuning_["formula"])
        before = self.model.coefficients_["value"].tolist()
        copied = pickle.loads(pickle.dumps(self.model))
        self.assertEqual(copied.tuning_, self.model.tuning_)
        self.assertEqual(copied.ap_, self.model.ap_)
        # The parameters are as before. With the penalties as one, a fit is the
        # same, here and in the executable.
        self.assertIsNone(self.model.ap)
        self.model.set_params(ap=self.model.ap_).fit(self.train)
        self.assertFalse(hasattr(self.model, "tuning_"))
        self.assertFalse(hasattr(self.model, "ap_"))
        self.assertEqual(self.model.coefficients_["value"].tolist(), before)
        self.fit("fit", *(f"--ap={name}={ap!r}"
                          for name, ap in self.model.ap.items()))
        self.check_coefficients()

    def test_tune_options(self):
        self.check_tune({"criterion": "reml"}, "--criterion=reml")
        self.check_tune({"bounds": (-6, 2), "gamma": 1, "cycles": 2},
                        "--bounds=-6,2", "--gamma=1", "--cycles=2")
        self.check_tune({"candidates": [-3, 1.5]}, "--candidates=-3,1.5")
        self.check_tune({"per_group": True}, "--per-group")
        self.assertIsNone(self.model.ap_)
        self.assertEqual(len(self.model.tuning_["groups"]), 2)
        with self.assertRaisesRegex(tamc.Error, "--criterion: .*gcv"):
            self.model.tune(self.train, criterion="aic")

    def test_grid(self):
        formula = "y ~ s(a, k=$k, ap=$p) + l(b, ap=$p)"
        grid = {"k": [6, 8], "p": [-3, 1.5]}
        spec = self.folder / "grid.yaml"
        spec.write_text(f"formula: {formula}\ngroup: g\ndate: date\n"
                        "grid: {k: [6, 8], p: [-3, 1.5]}\n")
        searcher = Executable(self.folder, spec)
        wanted = json.loads(searcher.run(
            "tune", TRAIN, "--grid", "--split=0.25", "-o", searcher.weights,
            "--format=json"))
        model = tamc.AdditiveModel(formula, group="g", date="date")
        self.assertIs(model.tune(self.train, grid=grid, split=0.25), model)
        self.assertEqual(model.tuning_, wanted)
        self.assertIsNone(model.ap_)
        self.assertEqual(model.formula, formula)
        # The executable of the formula has the weights of the search.
        chosen = Executable(self.folder, wanted["formula"], "--group=g",
                            "--date=date")
        lines = chosen.run("coefficients", "--weights", searcher.weights)
        self.assertEqual(
            model.coefficients_["value"].tolist(),
            [float(row["value"]) for row in csv.DictReader(lines.splitlines())])
        self.executable = chosen
        chosen.weights = searcher.weights
        self.assertEqual(model.predict(self.new).tolist(),
                         self.predicted()["prediction"])
        copied = pickle.loads(pickle.dumps(model))
        self.assertEqual(copied.tuning_, wanted)
        self.assertEqual(copied.predict(self.new).tolist(),
                         model.predict(self.new).tolist())
        with self.assertRaisesRegex(tamc.Error, "--split=2"):
            model.tune(self.train, grid=grid, split=2)
        with self.assertRaisesRegex(tamc.Error, "expected a token"):
            self.model.tune(self.train, grid=grid, split=0.25)
        with self.assertRaisesRegex(tamc.CompileError, r"token \$k"):
            model.fit(self.train)

    def predicted(self, *options):
        lines = list(csv.reader(self.command("predict", NEW,
                                             *options).splitlines()))
        return {name: [float(line[i]) for line in lines[1:]]
                for i, name in enumerate(lines[0]) if name not in ("g", "date")}

    def check_table(self, got, wanted):
        self.assertEqual({name: values.tolist()
                          for name, values in got.items()}, wanted)

    def test_intervals(self):
        self.fit("fit", "--inference", "--calibrate=0.2")
        self.model.fit(self.train, inference=True, calibrate=0.2)
        self.check_coefficients()
        self.check_table(self.model.predict(self.new, se=True),
                         self.predicted("--se"))
        self.check_table(self.model.predict(self.new, interval=[0.9, 0.5]),
                         self.predicted("--interval=0.9,0.5"))
        for method in ("conformal", "conformal-signed"):
            self.check_table(
                self.model.predict(self.new, interval=0.8, method=method),
                self.predicted("--interval=0.8", f"--method={method}"))
        self.check_table(self.model.decompose(self.new, se=True),
                         self.predicted("--type=terms", "--se"))
        # A saved model has all of it.
        path = self.folder / "model.tamc"
        self.model.save(path)
        self.check_table(tamc.load(path).predict(self.new, se=True),
                         self.predicted("--se"))

    def test_weighted_intervals(self):
        """Only gaussian intervals read the weights of new rows."""
        self.executable = Executable(self.folder, FORMULA, "--group=g",
                                     "--date=date", "--weights=k")
        self.model = tamc.AdditiveModel(FORMULA, group="g", date="date",
                                        weights="k")
        self.fit("fit", "--inference", "--calibrate=0.2")
        self.model.fit(self.train, inference=True, calibrate=0.2)
        wanted = self.predicted("--interval=0.9")
        self.assertIn(0, self.new["k"])
        self.assertEqual(wanted["upper_90"].count(float("inf")),
                         (self.new["k"] == 0).sum())
        for name, frame in frames_of(self.new):
            with self.subTest(frame=name), self.assertWarnsRegex(
                    tamc.ModelWarning, "intervals of .* rows are infinite: "
                    "their weights in column 'k' are 0 or too small"):
                got = self.model.predict(frame, interval=0.9)
                self.check_table({each: np.asarray(got[each])
                                  for each in wanted}, wanted)
        self.new["k"] = np.full(len(self.new["k"]), "much")
        for options in ({"se": True}, {"interval": 0.9,
                                       "method": "conformal"}):
            self.model.predict(self.new, **options)
        with self.assertRaisesRegex(tamc.Error, "column 'k'"):
            self.model.predict(self.new, interval=0.9)
        del self.new["k"]
        with self.assertWarnsRegex(
                tamc.DataWarning, "column 'k' is missing: intervals are those "
                "of rows of weight 1$"):
            bare = self.model.predict(self.new, interval=0.9)
        self.new["k"] = np.ones(len(self.new["y"]))
        self.check_table(self.model.predict(self.new, interval=0.9),
                         {each: bare[each].tolist() for each in bare})

    def test_sample_weight(self):
        """Its column has that name in new rows."""
        given = self.train.pop("k") + 1
        self.model.fit(self.train, sample_weight=given, inference=True)
        with self.assertWarnsRegex(
                tamc.DataWarning, "column 'sample_weight' is missing"):
            self.model.predict(self.new, interval=0.9)
        self.new["sample_weight"] = self.new["k"] + 1
        got = self.model.predict(self.new, interval=0.9)
        named = tamc.AdditiveModel(FORMULA, group="g", date="date",
                                   weights="k")
        named.fit(dict(self.train, k=given), inference=True)
        self.new["k"] += 1
        wanted = named.predict(self.new, interval=0.9)
        self.check_table(got, {each: wanted[each].tolist()
                               for each in wanted})

    def test_calibrate_by_column(self):
        self.fit("fit", "--calibrate=k=1")
        self.model.fit(self.train, calibrate="k=1")
        self.check_table(
            self.model.predict(self.new, interval=0.8, method="conformal"),
            self.predicted("--interval=0.8", "--method=conformal"))

    def test_parts_that_are_missing(self):
        self.model.fit(self.train)
        for call in (lambda: self.model.predict(self.new, se=True),
                     lambda: self.model.predict(self.new, interval=0.9),
                     self.model.summary, self.model.statistics):
            with self.assertRaisesRegex(
                    tamc.Error, "^model: expected weights with inference, got "
                    "none; fit again with --inference$"):
                call()
        with self.assertRaisesRegex(tamc.Error, "^model: expected weights with "
                                    "residuals of held-out rows"):
            self.model.predict(self.new, interval=0.9, method="conformal")
        with self.assertRaisesRegex(tamc.Error, "--interval: "):
            self.model.predict(self.new, interval=1.5)
        with self.assertRaisesRegex(Exception, "not fitted|is fitted"):
            tamc.AdditiveModel(FORMULA).summary()

    def test_summary(self):
        self.fit("fit", "--inference")
        self.model.fit(self.train, inference=True)
        self.assertEqual(self.model.summary(), self.command("summary"))
        self.assertEqual(repr(self.model.summary()), self.command("summary"))
        self.assertEqual(self.model.summary(draw=True, group="G1"),
                         self.command("summary", "--draw", "--group=G1"))
        self.assertEqual(self.model.statistics(),
                         json.loads(self.command("summary", "--format=json")))
        self.assertIn("<pre>", self.model.summary()._repr_html_())

    def test_evaluate(self):
        self.fit("fit", "--inference")
        self.model.fit(self.train, inference=True)
        wanted = json.loads(self.command("evaluate", TRAIN, "--format=json",
                                         "--by=month", "--interval=0.9"))
        self.assertEqual(
            self.model.evaluate(self.train, by="month", interval=0.9), wanted)
        x = {name: values for name, values in self.train.items() if name != "y"}
        self.assertEqual(
            self.model.evaluate(x, self.train["y"], by="month", interval=0.9),
            wanted)

    def test_plot(self):
        self.fit("fit", "--inference")
        self.model.fit(self.train, inference=True)
        wanted, got = self.folder / "wanted.html", self.folder / "got.html"
        self.command("plot", "-o", wanted)
        self.assertIsNone(self.model.plot(got))
        self.assertEqual(got.read_bytes(), wanted.read_bytes())
        page = self.model.plot()
        self.assertEqual(page, wanted.read_text())
        self.assertIn("<iframe srcdoc=", page._repr_html_())
        self.assertNotIn('"<', page._repr_html_())
        self.command("plot", TRAIN, "-o", wanted, "--svg",
                     self.folder / "wanted")
        self.model.plot(got, self.train, svg=self.folder / "got")
        self.assertEqual(got.read_bytes(), wanted.read_bytes())
        pictures = {path.name: path.read_bytes()
                    for path in pathlib.Path(self.folder / "got").iterdir()}
        self.assertEqual(pictures, {
            path.name: path.read_bytes()
            for path in pathlib.Path(self.folder / "wanted").iterdir()})
        with self.assertRaisesRegex(tamc.Error, "no/page.html: "):
            self.model.plot("no/page.html")

    def test_export(self):
        self.fit("fit")
        self.model.fit(self.train)
        self.assertEqual(self.model.export(), json.loads(self.command("export")))

    def test_notebook(self):
        shown = self.model._repr_html_()
        self.assertIn("y ~ s(a, k=8) + l(b)", shown)
        self.assertIn(">no<", shown)
        shown = self.model.fit(self.train)._repr_html_()
        self.assertIn("offset, a, b", shown)
        self.assertLess(len(shown), 2000)
        self.assertIn("&lt;b&gt;",
                      tamc.AdditiveModel("<b>")._repr_html_())


if __name__ == "__main__":
    unittest.main()
