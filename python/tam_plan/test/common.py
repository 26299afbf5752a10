# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the package's tests: where the package and its program are.

The package is that of the repository, and its program the one of the build
directory TAMC_BUILD_DIR, unless TAM_PLAN_INSTALLED is set: then it is the one
that is installed."""

import os
import pathlib
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
SOURCE = PACKAGE.parents[1]
README = PACKAGE / "README.md"
INSTALLED = bool(os.environ.get("TAM_PLAN_INSTALLED"))
RECORDED = SOURCE / "test" / "data" / "planning" / "recorded"
if not INSTALLED:
    BUILD = pathlib.Path(os.environ.get("TAMC_BUILD_DIR", SOURCE / "build"))
    os.environ["TAM_PLAN"] = str(BUILD / "bin" / "tam-plan")
    os.environ["PYTHONPATH"] = str(PACKAGE)
    sys.path.insert(0, str(PACKAGE))


def path():
    """A PATH with the command tam-plan."""
    first = pathlib.Path(sys.executable).parent if INSTALLED else BUILD / "bin"
    return f"{first}:{os.environ['PATH']}"


class Folder(unittest.TestCase):
    """A test with its own folder, `self.dir`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tam-plan-test-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
