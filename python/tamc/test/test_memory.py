#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames are not copied: a fit and a prediction take memory beside a frame for
the columns that the model reads, which the fit sorts, and for no others; and
without enough memory there is an error.

TAMC_MEMORY_ROWS: the rows of the frame, 1,000,000 if it is not set.
"""

import importlib
import os
import subprocess
import sys
import unittest

from test_model import Folder

ROWS = int(os.environ.get("TAMC_MEMORY_ROWS", 1_000_000))

#: Prints the bytes of the frame, and the growth of the most memory in use, in
#: bytes, while a model is fitted to it and predicts it.
SCRIPT = r"""
import sys; sys.path[:0] = {path!r}
import gc
import numpy as np, tamc
kind, rows = {kind!r}, {rows}

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file
                    if line.startswith("VmHWM:"))

def used():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file
                    if line.startswith("VmRSS:"))

def make(rows):
    random = np.random.default_rng(0)
    data = {{name: random.random(rows) for name in ("x", "z", "y")}}
    data.update({{f"u{{i}}": np.ones(rows) for i in range(9)}})
    if kind == "dict":
        return data
    library = __import__(kind)
    return (library.table if kind == "pyarrow" else library.DataFrame)(data)

def run(frame):
    model = tamc.AdditiveModel("y ~ s(x, k=8) + l(z)", threads=2)
    if {adapts}:
        return model.adapt(frame, window=500, update=500)
    model.fit(frame)
    return model.predict(frame)

run(make(1000))
frame = make(rows)
gc.collect()
tamc.release_memory()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = used()
predicted = run(frame)
assert len(predicted) == rows
grown = peak() - before
# What is kept has a limit, and is given back.
held = used()
tamc.release_memory()
print(12 * 8 * rows, grown, held - used())
"""

#: Prints the error of windows in too little memory; others are fitted before
#: and after it.
LIMITED = r"""
import sys; sys.path[:0] = {path!r}
import resource
import numpy as np, tamc
random = np.random.default_rng(0)
data = {{name: random.random({rows}) for name in ("x", "y")}}
model = tamc.AdditiveModel("y ~ l(x)", threads=1)
few = {{name: values[:1000] for name, values in data.items()}}
wanted = model.adapt(few, window=100, update=50)
tamc.release_memory()
limits = resource.getrlimit(resource.RLIMIT_AS)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 160 * 2**20, limits[1]))
try:
    model.adapt(data, window=100, update=50)
except tamc.Error as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, limits)
assert np.array_equal(model.adapt(few, window=100, update=50), wanted,
                      equal_nan=True)
assert np.isfinite(model.adapt(data, window=100, update=50)[-1])
"""


class Memory(Folder):
    def measure(self, kind, adapts=False):
        try:
            importlib.import_module("numpy" if kind == "dict" else kind)
        except ImportError:
            self.skipTest(f"{kind} is not installed")
        script = SCRIPT.format(path=sys.path, kind=kind, rows=ROWS,
                               adapts=adapts)
        done = subprocess.run([sys.executable, "-c", script], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return map(int, done.stdout.split())

    def check(self, kind):
        frame, grown, kept = self.measure(kind)
        self.assertLess(kept, 80 << 20)
        print(f"{kind}: {grown / frame:.3f} of the frame, "
              f"{grown / ROWS:.1f} bytes a row")
        # Of 12 columns the model reads 3. When rows are sorted there are two
        # copies of those, half of the frame; a copy of what is read would make
        # it three quarters, one of the frame one and a half.
        self.assertLess(grown / frame, 0.62)

    def test_adapt(self):
        frame, grown, kept = self.measure("dict", adapts=True)
        self.assertLess(kept, 80 << 20)
        print(f"adapt: {grown / frame:.3f} of the frame, "
              f"{grown / ROWS:.1f} bytes a row")
        self.assertLess(grown / frame, 0.55)

    def test_adapt_in_too_little(self):
        done = subprocess.run(
            [sys.executable, "-c", LIMITED.format(path=sys.path,
                                                  rows=8_000_000)],
            text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory", done.stdout)

    def test_arrays(self):
        self.check("dict")

    def test_pandas(self):
        self.check("pandas")

    def test_polars(self):
        self.check("polars")

    def test_pyarrow(self):
        self.check("pyarrow")


if __name__ == "__main__":
    unittest.main()
