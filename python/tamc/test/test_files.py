#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of Parquet, Arrow and Feather, as data of the estimator and of `python
-m tamc run`; skipped without pyarrow."""

import os
import subprocess
import sys
import unittest

import numpy as np

from test_model import BUILD, DATA, Folder, read, tamc

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    raise unittest.SkipTest("pyarrow is not installed") from None

FORMULA = "y ~ s(a, k=8) + l(b)"
SPEC = f"""formula: {FORMULA}
group: g
date: date
"""


class Files(Folder):
    def setUp(self):
        super().setUp()
        self.paths = {}
        for part in ("train", "test"):
            table = pyarrow.table(read(DATA / f"effects/{part}_G2.csv"))
            table = table.append_column(
                "nested", pyarrow.array([[1]] * len(table)))
            parquet = self.folder / f"{part}.parquet"
            pyarrow.parquet.write_table(table, parquet, row_group_size=37)
            arrow = self.folder / f"{part}.data"
            with pyarrow.ipc.new_file(arrow, table.schema) as file:
                file.write_table(table, max_chunksize=50)
            feather = self.folder / f"{part}.feather"
            pyarrow.feather.write_feather(table, feather, compression="zstd")
            for path in (parquet, arrow, feather):
                self.paths.setdefault(path.suffix, {})[part] = path

    def test_estimator(self):
        model = tamc.AdditiveModel(FORMULA, group="g", date="date")
        train, new = (read(DATA / f"effects/{part}_G2.csv")
                      for part in ("train", "test"))
        wanted = model.fit(train).predict(new).tolist()
        score = model.score(train)
        adapted = model.adapt(train, window=50)
        for suffix, paths in self.paths.items():
            with self.subTest(suffix=suffix):
                self.assertEqual(
                    model.fit(str(paths["train"])).predict(
                        paths["test"]).tolist(), wanted)
                self.assertEqual(model.score(paths["train"]), score)
                self.assertIn("nested", model.feature_names_in_)
                self.assertEqual(list(model.decompose(paths["test"])),
                                 ["offset", "a", "b"])
                self.assertEqual(model.evaluate(paths["train"]),
                                 model.evaluate(train))
                np.testing.assert_array_equal(
                    model.adapt(paths["train"], window=50), adapted)
                self.assertEqual(
                    model.adapt(paths["train"], window=50,
                                formula="residual ~ l(c)")["base"].tolist(),
                    model.predict(train).tolist())

    def command(self, *arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "tamc", "run", *map(str, arguments)],
            text=True, capture_output=True, cwd=self.folder,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_commands(self):
        (self.folder / "load.yaml").write_text(SPEC)
        model = self.folder / "load"
        subprocess.run([BUILD / "bin/tamc", "load.yaml", "-o", "load"],
                       cwd=self.folder, check=True)

        def wanted(*arguments):
            return subprocess.run([model, *map(str, arguments)], check=True,
                                  capture_output=True, text=True,
                                  cwd=self.folder).stdout

        train, new = (DATA / f"effects/{part}_G2.csv"
                      for part in ("train", "test"))
        wanted("fit", train, "--inference", "-o", "wanted.w")
        predictions = wanted("predict", new, "--se", "--weights", "wanted.w")
        measures = wanted("evaluate", new, "--by=month", "--weights", "wanted.w")
        summary = wanted("summary", "--weights", "wanted.w")
        tuned = wanted("tune", train, "-o", "tuned.w")
        sources = list(self.paths.values()) + [{"train": train, "test": new}]
        for paths in sources:
            with self.subTest(path=paths["train"].name):
                self.command("load.yaml", "fit", paths["train"], "--inference",
                             "-o", "got.w")
                self.assertEqual((self.folder / "got.w").read_bytes(),
                                 (self.folder / "wanted.w").read_bytes())
                self.assertEqual(
                    self.command("load.yaml", "predict", paths["test"], "--se",
                                 "--weights", "got.w"), predictions)
                self.assertEqual(
                    self.command("load.yaml", "evaluate", paths["test"],
                                 "--by=month", "--weights", "got.w"), measures)
                self.assertEqual(
                    self.command("load.yaml", "tune", paths["train"], "-o",
                                 "got.w"), tuned)
        self.assertEqual(self.command("load.yaml", "summary", "--weights",
                                      "wanted.w"), summary)

    def test_adapt(self):
        spec = SPEC + ("adapt: {formula: residual ~ l(c), window: 50, update: 4, "
                       "horizon: 1}\n")
        (self.folder / "load.yaml").write_text(spec)
        subprocess.run([BUILD / "bin/tamc", "load.yaml", "-o", "load"],
                       cwd=self.folder, check=True)
        data = DATA / "effects/train_G2.csv"
        for arguments in (("fit", data, "-o", "w"),
                          ("adapt", data, "--weights", "w", "-o", "wanted")):
            subprocess.run([self.folder / "load", *arguments], check=True,
                           cwd=self.folder)
        for paths in list(self.paths.values()) + [{"train": data}]:
            with self.subTest(path=paths["train"].name):
                self.command("load.yaml", "adapt", paths["train"], "--weights",
                             "w", "-o", "got")
                self.assertEqual((self.folder / "got").read_bytes(),
                                 (self.folder / "wanted").read_bytes())
        (self.folder / "got").unlink()
        self.assertIn("expected --weights of the fit", self.command(
            "load.yaml", "adapt", data, "-o", "got", status=1))
        self.assertFalse((self.folder / "got").exists())

    def test_errors(self):
        (self.folder / "load.yaml").write_text(SPEC)
        (self.folder / "bad.parquet").write_bytes(b"PAR1" + bytes(40))
        (self.folder / "bad.yaml").write_text("formula: y ~ s(a\n")
        model = tamc.AdditiveModel(FORMULA, group="g", date="date")
        path = self.folder / "table.csv"
        path.write_text("y,a\n1,2\n")
        with self.assertRaisesRegex(tamc.Error, "table.csv: expected a file of "
                                    "Parquet, Arrow or Feather"):
            model.fit(path)
        with self.assertRaisesRegex(tamc.Error, "no.parquet: No such file"):
            model.fit("no.parquet")
        with self.assertRaisesRegex(tamc.Error, "bad.parquet: "):
            model.fit(self.folder / "bad.parquet")
        twice = pyarrow.Table.from_arrays([pyarrow.array([1.0, 2.0])] * 3,
                                          names=["y", "a", "a"])
        pyarrow.parquet.write_table(twice, self.folder / "twice.parquet")
        pyarrow.feather.write_feather(twice, self.folder / "twice.feather")
        for name in ("twice.parquet", "twice.feather"):
            with self.assertRaisesRegex(
                    tamc.Error, f"{name}: expected one column 'a', got 2"):
                tamc.AdditiveModel("y ~ l(a)").fit(self.folder / name)
        for arguments, message in (
                (("load.yaml", "fit", "bad.parquet", "-o", "w"),
                 "load: error: bad.parquet: "),
                (("load.yaml", "fit", "no.csv", "-o", "w"),
                 "load: error: no.csv: "),
                (("load.yaml", "fit"), "load: error: expected TRAIN.csv"),
                (("load.yaml", "fit", self.paths[".parquet"]["train"], "-o",
                  "no/w"), "load: error: no/w: "),
                (("no.yaml", "info"), "no.yaml: "),
                (("bad.yaml", "info"), "bad.yaml:1:15: error: "),
                (("load.yaml",), "tamc: error: expected run SPEC.yaml")):
            text = self.command(*arguments, status=1)
            self.assertTrue(text.startswith(message), text)
        self.assertFalse((self.folder / "w").exists())
        (self.folder / "link").symlink_to("load.yaml")
        for output in (("-o", "load.yaml"), ("-oload.yaml",),
                       ("--output=./load.yaml",), ("-o", "link")):
            text = self.command("load.yaml", "fit",
                                DATA / "effects/train_G2.csv", *output,
                                status=1)
            self.assertIn("load.yaml: expected other files than the spec", text)
            self.assertEqual((self.folder / "load.yaml").read_text(), SPEC)


if __name__ == "__main__":
    unittest.main()
