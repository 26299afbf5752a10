# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of IREE's programs.

    iree-compile net.mlir ... --compile-to=stream -o /dev/null \\
        --mlir-disable-threading \\
        --mlir-print-ir-before=iree-stream-layout-slices 2> net.stream.mlir
    python -m tam_plan iree net.stream.mlir

The file is the text of a module before that pass. Each of its ops
`stream.resource.pack` is a problem: slices with their lives and sizes."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence

from . import _reader
from ._errors import ProblemError

_PACK = re.compile(r"\bstream\.resource\.pack\b")
#: A function, or an op with results: constants, and what hides one.
_FUNCTION = re.compile(r"\bfunc(?:\.func)? ")
_RESULTS = re.compile(
    r"^\s*(%[\w$.-]+)(?::\d+)?((?:,\s*%[\w$.-]+(?::\d+)?)*) = "
    r"(?:arith\.constant (\d{1,19}) : index\b)?", re.MULTILINE)
_SLICE = re.compile(r"\s*\[\s*(\d{1,19})\s*,\s*(\d{1,19})\s*\]\s*=\s*"
                    r"(%[\w$.#-]+)\s*(,)?")
_BEGIN = re.compile(r"[^{}]*?\bslices\s*\(\s*\{")
#: IREE prints a constant as %c and its value, so a text that is only a part of a
#: module says what it is.
_NAMED = re.compile(r"%c(\d{1,19})(_\w+)?")
_NAME = re.compile(r"%[\w$.-]+")


def read(data: bytes, alignment: int = 64) -> List[Dict[str, Any]]:
    """The problems of a text, in its order. Lives of slices have inclusive
    ends. A size that is no constant is an error."""
    text = data.decode("utf-8", "replace")
    # By name: the constant, or None for what is none. Names are a function's.
    values: Dict[str, Optional[int]] = {}
    places = sorted((each for pattern in (_FUNCTION, _RESULTS, _PACK)
                     for each in pattern.finditer(text)),
                    key=lambda each: each.start())
    problems: List[Dict[str, Any]] = []
    for match in places:
        if match.re is _FUNCTION:
            values.clear()
        elif match.re is _RESULTS:
            for name in [match[1], *_NAME.findall(match[2])]:
                values[name] = int(match[3]) if match[3] else None
        else:
            problems.append(_pack(text, match.end(), len(problems), values,
                                  alignment))
    return problems


def _pack(text: str, at: int, number: int, values: Dict[str, Optional[int]],
          alignment: int) -> Dict[str, Any]:
    line = text.count("\n", 0, at) + 1
    begin = _BEGIN.match(text, at)
    if not begin:
        raise ProblemError(f"line {line}: expected 'slices({{' after "
                           "stream.resource.pack")
    at = begin.end()
    buffers: List[Dict[str, Any]] = []
    while True:
        match = _SLICE.match(text, at)
        if not match:
            break
        first, last, size = int(match[1]), int(match[2]), match[3]
        named = _NAMED.fullmatch(size)
        bytes = values.get(size, int(named[1]) if named else None)
        if bytes is None or first > last:
            line = text.count("\n", 0, match.start(3)) + 1
        if bytes is None:
            raise ProblemError(f"line {line}: expected a constant as the size "
                               f"of a slice, got {size}")
        if first > last:
            raise ProblemError(f"line {line}: expected a life that ends after "
                               f"its begin, got [{first}, {last}]")
        buffers.append({"name": f"slice {len(buffers)}", "size": bytes,
                        "alignment": alignment, "lower": first,
                        "upper": last + 1})
        at = match.end()
        if not match[4]:
            break
    if not re.compile(r"\s*\}\s*\)").match(text, at):
        line = text.count("\n", 0, at) + 1
        raise ProblemError(f"line {line}: expected a slice as [first, last] = "
                           "%size, or '})'")
    return {"name": f"pack {number}", "buffers": buffers}


def main(arguments: Sequence[str]) -> int:
    return _reader.main(
        "iree", "Reads the memory problems of a module of IREE's dialect "
        "stream.", arguments, lambda data, alignment: [
            _reader.Source(each["name"], each)
            for each in read(data, alignment)], 64)
