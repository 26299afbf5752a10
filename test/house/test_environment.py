# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every test runs in an environment in which reading freed memory fails: under
a sanitizer, or with an allocator that overwrites freed memory."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

# The tunables that fill freed memory, and the one that would keep its contents.
PERTURB = "glibc.malloc.perturb=165"
NO_CACHE = "glibc.malloc.tcache_count=0"


class Environment(harness.TestCase):
    def assert_perturbed(self, environment):
        if harness.SANITIZE:
            self.assertIn("TAMC_SANITIZE_FLAGS=-fsanitize", environment)
        else:
            self.assertIn(PERTURB, environment)
            self.assertIn(NO_CACHE, environment)

    def test_of_each_test(self):
        listing = json.loads(self.succeed(
            "ctest", "--test-dir", harness.BUILD, "--show-only=json-v1"))
        checked = 0
        for test in listing["tests"]:
            keys = {key["name"]: key["value"] for key in test["properties"]}
            if keys["LABELS"][0] in ("unit", "lit", "golden", "integration"):
                with self.subTest(test["name"]):
                    self.assert_perturbed("\n".join(keys.get("ENVIRONMENT", [])))
                checked += 1
        self.assertGreater(checked, 20)

    def test_of_a_program(self):
        self.assert_perturbed(self.succeed("env"))

    def test_of_lit(self):
        """The environment in lit's site configuration."""
        (self.dir / "print.test").write_text(
            "# RUN: %python -c \"import os; print(os.environ)\"\n")
        site = harness.BUILD / "test" / "lit" / "lit.site.cfg.py"
        (self.dir / "lit.cfg.py").write_text(
            f"lit_config.load_config(config, {str(site)!r})\n"
            f"config.test_source_root = {str(self.dir)!r}\n"
            f"config.test_exec_root = {str(self.dir)!r}\n")
        if not harness.SANITIZE:
            self.assert_perturbed(self.succeed(
                sys.executable, os.environ["TAMC_LIT"], "-a", self.dir))


if __name__ == "__main__":
    harness.main()
