# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tam_plan` and the command `tam-plan`: the tool, and the commands
for the files of other systems."""

from __future__ import annotations

import os
import sys
from typing import List, Optional

from . import _errors, _program

#: First words that are commands; any other is the tool's.
COMMANDS = ("tflm", "xla", "iree")


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if given and given[0] in COMMANDS:
            import importlib
            module = importlib.import_module("." + given[0],
                                             __package__)
            return int(module.main(given[1:]))
        program = str(_program.program())
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    os.execv(program, [program, *given])


if __name__ == "__main__":
    sys.exit(main())
