# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models inside C programs: the bits of the executable's results, with only the
caller's memory."""

import copy
import datetime
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

import library
import small
from small import harness

sys.path.insert(0, str(harness.SOURCE / "test" / "golden"))

import golden  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SANITIZE = os.environ.get("TAMC_SANITIZE_FLAGS", "").split()
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Symbols that a library may need: libc without memory and files, and libm.
ALLOWED = re.compile(
    r"^(mem(cpy|move|set|cmp|chr)|str(len|chr|cmp|ncmp|ncpy|tol)|snprintf|"
    r"(a?cosh?|a?sinh?|a?tanh?|sincos|sqrt|pow|exp2?|log(1p)?|[lt]gamma|floor|"
    r"ceil|fabs|fmod|remainder|hypot|nearbyint|rint|round|trunc|ldexp|frexp)|"
    r"__cpu_model|__cpu_features2|__cpu_indicator_init|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|"
    r"__asan_\w+|__ubsan_\w+|"
    r"__sanitizer_\w+)$")
# Terms with all kinds of tables, and terms that read the rows in order; x comes
# before hour.
TABLES = {
    "wavelet": "w(x, n_scales=2, n_locations=3) + w(hour)",
    "neural": "n(x, others='hour', n_neurons=5, n_hidden_layers=3) + "
              "n(hour, n_neurons=9, act=cos) + n(hour, n_neurons=4, act=tanh)",
    "radial": "rbf(x, others='hour', n_centers=7) + "
              "rbf(hour, n_centers=5, gamma=0.5, nu=1.5)",
    # More centres than rows.
    "crowded": "rbf(x, n_centers=200, nu=0.7) + l(hour)",
    "oblivious": "t(x, others='hour', n_trees=3, max_depth=3, sp_alpha=1, ap=-2)"
                 " + t(x, others='hour', n_trees=5, max_depth=2, "
                 "split_strategy=quantile, ap=-2)",
    "flat": "t(x, others='hour', n_trees=3, max_leaves=6, sp_alpha=0.5, "
            "split_strategy=quantile, ap=-2) + t(hour, n_trees=1, "
            "max_leaves=4, ap=-2)",
    "linear": "lt(x, slope=hour, max_depth=2, ap=-2)",
    "products": "te(n(x, n_neurons=3), rbf(hour, n_centers=2)) + "
                "te(t(x, n_trees=2, max_depth=2), s(hour, k=4), ap=-2)",
    "order": "pid(x, w=5) + pid(hour, w=0) + te(pid(x, w=20), l(hour))"}
COMPILERS = [("cc", ["-std=c11"]), ("g++", ["-std=c++17", "-x", "c++"]),
             ("clang++", ["-std=c++20", "-x", "c++"])]
if SANITIZE:  # the runtime wants the sanitizers of its compiler
    COMPILERS.pop()


def day(text):
    return datetime.date.fromisoformat(text[:10]).toordinal() * 24 + int(
        text[11:13] or 0)


def hexadecimal(text):
    return [[float.fromhex(value) for value in line.split()]
            for line in text.splitlines()]


class Model:
    """A model in both forms, and data for both."""

    def __init__(self, test, name, formula, train, new, members, *options,
                 defines=(), folder=None, **keys):
        self.test, self.name = test, name
        self.train, self.new = train, new
        self.dir = folder or test.dir
        self.executable = test.compile(formula, *options, name=name, **keys)
        test.succeed(harness.TAMC, test.dir / f"{name}.yaml", *options,
                     "--emit=lib", "-o", self.dir / f"lib{name}.a")
        # Members of the struct in order: name, column, type, reader.
        self.members = members
        self.defines = [f"-D{define}" for define in defines]
        self.paths = {}
        for kind, rows in (("train", train), ("new", new)):
            self.paths[kind] = harness.write_csv(
                test.dir / f"{name}-{kind}.csv", rows)
            self.pack(kind, rows)

    def pack(self, kind, rows):
        packed = [struct.pack("<Q", len(rows))]
        for _, column, code, convert in self.members:
            packed.append(struct.pack(
                f"<{len(rows)}{code}",
                *(convert(row[column]) for row in rows)))
        (self.dir / f"{self.name}-{kind}.bin").write_bytes(b"".join(packed))

    def build(self, compiler="cc", flags=("-std=c11",), count=True,
              extra=()):
        source = self.dir / f"{self.name}.c"
        text = (HERE / "embed.c.in").read_text()
        reads = "".join(f"READ({member})\n" for member, *_ in self.members)
        source.write_text(text.replace("@MEMBERS@", reads)
                          .replace("@P@", self.name)
                          .replace("@U@", self.name.upper()))
        program = self.dir / f"{self.name}-{compiler}"
        command = [compiler, *flags, "-O1", *WARNINGS, *SANITIZE, *extra,
                   *self.defines, "-I", str(self.dir)]
        objects = []
        if count:
            objects = [library.allocation_count(), "-lstdc++"]
            command.append("-DCOUNT")
        subprocess.run(
            [*command, str(source), "-x", "none",
             str(self.dir / f"lib{self.name}.a"), *objects, "-lm", "-o",
             str(program)], check=True)
        return program

    def run(self, program, mode, *more, before=()):
        """The program's output, and the file that it writes."""
        saved = self.dir / f"{self.name}-saved.safetensors"
        out = self.test.succeed(
            *before, program, mode, self.dir / f"{self.name}-train.bin",
            self.dir / f"{self.name}-new.bin", saved, *more)
        return hexadecimal(out), saved

    def expected(self, weights):
        """Prediction and effects of each new row, by the executable."""
        path = self.paths["new"]
        parts = []
        for kind in ("response", "terms"):
            table = self.test.predict(self.executable, path, weights,
                                      f"--type={kind}")
            rows = harness.read_csv(table)
            skip = len([key for key in ("group", "date") if key in self.keys])
            parts.append([[float(value) for value in list(row.values())[skip:]]
                          for row in rows])
        return [first + second for first, second in zip(*parts, strict=True)]


class Lib(harness.TestCase):
    def model(self, name, formula, train, new, members, *options, defines=(),
              **keys):
        model = Model(self, name, formula, train, new, members, *options,
                      defines=defines, **keys)
        model.keys = keys
        return model

    def airpassengers(self):
        train = golden.airpassengers_rows(0, 119, drop_missing=True)
        new = golden.airpassengers_rows(120, 143)
        members = [("date", "date", "q", day),
                   ("time_of_year", "time_of_year", "d", float),
                   ("lag_log_passengers", "lag_log_passengers", "d", float),
                   ("log_passengers", "log_passengers", "d", float)]
        return self.model(
            "airpassengers", golden.airpassengers_formula(), train, new,
            members, date="date",
            defines=["TARGET=log_passengers",
                     'TARGET_NAME="log_passengers"',
                     "LINEAR=lag_log_passengers"])

    def grouped(self, name="grouped", formula=None, groups=("10", "-3", "7"),
                levels=("0.5", "2", "-1", "2.5"), options=(), seed=3, **more):
        """Rows of several groups in any order, with weights and levels."""
        rng = random.Random(seed)
        rows = [{"g": group, "date": f"2021-{1 + i // 28:02}-{1 + i % 28:02}",
                 "x": repr(rng.uniform(-2, 5) / 1000), "hour": str(i % 24),
                 "day": str(i % 7), "level": rng.choice(levels),
                 "w": repr(rng.uniform(0, 2)), "y": repr(rng.gauss(0, 1))}
                for group in groups for i in range(60)]
        rng.shuffle(rows)
        new = [dict(rng.choice(rows), x=repr(rng.uniform(-4, 8) / 1000))
               for _ in range(50)]
        number = {name: i for i, name in enumerate(sorted(levels))}
        ids = {name: i for i, name in enumerate(sorted(groups))}

        def level(text):
            return float(number[text]) if text[0].isalpha() else float(text)

        def group(text):
            return ids[text] if text[0].isalpha() else int(float(text))

        members = [("g", "g", "q", group), ("date", "date", "q", day),
                   ("x", "x", "d", float), ("hour", "hour", "d", float),
                   ("day", "day", "d", float), ("level", "level", "d", level),
                   ("y", "y", "d", float), ("w", "w", "d", float)]
        formula = formula or ("y ~ s(x, k=9) + f(hour, m=3) + l(x) + "
                              "c(day, n_cat=7) + c(level)")
        profile = harness.write_csv(self.dir / f"{name}-profile.csv", rows)
        return self.model(
            name, formula, rows, new, members, "--profile", profile, *options,
            group="g", date="date", weights="w",
            defines=["TARGET=y", 'TARGET_NAME="y"', "GROUP=g", "WEIGHTS=w",
                     "LINEAR=x", "LEVEL=level", f"LEVELS={len(levels)}"],
            **more)

    def check(self, model, before=(), **build):
        """Fits and predictions of both forms are the same."""
        program = model.build(**build)
        weights = self.fit(model.executable, model.paths["train"])
        expected = model.expected(weights)
        got, saved = model.run(program, "fit", before=before)
        self.assertEqual(got, expected)
        self.assertEqual(saved.read_bytes(), weights.read_bytes())
        got, saved = model.run(program, "load", weights, before=before)
        self.assertEqual(got, expected)
        self.assertEqual(saved.read_bytes(), weights.read_bytes())
        return program

    def test_weights_of_a_term(self):
        """A column of weights that a term reads, too, rows in order."""
        rng = random.Random(7)
        rows = [{"x": repr(rng.gauss(0, 1)), "w": repr(rng.uniform(0, 2e-6)),
                 "y": repr(rng.gauss(0, 1))} for _ in range(300)]
        members = [(name, name, "d", float) for name in "xwy"]
        self.check(self.model("shared", "y ~ s(x, k=9) + l(w)", rows,
                              rows[:40], members, weights="w",
                              defines=["TARGET=y", 'TARGET_NAME="y"',
                                       "LINEAR=x"]))

    def errors(self, model, program, before=()):
        model.run(program, "errors", before=before)

    def test_airpassengers(self):
        model = self.airpassengers()
        for compiler, flags in COMPILERS:
            with self.subTest(compiler=compiler):
                program = self.check(model, compiler=compiler, flags=flags)
        self.errors(model, program)

    def test_groups(self):
        model = self.grouped(options=["--chunk-rows", 16])
        for compiler, flags in COMPILERS:
            with self.subTest(compiler=compiler):
                program = self.check(model, compiler=compiler, flags=flags)
        self.errors(model, program)

    def check_baked(self, model, *options, compilers=COMPILERS[:1]):
        """A library with weights predicts as the executable with them."""
        weights = self.fit(model.executable, model.paths["train"])
        self.succeed(harness.TAMC, self.dir / f"{model.name}.yaml", *options,
                     "--emit=lib", f"--bake={weights}", "-o",
                     self.dir / f"lib{model.name}.a")
        model.defines.append("-DBAKED")
        for compiler, flags in compilers:
            program = model.build(compiler=compiler, flags=flags)
            got, saved = model.run(program, "forecast", weights)
            self.assertEqual([row[0] for row in got],
                             [row[0] for row in model.expected(weights)])
            self.assertEqual(saved.read_bytes(), weights.read_bytes())

    def test_baked_weights(self):
        self.check_baked(self.airpassengers(), compilers=COMPILERS)
        for name, more in (
                ("numbers", {}),
                ("named", {"groups": ("b", "a", "c"),
                           "levels": ("hot", "cold", "mild")}),
                ("cg", {"options": ["--solver=cg"]}),
                *((name, {"formula": f"y ~ {terms} + c(day, n_cat=7) + "
                                     "c(level)"})
                  for name, terms in TABLES.items()),
                ("given", {"formula": "y ~ rbf(x, n_centers=3) + l(hour) + "
                                      "c(day, n_cat=7) + c(level)",
                           "state": "{x: {centers: [-1, 0, 1]}}"})):
            with self.subTest(name):
                model = self.grouped(name=name, **more)
                self.check_baked(
                    model, "--profile", self.dir / f"{name}-profile.csv",
                    *more.get("options", ()))

    def test_weights_that_cannot_be_baked(self):
        model = self.airpassengers()
        weights = self.fit(model.executable, model.paths["train"])
        other = self.dir / "other.safetensors"
        content = weights.read_bytes()
        archive = self.dir / "libbad.a"

        def refused(data, says, *options, path=other):
            if data is not None:
                path.write_bytes(data)
            run = self.run_program(
                harness.TAMC, self.dir / "airpassengers.yaml",
                f"--bake={path}", *(options or ("--emit=lib", "-o", archive)))
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"tamc: error: {says}", run.stderr)
            self.assertFalse(archive.exists())

        at = content.index(b"spec_hash") + 15
        changed = content[:at] + (b"0" if content[at:at + 1] != b"0" else
                                  b"1") + content[at + 1:]
        bad = f"cannot build in '{other}': "
        refused(harness.seal(changed), bad)
        # A changed number, cut files, another kind of file.
        refused(content[:-1] + bytes([content[-1] ^ 1]), bad)
        for length in (0, 7, 100, len(content) - 8):
            refused(content[:length], bad)
        refused(b"formula: y ~ l(a)\n", bad)
        refused(None, "cannot read '", path=self.dir / "none")
        refused(content, "expected --bake with --emit=lib alone", "-o",
                self.dir / "model")
        refused(None, "expected an output that is no input of the run",
                "--emit=lib", "-o", self.dir / "libx.a", "--prefix=x",
                path=self.link(other, "x.h"))

    def link(self, path, name):
        result = self.dir / name
        result.symlink_to(path)
        return result

    def test_inference(self):
        """A library reads weights as if they had no inference."""
        model = self.grouped()
        program = model.build()
        plain = self.fit(model.executable, model.paths["train"])
        rich = self.fit(model.executable, model.paths["train"], "--inference",
                        weights="rich")
        got, saved = model.run(program, "load", rich)
        self.assertEqual(got, model.expected(plain))
        self.assertEqual(saved.read_bytes(), plain.read_bytes())

    def test_conjugate_gradients(self):
        """A library fits by the solver that its model has."""
        self.check(self.grouped(options=["--solver=cg"]))
        self.check(self.grouped(name="open", options=["--solver=cg",
                                                      "--block-limit=2"]))

    def test_levels(self):
        """Sums by levels if all rows are like the profile."""
        model = self.grouped(
            options=["--rows-per-level=1", "--chunk-rows", 16],
            formula="y ~ f(hour, m=3) + p(day, deg=3) + l(x) + s(day, k=2) + "
                    "c(day, n_cat=7) + c(level)")
        self.errors(model, self.check(model))
        levels = "levels of 'hour'"
        self.assertIn(levels, self.timings(model))
        for name, hour in (("-3", "9.5"), ("7", "25"), ("10", "-1")):
            rows = [dict(row) for row in model.train]
            next(row for row in rows if row["g"] == name)["hour"] = hour
            model.pack("train", rows)
            harness.write_csv(model.paths["train"], rows)
            self.check(model)
            self.assertNotIn(levels, self.timings(model))
        # Each group from a level of its own on.
        rows = [dict(row, hour=str(int(row["hour"]) - 50 + int(row["g"])))
                for row in model.train]
        model.pack("train", rows)
        harness.write_csv(model.paths["train"], rows)
        self.check(model)
        self.assertIn(levels, self.timings(model))

    def timings(self, model):
        run = self.run_program(model.executable, "fit", model.paths["train"],
                               "-o", "none", "--timings")
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr

    def test_tables(self):
        """Tables are learnt in the caller's memory, and loaded from a file."""
        for name, terms in TABLES.items():
            with self.subTest(terms=terms):
                model = self.grouped(
                    name=name, options=["--chunk-rows", 16],
                    formula=f"y ~ {terms} + l(x) + c(day, n_cat=7) + c(level)")
                if name == "order":
                    model.defines.append("-DORDERED=date")
                self.errors(model, self.check(model))

    def test_tables_and_conjugate_gradients(self):
        self.check(self.grouped(
            options=["--solver=cg"],
            formula="y ~ rbf(x, n_centers=9) + t(x, others='hour', n_trees=3, "
                    "max_depth=2) + pid(hour) + c(day, n_cat=7) + c(level)"))

    def test_given_tables(self):
        """Tables given by the spec are not learnt; the others are the same as
        without given ones."""
        self.check(self.grouped(
            formula="y ~ rbf(x, n_centers=3) + t(hour, n_trees=2, max_depth=2) "
                    "+ c(day, n_cat=7) + c(level)",
            state="{x: {centers: [-1, 0, 1]}, "
                  "hour: {thresholds: [-0.5, 0, 0.5, 1]}}"))

    def test_tables_that_no_fit_leaves(self):
        """Invalid tables are refused, in a file and in memory."""
        # Behind the features, which one word fills up: thresholds.
        model = self.grouped(
            formula="y ~ t(x, others='hour', n_trees=1, max_depth=3, ap=-2) + "
                    "l(x) + c(day, n_cat=7) + c(level)")
        model.defines.append("-DFEATURES=(16+24)")
        program = self.check(model)
        self.errors(model, program)
        weights = self.fit(model.executable, model.paths["train"]).read_bytes()
        size, = struct.unpack_from("<Q", weights)
        header = json.loads(weights[8:8 + size])

        def refused(status, change, executable=True):
            """By load_size, or by load with a status; and the executable."""
            entries, data = copy.deepcopy(header), bytearray(weights[8 + size:])
            change(entries, data)
            text = json.dumps(entries).encode()
            bad = self.dir / "bad.safetensors"
            bad.write_bytes(harness.seal(
                struct.pack("<Q", len(text)) + text + data))
            run = self.run_program(
                program, "load", self.dir / "grouped-train.bin",
                self.dir / "grouped-new.bin", self.dir / "none", bad)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(f"load: {status}:" if status else "needed > 0",
                          run.stderr)
            if not executable:
                return
            run = self.run_program(
                model.executable, "predict", model.paths["new"], "--weights",
                bad)
            self.assertEqual(run.returncode, 1)
            self.assertIn(str(bad), run.stderr)

        def put(name, code, value):
            def change(entries, data):
                struct.pack_into(code, data,
                                 entries[name]["data_offsets"][0], value)
            return change

        features, thresholds = "tables.t_x.features", "tables.t_x.thresholds"
        refused(17, put(features, "<i", 2))
        refused(17, put(features, "<i", -1))
        refused(17, put(thresholds, "<d", math.inf))
        for change in (
                lambda entries, data: entries.pop(features),
                lambda entries, data: entries[features].update(dtype="F32"),
                lambda entries, data: entries[features].update(shape=[3]),
                lambda entries, data: entries[features].update(shape=[3, 1]),
                lambda entries, data: entries.update(
                    {"tables.other": entries.pop(features)}),
                lambda entries, data: entries[thresholds].update(
                    data_offsets=entries["coefficients"]["data_offsets"]),
                lambda entries, data: data.extend(bytes(8))):
            refused(None, change)

        def overlap(entries, data):
            """The thresholds overlap the knots, and their own place is
            empty."""
            first, last = entries[thresholds]["data_offsets"]
            del data[first:last]
            knots = entries["knots"]["data_offsets"][0]
            entries[thresholds]["data_offsets"] = [knots, knots + last - first]
            entries[features]["data_offsets"] = [first, len(data)]

        refused(None, overlap)
        # The executable looks for what it needs alone.
        refused(None, lambda entries, data: entries.update(
            {"tables.more": {"dtype": "F64", "shape": [0],
                             "data_offsets": [0, 0]}}), executable=False)

        # Tensors may lie in any order.
        entries, data = {"__metadata__": header.pop("__metadata__")}, b""
        for name in sorted(header, reverse=True):
            first, last = header[name]["data_offsets"]
            entries[name] = dict(header[name], data_offsets=[
                len(data), len(data) + last - first])
            data += weights[8 + size + first:8 + size + last]
        text = json.dumps(entries).encode()
        turned = self.dir / "turned.safetensors"
        turned.write_bytes(harness.seal(
            struct.pack("<Q", len(text)) + text + data))
        _, saved = model.run(program, "load", turned)
        self.assertEqual(saved.read_bytes(), weights)

    def test_rows_that_teach_no_finite_number(self):
        """Too close for a gamma; too many of one leaf for an sp_alpha."""
        rows = [{"x": repr(i * 1e-158 if i else -1.0), "y": str(i % 5)}
                for i in range(6000)] + [{"x": "1", "y": "2"}]
        members = [("x", "x", "d", float), ("y", "y", "d", float)]
        for name, term in (("near", "rbf(x)"),
                           ("steep", "t(x, max_depth=1, sp_alpha=100)")):
            model = self.model(name, f"y ~ {term}", rows, rows, members)
            model.defines += ["-DTARGET=y", '-DTARGET_NAME="y"']
            run = self.run_program(
                model.build(), "fit", self.dir / f"{name}-train.bin",
                self.dir / f"{name}-new.bin", self.dir / "none")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, "^fit: 22: .*, effect x$")
            run = self.run_program(model.executable, "fit",
                                   model.paths["train"], "-o", "none")
            self.assertEqual(run.returncode, 1)
            self.assertIn("effect 'x': ", run.stderr)

    def test_prediction_that_is_not_finite_by_the_rows_before(self):
        """Its own numbers are finite; the sum over a window is not."""
        rng = random.Random(1)
        rows = [{"x": repr((i % 9 - 4) / 4), "y": repr(rng.uniform(0, 0.1))}
                for i in range(90)]
        new = [{"x": x, "y": "0"} for x in ("0", "1e308", "1e308", "0")]
        members = [("x", "x", "d", float), ("y", "y", "d", float)]
        model = self.model("summed", "y ~ pid(x, w=3)", rows, new, members)
        model.defines += ["-DTARGET=y", '-DTARGET_NAME="y"']
        run = self.run_program(
            model.build(), "fit", self.dir / "summed-train.bin",
            self.dir / "summed-new.bin", self.dir / "none")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^predict: 15: .* row 2, .*, effect x$")
        weights = self.fit(model.executable, model.paths["train"])
        run = self.run_program(model.executable, "predict",
                               model.paths["new"], "--weights", weights)
        self.assertEqual(run.returncode, 1)
        self.assertIn(": line 4: term pid(x, w=3): ", run.stderr)

    def test_names(self):
        """Groups and levels that are text: by their places."""
        model = self.grouped(groups=("north", "east \"x\"", "süd", "a\\b"),
                             levels=("low", "high\tup", "mid"))
        program = model.build()
        weights = self.fit(model.executable, model.paths["train"])
        got, saved = model.run(program, "load", weights)
        self.assertEqual(got, model.expected(weights))
        self.assertEqual(saved.read_bytes(), weights.read_bytes())

    def test_whole_numbers(self):
        """Groups that are whole numbers, written in other ways."""
        model = self.grouped(groups=("1.0", "-3.0", "1e3"))
        weights = self.fit(model.executable, model.paths["train"])
        expected = model.expected(weights)
        got, saved = model.run(model.build(), "load", weights)
        self.assertEqual(got, expected)
        self.assertEqual(model.expected(saved), expected)

    def test_load_splines(self):
        case, rows, _ = golden.national("load_splines")
        train, new = ([row for row in rows if row["split"] == split]
                      for split in ("train", "test"))
        features = []
        for name in re.findall(r"\w+\((\w+)", case["formula"]):
            if name not in features:
                features.append(name)
        members = [(case["group"], case["group"], "q", int),
                   (case["date"], case["date"], "q", day)]
        members += [(name, name, "d", float)
                    for name in (*features, case["target"])]
        model = self.model(
            "load_splines", case["formula"], train, new, members,
            group=case["group"], date=case["date"],
            defines=[f"TARGET={case['target']}",
                     f"TARGET_NAME=\"{case['target']}\"",
                     f"GROUP={case['group']}"])
        self.check(model)

    def test_memory(self):
        """No access outside the caller's memory, checked by a sanitizer."""
        grouped = self.grouped()
        learned = self.grouped(
            name="learned", options=["--chunk-rows", 4],
            # So small that learning the tables takes more memory than the
            # solve.
            formula="y ~ rbf(x, n_centers=4) + t(x, others='hour', n_trees=2, "
                    "max_depth=2, split_strategy=quantile, sp_alpha=1) + "
                    "pid(hour) + w(x, n_scales=1, n_locations=2) + "
                    "n(x, n_neurons=3) + l(x) + c(day, n_cat=7) + c(level)")
        valgrind = shutil.which("valgrind")
        if SANITIZE:
            before = ()  # ASan itself
        else:
            self.assertIsNotNone(valgrind, "valgrind is needed")
            before = (valgrind, "-q", "--error-exitcode=9")
        for model in (grouped, learned):
            program = self.check(model, before=before, count=False)
            self.errors(model, program, before)

    def test_needs_libm_alone(self):
        model = self.grouped()
        symbols = self.succeed("nm", "-P",
                               self.dir / "libgrouped.a").splitlines()
        # A sanitizer adds one symbol for each global.
        fields = [line.split() for line in symbols
                  if " " in line and not line.startswith("__odr_asan.")]
        defined = {name for name, kind, *_ in fields if kind not in "UwvN"}
        for name, kind, *_ in fields:
            if kind == "U" and name not in defined:
                self.assertRegex(name, ALLOWED)
        globals_ = {name for name, kind, *_ in fields
                    if kind.isupper() and kind not in "UWV"}
        own = {name for name in globals_ if not re.match(r"tamrt_|_ZN", name)}
        self.assertTrue(all(name.startswith("grouped_") for name in own), own)
        # There is no variable that a call could change: data are constants
        # with addresses, the model and its tables of launches.
        self.assertEqual({name for name, kind, *_ in fields
                          if kind in "BbCGgSs" or (
                              kind in "d" and not name.startswith(
                                  ("tam_", "_", "."))
                              and not name.endswith("_launches"))}, set())
        # The linker may protect them: they are in no section of variables. The
        # reader of numbers has a volatile number that it only reads.
        own = {name for name in self.variables("libgrouped.a")
               if not re.search("fast_float.*rounds_to_nearest.*fmin", name)}
        self.assertEqual(own, set())
        # That would show a variable whose name is like that of a constant.
        (self.dir / "count.c").write_text(
            "static int tam_count = 1;\n"
            "int grouped_count(void) { return tam_count++; }\n")
        for option in ("-fno-data-sections", "-fdata-sections"):
            self.succeed("cc", "-c", option, "count.c", "-o", "count.o")
            shutil.copy(self.dir / "libgrouped.a", self.dir / "changed.a")
            self.succeed("ar", "r", "changed.a", "count.o")
            added = (self.variables("changed.a")
                     - self.variables("libgrouped.a"))
            self.assertEqual(len(added), 1, option)
        model.build(count=False)

    def variables(self, library):
        """The sections of variables of a library that are not empty."""
        sections = self.succeed("objdump", "-h", library)
        # A sanitizer's own tables have addresses.
        constant = r"\.rel" if SANITIZE else r"\.rel\.ro"
        return {name for name, size in re.findall(
                    rf"^ *\d+ (\.data(?!{constant})\S*) +([0-9a-f]+)",
                    sections, re.M) if int(size, 16) > 0}

    def test_stack(self):
        """Every call runs on a thread with the stack that the header states,
        and needs not much less."""
        rest = " + l(x) + c(day, n_cat=7) + c(level)"
        # Loops over rows hold 64 KiB of scratch; then kernels alone.
        models = {
            "splines": ("s(x, k=9) + s(hour, k=12) + f(hour, m=3)", []),
            "trees": ("t(x, others='hour', n_trees=20, max_depth=6) + "
                      "t(hour, n_trees=5, max_leaves=7, sp_alpha=1)", []),
            "radial": ("rbf(x, others='hour', n_centers=170)", []),
            "neural": ("n(x, others='hour', n_neurons=40)", []),
            "wide": ("te(s(x, k=10), s(hour, k=10))", []),
            "cg": ("rbf(x, n_centers=150) + s(x, k=8) + "
                   "t(hour, n_trees=9, max_depth=3)", ["--solver=cg"]),
            "kernels": ("s(x, k=9) + t(hour, n_trees=9, max_depth=3)",
                        ["--fuse-rows=false"])}
        for name, (terms, options) in models.items():
            with self.subTest(terms=terms):
                model = self.grouped(name=name, options=options,
                                     formula=f"y ~ {terms}{rest}")
                header = (self.dir / f"{name}.h").read_text()
                stack = int(re.search(rf"#define {name.upper()}_STACK (\d+)",
                                      header).group(1))
                weights = self.fit(model.executable, model.paths["train"])
                expected = model.expected(weights)
                program = model.build(count=False,
                                      extra=["-DON_THREAD", "-pthread"])
                most = 0
                for mode in (["fit"], ["load", weights]):
                    saved = self.dir / "saved"
                    run = self.run_program(
                        program, mode[0], self.dir / f"{name}-train.bin",
                        self.dir / f"{name}-new.bin", saved, *mode[1:])
                    self.assertEqual(run.returncode, 0, (mode, run.stderr))
                    self.assertEqual(hexadecimal(run.stdout), expected)
                    self.assertEqual(saved.read_bytes(), weights.read_bytes())
                    most = max([most, *map(int, re.findall(r"stack: (\d+) of",
                                                           run.stderr))])
                self.assertLess(most, stack)
                if SANITIZE:  # frames are larger than those of a user's library
                    continue
                # Half of the runtime's stack is a reserve for other C libraries
                # and processors.
                self.assertLess(most, stack - 12 * 1024)
                self.assertGreater(most, stack - 24 * 1024)

    def test_two_models(self):
        """Weights of one model are refused by another in the same program."""
        self.airpassengers()
        self.grouped()
        source = self.dir / "two.c"
        source.write_text(TWO)
        program = self.dir / "two"
        subprocess.run(["cc", "-std=c11", *WARNINGS, *SANITIZE, "-I",
                        str(self.dir), str(source),
                        str(self.dir / "libgrouped.a"),
                        str(self.dir / "libairpassengers.a"), "-lm", "-o",
                        str(program)], check=True)
        self.succeed(program)

    def test_deterministic(self):
        first, second = self.dir / "a", self.dir / "b"
        for folder in (first, second):
            folder.mkdir()
            self.succeed(harness.TAMC, "-f", "y ~ s(x)", "--name", "a b",
                         "--emit=lib", "-o", folder)
            self.assertEqual(sorted(path.name for path in folder.iterdir()),
                             ["a_b.h", "liba_b.a"])
        for name in ("a_b.h", "liba_b.a"):
            self.assertEqual((first / name).read_bytes(),
                             (second / name).read_bytes())

    def test_tool_errors(self):
        def fails(message, *arguments):
            run = self.run_program(harness.TAMC, "-f", "y ~ l(x)",
                                   "--emit=lib", *arguments)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertRegex(run.stderr, "^tamc: error: " + message)
        wanted = "expected a folder or a file that ends in .a for a library, "
        fails(wanted + "got 'model.so'", "-o", "model.so")
        fails(wanted + "got '-'", "-o", "-")
        fails(wanted + "got 'lib.a'", "-o", "lib.a")
        fails("cannot write 'none/m.h': .*No such file", "-o", "none/libm.a")
        fails("expected a C identifier that starts with a letter as --prefix, "
              "got '1x'", "--prefix", "1x")
        fails("expected a name .* 'tamrt', .*, got 'tamrt_x'", "--name=tamrt_x")
        fails("expected no --device with --emit=lib", "--device=cuda")
        self.assertEqual(list(self.dir.iterdir()), [])
        run = self.run_program(harness.TAMC, "-f", "y ~ l(x)", "--prefix", "x")
        self.assertIn("expected --prefix with --emit=lib alone", run.stderr)
        self.succeed(harness.TAMC, "-f", "y ~ l(x)", "--emit=lib", "--prefix",
                     "house", "-o", "libother.a")
        self.assertIn("int house_fit(", (self.dir / "other.h").read_text())

    def test_odd_names(self):
        """Columns whose names are not identifiers, or become the same one."""
        columns = ["int", "a b", "a-b", "2nd", "_x", "rows", "été", "*/",
                   "INT64_MAX", "I", "size_t", "y??/"]
        terms = " + ".join(f"l('{name}')" for name in columns[:-1])
        (self.dir / "odd.yaml").write_text(
            f"name: odd\nformula: \"'{columns[-1]}' ~ {terms}\"\n"
            "group: int\n", encoding="utf-8")
        self.succeed(harness.TAMC, "odd.yaml", "--emit=lib")
        header = (self.dir / "odd.h").read_text(encoding="utf-8")
        struct = header[header.index("typedef struct odd_data"):]
        self.assertEqual(
            re.findall(r"^  (?:const \w+ \*|size_t )(\w+);", struct, re.M),
            ["rows", "int_", "int__2", "a_b", "a_b_2", "c2nd", "c_x", "rows_2",
             "c__t__", "c__", "INT64_MAX_", "I_", "size_t_", "y___"])
        source = self.dir / "odd.c"
        source.write_text('#include <complex.h>\n#include "odd.h"\n'
                          'int main(void) { return 0; }\n')
        for compiler, flags in COMPILERS:
            subprocess.run([compiler, *flags, *WARNINGS, "-c", "-I",
                            str(self.dir), str(source), "-o",
                            str(self.dir / "odd.o")], check=True)

    def test_document(self):
        """The program of docs/embedding.md, unchanged."""
        text = (harness.SOURCE / "docs" / "embedding.md").read_text()
        program = re.search(r"```c forecast\.c\n(.*?)```", text,
                            re.S).group(1)
        (self.dir / "forecast.c").write_text(program)
        build = re.search(r"^\$ (cc .*)$", text, re.M).group(1)
        self.succeed(harness.TAMC, harness.EXAMPLE / "airpassengers.yaml",
                     "--emit=lib", "-o", ".")
        subprocess.run([*build.split(), *WARNINGS, *SANITIZE], cwd=self.dir,
                       check=True)
        harness.write_csv(self.dir / "train.csv",
                          golden.airpassengers_rows(0, 119, True))
        harness.write_csv(self.dir / "new.csv",
                          golden.airpassengers_rows(120, 143))
        out = self.succeed("./forecast", "train.csv", "new.csv")
        model = self.compile(golden.airpassengers_formula(),
                             name="airpassengers", date="date")
        weights = self.fit(model, self.dir / "train.csv")
        table = self.predict(model, self.dir / "new.csv", weights)
        self.assertEqual([float(line) for line in out.split()],
                         [float(row["prediction"])
                          for row in harness.read_csv(table)])


TWO = r"""
#include "airpassengers.h"
#include "grouped.h"

#include <stdlib.h>

static double numbers[64];
static int64_t zeros[64];

int main(void) {
  airpassengers_data data = {64, zeros, numbers, numbers, numbers};
  grouped_data other = {64,      zeros,   zeros,   numbers, numbers,
                        numbers, numbers, numbers, numbers};
  tamrt_embed_error error;
  size_t size = airpassengers_weights_size(1);
  size_t arenaSize = airpassengers_fit_arena_size(64, 1);
  size_t otherSize = grouped_predict_arena_size(64);
  void *weights = malloc(size);
  void *arena = malloc(arenaSize > otherSize ? arenaSize : otherSize);
  double out[64];
  for (int i = 0; i < 64; ++i)
    numbers[i] = (i * 37 % 64) / 64.0;
  if (!weights || !arena ||
      airpassengers_fit(&data, weights, size, arena, arenaSize, &error))
    return 1;
  if (grouped_predict(&other, weights, size, arena, otherSize, out, &error) !=
      TAMRT_EMBED_OTHER_MODEL)
    return 2;
  free(weights);
  free(arena);
  return 0;
}
"""


if __name__ == "__main__":
    harness.main()
