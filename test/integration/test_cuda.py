# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on the device cuda-emulated, which executes the kernels for CUDA in an
emulator: its numbers agree with the CPU's, and its bytes depend on no order of
threads, blocks and streams, no chunk size and no number of threads."""

import json
import os
import re
import subprocess

import devices
import small
from small import harness

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


class Emulated(devices.DeviceTest):
    DEVICE, PREFIX, SHARE = "cuda-emulated", "TAMRT_EMULATOR", 0.9

    def test_numbers_of_the_cpu(self):
        for name, formula, options in (
                ("load", devices.LOAD, ()), ("mixed", devices.MIXED, ()),
                ("random", devices.RANDOM, ()),
                ("cg", devices.CG, ("--solver=cg", "--block-limit=16")),
                ("dense", devices.LOAD, ("--dense",))):
            with self.subTest(name):
                model = self.prepare(formula, "--fuse-rows=false", *options)
                # Where rounding decides, iterations end at another step.
                self.check(model, tolerance=1e-6 if name == "cg" else 1e-9,
                           commands=("predict",) if name == "random" else
                           ("predict", "decompose"))

    def test_conjugate_gradients(self):
        # Two launches are those of the device's test.
        self.check_preconditioners(
            lambda said: int(COUNTS.search(said)["launches"]) - 2, batch=1)

    def test_steps_for_devices(self):
        self.check_steps_for_devices()

    def test_sums_of_the_cpu(self):
        self.check_sums_of_the_cpu()

    def test_one_result(self):
        for formula, options in (
                (devices.LOAD, ()), (devices.MIXED, ()),
                (devices.CG, ("--solver=cg", "--block-limit=16"))):
            with self.subTest(formula):
                model = self.prepare(formula, "--fuse-rows=false", *options,
                                     days=4)
                good, _ = self.run_there(model, "fit", self.train)
                (self.dir / "weights").write_bytes(good)
                predict = ("predict", self.train, "--weights", "weights")
                predicted, _ = self.run_there(model, *predict)
                for settings in ORDERS:
                    self.assertEqual(self.run_there(
                        model, "fit", self.train, **settings)[0], good,
                        settings)
                    self.assertEqual(self.run_there(
                        model, *predict, **settings)[0], predicted, settings)
                for options in (("--chunk-rows", "7"), ("--threads", "3"),
                                ("--stream",), ("--chunk-rows", "1"),
                                ("--threads", "2", "--chunk-rows", "50")):
                    for settings in ORDERS[1], ORDERS[-1]:
                        self.assertEqual(self.run_there(
                            model, "fit", self.train, *options, **settings)[0],
                            good, (options, settings))

    def test_further_commands(self):
        """Windows, pages and grids have the CPU's numbers, and the same bytes
        whatever the order, chunks and threads."""
        numbers = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")
        for name, formula, command, keys in (
                ("adapt", "y ~ l(a)+c(d,n_cat=7)+s(c,k=5)", ["adapt"],
                 {"adapt": "{window: 60, update: 7, horizon: 2}"}),
                ("shared", "y ~ p(a,deg=2)+c(d,n_cat=7)", ["adapt"],
                 {"adapt": "{window: 60, update: 1, horizon: 1}"}),
                ("forget", "y ~ c(d,n_cat=7)", ["adapt", "--forget=0.98"],
                 {"adapt": "{window: 60, update: 2, horizon: 1}"}),
                ("plot", "y ~ s(a,k=6)+c(d,n_cat=7)+te(s(a,k=3),l(b))",
                 ["plot", "--weights", "weights"], {}),
                ("grid", "y ~ s(c,k=$k,ap=$p)+l(a)", ["tune", "--grid"],
                 {"grid": "{k: [4, 6], p: [-2, 1]}"})):
            with self.subTest(name):
                model = self.prepare(formula, "--fuse-rows=false", days=75,
                                     groups=2, **keys)
                command = [command[0], self.train, *command[1:]]
                if name == "plot":
                    self.fit(model, self.train, weights="weights")
                self.succeed(model, *command, "-o", "good")
                got, said = self.run_there(model, *command)
                self.assertNotIn("warning", said)
                if name == "grid":
                    # Weights: what counts is what they predict.
                    self.assert_close_to_norm(
                        *(self.numbers(self.predict_by(weights)) for weights in
                          (got, (self.dir / "good").read_bytes())), 1e-9)
                else:
                    texts = [content.decode() for content in
                             (got, (self.dir / "good").read_bytes())]
                    self.assertEqual(*(numbers.sub("", text)
                                       for text in texts))
                    self.assert_close(
                        *([float(number) for number in numbers.findall(text)]
                          for text in texts), 1e-8, absolute=1e-9)
                for settings in ORDERS[1:4]:
                    self.assertEqual(self.run_there(model, *command,
                                                    **settings)[0],
                                     got, settings)
                for options in (("--chunk-rows", "7"), ("--threads", "3"),
                                ("--chunk-rows", "1", "--threads", "2")):
                    self.assertEqual(self.run_there(model, *command,
                                                    *options)[0],
                                     got, options)
                if name == "grid":
                    self.assertEqual(self.run_there(model, *command,
                                                    "--stream")[0], got)

    def predict_by(self, weights):
        """The predictions of a model of the formula that was chosen."""
        chosen = self.compile(devices.formula_of(weights), name="chosen",
                              **small.KEYS)
        (self.dir / "chosen-weights").write_bytes(weights)
        return self.predict(chosen, self.train,
                            self.dir / "chosen-weights").read_bytes()

    def test_timings(self):
        """The timings have the run's work without that of the device's tests,
        which its own line at the end counts, too."""
        model = self.prepare("y ~ s(a,k=5)")
        # How many groups are ready for a launch depends on other threads.
        fit = ("fit", self.train, "--threads", "1")
        _, said = self.run_there(model, *fit, "--timings=json")
        told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])["device"]
        in_all = COUNTS.search(said)
        self.assertEqual(told["name"], "cuda-emulated")
        for name, known in (("launches", "launches"), ("copies", "copies"),
                            ("uploaded_bytes", "uploaded")):
            with self.subTest(name):
                self.assertGreater(told[name], 0)
                self.assertLess(told[name], int(in_all[known]))
        _, said = self.run_there(model, *fit, "--timings")
        self.assertRegex(
            said, rf"(?m)^cuda-emulated: {told['launches']} launches, "
                  rf"{told['copies']} copies, {told['uploaded_bytes']} bytes "
                  r"uploaded$")

    def test_kernels_that_the_device_lacks(self):
        model = self.prepare("y ~ s(a,k=5)+pid(b,w=3)", "--fuse-rows=false")
        _, said = self.run_there(model, "fit", self.train)
        self.assertNotIn("warning", said)
        for lacks, message in (
                ("pid", "summing rows on 'cpu': device 'cuda-emulated' has no "
                        "kernel 'pid'"),
                ("radial", None)):
            _, said = self.run_there(model, "fit", self.train, lacks=lacks)
            if message:
                self.assertIn(f"warning: {message}\n", said)
            else:
                self.assertNotIn("warning", said)
        for lacks, line in (
                ("", ""),
                ("radial,pid", "    steps on the CPU for lack of kernels: pid, "
                               "radial\n")):
            text = self.succeed(model, "info", "--devices",
                                env=self.environment(lacks=lacks))
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
             str(devices.BACKENDS / "libtamrt.a"), "-lpthread", "-o",
             str(self.dir / "cpp")], check=True)
        good = self.fit(model, self.train).read_bytes()
        got, said = self.run_there(self.dir / "cpp", "fit", self.train,
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
            _, said = self.run_there(model, "fit", self.train, banks=banks,
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
        small.generate(self.train, "--days", 400, "--groups", devices.GROUPS)
        more = len(harness.read_csv(self.train)) - rows
        _, said = self.run_there(model, "fit", self.train)
        uploaded = int(COUNTS.search(said)["uploaded"]) - runs[0]["uploaded"]
        self.assertGreaterEqual(uploaded, more * 3 * 8)
        self.assertLess(uploaded, more * 3 * 8 * 1.2)
        self.assertEqual(runs[0]["banks"], 0)
        # The copies that wait are the results of the device's test.
        for options in (), ("--stream",), ("--chunk-rows", "7"):
            for order in "forward", "backward", "random":
                _, said = self.run_there(model, "fit", self.train, *options,
                                            order=order)
                self.assertEqual(COUNTS.search(said)["waited"], "2", options)

    def test_batches(self):
        """The groups of a batch share launches and copies; many sums of a group
        are one launch."""
        model = self.prepare(devices.LOAD, "--fuse-rows=false", groups=48,
                             days=8)
        told = {}
        for batch in (0, 1, 16):
            weights, said = self.run_there(
                model, "fit", self.train, "--timings=json", batch=batch)
            told[batch] = weights, json.loads(
                re.search(r"^\{.*\}$", said, re.M)[0])["device"]
        self.assertEqual(len({weights for weights, _ in told.values()}), 1)
        alone, single, batches = (told[batch][1] for batch in (0, 1, 16))
        # Parameters, columns and coefficients, and the model's constants once.
        # Without batches they are copied one by one.
        self.assertEqual(single["copies"], 145)
        self.assertLess(alone["copies"], 144 + 200)
        self.assertGreater(alone["launches"], 1.8 * single["launches"])
        self.assertLessEqual(single["launches"], 48 * 40)
        # Batches may start before all of their groups are there.
        self.assertLess(batches["launches"], single["launches"] / 3)
        self.assertLessEqual(batches["launches"], 300)
        self.assertLess(batches["copies"], single["copies"])

    def test_segments(self):
        """A chunk of several segments has the bytes of as many chunks, with
        fewer launches."""
        wide = {"all": (), "two": ("--chunk-rows=8192",)}
        narrow = {"less than two": ("--chunk-rows=5000",),
                  "parts": ("--chunk-rows=1000", "--threads=1")}
        # The emulator is slow with the others.
        for formula, groups, days, options, runs in (
                (devices.LOAD, 2, 9_000, (), wide | narrow),
                (devices.MIXED, 1, 4_200, (), {"all": ()}),
                (devices.CG, 1, 4_200, ("--solver=cg", "--block-limit=16"),
                 {"all": ()})):
            with self.subTest(formula):
                model = self.prepare(formula, *options, groups=groups,
                                     days=days)

                def fit(*options, **environment):
                    got, said = self.run_there(model, "fit", self.train,
                                               *options, **environment)
                    return got, int(COUNTS.search(said)["launches"])

                expected, launches = fit("--chunk-rows=4096")
                for name, more in runs.items():
                    got, count = fit(*more, batch=1, order="random")
                    self.assertEqual(got, expected, name)
                    if name in wide:
                        self.assertLess(count, launches, name)
                # Ever smaller chunks.
                for memory in (24, 22, 21) if "parts" in runs else ():
                    got, _ = fit("--threads=1", memory=1 << memory)
                    self.assertEqual(got, expected, memory)

    def test_kept_columns(self):
        """Conjugate gradients copy the columns once, if there is memory."""
        model = self.prepare(devices.CG, "--fuse-rows=false", "--solver=cg",
                             "--block-limit=16", days=400)
        rows = len(harness.read_csv(self.train))
        uploaded = []
        for options in (), ("--memory=400K",):
            got, said = self.run_there(model, "fit", self.train, *options,
                                       "--timings=json")
            told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])
            uploaded.append((got, told["device"]["uploaded_bytes"]))
        self.assertEqual(uploaded[0][0], uploaded[1][0])
        # a, b, c, y; and a vector for each pass.
        self.assertLess(uploaded[0][1], uploaded[1][1] / 3)
        self.assertGreater(uploaded[0][1], 3 * 8 * rows)

    def test_little_memory(self):
        self.check_little_memory()

    def test_settings(self):
        model = self.prepare("y ~ l(a)", "--fuse-rows=false")
        run = self.run_program(
            model, "fit", self.train, "-o", "out", "--device", "cuda-emulated",
            env=self.environment(order="sideways"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'cuda-emulated': expected forward, backward, "
                      "warps or random as TAMRT_EMULATOR_ORDER, got "
                      "'sideways'", run.stderr)
        # A device that only tests want is not found unasked.
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               env=self.environment())
        self.assertEqual(run.returncode, 0)
        self.assertNotIn("cuda-emulated:", run.stderr)


if __name__ == "__main__":
    harness.main()
