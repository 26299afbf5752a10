# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model as a library (--emit=lib) in the process of the test, or in a program
that counts its allocations."""

import atexit
import ctypes
import functools
import shutil
import subprocess
import tempfile

from small import harness


class Library:
    """The functions of a model that load weights; the prefix is `model`."""

    def __init__(self, test):
        """Compiles `model.yaml` of the test's folder. Skips the test where
        Python cannot load it."""
        if harness.SANITIZE:
            test.skipTest("Python has no sanitizer's runtime to load it with")
        archive, shared = test.dir / "libmodel.a", test.dir / "libmodel.so"
        test.succeed(harness.TAMC, test.dir / "model.yaml", "--emit=lib", "-o",
                     archive)
        subprocess.run(["cc", "-shared", "-Wl,--whole-archive", archive,
                        "-Wl,--no-whole-archive", "-lm", "-o", shared],
                       check=True)
        self.functions = ctypes.CDLL(str(shared))
        self.functions.model_load_size.restype = ctypes.c_size_t

    def size(self, content):
        """Bytes of memory that the weights need; 0 if they are refused."""
        return self.functions.model_load_size(content,
                                              ctypes.c_size_t(len(content)))

    def load(self, content, size=None):
        """Loads weights into memory of a size; returns the status."""
        needed = self.size(content) if size is None else size
        room = (ctypes.c_double * (needed // 8 + 1))()
        return self.functions.model_load(content, ctypes.c_size_t(len(content)),
                                         room, ctypes.c_size_t(needed), None)


@functools.cache
def allocation_count():
    """The object of test/support/AllocationCount.h: compiled once for
    all programs of a test's process."""
    folder = tempfile.mkdtemp(prefix="tamc-count-")
    atexit.register(shutil.rmtree, folder)
    counts = f"{folder}/count.o"
    tests = harness.SOURCE / "test"
    subprocess.run(
        ["g++", "-std=c++20", "-O1", *harness.SANITIZE, "-c", "-I", str(tests),
         str(tests / "support" / "AllocationCount.cpp"), "-o", counts],
        check=True)
    return counts
