# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits of several processes that MPI starts: the weights have the bytes of one
process, an error is one message and leaves no file, and so is the loss of a
process. Also fits of several files by one process."""

import collections
import gzip
import json
import math
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import time
import unittest

import ranks
from ranks import BLOCK, FORMULA, SEGMENT, rows_of, shuffled
from small import harness


class Mpi(ranks.TestCase):
    def fit_ranks(self, count, model, train, *options):
        """The weights' bytes, and what was printed."""
        path = self.dir / f"weights-{count}.safetensors"
        run = self.run_ranks(count, model, "fit", train, "-o", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path.read_bytes(), run.stderr

    def assert_same(self, model, train, pattern=None, counts=(2, 3),
                    options=()):
        expected = self.fit(model, train, *options).read_bytes()
        for count in counts:
            with self.subTest(ranks=count):
                got, _ = self.fit_ranks(count, model, pattern or train,
                                        *options)
                self.assertEqual(got, expected)

    def fail_ranks(self, count, model, train, *options):
        """The one line of an error; no file is left."""
        out = self.dir / "out"
        out.mkdir(exist_ok=True)
        run = self.run_ranks(count, model, "fit", train, "-o",
                             out / "w.safetensors", *options)
        return self.only_error(run, out)

    def stop_rank(self, run, model, is_wanted):
        """Rank 0, which writes files. It has been stopped when its folder in
        /proc was wanted, and ran a few milliseconds at a time until then."""
        rank = None
        while run.poll() is None:
            if rank is None:
                rank = self.find(lambda folder: os.readlink(folder / "exe") ==
                                 str(model) and self.is_first(folder))
                continue
            os.kill(rank, signal.SIGSTOP)
            if harness.stands_still(rank) and self.find(is_wanted, rank):
                return rank
            os.kill(rank, signal.SIGCONT)
            time.sleep(0.003)
        raise AssertionError("ended early:\n" + run.stderr.read())

    @staticmethod
    def is_first(folder):
        """Whether a process is rank 0."""
        return (b"OMPI_COMM_WORLD_RANK=0" in
                (folder / "environ").read_bytes().split(b"\0"))

    def find(self, is_wanted, process="[0-9]*"):
        """A process, by its folder in /proc; None if there is none."""
        for folder in pathlib.Path("/proc").glob(str(process)):
            try:
                if is_wanted(folder):
                    return int(folder.name)
            except OSError:  # One that has ended, or of another user.
                pass
        return None


class Bytes(Mpi):
    def test_groups_and_dates(self):
        # Rows in no order, whose dates have ties, in one file and in several.
        model = self.compile(FORMULA, group="g", date="date")
        train = self.write(shuffled(rows_of(3 * SEGMENT + 5, 40, 9000, 1)))
        self.assert_same(model, train, counts=(1, 2, 3, 4, 8))
        self.assert_same(model, train, self.cut(train, 5), counts=(1, 4))

    def test_note_on_equal_dates(self):
        # They are counted also where the row before is on another rank.
        model = self.compile("y ~ l(a)", date="date")
        train = self.write(f"{i // 3}{row[row.index(','):]}"
                           for i, row in enumerate(rows_of(3 * SEGMENT)))
        run = self.run_program(model, "fit", train, "-o", "w")
        note = re.search("note: .* have the date of a row before .*",
                         run.stderr)[0]
        self.assertIn(str(2 * SEGMENT), note)
        for count in (1, 2, 3):
            self.assertIn(note, self.fit_ranks(count, model, train)[1])
        self.assertIn(note, self.run_program(
            model, "fit", self.cut(train, 2), "-o", "w").stderr)

    def test_one_group(self):
        # Without dates, rows are in the order of the files.
        model = self.compile(FORMULA)
        train = self.write(rows_of(20 * SEGMENT))
        self.assert_same(model, train, counts=(2, 5))
        self.assert_same(model, train, self.cut(train, 3), counts=(3,))

    def test_few_rows(self):
        # Most ranks have none.
        model = self.compile("y ~ l(a)", group="g")
        self.assert_same(model, self.write(shuffled(rows_of(3, 2))),
                         counts=(2, 8))

    def test_levels_weights_and_missing_values(self):
        model = self.compile(
            "y ~ l(a) + c(h, n_cat=3, levels=True) + f(d, m=2)", group="g",
            date="date", weights="k")
        rows = shuffled(rows_of(9000, 5000))
        for i in range(0, len(rows), 97):
            fields = rows[i].split(",")
            fields[2] = "NA"
            rows[i] = ",".join(fields)
        train = self.write(rows)
        self.assert_same(model, train, self.cut(train, 4),
                         options=["--drop-missing"])
        _, printed = self.fit_ranks(2, model, train, "--drop-missing")
        self.assertIn(f"note: dropped {(len(rows) + 96) // 97} of {len(rows)} "
                      "rows", printed)

    def test_spellings_of_groups(self):
        # 1 and 1.0 are one group; its name is the first one.
        model = self.compile("y ~ l(a)", group="g")
        rows = [row.replace(",1,", ",1.0,", 1) if i % 5 == 3 else row
                for i, row in enumerate(shuffled(rows_of(900, 5000)))]
        self.assert_same(model, self.write(rows))

    def test_rows_that_must_be_together(self):
        model = self.compile("y ~ l(a) + pid(d, w=3)", group="g", date="date")
        self.assert_same(model, self.write(shuffled(rows_of(9000, 5000, 20))))

    def test_dates_with_fractions(self):
        model = self.compile("y ~ l(a) + s(d, k=9)", date="date")
        rows = [f"2024-01-01T00:00:00.{i % 1000:03}{row[row.index(','):]}"
                for i, row in enumerate(shuffled(rows_of(30000)))]
        self.assert_same(model, self.write(rows), counts=(3,))

    def test_line_ends_inside_quotes(self):
        # Ranks start between rows wherever their bytes start.
        model = self.compile("y ~ l(a)", group="g", date="date")
        rng = random.Random(3)
        rows = [row.replace(f",{'abc'[0]},", ',"' + "x\n1,\"\",,\r\n"
                            * rng.randrange(9) + '",') for row in
                rows_of(700, 700)]
        train = self.write(rows)
        expected = self.fit(model, train).read_bytes()
        for count in (2, 3, 4, 7):
            self.assertEqual(self.fit_ranks(count, model, train)[0], expected)

    def test_compressed_files(self):
        model = self.compile("y ~ l(a)", group="g")
        train = self.write(rows_of(5000, 5000))
        pattern = self.cut(train, 3)
        for path in pattern.parent.glob("*[02].csv"):
            with gzip.open(f"{path}.gz", "wb") as file:
                file.write(path.read_bytes())
            path.unlink()
        self.assert_same(model, train, pattern.parent / "rows-*", counts=(2, 4))

    def test_penalties_and_threads(self):
        model = self.compile(FORMULA, group="g")
        train = self.write(shuffled(rows_of(9000, 5000)))
        self.assert_same(model, train, counts=(2,),
                         options=["--ap", "d=2", "--threads", 3,
                                  "--chunk-rows", 100])


class Iterations(Mpi):
    """Fits by conjugate gradients."""

    def test_preconditioners(self):
        # Groups on several ranks, which iterate differently often.
        model = self.compile(FORMULA, "--solver=cg", group="g", date="date")
        train = self.write(shuffled(rows_of(3 * SEGMENT + 5, 40, 9000, 1)))
        self.assert_same(model, train, counts=(1, 2, 3, 4, 8))
        self.assert_same(model, train, self.cut(train, 4), counts=(3,),
                         options=["--preconditioner", "none", "--threads", 2])

    def test_one_group(self):
        # Its fit has both solvers.
        model = self.compile(FORMULA + " + c(date, n_cat=400, levels=True)")
        train = self.write(f"{i * i % 400}{row[row.index(','):]}"
                           for i, row in enumerate(rows_of(11 * SEGMENT)))
        self.assert_same(model, train, self.cut(train, 3), counts=(2, 5),
                         options=["--solver", "cg"])

    def test_sketch(self):
        # More iterations than it takes products.
        model = self.compile(
            "y ~ c(date, n_cat=900, levels=True) + s(d, k=30, ap=-8) "
            "+ s(a, k=30, ap=-8)", "--solver=cg", group="g")
        train = self.write(
            f"{i * i % 900}{row[row.index(','):]}"
            for i, row in enumerate(rows_of(3 * SEGMENT, SEGMENT + 1)))
        self.assert_same(model, train, counts=(1, 3))

    def test_figures(self):
        # They are those of one process, whatever the rank of a group.
        model = self.compile(FORMULA, "--solver=cg", group="g")
        train = self.write(rows_of(9000, 40, 5000))

        def figures(printed):
            timings = json.loads(printed.strip().splitlines()[-1])
            return {name: timings[name] for name in (
                "iterations", "most iterations of a group", "residual")}
        run = self.run_program(model, "fit", train, "-o", "w",
                               "--timings=json")
        _, printed = self.fit_ranks(3, model, train, "--timings=json")
        self.assertEqual(figures(printed), figures(run.stderr))

    def test_groups_that_do_not_converge(self):
        model = self.compile(FORMULA, "--solver=cg", group="g")
        train = self.write(rows_of(9000, 40, 5000))
        options = ["--max-iterations", 2]
        run = self.run_program(model, "fit", train, "-o", "w", *options)
        self.assertEqual(run.returncode, 1)
        error = run.stderr.partition("error: ")[2].strip()
        self.assertIn("group '0'", error)
        self.assertEqual(self.fail_ranks(3, model, train, *options), error)
        options.append("--allow-unconverged")
        run = self.run_program(model, "fit", train, "-o", "w", *options)
        warning = re.search("warning: .* did not converge .*", run.stderr)[0]
        self.assertIn(warning, self.fit_ranks(2, model, train, *options)[1])
        self.assert_same(model, train, options=options)

    def test_checkpoint(self):
        model = self.compile("y ~ s(a, k=60) + s(d, k=60)", "--solver=cg",
                             group="g")
        train = self.write(rows_of(*[500] * 60))
        kept = self.dir / "fit.checkpoint"
        options = ["--checkpoint", kept, "--threads", 1]
        self.assert_same(model, train, counts=(2,), options=options)
        command, env = self.ranks(2, model, "fit", train, "-o", "w", *options)
        with subprocess.Popen(command, env=env, cwd=self.dir, text=True,
                              stderr=subprocess.PIPE) as run:
            os.kill(self.stop_rank(run, model, lambda folder: kept.exists()
                                   and not list(self.dir.glob(".*"))),
                    signal.SIGKILL)
            run.communicate(timeout=harness.PATIENCE)
        self.assertIn("expected the checkpoint of a fit of these rows",
                      self.fail_ranks(2, model, train, *options,
                                      "--tolerance", "1e-4"))
        _, printed = self.fit_ranks(3, model, train, *options)
        self.assertIn("fit.checkpoint: had ", printed)
        self.assert_same(model, train, counts=(2,))


def segments_of(part):
    """A part's segments of each group, in a file that begins with the date and
    the group."""
    with open(part, encoding="utf-8") as file:
        next(file)
        rows = collections.Counter(line.split(",", 2)[1] for line in file)
    return {group: math.ceil(count / SEGMENT)
            for group, count in rows.items()}


def count_blocks(first, end):
    """The aligned blocks of 2^k segments of which the segments of a group from
    `first` on, not 0, consist, if no two of them make a larger one."""
    blocks = 0
    while first < end:
        size = first & -first
        while first + size > end:
            size //= 2
        first += size
        blocks += 1
    return blocks


class Sent(Mpi):
    """Bytes of sums that ranks send, by the table of docs/scale.md."""

    def bytes_of_node(self, model, train):
        """Of the sums of one, which a file of sums has, too."""
        survey, sums = self.dir / "all.survey", self.dir / "all.sums"
        self.succeed(model, "survey", train, "-o", survey)
        self.succeed(model, "sums", train, "--survey", survey, "-o", sums)
        content = sums.read_bytes()
        size, = struct.unpack_from("<Q", content)
        _, width = json.loads(content[8:8 + size])["sums"]["shape"]
        return 24 + 8 * width

    def nodes_of(self, model, train, count):
        """The ranks that send nodes of a group, of all groups, and the nodes.
        A rank has what is a part of as many; `model` can split."""
        folder = self.dir / f"parts-{count}"
        self.succeed(model, "split", train, "--parts", count, "-o", folder)
        self.assertEqual(len(list(folder.iterdir())), count)
        senders, blocks, seen = 0, 0, collections.Counter()
        for i in range(count):
            for group, segments in segments_of(
                    folder / f"part-{i + 1}.csv").items():
                first = seen[group]
                seen[group] += segments
                if first > 0:
                    own = count_blocks(first, first + segments)
                    self.assertLessEqual(own, 2 * math.log2(segments) + 1)
                    blocks += own
                    senders += 1
        self.assertGreater(senders, 0)
        return senders, blocks

    def timings(self, count, model, train):
        _, printed = self.fit_ranks(count, model, train, "--timings=json")
        return json.loads(printed.strip().splitlines()[-1])

    @staticmethod
    def besides(count):
        """What all ranks send in an exchange of nodes that has none."""
        return count * (16 * (count - 1) + 8)

    def check(self, model, train, counts):
        node = self.bytes_of_node(model, train)
        for count in counts:
            senders, blocks = self.nodes_of(model, train, count)
            sent = self.timings(count, model, train)["bytes of sums sent"]
            with self.subTest(ranks=count, node=node):
                self.assertLessEqual(sent, blocks * node + self.besides(count))
                self.assertGreaterEqual(sent, senders * node)

    def test_conjugate_gradients(self):
        # Of a group on all ranks.
        formula = "y ~ l(a) + s(d, k=60) + s(a, k=60)"
        model = self.compile(formula, "--solver=cg", name="iterated")
        direct = self.compile(formula)
        train = self.write(rows_of(31 * SEGMENT))
        info = json.loads(self.succeed(model, "info", "--format=json"))
        width = info["columns"]
        use, = info["ranks"]["uses"]
        for count in (2, 3):
            senders, blocks = self.nodes_of(direct, train, count)
            self.assertEqual(senders, count - 1)
            told = self.timings(count, model, train)
            products = told["iterations"]
            self.assertGreater(products, 9)
            # A product's vector goes out, and its nodes come back. Before them
            # the right-hand side and the blocks are summed once.
            least = products * senders * (16 + 8 * width + 24 + 8 * width)
            most = (products * (senders * (16 + 8 * width)
                                + blocks * (24 + 8 * (width + 3))
                                + self.besides(count))
                    + senders * 16 + blocks * use["per_node"]
                    + self.besides(count))
            with self.subTest(ranks=count, products=products, least=least):
                self.assertLessEqual(told["bytes of sums sent"], most)
                self.assertGreaterEqual(told["bytes of sums sent"], least)

    def test_several_groups(self):
        model = self.compile(FORMULA, group="g", date="date")
        train = self.write(rows_of(22 * SEGMENT + 5, 40, 9 * SEGMENT + 1, 70))
        self.check(model, train, (2, 3, 4))

    def test_one_group(self):
        model = self.compile("y ~ l(a) + s(d, k=20)")
        train = self.write(rows_of(31 * SEGMENT))
        self.check(model, train, (2, 3))


class Choices(Mpi):
    """Penalties that are chosen from the sums of all ranks."""

    def tune_ranks(self, count, model, train, *options):
        path = self.dir / f"tuned-{count}.safetensors"
        run = self.run_ranks(count, model, "tune", train, "-o", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path.read_bytes(), run.stdout

    def assert_same_choice(self, model, train, *options, counts=(2, 3)):
        """The same weights and the same table as by one process, from one file
        and from several."""
        path = self.dir / "w"
        run = self.run_program(model, "tune", train, "-o", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        expected = path.read_bytes(), run.stdout
        pattern = self.cut(train, 4, folder="cut" + "".join(options))
        for count in counts:
            with self.subTest(options=options, ranks=count):
                self.assertEqual(
                    self.tune_ranks(count, model, train, *options), expected)
        with self.subTest(options=options):
            got = self.run_program(model, "tune", pattern, "-o", path, *options)
            self.assertEqual((path.read_bytes(), got.stdout), expected,
                             got.stderr)

    def test_criteria(self):
        # A group on two ranks, and ranks that solve none.
        model = self.compile(FORMULA, group="g", date="date", weights="k")
        rows = shuffled(rows_of(2 * SEGMENT + 5, 400, 300))
        train = self.write([row for row in rows if row.split(",")[5] != "b"])
        self.assert_same_choice(model, train, counts=(1, 2, 4))
        self.assert_same_choice(model, train, "--criterion=reml",
                                "--format=json")
        self.assert_same_choice(model, train, "--per-group", "--candidates=-9,0")

    def test_both_solvers(self):
        # The systems are those of the direct solver.
        model = self.compile(FORMULA, "--solver=auto")
        self.assert_same_choice(model, self.write(rows_of(500)), counts=(2,))

    def test_inference(self):
        # Of a group that would be on two ranks, too.
        model = self.compile(FORMULA, group="g", date="date", weights="k")
        rows = shuffled(rows_of(2 * SEGMENT + 5, 400, 300))
        train = self.write([row for row in rows if row.split(",")[5] != "b"])
        self.assert_same(model, train, self.cut(train, 3), counts=(1, 2, 3, 4),
                         options=["--inference"])
        self.assertRegex(self.fit_ranks(2, model, train, "--inference")[1],
                         "note: --inference adds [0-9]+ bytes to the weights")
        self.assert_same_choice(model, train, "--inference")
        self.assert_same_choice(model, train, "--inference", "--per-group",
                                "--candidates=-9,0", counts=(3,))
        model = self.compile("y ~ l(a) + pid(d, w=3)", group="g", date="date")
        self.assert_same(model, train, counts=(3,), options=["--inference"])

    def test_blocks(self):
        # Rank 0 gets at most 16 MB at a time: here each rank has more in its
        # equations, and in its covariances.
        model = self.compile("y ~ l(a) + s(d, k=110)", group="g")
        train = self.write(rows_of(*[4] * 700))
        path = self.dir / "w"
        options = ["--inference", "--candidates=-9,0"]
        run = self.run_program(model, "tune", train, "-o", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        expected = path.read_bytes()
        self.assertGreater(len(expected), 2.05 * BLOCK)
        weights, printed = self.tune_ranks(2, model, train, *options)
        self.assertEqual(printed, run.stdout)
        self.assertTrue(weights == expected)  # Else it would print all.

    def test_errors(self):
        model = self.compile("y ~ l(a)", group="g")
        train = self.write(rows_of(40, 40))
        # Its squares overflow, which rank 0 finds when it chooses.
        large = self.write((row.rsplit(",", 1)[0] + f",{i % 7}e200\n"
                            for i, row in enumerate(rows_of(40, 40))),
                           name="large.csv")
        out = self.dir / "out"
        out.mkdir()
        grid = self.compile("y ~ s(a, k=$k)", name="grid", grid="{k: [4, 8]}")
        for tuned, options, message in (
                (model, [large], "expected a finite GCV score, got an overflow"),
                (grid, [train, "--grid"], "one process for --grid")):
            run = self.run_ranks(2, tuned, "tune", *options, "-o", out / "w")
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertEqual(len(re.findall("error: ", run.stderr)), 1,
                             run.stderr)
            self.assertRegex(run.stderr, message)
            self.assertEqual(list(out.iterdir()), [])
        run = self.run_ranks(2, model, "tune", self.fit(model, train), "-o",
                             out / "w")
        self.assertRegex(run.stderr, "error: expected rows, which ranks")


class Files(Mpi):
    def test_one_process(self):
        # The program expands a pattern in quotes also without MPI.
        model = self.compile(FORMULA, group="g", date="date")
        train = self.write(shuffled(rows_of(9000, 40)))
        self.assertEqual(self.fit(model, self.cut(train, 4)).read_bytes(),
                         self.fit(model, train).read_bytes())

    def test_files_without_rows(self):
        """Some of several files, plain or compressed, with or without a last
        line end: the first, the last and those between."""
        model = self.compile("y ~ l(a) + c(h, n_cat=3, levels=True)",
                             group="g", date="date")
        train = self.write(rows_of(900, 40))
        pattern = self.cut(train, 4)
        for i, end in enumerate(("", "\n", "\r\n", "\n\n\n")):
            name = f"rows-{('0', '00a', '02a', '04')[i]}.csv"
            (pattern.parent / name).write_bytes(
                (ranks.COLUMNS.rstrip() + end).encode())
            with gzip.open(pattern.parent / f"{name}.gz", "wb") as file:
                file.write((ranks.COLUMNS.rstrip() + end).encode())
        pattern = pattern.parent / "rows-*"
        expected = self.fit(model, train)
        self.assert_same(model, train, pattern, counts=(2, 5, 13))
        self.assertEqual(self.fit(model, pattern, weights="p").read_bytes(),
                         expected.read_bytes())
        self.assertEqual(
            self.predict(model, pattern, expected, output="p.csv").read_bytes(),
            self.predict(model, train, expected, output="t.csv").read_bytes())
        # Their columns count.
        last = pattern.parent / "rows-04.csv"
        last.write_text(ranks.COLUMNS.replace(",a,", ",e,"))
        run = self.run_program(model, "fit", pattern, "-o", "w")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"error: {last}: expected the columns of ", run.stderr)
        # Some file must have rows.
        last.unlink()
        for path in pattern.parent.glob("rows-0[0-3].csv"):
            path.unlink()
        for command in ("fit", "predict"):
            run = self.run_program(
                model, command, pattern, "-o", "w",
                *["--weights", expected] * (command == "predict"))
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"error: {pattern.parent}/rows-0.csv: no rows after "
                          "the header", run.stderr)
        path = self.write([])
        for count in (1, 2):
            self.assertEqual(self.fail_ranks(count, model, path),
                             f"{path}: no rows after the header")

    def test_name_with_a_bracket(self):
        model = self.compile("y ~ l(a)")
        train = self.write(rows_of(40), "[a].csv")
        self.assertEqual(
            self.fit(model, train).read_bytes(),
            self.fit(model, self.write(rows_of(40))).read_bytes())

    def test_errors(self):
        model = self.compile("y ~ l(a)")
        train = self.write(rows_of(900))
        pattern = self.cut(train, 3)
        other = pattern.parent / "rows-03.csv"

        def message(*arguments):
            run = self.run_program(model, "fit", pattern, "-o", "w",
                                   *arguments)
            self.assertEqual(run.returncode, 1)
            return run.stderr
        other.write_text("date,g,a,y\n1,2,3,4\n")
        self.assertIn(
            f"{other}: expected the columns of '{pattern.parent}/rows-00.csv',"
            " 'date', 'g', 'a', 'd', 'k', 'h', 'y', got 'date', 'g', 'a', 'y'",
            message())
        other.write_text("")
        self.assertIn(f"{other}: empty file, expected a header", message())
        other.unlink()
        self.assertIn("expected a fit of one file by one process for --stream",
                      message("--stream"))
        kept = pattern.parent / "rows-01.csv"
        before = kept.read_bytes()
        run = self.run_program(model, "fit", pattern, "-o", kept)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{kept}: expected a file of its own for the output, got "
                      "the data of the run", run.stderr)
        self.assertEqual(kept.read_bytes(), before)
        for path in pattern.parent.iterdir():
            path.unlink()
        self.assertIn(f"{pattern}: expected files of such names, got none",
                      message())


class Errors(Mpi):
    def test_bad_row(self):
        # The first in the files, on any rank, with the line of its file.
        model = self.compile("y ~ l(a)", group="g")
        rows = rows_of(4000)
        for i in (1500, 3900):
            rows[i] = rows[i].replace("0,", "x,", 1).rsplit(",", 1)[0] + ",?\n"
        pattern = self.cut(self.write(rows), 2)
        whole = self.fail_ranks(3, model, self.dir / "train.csv")
        self.assertEqual(
            whole, f"{self.dir}/train.csv: line 1502: column 'y': expected a "
                   "number, got '?'")
        lines = (pattern.parent / "rows-00.csv").read_text().count("\n")
        file, line = ("rows-00.csv", 1502) if lines > 1501 else (
            "rows-01.csv", 1502 - lines + 1)
        self.assertEqual(
            self.fail_ranks(4, model, pattern),
            f"{pattern.parent}/{file}: line {line}: column 'y': expected a "
            "number, got '?'")

    def test_solve(self):
        # An error of the rank that solves the group.
        model = self.compile("y ~ l(a)", group="g")
        rows = rows_of(4000, 4000)
        rows[-1] = rows[-1].rsplit(",", 1)[0] + ",1e308\n"
        rows[-2] = rows[-2].rsplit(",", 1)[0] + ",1e308\n"
        train = self.write(rows)
        run = self.run_program(model, "fit", train, "-o", "w")
        self.assertEqual(
            self.fail_ranks(2, model, train),
            re.search("error: (.*)", run.stderr)[1])

    def test_others(self):
        model = self.compile("y ~ l(a)", group="g")
        train = self.write(rows_of(40))
        self.assertIn("No such file", self.fail_ranks(2, model,
                                                      self.dir / "none.csv"))
        self.assertIn("expected a fit of one file by one process for "
                      "--calibrate",
                      self.fail_ranks(2, model, train, "--calibrate", "0.2"))
        self.assertIn("expected no --checkpoint of a fit with --inference",
                      self.fail_ranks(2, model, train, "--inference",
                                      "--checkpoint", self.dir / "kept"))
        self.assertIn("--unknown",
                      self.fail_ranks(2, model, train, "--unknown"))
        run = self.run_ranks(2, model, "info")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(re.findall(
            "error: expected fit, tune, predict, decompose or adapt, which 2 "
            "ranks of MPI do together",
            run.stderr)), 1, run.stderr)

    def test_no_library(self):
        model = self.compile("y ~ l(a)")
        train = self.write(rows_of(40))
        env = dict(os.environ, OMPI_COMM_WORLD_SIZE="2",
                   TAMRT_BACKEND_PATH=str(self.dir))
        run = self.run_program(model, "fit", train, "-o", "w", env=env)
        self.assertEqual(run.returncode, 1)
        self.assertIn("error: expected libtamrt-mpi.so, because the program "
                      "was started under MPI (OMPI_COMM_WORLD_SIZE=2; "
                      "TAMRT_MPI=0 ignores that): there is none", run.stderr)
        (self.dir / "libtamrt-mpi.so").write_text("no library")
        run = self.run_program(model, "fit", train, "-o", "w", env=env)
        self.assertIn(f"{self.dir}/libtamrt-mpi.so", run.stderr)
        # A program that a rank starts, or one rank alone, needs none.
        self.fit(model, train, env=env | {"TAMRT_MPI": "0"})
        self.fit(model, train, env=env | {"OMPI_COMM_WORLD_SIZE": "1"})

    def test_loss_of_a_rank(self):
        model = self.compile(FORMULA, group="g")
        train = self.write(rows_of(3000) * 300)
        out = self.dir / "out"
        out.mkdir()
        command, env = self.ranks(3, model, "fit", train, "-o",
                                  out / "w.safetensors")
        # On a busy machine it may take longer: the best of three.
        for _ in range(3):
            with subprocess.Popen(command, env=env, cwd=self.dir, text=True,
                                  stderr=subprocess.PIPE) as run:
                rank = self.stop_rank(run, model, lambda folder: any(
                    os.readlink(file) == str(train)
                    for file in (folder / "fd").iterdir()))
                start = time.monotonic()
                os.kill(rank, signal.SIGKILL)
                _, printed = run.communicate(timeout=harness.PATIENCE)
            seconds = time.monotonic() - start
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("signal 9", printed)
            self.assertEqual(list(out.iterdir()), [])
            if seconds < 10:
                break
        self.assertLess(seconds, 10)

    def run_failing(self, model, arguments, script):
        """A run on two ranks, the second one started by `script`, under a
        launcher that does not end them if one ends before the others."""
        command, env = self.ranks(1, model, *arguments)
        first = command[command.index("-n"):]
        # An abort makes mpirun read memory that it has freed.
        env.pop("GLIBC_TUNABLES", None)
        # It would end the others itself, which srun does not.
        env |= {"OMPI_MCA_orte_abort_on_non_zero_status": "0",
                "OMPI_MCA_orte_allowed_exit_without_sync": "1"}
        return self.run_program(*command, ":", *first[:2], "sh", "-c", script,
                                "sh", *first[2:], env=env)

    @unittest.skipIf(harness.SANITIZE, "sanitizers reserve address space")
    def test_rank_without_memory(self):
        """A rank that has no memory tells that and ends the others, whatever
        its launcher does about ranks that end before the others."""
        model = self.compile(FORMULA, group="g")
        train = self.write(rows_of(3000) * 300)
        out = self.dir / "out"
        out.mkdir()
        # The limit decides whether MPI starts, and whether the fit fits.
        limit = 400
        while limit > 40:
            limit *= .95
            run = self.run_failing(
                model, ["fit", train, "-o", out / "w.safetensors"],
                f'ulimit -v {round(limit * 1000)}; exec "$@"')
            if run.returncode != 0 and "error: out of memory: " in run.stderr:
                break
            for path in out.iterdir():
                path.unlink()
        self.assertRegex(run.stderr, "error: out of memory: ")
        self.assertEqual(list(out.iterdir()), [])

    @unittest.skipIf(harness.SANITIZE, "a sanitizer wants to be loaded first")
    def test_rank_without_memory_for_an_exception(self):
        """The same if there is none even for the exception that would say so,
        here at the first sum over the ranks."""
        source, library = self.dir / "end.c", self.dir / "end.so"
        source.write_text("""
            #include <stddef.h>
            void *__libc_malloc(size_t bytes);
            void terminate(void) __asm__("_ZSt9terminatev");
            static int fails;
            void *malloc(size_t bytes) {
              if (!fails)
                return __libc_malloc(bytes);
              fails = 0;
              return NULL;
            }
            int MPI_Allreduce(void) {
              fails = 1;
              terminate();
              return 0;
            }
            """)
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library],
                       check=True)
        model = self.compile(FORMULA, group="g")
        train = self.write(rows_of(3000))
        out = self.dir / "out"
        out.mkdir()
        run = self.run_failing(
            model, ["fit", train, "-o", out / "w.safetensors"],
            f'export LD_PRELOAD="{library}"; exec "$@"')
        self.assertIn("error: out of memory: there is none for the exception",
                      run.stderr)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(list(out.iterdir()), [])

    def test_checkpoint(self):
        # The rows are those of many groups, of which a loss leaves some.
        model = self.compile("y ~ s(a, k=90) + s(d, k=90)", group="g")
        train = self.write(shuffled(rows_of(*[2000] * 60)))
        expected = self.fit(model, train).read_bytes()
        out = self.dir / "out"
        out.mkdir()
        kept = out / "fit.checkpoint"
        options = ["--checkpoint", kept, "--threads", 1]
        command, env = self.ranks(2, model, "fit", train, "-o",
                                  out / "w.safetensors", *options)
        with subprocess.Popen(command, env=env, cwd=self.dir, text=True,
                              stderr=subprocess.PIPE) as run:
            os.kill(self.stop_rank(run, model, lambda folder: kept.exists()
                                   and not list(out.glob(".*"))),
                    signal.SIGKILL)
            run.communicate(timeout=harness.PATIENCE)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(list(out.iterdir()), [kept])
        saved = kept.read_bytes()

        # By another number of ranks, and by one process.
        got, printed = self.fit_ranks(3, model, train, *options)
        self.assertEqual(got, expected)
        had = re.search(r"note: .*fit.checkpoint: had (\d+) of 60 groups",
                        printed)
        self.assertTrue(had and 0 < int(had[1]) < 60, printed)
        self.assertFalse(kept.exists())
        kept.write_bytes(saved)
        self.assertEqual(self.fit(model, train, *options).read_bytes(),
                         expected)

        # Other rows, another order of the rows, other penalties.
        kept.write_bytes(saved)
        rows = train.read_text().splitlines(keepends=True)[1:]
        for other, more in ((train, ["--ap", "a=3"]),
                            (self.write(rows[1:], "other.csv"), []),
                            (self.write(rows[::-1], "order.csv"), [])):
            run = self.run_program(model, "fit", other, "-o", "w", *options,
                                   *more)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"{kept}: expected the checkpoint of a fit of these "
                          "rows with these options, got that of others",
                          run.stderr)
        kept.write_bytes(saved[:-8])
        run = self.run_program(model, "fit", train, "-o", "w", *options)
        self.assertIn(f"error: {kept}: ", run.stderr)


if __name__ == "__main__":
    harness.main()
