# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fit --stream` gives the bytes of a fit in memory, in memory that does not
grow with the rows."""

import os
import pathlib
import random
import re
import subprocess

import small
from small import harness

MIB = 1 << 20
TEXTS = "c(t, n_cat=3, levels=True)"


def write_rows(path, rows, groups=48, seed=1):
    """Rows of groups that take turns, dates in order."""
    rng = random.Random(seed)
    tails = [f"{rng.uniform(0, 9):.5f},{i % 7},{'abc'[i % 3]},"
             f"{rng.gauss(0, 1):.4f}\n" for i in range(9973)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,g,a,d,t,y\n")
        for start in range(0, rows, 9973):
            file.writelines(
                f"{(start + i) // groups},G{(start + i) % groups},{tail}"
                for i, tail in enumerate(tails[:rows - start]))
    return path


def peak_resident(*command):
    """Most bytes a program has in memory, which writes to the pipe that is its
    last argument: it waits, all work done, to be looked at."""
    pipe = pathlib.Path(command[-1])
    os.mkfifo(pipe)
    process = subprocess.Popen(list(map(str, command)))
    try:
        harness.wait_until_asleep(process)
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        weights = pipe.read_bytes()
        if process.wait(harness.PATIENCE):
            raise AssertionError("failed")
    finally:
        process.kill()
        process.wait()
        pipe.unlink()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status).group(1)), weights


class Stream(harness.TestCase):
    def check(self, model, train, *options):
        """Streams as fits in memory do, whatever the chunk."""
        expected = self.fit(model, train, *options).read_bytes()
        for more in ([], ["--threads", 1], ["--chunk-rows", 7]):
            run = self.run_program(model, "fit", train, "-o", "streamed",
                                   "--stream", *options, *more)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotIn("keeps all rows", run.stderr)
            self.assertEqual((self.dir / "streamed").read_bytes(), expected,
                             f"{options} {more}")

    def test_airpassengers(self):
        spec = harness.EXAMPLE / "airpassengers.yaml"
        model = self.dir / "air"
        self.succeed(harness.TAMC, spec, "-o", model)
        for train in sorted(harness.EXAMPLE.glob("*.csv")):
            if "log_passengers" in harness.header(train):
                self.check(model, train, "--drop-missing")
                break
        else:
            self.fail("no data of the example")

    def test_generated(self):
        # Groups longer than a segment of the sums, and one beside the other.
        train = small.generate(self.dir / "train.csv", "--groups", 3,
                               "--days", 4500)
        self.check(self.compile(small.FORMULA, **small.KEYS), train)
        self.check(self.compile(small.FORMULA), train)

    def test_every_effect(self):
        data = harness.DATA / "effects" / "train_G2.csv"
        for formula in (
                "y ~ l(a) + f(b, m=3) + s(a, k=7) + p(b) + c(k, n_cat=7)",
                "y ~ rbf(a, others='c', n_centers=9) + n(a, n_neurons=4)",
                "y ~ t(a, others='b|c', n_trees=5, max_depth=2, sp_alpha=1, "
                "split_strategy='quantile') + t(b, n_trees=3, max_leaves=4) "
                "+ w(c)",
                "y ~ te(s(a, k=5), c(k, n_cat=7)) + pid(c) + lt(a, slope='b') "
                "+ f(b)"):
            with self.subTest(formula=formula):
                self.check(self.compile(formula, "--profile", data,
                                        **small.KEYS), data)

    def test_texts(self):
        train = write_rows(self.dir / "train.csv", 30_000)
        model = self.compile(f"y ~ s(a) + {TEXTS} + te(l(a), {TEXTS})",
                             **small.KEYS)
        self.check(model, train)

    def test_memory_does_not_grow(self):
        model = self.compile(f"y ~ s(a, k=20) + c(d, n_cat=7) + {TEXTS}",
                             **small.KEYS)
        peaks = []
        for rows in (100_000, 1_000_000):
            train = write_rows(self.dir / f"{rows}.csv", rows)
            peak, weights = peak_resident(
                model, "fit", train, "--stream", "-o", self.dir / "pipe")
            self.assertEqual(self.fit(model, train).read_bytes(), weights)
            peaks.append(peak)
        self.assertLess(peaks[1], 96 * MIB)
        # Parts of the file are full from some hundred thousand rows on.
        self.assertLess(peaks[1], peaks[0] + 48 * MIB)

    def test_pipe(self):
        model = self.compile("y ~ l(a)", **small.KEYS)
        train = write_rows(self.dir / "train.csv", 100)
        run = subprocess.run(
            ["sh", "-c", f"cat {train} | {model} fit - --stream -o w"],
            cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(
            run.stderr, "model: error: standard input: expected a file that "
            "can be read twice, got a pipe or a device; leave out --stream\n")


if __name__ == "__main__":
    harness.main()
