# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows that slide over the rows of groups, which ranks have whole: the
tables have the bytes of one process, and an error is one message and leaves no
file."""

import json
import re
import shutil

import ranks
from ranks import FORMULA, rows_of, shuffled
from small import harness


class Windows(ranks.TestCase):
    ADAPT = "{window: 30, update: 5, horizon: 2}"
    CORRECTION = (
        "{formula: 'residual ~ l(effect_d) + c(h, n_cat=3, levels=True) + "
        "s(a, k=4)', window: 30, update: 5, horizon: 2}")

    def run_adapt(self, count, model, data, *options):
        """A run that writes the tables rows.csv and windows.csv to a folder,
        and the folder. Of 0 ranks: by one process without MPI."""
        out = self.dir / f"out-{count}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        arguments = ["adapt", data, "-o", out / "rows.csv", "--coefficients",
                     out / "windows.csv", *options]
        run = (self.run_ranks(count, model, *arguments)
               if count > 0 else self.run_program(model, *arguments))
        return run, out

    def adapt_ranks(self, count, model, data, *options):
        """The tables of rows and windows, and what was printed."""
        run, out = self.run_adapt(count, model, data, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return self.results(run, out)

    @staticmethod
    def results(run, out):
        tables = [(out / name).read_bytes()
                  for name in ("rows.csv", "windows.csv")]
        return tables, re.findall("(?:note|warning): .*", run.stderr)

    def assert_same_windows(self, model, data, *options, counts=(2, 3)):
        """From one file, and from files that are cut at random, also by one
        process."""
        expected = self.adapt_ranks(0, model, data, *options)
        self.assertIn(b",1,", expected[0][1])
        pattern = self.cut(data, 5, folder="cut-" + data.stem)
        for count in (0, *counts):
            for name in (data, pattern) if count else (pattern,):
                with self.subTest(ranks=count, data=name):
                    tables, notes = self.adapt_ranks(count, model, name,
                                                     *options)
                    self.assertEqual(notes, expected[1])
                    # A difference of long lists would take minutes.
                    for got, wanted in zip(tables, expected[0]):
                        self.assertEqual(got, wanted)

    def fail_windows(self, count, model, data, *options):
        return self.only_error(*self.run_adapt(count, model, data, *options))

    def test_groups_and_dates(self):
        # Rows in no order, whose dates have ties; groups without a window.
        model = self.compile(FORMULA + " + c(h, n_cat=3, levels=True)",
                             group="g", date="date", weights="k",
                             adapt=self.ADAPT)
        rows = shuffled(rows_of(200, 7, 60, 90, 40, 31))
        data = self.write(row for row in rows if row.split(",")[4] != "0")
        self.assert_same_windows(model, data, counts=(1, 2, 3, 4))
        notes = self.adapt_ranks(3, model, data)[1]
        self.assertRegex("\n".join(notes), "no forecast for [12] of 6 groups")
        self.assertRegex("\n".join(notes), "have the date of a row before")

    def test_one_group(self):
        # Without keys, rows are in the order of the files; one rank has all.
        model = self.compile("y ~ l(a) + c(k, n_cat=7)", adapt=self.ADAPT)
        self.assert_same_windows(model, self.write(rows_of(150)), "--forget",
                                 0.9, "--threads", 2, counts=(2,))

    def test_solver(self):
        # Rank 0 chooses it: ranks with other memory would choose another one.
        model = self.compile("y ~ s(a, k=60) + s(d, k=60) + c(k, n_cat=7)",
                             "--min-cg=0", group="g", adapt=self.ADAPT)
        # One byte more would do for the direct solver.
        self.check_choice(model, "direct", 0, [],
                          "conjugate gradients: the direct",
                          "the direct solver")

    def test_preconditioner(self):
        model = self.compile("y ~ rbf(a, others='d', n_centers=90)",
                             "--min-cg=0", group="g", adapt=self.ADAPT)
        self.check_choice(model, "cg", 1, ["--solver", "cg"],
                          "conjugate gradients with small blocks: ",
                          "conjugate gradients")

    def check_choice(self, model, named, extra, options, note, needs):
        """Two ways to fit: one needs much memory; the other makes `note` where
        there is as much as `named` lacks with one byte, and `extra` bytes."""
        data = self.write(rows_of(90, 90, 90))
        # Windows that share no sums, which would take more memory.
        update = ["--update", 30]
        error = self.fail_windows(0, model, data, *update, "--memory", 1,
                                  "--solver", named)
        more = int(re.search("; ([0-9]+) bytes more", error)[1]) + extra
        memory = [[*update, *options, "--memory", size]
                  for size in (more, "1G")]
        much = self.adapt_ranks(0, model, data, *memory[1])
        little = self.adapt_ranks(0, model, data, *memory[0])
        self.assertEqual(much[1], [])
        self.assertEqual(len(little[1]), 1)
        self.assertIn("fits by " + note, little[1][0])
        self.assertNotEqual(much[0], little[0])
        out = self.dir / "out"
        out.mkdir()
        arguments = ["adapt", data, "-o", out / "rows.csv", "--coefficients",
                     out / "windows.csv"]
        run = self.run_apart(model, arguments, *memory)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.results(run, out), little)
        for path in out.iterdir():
            path.unlink()
        run = self.run_apart(model, arguments, *memory[::-1])
        self.assertRegex(self.only_error(run, out),
                         f"expected [0-9]+ bytes of memory for {needs} in")

    def test_folder_of_one_rank(self):
        # Rank 0 writes, on its machine; others need no folder.
        model = self.compile("y ~ l(a)", adapt=self.ADAPT)
        data = self.write(rows_of(150))
        expected = self.adapt_ranks(0, model, data)
        out = self.dir / "out"
        out.mkdir()
        run = self.run_apart(model, ["adapt", data],
                             *(["-o", folder / "rows.csv", "--coefficients",
                                folder / "windows.csv"]
                               for folder in (out, self.dir / "none")))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.results(run, out), expected)

    def test_bytes_of_keys(self):
        # Ranks send the keys of a window, not those of all rows.
        model = self.compile("y ~ l(a)", group="g", date="date",
                             adapt=self.ADAPT)
        data = self.write(shuffled(rows_of(900, 900, 900, 900)))

        def timings_of(*options):
            run = self.run_ranks(2, model, "adapt", data, "-o", "rows.csv",
                                 "--timings=json", "--update=30", *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(run.stderr.strip().splitlines()[-1])
        without = timings_of()
        timings = timings_of("--coefficients", "windows.csv")
        # 12 bytes and at most 6 of text, of the rows that another rank read,
        # which are about half of them.
        self.assertLessEqual(
            timings["bytes of rows sent"] - without["bytes of rows sent"],
            12 * timings["fitted windows"])

    def test_correction(self):
        # The base model's groups have another order than those of the rows,
        # which are all numbers, and its term depends on the rows before.
        model = self.compile("y ~ pid(a, w=3) + l(d)", group="g", date="date",
                             adapt=self.CORRECTION)
        rows = rows_of(*[80] * 11)
        weights = self.fit(model, self.write(
            rows + [row.replace(",3,", ",b,", 1) for row in rows_of(9, 9, 9, 9)
                    if ",3," in row[:6]], "train.csv"))
        data = self.write(shuffled(row for row in rows
                                   if row.split(",")[1] != "4"), "new.csv")
        self.assert_same_windows(model, data, "--weights", weights,
                                 counts=(2, 3, 4))

    def test_errors(self):
        # Those of one process, for the first row in the files.
        model = self.compile("y ~ l(a)", group="g", date="date",
                             adapt=self.ADAPT)
        rows = rows_of(90, 90, 90)
        rows = [rows[i % 3 * 90 + i // 3] for i in range(270)]
        def errors_of(data, *options):
            got = {self.fail_windows(count, model, data, *options)
                   for count in (0, 2, 3)}
            self.assertEqual(len(got), 1, got)
            return got.pop()
        lacking = list(rows)
        for i in (200, 130, 165):
            lacking[i] = rows[i].rsplit(",", 1)[0] + ",\n"
        self.assertRegex(errors_of(self.write(lacking, "lacking.csv")),
                         "lacking.csv: line 132: column 'y': group '1': "
                         "expected a finite value in a row that a window")
        large = list(rows)
        for i in (110, 112, 115):
            fields = rows[i].split(",")
            fields[2] = "1e308"
            large[i] = ",".join(fields)
        self.assertRegex(errors_of(self.write(large, "large.csv")),
                         "large.csv: line 112: group '2': expected a finite "
                         "number, got -inf; the row is too far from the")
        self.assertRegex(errors_of(self.write(rows[:60], "few.csv")),
                         "few.csv: expected a group of more than 31 rows, a "
                         "window and its horizon, got at most 20")
        self.assertRegex(
            self.fail_windows(2, model, self.write(rows), "--stream"),
            "one process reads for --stream, got several files or ranks")

    def test_errors_of_the_base(self):
        model = self.compile("y ~ l(d)", group="g", date="date",
                             adapt=self.CORRECTION)
        rows = rows_of(90, 90)
        weights = self.fit(model, self.write(rows))
        for i in (150, 60):
            fields = rows[i].split(",")
            fields[3] = "1e308"
            rows[i] = ",".join(fields)
        data = self.write(rows, "far.csv")
        expected = self.fail_windows(0, model, data, "--weights", weights)
        self.assertRegex(expected, "far.csv: line 62: group '0': term ")
        for count in (2, 3):
            self.assertEqual(self.fail_windows(count, model, data, "--weights",
                                               weights), expected)
        other = self.write(rows_of(40, 40, 40), "other.csv")
        self.assertRegex(
            self.fail_windows(3, model, other, "--weights", weights),
            "other.csv: line 82: column 'g': expected a group that was trained")


if __name__ == "__main__":
    harness.main()
