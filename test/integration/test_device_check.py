# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/device-check packs what checks a GPU on a machine without a compiler;
here the device is the emulated one."""

import os
import re
import subprocess
import unittest

from small import harness

TOOL = harness.SOURCE / "tools" / "device-check"


class DeviceCheck(harness.TestCase):
    def run_check(self, *options, **environment):
        """The exit status and the report, without compilers on the PATH."""
        run = subprocess.run(
            [self.dir / "device-check" / "run", *options, "--report",
             "report.txt"], cwd=self.dir, capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL,
            env=dict(os.environ, PATH="/usr/bin:/bin", **environment))
        return run.returncode, (self.dir / "report.txt").read_text()

    @unittest.skipIf(harness.SANITIZE, "programs without sanitizers are packed")
    def test_pack_and_run(self):
        self.succeed(TOOL / "pack", "--build", harness.BUILD, "--subjects",
                     "^pairs/banded-dense", "--models", "mixed,cg", "--days",
                     "2", "-o", self.dir / "check.tar.xz")
        self.succeed("tar", "-C", self.dir, "-xf", self.dir / "check.tar.xz")
        status, report = self.run_check("--device", "cuda-emulated")
        self.assertEqual(status, 0, report)
        self.assertIn("2 subjects, 2 with the bytes of the emulated device",
                      report)
        for model in "mixed", "cg":
            self.assertRegex(report, rf'(?m)^{model}: .*"launches":\d+')
            self.assertIn(f"{model}: 0 failures\n", report)
        checks, failed = map(int, re.search(
            r"(?m)^== (\d+) checks, (\d+) failed$", report).groups())
        self.assertGreater(checks, 60)
        self.assertEqual(failed, 0)

        # What is wrong is found: other bytes that are near, and other numbers.
        case = min((self.dir / "device-check" / "suite").glob("*/"))
        right = (case / "response").read_text()
        number = re.search(r"\d\.\d{10,}", right)[0]
        last = "2" if number[-1] == "1" else "1"
        for other, what in ((number[:-1] + last, None),
                            (repr(float(number) + 0.01), "response: line")):
            (case / "response").write_text(right.replace(number, other, 1))
            status, report = self.run_check("--device", "cuda-emulated",
                                            "--only", "suite")
            self.assertIn("2 subjects, 1 with the bytes", report)
            self.assertEqual(status, 1 if what else 0, report)
            self.assertEqual("FAILED" in report, bool(what))
            self.assertIn(what or "", report)
        # A device that is not there.
        status, report = self.run_check(
            "--device", "cuda-emulated", TAMRT_EMULATOR_DRIVER="0")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: device 'cuda-emulated' is not trusted", report)


if __name__ == "__main__":
    harness.main()
