# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unusual data and files: each works as a user expects or is an error of one
line, exit status 1, and the same files as before."""

import csv
import gzip
import io
import json
import math
import os
import pathlib
import random
import resource
import signal
import stat
import struct
import subprocess
import time

import small
from small import harness

COLUMNS = ["date", "g", "a", "k", "y"]


class Hostile(harness.TestCase):
    """One model and good weights, outside the test's own folder."""

    @classmethod
    def setUpClass(cls):
        holder = harness.TestCase()
        holder.setUp()
        cls.addClassCleanup(holder.doCleanups)
        # A test may become another user.
        holder.dir.chmod(0o755)
        cls.model = holder.compile(
            "y ~ l(a) + s(a, k=5) + c(k, n_cat=3)", **small.KEYS)
        cls.plain = "\n".join(
            [",".join(COLUMNS)]
            + [",".join(row[c] for c in COLUMNS)
               for row in small.rows()]) + "\n"
        train = holder.dir / "t.csv"
        train.write_text(cls.plain)
        cls.weights = holder.fit(cls.model, train)
        cls.expected = harness.read_csv(
            holder.predict(cls.model, train, cls.weights))

    def setUp(self):
        super().setUp()
        self.input = self.dir / "in.csv"
        self.output = self.dir / "w.safetensors"

    def listing(self):
        return sorted(str(path.relative_to(self.dir))
                      for path in self.dir.rglob("*"))

    def give(self, data):
        self.input.write_bytes(
            data if isinstance(data, bytes) else data.encode())

    def fails(self, *arguments, says=(), **options):
        before = self.listing()
        run = subprocess.run(
            [str(self.model), *map(str, arguments)], cwd=self.dir,
            capture_output=True, timeout=harness.PATIENCE, check=False,
            **{"stdin": subprocess.DEVNULL, **options})
        stderr = run.stderr.decode("utf-8", "replace")
        self.assertEqual(run.returncode, 1, f"{arguments}\n{stderr}")
        self.assertEqual(len(stderr.splitlines()), 1, stderr)
        self.assertLess(len(stderr), 4000, stderr[:400])
        self.assertIn("error: ", stderr)
        for text in says:
            self.assertIn(text, stderr)
        self.assertEqual(self.listing(), before)
        return stderr

    def fit_fails(self, data, *says, **options):
        self.give(data)
        self.fails("fit", self.input, "-o", self.output, says=says, **options)

    def both_fail(self, data, *says):
        self.fit_fails(data, *says)
        self.fails("predict", self.input, "--weights", self.weights, "-o",
                   self.dir / "out.csv", says=says)

    def as_before(self, data):
        """`data` is another spelling of the training data."""
        self.give(data)
        weights = self.fit(self.model, self.input)
        self.assertEqual(weights.read_bytes(), self.weights.read_bytes())
        table = harness.read_csv(
            self.predict(self.model, self.input, weights))
        self.assertEqual([row["prediction"] for row in table],
                         [row["prediction"] for row in self.expected])


class Spelling(Hostile):
    """The same data in other spellings."""

    def test_byte_order_mark(self):
        self.as_before("\ufeff" + self.plain)

    def test_carriage_returns(self):
        self.as_before(self.plain.replace("\n", "\r\n"))
        self.as_before("\ufeff" + self.plain.replace("\n", "\r\n") + "\r\n\r\n")

    def test_no_final_newline(self):
        self.as_before(self.plain.rstrip("\n"))
        self.as_before(self.plain + "\n\n\n")

    def test_quotes_around_all(self):
        lines = self.plain.splitlines()
        self.as_before("\n".join(
            ",".join(f'"{field}"' for field in line.split(","))
            for line in lines) + "\n")

    def test_columns_nobody_reads(self):
        # Commas, line ends, quotes, other encodings, in any other column.
        extra = [b'"a,b"', b'"two\nlines"', b'"say ""no"""', b"caf\xe9",
                 "zw\u00f6lf".encode(), b"'", b"\t", b"NA", b""]
        lines = self.plain.encode().splitlines()
        self.as_before(b"note," + lines[0] + b"\n" + b"".join(
            extra[i % len(extra)] + b"," + line + b"\n"
            for i, line in enumerate(lines[1:])))

    def test_blanks_around_names_and_numbers(self):
        lines = self.plain.splitlines()
        body = [line.split(",") for line in lines[1:]]
        self.as_before(" date ,\tg, a,k ,y\n" + "".join(
            f"{d},{g}, {a} ,\t{k},{y} \n" for d, g, a, k, y in body))

    def test_columns_in_another_order(self):
        body = [line.split(",") for line in self.plain.splitlines()]
        self.as_before("".join(",".join(reversed(row)) + "\n" for row in body))

    def test_other_spellings_of_numbers(self):
        body = [line.split(",") for line in self.plain.splitlines()[1:]]
        spell = [lambda v: "+" + v if v[0] != "-" else v,
                 lambda v: repr(float(v)) + "e0",
                 lambda v: v + "000" if "e" not in v else v,
                 lambda v: v.replace("0.", ".", 1) if v.startswith("0.") else v]
        self.as_before(",".join(COLUMNS) + "\n" + "".join(
            f"{d},{g},{spell[i % 4](a)},{k}.0,{y}\n"
            for i, (d, g, a, k, y) in enumerate(body)))

    def test_standard_input(self):
        for arguments in (["fit", "-", "-o", "-"], ["fit", "-", "-o",
                                                    str(self.output)]):
            run = subprocess.run([self.model, *arguments],
                                 input=self.plain.encode(), cwd=self.dir,
                                 capture_output=True, check=True)
            got = (run.stdout if arguments[-1] == "-"
                   else self.output.read_bytes())
            self.assertEqual(got, self.weights.read_bytes())

    def test_pipe_as_a_file(self):
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        writer = subprocess.Popen(
            ["cp", "/dev/stdin", str(pipe)], stdin=subprocess.PIPE)
        reader = subprocess.Popen([self.model, "fit", pipe, "-o", self.output])
        writer.communicate(self.plain.encode())
        self.assertEqual(reader.wait(harness.PATIENCE), 0)
        self.assertEqual(self.output.read_bytes(), self.weights.read_bytes())

    def test_a_huge_field_nobody_reads(self):
        lines = self.plain.splitlines()
        huge = '"' + "x,\n" * 349_000 + '"'
        self.as_before("note," + lines[0] + "\n" + "".join(
            (huge if i == 7 else "") + "," + line + "\n"
            for i, line in enumerate(lines[1:])))

    def test_a_stray_quote(self):
        """Reading ends at the size limit of a field."""
        lines = self.plain.splitlines()
        stray = "\n".join(["note," + lines[0], '"x,' + lines[1],
                           *(["," + lines[2]] * 100_000)])
        for options in ([], ["--stream"]):
            self.input.write_text(stray)
            self.fails("fit", self.input, "-o", self.output, *options,
                       says=["in.csv: line 2: expected a field of at most "
                             "1048576 bytes, got more; is the quote that opens "
                             "it closed?"])

    def test_a_million_columns(self):
        lines = self.plain.splitlines()
        names = ",".join(f"c{i}" for i in range(1_000_000))
        fields = "," * 999_999
        self.as_before(names + "," + lines[0] + "\n" + "".join(
            fields + "," + line + "\n" for line in lines[1:]))

    def test_groups_with_commas_and_lines(self):
        for name in ("a,b", 'say "no"', "two\nlines", "tab\there", " x ",
                     "zw\u00f6lf", "=1+1"):
            with self.subTest(name):
                quoted = '"' + name.replace('"', '""') + '"'
                self.give(self.plain.replace("G1", quoted))
                weights = self.fit(self.model, self.input)
                table = harness.read_csv(
                    self.predict(self.model, self.input, weights))
                self.assertEqual({row["g"] for row in table}, {"G0", name})
                groups = self.coefficients_text(weights)
                self.assertEqual({row["g"] for row in groups}, {"G0", name})

    def coefficients_text(self, weights):
        text = self.succeed(self.model, "coefficients", "--weights", weights)
        return [{"g": row["group"]}
                for row in csv.DictReader(io.StringIO(text, newline=""))]


class Refused(Hostile):
    """Files that are invalid in any format."""

    def spoiled(self, column, value, line=27):
        lines = self.plain.splitlines()
        fields = lines[line - 1].split(",")
        fields[COLUMNS.index(column)] = value
        lines[line - 1] = ",".join(fields)
        return "\n".join(lines) + "\n"

    def test_text_that_is_no_number(self):
        for value in ("0x1F", "1,5", '"1,234.5"', "1 234", "1e", "--1", "1.2.3",
                      "12%", "#N/A", "nul", "Nones", "true", "1d5", "\u0661",
                      "1_000", "\u22125"):
            with self.subTest(value):
                if "," in value and '"' not in value:
                    self.both_fail(self.spoiled("a", value),
                                   "in.csv: line 27: ", "expected 5 fields")
                else:
                    self.both_fail(self.spoiled("a", value),
                                   "in.csv: line 27: column 'a'",
                                   "expected a number, got")

    def test_numbers_that_no_double_holds(self):
        for value in ("1e400", "-1e400", "1" + "0" * 400):
            self.both_fail(self.spoiled("a", value),
                           "in.csv: line 27: column 'a'",
                           "expected a number that a double can hold")

    def test_not_finite(self):
        for value, got in (("inf", "infinity"), ("-Infinity", "infinity"),
                           ("nan", "a missing value"), ("NA", "a missing"),
                           ("", "a missing value")):
            with self.subTest(value):
                self.both_fail(self.spoiled("a", value),
                               "in.csv: line 27: column 'a': group 'G1'", got)

    def test_levels_declared_missing(self):
        self.give("k,y\n1,2\n2,3\n-99,4\n")
        profile = harness.write_csv(self.dir / "profile.csv",
                                    [{"k": 1, "y": 2}, {"k": 2, "y": 3}])
        model = self.compile("y ~ c(k)", "--profile", profile, name="levels")
        for more in ([], ["--stream"]):
            run = self.run_program(model, "fit", self.input, "-o", "w",
                                   "--missing=-99", *more)
            self.assertEqual(run.returncode, 1)
            self.assertIn("in.csv: line 4: column 'k': expected a finite "
                          "value, got a missing value", run.stderr)

    def test_small_numbers_are_zero(self):
        self.give(self.spoiled("a", "0"))
        zero = self.fit(self.model, self.input).read_bytes()
        for value in ("1e-400", "-1e-400", "0." + "0" * 400 + "1"):
            self.give(self.spoiled("a", value))
            self.assertEqual(self.fit(self.model, self.input).read_bytes(),
                             zero)

    def test_a_long_text_is_cut(self):
        self.both_fail(self.spoiled("a", "z" * 1_000_000), "'zzz", "...'")

    def test_columns_that_stand_twice(self):
        head, rest = self.plain.split("\n", 1)
        self.both_fail(head.replace("k", "a") + "\n" + rest,
                       "in.csv: line 1: ", "'a' appears twice")

    def test_empty_lines_between(self):
        lines = self.plain.splitlines()
        for line in ("", "\r"):
            self.both_fail("\n".join(lines[:9] + [line] + lines[9:]) + "\n",
                           "in.csv: line 10: ", "an empty line")

    def test_other_separators(self):
        for separator in (";", "\t", "|"):
            self.both_fail(self.plain.replace(",", separator), "in.csv: ",
                           "no column 'g'")

    def test_no_header(self):
        self.both_fail(self.plain.split("\n", 1)[1], "no column 'g'")

    def test_quotes_that_do_not_match(self):
        self.both_fail(self.spoiled("g", '"G1'), "in.csv: line 27: ", "closed")
        self.both_fail(self.spoiled("g", 'G"1'), "in.csv: line 27: ", "quote")
        self.both_fail(self.spoiled("g", '"G"1'), "in.csv: line 27: ", "quote")

    def test_old_macintosh_lines(self):
        self.both_fail(self.plain.replace("\n", "\r"), "in.csv: line 1: ",
                       "carriage return")

    def test_zero_bytes(self):
        self.both_fail(self.spoiled("a", "1\0"), "line 27: ", "zero byte")
        self.both_fail(b"\0" * 4096, "zero byte")

    def test_other_formats(self):
        for name, data in (("gzip", gzip.compress(gzip.compress(
                               self.plain.encode()))),
                           ("UTF-16", self.plain.encode("utf-16")),
                           ("zip or Excel", b"PK\x03\x04" + b"x" * 100),
                           ("Parquet", b"PAR1" + b"x" * 100),
                           ("xz", b"\xfd7zXZ\0" + b"x" * 100),
                           ("bzip2", b"BZh91AY&SY" + b"x" * 100)):
            with self.subTest(name):
                self.both_fail(data, f"expected CSV in UTF-8, got {name} data")

    def test_noise(self):
        rng = random.Random(1)
        for length in (1, 2, 3, 10, 1000, 100_000):
            data = bytes(rng.randrange(256) for _ in range(length))
            self.fit_fails(data, "in.csv: ")

    def test_group_that_is_not_utf8(self):
        self.fit_fails(self.plain.encode().replace(b"G1", b"G\xe9"),
                       "column 'g'", "UTF-8")

    def test_a_million_columns_and_none_that_is_asked_for(self):
        names = ",".join(f"c{i}" for i in range(1_000_000))
        self.both_fail(names + "\n" + "," * 999_999 + "\n", "no column 'g'",
                       "c0, c1", "999960 more")

    def test_directories_and_devices(self):
        for path in (self.dir, pathlib.Path("/")):
            self.fails("fit", path, "-o", self.output,
                       says=["cannot read: Is a directory"])
            self.fails("predict", path, "--weights", self.weights,
                       says=["cannot read: Is a directory"])
        self.fails("fit", "/dev/null", "-o", self.output,
                   says=["/dev/null: empty file"])
        self.fails("fit", "/dev/zero", "-o", self.output, says=["zero byte"])
        self.give(self.plain)
        for path in (self.dir, "/dev/null", "/dev/zero", self.input):
            self.fails("predict", self.input, "--weights", path)

    def test_empty_standard_input(self):
        self.fails("fit", "-", "-o", self.output,
                   says=["standard input: empty file"])

    def test_closed_standard_input(self):
        self.fails("fit", "-", "-o", self.output, says=["standard input: "],
                   stdin=None, preexec_fn=lambda: os.close(0))

    def test_far_beyond_the_training_rows(self):
        self.give(self.spoiled("a", "1.7e308"))
        for type in ("terms", "design"):
            self.fails("predict", self.input, "--weights", self.weights, "-o",
                       self.dir / "out.csv", "--type", type,
                       says=["in.csv: line 27: group 'G1': term ", "(a",
                             ": expected a finite number"])
        # A prediction does not compute the design's row: beyond the range it is
        # a line, which is finite here and overflows only if its slope does.
        self.succeed(self.model, "predict", self.input, "--weights",
                     self.weights, "-o", self.dir / "out.csv")
        far = (self.dir / "out.csv").read_text().splitlines()[26]
        self.assertTrue(math.isfinite(float(far.rsplit(",", 1)[1])), far)

    def test_codes_that_overflow(self):
        # Weights with such a range could not be read again.
        rows = [line.split(",") for line in self.plain.splitlines()]
        rows[26][3], rows[27][3] = "-8e307", "1.7e308"
        self.fit_fails("".join(",".join(row) + "\n" for row in rows),
                       "in.csv: column 'k': group 'G1': ",
                       "expected values whose range is finite")

    def test_sums_that_overflow(self):
        rows = [line.split(",") for line in self.plain.splitlines()]
        for row in rows[22:]:
            row[4] = "1.7e308"
        self.fit_fails("".join(",".join(row) + "\n" for row in rows),
                       "in.csv: group 'G1': effect ", "finite coefficients")


class Levels(Hostile):
    def test_mean_of_the_trained_levels(self):
        """A model with room for five levels, of which four were trained: an
        unseen one has the mean effect of the four."""
        for topo in ("nominal", "ordinal"):
            model = self.compile(
                f"y ~ c(d, n_cat=5, levels=True, unseen=mean, topo={topo})",
                name=topo)
            rng = random.Random(1)
            train = harness.write_csv(self.dir / "t.csv", [
                {"d": level, "y": repr(i + 10 + rng.gauss(0, 0.1))}
                for level, i in zip("abcd" * 10, range(40))])
            weights = self.fit(model, train)
            beta = self.coefficients(model, weights)[""]
            new = harness.write_csv(self.dir / "n.csv",
                                    [{"d": d} for d in ("b", "zebra")])
            design = harness.read_csv(
                self.predict(model, new, weights, "--type=design"))
            self.assertEqual(list(map(float, design[1].values())),
                             [1, .25, .25, .25, .25, 0])
            terms = harness.read_csv(
                self.predict(model, new, weights, "--type=terms"))
            mean = sum(beta[1:5]) / 4
            self.assertAlmostEqual(float(terms[1]["d"]), mean, delta=1e-9)
            got = harness.read_csv(self.predict(model, new, weights))
            self.assertAlmostEqual(float(got[1]["prediction"]),
                                   beta[0] + mean, delta=1e-9)


class Scales(harness.TestCase):
    def test_powers_of_two(self):
        # Powers of two cause no rounding: predictions have the same bytes in
        # all units, also close to the limits of a double.
        model = self.compile(
            "y ~ l(a) + s(a, k=5) + f(a, m=2) + p(a) + w(a, n_scales=2, "
            "n_locations=3) + n(a, others=b, n_neurons=5) + rbf(a, others=b, "
            "n_centers=4, nu=0.7) + t(a, others=b, n_trees=2, "
            "split_strategy=quantile, sp_alpha=0.5) + lt(a, max_depth=2) + "
            "phys(b, k=5) + pid(a) + te(s(a, k=4), l(b), extrapolate=linear)",
            group="g", date="day")
        rng = random.Random(1)
        rows = [{"g": g, "day": day, "y": repr(rng.gauss(0, 1)),
                 "a": rng.gauss(0, 1), "b": rng.gauss(0, 1)}
                for g in "uv" for day in range(40)]

        def predictions(power):
            tables = []
            for factor, name in ((1, "t.csv"), (1.5, "p.csv")):
                tables.append(harness.write_csv(self.dir / name, [
                    {**row, **{c: repr(math.ldexp(factor * row[c], power))
                               for c in "ab"}} for row in rows]))
            weights = self.fit(model, tables[0])
            return self.predict(model, tables[1], weights).read_bytes()
        plain = predictions(0)
        for power in (1000, -900):
            self.assertEqual(predictions(power), plain, power)


class Outputs(Hostile):
    def setUp(self):
        super().setUp()
        self.give(self.plain)

    def full_device(self):
        """A device that takes nothing: a node of the test's own where that is
        allowed, so that a program that replaces it does no harm."""
        node = self.dir / "full"
        try:
            os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        except PermissionError:
            return pathlib.Path("/dev/full")
        return node

    def test_full_device_stays_what_it_is(self):
        node = self.full_device()
        for arguments in (["fit", self.input],
                          ["predict", self.input, "--weights", self.weights]):
            self.fails(*arguments, "-o", node, says=["No space left"])
            found = node.stat()
            self.assertTrue(stat.S_ISCHR(found.st_mode))
            self.assertEqual(found.st_rdev, os.makedev(1, 7))

    def test_file_size_limit(self):
        # Python ignores SIGXFSZ; restore the default action.
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.fails("fit", self.input, "-o", self.output, preexec_fn=limit,
                   says=["w.safetensors: cannot write: File too large"])

    def test_output_is_an_input(self):
        link = self.dir / "link.csv"
        link.symlink_to("in.csv")
        copy = self.dir / "copy"
        copy.write_bytes(self.weights.read_bytes())
        for output in (self.input, link, "./in.csv"):
            own = "expected a file of its own for the output, got the "
            self.fails("fit", self.input, "-o", output, says=[own + "data"])
            self.fails("predict", self.input, "--weights", copy, "-o", output,
                       says=[own + "data"])
        self.fails("predict", self.input, "--weights", copy, "-o", copy,
                   says=[own + "weights"])
        self.assertEqual(self.input.read_text(), self.plain)
        self.assertEqual(copy.read_bytes(), self.weights.read_bytes())

    def test_output_through_links(self):
        (self.dir / "sub").mkdir()
        target = self.dir / "sub" / "target"
        for there in (False, True):
            link = self.dir / f"link{there}"
            link.symlink_to("sub/target")
            if there:
                target.write_text("old")
            self.succeed(self.model, "fit", self.input, "-o", link)
            self.assertTrue(link.is_symlink())
            self.assertEqual(target.read_bytes(), self.weights.read_bytes())
            target.unlink()
        self.assertEqual(list((self.dir / "sub").iterdir()), [])

    def test_link_to_itself(self):
        link = self.dir / "loop"
        link.symlink_to("loop")
        self.fails("fit", self.input, "-o", link, says=["loop: cannot write"])
        self.assertTrue(link.is_symlink())

    def test_directory_that_is_read_only(self):
        self.dir.chmod(0o755)
        self.input.chmod(0o644)
        locked = self.dir / "locked"
        locked.mkdir(mode=0o555)

        def become():
            # Nothing is denied to root.
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
        self.fails("fit", self.input, "-o", locked / "w", preexec_fn=become,
                   says=["locked/w: cannot write: Permission denied"])

    def test_file_that_is_read_only(self):
        self.dir.chmod(0o777)
        self.input.chmod(0o644)
        self.output.write_text("precious")
        self.output.chmod(0o444)

        def become():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
        self.fails("fit", self.input, "-o", self.output, preexec_fn=become,
                   says=["w.safetensors: cannot write: Permission denied"])
        self.assertEqual(self.output.read_text(), "precious")

    def test_permissions_and_other_names_stay(self):
        self.output.write_text("old")
        self.output.chmod(0o640)
        self.succeed(self.model, "fit", self.input, "-o", self.output)
        self.assertEqual(stat.S_IMODE(self.output.stat().st_mode), 0o640)
        self.assertEqual(self.listing(), ["in.csv", "w.safetensors"])

    def is_writing(self, process):
        """Whether its temporary file has bytes: that of the check before a run
        has none."""
        try:
            # A file without a name, or one of a name of its own.
            return any(os.readlink(file).startswith((f"{self.dir}/#",
                                                     f"{self.dir}/.tamrt-"))
                       and file.stat().st_size > 0 for file in
                       pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
        except OSError:  # Closed meanwhile, or the process has ended.
            return False

    def test_signals_leave_no_file(self):
        # Long enough to be interrupted while writing; the temporary file shows
        # when.
        rows = self.plain.splitlines()
        self.give("\n".join([rows[0]] + rows[1:] * 10_000) + "\n")
        out = self.dir / "out.csv"
        command = [self.model, "predict", self.input, "--weights",
                   self.weights, "--type=design", "-o", out]
        self.succeed(*command)
        whole = out.read_bytes()
        out.unlink()
        before = self.listing()
        numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        try:
            os.close(os.open(self.dir, os.O_RDWR | os.O_TMPFILE))
            numbers.append(signal.SIGKILL)
        except OSError:
            pass  # The file system has no files without a name.
        for number in numbers:
            caught = False
            for _ in range(20):
                process = subprocess.Popen(
                    command,
                    # Without the signals that this process ignores, such as a
                    # hangup under nohup.
                    preexec_fn=lambda: number == signal.SIGKILL or
                    signal.signal(number, signal.SIG_DFL),
                    stderr=subprocess.DEVNULL)
                while process.poll() is None and not caught:
                    caught = self.is_writing(process)
                    time.sleep(0.0005)
                process.send_signal(number)
                status = process.wait(harness.PATIENCE)
                caught = (caught and status == -number and
                          not out.exists())
                if caught:
                    break
                # It was faster.
                self.assertEqual(out.read_bytes(), whole)
                out.unlink()
            self.assertTrue(caught, "never caught while writing")
            self.assertEqual(self.listing(), before)

    def test_broken_pipe(self):
        rows = self.plain.splitlines()
        self.give("\n".join([rows[0]] + rows[1:] * 1000) + "\n")
        process = subprocess.Popen(
            [self.model, "predict", self.input, "--weights", self.weights],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        # Like any filter whose reader has closed the pipe.
        self.assertEqual(process.wait(harness.PATIENCE), -signal.SIGPIPE)
        self.assertEqual(errors, b"")


class Weights(Hostile):
    """Invalid weights files."""

    def setUp(self):
        super().setUp()
        self.give(self.plain)
        self.bad = self.dir / "bad.safetensors"
        good = self.weights.read_bytes()
        self.length = struct.unpack("<Q", good[:8])[0]
        self.head, self.tail = good[8:8 + self.length], good[8 + self.length:]

    def write(self, head, tail):
        head += b" " * (-len(head) % 8)
        self.bad.write_bytes(harness.seal(
            struct.pack("<Q", len(head)) + head + tail))

    def predict_fails(self, *says):
        self.fails("predict", self.input, "--weights", self.bad, "-o",
                   self.dir / "out.csv", says=("bad.safetensors: ",) + says)

    def tensor(self, name):
        """The offset and the number of a tensor's elements in the data."""
        begin, end = json.loads(self.head)[name]["data_offsets"]
        return begin, (end - begin) // 8

    def test_numbers_that_no_fit_leaves(self):
        for name, index, value, says in (
                ("coefficients", 3, math.nan, "finite numbers, got nan"),
                ("coefficients", 0, math.inf, "finite numbers, got inf"),
                ("ranges", 0, -math.inf, "finite numbers, got -inf"),
                ("ranges", 1, 0.0, "half range above 0"),
                ("ranges", 1, -2.0, "half range above 0"),
                ("ranges", 1, math.nan, "finite numbers"),
                ("knots", 0, math.nan, "finite numbers"),
                ("knots", 0, 1.0, "lo below hi"),
                ("knots", 0, -7.0, "from -1 to 1"),
                ("knots", 1, 1e300, "from -1 to 1")):
            with self.subTest(f"{name}[{index}] = {value}"):
                begin, count = self.tensor(name)
                self.assertLess(index, count)
                tail = bytearray(self.tail)
                tail[begin + 8 * index:begin + 8 * index + 8] = struct.pack(
                    "<d", value)
                self.write(self.head, bytes(tail))
                self.predict_fails(f"tensor '{name}': expected", says)

    def test_shapes_and_types(self):
        good = json.loads(self.head)
        for change, says in (
                (lambda h: h.pop("knots"), "no tensor 'knots'"),
                (lambda h: h["coefficients"].update(dtype="I64"),
                 "tensor 'coefficients': expected F64, got I64"),
                (lambda h: h["coefficients"].update(
                    shape=h["coefficients"]["shape"][::-1]),
                 "tensor 'coefficients': expected shape"),
                (lambda h: h["ranges"].update(
                    shape=[h["ranges"]["shape"][0] * 2] +
                    h["ranges"]["shape"][1:]), "tensor 'ranges'"),
                (lambda h: h["__metadata__"].update(groups="[]"), "groups"),
                (lambda h: h["__metadata__"].update(groups='["G0","G0"]'),
                 "groups"),
                (lambda h: h["__metadata__"].update(groups='["G0"]'),
                 "tensor 'coefficients': expected shape"),
                (lambda h: h["__metadata__"].update(groups='"G0"'), "groups"),
                (lambda h: h["__metadata__"].update(inputs="[1]"), "inputs"),
                (lambda h: h["__metadata__"].update(format="tamc weights 9"),
                 "format"),
                (lambda h: h["__metadata__"].pop("spec_hash"), "spec_hash")):
            head = json.loads(json.dumps(good))
            change(head)
            with self.subTest(says):
                tail = self.tail
                if "no tensor" in says:
                    # Tensors must have no gap; renaming one leaves none.
                    head["other"] = good["knots"]
                self.write(json.dumps(head).encode(), tail)
                self.predict_fails(says)


if __name__ == "__main__":
    harness.main()
