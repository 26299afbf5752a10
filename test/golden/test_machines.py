# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models compiled for another machine, run by qemu: the same bytes as on this
one."""

import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

import golden
import harness

sys.path.insert(0, str(harness.SOURCE / "test" / "integration"))

import test_lib  # noqa: E402
from random_formula import random_model  # noqa: E402

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 5))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261123))

# The machine, in the names of tools and folders.
MACHINE = os.environ["TAMC_MACHINE"]
QEMU = "qemu-" + MACHINE.split("-", maxsplit=1)[0]
ROOT = pathlib.Path("/usr") / MACHINE

TYPES = ("response", "terms", "design")
ERRORS = (["--se", "--interval=0.9"], ["--se", "--type=terms"])


class Machines(harness.TestCase):
    def emulated(self, program):
        """A program of the other machine as one of this."""
        script = program.with_name(program.name + "-emulated")
        script.write_text(f'#!/bin/sh\nexec {QEMU} -L {ROOT} {program} "$@"\n')
        script.chmod(0o755)
        return script

    def machine(self, program):
        """The machine that the header of an ELF file names."""
        return program.read_bytes()[18:20]

    def results(self, model, train, test, *options):
        """The bytes of weights and predictions."""
        weights = self.fit(model, train, *options)
        known = self.fit(model, train, "--inference", *options,
                         weights="known")
        return [weights.read_bytes()] + [
            self.predict(model, test, weights, f"--type={kind}").read_bytes()
            for kind in TYPES] + [known.read_bytes()] + [
            self.predict(model, test, known, *more).read_bytes()
            for more in ERRORS] + [
            self.succeed(model, "summary", "--weights", known).encode()]

    def check(self, formula, train, test, *options, **keys):
        own = self.compile(formula, *options, **keys)
        own_machine = self.machine(own)
        expected = self.results(own, train, test)
        other = self.compile(formula, *options, f"--triple={MACHINE}",
                             **keys)
        self.assertNotEqual(self.machine(other), own_machine)
        model = self.emulated(other)
        got = self.results(model, train, test, "--threads", 1)
        names = ("weights", *TYPES, "inference", *map(str, ERRORS), "summary")
        for name, one, another in zip(names, got, expected, strict=True):
            self.assertEqual(one, another, name)
        # How threads share rows is the same code for each type of predictions
        # (integration.determinism).
        weights = self.fit(model, train, "--threads", 2)
        table = self.predict(model, test, weights, "--threads", 2)
        self.assertEqual([weights.read_bytes(), table.read_bytes()],
                         expected[:2], "2 threads")

    def test_airpassengers(self):
        rows = golden.airpassengers_rows(0, 119, drop_missing=True)
        for name, part in (("train", rows[:100]), ("test", rows)):
            harness.write_csv(self.dir / f"{name}.csv", part)
        self.check(golden.airpassengers_formula(), self.dir / "train.csv",
                   self.dir / "test.csv", date="date")

    def check_national(self, name):
        case, rows, _ = golden.national(name)
        for split in ("train", "test"):
            harness.write_csv(self.dir / f"{split}.csv",
                              [row for row in rows if row["split"] == split])
        self.check(case["formula"], self.dir / "train.csv",
                   self.dir / "test.csv", group=case["group"],
                   date=case["date"])

    def test_load_splines(self):
        self.check_national("load_splines")

    def test_load_tensor(self):
        self.check_national("load_tensor")

    def check_effect(self, name):
        case = golden.effect_case(name)
        self.check(case["formula"], case["train"], case["test"], "--profile",
                   case["train"], group="g", date="date",
                   state=json.dumps(golden.given_state(case)))

    def test_random(self):
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            formula, train, new = random_model(rng)
            for name, rows in (("train", train), ("new", new)):
                harness.write_csv(self.dir / f"{name}.csv", rows)
            with self.subTest(case=case, formula=formula):
                self.check(formula, self.dir / "train.csv",
                           self.dir / "new.csv", "--profile",
                           self.dir / "train.csv", group="g", date="day",
                           weights="w")

    def test_many_columns(self):
        """More than the kernels of the solver have in one panel."""
        rng = random.Random(SEED)
        _, train, new = random_model(rng, rows=400, formula="y ~ l(a)")
        for name, rows in (("train", train), ("new", new)):
            harness.write_csv(self.dir / f"{name}.csv", rows)
        self.check("y ~ n(a, others='b', n_neurons=301, ap=-1) + s(d, k=20)",
                   self.dir / "train.csv", self.dir / "new.csv",
                   "--solver=direct", group="g", date="day", weights="w")

    def test_cubics(self):
        """Splines whose products depend on each other, in many groups."""
        rng = random.Random(SEED)
        rows = []
        for i in range(6000):
            a = rng.gauss(0, 1)
            rows.append({"g": i % 300, "day": i, "a": a, "d": rng.randrange(3),
                         "y": a * a})
        data = harness.write_csv(self.dir / "train.csv", rows)
        self.check("y ~ s(a, k=8) + c(d, n_cat=3)", data, data, group="g",
                   date="day")

    def test_cpp(self):
        """C++ and the object of its loops over rows, built by hand."""
        case = golden.effect_case("spline_default")
        data = case["train"]
        own = self.compile(case["formula"], group="g", date="date")
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", "--emit=cpp",
                     f"--triple={MACHINE}", "-o", source)
        other = self.dir / "other"
        objects = [path for path in [self.dir / "model_rows.o"]
                   if path.exists()]
        subprocess.run(
            [f"{MACHINE}-g++", "-std=c++17", "-I",
             str(harness.SOURCE / "include"), str(source), *map(str, objects),
             str(harness.BUILD / "lib" / "tamrt" / MACHINE / "libtamrt.a"),
             "-lpthread", "-o", str(other)], check=True)
        self.assertEqual(self.results(self.emulated(other), data, data),
                         self.results(own, data, data))

    def test_compressed_data(self):
        """The other machine's runtime has no decompressors, and says so."""
        self.compile("y ~ l(a)")
        other = self.dir / "other"
        self.succeed(harness.TAMC, self.dir / "model.yaml",
                     f"--triple={MACHINE}", "-o", other)
        data = self.dir / "train.csv.gz"
        data.write_bytes(gzip.compress(b"a,y\n1,2\n3,4\n"))
        run = self.run_program(self.emulated(other), "fit", data, "-o", "w")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(f"error: {data}: got gzip data, which this model cannot "
                      "read", run.stderr)


class Libraries(harness.TestCase):
    model = test_lib.Lib.model
    airpassengers = test_lib.Lib.airpassengers
    check = test_lib.Lib.check

    def test_airpassengers(self):
        """A model inside a C program: the results of this machine's model."""
        model = self.airpassengers()
        self.succeed(harness.TAMC, self.dir / "airpassengers.yaml",
                     "--emit=lib", f"--triple={MACHINE}", "-o",
                     self.dir / "libairpassengers.a")
        self.check(model, before=(QEMU, "-L", ROOT),
                   compiler=f"{MACHINE}-gcc", count=False)


for effect in golden.EFFECTS:
    def test(self, name=effect):
        self.check_effect(name)
    setattr(Machines, f"test_effect_{effect}", test)


if __name__ == "__main__":
    harness.main()
