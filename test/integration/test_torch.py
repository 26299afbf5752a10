# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on the device torch:cpu, whose kernels are operations of LibTorch: its
numbers agree with the CPU's, its bytes depend on no chunk size and no number of
threads, and its kernels take no memory but their reserve."""

import json
import os
import pathlib
import re
import shutil

import devices
import served
from small import harness

FILE = "libtamrt-backend-torch.so"
COUNTS = re.compile(
    r"debug: torch:[\w:]+: (?P<kernels>\d+) kernels, (?P<copies>\d+) copies, "
    r"(?P<tensors>\d+) temporary tensors, (?P<peak>\d+) of (?P<reserve>\d+) "
    r"bytes at most, (?P<refused>\d+) refused")
STEP = re.compile(r"warning: device 'torch:cpu' had no \d+ bytes more for "
                  r"chunks of (\d+) rows?")
# Messages of a run without memory.
ERRORS = re.compile(r"error: .*(expected \d+ bytes of memory|a kernel "
                    r"reported status 2)")
# Kernels and copies of the device's test at the start.
TEST_KERNELS, TEST_ALLOCATIONS, TEST_COPIES = 2, 5, 7


class Served(devices.DeviceTest):
    """Runs on the device are those of a process that has loaded LibTorch;
    those by run_program are the models' own executables."""

    # Another build of the backend may be tested (tools/check --with torch).
    FOLDER = pathlib.Path(os.environ.get("TAMC_TORCH_BACKENDS",
                                         devices.BACKENDS))

    def compile(self, formula, *options, name="model", **keys):
        model = super().compile(formula, *options, name=name, **keys)
        self.options[model] = options
        self.libraries.pop(model, None)
        return model

    def setUp(self):
        super().setUp()
        # By executable.
        self.options, self.libraries = {}, {}

    def run_device(self, model, *command, env):
        if model not in self.libraries:
            self.libraries[model] = served.build(self, model.name,
                                                 *self.options[model])
        # The kernels' memory is filled (test/CMakeLists.txt): less is enough
        # here, and takes less time.
        return served.run(self.FOLDER / FILE, self, self.libraries[model],
                          *command, env={"TAMRT_TORCH_RESERVE": str(1 << 25),
                                         **env})

    def check_inference(self):
        model = self.prepare("y ~ s(a,k=8)+c(d,n_cat=7)", "--fuse-rows=false")
        weights = self.fit(model, self.train, "--inference")
        self.succeed(model, "predict", self.train, "--weights", weights, "--se",
                     "-o", "good")
        got, _ = self.run_there(model, "fit", self.train, "--inference")
        (self.dir / "there").write_bytes(got)
        table, said = self.run_there(model, "predict", self.train, "--weights",
                                     "there", "--se")
        self.assertNotIn("warning", said)
        self.assert_close(self.numbers(table), self.numbers(
            (self.dir / "good").read_bytes()), 1e-8, "standard error")


class Torch(Served):
    DEVICE, PREFIX, SHARE = "torch:cpu", "TAMRT_TORCH", 0.7

    def test_numbers_of_the_cpu(self):
        for name, formula, options in (
                ("load", devices.LOAD, ()), ("mixed", devices.MIXED, ()),
                ("random", devices.RANDOM, ()),
                ("dense", devices.LOAD, ("--dense",))):
            with self.subTest(name):
                model = self.prepare(formula, "--fuse-rows=false", *options)
                self.check(model, commands=("predict",) if name == "random"
                           else ("predict", "decompose"))

    def test_conjugate_gradients(self):
        # Blocks of every effect, of none, and of some.
        for options in (("--solver=cg",), ("--solver=cg", "--block-limit=1"),
                        ("--solver=cg", "--block-limit=16")):
            with self.subTest(options):
                model = self.prepare(devices.CG, "--fuse-rows=false",
                                     *options)
                # Where rounding decides, iterations end at another step.
                got = self.check(model, tolerance=1e-6, commands=("predict",))
                streamed, _ = self.run_there(model, "fit", self.train,
                                             "--stream")
                self.assertEqual(streamed, got)

    def test_preconditioners(self):
        self.check_preconditioners(
            lambda said: int(COUNTS.search(said)["kernels"]) - TEST_KERNELS)

    def test_sums_of_the_cpu(self):
        self.check_sums_of_the_cpu()

    def test_inference(self):
        self.check_inference()

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
                # Iterations of one row at a time launch too many kernels.
                few = ("--threads", "3", "--chunk-rows", "50"), ("--stream",)
                more = (("--chunk-rows", "7"), ("--chunk-rows", "1"))
                for options in few + (() if formula == devices.CG else more):
                    self.assertEqual(
                        self.run_there(model, "fit", self.train, *options)[0],
                        good, options)
                    self.assertEqual(
                        self.run_there(model, *predict, *options)[0],
                        predicted, options)

    def test_reserve(self):
        """Kernels get memory from the reserve alone. One that is too small is
        an error of the kernel, and smaller chunks need less."""
        model = self.prepare(devices.MIXED, "--fuse-rows=false", days=400)
        good, said = self.run_there(model, "fit", self.train)
        counts = COUNTS.search(said)
        self.assertEqual(int(counts["refused"]), 0)
        self.assertGreater(int(counts["tensors"]), int(counts["kernels"]))
        self.assertLess(int(counts["peak"]), int(counts["reserve"]))
        peak = int(counts["peak"])
        got, said = self.run_there(model, "fit", self.train,
                                   reserve=peak // 2)
        self.assertEqual(got, good)
        self.assertTrue(STEP.search(said), said)
        self.assertGreater(int(COUNTS.search(said)["refused"]), 0)
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               "--device", "torch:cpu",
                               env=self.environment(reserve=4096))
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'torch:cpu': test 'binary64 sum' failed: a "
                      "kernel reported status 2", run.stderr)

    def test_reserve_of_the_plan(self):
        """The plan names the reserve and counts it, and so do limits."""
        model = self.prepare(devices.LOAD, "--fuse-rows=false", days=4)
        options = ("plan", "--memory", "2G", "--device", "torch:cpu",
                   "--threads", "1")
        sizes = (1 << 20, 1 << 28)
        plans = [json.loads(self.succeed(
            model, *options, "--format=json",
            env=self.environment(reserve=size))) for size in sizes]
        self.assertEqual([plan["reserve"] for plan in plans], list(sizes))
        self.assertEqual({plan["device"] for plan in plans}, {"torch:cpu"})
        for less, more in zip(*(plan["uses"] for plan in plans)):
            self.assertTrue(less["fits"] and more["fits"])
            self.assertEqual(less["rows"], more["rows"])
            self.assertEqual(more["bytes"] - less["bytes"], sizes[1] - sizes[0])
            for key in "least_memory", "most_memory":
                self.assertGreater(more[key] - less[key], sizes[1] - sizes[0])
        self.assertIn(f"\nreserve: {sizes[1]} bytes that the kernels of "
                      "'torch:cpu' take beside the plan, counted below\n",
                      self.succeed(model, *options, env=self.environment()))
        self.assertRegex(
            self.succeed(model, "info", "--devices", env=self.environment()),
            r"  torch:cpu: .*\n    found: .*\n    reserve of its kernels "
            rf"beside the plan: {sizes[1]} bytes\n    tested: ")
        # The CPU has none.
        self.assertNotIn("reserve", self.succeed(model, "plan", "--memory=2G"))

        limited = ("fit", self.train, "--memory", "100M")
        self.run_there(model, *limited, reserve=sizes[0])
        run = self.start(model, *limited, reserve=sizes[1])
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"error: expected \d+ bytes of memory for "
                         r"the direct solver in chunks of 1 row, of which the "
                         rf"device's kernels reserve {sizes[1]}, got ")

    def test_reserves_that_do_not_exist(self):
        model = self.prepare("y ~ l(a)", days=4)
        for reserve, message in (
                (16, "expected a whole number of at least 64 as "
                     "TAMRT_TORCH_RESERVE, got '16'"),
                ("256M", "expected a whole number of at least 64 as "
                         "TAMRT_TORCH_RESERVE, got '256M'"),
                (1 << 60, "expected 1152921504606846976 bytes of memory for "
                          "temporary tensors, got less")):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--device", "torch:cpu",
                                   env=self.environment(reserve=reserve))
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"device 'torch:cpu': {message}", run.stderr)

    def sweep(self, model, command, most):
        """Of the allocations, kernels and copies of a run, and of the
        allocations of the reserve, `most` fail, each in a run of its own: it
        ends with the same bytes, with an error, or with the numbers of the CPU,
        if that is allowed."""
        good, said = self.run_there(model, *command)
        counts = {key: int(value) for key, value
                  in COUNTS.search(said).groupdict().items()}
        tests = {"fail": (TEST_ALLOCATIONS, 14),
                 "fail_kernel": (TEST_KERNELS, counts["kernels"]),
                 "fail_copy": (TEST_COPIES, counts["copies"]),
                 "fail_reserve": (40, counts["tensors"])}
        for key, (first, last) in tests.items():
            for k in range(first + 1, last + 1, max(1, (last - first) // most)):
                for options in (), ("--allow-cpu-fallback",):
                    with self.subTest(command=command, key=key, k=k):
                        run = self.start(model, *command, *options, **{key: k})
                        if run.returncode == 0:
                            got = (self.dir / "out").read_bytes()
                            if "'cpu'" not in run.stderr:
                                self.assertEqual(got, good)
                            self.assert_same_numbers(model, command, got, good)
                            continue
                        self.assertEqual(run.returncode, 1, run.stderr)
                        self.assertEqual(options, (), run.stderr)
                        self.assertEqual(
                            len(ERRORS.findall(run.stderr)), 1, run.stderr)
                        self.assertFalse((self.dir / "out").exists())

    def assert_same_numbers(self, model, command, got, good):
        tables = []
        for content in got, good:
            if command[0] == "fit" and got != good:
                (self.dir / "part").write_bytes(content)
                content = self.predict(model, self.train, self.dir / "part",
                                       output="part.csv").read_bytes()
            tables.append(content)
        if got != good:
            self.assert_close_to_norm(*map(self.numbers, tables), 1e-6, command)

    def test_faults(self):
        model = self.prepare("y ~ l(a)+s(c,k=5)+c(d,n_cat=7)",
                             "--fuse-rows=false", days=4, groups=2,
                             chunk_rows=4)
        one = ("--threads", "1")
        fit = ("fit", self.train, *one)
        good, _ = self.run_there(model, *fit)
        (self.dir / "weights").write_bytes(good)
        for command in fit, ("predict", self.train, "--weights", "weights",
                             *one):
            self.sweep(model, command, 12)

    def test_faults_of_conjugate_gradients(self):
        # Trees whose block is not factored, and a recursion, whose carry starts
        # anew in each iteration.
        model = self.prepare("y ~ s(c,k=5)+t(a,n_trees=24,max_depth=2)+"
                             "pid(b,w=3)", "--fuse-rows=false", "--solver=cg",
                             "--block-limit=8", days=4, groups=2,
                             chunk_rows=64)
        for command in (("fit", self.train, "--threads", "1"),
                        ("fit", self.train, "--threads", "1", "--stream")):
            self.sweep(model, command, 4)

    def test_little_memory(self):
        self.check_little_memory()

    def test_kernels_that_the_device_lacks(self):
        model = self.prepare("y ~ s(a,k=5)+pid(b,w=3)", "--fuse-rows=false")
        _, said = self.run_there(model, "fit", self.train, lacks="pid,radial")
        self.assertIn("warning: summing rows on 'cpu': device 'torch:cpu' has "
                      "no kernel 'pid'\n", said)
        text = self.succeed(model, "info", "--devices",
                            env=self.environment(lacks="radial,pid"))
        self.assertRegex(
            text, r"  torch:cpu: LibTorch [0-9.]+ on the CPU, .*\n"
                  r"    found: .*\n    reserve of .*\n"
                  r"    steps on the CPU for lack of kernels: pid, radial\n"
                  r"    tested: binary64 sum: ok\n"
                  r"    tested: cholesky: ok\n    trusted; ")

    def test_timings(self):
        model = self.prepare("y ~ s(a,k=5)", "--fuse-rows=false")
        _, said = self.run_there(model, "fit", self.train, "--timings=json")
        told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])["device"]
        self.assertEqual(told["name"], "torch:cpu")
        in_all = COUNTS.search(said)
        self.assertEqual(told["launches"],
                         int(in_all["kernels"]) - TEST_KERNELS)
        self.assertEqual(told["copies"], int(in_all["copies"]) - TEST_COPIES)
        self.assertGreater(told["uploaded_bytes"], 0)

    def test_names(self):
        model = self.prepare("y ~ l(a)")
        for name, message in (
                ("torch:gpu", "device 'torch:gpu': there is no such device, "
                              "but torch:cpu"),
                ("torch:cpu:1", "device 'torch:cpu:1': there is no such "
                                "device, but torch:cpu"),
                ("torch:", "expected a device such as cpu or cuda:1, got "
                           "'torch:'")):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--device", name, env=self.environment())
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)
        # The kind alone is its first device; the spec may name it, too.
        self.run_program(model, "fit", self.train, "-o", "out", "--device",
                         "torch", env=self.environment())
        model = self.prepare("y ~ l(a)", device="torch:cpu")
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               env=self.environment())
        self.assertRegex(run.stderr, COUNTS)
        # `auto` takes no CPU but the model's own.
        model = self.prepare("y ~ l(a)")
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               env=self.environment())
        self.assertEqual(run.returncode, 0)
        self.assertNotIn("torch:cpu", run.stderr)

    def test_files_that_are_damaged(self):
        """A file that cannot be loaded: `auto` uses the CPU, a device that is
        named is an error, and `info --devices` says why."""
        model = self.prepare("y ~ l(a)")
        folder = self.dir / "backends"
        folder.mkdir()
        whole = (self.FOLDER / FILE).read_bytes()
        # Libraries that are not there, as if LibTorch had been removed.
        missing = whole.replace(b"libtorch_cpu.so", b"libtorch_cpX.so")
        self.assertNotEqual(missing, whole)
        for data, why in ((whole[:len(whole) // 2], "the file is truncated: expected"),
                          (missing, "libtorch_cpX.so")):
            (folder / FILE).write_bytes(data)
            env = self.environment(folder)
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   env=env)
            self.assertEqual(run.returncode, 0, run.stderr)
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--device", "torch:cpu", env=env)
            self.assertEqual(run.returncode, 1)
            self.assertIn("device 'torch:cpu': ", run.stderr)
            self.assertIn(why, run.stderr)
            text = self.succeed(model, "info", "--devices", env=env)
            self.assertRegex(text, rf"(?m)^  torch\n    found: .*\n"
                                   rf"    skipped: .*{why}")

    def test_devices_that_are_skipped(self):
        """Without a backend, and if the device fails its test, the CPU
        computes, and `info --devices` says why."""
        model = self.prepare("y ~ l(a)", days=4)
        good = self.fit(model, self.train).read_bytes()
        folder = self.dir / "backends"
        folder.mkdir()
        nowhere = self.environment(self.dir / "nowhere")
        broken = self.environment(fail_kernel=2)
        for env, why, named in (
                (nowhere, None, "no backend 'libtamrt-backend-torch.so' was "
                                "found; "),
                (broken, "test 'cholesky' failed: a kernel reported status 2, "
                         "detail 4096", "test 'cholesky' failed: ")):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   env=env)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "out").read_bytes(), good)
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--device", "torch:cpu", env=env)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"device 'torch:cpu': {named}", run.stderr)
            text = self.succeed(model, "info", "--devices", env=env)
            if why:
                self.assertRegex(text, r"  torch:cpu: .*\n(    .*\n)*"
                                       rf"    skipped: {why}\n")
            else:
                self.assertIn("  torch\n    skipped: no backend was found\n",
                              text)

    def test_models_need_no_torch(self):
        model = self.prepare("y ~ l(a)")
        # Names without addresses, which may have the letters c10.
        libraries = re.sub(r"\(0x\w+\)", "",
                           self.succeed(shutil.which("ldd"), model))
        self.assertNotIn("torch", libraries)
        self.assertNotIn("c10", libraries)


class PrivateUse(Served):
    """A device that is not LibTorch's CPU, whose operations refuse the CPU's
    tensors and whose memory the CPU cannot access (PrivateUse.cpp)."""

    DEVICE, PREFIX, SHARE = "torch:privateuseone", "TAMRT_TORCH", 0.9
    EXTENSION = (Served.FOLDER.parent.parent / "test" / "torch" /
                 "libtamrt-test-privateuse.so")

    @classmethod
    def environment(cls, folder=None, **settings):
        return super().environment(folder, **{
            "extension": cls.EXTENSION, **settings})

    def test_numbers_of_the_cpu(self):
        for name, formula, options in (
                ("load", devices.LOAD, ()), ("mixed", devices.MIXED, ()),
                ("random", devices.RANDOM, ()),
                ("cg", devices.CG, ("--solver=cg", "--block-limit=16")),
                ("dense", devices.LOAD, ("--dense",))):
            with self.subTest(name):
                model = self.prepare(formula, "--fuse-rows=false", *options,
                                     days=20)
                self.check(model, tolerance=1e-6 if name == "cg" else 1e-9,
                           commands=("predict",) if name == "random" else
                           ("predict", "decompose"))

    def test_bytes_of_torch_on_the_cpu(self):
        """Operations and their order are the same."""
        for formula, options in (
                (devices.MIXED, ()),
                (devices.CG, ("--solver=cg", "--block-limit=16"))):
            model = self.prepare(formula, "--fuse-rows=false", *options, days=4)
            good, _ = self.run_there(model, "fit", self.train)
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--device", "torch:cpu",
                                   env=self.environment())
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "out").read_bytes(), good)
            for more in (("--chunk-rows", "7"), ("--threads", "3"),
                         ("--stream",)):
                self.assertEqual(
                    self.run_there(model, "fit", self.train, *more)[0], good,
                    more)

    def test_inference(self):
        self.check_inference()

    def test_without_binary64(self):
        model = self.prepare("y ~ s(a,k=8)+c(d,n_cat=7)", "--fuse-rows=false")
        self.check(model, tolerance=1e-7, is_whole=False, lacks="binary64")
        _, said = self.run_there(model, "fit", self.train, lacks="binary64")
        self.assertNotIn("solving on 'cpu'", said)
        self.assertNotIn("the CPU factors", said)

    def test_devices(self):
        model = self.prepare("y ~ l(a)", days=4)
        text = self.succeed(model, "info", "--devices", env=self.environment())
        self.assertRegex(
            text, r"  torch:privateuseone:0: LibTorch [0-9.]+ on device 0 of an "
                  r"extension, .*\n    found: .*\n"
                  r"    tested: binary64 sum: ok\n"
                  r"    tested: cholesky: ok\n    trusted; ")
        run = self.start(model, "fit", self.train, extension="/nowhere.so")
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'torch:privateuseone': LibTorch cannot tell its "
                      "devices: TAMRT_TORCH_EXTENSION: /nowhere.so: ",
                      run.stderr)


if __name__ == "__main__":
    harness.main()
