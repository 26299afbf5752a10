# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each allocator of a device's memory: results have the same bytes whatever
fails, limits are respected, and statistics are correct."""

import json
import os
import pathlib
import re

import small
import test_faults
from small import harness

ALLOCATORS = ("direct", "bfc", "caching")


class BestFitFaults(test_faults.Faults):
    """The faults with memory that is kept for the next request."""

    def run_sim(self, model, name, *options, **sim):
        return super().run_sim(model, name, *options, "--allocator", "bfc",
                               **sim)


class CachingFaults(test_faults.Faults):
    """The faults with memory that is kept by stream, on a device that also
    keeps released memory and that the CPU cannot address."""

    # After a purge the request is tried once more.
    LOST = 0
    FELL = {"purge and retry"}

    def run_sim(self, model, name, *options, **sim):
        return super().run_sim(model, name, *options, "--allocator", "caching",
                               keeps=1, opaque=1, without="", **sim)


class Allocators(harness.TestCase):
    def prepare(self, formula=small.FORMULA):
        model = self.compile(formula, "--fuse-rows=false", **small.KEYS)
        self.train = small.generate(self.dir / "train.csv", "--days", 4,
                                    "--groups", 3)
        self.good = self.fit(model, self.train).read_bytes()
        return model

    def run_sim(self, model, *options, log="info", **sim):
        """Fits on the simulated device; returns the run's messages."""
        environment = dict(os.environ, TAMRT_LOG=log,
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        environment |= {f"TAMRT_SIM_{key.upper()}": str(value)
                        for key, value in sim.items()}
        (self.dir / "out").unlink(missing_ok=True)
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               "--device", "sim", *options, env=environment)
        if run.returncode == 0:
            self.assertEqual((self.dir / "out").read_bytes(), self.good,
                             (options, sim, run.stderr))
        else:
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertFalse((self.dir / "out").exists())
        return run

    def test_what_is_taken_is_what_was_decided(self):
        model = self.prepare()
        calls = set()
        for allocator in ALLOCATORS:
            said = self.run_sim(model, "--threads", 2, "--allocator", allocator,
                                log="debug").stderr
            planned = int(re.search(r"chunks of \d+ rows: (\d+) of \d+ bytes",
                                    said).group(1))
            match = re.search(
                r"memory of 'sim', handed out by (\w+): 0 bytes in use, at "
                r"most (\d+); (\d+) reserved, at most (\d+); largest free "
                r"block (\d+), fragmentation (0\.\d\d); (\d+) blocks from "
                r"(\d+) regions, 0 retries, 0 failures", said)
            self.assertIsNotNone(match, said)
            name, used, left, reserved, largest, _, blocks, regions = \
                match.groups()
            self.assertEqual(name, allocator)
            self.assertEqual((int(used), int(reserved)), (planned, planned))
            self.assertEqual(blocks, regions)
            kept = allocator != "direct"
            self.assertEqual(int(left), planned if kept else 0)
            self.assertEqual(int(largest) > 0, kept)
            calls.add(int(re.search(test_faults.COUNTS, said).group(1))
                      - test_faults.TEST_ALLOCATIONS - int(blocks))
        self.assertEqual(calls, {0})

    def test_timings(self):
        model = self.prepare()
        for allocator in ALLOCATORS:
            run = self.run_sim(model, "--threads", 1, "--timings=json",
                               "--allocator", allocator, log="error")
            told = json.loads(run.stderr)
            self.assertEqual(told["device"]["name"], "sim")
            self.assertGreater(told["device"]["launches"], 0)
            self.assertGreater(told["most bytes in use of sim"], 0)
            self.assertEqual(told["most bytes reserved of sim"],
                             told["most bytes in use of sim"])
            self.assertEqual(told["largest free block of sim"] > 0,
                             allocator != "direct")
            self.assertLess(told["fragmentation of sim"], 1)

    def test_memory_fraction(self):
        model = self.prepare()
        total = 10_000_000
        run = self.run_sim(model, memory=total)
        bytes_taken = int(re.search(r"rows: (\d+) of (\d+) bytes, (\d+) free",
                                    run.stderr).group(1))
        places = set()
        for allocator in ALLOCATORS:
            # Enough for some rung, then for none.
            for part in (1.2, 1.0, 0.8, 0.01):
                fraction = bytes_taken / 0.9 * part / total
                run = self.run_sim(
                    model, "--allocator", allocator, "--memory-fraction",
                    f"{fraction:.9f}", memory=total)
                if part < 0.1:
                    self.assertEqual(run.returncode, 1)
                    self.assertRegex(
                        run.stderr, r"error: expected \d+ bytes of memory .* "
                                    r"bytes free \(--memory-fraction\); \d+ "
                                    r"bytes more would do")
                    continue
                self.assertEqual(run.returncode, 0, run.stderr)
                threads, chunk, taken, free = map(int, re.search(
                    r"(\d+) threads?, chunks of (\d+) rows: (\d+) of \d+ "
                    r"bytes, (\d+) free", run.stderr).groups())
                self.assertAlmostEqual(free, total * fraction, delta=1)
                self.assertLessEqual(taken, free)
                self.assertNotIn("warning", run.stderr)
                places.add((threads, chunk))
        self.assertGreater(len(places), 1)
        for wrong in ("0", "-0.5", "1.01", "half", ""):
            for command in (["fit", self.train, "-o", "out"], ["plan"],
                            ["info"]):
                run = self.run_program(model, *command,
                                       f"--memory-fraction={wrong}")
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, "error: .*expected")
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               "--allocator", "malloc")
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected direct, bfc or caching, got 'malloc'",
                      run.stderr)

    def memory(self, run):
        """Blocks, regions, bytes in use and reserved at most, failures of the
        device's allocator."""
        match = re.search(
            r"memory of 'sim', .* in use, at most (\d+); \d+ reserved, at most "
            r"(\d+); .*; (\d+) blocks from (\d+) regions, .* (\d+) failures",
            run.stderr)
        self.assertIsNotNone(match, run.stderr)
        used, reserved, blocks, regions, failures = map(int, match.groups())
        return blocks, regions, used, reserved, failures

    def test_growth(self):
        model = self.prepare()
        total = 40_000_000
        trace = self.dir / "trace.json"
        seen = {}
        for growth in ("exact", "double", "all"):
            run = self.run_sim(model, "--threads", 2, "--allocator", "bfc",
                               "--memory-growth", growth, "--trace", trace,
                               memory=total)
            blocks, regions, used, reserved, failures = self.memory(run)
            self.assertEqual(failures, 0)
            seen[growth] = (regions, reserved)
            # The trace counts what is taken from the device.
            levels = [event["args"]["bytes"]
                      for event in json.loads(trace.read_text())["traceEvents"]
                      if event["ph"] == "C" and
                      event["name"] == "reserved memory"]
            self.assertEqual(max(levels), reserved)
            if growth == "exact":
                self.assertEqual((regions, reserved), (blocks, used))
        planned = seen["exact"][1]
        self.assertLess(seen["double"][0], seen["exact"][0])
        self.assertGreater(seen["double"][1], planned)
        self.assertEqual(seen["all"], (1, int(total * 0.9) // 64 * 64))
        # Less than the first region is free: what a request needs is taken.
        run = self.run_sim(model, "--threads", 1, "--allocator", "bfc",
                           "--memory-growth", "double", memory=600_000)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(self.memory(run)[3], 600_000)
        # The bounds on what counts as free hold for the share, too.
        for options in (("--memory", 2_000_000), ("--memory-fraction", 0.05)):
            run = self.run_sim(model, "--threads", 1, "--allocator", "bfc",
                               "--memory-growth", "all", *options,
                               memory=total)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.memory(run)[3], 1_800_000 // 64 * 64)
        # What the kernels take beside the plan is left to them.
        run = self.run_sim(model, "--threads", 1, "--allocator", "bfc",
                           "--memory-growth", "all", memory=total,
                           reserve=1_000_000)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.memory(run)[3],
                         (int(total * 0.9) - 1_000_000) // 64 * 64)
        text = self.succeed(model, "info", "--allocator", "bfc",
                            "--memory-growth", "all", "--format=json")
        self.assertEqual(json.loads(text)["memory_growth"], "all")
        run = self.run_program(model, "fit", self.train, "-o", "out",
                               "--memory-growth", "all")
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected --allocator bfc with --memory-growth all, got "
                      "direct", run.stderr)

    def test_growth_after_steps_down(self):
        """Regions that double are shared by the blocks of all rungs."""
        model = self.prepare()
        regions = {}
        for growth in ("exact", "double"):
            run = self.run_sim(model, "--threads", 1, "--allocator", "bfc",
                               "--memory-growth", growth, fail_kernel=40,
                               fail_kernels=2)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("; going on in chunks of", run.stderr)
            regions[growth] = self.memory(run)[1]
        self.assertLess(regions["double"], regions["exact"])

    def test_wait_to_solve(self):
        """Sums on the CPU, systems on a device that others have taken."""
        model = self.prepare(small.FORMULA + " + s(a,k=80)")
        total = 10_000_000
        options = ("--threads", 1, "--placement", "sums=cpu,solve=device")
        taken = dict(memory=total, taken=total - 50_000)
        run = self.run_sim(model, *options, **taken)
        self.assertEqual(run.returncode, 1)
        self.assertIn("of memory on device 'sim' to solve", run.stderr)
        run = self.run_sim(model, *options, "--memory-wait", 60, **taken,
                           taken_for=50)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("warning: waiting for memory on 'sim'", run.stderr)

    def test_wait(self):
        model = self.prepare(small.FORMULA + " + s(a,k=80)")
        total = 10_000_000
        trace = self.dir / "trace.json"
        waits = ("--memory-wait", 60, "--trace", trace)
        events = lambda: [
            event.get("name")
            for event in json.loads(trace.read_text())["traceEvents"]]
        for allocator in ALLOCATORS:
            options = ("--threads", 1, "--allocator", allocator)
            # Others have taken so much that no rung fits, and give it back.
            taken = dict(memory=total, taken=total - 50_000)
            run = self.run_sim(model, *options, **taken)
            self.assertEqual(run.returncode, 1)
            self.assertIn("bytes more would do", run.stderr)
            run = self.run_sim(model, *options, *waits, **taken,
                               taken_for=50)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr.count(
                "warning: waiting for memory on 'sim', at most 60 s "
                "(--memory-wait)"), 1)
            self.assertIn("wait for memory", events())
            self.assertIn("waited for memory", events())
            # One allocation fails: it is tried again before a step down.
            for fail in range(test_faults.TEST_ALLOCATIONS + 1,
                              test_faults.TEST_ALLOCATIONS + 4):
                run = self.run_sim(model, *options, *waits, fail=fail)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertNotIn("going on in", run.stderr)
            # The time ends: smaller chunks are tried, or the run ends.
            run = self.run_sim(model, *options, "--memory-wait", 0.05,
                               fail=test_faults.TEST_ALLOCATIONS + 1,
                               fail_later=1)
            self.assertIn("; going on in chunks of", run.stderr)
            run = self.run_sim(model, *options, "--memory-wait", 0.05,
                               memory=50_000)
            self.assertEqual(run.returncode, 1)
            self.assertIn("waiting for memory on 'sim', at most 0.05 s",
                          run.stderr)
        for wrong in ("0", "-1", "nan", "soon", ""):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   f"--memory-wait={wrong}")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, "error: .*expected")

    def test_info(self):
        model = self.prepare()
        text = self.succeed(model, "info")
        self.assertIn("allocator: direct\nmemory growth: exact\n"
                      "memory fraction: 1\n", text)
        options = ("--allocator", "bfc", "--memory-fraction", "0.25")
        text = self.succeed(model, "info", *options)
        self.assertIn("allocator: bfc\nmemory growth: exact\n"
                      "memory fraction: 0.25\n", text)
        environment = dict(os.environ, TAMRT_SIM_MEMORY="1000000",
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        text = self.succeed(model, "info", "--devices", *options,
                            env=environment)
        self.assertIn("    trusted; allocator bfc may take 250000 bytes\n",
                      text)
        devices = {device["device"]: device for device in json.loads(
            self.succeed(model, "info", "--devices", "--format=json", *options,
                         env=environment))["devices"]}
        self.assertEqual(devices["sim"]["reservable"], 250000)
        self.assertEqual(devices["sim"]["allocator"], "bfc")
        self.assertLess(devices["cpu"]["reservable"],
                        devices["cpu"]["total"] // 3)

    def test_snapshot(self):
        model = self.prepare()
        path = self.dir / "memory.json"
        for allocator in ALLOCATORS:
            run = self.run_sim(model, "--threads", 2, "--memory-snapshot", path,
                               "--allocator", allocator)
            planned = int(re.search(r"rows: (\d+) of", run.stderr).group(1))
            problem = json.loads(path.read_text())
            self.assertEqual(
                sum(buffer["size"] for buffer in problem["buffers"]), planned)
            snapshot = problem["snapshot"]
            self.assertEqual(snapshot["name"], "sim")
            self.assertEqual(snapshot["statistics"]["used"]["now"], planned)
            peaks = {tag["name"]: tag["requested"]["peak"]
                     for tag in snapshot["tags"]}
            self.assertEqual(set(peaks), {"", "parameters", "state",
                                          "saved sums", "arena", "output"})
            self.assertEqual(sum(peaks.values()), planned)
            picture = self.succeed(harness.BUILD / "bin" / "tam-plan", path,
                                   "--strategy", "naive", "--emit=svg")
            self.assertIn("arena#", picture)
        path.unlink()
        run = self.run_program(model, "fit", self.train, "-o", path,
                               "--memory-snapshot", path)
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected a file of its own for the snapshot", run.stderr)
        self.assertFalse(path.exists())
        # Nor is one of the run's inputs replaced.
        before = pathlib.Path(self.train).read_bytes()
        for option in ("--memory-snapshot", "--trace"):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   option, self.train)
            self.assertEqual(run.returncode, 1)
            self.assertIn("expected a file of its own", run.stderr)
            self.assertEqual(pathlib.Path(self.train).read_bytes(), before)
        # The CPU's, of a run that fails, too.
        self.assertEqual(self.run_program(
            model, "fit", "none.csv", "-o", "out", "--memory-snapshot",
            path).returncode, 1)
        problem = json.loads(path.read_text())
        self.assertEqual((problem["name"], problem["buffers"]), ("cpu", []))


# The tests of the module are not repeated.
del test_faults.Faults

if __name__ == "__main__":
    harness.main()
