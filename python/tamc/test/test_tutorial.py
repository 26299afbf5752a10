#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of docs/python.md."""

import doctest
import os
import unittest

from test_model import SOURCE, Folder


class Tutorial(Folder):
    def test_examples(self):
        before = os.getcwd()
        os.chdir(SOURCE)
        try:
            results = doctest.testfile(str(SOURCE / "docs/python.md"),
                                       module_relative=False,
                                       optionflags=doctest.ELLIPSIS)
        finally:
            os.chdir(before)
        self.assertGreater(results.attempted, 15)
        self.assertEqual(results.failed, 0)


if __name__ == "__main__":
    unittest.main()
