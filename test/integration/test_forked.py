# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose runs are forked from one process (test/forked.py) do what they
do in processes of their own."""

import os
import re
import subprocess
import unittest

import small
from small import harness

forked = harness.forked


@unittest.skipUnless(harness.FORK_SERVER.exists(), "sanitizers have no server")
class Forked(harness.TestCase):
    def server(self, path):
        """The server of a program that has run often enough."""
        for _ in range(forked.ALONE):
            forked.server_of(path, harness.FORK_SERVER, os.environ,
                             self.addCleanup)
        return forked.server_of(path, harness.FORK_SERVER, os.environ,
                                self.addCleanup)

    def test_same_as_alone(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        small.generate(self.dir / "train.csv", "--days", 4)
        server = self.server(str(model))
        for command in (["fit", "train.csv", "-o", "out"], ["info"],
                        ["fit", "train.csv", "-o", "out", "--threads", "2"],
                        ["fit", "none.csv", "-o", "out"], ["other"]):
            for log in "error", "debug":
                env = dict(os.environ, TAMRT_LOG=log)
                found = []
                for alone in True, False:
                    arguments = [str(model), *command]
                    run = subprocess.run(
                        arguments, cwd=self.dir, env=env, text=True,
                        stdin=subprocess.DEVNULL, capture_output=True,
                        check=False) if alone else server.run(
                            self.dir, arguments, env, harness.PATIENCE)
                    out = self.dir / "out"
                    # The machine's free memory is what it is.
                    found.append((run.returncode, run.stdout,
                                  re.sub(r"\d{7,}", "", run.stderr),
                                  out.exists() and out.read_bytes()))
                    out.unlink(missing_ok=True)
                self.assertEqual(*found, (command, log))

    def test_status_and_environment(self):
        server = self.server("/bin/sh")
        env = dict(os.environ, NAME="some text")
        for script, status, told in (
                ("exit 3", 3, ""), ("kill -9 $$", -9, ""),
                ('echo "$0 $NAME $LD_PRELOAD"', 0, "sh some text \n"),
                ("cat; pwd", 0, f"{self.dir}\n")):
            run = server.run(self.dir, ["sh", "-c", script], env,
                             harness.PATIENCE)
            self.assertEqual((run.returncode, run.stdout), (status, told),
                             script)

    def test_other_environments(self):
        server = self.server("/bin/sh")
        for change, can in (({"NAME": "text"}, True), ({"PATH": "/"}, True),
                            ({"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, False),
                            ({"LD_BIND_NOW": "1"}, False)):
            self.assertEqual(server.can_have(os.environ | change), can, change)
        self.assertFalse(server.can_have({"NAME": "text"}))

    def test_patience(self):
        server = forked.Server("/bin/sh", LD_PRELOAD=str(harness.FORK_SERVER))
        with self.assertRaises(subprocess.TimeoutExpired):
            server.run(self.dir, ["sh", "-c", "sleep 2"], os.environ, 0.1)
        server.stop()

    def test_another_program_of_the_name(self):
        for formula in "y ~ l(a)", "y ~ l(b)":
            model = self.compile(formula)
            for _ in range(forked.ALONE + 2):
                self.assertIn(formula, self.succeed(model, "info"))


if __name__ == "__main__":
    harness.main()
