# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every link of the documentation has a target, and every path of the
repository that it names exists."""

import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import harness  # noqa: E402
import pages  # noqa: E402

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`(?:\./)?([\w.*-]+(?:/[\w.*-]+)+/?)`")
# Paths outside the repository: those of builds and installations, and of other
# projects.
ELSEWHERE = re.compile(
    r"(build[-\w]*|include/tamrt|lib|torch|layer\d+)/.*|N/A|foo/.*")


def text_of(path):
    """A page without its blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"),
                  flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """The anchors that GitHub gives a page's headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text_of(path), re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 1
        name = anchor
        while name in found:
            name, number = f"{anchor}-{number}", number + 1
        found.add(name)
    return found


def dead_links(path):
    for link in LINK.findall(text_of(path)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists():
            yield f"{path}: {link}: no such file"
        elif anchor and anchor not in anchors(target):
            yield f"{path}: {link}: no such heading"


def tracked(root):
    """The repository's files and folders, each path also without its extension:
    the docs name a header and its source together."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files",
         "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False).stdout
    names = listing.split("\n") if listing else [
        str(path.relative_to(root)) for path in root.rglob("*")]
    found = set()
    for name in filter(None, names):
        path = pathlib.PurePosixPath(name)
        found |= {str(path), str(path.with_suffix("")),
                  *(str(parent) for parent in path.parents)}
    return found


def lost_paths(path, known):
    """Paths in backticks that are the end of no path."""
    for name in PATH.findall(text_of(path)):
        if ELSEWHERE.fullmatch(name):
            continue
        pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/]*")
        if not any(re.search(f"(^|/){pattern}$", each) for each in known):
            yield f"{path}: `{name}`: no such file or folder"


class Links(unittest.TestCase):
    def setUp(self):
        self.pages = [*pages.pages(harness.SOURCE).values(),
                      *(harness.SOURCE / "docs" / "generated").glob("*.md")]

    def test_links(self):
        dead = [each for page in self.pages for each in dead_links(page)]
        self.assertEqual(dead, [], "\n".join(dead))

    def test_paths(self):
        known = tracked(harness.SOURCE)
        self.assertIn("compiler/Planning", known)
        lost = [each for page in self.pages
                for each in lost_paths(page, known)]
        self.assertEqual(lost, [], "\n".join(lost))


if __name__ == "__main__":
    harness.main()
