# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command of a reader: problems of a file, and their plans."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._errors import Error
from ._plan import plan


@dataclass
class Source:
    """A problem of a file, and the bytes of the other system's own plan."""

    name: str
    problem: Dict[str, Any]
    bytes: Optional[int] = None


def main(name: str, description: str, arguments: Sequence[str],
         read: Callable[[bytes, int], List[Source]], alignment: int) -> int:
    parser = argparse.ArgumentParser(prog=f"tam_plan {name}",
                                     description=description)
    parser.add_argument("file")
    parser.add_argument("-n", "--number", type=int,
                        help="one problem of several, from 0")
    parser.add_argument("-o", "--output",
                        help="writes one problem as JSON, for the tool")
    parser.add_argument("--html", help="writes a page of one plan")
    parser.add_argument("--alignment", type=int, default=alignment,
                        help=f"of every buffer; {alignment} without it")
    parser.add_argument("--time-limit", type=float, default=10.0,
                        help="seconds for the search for each plan")
    given = parser.parse_args(arguments)
    try:
        with open(given.file, "rb") as file:
            sources = read(file.read(), given.alignment)
        if given.number is not None:
            if not 0 <= given.number < len(sources):
                raise Error(f"expected a number below {len(sources)}, got "
                            f"{given.number}")
            sources = [sources[given.number]]
        if (given.output or given.html) and len(sources) != 1:
            raise Error(f"expected one problem to write, got {len(sources)}; "
                        "-n chooses one")
        if not sources:
            raise Error("the file has no problem")
        if given.output:
            _write(given.output, json.dumps(sources[0].problem))
        for source in sources:
            made = plan(source.problem, time_limit=given.time_limit)
            if given.html:
                _write(given.html, made.html())
            theirs = "" if source.bytes is None else f", theirs {source.bytes}"
            print(f"{source.name}: {len(made.offsets)} buffers, peak "
                  f"{made.peak}{theirs}, bound {made.bound}, {made.status}")
    except (Error, OSError) as error:
        print(f"{given.file}: error: {error}", file=sys.stderr)
        return 1
    return 0


def _write(path: str, content: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
