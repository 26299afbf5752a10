# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference and the choice of penalties on a simulated device have the bytes of a run on the CPU, also if
the device's memory runs out."""

import os
import re

import small
import test_faults
import test_inference
from small import harness
from test_inference import CARRY, FORMULA

# The kernels of inference.
KERNELS = ("column_means", "cholesky_inverse", "effective_df", "penalty_trace",
           "quadratic_forms")


class Devices(test_inference.TestCase):

    def run_sim(self, model, *command, log="debug", **sim):
        environment = dict(os.environ, TAMRT_LOG=log,
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        environment |= {f"TAMRT_SIM_{key.upper()}": str(value)
                        for key, value in sim.items()}
        (self.dir / "out").unlink(missing_ok=True)
        return self.run_program(model, *command, "-o", "out", "--device",
                                "sim", env=environment)

    def prepare(self, formula=CARRY, days=12, *options, **keys):
        self.train = self.weighted(days=days)
        model = self.compile(formula, "--fuse-rows=false", *options,
                             **small.KEYS, **keys)
        weights = self.fit(model, self.train, "--inference")
        self.good = {
            "fit": (["fit", self.train, "--inference"], weights.read_bytes()),
            "stream": (["fit", self.train, "--inference", "--stream"],
                       weights.read_bytes())}
        tune = ["tune", self.train, "--criterion=reml", "--per-group",
                "--inference"]
        self.succeed(model, *tune, "-o", "tuned")
        self.good["tune"] = tune, (self.dir / "tuned").read_bytes()
        for name, command in self.rows_of(self.train, weights).items():
            self.good[name] = command, self.succeed(model, *command).encode()
        calibrate = ["fit", self.train, "--inference", "--calibrate=0.5"]
        other = self.fit(model, *calibrate[1:], weights="calibrated")
        self.good["calibrate"] = calibrate, other.read_bytes()
        for method in ("gaussian", "conformal"):
            command = ["evaluate", self.train, "--weights", other,
                       "--interval=.5", "--by=d", f"--method={method}"]
            self.good[method] = command, self.succeed(model, *command).encode()
        return model

    def check(self, model, *options, names=None, **sim):
        """Runs commands; returns the kernels of each on the device."""
        kernels = {}
        for name, (command, good) in self.good.items():
            if names and name not in names:
                continue
            run = self.run_sim(model, *command, *options, **sim)
            what = (name, options, sim, run.stderr)
            self.assertEqual(run.returncode, 0, what)
            self.assertNotIn("never released", run.stderr, what)
            self.assertTrue((self.dir / "out").read_bytes() == good, what)
            counts = re.search(test_faults.COUNTS, run.stderr)
            kernels[name] = int(counts.group(3)) - test_faults.TEST_KERNELS
        return kernels

    def test_memory_of_the_device(self):
        for formula, keys in ((CARRY, {}), (FORMULA, {"weights": "w"})):
            model = self.prepare(formula, **keys)
            for opaque in (0, 1):
                for options in ([], ["--threads", "1", "--chunk-rows", "1"],
                                ["--threads", "3", "--chunk-rows", "7"]):
                    kernels = self.check(model, *options, opaque=opaque)
                    self.assertGreater(min(kernels.values()), 0)
                for place in ("solve=cpu", "sums=cpu", "predict=cpu",
                              "sums=cpu,solve=cpu"):
                    self.check(model, "--placement", place, opaque=opaque)

    def test_batches_and_delays(self):
        model = self.prepare(FORMULA)
        for sim in ({"batch": 4, "delay": 100}, {"batch": 2, "opaque": 1},
                    {"batch": 4, "delay": 100, "opaque": 1},
                    {"without": "streams,pinned", "opaque": 1},
                    {"delay": 50, "opaque": 1, "without": "pinned"}):
            for options in ([], ["--chunk-rows", "5"], ["--threads", "2"]):
                self.check(model, *options, **sim)

    def test_two_devices(self):
        model = self.prepare(FORMULA)
        for name, (command, good) in self.good.items():
            environment = dict(os.environ, TAMRT_SIM_DEVICES="2",
                               TAMRT_SIM_OPAQUE="1",
                               TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
            run = self.run_program(model, *command, "-o", "out", "--device",
                                   "sim:0,sim:1", env=environment)
            self.assertEqual(run.returncode, 0, (name, run.stderr))
            self.assertTrue((self.dir / "out").read_bytes() == good, name)

    def test_kernels_that_a_device_lacks(self):
        model = self.prepare(FORMULA)
        for lacks in KERNELS:
            self.check(model, opaque=1, lacks=lacks)

    def test_failures(self):
        """Memory that runs out in the middle: the same bytes, or an error."""
        model = self.prepare(FORMULA, days=6)
        for name, (command, good) in self.good.items():
            for opaque in (0, 1):
                run = self.run_sim(model, *command, "--threads", "1",
                                   opaque=opaque, without="streams")
                counts = list(map(int, re.search(test_faults.COUNTS,
                                                 run.stderr).groups()))
                for kind, first, last, more in (
                        ("fail", test_faults.TEST_ALLOCATIONS + 1, counts[0],
                         {}),
                        ("fail", test_faults.TEST_ALLOCATIONS + 1, counts[0],
                         {"fail_later": 1}),
                        ("fail_kernel", test_faults.TEST_KERNELS + 1, counts[2],
                         {}),
                        ("fail_kernel", test_faults.TEST_KERNELS + 1, counts[2],
                         {"fail_kernels": 99}),
                        ("fail_copy", test_faults.TEST_COPIES + 1, counts[4],
                         {})):
                    step = max((last - first) // 40, 1)
                    for k in {*range(first, last + 1, step), last}:
                        for options in ([], ["--allow-cpu-fallback"]):
                            self.check_failure(
                                model, name, command, good, options,
                                {"opaque": opaque, "without": "streams",
                                 kind: k, **more})

            # Those of inference alone.
            for kernel in KERNELS:
                for first, count in ((1, 1), (2, 1), (1, 2), (1, 99)):
                    for options in ([], ["--allow-cpu-fallback"]):
                        self.check_failure(
                            model, name, command, good, options,
                            {"kernel": kernel, "fail_kernel": first,
                             "fail_kernels": count, "opaque": 1})

    def check_failure(self, model, name, command, good, options, sim):
        run = self.run_sim(model, *command, "--threads", "1", *options, **sim)
        what = (name, options, sim, run.stderr)
        out = self.dir / "out"
        if run.returncode == 0:
            self.assertTrue(out.read_bytes() == good, what)
        else:
            self.assertEqual(run.returncode, 1, what)
            self.assertRegex(run.stderr, "model: error: ", what)
            self.assertFalse(out.exists(), what)


if __name__ == "__main__":
    harness.main()
