# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that are stored as tables of their launches give the same bytes as
steps that are code, for both solvers, from fits, streams and predictions."""

import os
import random
import re

import golden  # noqa: F401 (finds harness)
import harness
from random_formula import random_model

COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 12))
SEED = os.environ.get("TAMC_RANDOM_SEED", "20261124")


class Launches(harness.TestCase):
    def outputs(self, model, chunk):
        """The weights and what follows from them."""
        options = ("--chunk-rows", str(chunk))
        files = {}
        for name, command in (
                ("fit", ("fit", "train.csv", *options)),
                ("stream", ("fit", "train.csv", "--stream", *options)),
                ("predict", ("predict", "new.csv", "--weights", "fit")),
                ("decompose", ("decompose", "new.csv", "--weights", "fit"))):
            self.succeed(model, *command, "-o", name, cwd=self.dir)
            files[name] = (self.dir / name).read_bytes()
        return files

    def steps(self, model):
        """How many steps the model has, and how many of them are tables."""
        text = self.succeed(model, "info")
        found = re.search(r"^steps: (\d+), (\d+) of them as launch tables$", text, re.M)
        return tuple(map(int, found.groups()))

    def test_random(self):
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.launches.{case}")
            formula, train, new = random_model(rng, terms=8)
            solver = rng.choice(("direct", "cg"))
            options = ["--profile", "train.csv",
                       f"--fuse-rows={rng.choice(('true', 'false'))}"]
            keys = dict(group="g", date="day", solver=solver)
            if case % 2:
                keys["weights"] = "w"
            with self.subTest(case=case, formula=formula, options=options,
                              **keys):
                harness.write_csv(self.dir / "train.csv", train)
                harness.write_csv(self.dir / "new.csv", new)
                chunk = rng.choice((1, 7, 64))
                code = self.compile(formula, *options, "--table-operands",
                                    str(2**60), **keys)
                self.assertEqual(self.steps(code)[1], 0)
                expected = self.outputs(code, chunk)
                tables = self.compile(formula, *options,
                                      "--table-operands=0", **keys)
                count, stored = self.steps(tables)
                self.assertEqual(stored, count)
                self.assertEqual(self.outputs(tables, chunk), expected)


if __name__ == "__main__":
    harness.main()
