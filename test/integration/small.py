# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the integration tests: the harness and small data."""

import functools
import pathlib
import random
import runpy
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import harness  # noqa: E402

# The names of the script, run here: the start of another Python takes longer
# than most data.
GENERATE = runpy.run_path(
    str(harness.SOURCE / "tools" / "bench" / "generate"))
# The formula and keys of the model on generated data.
FORMULA = "y ~ l(a)+f(b,m=5)+s(c,k=20)+c(d,n_cat=7)"
KEYS = {"group": "g", "date": "date"}


def generate(path, *options):
    """Synthetic load data by tools/bench/generate; returns the path."""
    path.write_bytes(generated(*map(str, options)))
    return path


@functools.lru_cache(maxsize=4)
def generated(*options):
    """The bytes that the script writes: many tests take the same, and Python
    needs half a second for the rows of six years."""
    with tempfile.NamedTemporaryFile() as file:
        GENERATE["main"](["-o", file.name, *options])
        return file.read()


def rows(groups=("G0", "G1"), days=20, seed=1):
    """Rows of `date,g,a,k,y`, group after group."""
    rng = random.Random(seed)
    return [{"date": f"2020-01-{day + 1:02}", "g": group,
             "a": repr(rng.uniform(-2, 5)), "k": str(day % 3),
             "y": repr(rng.gauss(0, 1))}
            for group in groups for day in range(days)]
