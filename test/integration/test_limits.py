# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in little memory: the undisturbed bytes, or exit 1 with one line that
has the bytes needed; and `plan --memory`, which predicts it."""

import json
import os
import pathlib
import random
import re
import resource

import small
from small import harness

MIB = 1 << 20
BACKENDS = harness.BUILD / "test" / "backends"
# Megabytes of address space, from 2 GB to 100 MB, with small steps where memory
# is short.
LIMITS = (2048, 1536, 1024, 768, 640, 576, 512, 448, 400, 350, 300, 260, 230,
          200, 180, 160, 145, 130, 120, 110, 100)


def limited(limit):
    """Options of a process with this many bytes of address space."""
    return {"preexec_fn":
            lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}


def with_stack(limit):
    """Options of a process whose first thread has this many bytes of stack."""
    return {"preexec_fn":
            lambda: resource.setrlimit(resource.RLIMIT_STACK, (limit, limit))}


def processor_seconds():
    """Of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Limits(harness.TestCase):
    def write_rows(self, rows, groups):
        rng = random.Random(3)
        return harness.write_csv(
            self.dir / "train.csv",
            [{"g": f"G{i % groups}", "a": round(rng.uniform(-2, 2), 6),
              "b": round(rng.uniform(-2, 2), 6), "y": round(rng.gauss(0, 1), 6)}
             for i in range(rows)])

    def check(self, run, out, good, what):
        """Checks for the undisturbed bytes, or one line that has the bytes
        needed."""
        lines = [line for line in run.stderr.splitlines(keepends=True)
                 if not line.startswith("model: note: ")]
        run.stderr = "".join(lines)
        if run.returncode == 0:
            self.assertEqual(out.read_bytes(), good, what)
            self.assertEqual(run.stderr, "", what)
            return True
        self.assertEqual(run.returncode, 1, (what, run.stderr))
        self.assertRegex(run.stderr, r"\Amodel: error: [^\n]*\d+ bytes[^\n]*"
                                     r"\n\Z", what)
        self.assertFalse(out.exists(), what)
        return False

    def test_sweep_of_address_space(self):
        model = self.compile("y ~ n(a,others='b',n_neurons=1000)",
                             "--solver=direct", group="g")
        train = self.write_rows(240, 8)
        weights = self.fit(model, train)
        out = self.dir / "out"
        commands = {
            "fit": ["fit", train, "-o", out],
            "stream": ["fit", train, "-o", out, "--stream"],
            "predict": ["predict", train, "--weights", weights, "-o", out],
            "decompose": ["decompose", train, "--weights", weights, "-o", out],
            "design": ["predict", "--type=design", train, "--weights", weights,
                       "-o", out],
            "evaluate": ["evaluate", train, "--weights", weights, "-o", out],
            "calibrate": ["fit", train, "--calibrate=0.3", "-o", out]}
        for name, command in commands.items():
            self.succeed(model, *command)
            good = out.read_bytes()
            ends = set()
            for megabytes in LIMITS:
                out.unlink(missing_ok=True)
                run = self.run_program(model, *command, "--threads", 8,
                                       **limited(megabytes * MIB))
                ends.add(self.check(run, out, good, (name, megabytes)))
            # There is enough memory at one end of the sweep.
            self.assertIn(True, ends, name)

    def test_windows(self):
        # One model's windows have ranges of their own, the other's share sums.
        train = self.write_rows(4000, 2)
        out = self.dir / "out"
        for formula in ("y ~ n(a,others='b',n_neurons=300)",
                        "y ~ f(a,m=60,period=(-2,2))+s(b,k=4)"):
            model = self.compile(
                formula, "--solver=direct", group="g",
                adapt="{window: 1900, update: 10, horizon: 1}")
            command = ["adapt", train, "-o", out]
            self.succeed(model, *command)
            good = out.read_bytes()
            for more in ([], ["--stream"]):
                ends = set()
                for megabytes in (256, 64, 40, 32, 28, 24, 20, 18, 16, 14, 12):
                    out.unlink(missing_ok=True)
                    run = self.run_program(model, *command, "--threads", 8,
                                           *more, **limited(megabytes * MIB))
                    ends.add(self.check(run, out, good, (more, megabytes)))
                self.assertEqual(ends, {True, False}, more)

    def test_program_that_hardly_starts(self):
        """Down to limits at which only the loader runs."""
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv", "--days", 30)
        out = self.dir / "out"
        self.succeed(model, "fit", train, "-o", out)
        good = out.read_bytes()
        for kilobytes in range(100_000, 9_000, -3_500):
            out.unlink(missing_ok=True)
            run = self.run_program(model, "fit", train, "-o", out,
                                   **limited(kilobytes * 1024))
            self.check(run, out, good, kilobytes)

    def test_no_memory_at_the_start(self):
        """The message comes even if memory suffices neither for an exception,
        which libstdc++ keeps some memory for, nor for the stack."""
        model = self.compile("y ~ s(a)", group="g")
        expected = {"there is none for the exception", "address space for the stack"}
        for space in range(6 << 20, 16 << 20, 16 << 10):
            run = self.run_program(model, "info", **limited(space))
            expected -= {text for text in expected if text in run.stderr}
            if run.returncode == 0:
                break
            self.assertIn(run.returncode, (1, 127), run.stderr)
            self.assertNotEqual(run.stderr, "")
        self.assertEqual(expected, set())

    def test_small_stacks(self):
        """Any limit on the stack is enough, because threads have their own."""
        formulas = {
            "trees": "y ~ t(a, others='b', n_trees=50, max_depth=6)",
            "splines": "y ~ s(a, k=20) + s(b, k=20) + te(s(a, k=6), s(b, k=6))",
            "radial": "y ~ rbf(a, others='b', n_centers=200)"}
        train = self.write_rows(6000, 3)
        out = self.dir / "out"
        for name, formula in formulas.items():
            model = self.compile(formula, name=name, group="g")
            weights = self.fit(model, train, weights="good")
            commands = {"fit": ["fit", train],
                        "stream": ["fit", train, "--stream"],
                        "predict": ["predict", train, "--weights", weights]}
            for kind, command in commands.items():
                command += ["-o", out, "--threads", 3]
                notes = self.run_program(model, *command).stderr
                good = out.read_bytes()
                for kilobytes in (8192, 1024, 1023, 512, 256, 128):
                    out.unlink()
                    run = self.run_program(model, *command,
                                           **with_stack(kilobytes * 1024))
                    self.assertEqual((run.returncode, run.stderr), (0, notes),
                                     (name, kind, kilobytes))
                    self.assertEqual(out.read_bytes(), good)

    def test_small_stack_and_no_thread(self):
        model = self.compile("y ~ s(a)", group="g")

        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))
            # The program and the C library fit, a thread's stack does not.
            resource.setrlimit(resource.RLIMIT_AS, (space, space))

        told = False
        # The kernel kills a program that does not fit itself.
        least = model.stat().st_size + (1 << 20)
        for space in range(least, 16 << 20, 16 << 10):
            run = self.run_program(model, "info", preexec_fn=limit)
            told |= "expected a stack of 1048576 bytes" in run.stderr
            if run.returncode == 0:
                break
            # Before that the loader finds no memory.
            self.assertIn(run.returncode, (1, 127), run.stderr)
            self.assertNotEqual(run.stderr, "")
        self.assertTrue(told)

    def test_lower_rung(self):
        model = self.compile("y ~ n(a,others='b',n_neurons=300)", group="g")
        train = self.write_rows(6000, 2)
        good = self.fit(model, train).read_bytes()
        fit = self.plan(model, "2G", "--rows", 6000, "--groups", 2,
                        "--threads", 1)["fit"]
        least, most = fit["least_memory"], fit["most_memory"]
        rungs = set()
        for part in range(9):
            limit = least + (most - least) * part // 8
            run = self.run_program(
                model, "fit", train, "-o", self.dir / "low", "--threads", 1,
                env=dict(os.environ, TAMRT_LOG="info"), **limited(limit))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "low").read_bytes(), good)
            rungs.add(int(re.search(r"chunks of (\d+) rows",
                                    run.stderr).group(1)))
        self.assertGreater(len(rungs), 1, "no lower rung was ever needed")

    def test_no_rung_fits(self):
        """The error, with its numbers, comes within a second of processor
        time, before the data are read."""
        model = self.compile("y ~ n(a,others='b',n_neurons=2500)",
                             "--solver=direct", group="g")
        # Data that would take long to read.
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        before = processor_seconds()
        run = self.run_program(model, "fit", pipe, "-o", self.dir / "w",
                               **limited(120 * MIB))
        self.assertLess(processor_seconds() - before, 1)
        self.assertEqual(run.returncode, 1)
        match = re.fullmatch(
            r"model: error: expected (\d+) bytes of memory for the direct "
            r"solver in chunks of 1 row, got (\d+), which is 70% of (\d+) "
            r"bytes free \(limit on address space\); (\d+) bytes more would "
            r"do(, or a share of 0\.\d+)?\n", run.stderr)
        self.assertIsNotNone(match, run.stderr)
        needed, got, free, more = map(int, match.groups()[:4])
        self.assertGreater(needed, 2 * 8 * 2500 * 2500 / 2)
        self.assertEqual(got, free * 7 // 10)
        # The change named in the message is enough: the run continues to the
        # data.
        train = self.write_rows(20, 1)
        self.succeed(model, "fit", train, "-o", self.dir / "w",
                     **limited(120 * MIB + more + 8 * MIB))

    def test_memory_of_a_control_group(self):
        """In its own control group, if this machine lets a test make one."""
        if not (group := self.make_group(200 * MIB)):
            print("no control group can be made here: its files are tested "
                  "as fakes alone, in MachineMemoryTest", flush=True)
            return
        model = self.compile("y ~ n(a,others='b',n_neurons=4000)",
                             "--solver=direct", group="g")
        run = self.run_program(
            model, "fit", self.write_rows(20, 1), "-o", self.dir / "w",
            preexec_fn=lambda: (group / "cgroup.procs").write_text(
                str(os.getpid())))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"bytes free \(control group .*\); \d+ "
                                     r"bytes more would do")

    def make_group(self, limit):
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            mount = pathlib.Path("/sys/fs/cgroup") / (
                "memory" if controllers else ".")
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            group = mount / path.lstrip("/") / f"tamc-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            try:
                (group / name).write_text(str(limit))
                return group
            except OSError:
                continue
        return None

    def plan(self, model, memory, *options):
        answer = json.loads(self.succeed(model, "plan", "--memory", memory,
                                         "--format=json", *options))
        return {use["use"]: use for use in answer["uses"]}

    def test_plan_tells_beforehand(self):
        model = self.compile("y ~ n(a,others='b',n_neurons=300)", group="g")
        train = self.write_rows(6000, 2)
        options = ("--rows", 6000, "--groups", 2, "--threads", 2)
        fit = self.plan(model, "2G", *options)["fit"]
        self.assertTrue(fit["fits"])
        self.assertEqual((fit["threads"], fit["why"]), (2, ""))
        # The least memory in the answer is exact to the byte; the most gives
        # the best decision.
        least, most = fit["least_memory"], fit["most_memory"]
        self.assertTrue(self.plan(model, least, *options)["fit"]["fits"])
        below = self.plan(model, least - 1, *options)["fit"]
        self.assertFalse(below["fits"])
        self.assertRegex(below["why"], r"expected \d+ bytes .* bytes more")
        best = self.plan(model, most, *options)["fit"]
        self.assertEqual((best["rows"], best["threads"]),
                         (fit["rows"], fit["threads"]))
        worse = self.plan(model, most - 1, *options)["fit"]
        self.assertLess((worse["rows"], worse["threads"]),
                        (fit["rows"], fit["threads"]))
        # What fits by the plan runs in that address space.
        for memory in (least, (least + most) // 2, most):
            self.fit(model, train, "--threads", 2, **limited(memory))
        text = self.succeed(model, "plan", "--memory", "10M")
        self.assertIn("fit: does not fit: expected", text)
        text = self.succeed(model, "plan", "--memory", "1G", *options)
        self.assertIn(" left by program and data\n", text)
        self.assertIn(" left by the program; rows are not counted, and with "
                      "--stream they need none\n", text)
        text = self.succeed(model, "plan", "--memory", "1G", "--sliding",
                            "--sliding-ram-share", "0.5", *options)
        self.assertIn("fit: fits: direct solver", text)
        for wrong in (["--memory", "much"], ["--rows", "5"],
                      ["--memory", "1G", "--ram-share", "1.5"]):
            run = self.run_program(model, "plan", *wrong)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, "error: .*expected")

    def test_allocators_take_what_is_planned(self):
        model = self.compile("y ~ n(a,others='b',n_neurons=300)", group="g")
        train = self.write_rows(6000, 2)
        good = self.fit(model, train).read_bytes()
        for fraction in ("1", "0.4"):
            options = ("--rows", 6000, "--groups", 2, "--threads", 2,
                       "--memory-fraction", fraction)
            fit = self.plan(model, "2G", *options)["fit"]
            least, most = fit["least_memory"], fit["most_memory"]
            self.assertTrue(self.plan(model, least, *options)["fit"]["fits"])
            self.assertFalse(
                self.plan(model, least - 1, *options)["fit"]["fits"])
            best = self.plan(model, most, *options)["fit"]
            self.assertEqual((best["rows"], best["threads"]),
                             (fit["rows"], fit["threads"]))
            self.assertNotEqual(
                self.plan(model, most - 1, *options)["fit"]["rows"],
                fit["rows"])
            # What fits by the plan runs with every allocator.
            for allocator in ("direct", "bfc", "caching"):
                for memory in (least, (least + most) // 2, most):
                    weights = self.fit(model, train, "--threads", 2,
                                       "--allocator", allocator,
                                       **limited(memory))
                    self.assertEqual(weights.read_bytes(), good)

    def test_options_of_the_oracle(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv")
        good = self.fit(model, train).read_bytes()
        for options in (["--memory", "150K"], ["--ram-share", "0.0001"],
                        ["--oracle", "estimate"], ["--direct-limit", "1"]):
            weights = self.fit(model, train, *options, weights="other")
            self.assertEqual(weights.read_bytes(), good)
        run = self.run_program(model, "fit", train, "-o", self.dir / "w",
                               "--memory", "1K")
        self.assertEqual(run.returncode, 1)
        self.assertIn("(--memory)", run.stderr)

    def test_devices_are_told(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        environment = dict(os.environ, TAMRT_BACKEND_PATH=str(BACKENDS))
        text = self.succeed(model, "info", "--devices", env=environment)
        self.assertIn("  cuda\n    skipped: no backend was found\n", text)
        self.assertIn(f"  {BACKENDS}\n", text)
        devices = {device["device"]: device for device in json.loads(
            self.succeed(model, "info", "--devices", "--format=json",
                         env=dict(environment, TAMRT_SIM_BROKEN="rhs_dense"))
        )["devices"]}
        self.assertTrue(devices["cpu"]["trusted"])
        self.assertEqual(devices["cpu"]["tests"],
                         ["binary64 sum: ok", "cholesky: ok"])
        self.assertFalse(devices["sim"]["trusted"])
        self.assertIn("binary64 sum", devices["sim"]["why"])
        run = self.run_program(model, "fit", "no.csv", "-o", "w", "--device",
                               "cuda")
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'cuda': no backend", run.stderr)


if __name__ == "__main__":
    harness.main()
