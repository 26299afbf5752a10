# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of a model on ranks that mpirun starts, and rows for them."""

import math
import os
import random
import re
import shutil
import unittest

from small import harness

PLUGINS = harness.BUILD / "lib" / "tamrt"
MPIRUN = shutil.which("mpirun")
SEGMENT = 4096
# Most bytes that rank 0 gathers at a time.
BLOCK = 16 << 20
FORMULA = "y ~ l(a) + s(d, k=9) + c(k, n_cat=7)"
COLUMNS = "date,g,a,d,k,h,y\n"


def rows_of(*sizes):
    """Rows of groups of these sizes, whose sums always round. Each second date
    appears twice."""
    return [f"{i - i % 4 // 3},{group},{math.sin(i):.6f},"
            f"{i % 9973 / 9973:.5f},{i * i % 7},{'abc'[i % 3]},"
            f"{math.cos(i * 1.7 + group):.5f}\n"
            for group, size in enumerate(sizes) for i in range(size)]


def shuffled(rows, seed=1):
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows


@unittest.skipIf(MPIRUN is None, "there is no mpirun")
class TestCase(harness.TestCase):
    def write(self, rows, name="train.csv", columns=COLUMNS):
        path = self.dir / name
        path.write_text(columns + "".join(rows))
        return path

    def cut(self, train, count, seed=1, folder="cut"):
        """Cuts the rows of a file at random places to files; returns the
        pattern of their names."""
        head, *rows = train.read_text().splitlines(keepends=True)
        rng = random.Random(seed)
        ends = sorted(rng.sample(range(1, len(rows)), count - 1)) + [len(rows)]
        (self.dir / folder).mkdir()
        begin = 0
        for i, end in enumerate(ends):
            (self.dir / folder / f"rows-{i:02}.csv").write_text(
                head + "".join(rows[begin:end]))
            begin = end
        return self.dir / folder / "rows-*.csv"

    def ranks(self, count, model, *arguments, **variables):
        """The command line and the environment of a run on ranks."""
        command = [MPIRUN, "--oversubscribe", "--allow-run-as-root", "-n",
                   str(count), str(model), *map(str, arguments)]
        return command, dict(os.environ, TAMRT_BACKEND_PATH=str(PLUGINS),
                             **variables)

    def run_apart(self, model, arguments, *options):
        """A run on as many ranks as there are lists of options, each rank with
        its own."""
        command = []
        for own in options:
            one, env = self.ranks(1, model, *arguments, *own)
            command += [":", *one[one.index("-n"):]] if command else one
        return self.run_program(*command, env=env)

    def run_ranks(self, count, model, *arguments, **variables):
        command, env = self.ranks(count, model, *arguments, **variables)
        return self.run_program(*command, env=env)

    def only_error(self, run, out):
        """The one line of a failed run's error; it left no file in `out`."""
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(list(out.iterdir()), [])
        errors = re.findall("error: (.*)", run.stderr)
        self.assertEqual(len(errors), 1, run.stderr)
        return errors[0]
