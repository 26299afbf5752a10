# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipes of docs/recipes.md give the bytes of a fit on one machine. Run by
tools/ci/check-engines, in an environment with the engines."""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "docs"))

import harness  # noqa: E402
import pages  # noqa: E402

RECIPES = harness.SOURCE / "examples" / "engines"
# What Slurm does, on one machine.
SBATCH = """#!/bin/sh
[ "$1" = --wait ] && shift
tasks=$(sed -n 's/^#SBATCH --array=1-//p' "$1")
seq "$tasks" | parallel --halt now,fail=1 SLURM_ARRAY_TASK_ID={} sh "$@"
"""


class Engines(harness.TestCase):
    def setUp(self):
        super().setUp()
        page = (harness.SOURCE / "docs" / "scale.md").read_text(encoding="utf-8")
        for block in pages.blocks(page):
            if block.name:
                (self.dir / block.name).write_text(
                    "\n".join(block.lines) + "\n")
        self.succeed(harness.TAMC, "load.yaml", "-o", "load")
        with open(self.dir / "train.csv", "w", encoding="utf-8") as rows:
            subprocess.run([sys.executable, "rows.py"], cwd=self.dir,
                           stdout=rows, check=True)
        self.succeed("./load", "fit", "train.csv", "-o", "whole")
        for path in RECIPES.iterdir():
            shutil.copy(path, self.dir)

    def check(self, name, *command, **environment):
        run = subprocess.run(command, cwd=self.dir, capture_output=True,
                             text=True, env={**os.environ, **environment},
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        made = self.dir / f"{name}.safetensors"
        self.assertEqual(made.read_bytes(), (self.dir / "whole").read_bytes())
        made.unlink()

    def test_dask(self):
        self.succeed("./load", "split", "train.csv", "--parts", 20, "-o",
                     "parts")
        self.check("dask", sys.executable, "dask_fit.py")

    def test_spark(self):
        self.check("spark", sys.executable, "spark_fit.py",
                   PYSPARK_PYTHON=sys.executable)

    def test_slurm(self):
        tools = self.dir / "tools"
        tools.mkdir()
        sbatch = tools / "sbatch"
        sbatch.write_text(SBATCH)
        sbatch.chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        self.check("slurm", "./slurm_fit.sh", PATH=path)
        # A task that fails ends the run, without weights.
        for folder in ("parts", "surveys", "sums"):
            shutil.rmtree(self.dir / folder)
        script = self.dir / "part.sh"
        script.write_text(script.read_text().replace(
            "sums) ", "sums) [ $SLURM_ARRAY_TASK_ID != 2 ] && "))
        run = subprocess.run(["./slurm_fit.sh"], cwd=self.dir, check=False,
                             capture_output=True, env={**os.environ,
                                                       "PATH": path})
        self.assertNotEqual(run.returncode, 0)
        self.assertFalse((self.dir / "slurm.safetensors").exists())


if __name__ == "__main__":
    harness.main()
