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
                               keeps=1, opaque=1, **sim)


class Allocators(harness.TestCase):
    def prepare(self):
        model = self.compile(small.FORMULA, "--fuse-rows=false", **small.KEYS)
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

    def test_info(self):
        model = self.prepare()
        text = self.succeed(model, "info")
        self.assertIn("allocator: direct\nmemory fraction: 1\n", text)
        options = ("--allocator", "bfc", "--memory-fraction", "0.25")
        text = self.succeed(model, "info", *options)
        self.assertIn("allocator: bfc\nmemory fraction: 0.25\n", text)
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
