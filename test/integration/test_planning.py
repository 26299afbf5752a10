# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tam-plan as a process: time limits, threads, exit statuses, bad input.

Times are processor times of the child, not wall-clock times: a program that
ignores its limit uses processor time, whatever else the machine does.
"""

import json
import math
import os
import pty
import random
import re
import resource
import subprocess
import sys
import tty

from small import harness

PLAN = harness.BUILD / "bin" / "tam-plan"
DATA = harness.SOURCE / "test" / "data" / "planning"
GENERATE = harness.SOURCE / "tools" / "bench" / "generate-buffers"
# Without optimisation, checking and writing after the limit take longer.
SLACK = 1 if os.environ.get("TAMC_BUILD_TYPE", "Release") == "Release" else 8
FAMILIES = ("program", "training", "uniform", "layers")
STRATEGIES = ("naive", "tree", "tree+", "reuse", "bfc", "caching", "greedy",
              "greedy-first", "greedy-life", "greedy-conflicts", "skyline",
              "exact", "search", "auto")


class Planning(harness.TestCase):
    def problem(self, family, count, columns=()):
        """A synthetic problem, with further columns of fixed rules."""
        path = self.dir / f"{family}.csv"
        subprocess.run([sys.executable, str(GENERATE), "-n", str(count),
                        "--family", family, "-o", str(path)], check=True)
        if columns:
            lines = path.read_text().splitlines()
            with open(path, "w", encoding="ascii") as file:
                file.write(lines[0] + "," + ",".join(columns) + "\n")
                for index, line in enumerate(lines[1:]):
                    _, lower, upper, _ = map(int, line.split(","))
                    fields = {
                        "alignment": str(1 << index % 7),
                        # Every hundredth has a place of its own far above.
                        "offset": str(index << 32) if index % 100 == 7
                                  else "",
                        "gaps": f"{lower + 1}-{upper - 1}"
                                if index % 3 == 0 and upper - lower > 2
                                else ""}
                    file.write(line + "," + ",".join(
                        fields[column] for column in columns) + "\n")
        return path

    def timed(self, *arguments):
        """Runs tam-plan to its end, whatever its exit status; returns the run
        and its processor time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = self.run_program(PLAN, *arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return run, (after.ru_utime + after.ru_stime
                     - before.ru_utime - before.ru_stime)

    @staticmethod
    def most_time(limit):
        """The processor time of a run with a limit."""
        return (1.1 * limit + 0.2) * SLACK

    def check_limit(self, path, limit, *options):
        plan = self.dir / "plan.csv"
        # A slower program gets as much more time to find a plan at all.
        command = (path, "--time-limit", limit * SLACK, "--threads", 1,
                   "--emit=csv", "-o", plan, *options)
        most, least = self.most_time(limit), math.inf
        # On a busy machine the steps after the search take more time.
        for _ in range(20):
            run, spent = self.timed(*command)
            self.assertEqual(run.returncode, 0, run.stderr)
            least = min(least, spent)
            if least < most:
                break
        with self.subTest(problem=path.name, limit=limit, options=options):
            self.assertLess(least, most)
        self.assertEqual(self.succeed(PLAN, path, "--check", plan),
                         "the plan is correct\n")

    def test_a_fifth_of_a_second(self):
        for family in FAMILIES:
            path = self.problem(family, 10000)
            self.check_limit(path, 0.2)
            path = self.problem(family, 10000, ("alignment", "offset",
                                                "gaps"))
            self.check_limit(path, 0.2)

    def test_every_search_keeps_its_limit(self):
        for family in ("program", "uniform"):
            path = self.problem(family, 10000)
            for strategy in ("tree", "tree+", "bfc", "caching", "skyline",
                             "search", "exact"):
                self.check_limit(path, 0.3, "--strategy", strategy)

    def test_the_limit_is_for_all_spaces(self):
        path = self.dir / "spaces.csv"
        lines = (DATA / "minimalloc" / "D.1048576.csv").read_text().split()
        with open(path, "w", encoding="ascii") as file:
            file.write("id,lower,upper,size,space\n")
            for space in range(4):
                for line in lines[1:]:
                    name, rest = line.split(",", 1)
                    # One byte each keeps the search from its bound.
                    file.write(f"{space}-{name},{rest},{space}\n")
        self.check_limit(path, 0.5)

    def test_small_hard_problems_keep_the_limit(self):
        for name in ("A", "D"):
            self.check_limit(DATA / "minimalloc" / f"{name}.1048576.csv", 0.2,
                             "--alignment", 96)

    def test_threads_do_not_show(self):
        path = DATA / "minimalloc" / "D.1048576.csv"
        plans = {self.succeed(PLAN, path, "--nodes", 30000, "--threads",
                              threads, "--emit=json")
                 for threads in (1, 2, 5, 8)}
        self.assertEqual(len(plans), 1)

    def test_threads_are_used(self):
        # As many threads as asked for are seen at one time, and no more.
        path = DATA / "minimalloc" / "D.1048576.csv"
        script = ("import subprocess,sys,threading,pathlib,time\n"
                  "run=subprocess.Popen(sys.argv[1:],stdout=-3)\n"
                  "most=0\n"
                  "while run.poll() is None:\n"
                  " try:\n"
                  "  most=max(most,len(list(pathlib.Path("
                  "f'/proc/{run.pid}/task').iterdir())))\n"
                  " except OSError: pass\n"
                  " time.sleep(0.002)\n"
                  "print(most)\n")
        for threads in (1, 3):
            # On a busy machine a thread may come too late to be seen.
            for _ in range(20):
                most = int(subprocess.run(
                    [sys.executable, "-c", script, str(PLAN), str(path),
                     "--alignment", "96", "--time-limit", "1.5", "--threads",
                     str(threads)],
                    capture_output=True, text=True, check=True).stdout)
                if most >= threads:
                    break
            # A sanitizer may keep a thread of its own.
            self.assertIn(most, (threads, threads + 1))

    def outcome(self, *arguments):
        run = self.run_program(PLAN, *arguments)
        return run.returncode, run.stdout, run.stderr

    def test_answers_are_told_apart(self):
        path = DATA / "minimalloc" / "D.1048576.csv"
        cases = [
            (("--time-limit", "60"), 0, "optimal"),
            (("--time-limit", "0.000001"), 0, "feasible"),
            (("--time-limit", "0.000001", "--capacity", "986112"), 2,
             "timed out"),
            (("--strategy", "naive", "--capacity", "986112"), 2, "not found"),
            (("--capacity", "986111"), 2, "infeasible")]
        for options, code, status in cases:
            with self.subTest(options=options):
                got, text, error = self.outcome(path, *options)
                self.assertEqual(got, code, error)
                self.assertIn(f"status    {status}", text)
                got, text, _ = self.outcome(path, *options, "--emit=json")
                self.assertEqual(got, code)
                self.assertEqual(json.loads(text)["plan"]["status"], status)
                got, text, error = self.outcome(path, *options, "--emit=csv")
                self.assertEqual(got, code)
                # A plan that does not fit is not written.
                self.assertEqual(text.startswith("id,lower,"), code == 0)
                self.assertEqual(bool(error), code != 0)
                if code:
                    self.assertIn({"timed out": "within the time limit",
                                   "not found": "error: no fit found: ",
                                   "infeasible": "does not fit (proved): at "
                                   "time "}[status], error)

    def test_below_the_bound_the_answer_is_immediate(self):
        path = self.problem("uniform", 10000)
        code, _, error = self.outcome(path, "--capacity", 1000000)
        self.assertEqual(code, 2)
        self.assertRegex(
            error, r"does not fit \(proved\): at time \d+ at least \d+ bytes "
            r"are needed, \d+ bytes over the capacity of 1000000 bytes; alive "
            r"are '\d+' \(\d+\), .* and \d+ more\n")

    def test_bad_input_is_an_error_at_its_line(self):
        head = "id,lower,upper,size"
        ten_million = 10 ** 7
        cases = {
            "ragged": (f"{head}\na,0,1,4\nb,0,1\n", 3),
            "negative": (f"{head}\na,0,1,-4\n", 2),
            "upper below lower": (f"{head}\na,0,1,4\nb,5,4,1\n", 3),
            "overflow": (f"{head}\na,0,1,9223372036854775808\n", 2),
            "duplicate": (f"{head}\na,0,1,1\nb,0,1,1\na,0,1,1\n", 4),
            "pin at 2^63": (f"{head},offset\na,0,1,8,9223372036854775806\n",
                            2),
            "nonsense": (f"{head}\na,0,1,4\n" + "nonsense\n" * ten_million,
                         3),
            "only nonsense": ("nonsense\n" * ten_million, 1),
            "cyclic": ('{"buffers": [],\n"operations":\n[{"name": "a", "after":'
                       ' ["b"]}, {"name": "b", "after": ["a"]}]}', 3),
            "json nesting": ('{"buffers":\n' + "[" * 100000, 2),
            "json end": ('{"buffers": [\n{"name": "x",\n', 3),
            "json pin": ('{"buffers": [\n{"name": "x", "size": 4, "pin": 6,'
                         '\n"alignment": 4, "lower": 0, "upper": 1}]}', 2)}
        for name, (text, line) in cases.items():
            path = self.dir / "bad"
            path.write_text(text)
            with self.subTest(name=name):
                code, out, error = self.outcome(path)
                self.assertEqual((code, out), (1, ""), error)
                self.assertEqual(error.count("\n"), 1, error[:400])
                self.assertRegex(
                    error, rf"^{re.escape(str(path))}:{line}(:\d+)?: error: ")

    def test_a_pin_outside_its_space(self):
        path = self.dir / "pin.csv"
        path.write_text("id,lower,upper,size,offset\na,0,1,8,0\nb,1,2,8,96\n")
        code, out, error = self.outcome(path, "--capacity", 100)
        self.assertEqual(code, 2)
        self.assertIn("status    infeasible", out)
        self.assertIn("error: does not fit (proved): the pin of buffer 'b' "
                      "ends at 104, 4 bytes over the capacity of 100 bytes",
                      error)

    def least_gap(self, path, seconds, most):
        """The peak relative to the bound after a search of so many seconds;
        with several attempts to get below `most`. If others use the processor,
        too, an attempt gets more time, but not more of the processor's."""
        limit, least = seconds, math.inf
        for _ in range(20):
            run, spent = self.timed(path, "--threads", 1, "--width", 20,
                                    "--time-limit", limit)
            self.assertEqual(run.returncode, 0, run.stderr)
            fields = dict(line.split(None, 1)
                          for line in run.stdout.splitlines()
                          if line.startswith(("peak ", "bound ")))
            if spent < self.most_time(seconds):
                least = min(least, int(fields["peak"]) / int(fields["bound"]))
            if least <= most:
                break
            limit = max(seconds, limit * min(seconds / spent, 2))
        return least

    def test_a_hundred_thousand_in_a_second(self):
        for family in FAMILIES:
            path = self.problem(family, 10 ** 5)
            with self.subTest(family=family):
                most = 1.1 if SLACK == 1 else 1.2
                self.assertLess(self.least_gap(path, 1, most), most)

    def test_there_is_always_a_plan(self):
        # Reading alone takes longer than this limit.
        rng = random.Random(77)
        count = 10 ** 5
        path = self.dir / "lives.csv"
        with open(path, "w", encoding="ascii") as file:
            file.write("id,lower,upper,size\n")
            for i in range(count):
                lower = rng.randint(0, count)
                file.write(f"b{i},{lower},{lower + rng.randint(1, 200)},"
                           f"{rng.randint(1, 100000)}\n")
        out = self.dir / "out"
        for form in ("text", "json", "csv", "svg", "trace", "html"):
            with self.subTest(form=form):
                out.unlink(missing_ok=True)
                self.assertEqual(
                    self.outcome(path, "--time-limit", "0.01", f"--emit={form}",
                                 "-o", out), (0, "", ""))
                if form in ("json", "trace"):
                    json.loads(out.read_text())
                elif form == "csv":
                    self.assertEqual(self.succeed(PLAN, path, "--check", out),
                                     "the plan is correct\n")
                self.assertEqual([each.name for each in self.dir.iterdir()
                                  if each.name.startswith("out")], ["out"])
        for strategy in STRATEGIES:
            with self.subTest(strategy=strategy):
                self.assertEqual(
                    self.outcome(path, "--time-limit", "0.01", "--strategy",
                                 strategy, "--emit=csv", "-o", out),
                    (0, "", ""))
        self.succeed(PLAN, path, "--time-limit", "0.01", "--compare")

    def test_a_terminal_gets_no_control_sequences(self):
        path = self.dir / "names.csv"
        name = "\x1b[31mred\x9b2J\u202eé"
        path.write_text(f"id,lower,upper,size\n{name},0,2,8\n",
                        encoding="utf-8")
        plain = f"id,lower,upper,size,offset\n{name},0,2,8,0\n".encode()
        shown = ("id,lower,upper,size,offset\n"
                 "\\x1b[31mred\\xc2\\x9b2J\\xe2\\x80\\xaeé,0,2,8,0\n").encode()
        for output in ("-", "/dev/stdout"):
            command = [str(PLAN), str(path), "--emit=csv", "-o", output]
            with self.subTest(output=output):
                self.assertEqual(
                    subprocess.run(command, stdout=subprocess.PIPE,
                                   check=True).stdout, plain)
                reader, writer = pty.openpty()
                tty.setraw(writer)
                subprocess.run(command, stdout=writer, check=True)
                self.assertEqual(os.read(reader, 4096), shown)
                os.close(writer)
                os.close(reader)
        out = self.dir / "out.csv"
        self.succeed(PLAN, path, "--emit=csv", "-o", out)
        self.assertEqual(out.read_bytes(), plain)

    def test_as_many_spaces_as_buffers(self):
        path = self.dir / "spaces.csv"
        count = 10 ** 5
        path.write_text("id,lower,upper,size,space\n" + "".join(
            f"b{i},0,1,{1 + i % 77},s{i}\n" for i in range(count)))
        for form in ("text", "json", "csv", "svg", "trace", "html"):
            out = self.dir / "out"
            with self.subTest(form=form):
                run, spent = self.timed(path, f"--emit={form}", "-o", out)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertLess(spent, 5 * SLACK)
                if form in ("text", "svg"):
                    self.assertLess(out.stat().st_size, 200000)

    def test_a_binary_file(self):
        path = self.dir / "binary"
        path.write_bytes(bytes(range(256)) * 4096)
        code, out, error = self.outcome(path)
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(error.startswith(f"{path}:1: error: "), error[:400])
        # Its own executable, too.
        code, out, error = self.outcome(PLAN)
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(error.startswith(f"{PLAN}:1: error: "), error[:400])


if __name__ == "__main__":
    harness.main()
