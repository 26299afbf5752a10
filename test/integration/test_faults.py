# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every allocation and every kernel of a run fails once on a simulated device:
each run ends with the bytes of the undisturbed run or with the documented
error, and tries no rung twice."""

import itertools
import json
import os
import re

import small
from small import harness

BACKENDS = harness.BUILD / "test" / "backends"
STEP = re.compile(r"warning: device '([\w-]+)' had no \d+ bytes more for chunks "
                  r"of (\d+) rows?, of \d+ free; going on in chunks of (\d+) "
                  r"rows?( on 'cpu')?$")
SUMMARY = re.compile(r"warning: memory ran out (\d+) times?; ")
THREADS = re.compile(r"warning: device '[\w-]+' has memory for \d+ of \d+ threads")
SOLVER = re.compile(r"warning: device '[\w-]+' had no \d+ bytes (more )?to solve"
                    r"(, of \d+ free; trying again|; solving on 'cpu')$")
GROUPS = re.compile(r"(?:warning|info): .* going on with (\d+) (?:groups|threads) "
                    r"at a time$")
LAST_GROUP = re.compile(r"warning: expected \d+ bytes of memory for the (?:fits of 1 "
                        r"groups|sums of windows) .*; going on on 'cpu'$")
NOTE = re.compile(r"note: (--stream reads the file once per iteration$|"
                  r"--stream keeps \d+ rows, \d+ bytes: --grid predicts those |"
                  r"--calibrate held out \d+ of \d+ rows: )")
# Messages of a run without memory; each has the bytes.
ERRORS = re.compile(r"error: .*(expected \d+ bytes of memory|a kernel "
                    r"reported status 2)")
COUNTS = re.compile(r"debug: sim: (\d+) allocations, (\d+) failed, (\d+) "
                    r"kernels, (\d+) bytes at most, "
                    r"(\d+) copies")
# Allocations, kernels and copies of the device's test at the start.
TEST_ALLOCATIONS, TEST_KERNELS, TEST_COPIES = 5, 2, 7


class Faults(harness.TestCase):
    # Allocations whose failure, alone, ends a run: those of the device's test.
    LOST = TEST_ALLOCATIONS
    # Allocations until the device is tested.
    TESTED = TEST_ALLOCATIONS
    # What the device has counted.
    COUNTS = COUNTS
    # Commands of several runs of steps.
    SEVERAL = ("stream", "plot", "calibrate", "adapt", "adapt-stream",
               "grid", "grid-stream")
    # The event of a failed allocation in a trace.
    FELL = {"step down", "out of memory"}

    def prepare(self, formula=small.FORMULA, days=4, groups=5, options=(),
                fit=(), names=None, **keys):
        """A model whose kernels are all called through the device's table,
        data, and the undisturbed results of each command, or of those in
        `names`. `options` are tamc's, `fit` those of a fit."""
        model = self.compile(formula, "--fuse-rows=false", *options,
                             **small.KEYS, **keys)
        train = small.generate(self.dir / "train.csv", "--days", days,
                               "--groups", groups)
        # The commands of a model with tokens choose their values first.
        has_weights = "grid" not in keys
        weights = self.fit(model, train, *fit) if has_weights else None
        self.commands = {
            "fit": ["fit", train, "-o", "out", *fit],
            "stream": ["fit", train, "-o", "out", "--stream", *fit],
            "predict": ["predict", train, "--weights", weights, "-o", "out"],
            "decompose": ["decompose", train, "--weights", weights, "-o",
                          "out"],
            "plot": ["plot", train, "--weights", weights, "-o", "out"],
            "evaluate": ["evaluate", train, "--weights", weights, "-o", "out"],
            "calibrate": ["fit", train, "-o", "out", "--calibrate=0.5", *fit]}
        if "adapt" in keys:
            adapt = ["adapt", train, "-o", "out"]
            self.commands |= {"adapt": adapt,
                              "adapt-stream": [*adapt, "--stream"]}
        if "grid" in keys:
            grid = ["tune", train, "--grid", "-o", "out", "--split=0.25"]
            self.commands |= {"grid": grid, "grid-stream": [*grid, "--stream"]}
        if names:
            self.commands = {name: self.commands[name] for name in names}
        self.good = {}
        for name, command in self.commands.items():
            self.succeed(model, *command)
            self.good[name] = (self.dir / "out").read_bytes()
        return model

    def run_sim(self, model, name, *options, **sim):
        """Runs a command on the simulated device, which has no streams unless
        `sim` says otherwise. \\returns the counts of its calls, or None, and
        checks all its messages."""
        sim = {"without": "streams", **sim}
        out = self.dir / "out"
        out.unlink(missing_ok=True)
        environment = dict(os.environ, TAMRT_LOG="debug",
                           TAMRT_BACKEND_PATH=str(BACKENDS))
        environment |= {f"TAMRT_SIM_{key.upper()}": str(value)
                        for key, value in sim.items()}
        run = self.run_program(model, *self.commands[name], "--device", "sim",
                               *options, env=environment)
        return self.check_run(run, name, options, sim)

    def check_run(self, run, name, options, sim):
        """Checks the messages of a run and its output; returns its counts and
        its status."""
        out = self.dir / "out"
        what = f"{name} {options} {sim}: {run.stderr}"
        lines = [line.removeprefix("model: ")
                 for line in run.stderr.splitlines()]
        counts, steps, groups, summary, errors = None, [], [], 0, 0
        for line in lines:
            if match := self.COUNTS.match(line):
                counts = list(map(int, match.groups()))
            elif match := STEP.match(line):
                steps.append(match.groups())
            elif match := GROUPS.match(line):
                groups.append(int(match.group(1)))
            elif match := SUMMARY.match(line):
                summary = int(match.group(1))
            elif ERRORS.match(line):
                errors += 1
            elif not (THREADS.match(line) or SOLVER.match(line) or
                      LAST_GROUP.match(line) or NOTE.match(line) or
                      line.startswith("info: ")):
                self.fail(what)
        if run.returncode == 0:
            self.check_output(name, run, what)
            self.assertEqual(errors, 0, what)
            # Each batch of groups of a stream, or of windows, and each
            # prediction of a picture, has a summary of its own, and so have
            # fits and predictions of the rows held out.
            if name not in self.SEVERAL:
                self.assertEqual(summary, len(steps), what)
        else:
            self.assertEqual(run.returncode, 1, what)
            self.assertEqual(errors, 1, what)
            self.assertFalse(out.exists(), what)
        # No size that failed is tried again: rungs and batches get smaller, on
        # a device and then on the CPU.
        threads = int(options[options.index("--threads") + 1])
        if name not in self.SEVERAL:
            self.check_falls(steps, threads, what)
        if name not in ("adapt", "adapt-stream", "grid", "grid-stream"):
            self.assertEqual(groups, sorted(set(groups), reverse=True), what)
        return counts, run.returncode

    def run_failing(self, model, name, device, *options, env):
        """Runs a command in which a call fails: it writes what it should, or
        ends with an error and writes nothing."""
        out = self.dir / "out"
        out.unlink(missing_ok=True)
        run = self.run_program(model, *self.commands[name], "--device", device,
                               *options, env=env)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        if run.returncode == 0:
            self.assertEqual(out.read_bytes(), self.good[name], run.stderr)
        else:
            self.assertRegex(run.stderr, "(?m)^model: error: ")
            self.assertFalse(out.exists(), run.stderr)
        return run

    def check_output(self, name, _, what):
        self.assertEqual((self.dir / "out").read_bytes(), self.good[name], what)

    def check_falls(self, steps, threads, what):
        left = {}
        for device, rows, to, to_cpu in steps:
            left[device, rows] = left.get((device, rows), 0) + 1
            if not to_cpu:
                self.assertLess(int(to), int(rows), what)
        for count in left.values():
            self.assertLessEqual(count, threads, what)

    def sweep(self, model, name, key, calls, *options, **sim):
        """Makes each of the calls fail; returns those whose runs succeed."""
        return [k for k in calls if self.run_sim(
            model, name, *options, **{key: k}, **sim)[1] == 0]

    def check_every_allocation(self, model, names):
        for name in names:
            for threads in ("1", "2"):
                options = ("--threads", threads)
                (calls, failed, *_), status = self.run_sim(
                    model, name, *options)
                self.assertEqual((failed, status), (0, 0))
                self.assertGreaterEqual(calls, self.TESTED + 3)
                for later in (0, 1):
                    part = range(1, calls + 1)
                    good = self.sweep(model, name, "fail", part, *options,
                                      fail_later=later)
                    if not later:
                        # Any other is survived.
                        self.assertEqual(
                            good, [k for k in part if k > self.LOST],
                            (name, threads))
                    # With the CPU as a fallback, the run survives every other
                    # failure.
                    part = range(self.TESTED + 1, calls + 1)
                    good = self.sweep(
                        model, name, "fail", part, *options,
                        "--allow-cpu-fallback", fail_later=later)
                    self.assertEqual(good, [*part], (name, threads, later))

    def test_every_allocation(self):
        model = self.prepare()
        self.check_every_allocation(model, self.commands)

    def test_windows(self):
        # The first model's windows share their sums, the second's have ranges
        # of their own.
        for formula in ("y ~ c(d,n_cat=7)", "y ~ l(a)+c(d,n_cat=7)"):
            model = self.prepare(
                formula, days=12, groups=2, names=["adapt", "adapt-stream"],
                chunk_rows=2,
                adapt="{window: 6, update: 2, horizon: 1}")
            self.check_every_allocation(model, self.commands)
            one = ("--threads", "1")
            (_, _, kernels, *_), _ = self.run_sim(model, "adapt", *one)
            part = range(TEST_KERNELS + 1, kernels + 1)
            good = self.sweep(model, "adapt", "fail_kernel", part, *one)
            self.assertEqual(good, [*part])
            # A fault that lasts ends the run: it is not tried again, and the
            # fault, which would pass, is not hidden.
            for k in range(TEST_KERNELS + 1, kernels - 8, 3):
                counts, status = self.run_sim(model, "adapt", *one,
                                              fail_kernel=k, fail_kernels=2)
                self.assertEqual(status, 1, (formula, k))
                self.assertEqual(counts[2], k + 1, (formula, k))

    def test_grids(self):
        """Rows are summed twice, and predicted for each candidate."""
        model = self.prepare("y ~ s(c,k=$k,ap=$p)+l(a)", groups=2, days=8,
                             names=["grid", "grid-stream"], chunk_rows=4,
                             grid="{k: [4, 6], p: [-2, 1]}")
        self.check_every_allocation(model, self.commands)
        one = ("--threads", "1")
        for name in self.commands:
            (_, _, kernels, *_), _ = self.run_sim(model, name, *one)
            part = range(TEST_KERNELS + 1, kernels + 1, max(kernels // 80, 1))
            for k in part:
                _, status = self.run_sim(model, name, *one, fail_kernel=k)
                self.assertEqual(status, 0, (name, k))

    # Trees whose block is not factored, for which a sketch is made, and a
    # recursion, whose carry starts anew in each iteration.
    OPEN_FORMULA = "y ~ s(c,k=5)+t(a,n_trees=8,max_depth=2)+pid(b,w=3)"

    def prepare_cg(self, both, formula=OPEN_FORMULA, options=(), **keys):
        """The same with a fit by conjugate gradients."""
        return self.prepare(
            formula, groups=2, options=[
                "--block-limit=8",
                "--min-cg=0" if both else "--solver=cg", *options],
            fit=["--solver=cg"] if both else [], names=["fit", "stream"],
            **keys)

    def test_every_allocation_of_conjugate_gradients(self):
        for both in (False, True):
            model = self.prepare_cg(both, days=40)
            self.check_every_allocation(model, self.commands)

    def test_every_kernel_of_conjugate_gradients(self):
        for both in (False, True):
            model = self.prepare_cg(both, days=40, chunk_rows=4)
            for name in self.commands:
                self.check_every_kernel(model, name)

    def check_every_kernel(self, model, name):
        one = ("--threads", "1")
        (_, _, kernels, *_), _ = self.run_sim(model, name, *one)
        # The calls before the first iteration, some of the later ones of each
        # kind, and the last.
        part = range(TEST_KERNELS + 101, kernels, max(kernels // 150, 1))
        for k in [*range(TEST_KERNELS + 1, TEST_KERNELS + 101), *part,
                  kernels]:
            _, status = self.run_sim(model, name, *one, fail_kernel=k)
            self.assertEqual(status, 0, (name, k))
        # Several failures in a row: down to the last rung, and beyond it.
        for k in [TEST_KERNELS + 1, *part[::15]]:
            for count in (2, 3, 4):
                _, status = self.run_sim(model, name, *one, fail_kernel=k,
                                         fail_kernels=count)
                self.assertEqual(status, count > 2, (name, k, count))
                _, status = self.run_sim(
                    model, name, "--allow-cpu-fallback", *one, fail_kernel=k,
                    fail_kernels=count)
                self.assertEqual(status, 0, (name, k, count))

    def test_every_factorization_of_conjugate_gradients(self):
        """The CPU computes the sketch's factorisations: failures of a device do
        not affect whether there is a sketch. Linear terms have a diagonal."""
        model = self.prepare_cg(False, self.OPEN_FORMULA + "+l(a)+l(b)",
                                ["--merge-columns=2"], days=40)
        one = ("--threads", "1")
        # Kernels, and about how many of their calls fail.
        for name, (kernel, most) in itertools.product(
                self.commands,
                (("cholesky_factor", 100), ("cholesky_apply", 100),
                 ("diagonal_factor", 20), ("diagonal_apply", 20))):
            (_, _, calls, *_), _ = self.run_sim(model, name, *one,
                                               kernel=kernel)
            self.assertGreater(calls, 0, kernel)
            for k in range(1, calls + 1, max(calls // most, 1)):
                for count in (1, 99):
                    _, status = self.run_sim(
                        model, name, *one, kernel=kernel, fail_kernel=k,
                        fail_kernels=count)
                    self.assertEqual(status, count > 1, (name, kernel, k))

    def test_kernels_of_two_threads_at_once(self):
        model = self.prepare_cg(True, days=40, chunk_rows=4)
        two = ("--threads", "2")
        for name in self.commands:
            (_, _, kernels, *_), _ = self.run_sim(model, name, *two)
            for k in range(TEST_KERNELS + 1, kernels, max(kernels // 30, 1)):
                _, status = self.run_sim(model, name, *two, fail_kernel=k,
                                         fail_kernels=2)
                self.assertEqual(status, 0, (name, k))
                self.run_sim(model, name, *two, fail_kernel=k, fail_kernels=6)
                _, status = self.run_sim(model, name, "--allow-cpu-fallback",
                                         *two, fail_kernel=k, fail_kernels=6)
                self.assertEqual(status, 0, (name, k))

    def test_every_kernel(self):
        # A recursion has a carry, which must not be advanced twice.
        model = self.prepare("y ~ l(a)+s(c,k=5)+pid(b,w=3)", days=30,
                             groups=2, chunk_rows=16)
        for name in ("fit", "predict", "decompose", "plot", "evaluate",
                     "calibrate"):
            (_, _, kernels, *_), _ = self.run_sim(model, name, "--threads", "1")
            part = range(TEST_KERNELS + 1,
                         min(kernels, TEST_KERNELS + 150) + 1)
            good = self.sweep(model, name, "fail_kernel", part, "--threads",
                              "1")
            self.assertEqual(good, [*part], name)
        # The last kernel of a fit solves.
        (_, _, kernels, *_), _ = self.run_sim(model, "fit", "--threads", "1")
        last = range(kernels - 3, kernels + 1)
        self.sweep(model, "fit", "fail_kernel", last, "--threads", "1")

    def test_rows_that_threads_share(self):
        # Groups of three segments, of which the last has one row: fewer than
        # threads.
        model = self.prepare("y ~ l(a)+s(c,k=5)", days=8193, groups=2)
        for name in ("fit", "stream", "predict"):
            options = ("--threads", "3")
            (calls, _, kernels, *_), status = self.run_sim(model, name, *options)
            self.assertEqual(status, 0)
            for later in (0, 1):
                part = range(TEST_ALLOCATIONS + 1, calls + 1)
                good = self.sweep(model, name, "fail", part, *options,
                                  fail_later=later)
                if not later:
                    self.assertEqual(good, [*part], name)
            # With several threads, the k-th call varies.
            for k in range(TEST_KERNELS + 1, kernels, max(kernels // 40, 1)):
                for count in (1, 3):
                    _, status = self.run_sim(
                        model, name, *options, fail_kernel=k,
                        fail_kernels=count)
                    self.assertEqual(status, 0, (name, k, count))
                self.run_sim(model, name, *options, fail_kernel=k,
                             fail_kernels=10**9)
                _, status = self.run_sim(
                    model, name, *options, "--allow-cpu-fallback",
                    fail_kernel=k, fail_kernels=10**9)
                self.assertEqual(status, 0, (name, k))

    def test_kernels_that_never_get_memory(self):
        model = self.prepare()
        for name in self.commands:
            one = ("--threads", "1")
            _, status = self.run_sim(model, name, *one, fail_kernel=3,
                                     fail_kernels=10**9)
            self.assertEqual(status, 1, name)
            _, status = self.run_sim(model, name, "--allow-cpu-fallback", *one,
                                     fail_kernel=3, fail_kernels=10**9)
            self.assertEqual(status, 0, name)

    def test_little_and_fragmented_memory(self):
        model = self.prepare("y ~ l(a)+f(b,m=5)+s(c,k=60)+c(d,n_cat=7)",
                             days=30)
        (_, _, _, peak, _), _ = self.run_sim(model, "fit", "--threads", "1")
        statuses = set()
        for part in range(1, 20):
            _, status = self.run_sim(model, "fit", "--threads", "1",
                                     memory=45_000 + peak * part // 10)
            statuses.add(status)
            self.run_sim(model, "fit", "--threads", "1",
                         largest=22_000 + peak * part // 20)
        self.assertEqual(statuses, {0, 1})

    def read_trace(self, path):
        """Checks the events of a trace against the Trace Event Format as
        Perfetto reads it: the fields of each phase, ascending times on a
        thread, spans that nest and end, names of process and threads."""
        def refuse(constant):
            self.fail(f"{constant} is no JSON")

        trace = json.loads(path.read_text(), parse_constant=refuse)
        self.assertIn(trace["displayTimeUnit"], ("ms", "ns"))
        stacks, last, processes, threads = {}, {}, set(), set()
        for event in trace["traceEvents"]:
            phase, thread = event["ph"], (event["pid"], event["tid"])
            for number in thread:
                self.assertIs(type(number), int, event)
                # Perfetto treats thread 0 as no thread and draws its spans on
                # the main thread.
                self.assertGreater(number, 0, event)
            arguments = event.get("args", {})
            self.assertIs(type(arguments), dict, event)
            if phase == "M":
                self.assertIs(type(arguments["name"]), str, event)
                if event["name"] == "process_name":
                    self.assertNotIn(event["pid"], processes)
                    processes.add(event["pid"])
                else:
                    self.assertEqual(event["name"], "thread_name")
                    self.assertNotIn(thread, threads)
                    threads.add(thread)
                continue
            self.assertIn(type(event["ts"]), (int, float), event)
            self.assertGreaterEqual(event["ts"], last.get(thread, 0), event)
            last[thread] = event["ts"]
            if phase == "E":
                self.assertTrue(stacks.get(thread), event)
                stacks[thread].pop()
                continue
            self.assertIn(phase, "BCi")
            self.assertTrue(event["name"])
            for value in arguments.values():
                self.assertIn(type(value), (int, float), event)
            if phase == "B":
                stacks.setdefault(thread, []).append(event["name"])
            elif phase == "C":
                self.assertTrue(arguments, event)
            else:
                self.assertIn(event["s"], "gpt")
        self.assertFalse(any(stacks.values()), stacks)
        self.assertLessEqual(set(last), threads)
        self.assertEqual({pid for pid, _ in threads}, processes)
        return trace["traceEvents"]

    def check_trace(self, model, name, threads, wanted, **sim):
        """Checks that a run writes a trace with all names in `wanted`."""
        path = self.dir / "trace.json"
        self.run_sim(model, name, "--threads", threads, "--trace", path, **sim)
        events = self.read_trace(path)
        self.assertLessEqual(wanted | {"rung", "device memory"},
                             {event.get("name") for event in events})
        used = [event["args"]["bytes"] for event in events
                if event["ph"] == "C"]
        # All memory was released.
        self.assertGreater(max(used), 0)
        self.assertEqual(used[-1], 0)
        return events

    def test_trace(self):
        model = self.prepare()
        fell = {"group", "chunk"} | self.FELL
        for threads in ("1", "2"):
            for name, more in (("fit", {"solve"}), ("stream", set()),
                               ("predict", set()), ("decompose", set()),
                               ("evaluate", set()), ("calibrate", {"solve"})):
                self.check_trace(model, name, threads, fell | more,
                                 fail=TEST_ALLOCATIONS + 2)

    def test_trace_of_conjugate_gradients(self):
        model = self.prepare_cg(False, days=40, chunk_rows=4)
        for name, threads in itertools.product(self.commands, ("1", "2")):
            events = self.check_trace(
                model, name, threads,
                {"group", "chunk", "iteration", "step down"}, fail_kernel=2000)
            iterations = {}
            for event in events:
                if event.get("name") == "iteration":
                    iterations.setdefault(event["args"]["group"], []).append(
                        event["args"]["iteration"])
            self.assertEqual(sorted(iterations), [0, 1])
            for group in iterations.values():
                self.assertEqual(group, sorted(set(group)))
                self.assertEqual(group[0], 0)


if __name__ == "__main__":
    harness.main()
