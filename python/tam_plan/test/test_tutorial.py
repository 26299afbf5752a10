#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of the package's README: those of Python, and the commands,
each of which must print what is below it."""

import doctest
import os
import re
import subprocess
import unittest

import common


class Tutorial(common.Folder):
    def test_python(self):
        results = doctest.testfile(str(common.README), module_relative=False)
        self.assertGreater(results.attempted, 10)
        self.assertEqual(results.failed, 0)

    def test_commands(self):
        text = common.README.read_text(encoding="utf-8")
        commands = [each for block in
                    re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
                    for each in re.split(r"^\$ ", block, flags=re.M)[1:]]
        self.assertGreater(len(commands), 1)
        for command in commands:
            line, _, expected = command.partition("\n")
            with self.subTest(line):
                got = subprocess.run(
                    ["bash", "-c", line], cwd=self.dir, text=True,
                    env=os.environ | {"PATH": common.path()},
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(got.stdout, expected)


if __name__ == "__main__":
    unittest.main()
