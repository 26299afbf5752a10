# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the documentation, split into blocks. CONTRIBUTING.md, "Pages",
has the rules for authors."""

import dataclasses
import pathlib
import re

# Kinds of blocks that are files if they have a name.
FILES = ("c", "cpp", "csv", "json", "mlir", "python", "yaml")
# The examples of `pycon` are run by the test of the Python package.
KINDS = ("console", "pycon", "sh", "text", *FILES)
# Forbidden starts of lines in a `text` block: they would be transcripts or
# commands that no test runs.
COMMAND = re.compile(
    r"(\$ |\./|(tamc|tam-\w+|cmake|ctest|ninja|python3|cc|g\+\+|mlir-opt)\b)")
NUMBER = re.compile(r"\d+(\.\d+)?(e[-+]?\d+)?")


class PageError(Exception):
    """A page that breaks the rules, with the line."""


@dataclasses.dataclass
class Block:
    """A fenced block: its kind, the name of its file or '', whether its
    numbers vary, its lines, and the line of the page on which it begins."""
    kind: str
    name: str
    varies: bool
    lines: list
    line: int


@dataclasses.dataclass
class Command:
    text: str
    output: list
    line: int


def pages(root):
    """The hand-written pages of the tree: README, CONTRIBUTING, the guides and
    those of the examples."""
    paths = [root / "README.md", root / "CONTRIBUTING.md",
             *sorted((root / "docs").glob("*.md")),
             *sorted((root / "examples").glob("*/*.md"))]
    return {str(path.relative_to(root)): path for path in paths}


def begin(info, line):
    words = info.split()
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind not in KINDS:
        raise PageError(f"{line}: expected a block of {', '.join(KINDS)}, "
                        f"got '{kind}'")
    varies = kind == "console" and rest == ["numbers-vary"]
    name = rest[0] if kind in FILES and len(rest) == 1 else ""
    if rest and not varies and not name:
        raise PageError(f"{line}: unexpected '{' '.join(rest)}' after {kind}")
    if kind in FILES and not name and kind != "yaml":
        raise PageError(f"{line}: expected the name of the file after {kind}")
    if name and pathlib.PurePosixPath(name).name != name:
        raise PageError(f"{line}: expected a name without a folder, got "
                        f"'{name}'")
    return Block(kind, name, varies, [], line)


def blocks(text):
    """The fenced blocks of a page. An indented block is an error, because it
    has no kind."""
    found = []
    block = None
    before = ""  # the last line that was not empty
    blank = True
    in_list = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if block is None:
                block = begin(line[3:], number)
            elif line == "```":
                found.append(block)
                block, before, in_list = None, "", False
            else:
                raise PageError(f"{number}: expected the end of the block of "
                                f"line {block.line}")
        elif block is not None:
            block.lines.append(line)
        elif "```" in line:
            raise PageError(f"{number}: a block that is indented")
        else:
            if line and not line.startswith(" "):
                in_list = bool(re.match(r"([-*]|\d+\.) ", line))
            if line.startswith("    ") and (blank or before.startswith("    ")) \
                    and not in_list:
                raise PageError(f"{number}: expected a block between ```")
            before = line or before
        blank = not line
    if block is not None:
        raise PageError(f"{block.line}: a block without an end")
    for found_block in found:
        if found_block.kind == "text":
            for offset, line in enumerate(found_block.lines, 1):
                if COMMAND.match(line.strip()):
                    raise PageError(f"{found_block.line + offset}: a command "
                                    "in a block that is not run")
    return found


def commands(block):
    """The commands of a `console` block, each with its output, or of an `sh`
    block. A command continues after a backslash."""
    found = []
    more = False
    for number, line in enumerate(block.lines, block.line + 1):
        if more:
            found[-1].text += "\n" + line
        elif block.kind == "sh":
            if line:
                found.append(Command(line, [], number))
        elif line.startswith("$ "):
            found.append(Command(line[2:], [], number))
        elif found:
            found[-1].output.append(line)
        else:
            raise PageError(f"{number}: expected a command after '$ '")
        more = bool(found) and line.endswith("\\") and (
            more or block.kind == "sh" or line.startswith("$ "))
    for command in found:
        while command.output and not command.output[-1]:
            command.output.pop()
    return found


def shape(line):
    """A line without its numbers and the blanks that align them."""
    return re.sub(" +", " ", NUMBER.sub("#", line)).strip()


def line_matches(expected, got, varies):
    if varies:
        expected, got = shape(expected), shape(got)
    if expected.endswith(" ..."):
        return got.startswith(expected[:-3])
    return expected == got


def matches(expected, got, varies=False):
    """Whether lines of output match those on a page. A line `...` matches any
    number of lines, ` ...` at the end of a line the rest of the line."""
    if not expected:
        return not got
    if expected[0] == "...":
        return any(matches(expected[1:], got[i:], varies)
                   for i in range(len(got) + 1))
    return bool(got) and line_matches(expected[0], got[0], varies) and \
        matches(expected[1:], got[1:], varies)
