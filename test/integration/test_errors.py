# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input: exit status 1, one line with the cause and its location, and the
same files as before."""

import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import stat
import subprocess
import time

import small
from small import harness

# A spec and the expected message. `^` marks the location and is removed;
# without one any location is accepted.
SPECS = {
    "bad YAML": ("name: m\nformula: [y ~ l(a)\n", r"YAML|expected"),
    "not a mapping": ("- y ~ l(a)\n", r"expected"),
    "empty": ("", r"expected"),
    "no formula": ("name: m\n", r"formula"),
    "unknown key": ("name: m\nformula: y ~ l(a)\n^solvr: cg\n", r"solvr"),
    "unknown solver": ("name: m\nformula: y ~ l(a)\nsolver: ^lu\n", r"lu"),
    "unknown term": ("name: m\nformula: y ~ l(a) + ^zz(b)\n",
                     r"unknown term 'zz'"),
    "bare variable": ("name: m\nformula: y ~ ^a\n", r"'?a'?"),
    "k=-1": ("name: m\nformula: y ~ s(x,k=^-1)\n", r"-1"),
    "doubled comma": ("name: m\nformula: y ~ s(x,^,k=4)\n", r"expected"),
    "trailing comma": ("name: m\nformula: y ~ s(x,k=4,^)\n", r"expected"),
    "unknown parameter": ("name: m\nformula: y ~ s(x, ^knots=4)\n", r"knots"),
    "unbalanced, open": ("name: m\nformula: y ~ s^(x,k=4\n", r"\("),
    "unbalanced, close": ("name: m\nformula: y ~ s(x,k=4)^)\n", r"\)"),
    "two tildes": ("name: m\nformula: y ~ l(x) ^~ l(z)\n", r"~"),
    "doubled plus": ("name: m\nformula: y ~ l(x) + ^+ l(z)\n", r"\+"),
    "levels unknown": ("name: m\nformula: y ~ l(x) + ^c(z)\n",
                       r"(?s)n_cat.*--profile"),
    "kernels to come": (
        "name: m\nformula: y ~ l(x) + ^t(z, others='x', max_leaves=4, "
        "extrapolate='linear')\n", "flat trees"),
}


class Errors(harness.TestCase):
    def listing(self):
        return sorted(str(path.relative_to(self.dir))
                      for path in self.dir.rglob("*"))

    def fails(self, program, *arguments, says=(), lines=1, **options):
        """Runs a program that must fail cleanly; returns its stderr."""
        before = self.listing()
        run = self.run_program(program, *arguments, **options)
        self.assertEqual(run.returncode, 1, f"{arguments}\n{run.stderr}")
        errors = [line for line in run.stderr.splitlines()
                  if "error: " in line]
        self.assertEqual(len(errors), 1, run.stderr)
        if lines:
            self.assertEqual(len(run.stderr.splitlines()), lines, run.stderr)
        cause = errors[0].split("error: ", 1)[1]
        self.assertFalse(cause.endswith("."), cause)
        for text in says:
            self.assertRegex(run.stderr, text)
        self.assertEqual(self.listing(), before)
        return run.stderr


class Compiler(Errors):
    def check(self, name):
        text, says = SPECS[name]
        spec = self.dir / "spec.yaml"
        place = r":\d+:\d+"
        if "^" in text:
            head = text[:text.index("^")]
            line = head.count("\n") + 1
            place = f":{line}:{len(head) - head.rfind(chr(10))}"
            text = text.replace("^", "", 1)
        spec.write_text(text)
        stderr = self.fails(harness.TAMC, spec, "-o", self.dir / "model",
                            says=[says], lines=0)
        self.assertRegex(stderr, rf"(?m)^{re.escape(str(spec))}{place}: "
                         "error: ")
        if "^" in SPECS[name][0]:
            # The line of the file with a caret below.
            self.assertRegex(stderr, r"(?m)^ *~*\^~*$")

    def test_formula_on_the_command_line(self):
        stderr = self.fails(harness.TAMC, "-f", "y ~ s(x,k=-1)", "-o",
                            self.dir / "model", lines=0)
        self.assertRegex(stderr, r":1:11: error: .*-1")

    def test_missing_spec(self):
        self.fails(harness.TAMC, "nowhere.yaml", "-o", self.dir / "model",
                   says=["nowhere.yaml", "[Nn]o such file"])

    def test_missing_profile(self):
        self.fails(harness.TAMC, "-f", "y ~ c(k)", "--profile", "no.csv", "-o",
                   self.dir / "model", says=["no.csv", "[Nn]o such file"])

    def test_unwritable_output(self):
        for output in (self.dir / "no" / "model", self.dir):
            self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", output,
                       says=[re.escape(str(output))])

    def test_output_is_an_input(self):
        # By its own name, the model's, another name, and beside the output.
        text = "name: model\nformula: y ~ l(a) + c(k)\n"
        data = "a,k,y\n1,0,1\n2,1,2\n"
        for spec, profile, options in (
                ("model", "d", []), ("s", "model", []),
                ("s", "d", ["-o", "s"]), ("s", "d", ["-o", "./d"]),
                ("s", "d", ["-o", "link"]), ("s", "d", ["-o", "hard"]),
                ("m_rows.o", "d", ["--emit=cpp", "-o", "m.cpp"]),
                ("m.h", "d", ["--emit=lib", "-o", "libm.a"])):
            with self.subTest(spec=spec, profile=profile, options=options):
                for path in self.dir.iterdir():
                    path.unlink()
                (self.dir / spec).write_text(text)
                (self.dir / profile).write_text(data)
                (self.dir / "link").symlink_to(spec)
                (self.dir / "hard").hardlink_to(self.dir / profile)
                self.fails(harness.TAMC, spec, "--profile", profile, *options,
                           says=["expected an output that is no input"])
                self.assertEqual((self.dir / spec).read_text(), text)
                self.assertEqual((self.dir / profile).read_text(), data)

    def test_names_of_files(self):
        for option, says in ("-o", "-o"), ("--profile", "--profile"):
            self.fails(harness.TAMC, "-f", "y ~ l(a)", option, "",
                       says=[f"error: expected the name of a file for {says}, "
                             "got ''$"])
        problem = self.dir / "p.csv"
        problem.write_text("buffer,lower,upper,size\na,0,1,8\n")
        for name, arguments in (("PROBLEM", [""]), ("-o", [problem, "-o", ""]),
                                ("--check", [problem, "--check", ""])):
            run = self.run_program(harness.BUILD / "bin" / "tam-plan",
                                   *arguments)
            self.assertEqual(run.returncode, 1, arguments)
            self.assertRegex(run.stderr, f"^{name}: expected the name of a "
                             "file, got ''")

    def test_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", self.dir / "model",
                   lines=0, preexec_fn=limit, restore_signals=False)

    def test_outputs_that_belong_together(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        header = self.dir / "m.h"
        header.write_text("old")
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "--emit=lib", "-o",
                   self.dir / "libm.a", lines=0, preexec_fn=limit,
                   restore_signals=False)
        self.assertEqual(header.read_text(), "old")
        (self.dir / "m.cpp").mkdir()
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "--emit=cpp", "-o",
                   self.dir / "m.cpp",
                   says=["cannot write '.*m.cpp': Is a directory"])
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()),
                         ["m.cpp", "m.h"])

    def test_output_is_a_file_of_the_state(self):
        spec = self.dir / "s.yaml"
        state = self.dir / "w.safetensors"
        model = self.compile("y ~ rbf(a, n_centers=2)", name="fitted")
        train = harness.write_csv(self.dir / "t.csv", small.rows())
        state.write_bytes(self.fit(model, train).read_bytes())
        spec.write_text("name: m\nformula: y ~ rbf(a, n_centers=2)\n"
                        "state: w.safetensors\n")
        before = state.read_bytes()
        (self.dir / "hard").hardlink_to(state)
        (self.dir / "link").symlink_to(state)
        self.succeed(harness.TAMC, spec, "--emit=spec")
        for path in ("w.safetensors", "./w.safetensors", "hard", "link"):
            for emit in ("exe", "spec"):
                with self.subTest(path=path, emit=emit):
                    self.fails(harness.TAMC, spec, "-o", path,
                               f"--emit={emit}",
                               says=["expected an output that is no input"])
                    self.assertEqual(state.read_bytes(), before)

    def test_output_of_a_plan_is_an_input(self):
        planner = harness.BUILD / "bin" / "tam-plan"
        problem = self.dir / "p.csv"
        text = "buffer,lower,upper,size\na,0,1,8\n"
        problem.write_text(text)
        plan = self.dir / "plan.csv"
        self.succeed(planner, problem, "--emit=csv", "-o", plan)
        (self.dir / "link").symlink_to(problem)
        for path in (problem, "link"):
            run = self.run_program(planner, problem, "-o", path)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, "^-o: error: expected an output that "
                             "is no input of the run, got '")
        run = self.run_program(planner, problem, "--check", plan, "-o", plan)
        self.assertEqual(run.returncode, 1)
        with open(problem, encoding="utf-8") as read:
            run = self.run_program(planner, "-", "-o", problem, stdin=read)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(problem.read_text(), text)

    def test_output_is_what_the_shell_reads(self):
        spec = self.dir / "s.yaml"
        text = "name: m\nformula: y ~ l(a)\n"
        spec.write_text(text)
        with open(spec, encoding="utf-8") as read:
            self.fails(harness.TAMC, "-", "-o", spec, stdin=read,
                       says=["expected an output that is no input"])
        with open(spec, "a", encoding="utf-8") as written:
            self.fails(harness.TAMC, spec, "--emit=spec", stdout=written,
                       says=["expected an output that is no input"])
        self.assertEqual(spec.read_text(), text)

    def test_output_is_the_compiler(self):
        before = harness.TAMC.stat()
        (self.dir / "link").symlink_to(harness.TAMC)
        for path in (harness.TAMC, "link"):
            self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", path,
                       says=["expected an output that is not the compiler"])
        self.assertEqual(harness.TAMC.stat().st_mtime, before.st_mtime)

    def test_outputs_are_one_file(self):
        (self.dir / "m_rows.o").write_text("old")
        (self.dir / "m.cpp").symlink_to("m_rows.o")
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "--emit=cpp", "-o", "m.cpp",
                   says=["expected outputs that are different files"])
        self.assertEqual((self.dir / "m_rows.o").read_text(), "old")

    def test_options_given_twice(self):
        for option, values in (("-o", ("a", "b")), ("--emit", ("obj", "spec")),
                               ("--chunk-rows", ("1", "1")),
                               ("--strategy", ("tree+", "exact")),
                               ("-f", ("y ~ l(a)", "y ~ l(b)"))):
            with self.subTest(option):
                given = [text for value in values for text in (option, value)]
                rest = [] if option == "-f" else ["-f", "y ~ l(a)"]
                self.fails(harness.TAMC, *rest, *given,
                           says=[f"error: expected {option} once"])
        problem = self.dir / "p.csv"
        problem.write_text("buffer,lower,upper,size\na,0,1,8\n")
        run = self.run_program(harness.BUILD / "bin" / "tam-plan", problem,
                               "-o", "a", "-o", "b")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^-o: ")
        self.assertEqual(list(self.dir.glob("[ab]")), [])

    def driver(self, text):
        """A compiler driver of these lines of shell, where $out is the
        output."""
        path = self.dir / "driver"
        path.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n'
                        f"out=$2\n{text}\n")
        path.chmod(0o755)
        return dict(os.environ, CC=str(path), TMPDIR=str(self.dir / "tmp"))

    def test_what_the_linker_says(self):
        (self.dir / "tmp").mkdir()
        for text, says in (
                ("echo one; echo two >&2; exit 1", ["': one\ntwo\n"]),
                # Also if the folder is removed.
                ("rm -rf $TMPDIR/*; echo no space >&2; exit 1",
                 ["': no space\n"]),
                ("exit 77", ["': exit status 77 and no message\n"]),
                ("echo one; kill -9 $$", ["': .*[Kk]illed.*\none\n"]),
                ("exit 0", ["': expected an executable, got none and no "
                            "error\n"]),
                (": > $out; echo warned", ["got none and no error\nwarned\n"])):
            with self.subTest(text):
                self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", "m",
                           says=says, lines=0, env=self.driver(text))
                self.assertEqual(list((self.dir / "tmp").iterdir()), [])

    def test_no_folder_for_temporary_files(self):
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", "m",
                   says=["cannot make a temporary folder in '/none': No such "
                         "file or directory; TMPDIR names another place"],
                   env=dict(os.environ, TMPDIR="/none"))

    def test_signals_leave_no_file(self):
        """A linker that continues after tamc has ended leaves no files
        either."""
        temporary = self.dir / "tmp"
        temporary.mkdir()
        environment = self.driver(
            # As lld does until its output is complete.
            ': > "$out.tmp1"\n: > ready\n'
            'while [ -d "${out%/*}" ]; do sleep 0.02; done\n'
            '(echo late > "$out") 2>/dev/null\n: > over')
        before = {path.name for path in self.dir.iterdir()}
        for name in ("HUP", "INT", "QUIT", "TERM", "ALRM", "USR2", "XCPU",
                     "PIPE", "ABRT", "VTALRM", "IO", "RTMIN"):
            number = getattr(signal, f"SIG{name}")
            with self.subTest(name):
                process = subprocess.Popen(
                    [harness.TAMC, "-f", "y ~ l(a)", "-o", "m"], cwd=self.dir,
                    env=environment, stderr=subprocess.DEVNULL,
                    preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
                self.await_file("ready")
                process.send_signal(number)
                self.assertNotEqual(process.wait(harness.PATIENCE), 0)
                self.await_file("over")
                self.assertEqual(list(temporary.iterdir()), [])
                self.assertEqual({path.name for path in self.dir.iterdir()},
                                 before)

    @harness.unittest.skipIf(harness.SANITIZE,
                             "a sanitizer wants to be loaded first")
    def test_signals_at_a_bad_time(self):
        """One comes just after a function of the C library has made or renamed
        something: there is no trace of it, or all outputs are there."""
        source, library = self.dir / "raise.c", self.dir / "raise.so"
        source.write_text("""
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <fcntl.h>
            #include <signal.h>
            #include <stdarg.h>
            #include <string.h>
            #include <unistd.h>
            static int calls;
            static void end(void) {
              if (calls++)
                return;
              kill(getpid(), SIGTERM);
              usleep(100000);
            }
            #ifdef RENAME
            int rename(const char *from, const char *to) {
              int (*next)(const char *, const char *) =
                  dlsym(RTLD_NEXT, "rename");
              int result = next(from, to);
              end();
              return result;
            }
            #elif defined OPEN
            #define OPENS(name) \\
              int name(const char *path, int flags, ...) { \\
                va_list more; \\
                va_start(more, flags); \\
                int mode = va_arg(more, int); \\
                va_end(more); \\
                int (*next)(const char *, int, ...) = \\
                    dlsym(RTLD_NEXT, #name); \\
                int result = next(path, flags, mode); \\
                if ((flags & O_CREAT) && strstr(path, "m.o.")) \\
                  end(); \\
                return result; \\
              }
            OPENS(open)
            OPENS(open64)
            #else
            char *mkdtemp(char *path) {
              char *(*next)(char *) = dlsym(RTLD_NEXT, "mkdtemp");
              char *result = next(path);
              end();
              return result;
            }
            #endif
            """)
        for name, options, outputs in (
                ("MKDTEMP", ["-o", "m"], []),
                ("OPEN", ["-o", "m.o", "--emit=obj"], []),
                ("RENAME", ["-o", "m.a", "--emit=lib"], ["m.a", "m.h"])):
            with self.subTest(name):
                temporary = self.dir / name
                temporary.mkdir()
                subprocess.run(["cc", "-shared", "-fPIC", f"-D{name}", source,
                                "-o", library], check=True)
                # On a terminal there is a thread that shows the progress.
                reader, terminal = pty.openpty()
                run = subprocess.run(
                    [harness.TAMC, "-f", "y ~ l(a)", *options], cwd=self.dir,
                    stderr=terminal, check=False,
                    env=dict(os.environ, LD_PRELOAD=str(library),
                             TMPDIR=str(temporary)))
                os.close(terminal)
                os.close(reader)
                self.assertEqual(run.returncode, -signal.SIGTERM)
                self.assertEqual(list(temporary.iterdir()), [])
                self.assertEqual([path for path in self.listing()
                                  if path[0] == "m"], outputs)

    def await_file(self, name):
        path = self.dir / name
        end = time.monotonic() + harness.PATIENCE
        while not path.exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        path.unlink()

    def test_no_compiler_driver(self):
        self.fails(harness.TAMC, "-f", "y ~ l(a)", "-o", self.dir / "model",
                   says=["no-such-cc"],
                   env=dict(os.environ, CC="no-such-cc"))


class Model(Errors):
    """Errors of compiled models; compiled once."""

    @classmethod
    def setUpClass(cls):
        # The executable and good weights, outside the test's own folder.
        holder = harness.TestCase()
        holder.setUp()
        cls.addClassCleanup(holder.doCleanups)
        cls.model = holder.compile("y ~ l(a) + c(k, n_cat=3)", **small.KEYS)
        cls.other = holder.compile("y ~ s(a)", name="other", **small.KEYS)
        train = harness.write_csv(holder.dir / "t.csv", small.rows())
        cls.weights = holder.fit(cls.model, train)

    def setUp(self):
        super().setUp()
        self.train = self.dir / "train.csv"
        self.rows = small.rows()
        harness.write_csv(self.train, self.rows)
        self.output = self.dir / "w.safetensors"

    def fit_fails(self, *says, model=None, **options):
        self.fails(model or self.model, "fit", self.train, "-o", self.output,
                   says=says, **options)

    def predict_fails(self, *says, weights=None, **options):
        self.fails(self.model, "predict", self.train, "--weights",
                   weights or self.weights, "-o", self.dir / "out.csv",
                   says=says, **options)

    def spoil(self, index, **fields):
        self.rows[index].update(fields)
        harness.write_csv(self.train, self.rows)

    def test_missing_file(self):
        self.train.unlink()
        self.fit_fails("train.csv", "No such file")

    def test_missing_column(self):
        for column in ("a", "k", "y", "g", "date"):
            with self.subTest(column):
                rest = [key for key in self.rows[0] if key != column]
                harness.write_csv(self.train, self.rows, rest)
                self.fit_fails("train.csv", f"'{column}'")
                if column != "y":
                    self.predict_fails("train.csv", f"'{column}'")

    def test_text_in_a_numeric_column(self):
        self.spoil(25, a="warm")
        self.fit_fails("train.csv: line 27: column 'a'", "'warm'")
        self.predict_fails("train.csv: line 27: column 'a'", "'warm'")

    def test_not_finite(self):
        for value in ("nan", "NaN", "NA", "", "inf", "-inf"):
            with self.subTest(value):
                self.spoil(25, a=value)
                place = ("train.csv: line 27: column 'a'", "'G1'")
                self.fit_fails(*place)
                self.predict_fails(*place)

    def test_range_of_one_rounding(self):
        for low, high in (("0", "5e-324"), ("1", "1.0000000000000002")):
            with self.subTest(high):
                for index in range(len(self.rows)):
                    self.rows[index]["a"] = high if index % 2 else low
                harness.write_csv(self.train, self.rows)
                self.fit_fails("column 'a'", "differ by more than rounding")

    def test_overflow_of_the_sums(self):
        for row in self.rows:
            row["y"] = "1e308"
        harness.write_csv(self.train, self.rows)
        self.fit_fails("'G0'", "effect 'offset'",
                       "expected finite coefficients")

    def test_target_not_finite(self):
        self.spoil(30, y="nan")
        self.fit_fails("train.csv: line 32: column 'y'", "'G1'")
        # A prediction does not read the target.
        self.succeed(self.model, "predict", self.train, "--weights",
                     self.weights, "-o", self.dir / "out.csv")

    def test_bad_date(self):
        self.spoil(3, date="yesterday")
        self.fit_fails("train.csv: line 5: column 'date'", "'yesterday'")

    def test_ragged_row(self):
        lines = self.train.read_text().splitlines()
        for bad in (lines[8] + ",1", lines[8].rsplit(",", 1)[0]):
            self.train.write_text("\n".join(
                lines[:8] + [bad] + lines[9:]) + "\n")
            self.fit_fails("train.csv: line 9: ", "expected 5 fields")
            self.predict_fails("train.csv: line 9: ", "expected 5 fields")

    def test_empty_file(self):
        self.train.write_text("")
        self.fit_fails("train.csv: ", "empty")
        self.predict_fails("train.csv: ", "empty")

    def test_empty_line(self):
        lines = self.train.read_text().splitlines()
        self.train.write_text("\n".join(lines[:8] + [""] + lines[8:]) + "\n")
        for options in ([], ["--drop-missing"]):
            self.fails(self.model, "fit", self.train, "-o", self.output,
                       *options, says=["train.csv: line 9: expected 5 fields, "
                                       "got an empty line"])
        # After the last row it is not an error.
        self.train.write_text("\n".join(lines) + "\n\n\n")
        self.fit(self.model, self.train)

    def test_empty_line_of_one_column(self):
        """A missing value, of a fit and of a prediction."""
        model = self.compile("y ~ 1", name="one")
        good = self.dir / "good.csv"
        good.write_text("y\n1\n2\n4\n")
        weights = self.fit(model, good)
        other = self.compile("z ~ l(y)", name="other")
        both = self.dir / "both.csv"
        both.write_text("y,z\n1,1\n2,3\n4,5\n")
        others = self.fit(other, both, weights="others")
        for gap in "", '""', "NA":
            self.train.write_text(f"y\n1\n{gap}\n2\n4\n\n\n")
            place = "train.csv: line 3: column 'y'"
            for program, *command in (
                    [model, "fit", self.train],
                    [model, "fit", self.train, "--stream"],
                    [other, "predict", self.train, "--weights", others]):
                with self.subTest(gap=gap, command=command[0]):
                    out = self.dir / "out"
                    self.fails(program, *command, "-o", out, says=[place])
                    run = self.run_program(program, *command, "-o", out,
                                           "--drop-missing")
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertIn("dropped 1 of 4 rows", run.stderr)
                    if command[0] == "fit":
                        self.assertEqual(out.read_bytes(), weights.read_bytes())
                    else:
                        self.assertEqual(len(harness.read_csv(out)), 3)
                    out.unlink()

    def test_header_without_rows(self):
        for text in ("date,g,a,k,y", "date,g,a,k,y\n"):
            self.train.write_text(text)
            self.fit_fails("train.csv: ", "no rows")
            self.predict_fails("train.csv: ", "no rows")

    def test_unseen_group(self):
        self.spoil(25, g="G7")
        self.predict_fails("train.csv", "'G7'")

    def test_truncated_weights(self):
        good = self.weights.read_bytes()
        bad = self.dir / "bad.safetensors"
        for length in (0, 4, 8, 9, 100, len(good) // 2, len(good) - 8,
                       len(good) - 1):
            with self.subTest(length):
                bad.write_bytes(good[:length])
                self.predict_fails("bad.safetensors: ", weights=bad)

    def test_no_weights(self):
        bad = self.dir / "bad.safetensors"
        self.predict_fails("bad.safetensors: ", weights=bad)
        bad.write_text("a,b\n1,2\n" * 100)
        self.predict_fails("bad.safetensors: ", weights=bad)

    def test_weights_of_another_model(self):
        self.fails(self.other, "predict", self.train, "--weights",
                   self.weights, "-o", self.dir / "out.csv",
                   says=["'other'", "'model'", r"s\(a\)", r"l\(a\)"])

    def full_device(self):
        """A device that accepts no bytes: the test's own node if that is
        allowed, so that a program that replaces it does no harm."""
        node = self.dir / "full"
        try:
            os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        except PermissionError:
            return pathlib.Path("/dev/full")
        return node

    def test_unwritable_output(self):
        for output in (self.dir / "no" / "w", self.dir,
                       self.train / "w", self.full_device()):
            with self.subTest(output):
                self.output = output
                self.fit_fails(re.escape(str(output)))
                self.fails(self.model, "predict", self.train, "--weights",
                           self.weights, "-o", output,
                           says=[re.escape(str(output))])

    def test_unwritable_trace(self):
        """The error comes before the data, which do not exist, are read."""
        for option in ("--trace", "--memory-snapshot"):
            for path in (self.dir / "no" / "t.json", self.dir):
                with self.subTest(option=option, path=path):
                    self.fails(self.model, "fit", "none.csv", "-o", self.output,
                               option, path,
                               says=[f"error: {re.escape(str(path))}: cannot "
                                     "write"])

    def test_trace_that_cannot_be_written_after_all(self):
        full = self.full_device()
        out = self.dir / "out.csv"
        for option in ("--trace", "--memory-snapshot"):
            for what, output, command in (
                    ("weights were", self.output,
                     ["fit", self.train, "-o", self.output]),
                    ("weights were", self.output,
                     ["tune", self.train, "-o", self.output]),
                    ("table was", out,
                     ["predict", self.train, "--weights", self.weights, "-o",
                      out])):
                with self.subTest(option=option, what=what):
                    run = self.run_program(self.model, *command, option, full)
                    self.assertEqual(run.returncode, 1)
                    self.assertEqual(
                        run.stderr, f"model: error: {full}: cannot write: No "
                        f"space left on device; the {what} written\n")
                    output.unlink()

    OUTPUTS = {"-o": "output", "--trace": "trace",
               "--memory-snapshot": "snapshot"}

    def test_outputs_are_no_inputs(self):
        """Files opened by the run, or by the shell before it."""
        other = self.dir / "other"
        os.link(self.train, other)
        weights = self.dir / "weights"
        weights.write_bytes(self.weights.read_bytes())
        before = self.train.read_bytes()

        def refused(got, what, place, arguments, **options):
            self.fails(self.model, *arguments, says=[
                f"error: {re.escape(str(place))}: expected a file of its own "
                f"for the {what}, got the {got} of the run"], **options)
            self.assertEqual(self.train.read_bytes(), before)

        for option, what in self.OUTPUTS.items():
            rest = [] if option == "-o" else ["-o", self.output]
            for path in (self.train, other):
                with self.subTest(option=option, path=path):
                    refused("data", what, path, ["fit", self.train, option,
                                                 path, *rest])
                    with open(self.train, encoding="utf-8") as data:
                        refused("data", what, path,
                                ["fit", "-", option, path, *rest], stdin=data)
            refused("weights", what, weights,
                    ["predict", self.train, "--weights", weights, option,
                     weights])
        predict = ["predict", self.train, "--weights", self.weights]
        with open(self.train, "a", encoding="utf-8") as data:
            refused("data", "output", "standard output", predict, stdout=data)
        with open(weights, "ab") as data:
            refused("weights", "output", "standard output",
                    ["coefficients", "--weights", weights], stdout=data)

    def test_outputs_are_not_the_program(self):
        """Under any name."""
        model = self.dir / "model"
        shutil.copy(self.model, model)
        before = model.read_bytes()
        (self.dir / "link").symlink_to(model)
        (self.dir / "hard").hardlink_to(model)
        predict = ["predict", self.train, "--weights", self.weights]
        for option, what in self.OUTPUTS.items():
            rest = [] if option == "-o" else ["-o", self.output]
            for command in (["fit", self.train], predict,
                            ["decompose", *predict[1:]],
                            ["evaluate", *predict[1:]]):
                for path in (model, "model", "./model", "link", "hard"):
                    with self.subTest(option=option, command=command,
                                      path=path):
                        self.fails(model, *command, option, path, *rest, says=[
                            f"error: {path}: expected a file of its own for "
                            f"the {what}, got the program of the run"])
                        self.assertEqual(model.read_bytes(), before)

    def test_outputs_are_not_each_other(self):
        """Also if they do not exist yet."""
        (self.dir / "link").symlink_to("w")
        for option in ("--trace", "--memory-snapshot"):
            for path in ("w", "./w", self.dir / "w", "link"):
                with self.subTest(option=option, path=path):
                    self.fails(self.model, "fit", self.train, "-o", "w",
                               option, path, says=["got the output of the run"])
            self.fails(self.model, "predict", self.train, "--weights",
                       self.weights, option, "-",
                       says=["standard output: .*got the output of the run"])
        self.fails(self.model, "fit", self.train, "-o", "w", "--trace", "t",
                   "--memory-snapshot", "./t",
                   says=["for the snapshot, got the trace of the run"])

    def test_full_disk(self):
        # A limit on the size of files: writing fails part of the way.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        options = dict(preexec_fn=limit, restore_signals=False)
        self.fit_fails("w.safetensors", **options)
        self.predict_fails("out.csv", **options)

    def test_full_standard_output(self):
        with open(self.full_device(), "w") as full:
            run = subprocess.run(
                [self.model, "coefficients", "--weights", self.weights],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("No space left on device", run.stderr)

    def test_failure_keeps_the_old_file(self):
        self.output.write_text("precious")
        self.spoil(25, a="warm")
        self.fit_fails("'warm'")
        self.assertEqual(self.output.read_text(), "precious")

    def test_command_line(self):
        for arguments in ([], ["nonsense"], ["fit"], ["predict", self.train],
                          ["fit", self.train, "-o", self.output,
                           "--threads", "0"],
                          ["predict", self.train, "--weights", self.weights,
                           "--type=nonsense"]):
            with self.subTest(arguments):
                self.fails(self.model, *arguments)


    def test_names_of_files(self):
        fit = ["fit", self.train, "-o", self.output]
        predict = ["predict", self.train, "--weights"]
        for option, arguments in (
                ("TRAIN.csv", ["fit", "", "-o", self.output]),
                ("--output", ["fit", self.train, "-o", ""]),
                ("--trace", [*fit, "--trace", ""]),
                ("--memory-snapshot", [*fit, "--memory-snapshot", ""]),
                ("NEW.csv", ["predict", "", "--weights", self.weights]),
                ("--weights", [*predict, ""]),
                ("--output", [*predict, self.weights, "-o", ""]),
                ("--weights", ["coefficients", "--weights", ""])):
            with self.subTest(arguments):
                self.fails(self.model, *arguments, says=[
                    f"error: {option}: expected the name of a file, got ''$"])

    def test_values_that_are_not_there(self):
        """The next argument is not the value."""
        for option in ("--allocator", "--trace", "--memory", "--timings"):
            with self.subTest(option):
                self.fails(self.model, "fit", self.train, f"{option}=", "-o",
                           self.output,
                           says=[f"error: expected a value of {option}$"])


for case in SPECS:
    setattr(Compiler, "test_" + re.sub(r"\W+", "_", case),
            lambda self, name=case: self.check(name))


if __name__ == "__main__":
    harness.main()
