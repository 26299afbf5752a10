#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package against the executable: coefficients and predictions have the
same bytes, errors the same text.

TAMC_BUILD_DIR is the build folder, which has the package; TAMC_PACKAGE another
folder that has it.
"""

import copy
import csv
import importlib
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

BUILD = pathlib.Path(os.environ.get("TAMC_BUILD_DIR", "build")).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[3]
DATA = SOURCE / "test/golden/data"
if os.environ.get("TAMC_INSTALLED") is None:
    sys.path.insert(0, os.environ.get("TAMC_PACKAGE", str(BUILD / "python")))
import tamc  # noqa: E402


def read(path, texts=("g", "date", "tod", "split")):
    """A CSV file as a dict of arrays."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([row[name] for row in rows]) if name in texts else
            np.array([float(row[name]) if row[name] else np.nan
                      for row in rows])
            for name in rows[0]}


def frames_of(data):
    """The data as each kind of frame that is installed."""
    yield "dict", data
    for name, make in (("pandas", "DataFrame"), ("polars", "DataFrame"),
                       ("pyarrow", "table")):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        yield name, getattr(library, make)(data)


class Executable:
    """A model compiled by tamc, from a formula or the path of a spec."""

    def __init__(self, folder, spec, *options):
        self.folder = pathlib.Path(folder)
        self.path = self.folder / "model"
        self.weights = self.folder / "weights.safetensors"
        source = ["-f", spec] if isinstance(spec, str) else [spec]
        subprocess.run([BUILD / "bin/tamc", *source, *options, "--name=model",
                        "-o", self.path], check=True)

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], check=True, text=True,
                              capture_output=True).stdout

    def notes(self, *arguments):
        """What a run notes, in its order."""
        done = subprocess.run([self.path, *arguments, "--weights",
                               self.weights], check=True, text=True,
                              capture_output=True)
        return [line.partition(": note: ")[2]
                for line in done.stderr.splitlines()]

    def fit(self, train):
        self.run("fit", train, "-o", self.weights)
        rows = csv.DictReader(self.run("coefficients", "--weights",
                                       self.weights).splitlines())
        return [float(row["value"]) for row in rows]

    def predict(self, command, new):
        lines = list(csv.reader(self.run(command, new, "--weights",
                                         self.weights).splitlines()))
        keys = [name for name in lines[0] if name in ("g", "tod", "date")]
        return {name: [float(line[i]) for line in lines[1:]]
                for i, name in enumerate(lines[0]) if name not in keys}


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="tamc-python-")
        self.folder = pathlib.Path(self.temporary.name)
        self.cache = os.environ.get("TAMC_CACHE")
        if self.cache is None:
            os.environ["TAMC_CACHE"] = str(self.folder / "cache")

    def tearDown(self):
        if self.cache is None:
            del os.environ["TAMC_CACHE"]
        self.temporary.cleanup()


class SameBytes(Folder):
    """Cases of golden data, from each kind of frame."""

    def compare(self, formula, train, new, group):
        names = ["--date=date"] + ([f"--group={group}"] if group else [])
        if "c(" in formula and "n_cat" not in formula:
            names += ["--profile", train]
        executable = Executable(self.folder, formula, *names)
        wanted = executable.fit(train)
        predictions = executable.predict("predict", new)["prediction"]
        effects = executable.predict("decompose", new)
        rows = dict(frames_of(read(new)))
        for kind, frame in frames_of(read(train)):
            with self.subTest(kind=kind):
                model = tamc.AdditiveModel(formula, group=group,
                                           date="date").fit(frame)
                values = model.coefficients_["value"]
                self.assertEqual(np.asarray(values).tolist(), wanted)
                self.assertEqual(list(model.predict(rows[kind])), predictions)
                got = model.decompose(rows[kind])
                for name, numbers in effects.items():
                    self.assertEqual(np.asarray(got[name]).tolist(), numbers,
                                     name)

    def test_effects(self):
        with open(DATA / "effects/effects.json") as file:
            cases = json.load(file)
        chosen = os.environ.get("TAMC_CASES", "linear spline_sat cat_fourier")
        for name in cases if chosen == "all" else chosen.split():
            with self.subTest(case=name):
                groups = cases[name]["groups"]
                self.compare(cases[name]["formula"],
                             DATA / f"effects/train_G{groups}.csv",
                             DATA / f"effects/test_G{groups}.csv",
                             "g" if groups > 1 else None)

    def test_load(self):
        with open(DATA / "national/load_splines.json") as file:
            case = json.load(file)
        with open(DATA / "national/national_sub.csv", newline="") as file:
            header, *lines = file
        split = header.strip().split(",").index("split")
        paths = {}
        for name in ("train", "test"):
            paths[name] = self.folder / f"{name}.csv"
            paths[name].write_text(header + "".join(
                line for line in lines if line.split(",")[split] == name))
        self.compare(case["formula"], paths["train"], paths["test"], "tod")


class Airpassengers(Folder):
    def rows(self, first, last):
        script = SOURCE / "examples/airpassengers/airpassengers.py"
        path = self.folder / f"{first}.csv"
        path.write_text(subprocess.run(
            [sys.executable, script, "rows", script.with_suffix(".csv"),
             str(first), str(last)],
            check=True, text=True, capture_output=True).stdout)
        return read(path)

    def test_mape(self):
        train, new = self.rows(12, 119), self.rows(120, 143)
        model = tamc.AdditiveModel(
            "log_passengers ~ c(time_of_year, n_cat=12, topo='fourier', ap=-8)"
            " + l(lag_log_passengers, ap=-30)", date="date").fit(train)
        predicted = np.exp(model.predict(new))
        passengers = np.exp(new["log_passengers"])
        mape = 100 * np.mean(np.abs(predicted / passengers - 1))
        self.assertEqual(f"{mape:.4f}", "3.8269")


class Levels(Folder):
    def data(self):
        return {"city": np.array(["north", "south"] * 20),
                "day": np.array((["work", "holiday", "fair", "work"] * 10)),
                "price": np.linspace(1, 2, 40),
                "sales": np.arange(40) % 7 * 1.0}

    def test_levels_of_the_data(self):
        data = self.data()
        path = self.folder / "train.csv"
        with open(path, "w") as file:
            writer = csv.writer(file)
            writer.writerow(data)
            writer.writerows(zip(*data.values()))
        formula = "sales ~ c(day, ap=-3) + l(price)"
        executable = Executable(self.folder, formula, "--group=city",
                                "--profile", path)
        model = tamc.AdditiveModel(formula, group="city").fit(data)
        self.assertEqual(model.coefficients_["value"].tolist(),
                         executable.fit(path))
        # Two calls, one of them from the cache.
        again = tamc.AdditiveModel(formula, group="city").fit(data)
        self.assertEqual(again.predict(data).tolist(),
                         model.predict(data).tolist())

    def test_groups_of_numbers_and_truth_values(self):
        data = self.data()
        wanted = None
        for groups in (np.arange(40) % 2, np.arange(40) % 2 * 1.0,
                       np.arange(40) % 2 == 1,
                       (np.arange(40) % 2).astype(np.uint8)):
            data["city"] = groups
            got = tamc.AdditiveModel("sales ~ l(price)", group="city").fit(
                data).predict(data).tolist()
            wanted = wanted or got
            self.assertEqual(got, wanted)


class Dates(Folder):
    """The order of dates of each type is that of their text."""

    def test_types(self):
        days = np.array(["2020-01-03", "2019-12-31", "1969-12-31",
                         "2020-02-29"] * 5)
        days = np.char.add(days, np.char.add("T00:00:", np.char.zfill(
            np.arange(20).astype(str), 2)))
        data = {"y": np.sin(np.arange(20.0)), "x": np.cos(np.arange(20.0)),
                "at": days}
        formula = "y ~ pid(x, w=3)"
        wanted = tamc.AdditiveModel(formula, date="at").fit(
            data).predict(data).tolist()
        for unit in ("s", "ms", "us", "ns"):
            data["at"] = days.astype(f"datetime64[{unit}]")
            model = tamc.AdditiveModel(formula, date="at").fit(data)
            self.assertEqual(model.predict(data).tolist(), wanted, unit)
        data["at"] = data["at"].copy()
        data["at"][4] = np.datetime64("NaT")
        with self.assertRaisesRegex(tamc.Error, "^data: row 4: column 'at': "
                                    "expected a date, got a missing value$"):
            tamc.AdditiveModel(formula, date="at").fit(data)


class Numbers(Folder):
    """Numbers of a spec that NumPy holds."""

    def test_penalties_and_grid(self):
        data = {"y": np.arange(12.0) % 5, "x": np.arange(12.0)}
        formula = "y ~ s(x, k=$k)"
        got = tamc.AdditiveModel(formula, ap={"x": np.float64(-2)}).tune(
            data, grid={"k": np.array([3, 5])})
        wanted = tamc.AdditiveModel(formula, ap={"x": -2.0}).tune(
            data, grid={"k": [3, 5]})
        self.assertEqual(got.predict(data).tolist(),
                         wanted.predict(data).tolist())
        with self.assertRaisesRegex(tamc.Error, "expected numbers, texts or "
                                    "lists in a spec, got 'complex'"):
            tamc.AdditiveModel(formula).tune(data, grid={"k": [1j]})


class Memory(Folder):
    def test_limit(self):
        x = np.linspace(0, 1, 3000)
        data = {"y": np.sin(9 * x), "x": x}
        formula = "y ~ s(x, k=30)"
        model = tamc.AdditiveModel(formula).fit(data)
        wanted = model.predict(data).tolist()
        few = 200
        with self.assertRaises(tamc.Error) as raised:
            tamc.AdditiveModel(formula, memory=few).fit(data)
        found = re.search(rf" of {few} bytes free \(--memory\); (\d+) bytes "
                          "more would do", str(raised.exception))
        self.assertIsNotNone(found, raised.exception)
        for memory in (few + int(found[1]), np.int64(2**30), 1e9, "0.5G"):
            again = tamc.AdditiveModel(formula, memory=memory).fit(data)
            self.assertEqual(again.predict(data).tolist(), wanted)
        # It holds for other commands, too.
        model.set_params(memory=few)
        for run in (model.predict, model.decompose, model.tune,
                    model.evaluate):
            with self.assertRaisesRegex(tamc.Error, rf"{few} bytes free \(--"):
                run(data)
        for wrong in ("much", 0, -1):
            with self.assertRaisesRegex(tamc.Error, "--memory: expected a "
                                        "number of bytes"):
                tamc.AdditiveModel(formula, memory=wrong).fit(data)


class Missing(Folder):
    def test_drop(self):
        data = {"y": np.arange(12.0), "x": np.arange(12.0) ** 2}
        data["x"][[2, 5]] = np.nan
        data["y"][7] = np.inf
        model = tamc.AdditiveModel("y ~ l(x)", drop_missing=True).fit(data)
        self.assertEqual(model.notes_, [
            "dropped 3 of 12 rows: missing values in 'y' (1) and 'x' (2)"])
        predicted = model.predict(data)
        self.assertEqual(np.isnan(predicted).nonzero()[0].tolist(), [2, 5])
        known = np.isfinite(data["x"]) & np.isfinite(data["y"])
        rest = {name: values[known] for name, values in data.items()}
        self.assertEqual(model.score(data), model.score(rest))
        self.assertTrue(0 < model.score(data) < 1)
        # A row of weight 2 counts as two rows.
        twice = {name: np.append(values, values[3])
                 for name, values in rest.items()}
        weights = np.where(rest["y"] == rest["y"][3], 2.0, 1.0)
        self.assertAlmostEqual(model.score(rest, sample_weight=weights),
                               model.score(twice), places=12)

    def test_score_of_shapes(self):
        """A column vector is a column, as in a fit; what is masked is missing;
        other shapes are errors."""
        x = np.arange(12.0)
        y = x + np.sin(x)
        model = tamc.AdditiveModel("y ~ l(x0)").fit(x[:, None], y)
        score = model.score(x[:, None], y)
        with self.assertWarnsRegex(Warning, "column-vector"):
            self.assertEqual(model.score(x[:, None], y[:, None]), score)
        for more in ({"y": y[:1]}, {"y": y, "sample_weight": [1.0]},
                     {"y": y, "sample_weight": np.ones((12, 1))}):
            with self.assertRaisesRegex(tamc.Error, "of 12 rows, got the"):
                model.score(x[:, None], **more)
        mask = x == 3
        model.set_params(drop_missing=True)
        self.assertEqual(
            model.score(x[:, None], np.ma.array(y, mask=mask)),
            model.score(x[~mask][:, None], y[~mask]))


class NewRows(Folder):
    """What the executable notes about new rows is one warning."""
    formula = "y ~ l(x) + c(day, ap=-3) + c(month, n_cat=12) + pid(z, w=2)"

    def setUp(self):
        super().setUp()
        n = np.arange(24)
        self.train = {"y": np.sin(n), "x": n * 1.0, "z": np.cos(n),
                      "day": np.array(["work", "fair"])[n % 2],
                      "month": n % 12, "at": n}
        # Beyond the range; a new level; a code beyond n_cat; equal dates.
        self.new = {name: values.copy() for name, values in self.train.items()}
        self.new["x"][[3, 5, 6]] = -9.0, 99.0, 100.0
        self.new["day"][:2] = "gone"
        self.new["month"][7] = 14
        self.new["at"][9] = self.new["at"][8]
        paths = []
        for name in ("train", "new"):
            paths.append(self.folder / f"{name}.csv")
            with open(paths[-1], "w", newline="") as file:
                writer = csv.writer(file)
                data = getattr(self, name)
                writer.writerow(data)
                writer.writerows(zip(*data.values()))
        executable = Executable(self.folder, self.formula, "--date=at",
                                "--profile", paths[0])
        executable.fit(paths[0])
        self.notes = executable.notes("predict", paths[1])
        self.model = tamc.AdditiveModel(self.formula, date="at").fit(
            self.train)

    def warned(self, call, *arguments, **options):
        """The result, and the texts of the warnings, which name the line of
        the call."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = call(*arguments, **options)
        for each in caught:
            self.assertIs(each.category, tamc.DataWarning)
            self.assertEqual(each.filename, __file__)
        return result, [str(each.message) for each in caught]

    def test_warnings(self):
        self.assertEqual(len(self.notes), 4, self.notes)
        wanted = ["; ".join(self.notes)]
        path = self.folder / "model.tamc"
        self.model.save(path)
        for model in (self.model, tamc.load(path)):
            for call in (model.predict, model.decompose, model.score,
                         model.evaluate):
                self.assertEqual(self.warned(call, self.new)[1], wanted)
                self.assertEqual(self.warned(call, self.train)[1], [])
            self.assertEqual(self.warned(model.plot, data=self.new)[1], wanted)
            self.assertEqual(self.warned(model.plot)[1], [])
        for _, frame in frames_of(self.new):
            self.assertEqual(self.warned(self.model.predict, frame)[1], wanted)
        self.assertTrue(issubclass(tamc.DataWarning, tamc.ModelWarning))

    def test_dropped_rows(self):
        """They were asked for, and their predictions are NaN."""
        model = tamc.AdditiveModel("y ~ l(x)", drop_missing=True).fit(
            self.train)
        few = {"x": [1.0, np.nan, 2.0], "y": [1.0, 2.0, 3.0]}
        calls = (model.predict, model.decompose, model.score, model.evaluate,
                 model.plot)
        for call in calls:
            self.assertEqual(self.warned(call, data=few)[1], [])
        few["x"][2] = 24.0
        beyond = "column 'x': 1 of 2 rows are beyond the training range"
        for call in calls:
            self.assertEqual(self.warned(call, data=few)[1], [beyond])


class Errors(Folder):
    def fails(self, pattern, formula, data, kind=tamc.Error, **keys):
        with self.assertRaisesRegex(kind, pattern):
            tamc.AdditiveModel(formula, **keys).fit(data)

    def test_formula(self):
        data = {"y": np.arange(3.0)}
        self.fails(r"<formula>:1:6: error: this '\(' is never closed\n"
                   r"y ~ s\(a\n +\^", "y ~ s(a", data, tamc.CompileError)
        self.fails("expected text as formula, got 'int'", 3, data)

    def test_data(self):
        x = np.arange(4.0)
        self.fails("^data: expected columns of one length, got 4 rows of 'y' "
                   "and 3 of 'x'", "y ~ l(x)", {"y": x, "x": x[:3]})
        self.fails("^data: .*column 'x'", "y ~ l(x)", {"y": x})
        self.fails("^data: expected rows, got none", "y ~ l(x)",
                   {"y": x[:0], "x": x[:0]})
        self.fails("column 'x': row 1: expected text as in the rows before, "
                   "got 'int'", "y ~ c(x)",
                   {"y": x, "x": np.array(["a", 1, "b", "c"], dtype=object)})
        self.fails("column 'x': row 1: expected text, a number, a date or "
                   "None, got 'list'", "y ~ c(x)",
                   {"y": x, "x": ["a", [], "b", "c"]})
        self.fails("column 'x': expected one dimension, got 2", "y ~ l(x)",
                   {"y": x, "x": np.zeros((4, 1))})
        self.fails("column 'x': expected numbers, texts or dates, got an array "
                   "of complex128", "y ~ l(x)", {"y": x, "x": x + 1j})
        self.fails("row 2: column 'x': expected a number, got 'a'", "y ~ l(x)",
                   {"y": x, "x": np.array(["1", "2", "a", "4"])})
        self.fails("expected a dict of arrays.* got 'int'", "y ~ l(x)", 5)

    def test_not_fitted(self):
        with self.assertRaisesRegex(ValueError, "expected a model that is "
                                    "fitted; call fit first"):
            tamc.AdditiveModel("y ~ l(x)").predict({"x": np.arange(3.0)})


class Files(Folder):
    def setUp(self):
        super().setUp()
        self.data = {"y": np.sin(np.arange(50.0)), "x": np.arange(50.0)}
        self.model = tamc.AdditiveModel("y ~ s(x, k=9)").fit(self.data)
        self.wanted = self.model.predict(self.data).tolist()

    def test_save(self):
        path = self.folder / "model.tamc"
        self.model.save(path)
        os.environ["TAMC_CACHE"] = ""
        loaded = tamc.load(path)
        self.assertEqual(loaded.predict(self.data).tolist(), self.wanted)
        self.assertEqual(loaded.get_params(), self.model.get_params())
        content = path.read_bytes()
        for place in (0, 8, 30, len(content) // 2, len(content) - 1):
            changed = bytearray(content)
            changed[place] ^= 1
            path.write_bytes(changed)
            with self.assertRaises(tamc.Error):
                tamc.load(path)
        path.write_bytes(content[:-1])
        with self.assertRaisesRegex(tamc.Error, "changed or cut off"):
            tamc.load(path)
        os.environ["TAMC_CACHE"] = str(self.folder / "cache")

    def test_pickle_and_copy(self):
        for other in (pickle.loads(pickle.dumps(self.model)),
                      copy.deepcopy(self.model), copy.copy(self.model)):
            self.assertEqual(other.predict(self.data).tolist(), self.wanted)
        unfitted = pickle.loads(pickle.dumps(tamc.AdditiveModel("y ~ l(x)")))
        self.assertEqual(unfitted.formula, "y ~ l(x)")

    def test_plan(self):
        self.assertIn("tam.bspline", self.model.plan())


# Collects pairs of an importing module of the package and an imported module,
# whether that was loaded before or not.
RECORD_IMPORTS = """
import builtins
import importlib.util
import numpy as np

before, imports, find = set(sys.modules), set(), builtins.__import__
find_module = importlib.import_module


def record(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if importer.partition(".")[0] == "tamc":
        full = "." * level + name
        if level:
            full = importlib.util.resolve_name(full, globals["__package__"])
        imports.add((importer, full))
        imports.update((importer, full + "." + each)
                       for each in fromlist or ())
    return find(name, globals, locals, fromlist, level)


def record_module(name, package=None):
    importer = sys._getframe(1).f_globals["__name__"]
    if importer.partition(".")[0] == "tamc":
        imports.add((importer, importlib.util.resolve_name(name, package)))
    return find_module(name, package)


builtins.__import__ = record
importlib.import_module = record_module
"""


class Cache(Folder):
    data = {"y": np.arange(9.0), "x": np.arange(9.0) ** 2}

    def predict(self):
        model = tamc.AdditiveModel("y ~ l(x)").fit(self.data)
        return model.predict(self.data).tolist()

    def test_damage(self):
        wanted = self.predict()
        entry, = (self.folder / "cache").glob("*.so")
        content = entry.read_bytes()
        for damaged in (b"", content[:1000], content[:-1],
                        bytes(len(content))):
            entry.write_bytes(damaged)
            self.assertEqual(self.predict(), wanted)
            self.assertEqual(entry.read_bytes(), content)

    def test_no_folder(self):
        wanted = self.predict()
        (self.folder / "file").write_text("")
        for place in ("", str(self.folder / "file/below")):
            os.environ["TAMC_CACHE"] = place
            self.assertEqual(self.predict(), wanted)
        os.environ["TAMC_CACHE"] = str(self.folder / "cache")

    def test_imports(self):
        """A model from the cache needs no modules that take longer to import
        than the model to load. NumPy may have imported them already, so the
        imports of the package's own code count, too."""
        self.predict()
        script = ("import sys; sys.path[:0] = %r\n" % sys.path +
                  RECORD_IMPORTS +
                  "import tamc\n"
                  "x = np.arange(9.0)\n"
                  "tamc.AdditiveModel('y ~ l(x)').fit({'y': x, 'x': x ** 2})\n"
                  "imports |= {('any', name)\n"
                  "            for name in set(sys.modules) - before}\n"
                  "print(*map(':'.join, imports))")
        done = subprocess.run([sys.executable, "-c", script], check=True,
                              stdout=subprocess.PIPE, text=True)
        imports = {tuple(each.split(":")) for each in done.stdout.split()}
        self.assertLessEqual({("any", "tamc._engine"), ("tamc._model", "numpy"),
                              ("tamc._model", "tamc._cache")}, imports)
        # With what is below them.
        slow = ("csv.", "dataclasses.", "html.", "importlib.metadata.",
                "importlib.resources.", "random.", "shutil.", "tempfile.",
                "tamc._compiler.")
        self.assertEqual({each for each in imports
                          if f"{each[1]}.".startswith(slow)}, set())

    def test_two_processes(self):
        script = ("import sys; sys.path[:0] = %r\n"
                  "import numpy as np, tamc\n"
                  "x = np.arange(9.0)\n"
                  "data = {'y': x, 'x': x ** 2}\n"
                  "print(tamc.AdditiveModel('y ~ l(x)').fit(data)"
                  ".predict(data).tolist())" % sys.path)
        runs = [subprocess.Popen([sys.executable, "-c", script],
                                 stdout=subprocess.PIPE, text=True)
                for _ in range(2)]
        texts = {run.communicate()[0] for run in runs}
        self.assertEqual(texts, {f"{self.predict()}\n"})
        names = sorted(path.suffix for path in
                       (self.folder / "cache").iterdir())
        self.assertEqual(names, [".levels", ".so"])


if __name__ == "__main__":
    unittest.main()
