# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits of rows in several files: survey, merge, sums, solve and split. The
weights have the bytes of a fit of one file."""

import csv
import gzip
import math
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import unittest

import small
from small import harness

import parts
from parts import SEGMENT

FORMULA = "y ~ l(a) + s(d, k=9) + c(k, n_cat=7)"


def write_groups(path, *sizes, order=None):
    """Rows of groups of these sizes, with dates in order and numbers whose
    sums always round. `order` may change the order of the rows."""
    rows = [f"{i},{group},{math.sin(i):.6f},{i % 9973 / 9973:.5f},"
            f"{i * i % 7},{'abc'[i % 3]},{math.cos(i * 1.7 + group):.5f}\n"
            for group, size in enumerate(sizes) for i in range(size)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,g,a,d,k,h,y\n")
        file.writelines(order(rows) if order else rows)
    return path


def interleave(rows):
    """Rows of all groups by date."""
    return sorted(rows, key=lambda row: int(row.partition(",")[0]))


class Bytes(parts.TestCase):
    def test_one_group(self):
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 20 * SEGMENT + 5)
        expected = self.fit(model, train).read_bytes()
        for count in (1, 2, 3, 7, 21, 64):
            with self.subTest(parts=count):
                files = self.split(model, train, count)
                self.assertEqual(len(files), min(count, 21))
                self.assertEqual(self.fit_parts(model, files, count), expected)

    def test_a_million_rows_of_one_group(self):
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 10**6)
        expected = self.fit(model, train).read_bytes()
        files = self.split(model, train, 11)
        self.assertEqual(self.fit_parts(model, files), expected)

    def test_load(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv", "--groups", 3, "--days",
                               9000)
        expected = self.fit(model, train).read_bytes()
        for count in (1, 4, 64):
            files = self.split(model, train, count)
            self.assertEqual(self.fit_parts(model, files, count), expected)

    def test_whole_last_segment(self):
        model = self.compile(FORMULA, date="date")
        for segments in (2, 8, 9):
            train = write_groups(self.dir / "train.csv", segments * SEGMENT)
            expected = self.fit(model, train).read_bytes()
            for count in (2, 5):
                files = self.split(model, train, count)
                self.assertEqual(self.fit_parts(model, files, count),
                                 expected, (segments, count))

    def test_groups(self):
        # Of unequal length, in one file by group and by date.
        model = self.compile(FORMULA, **small.KEYS)
        for order in (None, interleave):
            train = write_groups(self.dir / "train.csv", 40, 5000, 30001,
                                 SEGMENT, 1, 9000, order=order)
            expected = self.fit(model, train).read_bytes()
            for count, options in ((2, []), (5, []), (4, ["--whole-groups"])):
                with self.subTest(order=order, parts=count):
                    files = self.split(model, train, count, *options)
                    self.assertEqual(self.fit_parts(model, files, count),
                                     expected)

    def test_dates_out_of_order(self):
        # A group whose dates are not in order stays in one part.
        def shuffle(rows):
            mixed = rows[:9000]
            random.Random(3).shuffle(mixed)
            return mixed + rows[9000:]
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 9000, order=shuffle)
        expected = self.fit(model, train).read_bytes()
        files = self.split(model, train, 4)
        self.assertEqual(self.fit_parts(model, files), expected)
        self.assertEqual(self.fit_parts(model, files, sums=["--stream"]),
                         expected)

    def test_spellings_of_a_number(self):
        # A group is called otherwise in each part.
        model = self.compile("y ~ l(a)", group="g")
        files = []
        for i, names in enumerate((["1", "3"], ["1.0", "02", "3.00"],
                                   ["2", "01", "4"])):
            files.append(self.dir / f"part-{i}.csv")
            files[-1].write_text("g,a,y\n" + "".join(
                f"{name},{row + i},{math.sin(row * len(name))}\n"
                for name in names for row in range(30)))
        whole = self.dir / "whole.csv"
        whole.write_text("g,a,y\n" + "".join(
            file.read_text().partition("\n")[2] for file in files))
        expected = self.coefficients(model, self.fit(model, whole))
        weights = self.dir / "solved.safetensors"
        for options in ([], ["--stream"]):
            self.fit_parts(model, files, sums=options)
            got = self.coefficients(model, weights)
            self.assertEqual(list(got), ["1", "02", "3", "4"])
            self.assertEqual(list(got), list(expected))
            for name, numbers in got.items():
                for number, other in zip(numbers, expected[name]):
                    self.assertAlmostEqual(number, other, delta=1e-9)

    def test_threads_chunks_and_stream(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 30001, 7, 9000)
        expected = self.fit(model, train).read_bytes()
        files = self.split(model, train, 3)
        for options in (["--threads", 1], ["--threads", 3],
                        ["--threads", 2, "--chunk-rows", 7],
                        ["--stream"], ["--stream", "--threads", 3],
                        ["--stream", "--chunk-rows", 100],
                        ["--memory", "200M", "--timings"]):
            with self.subTest(options=options):
                self.assertEqual(
                    self.fit_parts(model, files, sums=options), expected)

    def test_penalties_of_the_solve(self):
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 3 * SEGMENT)
        files = self.split(model, train, 2)
        ap = ["--ap", "d=2"]
        self.assertEqual(self.fit_parts(model, files, solve=ap),
                         self.fit(model, train, *ap).read_bytes())

    def test_terms(self):
        # All terms whose tables follow from ranges, and row counts of trees.
        formula = ("y ~ l(a) + p(d, deg=3) + f(a, m=4) + s(d, k=9)"
                   " + c(k, n_cat=7) + w(a, extrapolate='saturation')"
                   " + t(a, others='d', n_trees=5, max_depth=3)"
                   " + te(s(a, k=5), s(d, k=5))")
        model = self.compile(formula, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 3000, 1)
        expected = self.fit(model, train).read_bytes()
        for count in (2, 3):
            files = self.split(model, train, count)
            self.assertEqual(self.fit_parts(model, files, count), expected)

    def test_levels_and_grids(self):
        # With a profile, rows may be summed by levels.
        train = write_groups(self.dir / "train.csv", 9000, 300)
        model = self.compile("y ~ s(k, k=5) + c(h) + l(a)", "--profile", train,
                             **small.KEYS)
        files = self.split(model, train, 2)
        for options in ([], ["--stream"]):
            self.assertEqual(
                self.fit_parts(model, files, sums=options),
                self.fit(model, train, *options).read_bytes())
        # A value off the grid in one part is one in all.
        lines = train.read_text().splitlines()
        fields = lines[9100].split(",")
        lines[9100] = ",".join(fields[:4] + ["0.5"] + fields[5:])
        train.write_text("\n".join(lines) + "\n")
        files = self.split(model, train, 3)
        self.assertEqual(self.fit_parts(model, files),
                         self.fit(model, train).read_bytes())

    def test_compressed_and_odd_texts(self):
        # Quotes, separators within fields, numbers with other spellings.
        rows = [["date", "the group", "a", "h", "y"]]
        for i in range(2 * SEGMENT):
            rows.append([i, 'say "g", or', math.sin(i),
                         ["x,y", 'q"', "plain"][i % 3], math.cos(1.7 * i)])
        train = self.dir / "train.csv"
        with open(train, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        packed = self.dir / "train.csv.gz"
        packed.write_bytes(gzip.compress(train.read_bytes()))
        model = self.compile("y ~ l(a) + c(h)", "--profile", train,
                             group='"the group"', date="date")
        expected = self.fit(model, train).read_bytes()
        files = self.split(model, packed, 2)
        self.assertEqual(len(files), 2)
        self.assertEqual(self.fit_parts(model, files), expected)
        # A part may be compressed, too.
        for path in files:
            path.write_bytes(gzip.compress(path.read_bytes()))
        self.assertEqual(self.fit_parts(model, files), expected)

    def test_few_open_files(self):
        """More parts than a program may have open files, from rows in the
        order of the groups and by date."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        groups, size = 90, 2000
        for order in (None, interleave):
            train = write_groups(self.dir / "train.csv", *[size] * groups,
                                 order=order)
            head, *rows = train.read_text().splitlines(keepends=True)
            expected = {group: [head] for group in range(groups)}
            for row in rows:
                expected[int(row.split(",")[1])].append(row)
            out = self.dir / "few"
            run = self.run_program(
                model, "split", train, "--parts", groups, "-o", out,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                      (64, 64)))
            self.assertEqual(run.returncode, 0, run.stderr)
            files = sorted(out.iterdir())
            self.assertEqual(len(files), groups)
            for group, path in enumerate(files):
                self.assertEqual(
                    path.read_text().splitlines()[1:],
                    [row.rstrip("\n") for row in expected[group][1:]])
            shutil.rmtree(out)

    def test_row_weights(self):
        # Their mean is that of all rows, wherever they are.
        model = self.compile("y ~ s(d, k=9) + c(k, n_cat=7)", weights="w",
                             **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 5000)
        rng = random.Random(4)
        rows = harness.read_csv(train)
        for row in rows:
            row["w"] = repr(rng.lognormvariate(0, 4))
        harness.write_csv(train, rows)
        expected = self.fit(model, train).read_bytes()
        files = self.split(model, train, 3)
        for options in ([], ["--stream"]):
            self.assertEqual(self.fit_parts(model, files, sums=options),
                             expected)

    def test_missing_values(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 5000)
        lines = train.read_text().splitlines()
        for at in (1, 17, 5000, 9001, 14000):
            fields = lines[at].split(",")
            fields[2] = "NA"
            lines[at] = ",".join(fields)
        train.write_text("\n".join(lines) + "\n")
        drop = ["--drop-missing"]
        expected = self.fit(model, train, *drop).read_bytes()
        files = self.split(model, train, 3, *drop)
        self.assertEqual(self.fit_parts(model, files, rows=drop), expected)

    def test_merges_have_one_result(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 30001, 9000)
        files = self.split(model, train, 6)
        results = set()
        for seed in range(4):
            made = self.sum_parts(model, files, random.Random(seed))
            results.add(tuple(path.read_bytes() for path in made))
        self.assertEqual(len(results), 1)


class OtherParts(parts.TestCase):
    def test_cut_at_random(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 300, 5000)
        weights = self.fit(model, train)
        expected = harness.parse_csv(
            self.predict(model, train, weights).read_text())
        rng = random.Random(5)
        files = self.cut(train, 4, rng)
        _, sums = self.sum_parts(model, files, rng)
        solved = self.dir / "solved.safetensors"
        run = self.run_program(model, "solve", sums, "-o", solved)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("note: 3 of 3 groups, such as '0', are in parts that "
                      "are not whole segments of 4096 rows", run.stderr)
        got = harness.parse_csv(
            self.predict(model, train, solved).read_text())
        self.assert_close([float(row["prediction"]) for row in got],
                          [float(row["prediction"]) for row in expected],
                          1e-9, absolute=1e-9)
        # They do not depend on the order of merges either.
        again = self.fit_parts(model, files, seed=77)
        self.assertEqual(again, solved.read_bytes())


class OtherRows(parts.TestCase):
    """Sums of rows that a survey would say something else of. What the rows
    were surveyed with decides the model, so each is an error."""

    def check(self, model, rows, *changes, head="x,y", others=()):
        """Surveys rows, with those of other parts, and then changes some:
        {place: row}, and whether the sums are still made."""
        part, survey = self.dir / "part.csv", self.dir / "part.survey"

        def write(rows, path=part):
            path.write_text("".join(f"{row}\n" for row in [head, *rows]))

        write(rows)
        self.succeed(model, "survey", part, "-o", survey)
        for i, other in enumerate(others):
            path = self.dir / f"other-{i}.csv"
            write(other, path)
            more = self.dir / f"other-{i}.survey"
            self.succeed(model, "survey", path, "-o", more)
            both = self.dir / f"both-{i}.survey"
            self.succeed(model, "merge", survey, more, "-o", both)
            survey = both
        for change, good in [({}, True), *changes]:
            write([change.get(i, row) for i, row in enumerate(rows)])
            for options in ([], ["--stream"]):
                with self.subTest(change=change, options=options):
                    out = self.dir / "out"
                    out.unlink(missing_ok=True)
                    run = self.run_program(model, "sums", part, "--survey",
                                           survey, "-o", out, *options)
                    self.assertEqual(run.returncode, 0 if good else 1,
                                     run.stderr)
                    self.assertEqual(out.exists(), good)
                    if not good:
                        self.assertIn(
                            f"error: {part}: expected the rows of part "
                            "'part.csv' in the survey, got others",
                            run.stderr)

    def test_weights(self):
        rows = [f"{'uv'[i // 20]},{i % 20},{i % 7},{['.1', '2.5', '0', '1e-9'][i % 4]}"
                for i in range(40)]
        model = self.compile("y ~ l(x)", group="g", weights="w")
        self.check(
            model, rows,
            # Two of one group change places; of two groups.
            ({4: "u,4,4,2.5", 5: "u,5,5,.1"}, True),
            ({4: "u,4,4,2.5", 25: "v,5,4,.1"}, False),
            ({4: "u,4,4,.10000000000000002"}, False),
            ({i: f"{row}0" for i, row in enumerate(rows)
              if row.endswith("2.5")}, True),
            ({i: row.replace(",.1", ",10").replace(",2.5", ",250")
              for i, row in enumerate(rows)}, False),
            ({2: "u,2,2,1e-300"}, False), head="g,x,y,w")

    def test_grid(self):
        rows = [f"{i % 24}.5,{i * i % 11}" for i in range(96)]
        profile = self.dir / "profile.csv"
        profile.write_text("x,y\n" + "\n".join(rows) + "\n")
        model = self.compile("y ~ s(x, k=5)", "--profile", profile,
                             "--rows-per-level=1")
        self.check(model, rows, ({7: "9.5,1"}, True), ({7: "9.7,1"}, False),
                   ({7: "7.500001,1"}, False))
        # Off the grid when surveyed.
        rows[7] = "9.7,1"
        self.check(model, rows, ({8: "9.9,1"}, True), ({7: "9.5,1"}, False))

    def test_period(self):
        rows = [f"{x},{i * i % 11}" for i, x in enumerate(
            [0, .5, 2, 2, 5, 5.25, 7] + 20 * [0, 2, 5, 7])]
        model = self.compile("y ~ f(x, m=2, period='auto')")
        for others in ((), ([f"{x},1" for x in (0, .5, 1, 3, 7)],)):
            self.check(
                model, rows,
                ({2: "5,4"}, True), ({2: "5.0000000000001,4"}, True),
                # A value that is new, or gone, or another part's.
                ({2: "2.125,4"}, False), ({1: "2,1"}, False),
                ({5: "5,3"}, False), ({2: "3,4"}, False), others=others)

    def test_levels(self):
        rows = [f"{'abcd'[i % 4 if i < 9 else i % 3]},{i % 7}"
                for i in range(40)]
        model = self.compile("y ~ c(x, n_cat=6, levels=True)")
        for others in ((), (["b,1", "e,2"],)):
            self.check(model, rows, ({2: "b,2"}, True), ({3: "a,3", 7: "b,0"},
                                                         False),
                       others=others)
        self.check(model, rows, ({2: "e,2"}, False), others=(["b,1", "e,2"],))


class Errors(parts.TestCase):
    """Bad input: each an error that names the file, and no output."""

    def setUp(self):
        super().setUp()
        self.model = self.compile(FORMULA, **small.KEYS)
        self.train = write_groups(self.dir / "train.csv", 9000, 300)
        self.files = self.split(self.model, self.train, 3)
        self.surveys = self.make(self.model, "survey", self.files)
        self.all = self.dir / "all.survey"
        self.succeed(self.model, "merge", *self.surveys, "-o", self.all)
        self.made = self.make(self.model, "sums", self.files, "--survey",
                              self.all)

    def fails(self, expected, *arguments, model=None):
        out = self.dir / "out"
        run = self.run_program(model or self.model, *arguments, "-o", out)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(expected, run.stderr)
        self.assertEqual(run.stderr.count("error: "), 1, run.stderr)
        self.assertFalse(out.exists())

    def test_of_another_spec(self):
        other = self.compile(FORMULA + " + l(d)", name="other", **small.KEYS)
        for arguments in (["merge", self.surveys[0]],
                          ["merge", *self.made[:2]],
                          ["sums", self.files[0], "--survey", self.all],
                          ["solve", self.made[0]]):
            self.fails("expected ", *arguments, model=other)
            run = self.run_program(other, *arguments, "-o", "out")
            self.assertRegex(run.stderr, "(survey|sums): expected .* of model "
                             "'other' .*, got those of model 'model'")
        weights = self.fit(self.model, self.train)
        self.fails(f"{weights}: expected a file of format 'tamc survey 2' or "
                   "'tamc sums 3', got 'tamc weights 2'", "merge", weights)

    def test_of_another_survey(self):
        two = self.dir / "two.survey"
        self.succeed(self.model, "merge", *self.surveys[:2], "-o", two)
        self.succeed(self.model, "sums", self.files[0], "--survey", two, "-o",
                     self.dir / "two.sums")
        self.fails(f"{self.dir / 'two.sums'}: expected sums with the survey "
                   f"of '{self.made[1]}', got those of another survey",
                   "merge", self.made[1], self.dir / "two.sums")
        self.fails(f"{two}: expected a survey of part 'part-3.csv', got those "
                   "of 'part-1.csv' and 1 more", "sums", self.files[2],
                   "--survey", two)
        self.fails(f"{self.made[0]}: expected a survey as in "
                   f"'{self.all}', got sums", "merge", self.all, self.made[0])
        self.fails(f"{self.all}: expected sums, got a survey", "solve",
                   self.all)

    def test_given_twice(self):
        self.fails(f"{self.surveys[1]}: part 'part-2.csv': expected parts that "
                   "the other surveys lack", "merge", *self.surveys,
                   self.surveys[1])
        both = self.dir / "both.sums"
        self.succeed(self.model, "merge", *self.made[:2], "-o", both)
        self.fails(f"{self.made[1]}: part 'part-2.csv': expected parts that "
                   "the other files lack", "merge", both, self.made[2],
                   self.made[1])

    def test_missing(self):
        both = self.dir / "both.sums"
        self.succeed(self.model, "merge", self.made[0], self.made[2], "-o",
                     both)
        self.fails(f"{both}: expected the sums of all parts, got none of part "
                   "'part-2.csv'", "solve", both)
        self.fails(f"{self.made[2]}: expected the sums of all parts, got none "
                   "of part 'part-1.csv' and 1 more", "solve", self.made[2])

    def test_changed(self):
        lines = self.files[1].read_text().splitlines(keepends=True)
        for changed in (lines[:-1], lines + lines[-1:],
                        lines[:50] + lines[51:] + [lines[50]],
                        [*lines[:50], lines[50].replace(",0.", ",-5000."),
                         *lines[51:]]):
            self.files[1].write_text("".join(changed))
            for options in ([], ["--stream"]):
                self.fails(f"{self.files[1]}: expected the rows of part "
                           "'part-2.csv' in the survey, got others", "sums",
                           self.files[1], "--survey", self.all, *options)
        self.files[1].write_text("".join(lines).replace("\n", ",\n", 1))
        self.fails(f"{self.files[1]}: ", "sums", self.files[1], "--survey",
                   self.all)

    def test_a_row_changed(self):
        """Each change alone: within the ranges, of an end of these, of what is
        an integer, of dates, and of groups."""
        model = self.compile("y ~ l(a) + l(d)", **small.KEYS)
        lines = ["date,g,a,d,y\n", *(
            f"2020-01-0{day},{group},{day},{day / 2 if day == 5 else day},1\n"
            for group in "uv" for day in range(1, 8))]
        part = self.dir / "part.csv"
        part.write_text("".join(lines))
        survey, out = self.dir / "a.survey", self.dir / "a.sums"
        self.succeed(model, "survey", part, "-o", survey)
        for row, old, new, good in (
                (3, ",3,3", ",2,3", True), (3, ",3,3", ",3,6", True),
                (3, "-03,", "-04,", True), (3, ",1\n", ",5\n", True),
                (1, ",1,1", ",2,1", False), (7, ",7,7", ",7,6", False),
                (1, ",1,1", ",0,1", False), (7, ",7,7", ",7,8", False),
                (3, ",3,3", ",2.5,3", False), (5, ",2.5", ",2", False),
                (3, "-03,", "-05,", False), (1, "-01,", "-02,", False),
                (7, "-07,", "-06,", False), (1, "-01,", "-01T06:00,", False),
                (1, "2020-01-01", "2019-12-31", False),
                (8, ",v,", ",u,", False), (7, ",u,", ",v,", False)):
            changed = lines.copy()
            changed[row] = changed[row].replace(old, new, 1)
            self.assertNotEqual(changed, lines)
            part.write_text("".join(changed))
            for options in ([], ["--stream"]):
                command = ["sums", part, "--survey", survey, *options]
                with self.subTest(row=row, old=old, new=new, options=options):
                    if good:
                        self.succeed(model, *command, "-o", out)
                        continue
                    self.fails(f"{part}: expected the rows of part 'part.csv' "
                               "in the survey, got others", *command,
                               model=model)
        # The first rows that are not the survey's.
        part.write_text("".join(lines))
        self.succeed(model, "sums", part, "--survey", survey, "-o", out)

    def test_group_that_is_no_number(self):
        """Among groups that are numbers in the survey."""
        model = self.compile("y ~ l(a)", **small.KEYS)
        rows = [f"{i},{i % 2 + 1},{i},1\n" for i in range(20)]
        part, survey = self.dir / "part.csv", self.dir / "a.survey"
        part.write_text("date,g,a,y\n" + "".join(rows))
        self.succeed(model, "survey", part, "-o", survey)
        rows[7] = "7,abc,7,1\n"
        part.write_text("date,g,a,y\n" + "".join(rows))
        for options in ([], ["--stream"]):
            self.fails(f"{part}: expected the groups and levels that were "
                       "read before, got others", "sums", part, "--survey",
                       survey, *options, model=model)

    def test_damage(self):
        """Cut or changed anywhere, a file is refused by name."""
        rng = random.Random(6)
        for path, commands in (
                (self.surveys[0], (["merge", self.surveys[0]],
                                   ["sums", self.files[0], "--survey",
                                    self.surveys[0]])),
                (self.made[0], (["merge", *self.made[:2]],
                                ["solve", self.made[0]]))):
            good = path.read_bytes()
            for _ in range(25):
                at = rng.randrange(len(good))
                bad = bytearray(good)
                bad[at] ^= 1 << rng.randrange(8)
                for damaged in (bytes(bad), good[:at]):
                    path.write_bytes(damaged)
                    for command in commands:
                        self.fails(str(path), *command)
            path.write_bytes(good)

    def test_contents_that_no_fit_writes(self):
        def change(path, old, new):
            """Another metadata of the same length, with a checksum."""
            content = path.read_bytes()
            self.assertIn(old, content)
            path.write_bytes(harness.seal(content.replace(old, new, 1)))
        change(self.surveys[0], b'dates\\\":\\\"number', b'dates\\\":\\\"letter')
        self.fails(f"{self.surveys[0]}: metadata 'parts': expected a part",
                   "merge", self.surveys[0])
        for name, kind in (("nodes", "nodes"), ("summed", "parts")):
            content = bytearray(self.made[0].read_bytes())
            path = self.dir / "bad.sums"
            begin = offset_of(content, name)
            content[begin:begin + 8] = (77).to_bytes(8, "little")
            path.write_bytes(harness.seal(bytes(content)))
            self.fails(f"{path}: tensor '{name}': expected ", "solve", path)
            self.fails(f"{path}: tensor '{name}': expected ", "merge", path)

    def test_rows(self):
        model = self.model
        text = self.train.read_text()
        bad = self.dir / "bad.csv"
        bad.write_text(text.replace("0.00000", "oops", 1))
        self.fails(f"{bad}: line ", "survey", bad)
        self.fails("expected --part NAME with rows from standard input",
                   "survey", "-")
        with open(self.files[0], encoding="utf-8") as rows:
            self.succeed(model, "survey", "-", "--part", "part-1.csv", "-o",
                         "piped", stdin=rows)
        self.assertEqual((self.dir / "piped").read_bytes(),
                         self.surveys[0].read_bytes())
        run = self.run_program(model, "split", "-", "--parts", 2, "-o", "x")
        self.assertIn("expected a file that can be read again", run.stderr)
        run = self.run_program(model, "split", self.train, "--parts", 2, "-o",
                               self.files[0].parent)
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected a new or empty folder", run.stderr)
        before = self.surveys[0].read_bytes()
        run = self.run_program(model, "merge", *self.surveys, "-o",
                               self.surveys[0])
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected a file of its own for the output, got a file "
                      "of the run", run.stderr)
        self.assertEqual(self.surveys[0].read_bytes(), before)

    def test_split_that_fails(self):
        """It leaves neither unfinished parts nor the folder that it made."""
        folder = self.dir / "new" / "parts"
        run = self.run_program(self.model, "split", "none.csv", "--parts", 2,
                               "-o", folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("none.csv", run.stderr)
        self.assertFalse(folder.parent.exists())
        # A signal comes when all parts are under way.
        train = write_groups(self.dir / "many.csv", *[2000] * 90,
                             order=interleave)
        for is_new in (True, False):
            if not is_new:
                folder.mkdir(parents=True)
            self.stop_split(train, folder, is_new)
            if is_new:
                self.assertFalse(folder.parent.exists())
            else:
                self.assertEqual(list(folder.iterdir()), [])

    def stop_split(self, train, folder, is_new):
        """Ends a split by a signal while it has parts without a name."""
        command = [self.model, "split", train, "--parts", "90", "-o", folder]
        for _ in range(20):
            with subprocess.Popen(list(map(str, command)), cwd=self.dir,
                                  stderr=subprocess.PIPE) as run:
                while run.poll() is None:
                    if folder.exists() and sum(
                            name.endswith(".tmp")
                            for name in os.listdir(folder)) > 20:
                        run.terminate()
                        break
                run.communicate(timeout=harness.PATIENCE)
            if run.returncode != 0 and not list(folder.glob("part*")):
                break
            # It was faster.
            shutil.rmtree(folder)
            if not is_new:
                folder.mkdir()
        self.assertEqual(run.returncode, -signal.SIGTERM)

    def test_kinds_of_parts(self):
        # Dates of two formats; numbers in one part and text in another.
        head = "date,g,a,d,k,y\n"
        row = "{},{},{},0.5,1,2\n"
        def part(name, rows):
            path = self.dir / name
            path.write_text(head + "".join(row.format(*each)
                                           for each in rows))
            out = self.dir / f"{name}.survey"
            run = self.run_program(self.model, "survey", path, "-o", out,
                                   "--drop-missing")
            self.assertEqual(run.returncode, 0, run.stderr)
            return out
        numbers = part("a.csv", [(1, 1, 0), (2, 1, 1), (2, "NA", 1)])
        days = part("b.csv", [("2020-01-01", 1, 0)])
        texts = part("c.csv", [(1, "x", 0), (2, "x", 1)])
        self.fails("part 'b.csv': expected dates of one format", "merge",
                   numbers, days)
        self.fails("part 'a.csv': column 'g': expected values of one kind in "
                   "all parts, got numbers, and text in others", "merge",
                   numbers, texts)

    def test_options_that_need_rows(self):
        for arguments in (["survey", self.files[0]],
                          ["sums", self.files[0], "--survey", self.all]):
            self.fails("expected --device cpu, which has the sums of parts, "
                       "got 'cuda:0'; their solve, or a fit of the rows as one "
                       "file, runs on a device", *arguments, "--device",
                       "cuda:0")
        for device in ("cpu", "auto"):
            self.succeed(self.model, "survey", self.files[0], "--device",
                         device, "-o", "again")

    def test_models_without_sums(self):
        cg = self.compile(FORMULA, "--solver=cg", name="cg", **small.KEYS)
        self.fails("expected a model with the direct solver", "survey",
                   self.train, model=cg)
        pid = self.compile("y ~ pid(a, w=3)", name="pid", **small.KEYS)
        surveys = self.make(pid, "survey", self.files)
        survey = self.dir / "pid.survey"
        self.succeed(pid, "merge", *surveys, "-o", survey)
        self.fails("group '0': expected all rows in one part, because a term "
                   "(pid) depends on the rows before; split --whole-groups "
                   "makes such parts", "sums", self.files[0], "--survey",
                   survey, model=pid)
        files = self.split(pid, self.train, 3)
        self.assertEqual(self.fit_parts(pid, files),
                         self.fit(pid, self.train).read_bytes())


def offset_of(content, name):
    """The place of a tensor's first byte."""
    end = 8 + struct.unpack_from("<Q", content)[0]
    entry = json.loads(content[8:end])[name]
    return end + entry["data_offsets"][0]


class Memory(parts.TestCase):
    @unittest.skipIf(harness.SANITIZE, "a sanitizer keeps what is freed")
    def test_many_groups(self):
        """The sums of many groups stay in files."""
        model = self.compile("y ~ s(a, k=40)", **small.KEYS)
        train = write_groups(self.dir / "train.csv", *[4] * 40_000)
        files = self.split(model, train, 2)
        survey = self.merge(model, self.make(model, "survey", files),
                            random.Random(1))
        made = [self.dir / f"{i}.sums" for i in range(2)]
        all_sums, weights = self.dir / "all.sums", self.dir / "w"
        peaks = [harness.largest_resident(model, "sums", files[0], "--survey",
                                          survey, "--stream", "-o", made[0])]
        self.succeed(model, "sums", files[1], "--survey", survey, "-o", made[1])
        peaks.append(harness.largest_resident(model, "merge", *made, "-o",
                                              all_sums))
        peaks.append(harness.largest_resident(model, "solve", all_sums, "-o",
                                              weights))
        self.assertEqual(weights.read_bytes(),
                         self.fit(model, train).read_bytes())
        sizes = [path.stat().st_size for path in (made[0], all_sums, all_sums)]
        for peak, size in zip(peaks, sizes):
            self.assertLess(1.5 * peak, size, (peaks, sizes))

    def test_sums_to_a_pipe(self):
        """Where bytes cannot be written at any place."""
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 300)
        survey, made = self.dir / "survey", self.dir / "made"
        self.succeed(model, "survey", train, "-o", survey)
        self.succeed(model, "sums", train, "--survey", survey, "-o", made)
        run = subprocess.run(
            [model, "sums", train, "--survey", survey, "-o", "-"],
            cwd=self.dir, capture_output=True, check=True)
        self.assertEqual(run.stdout, made.read_bytes())
        # Sums from a pipe have no places either.
        with open(made, "rb") as sums:
            run = subprocess.run([model, "solve", "-", "-o", "w"],
                                 cwd=self.dir, stdin=sums, check=True)
        self.assertEqual((self.dir / "w").read_bytes(),
                         self.fit(model, train).read_bytes())

    @unittest.skipIf(harness.SANITIZE, "sanitizers reserve address space")
    def test_little_memory(self):
        """With any limit of memory merge and solve have the right bytes, or
        say so and leave no file."""
        model = self.compile("y ~ te(s(a, k=20), s(d, k=20))",
                             **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 300, 5)
        files = self.split(model, train, 3)
        surveys = self.make(model, "survey", files)
        survey = self.merge(model, surveys, random.Random(1))
        made = self.make(model, "sums", files, "--survey", survey)
        merged = self.dir / "all.sums"
        self.succeed(model, "merge", *made, "-o", merged)
        weights = self.fit(model, train).read_bytes()
        out = self.dir / "out"
        for command, expected in ((["merge", *made], merged.read_bytes()),
                                  (["solve", merged], weights)):
            statuses = []
            for megabytes in range(4, 80, 2):
                out.unlink(missing_ok=True)
                limit = megabytes << 20
                run = self.run_program(
                    model, *command, "-o", out, preexec_fn=lambda limit=limit:
                    resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                statuses.append(run.returncode)
                if run.returncode == 0:
                    self.assertEqual(out.read_bytes(), expected)
                    continue
                self.assertFalse(out.exists())
                # The loader needs some memory before the program does.
                if run.returncode == 1:
                    self.assertRegex(run.stderr,
                                     "error: .*(memory|stack)")
            self.assertEqual(statuses[-1], 0)
            self.assertIn(1, statuses)


if __name__ == "__main__":
    harness.main()
