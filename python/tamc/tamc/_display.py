# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that print and draw themselves, and lines of progress."""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable


def _escape(text: str) -> str:
    import html

    return html.escape(text)


class Text(str):
    """A text that prints as it is, also in a notebook."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{_escape(str(self))}</pre>"


class Page(str):
    """An HTML page that a notebook shows."""

    def __repr__(self) -> str:
        return f"<page of {len(self)} characters>"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{_escape(str(self))}" '
                'style="width:100%;height:640px;border:0"></iframe>')


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """An HTML table of names and values."""
    lines = [f"<table><caption>{_escape(title)}</caption>"]
    lines += [f"<tr><th style='text-align:left'>{_escape(name)}</th>"
              f"<td style='text-align:left'>{_escape(str(value))}</td></tr>"
              for name, value in rows]
    return "\n".join(lines) + "</table>"


def progress_on(verbose: bool | None) -> Callable[[str], None] | None:
    """What shows lines of progress on stderr, each instead of the one before;
    None if they are not wanted: by default on terminals and in notebooks."""
    stream = sys.stderr
    if stream is None or verbose is False:
        return None
    is_terminal = stream.isatty()
    is_notebook = type(stream).__module__.startswith("ipykernel.")
    if not (verbose or is_terminal or is_notebook):
        return None
    width = 0

    def show(line: str) -> None:
        nonlocal width
        if is_terminal:
            stream.write("\r\033[K" + line)
        else:
            stream.write("\r" + line.ljust(width) + ("" if line else "\r"))
        width = len(line)
        stream.flush()

    return show
