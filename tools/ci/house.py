# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that all checks of the source tree use."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def source_files(root, suffixes):
    """Paths below `root`, relative and sorted, of the files with one of
    `suffixes` that git tracks or would track; without git, of all files
    outside build directories."""
    root = pathlib.Path(root)
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z",
         "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if (root / ".git").exists() and listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders
                          if not f.startswith(("build", ".git"))]
            names += [os.path.relpath(os.path.join(folder, f), root)
                      for f in files]
    return sorted(pathlib.PurePosixPath(name) for name in names
                  if name.endswith(tuple(suffixes))
                  and (root / name).is_file())


def report(problems, checked, what, unit="files"):
    """Prints the problems and ends the program, with status 1 if there is one or
    if nothing was checked."""
    for problem in problems:
        print(problem, file=sys.stderr)
    if not checked:
        sys.exit(f"error: expected {unit} to check for {what}, found none")
    print(f"{what}: {checked} {unit}, {len(problems)} problems")
    sys.exit(1 if problems else 0)
