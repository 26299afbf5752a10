# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of the documentation fail on a page that breaks a rule."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import harness  # noqa: E402
import pages  # noqa: E402
import test_links  # noqa: E402
import test_transcripts  # noqa: E402


def console(*lines, info="console"):
    return "\n".join([f"```{info}", *lines, "```", ""])


class Blocks(unittest.TestCase):
    def test_allowed(self):
        text = ("# Page\n\n- an item\n\n    of two paragraphs\n\n"
                "```c forecast.c\nint x;\n```\n\n```text\n    D = 14\n```\n"
                + console("$ a \\", "  -b", "out", "", "$ c"))
        first, second, third = pages.blocks(text)
        self.assertEqual((first.kind, first.name, first.lines),
                         ("c", "forecast.c", ["int x;"]))
        self.assertEqual(second.kind, "text")
        self.assertEqual(
            [(c.text, c.output) for c in pages.commands(third)],
            [("a \\\n  -b", ["out"]), ("c", [])])

    def test_refused(self):
        for text, word in [
                ("```\nx\n```\n", "expected a block of"),
                ("```bash\nls\n```\n", "expected a block of"),
                ("```c\nint x;\n```\n", "name of the file"),
                ("```c a/b.c\nint x;\n```\n", "without a folder"),
                ("```console any\n$ x\n```\n", "unexpected 'any'"),
                ("```text\n$ ls\n```\n", "not run"),
                ("```text\n    tamc model.yaml\n```\n", "not run"),
                ("```text\nx\n", "without an end"),
                ("```text\n```c x.c\n```\n", "expected the end"),
                ("- a\n\n  ```text\n  x\n  ```\n", "indented"),
                ("text\n\n    ls\n", "expected a block between"),
                (console("out"), "expected a command")]:
            with self.subTest(text), \
                    self.assertRaisesRegex(pages.PageError, word):
                for block in pages.blocks(text):
                    pages.commands(block)


class Matches(unittest.TestCase):
    def test_lines(self):
        for expected, got, result in [
                (["a"], ["a"], True), (["a"], ["b"], False),
                (["a"], ["a", "b"], False), ([], ["a"], False),
                (["a"], [], False),
                (["a", "..."], ["a", "b", "c"], True),
                (["...", "c"], ["a", "b", "c"], True),
                (["...", "c"], ["a", "c", "b"], False),
                (["a ..."], ["a bc"], True), (["a ..."], ["bc"], False),
                (["14 launches"], ["10 launches"], False)]:
            with self.subTest(expected=expected, got=got):
                self.assertEqual(pages.matches(expected, got), result)

    def test_numbers_vary(self):
        expected = ["fit 0.03 s of 1,024  bytes"]
        self.assertTrue(pages.matches(expected,
                                      ["fit 12e-3 s of 9,9 bytes"], True))
        self.assertFalse(pages.matches(expected,
                                       ["fit 1 s of 1,024 rows"], True))


class Pages(harness.TestCase):
    """Whole pages, checked by the transcript test."""

    def check(self, text):
        test = test_transcripts.Transcripts()
        test.setUp()
        self.addCleanup(test.doCleanups)
        page = self.dir / "page.md"
        page.write_text(text)
        test.check_page("page.md", page)

    def test_right(self):
        self.check(console("$ mkdir a", "$ cd a", "$ echo b > x", "$ cat x",
                           "b") +
                   "```csv data.csv\nx\n1\n```\n" +
                   console("$ tail -n 1 data.csv", "1", "$ cd ..",
                           "$ ls a", "data.csv", "x",
                           "$ tamc -f 'y ~ x' -o m",
                           "<formula>:1:5: error: ...", "...") +
                   "```sh\n./tools/check --preset debug\n```\n"
                   "```yaml\nsolver: cg\n```\n")

    def test_wrong(self):
        for text, word in [
                (console("$ echo 10 launches", "14 launches"), "10 launches"),
                (console("$ cat missing.csv", "..."), "exit status 1"),
                (console("$ echo error: x", "error: x"), "exit status 0"),
                ("```csv data.csv\nx\n```\n", "no command after it"),
                ("```sh\ntamc x.yaml\n```\n", "expected a block of console"),
                ("```yaml\nsolvr: cg\n```\n", "solvr")]:
            with self.subTest(text), \
                    self.assertRaisesRegex(AssertionError, word):
                self.check(text)


class Links(unittest.TestCase):
    def test_dead(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("# One `two` (three)\n\n[a](page.md#one-two-three)"
                            " [b](https://x.org) [c](gone.md) [d](#gone)\n")
            dead = list(test_links.dead_links(page))
            self.assertEqual(len(dead), 2)
            self.assertIn("gone.md: no such file", dead[0])
            self.assertIn("#gone: no such heading", dead[1])

    def test_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("`core/run/Team` `core/run/Gone` `run/*.h` `a.b`")
            known = {"runtime/core/run/Team", "runtime/core/run/Team.h"}
            lost = list(test_links.lost_paths(page, known))
            self.assertEqual(len(lost), 1)
            self.assertIn("core/run/Gone", lost[0])


if __name__ == "__main__":
    harness.main()
