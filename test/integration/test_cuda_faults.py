# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of CUDA, with the fake driver: every allocation and every call
of the runtime fails once. Each run ends with the bytes of the undisturbed run
or with an error that names the call. What keeps a device from being used is
told, and the CPU is used instead."""

import json
import os
import re
import shutil
import subprocess

import devices
import small
import test_cuda
import test_faults
from small import harness

DEVICE = "cuda-emulated"
environment = test_cuda.Emulated.environment
CALLS = re.compile(r" (\d+) calls, ")
# A call that failed, by name, and the error.
FAILED = re.compile(r"error: cuda-emulated: cuda\w+: cudaError\w+: ")
# What a page prints with some digits.
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# Numbers of cudaError_t.
OUT_OF_MEMORY, ILLEGAL_ADDRESS, INSUFFICIENT = 2, 700, 35
# Allocations of the quiet stream and of the device's test.
OPEN_ALLOCATIONS = 1 + test_faults.TEST_ALLOCATIONS
# Of memory of devices.
ALLOCATIONS = {"call": "cudaMalloc"}


class CudaFaults(test_faults.Faults):
    """The sweep of test_faults for memory of devices, with streams and
    batches."""

    LOST = TESTED = OPEN_ALLOCATIONS
    COUNTS = re.compile(
        r"debug: cuda-emulated: \d+ launches, (\d+) copies, .*; (\d+) kernels, "
        r".* (\d+) calls, (\d+) copies that waited$")

    def prepare(self, *arguments, **keys):
        """The undisturbed results are the device's."""
        model = super().prepare(*arguments, **keys)
        for name, command in self.commands.items():
            run = self.run_program(model, *command, "--device", DEVICE,
                                   env=environment())
            self.assertEqual(run.returncode, 0, run.stderr)
            self.good[name] = (self.dir / "out").read_bytes()
        return model

    def run_sim(self, model, name, *options, fail=0, fail_later=0, **settings):
        """Returns counts as the simulated device has them: counted calls of the
        runtime, which are allocations if no others are named, and failures."""
        settings = ALLOCATIONS | settings
        if fail:
            settings |= {"fail": fail,
                         "failures": 10**9 if fail_later else 1}
        (self.dir / "out").unlink(missing_ok=True)
        run = self.run_program(model, *self.commands[name], "--device", DEVICE,
                               *options, env=environment(**settings))
        counts, status = self.check_run(run, name, options, settings)
        if counts:
            copies, kernels, calls, _ = counts
            counts = [calls, 0, kernels, 0, copies]
        return counts, status

    def check_output(self, name, run, what):
        """Groups that the CPU took over have its numbers."""
        got = (self.dir / "out").read_bytes()
        if got == self.good[name]:
            return
        self.assertIn("on 'cpu'", run.stderr, what)
        if name == "plot":
            return self.check_page(got.decode(), self.good[name].decode())
        numbers = []
        for content in got, self.good[name]:
            (self.dir / "part").write_bytes(content)
            if name in ("fit", "stream", "grid", "calibrate"):
                model = self.dir / "model"
                if name == "grid":
                    model = self.compile(
                        devices.formula_of(content), name="chosen",
                        **small.KEYS)
                content = self.predict(
                    model, self.dir / "train.csv", self.dir / "part",
                    output="part.csv").read_bytes()
            numbers.append([
                float(value) for row in harness.parse_csv(content.decode())
                for key, value in row.items()
                if key not in ("date", "g") and value])
        self.assert_close_to_norm(*numbers, 1e-6, what)

    def check_page(self, got, wanted):
        """Two pages are the same but for the last digits of numbers."""
        self.assertEqual(NUMBER.sub("0", got), NUMBER.sub("0", wanted))
        for one, other in zip(NUMBER.findall(got), NUMBER.findall(wanted),
                              strict=True):
            if one == other:
                continue
            digits = max(len(text.partition(".")[2].partition("e")[0])
                         for text in (one, other))
            one, other = float(one), float(other)
            self.assertLessEqual(
                abs(one - other),
                1.001 * 10.0**-digits + 1e-5 * max(abs(one), abs(other)))

    def test_every_allocation(self):
        model = self.prepare(names=["fit", "stream", "predict", "decompose"])
        self.check_every_allocation(model, self.commands)

    def test_pages(self):
        model = self.prepare("y ~ l(a)+c(d,n_cat=7)", groups=2,
                             names=["plot", "evaluate", "calibrate"])
        self.check_every_allocation(model, self.commands)

    def test_windows(self):
        model = self.prepare("y ~ l(a)", days=8, groups=1, names=["adapt"],
                             chunk_rows=2,
                             adapt="{window: 4, update: 2, horizon: 1}")
        self.check_every_allocation(model, self.commands)

    def test_grids(self):
        model = self.prepare("y ~ s(c,k=4,ap=$p)", groups=1, days=8,
                             names=["grid"], chunk_rows=4,
                             grid="{p: [-2, 1]}")
        self.check_every_allocation(model, self.commands)

    def test_every_allocation_of_conjugate_gradients(self):
        model = self.prepare_cg(False, days=20)
        self.check_every_allocation(model, self.commands)

    def test_every_call(self):
        """A call that fails for another reason ends the run with an error that
        names it; no call is forgotten, and nothing hangs."""
        model = self.prepare(names=["fit", "predict"], days=3, groups=3)
        for name, command in self.commands.items():
            for order in "forward", "backward":
                said = self.run_program(
                    model, *command, "--device", DEVICE,
                    env=environment(order=order)).stderr
                calls = int(CALLS.search(said)[1])
                self.assertGreater(calls, 300)
                told = 0
                for k in range(1, calls + 1, max(calls // 150, 1)):
                    # After the results it may fail, too.
                    run = self.run_failing(
                        model, name, DEVICE, env=environment(
                            order=order, fail=k, error=ILLEGAL_ADDRESS))
                    is_named = any(map(FAILED.search, run.stderr.splitlines()))
                    told += is_named
                    if run.returncode == 1:
                        self.assertTrue(
                            is_named or "device 'cuda-emulated': cuda" in
                            run.stderr or "device 'cuda-emulated': expected"
                            in run.stderr, (name, order, k, run.stderr))
                self.assertGreater(told, 50)

    def test_calls_without_memory(self):
        """A run does not repeat what may have changed its sums: it goes on only
        if nothing was launched."""
        model = self.prepare_cg(False, days=20)
        for call in "cudaLaunchKernel", "cudaStreamSynchronize", "":
            lacks = {"call": call, "error": OUT_OF_MEMORY}
            counts, _ = self.run_sim(model, "fit", "--threads", "2", **lacks)
            seen = {self.run_failing(
                model, "fit", DEVICE, "--threads=2",
                env=environment(fail=k, **lacks)).returncode
                for k in range(30, counts[0], counts[0] // 40)}
            self.assertIn(1, seen, call)

    # What these make fail, a kernel that lacks memory, CUDA does not have.
    test_every_kernel = test_kernels_that_never_get_memory = None
    test_every_kernel_of_conjugate_gradients = None
    test_every_factorization_of_conjugate_gradients = None
    test_kernels_of_two_threads_at_once = test_rows_that_threads_share = None
    test_trace = test_trace_of_conjugate_gradients = None
    test_little_and_fragmented_memory = None


class Skipped(harness.TestCase):
    """Devices that cannot be used: `auto` takes the CPU, `info --devices` says
    why, and who names the device gets an error."""

    def setUp(self):
        super().setUp()
        self.model = self.compile("y ~ s(a,k=5)", "--fuse-rows=false",
                                  **small.KEYS)
        self.train = small.generate(self.dir / "train.csv")
        self.good = self.fit(self.model, self.train).read_bytes()

    def check(self, why, backend=None, named=None, **settings):
        """`why` is a regular expression; `backend` the file that is found."""
        folder = self.dir / "backends"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if backend:
            shutil.copy(backend, folder / "libtamrt-backend-cuda.so")
        env = environment(kind="cuda", **settings) | {
            "TAMRT_BACKEND_PATH": str(folder)}
        text = self.succeed(self.model, "info", "--devices", env=env)
        self.assertRegex(text, r"  cuda(: .*)?\n(    (found|tested): .*\n)*"
                               rf"    skipped: {why}\n")
        run = self.run_program(self.model, "fit", self.train, "-o", "out",
                               env=env)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.dir / "out").read_bytes(), self.good)
        run = self.run_program(self.model, "fit", self.train, "-o", "out",
                               "--device", "cuda", env=env)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, rf"device 'cuda': {named or why}\n")

    EMULATED = devices.BACKENDS / "libtamrt-backend-cuda-emulated.so"

    def test_no_folder(self):
        self.check("no backend was found", named="no backend "
                   "'libtamrt-backend-cuda.so' was found; .*")
        env = environment() | {"TAMRT_BACKEND_PATH": "/nowhere"}
        text = self.succeed(self.model, "info", "--devices", env=env)
        self.assertIn("  /nowhere\n", text)
        self.assertIn("  cuda\n    skipped: no backend was found\n", text)

    def test_truncated_file(self):
        whole = self.EMULATED.read_bytes()
        for part in (100, 5000, len(whole) // 2, len(whole) - 1):
            (self.dir / "part").write_bytes(whole[:part])
            self.check(rf"the file is truncated: expected {len(whole)} bytes, "
                       rf"got {part}", self.dir / "part")
        for text, why in (b"", "file too short"), (b"#" * 99, "invalid ELF .*"):
            (self.dir / "part").write_bytes(text)
            self.check(f".*{why}", self.dir / "part")

    def test_another_version(self):
        source = self.dir / "other.c"
        for version, abi in ("TAMRT_BACKEND_VERSION - 1", "TAMRT_ABI_VERSION"), (
                "TAMRT_BACKEND_VERSION", "TAMRT_ABI_VERSION + 1"):
            source.write_text(
                '#include "tamrt/backend.h"\n'
                "const tamrt_backend *tamrt_backend_register("
                "const tamrt_core *core) {\n"
                "  static tamrt_backend table = {.kind = \"cuda\"};\n"
                f"  table.version = {version};\n"
                f"  table.abi_version = {abi};\n"
                "  return core ? &table : 0;\n}\n")
            subprocess.run(
                ["gcc", "-shared", "-fPIC", *harness.SANITIZE, "-I",
                 str(harness.SOURCE / "include"), str(source), "-o",
                 str(self.dir / "other.so")], check=True)
            self.check(r"expected a backend of version [\d.]+, got [\d.]+",
                       self.dir / "other.so")

    def test_drivers_and_devices(self):
        for why, settings in (
                (r"no driver for NVIDIA GPUs was found \(libcuda.so.1\)",
                 {"driver": 0}),
                ("expected a driver for CUDA 13.0, got one for 12.8",
                 {"driver": 12080}),
                ("cudaGetDeviceCount: cudaErrorNoDevice: .*", {"devices": 0}),
                ("expected compute capability 7.5 or newer, got 6.1",
                 {"capability": 61}),
                ("cudaFuncGetAttributes: cudaErrorNoKernelImageForDevice: .*",
                 {"fail": 1, "call": "cudaFuncGetAttributes", "error": 209}),
                ("test 'binary64 sum' failed: .*",
                 {"fail": 1, "call": "cudaLaunchKernel", "error": 719}),
                ("test 'cholesky' failed: .*",
                 {"fail": 2, "call": "cudaLaunchKernel", "error": 719})):
            with self.subTest(why):
                self.check(why, self.EMULATED, **settings)

    def test_backend_of_gpus(self):
        """The backend for GPUs loads on a machine without a driver."""
        backend = devices.BACKENDS / "libtamrt-backend-cuda.so"
        if not backend.exists():
            self.skipTest("the build has no backend for CUDA")
        needs = subprocess.run(["readelf", "-d", backend], check=True,
                               capture_output=True, text=True).stdout
        self.assertNotRegex(needs, r"NEEDED.*libcu")
        if not os.path.exists("/dev/nvidiactl"):
            self.check(r"no driver for NVIDIA GPUs was found \(libcuda.so.1\)",
                       backend)

    def test_two_devices(self):
        env = environment(devices=2, order="random", seed=3)
        model = self.compile(devices.LOAD, "--fuse-rows=false", name="load",
                             **small.KEYS)
        small.generate(self.train, "--groups", 6)
        run = self.run_program(model, "fit", self.train, "-o", "one",
                               "--device", DEVICE, env=env)
        self.assertEqual(run.returncode, 0, run.stderr)
        run = self.run_program(
            model, "fit", self.train, "-o", "two", "--device",
            f"{DEVICE}:0,{DEVICE}:1", "--timings=json", env=env)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.dir / "one").read_bytes(),
                         (self.dir / "two").read_bytes())
        self.assertNotIn("error", run.stderr)
        # Both have worked.
        for label in (DEVICE, f"{DEVICE}:1"):
            counts = re.search(rf"debug: {label}: (\d+) launches", run.stderr)
            self.assertGreater(int(counts[1]), 3)
        json.loads(re.search(r"^\{.*\}$", run.stderr, re.M)[0])


# The tests of the module are not repeated.
del test_faults.Faults

if __name__ == "__main__":
    harness.main()
