# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of a group in fits of many groups: streams, and the steps of fits in
parts."""

import small
from small import harness

# The groups of two fits of as many rows, whose memory differs by that of the
# groups.
FEW, MANY = 20_000, 100_000
ROWS = 400_000


def write_groups(path, groups):
    """Rows of groups whose names are numbers, one group after another."""
    rows = ROWS // groups
    with open(path, "w", encoding="utf-8") as file:
        file.write("g,a,b,y\n")
        for group in range(groups):
            file.writelines(f"{group},{row + group % 7},"
                            f"{row * 0.25 + group % 3},{group % 11}\n"
                            for row in range(rows))
    return path


class BytesPerGroup(harness.TestCase):
    def peak(self, *command):
        """Most bytes in memory of a command."""
        if command[1] != "merge":
            command += ("--threads", 1)
        return harness.largest_resident(*command)

    def peaks(self, model, groups):
        """Of each command, for so many groups."""
        train = write_groups(self.dir / "train.csv", groups)
        survey, sums, out = (self.dir / name for name in ("survey", "sums",
                                                          "out"))
        return {
            "survey": self.peak(model, "survey", train, "-o", survey),
            "merge surveys": self.peak(model, "merge", survey, "-o", out),
            "sums": self.peak(model, "sums", "--stream", train, "--survey",
                              survey, "-o", sums),
            "merge sums": self.peak(model, "merge", sums, "-o", out),
            "solve": self.peak(model, "solve", sums, "-o", out),
            "stream": self.peak(model, "fit", "--stream", train, "-o", out)}

    def test_twenty_columns(self):
        """Of 20 columns and two inputs. With a million groups sums take about
        410 bytes a group, because their tables are not rounded up as much."""
        model = self.compile("y ~ s(a, k=7) + s(b, k=6)", group="g")
        few, many = (self.peaks(model, groups) for groups in (FEW, MANY))
        for command, most in {"survey": 340, "merge surveys": 310,
                              "sums": 610, "merge sums": 500, "solve": 300,
                              "stream": 490}.items():
            with self.subTest(command=command):
                self.assertLess((many[command] - few[command]) / (MANY - FEW),
                                most)


if __name__ == "__main__":
    harness.main()
