# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fit --stream` gives the bytes of a fit in memory, with memory that does not
grow with the rows."""

import json
import os
import pathlib
import random
import re
import subprocess
import time

import small
from small import harness

MIB = 1 << 20
TEXTS = "c(t, n_cat=3, levels=True)"


def write_rows(path, rows, groups=48, seed=1):
    """Rows of alternating groups, with dates in order."""
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
    """Most bytes in memory of a program that writes to the pipe in its last
    argument: after all work it waits while it is measured."""
    pipe = pathlib.Path(command[-1])
    os.mkfifo(pipe)
    process = subprocess.Popen(list(map(str, command)),
                               stderr=subprocess.DEVNULL)
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

    def test_predictions(self):
        """Predictions in parts have the same bytes; except that a recursion
        keeps all rows and prints a note."""
        train = small.generate(self.dir / "train.csv", "--groups", 3,
                               "--days", 300)
        wide = self.dir / "wide.csv"
        lines = train.read_text().splitlines(keepends=True)
        # More rows than a part has.
        wide.write_text(lines[0] + "".join(lines[1:]) * (
            -(-200_000 // (len(lines) - 1))))
        for formula, keeps in ((small.FORMULA, False),
                               ("y ~ s(a) + pid(a, w=3)", True)):
            model = self.compile(formula, **small.KEYS)
            weights = self.fit(model, train)
            for command in (["predict"], ["decompose"],
                            ["evaluate", "--by=month"]):
                whole = self.run_program(model, *command, wide, "--weights",
                                         weights, "-o", "whole")
                self.assertEqual(whole.returncode, 0, whole.stderr)
                run = self.run_program(model, *command, wide, "--weights",
                                       weights, "-o", "parts", "--stream")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual("--stream keeps all rows" in run.stderr, keeps)
                self.assertEqual((self.dir / "parts").read_bytes(),
                                 (self.dir / "whole").read_bytes())

    def test_texts(self):
        train = write_rows(self.dir / "train.csv", 30_000)
        model = self.compile(f"y ~ s(a) + {TEXTS} + te(l(a), {TEXTS})",
                             **small.KEYS)
        self.check(model, train)

    def write_unequal(self):
        """Groups of two rows, of nearly a segment and of more than two."""
        rng = random.Random(5)
        sizes = {"few": 2, "long": 9000, "middle": 4000, "short": 300}
        turns = [name for name, rows in sizes.items() for _ in range(rows)]
        rng.shuffle(turns)
        return harness.write_csv(self.dir / "unequal.csv", [
            {"g": name, "a": round(rng.uniform(0, 9), 4),
             "b": round(rng.uniform(-1, 1), 4), "k": rng.randrange(5),
             "y": rng.gauss(0, 1)} for name in turns])

    # Blocks that are factored; trees, for which a sketch is made, that learn
    # their thresholds from all rows; centres, drawn from all rows, and a
    # recursion, whose carry starts anew in each iteration.
    ITERATED = (
        "y ~ s(a, k=20) + c(k, n_cat=5)",
        "y ~ t(a, others='b|k', n_trees=40, max_depth=4, sp_alpha=1, "
        "split_strategy='quantile') + s(b)",
        "y ~ rbf(a, others='b', n_centers=9) + pid(b, w=3) + "
        "te(s(a, k=5), c(k, n_cat=5))")

    def test_conjugate_gradients(self):
        train = self.write_unequal()
        for formula in self.ITERATED:
            with self.subTest(formula=formula):
                model = self.compile(formula, "--profile", train,
                                     "--solver=cg", group="g")
                self.check(model, train)
                # Some groups end before others, and some do not converge.
                for options in (["--tolerance=1e-3"], ["--max-iterations=9"],
                                ["--preconditioner=none",
                                 "--max-iterations=50"]):
                    self.check(model, train, *options, "--allow-unconverged")

    def test_readings(self):
        """Groups that iterate share readings; the survey and the right-hand
        sides need one reading each, and so does each learnt table."""
        train = self.write_unequal()
        for formula, learnt in ((self.ITERATED[0], 0),
                                ("y ~ w(a) + c(k, n_cat=5)", 1)):
            for more in ([], ["--max-iterations=5", "--allow-unconverged"]):
                model = self.compile(formula, "--solver=cg", group="g")
                run = self.run_program(
                    model, "fit", train, "-o", "w", "--stream",
                    "--timings=json", *more)
                self.assertEqual(run.returncode, 0, run.stderr)
                lines = run.stderr.splitlines()
                self.assertEqual(lines[0], "model: note: --stream reads the "
                                 "file once per iteration")
                told = json.loads(lines[-1])
                most = told["most iterations of a group"]
                self.assertGreater(told["iterations"], most)
                self.assertEqual(told["readings of the file"],
                                 2 + learnt + most)
        model = self.compile(self.ITERATED[0], group="g")
        run = self.run_program(model, "fit", train, "-o", "w", "--stream",
                               "--timings=json")
        self.assertEqual(json.loads(run.stderr)["readings of the file"], 2)

    def test_the_oracle_chooses_as_in_memory(self):
        train = self.write_unequal()
        model = self.compile(self.ITERATED[0], "--min-cg=0", group="g")
        results = set()
        for options in ([], ["--direct-limit=5"], ["--solver=direct"],
                        ["--solver=cg"]):
            self.check(model, train, *options)
            results.add(self.fit(model, train, *options).read_bytes())
        self.assertEqual(len(results), 2)

    def test_not_converged(self):
        train = self.write_unequal()
        model = self.compile(self.ITERATED[0], "--solver=cg", group="g")
        said = {"error": set(), "warning": set()}
        for more in ([], ["--stream"]):
            for kind in said:
                run = self.run_program(
                    model, "fit", train, "-o", "w", "--max-iterations=9",
                    *(["--allow-unconverged"] if kind == "warning" else []),
                    *more)
                self.assertEqual(run.returncode, kind == "error")
                self.assertEqual((self.dir / "w").exists(), kind == "warning")
                (self.dir / "w").unlink(missing_ok=True)
                said[kind].add(run.stderr.splitlines()[-1])
        (error,), (warning,) = said.values()
        self.assertIn("unequal.csv: group 'long': expected conjugate gradients "
                      "to reach a residual below", error)
        self.assertIn("did not converge for 3 of 4 groups", warning)

    def test_fewer_groups_at_a_time(self):
        """With little memory, the next group takes the memory of one that has
        ended. Memory decreases until it is too little for one group."""
        train = write_rows(self.dir / "train.csv", 2000)
        for solver in ("direct", "cg"):
            model = self.compile("y ~ s(a, k=20) + te(s(a, k=8), "
                                 "c(d, n_cat=7))", f"--solver={solver}",
                                 "--small-block-limit=0", **small.KEYS)
            expected = self.fit(model, train).read_bytes()
            at_once, readings = set(), set()
            for power in range(60):
                run = self.run_program(
                    model, "fit", train, "-o", "w", "--stream", "--threads=1",
                    "--timings=json", f"--memory={int(1e7 * 0.8**power)}",
                    env=dict(os.environ, TAMRT_LOG="info"))
                if run.returncode:
                    self.assertRegex(run.stderr.splitlines()[-1],
                                     r"error: .*expected \d+ bytes of memory")
                    break
                self.assertEqual((self.dir / "w").read_bytes(), expected)
                found = re.findall(r"going on with (\d+) groups at a time",
                                   run.stderr)
                at_once.add(int(found[-1]) if found else 48)
                timings = next(line for line in run.stderr.splitlines()
                               if line.startswith("{"))
                readings.add(json.loads(timings)["readings of the file"])
            self.assertEqual(run.returncode, 1)
            self.assertLessEqual({1, 3, 12, 48}, at_once)
            if solver == "cg":
                self.assertGreater(len(readings), 3)
            else:
                # All rows come at the same time: groups end at once.
                self.assertEqual(readings, {2})

    def test_groups_in_order(self):
        """Of many short groups in order, the file is read once for sums, with
        memory that grows by the weights and the groups' texts alone. By date,
        it may be read for some groups at a time."""
        model = self.compile("y ~ s(a, k=40)", **small.KEYS)
        count, size = 30_000, 40
        rng = random.Random(8)
        rows = [(date, group, f"{rng.uniform(0, 9):.3f},{rng.gauss(0, 1):.3f}")
                for group in range(count) for date in range(size)]
        train = self.dir / "train.csv"
        def fit(*options):
            run = self.run_program(model, "fit", train, "--timings=json",
                                   *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stderr
        results = set()
        for is_by_date in (False, True):
            if is_by_date:
                rows.sort()
            with open(train, "w", encoding="utf-8") as file:
                file.write("date,g,a,y\n")
                file.writelines(f"{date},G{group},{rest}\n"
                                for date, group, rest in rows)
            said = fit("--stream", "-o", "streamed")
            results.add((self.dir / "streamed").read_bytes())
            readings = json.loads(said.splitlines()[-1])["readings of the file"]
            if not is_by_date:
                self.assertEqual(readings, 2)
            self.assertEqual(
                bool(re.search("reads the file at most [23] times for sums: .*;"
                               " rows in the order of groups are read once",
                               said)), is_by_date)
            if is_by_date or harness.SANITIZE:
                continue
            peak = harness.largest_resident(model, "fit", train, "-o",
                                            self.dir / "w", "--stream")
            # All sums take 158 MB, of which 100 would be kept.
            self.assertLess(peak, 100 * MIB)
        fit("-o", "whole")
        self.assertEqual(results, {(self.dir / "whole").read_bytes()})

    def test_file_that_changes_while_it_is_read(self):
        """Between two of endless iterations."""
        model = self.compile("y ~ t(a, n_trees=200, max_depth=5)",
                             "--solver=cg", **small.KEYS)
        def append(line):
            with open(train, "a", encoding="utf-8") as file:
                file.write(line)

        def shorten():
            text = train.read_bytes()
            os.truncate(train, text.rindex(b"\n", 0, -1) + 1)

        # Each file is replaced at once, so that no part of it is visible.
        for change in (lambda: append("99999,G1,1,1,a,1\n"), shorten,
                       lambda: append("99999,new,1,1,a,1\n")):
            train = write_rows(self.dir / "train.csv", 2000, 3)
            with subprocess.Popen(
                    [model, "fit", train, "-o", self.dir / "w", "--stream",
                     "--tolerance=1e-300", "--max-iterations=1000000000"],
                    stderr=subprocess.PIPE, text=True) as process:
                self.addCleanup(process.kill)
                self.assertIn("once per iteration", process.stderr.readline())
                time.sleep(0.2)
                self.assertIsNone(process.poll())
                change()
                error = process.stderr.read()
                self.assertEqual(process.wait(harness.PATIENCE), 1)
            self.assertRegex(error, r"\Amodel: error: .*train.csv: expected the "
                             r"(rows|groups and levels) that were read before.*"
                             r"the file has changed meanwhile\n\Z")

    def test_memory_does_not_grow(self):
        trains = [write_rows(self.dir / f"{rows}.csv", rows)
                  for rows in (100_000, 1_000_000)]
        for solver, formula in (("direct", "s(a, k=20)"), ("cg", "l(a)")):
            model = self.compile(f"y ~ {formula} + c(d, n_cat=7) + {TEXTS}",
                                 f"--solver={solver}", **small.KEYS)
            peaks = []
            for train in trains:
                peak, weights = peak_resident(
                    model, "fit", train, "--stream", "-o", self.dir / "pipe")
                self.assertEqual(self.fit(model, train).read_bytes(), weights)
                peaks.append(peak)
            if harness.SANITIZE:
                continue
            self.assertLess(peaks[1], 96 * MIB, solver)
            # Parts of the file are full from some hundred thousand rows on.
            self.assertLess(peaks[1], peaks[0] + 48 * MIB, solver)
        if harness.SANITIZE:
            self.skipTest("a sanitizer keeps what is freed: the weights are "
                          "right, how much is resident says nothing")

    def test_memory_of_predictions_does_not_grow(self):
        rows = write_rows(self.dir / "rows.csv", 1_200_000)
        train = write_rows(self.dir / "train.csv", 10_000)
        model = self.compile(f"y ~ s(a, k=20) + c(d, n_cat=7) + {TEXTS}",
                             **small.KEYS)
        predict = [model, "predict", rows, "--weights", self.fit(model, train),
                   "--threads=2", "-o", self.dir / "out"]
        parts = harness.largest_resident(*predict, "--stream")
        whole = harness.largest_resident(*predict)
        if harness.SANITIZE:
            self.skipTest("a sanitizer keeps what is freed")
        self.assertLess(parts, 48 * MIB)
        self.assertLess(parts + 24 * MIB, whole)

    def test_pipe(self):
        train = write_rows(self.dir / "train.csv", 100)
        for solver in ("direct", "cg"):
            model = self.compile("y ~ l(a)", f"--solver={solver}",
                                 **small.KEYS)
            run = subprocess.run(
                ["sh", "-c", f"cat {train} | {model} fit - --stream -o w"],
                cwd=self.dir, capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(
                run.stderr, "model: error: standard input: expected a file "
                "that can be read twice, got a pipe or a device; leave out "
                "--stream\n")


if __name__ == "__main__":
    harness.main()
