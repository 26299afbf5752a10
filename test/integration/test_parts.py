# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits of rows in several files: survey, merge, sums, solve and split. The
weights have the bytes of a fit of one file."""

import csv
import gzip
import math
import random
import shutil

import small
from small import harness

SEGMENT = 4096
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


class Parts(harness.TestCase):
    def split(self, model, train, parts, *options):
        folder = self.dir / f"parts-{parts}-{len(options)}"
        shutil.rmtree(folder, ignore_errors=True)
        self.succeed(model, "split", train, "--parts", parts, "-o", folder,
                     *options)
        return sorted(folder.iterdir())

    def merge(self, model, files, rng):
        """Merges files by a random tree; returns the last one."""
        files = list(files)
        rng.shuffle(files)
        made = 0
        while len(files) > 1:
            count = min(rng.randint(2, 4), len(files))
            chosen = [files.pop(rng.randrange(len(files)))
                      for _ in range(count)]
            made += 1
            target = files_folder(chosen[0]) / f"merged-{made}"
            self.succeed(model, "merge", *chosen, "-o", target)
            files.append(target)
        return files[0]

    def survey(self, model, parts, rng, *options):
        folder = self.dir / "surveys"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        surveys = []
        for part in parts:
            surveys.append(folder / f"{part.name}.survey")
            self.succeed(model, "survey", part, "-o", surveys[-1], *options)
        return self.merge(model, surveys, rng)

    def sums(self, model, parts, survey, rng, *options):
        folder = self.dir / "sums"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        sums = []
        for part in parts:
            sums.append(folder / f"{part.name}.sums")
            self.succeed(model, "sums", part, "--survey", survey, "-o",
                         sums[-1], *options)
        return self.merge(model, sums, rng)

    def fit_parts(self, model, parts, seed=1, options=(), solve=()):
        """The weights of a fit in parts."""
        rng = random.Random(seed)
        survey = self.survey(model, parts, rng)
        sums = self.sums(model, parts, survey, rng, *options)
        weights = self.dir / "solved.safetensors"
        self.succeed(model, "solve", sums, "-o", weights, *solve)
        return weights.read_bytes()


def files_folder(path):
    return path.parent


class Bytes(Parts):
    def test_one_group(self):
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 20 * SEGMENT + 5)
        expected = self.fit(model, train).read_bytes()
        for parts in (1, 2, 3, 7, 21, 64):
            with self.subTest(parts=parts):
                files = self.split(model, train, parts)
                self.assertEqual(len(files), min(parts, 21))
                self.assertEqual(self.fit_parts(model, files, parts), expected)

    def test_whole_last_segment(self):
        model = self.compile(FORMULA, date="date")
        for segments in (2, 8, 9):
            train = write_groups(self.dir / "train.csv", segments * SEGMENT)
            expected = self.fit(model, train).read_bytes()
            for parts in (2, 5):
                files = self.split(model, train, parts)
                self.assertEqual(self.fit_parts(model, files, parts),
                                 expected, (segments, parts))

    def test_groups(self):
        # Of unequal length, in one file by group and by date.
        model = self.compile(FORMULA, **small.KEYS)
        for order in (None, interleave):
            train = write_groups(self.dir / "train.csv", 40, 5000, 30001,
                                 SEGMENT, 1, 9000, order=order)
            expected = self.fit(model, train).read_bytes()
            for parts, options in ((2, []), (5, []), (4, ["--whole-groups"])):
                with self.subTest(order=order, parts=parts):
                    files = self.split(model, train, parts, *options)
                    self.assertEqual(self.fit_parts(model, files, parts),
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
        self.assertEqual(self.fit_parts(model, files, options=["--stream"]),
                         expected)

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
                    self.fit_parts(model, files, options=options), expected)

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
        for parts in (2, 3):
            files = self.split(model, train, parts)
            self.assertEqual(self.fit_parts(model, files, parts), expected)

    def test_levels_and_grids(self):
        # With a profile, rows may be summed by levels.
        train = write_groups(self.dir / "train.csv", 9000, 300)
        model = self.compile("y ~ s(k, k=5) + c(h) + l(a)", "--profile", train,
                             **small.KEYS)
        files = self.split(model, train, 2)
        for options in ([], ["--stream"]):
            self.assertEqual(
                self.fit_parts(model, files, options=options),
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
        rng = random.Random(1)
        survey = self.survey(model, files, rng, *drop)
        sums = self.sums(model, files, survey, rng, *drop)
        weights = self.dir / "solved.safetensors"
        self.succeed(model, "solve", sums, "-o", weights)
        self.assertEqual(weights.read_bytes(), expected)

    def test_merges_have_one_result(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 30001, 9000)
        files = self.split(model, train, 6)
        results = set()
        for seed in range(4):
            rng = random.Random(seed)
            survey = self.survey(model, files, rng)
            sums = self.sums(model, files, survey, rng)
            results.add((survey.read_bytes(), sums.read_bytes()))
        self.assertEqual(len(results), 1)


class OtherParts(Parts):
    def cut(self, train, parts, seed):
        """Rows cut at random into files."""
        rng = random.Random(seed)
        head, *lines = train.read_text().splitlines(keepends=True)
        files = [self.dir / f"cut-{i}.csv" for i in range(parts)]
        texts = [[head] for _ in files]
        for line in lines:
            rng.choice(texts).append(line)
        for path, text in zip(files, texts):
            path.write_text("".join(text))
        return files

    def test_cut_at_random(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 9000, 300, 5000)
        weights = self.fit(model, train)
        expected = harness.parse_csv(
            self.predict(model, train, weights).read_text())
        files = self.cut(train, 4, seed=2)
        rng = random.Random(5)
        survey = self.survey(model, files, rng)
        sums = self.sums(model, files, survey, rng)
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


if __name__ == "__main__":
    harness.main()
