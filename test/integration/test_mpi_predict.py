# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions of several processes that MPI starts: the tables have the bytes of
one process, and an error is one message and leaves no file."""

import filecmp
import re

import ranks
from ranks import BLOCK, rows_of, shuffled
from small import harness


class Predictions(ranks.TestCase):
    def check(self, model, train, pattern, *options, counts=(1, 3, 4),
              command="predict"):
        weights = self.fit(model, train)
        expected = self.dir / "expected.csv"
        self.succeed(model, command, train, "--weights", weights, "-o",
                     expected, *options)
        for count in counts:
            out = self.dir / f"out-{count}.csv"
            run = self.run_ranks(count, model, command, pattern, "--weights",
                                 weights, "-o", out, *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(out.read_bytes(), expected.read_bytes())
        return run.stderr

    def test_files(self):
        model = self.compile(
            "y ~ l(a) + s(d, k=9) + c(h, n_cat=3, levels=True)", group="g",
            date="date")
        train = self.write(shuffled(rows_of(9000, 5000, 1)))
        pattern = self.cut(train, 3)
        self.check(model, train, pattern)
        self.check(model, train, train, "--stream", counts=(2,),
                   command="decompose")
        # By one process without MPI.
        self.assertEqual(
            self.predict(model, pattern, self.dir / "weights.safetensors")
            .read_bytes(), (self.dir / "out-3.csv").read_bytes())

    def test_blocks(self):
        # Rank 0 gets at most 16 MB of the table at a time.
        model = self.compile(
            "y ~ l(a) + l(d) + s(a, k=5) + s(d, k=5) + f(d, m=2)", group="g")
        weights = self.fit(model, self.write(rows_of(900)))
        data = self.write(rows_of(280_000), "long.csv")
        tables = [self.dir / "one.csv", self.dir / "ranks.csv"]
        arguments = ["decompose", data, "--weights", weights, "-o"]
        self.succeed(model, *arguments, tables[0])
        run = self.run_ranks(2, model, *arguments, tables[1])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(tables[0].stat().st_size, 2.05 * BLOCK)
        self.assertTrue(filecmp.cmp(*tables, shallow=False))

    def test_notes_and_missing_values(self):
        model = self.compile("y ~ l(a) + c(k, n_cat=3)", group="g")
        rows = rows_of(4000)
        rows[3990] = "1,0,NA,1,1,a,1\n"
        printed = self.check(model, self.write(rows_of(4000)),
                             self.dir / "train.csv", counts=(2,))
        self.assertIn("note: rank 1: column 'k': ", printed)
        train = self.write(rows, "missing.csv")
        run = self.run_ranks(2, model, "predict", train, "--weights",
                             self.dir / "weights.safetensors", "-o", "p.csv",
                             "--drop-missing")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, "note: rank 1: .*missing.csv: dropped 1 of "
                                     r"\d+ rows: missing values in 'a' \(1\)")

    def test_errors(self):
        model = self.compile("y ~ l(a)", group="g")
        train = self.write(rows_of(4000))
        weights = self.fit(model, train)
        other = self.write(rows_of(3000, 3), "other.csv")
        out = self.dir / "out"
        out.mkdir()
        run = self.run_ranks(3, model, "predict", other, "--weights", weights,
                             "-o", out / "p.csv")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(list(out.iterdir()), [])
        self.assertEqual(len(re.findall(
            f"error: {other}: line 3002: column 'g': ", run.stderr)), 1,
            run.stderr)
        recursive = self.compile("y ~ pid(a, w=3)", name="recursive")
        run = self.run_ranks(2, recursive, "predict", other, "--weights",
                             weights, "-o", out / "p.csv")
        self.assertIn("depends on the rows before", run.stderr)


if __name__ == "__main__":
    harness.main()
