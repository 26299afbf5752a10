# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: python -m tamc run SPEC.yaml COMMAND [ARGUMENT...]

Compiles a spec, or takes the code from the cache, and runs a command of the
model: fit, tune, predict, decompose, evaluate, adapt, coefficients, summary,
plot, export, bench, plan or info. Files of data may be CSV as for the
executable, and, if pyarrow is installed, Parquet, Arrow and Feather.
"""

from __future__ import annotations

import os
import sys

from . import _cache, _display, _engine, _frames
from ._errors import Error
from ._rows import needed_by


def check_spec(path: str, arguments: list[str]) -> None:
    """Refuses the spec as a file of the command, which might replace it."""
    for argument in arguments:
        names = [argument]
        if argument.startswith("-"):
            # --option=FILE and -oFILE.
            names += [argument.partition("=")[2], argument[2:]]
        for name in names:
            if os.path.exists(name) and os.path.samefile(name, path):
                raise Error(f"{path}: expected other files than the spec after "
                            f"the command, got '{argument}'")


def run(path: str, arguments: list[str]) -> None:
    """Runs a command of the spec in the file `path`."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: {error}") from None
    check_spec(path, arguments)
    spec = _cache.Spec(text, is_formula=False, keys={"file": path})
    code = _engine.Code.parse(_cache.library_of(spec))
    about = code.describe()
    name = about["name"]
    try:
        data, columns = code.data_of(arguments)
        frame = None
        if data not in ("", "-") and _frames.file_format(data):
            frame = _frames.read(_frames.File(data),
                                 needed_by(about, fit=True) | set(columns))
        printed, notes = code.run(frame, arguments,
                                  _display.progress_on(None))
    except ValueError as error:
        raise Error(f"{name}: error: {error}") from None
    sys.stdout.write(printed)
    for kind, note in notes:
        print(f"{name}: {kind}: {note}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    """The exit status of the command."""
    if arguments in ([], ["-h"], ["--help"]):
        print(__doc__, end="")
        return 0
    try:
        if arguments[0] != "run" or len(arguments) < 3:
            raise Error("tamc: error: expected run SPEC.yaml COMMAND; --help "
                        "tells more")
        run(arguments[1], arguments[2:])
        sys.stdout.flush()
        return 0
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
