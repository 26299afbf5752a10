# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on the device cuda-emulated, which executes the kernels for CUDA in an
emulator: its numbers agree with the CPU's, and its bytes depend on no order of
threads, blocks and streams, no chunk size and no number of threads."""

import json
import os
import re
import subprocess

import small
from small import harness

BACKENDS = harness.BUILD / "lib" / "tamrt"
GROUPS = 3
# Every kernel of the device is in one of them.
LOAD = ("y ~ s(a,k=20)+s(b,k=20)+s(c,k=20)+c(d,n_cat=7)+l(a)+l(b)+"
        "te(c(d,n_cat=7),s(c,k=4))")
MIXED = ("y ~ l(a)+f(b,m=3)+s(c,k=5)+c(d,n_cat=7)+p(a)+w(b)+"
         "t(a,others='b',n_trees=3,max_depth=2,sp_alpha=0.5)+lt(c,max_depth=2)+"
         "te(s(a,k=3),c(d,n_cat=7))+te(f(b,m=2),l(c))")
# Random features, radial functions of every smoothness, recursions.
RANDOM = ("y ~ n(a,others='b',n_neurons=8,act='tanh')+"
          "n(b,n_neurons=6,act='cos',n_hidden_layers=2)+n(c,n_neurons=5)+"
          "rbf(a,others='b',n_centers=9)+rbf(b,n_centers=5,nu=0.5)+"
          "rbf(c,n_centers=5,nu=1.5)+rbf(a,n_centers=5,nu=2.5)+"
          "rbf(c,others='a',n_centers=7,nu=0.8)+rbf(b,n_centers=4,nu=7.25)+"
          "pid(a,w=5)+pid(b,w=0)")
CG = "y ~ s(c,k=9)+t(a,n_trees=24,max_depth=2)+f(b,m=4)"
# All orders that differ in kind, and random ones.
ORDERS = [{"order": name} for name in ("forward", "backward", "warps")] + [
    {"order": "random", "seed": seed} for seed in range(1, 18)]
COUNTS = re.compile(
    r"debug: cuda-emulated: (?P<launches>\d+) launches, (?P<copies>\d+) copies, "
    r"(?P<uploaded>\d+) bytes uploaded, (?P<downloaded>\d+) downloaded; "
    r"(?P<kernels>\d+) kernels, (?P<blocks>\d+) blocks, "
    r"(?P<barriers>\d+) barriers, (?P<read>\d+) bytes read, "
    r"(?P<written>\d+) written, (?P<banks>\d+) bank conflicts, "
    r"(?P<calls>\d+) calls, (?P<waited>\d+) copies that waited")


def environment(**settings):
    return dict(os.environ, TAMRT_LOG="debug",
                TAMRT_BACKEND_PATH=str(BACKENDS)) | {
        f"TAMRT_EMULATOR_{key.upper()}": str(value)
        for key, value in settings.items()}


class Emulated(harness.TestCase):
    def prepare(self, formula, *options, days=40, groups=GROUPS, **keys):
        model = self.compile(formula, *options, **small.KEYS, **keys)
        self.train = small.generate(self.dir / "train.csv", "--days", days,
                                    "--groups", groups)
        return model

    def run_emulated(self, model, *command, **settings):
        """Runs a command on the device; returns the bytes of its output and
        its messages."""
        (self.dir / "out").unlink(missing_ok=True)
        run = self.run_program(model, *command, "-o", "out", "--device",
                               "cuda-emulated", env=environment(**settings))
        self.assertEqual(run.returncode, 0, (command, settings, run.stderr))
        self.assertNotIn("never released", run.stderr)
        return (self.dir / "out").read_bytes(), run.stderr

    def numbers(self, table):
        return [float(value) for row in harness.parse_csv(table.decode())
                for key, value in row.items()
                if key not in ("date", "g") and value]

    def check(self, model, *, is_whole=True, tolerance=1e-9,
              commands=("predict", "decompose")):
        """Fits and predicts on the device and on the CPU, and compares."""
        weights = self.fit(model, self.train)
        got, said = self.run_emulated(model, "fit", self.train)
        if is_whole:
            self.assertNotIn("warning", said)
        (self.dir / "emulated").write_bytes(got)
        # Coefficients of collinear columns, and effects that almost are, are
        # only determined by the penalty: what counts is what the model
        # predicts.
        for command in commands:
            good = self.dir / "good"
            self.succeed(model, command, self.train, "--weights", weights,
                         "-o", good)
            table, said = self.run_emulated(model, command, self.train,
                                            "--weights", "emulated")
            if is_whole:
                self.assertNotIn("warning", said)
            self.assert_close_to_norm(self.numbers(table),
                                      self.numbers(good.read_bytes()),
                                      tolerance, command)
        return got

    def test_numbers_of_the_cpu(self):
        for name, formula, options in (
                ("load", LOAD, ()), ("mixed", MIXED, ()),
                ("random", RANDOM, ()),
                ("cg", CG, ("--solver=cg", "--block-limit=16")),
                ("dense", LOAD, ("--dense",))):
            with self.subTest(name):
                model = self.prepare(formula, "--fuse-rows=false", *options)
                # Where rounding decides, iterations end at another step.
                self.check(model, tolerance=1e-6 if name == "cg" else 1e-9,
                           commands=("predict",) if name == "random" else
                           ("predict", "decompose"))

    def test_conjugate_gradients(self):
        """With each preconditioner, in memory and by --stream, the predictions
        are the CPU's, and every launch is counted."""
        model = self.prepare(CG, "--fuse-rows=false", "--solver=cg",
                             "--block-limit=16", days=20)
        for preconditioner in "none", "block", "sketch":
            options = ("--preconditioner", preconditioner)
            weights = self.fit(model, self.train, *options)
            good = self.numbers(self.predict(model, self.train, weights)
                                .read_bytes())
            for more in (), ("--stream",):
                got, said = self.run_emulated(
                    model, "fit", self.train, *options, *more,
                    "--timings=json", batch=1)
                (self.dir / "emulated").write_bytes(got)
                table = self.predict(model, self.train, self.dir / "emulated")
                self.assert_close_to_norm(self.numbers(table.read_bytes()),
                                          good, 1e-6, (options, more))
                told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])
                launches = told["device"]["launches"]
                # Those of the device's test are not the run's.
                self.assertEqual(launches + 2,
                                 int(COUNTS.search(said)["launches"]))
                # A pass over the rows is at least one for each group.
                self.assertGreaterEqual(launches, GROUPS * told[
                    "most iterations of a group"])

    def test_sums_of_the_cpu(self):
        """Loops over rows are code for the CPU: the device solves from the
        panels that they add up."""
        for formula in (LOAD, "y ~ s(a,k=6)+te(s(a,k=3),s(b,k=2),"
                              "c(d,n_cat=7))+s(b,k=4,deg=2)+l(c)"):
            with self.subTest(formula):
                model = self.prepare(formula)
                self.check(model, is_whole=False)
                _, said = self.run_emulated(model, "fit", self.train)
                self.assertIn("warning: summing rows on 'cpu': the model has "
                              "code of the CPU", said)
                self.assertNotIn("solving on 'cpu'", said)

    def test_one_result(self):
        for formula, options in (
                (LOAD, ()), (MIXED, ()),
                (CG, ("--solver=cg", "--block-limit=16"))):
            with self.subTest(formula):
                model = self.prepare(formula, "--fuse-rows=false", *options,
                                     days=4)
                good, _ = self.run_emulated(model, "fit", self.train)
                (self.dir / "weights").write_bytes(good)
                predict = ("predict", self.train, "--weights", "weights")
                predicted, _ = self.run_emulated(model, *predict)
                for settings in ORDERS:
                    self.assertEqual(self.run_emulated(
                        model, "fit", self.train, **settings)[0], good,
                        settings)
                    self.assertEqual(self.run_emulated(
                        model, *predict, **settings)[0], predicted, settings)
                for options in (("--chunk-rows", "7"), ("--threads", "3"),
                                ("--stream",), ("--chunk-rows", "1"),
                                ("--threads", "2", "--chunk-rows", "50")):
                    for settings in ORDERS[1], ORDERS[-1]:
                        self.assertEqual(self.run_emulated(
                            model, "fit", self.train, *options, **settings)[0],
                            good, (options, settings))

    def test_timings(self):
        """The timings have the run's work without that of the device's tests,
        which its own line at the end counts, too."""
        model = self.prepare("y ~ s(a,k=5)")
        _, said = self.run_emulated(model, "fit", self.train, "--timings=json")
        told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])["device"]
        in_all = COUNTS.search(said)
        self.assertEqual(told["name"], "cuda-emulated")
        for name, known in (("launches", "launches"), ("copies", "copies"),
                            ("uploaded_bytes", "uploaded")):
            with self.subTest(name):
                self.assertGreater(told[name], 0)
                self.assertLess(told[name], int(in_all[known]))
        _, said = self.run_emulated(model, "fit", self.train, "--timings")
        self.assertRegex(
            said, rf"(?m)^cuda-emulated: {told['launches']} launches, "
                  rf"{told['copies']} copies, {told['uploaded_bytes']} bytes "
                  r"uploaded$")

    def test_kernels_that_the_device_lacks(self):
        model = self.prepare("y ~ s(a,k=5)+pid(b,w=3)", "--fuse-rows=false")
        _, said = self.run_emulated(model, "fit", self.train)
        self.assertNotIn("warning", said)
        for lacks, message in (
                ("pid", "summing rows on 'cpu': device 'cuda-emulated' has no "
                        "kernel 'pid'"),
                ("radial", None)):
            _, said = self.run_emulated(model, "fit", self.train, lacks=lacks)
            if message:
                self.assertIn(f"warning: {message}\n", said)
            else:
                self.assertNotIn("warning", said)
        for lacks, line in (
                ("", ""),
                ("radial,pid", "    steps on the CPU for lack of kernels: pid, "
                               "radial\n")):
            text = self.succeed(model, "info", "--devices",
                                env=environment(lacks=lacks))
            self.assertRegex(
                text, r"  cuda-emulated: CUDA kernels in an emulator, .*\n"
                      r"    found: .*\n" + line +
                      r"    tested: binary64 sum: ok\n"
                      r"    tested: cholesky: ok\n    trusted; ")

    def test_model_as_cpp(self):
        """It does not tell which kernels it launches, so that all of its steps
        run on the CPU if the device lacks one."""
        model = self.prepare("y ~ s(a,k=5)+pid(b,w=3)", "--fuse-rows=false")
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", "--fuse-rows=false",
                     "--emit=cpp", "-o", source)
        subprocess.run(
            ["g++", "-std=c++17", *harness.SANITIZE, "-I",
             str(harness.SOURCE / "include"), str(source),
             str(BACKENDS / "libtamrt.a"), "-lpthread", "-o",
             str(self.dir / "cpp")], check=True)
        good = self.fit(model, self.train).read_bytes()
        got, said = self.run_emulated(self.dir / "cpp", "fit", self.train,
                                      lacks="pid")
        self.assertEqual(got, good)
        for what in ("summing rows", "solving"):
            self.assertIn(f"warning: {what} on 'cpu': device 'cuda-emulated' "
                          "has no kernel 'pid'\n", said)

    def test_counts(self):
        model = self.prepare("y ~ s(a,k=5)+c(d,n_cat=7)", "--fuse-rows=false")
        runs = []
        for banks in (0, 1):
            # Which groups make up a batch depends on when they are there.
            _, said = self.run_emulated(model, "fit", self.train, banks=banks,
                                        batch=1)
            counts = COUNTS.search(said)
            self.assertIsNotNone(counts, said)
            runs.append({key: int(value) for key, value in
                         counts.groupdict().items()})
        for key in ("launches", "blocks", "barriers", "copies", "uploaded",
                    "downloaded", "read", "written"):
            self.assertGreater(runs[0][key], 0, key)
            self.assertEqual(runs[0][key], runs[1][key], key)
        # The columns a, d and y of each row are uploaded once; what else there
        # is does not depend on the number of rows.
        rows = len(harness.read_csv(self.train))
        small.generate(self.train, "--days", 400, "--groups", GROUPS)
        more = len(harness.read_csv(self.train)) - rows
        _, said = self.run_emulated(model, "fit", self.train)
        uploaded = int(COUNTS.search(said)["uploaded"]) - runs[0]["uploaded"]
        self.assertGreaterEqual(uploaded, more * 3 * 8)
        self.assertLess(uploaded, more * 3 * 8 * 1.2)
        self.assertEqual(runs[0]["banks"], 0)
        # The copies that wait are the results of the device's test.
        for options in (), ("--stream",), ("--chunk-rows", "7"):
            for order in "forward", "backward", "random":
                _, said = self.run_emulated(model, "fit", self.train, *options,
                                            order=order)
                self.assertEqual(COUNTS.search(said)["waited"], "2", options)

    def test_batches(self):
        """The groups of a batch share launches and copies: each step is a graph
        of its kernels, its copies are one operation."""
        model = self.prepare(LOAD, "--fuse-rows=false", groups=48, days=8)
        told = {}
        for batch in (0, 1, 16):
            weights, said = self.run_emulated(
                model, "fit", self.train, "--timings=json", batch=batch)
            told[batch] = weights, json.loads(
                re.search(r"^\{.*\}$", said, re.M)[0])["device"]
        self.assertEqual(len({weights for weights, _ in told.values()}), 1)
        alone, graphs, batches = (told[batch][1] for batch in (0, 1, 16))
        # init, chunk and finish; parameters, columns and coefficients, and the
        # model's constants once. Without graphs they are copied one by one.
        self.assertEqual((graphs["launches"], graphs["copies"]), (144, 145))
        self.assertGreater(alone["launches"], 20 * graphs["launches"])
        self.assertLess(alone["copies"], 144 + 200)
        # Batches may start before all of their groups are there.
        for what in ("launches", "copies"):
            self.assertLess(batches[what], graphs[what])

    def test_little_memory(self):
        model = self.prepare(LOAD, "--fuse-rows=false", days=300)
        good, said = self.run_emulated(model, "fit", self.train)
        rows = re.compile(r"chunks of (\d+) rows?")
        self.assertEqual(rows.search(said)[1], "300")
        run = self.run_program(
            model, "fit", self.train, "-o", "out", "--device", "cuda-emulated",
            env=environment(memory=100000))
        self.assertEqual(run.returncode, 1)
        least = re.search(r"expected (\d+) bytes of memory for the direct "
                          r"solver in chunks of 1 row, got", run.stderr)
        got, said = self.run_emulated(model, "fit", self.train,
                                      memory=int(int(least[1]) / 0.9) + 2000)
        self.assertLess(int(rows.search(said)[1]), 300)
        self.assertEqual(got, good)

    def test_settings(self):
        model = self.prepare("y ~ l(a)", "--fuse-rows=false")
        run = self.run_program(
            model, "fit", self.train, "-o", "out", "--device", "cuda-emulated",
            env=environment(order="sideways"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'cuda-emulated': expected forward, backward, "
                      "warps or random as TAMRT_EMULATOR_ORDER, got "
                      "'sideways'", run.stderr)
        # A device that only tests want is not found unasked.
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               env=environment())
        self.assertEqual(run.returncode, 0)
        self.assertNotIn("cuda-emulated:", run.stderr)


if __name__ == "__main__":
    harness.main()
