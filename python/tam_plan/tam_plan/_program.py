# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of the package, and its runs."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Optional, Sequence

from ._errors import Error


def program() -> pathlib.Path:
    """The path of the program: that of the environment variable TAM_PLAN if
    there is one, else that inside of the package."""
    path = pathlib.Path(os.environ.get("TAM_PLAN")
                        or pathlib.Path(__file__).with_name("tam-plan"))
    if not path.is_file():
        raise Error(f"expected the program tam-plan at '{path}'")
    return path


def run(arguments: Sequence[str], text: Optional[str] = None
        ) -> "subprocess.CompletedProcess[str]":
    """Runs the program with `text` as its standard input. Exit statuses 0 to 2
    are those of the tool; any other way to end is an error."""
    done = subprocess.run(
        [str(program()), *arguments], input=text, encoding="utf-8",
        stdin=subprocess.DEVNULL if text is None else None,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 2):
        raise Error(f"tam-plan ended with the status {done.returncode}: "
                    f"{done.stderr.strip()}")
    return done
