# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts of groups are in the header of files, which has a limit: no file
is written that nothing can read."""

import re
import struct

from small import harness

LIMIT = 100_000_000
LENGTH = 100_000


class Header(harness.TestCase):
    def write(self, name, groups, first=0):
        """Rows of groups whose names are long, one of each."""
        path = self.dir / name
        with open(path, "w", encoding="utf-8") as file:
            file.write("g,a,y\n")
            for group in range(first, first + groups):
                text = f"{group:05}".ljust(LENGTH, "n")
                file.write(f"{text},{group % 7},1\n")
        return path

    def header_of(self, path):
        with open(path, "rb") as file:
            return struct.unpack("<Q", file.read(8))[0]

    def refused(self, says, *command):
        out = self.dir / "out"
        run = self.run_program(*command, "-o", out)
        self.assertEqual(run.returncode, 1, run.stderr[:1000])
        self.assertRegex(run.stderr[:1000], says)
        self.assertEqual(run.stderr.count("error: "), 1)
        self.assertFalse(out.exists())

    def test_groups(self):
        model = self.compile("y ~ l(a)", group="g")
        # Just within the limit, and just beyond it.
        good = self.write("good.csv", 999)
        weights, survey = self.dir / "weights", self.dir / "survey"
        self.succeed(model, "fit", good, "-o", weights)
        self.assertGreater(self.header_of(weights), .99 * LIMIT)
        self.succeed(model, "predict", good, "--weights", weights, "-o",
                     self.dir / "predicted")
        self.succeed(model, "survey", good, "-o", survey)
        bad = self.write("bad.csv", 1001)
        for options in ([], ["--stream"]):
            self.refused(
                f"error: {re.escape(str(bad))}: column 'g': expected groups "
                f"whose names fit in a header of weights, of at most {LIMIT} "
                "bytes, got 1001 groups with longer names; give them shorter "
                "names, or fit some of them at a time", model, "fit", bad,
                *options)
        out = re.escape(str(self.dir / "out"))
        much = (f"error: {out}: expected a header of at most {LIMIT} bytes, "
                "got 100[0-9]{6}, with the texts of all groups and levels, "
                "once for each part: give them shorter texts, have fewer "
                "groups in a file, or each in one part")
        self.refused(much, model, "survey", bad)
        # Within it each, and beyond it together.
        more = self.dir / "more"
        self.succeed(model, "survey", self.write("few.csv", 3, first=2000),
                     "-o", more)
        self.refused(much, model, "merge", survey, more)


if __name__ == "__main__":
    harness.main()
