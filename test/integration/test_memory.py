# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fit runs in the address space that `model info` states: the constant, the
rung of each thread and the columns. The compiler's memory is proportional to
the number of pairs of terms."""

import collections
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

import small
from small import harness

sys.path.insert(0, str(harness.SOURCE / "tools" / "bench"))
import load_model  # noqa: E402


def levels(rows):
    """Levels of the sums of a group of so many rows."""
    return ((rows - 1) // 4096).bit_length()


class Memory(harness.TestCase):
    def promise(self, model, train, threads):
        """Bytes of address space by `info` for a fit of the file `train`."""
        info = json.loads(self.succeed(model, "info", "--format=json"))
        need = info["fit"]
        # The largest rung, which a machine with enough memory uses.
        rung = max(r["total"] for r in info["rungs"] if r["use"] == "fit")
        rows, groups, longest = self.count(train)
        return (need["constant"]
                + threads * (rung + levels(longest) * need["per_level"])
                + (threads - 1) * need["per_thread"]
                + rows * need["per_row"] + groups * need["per_group"])

    def count(self, train):
        """Rows, groups, and rows of the longest; the data of these tests have no
        line ends inside fields."""
        with open(train, encoding="utf-8") as file:
            place = next(file).rstrip("\n").split(",").index("g")
            groups = collections.Counter(
                line.split(",")[place] for line in file)
        return groups.total(), len(groups), max(groups.values())

    def stream_promise(self, model, rows, groups, longest, threads, use="fit"):
        """The same for a fit in parts."""
        info = json.loads(self.succeed(model, "info", "--format=json"))
        need = info["stream"]
        one, = [each for each in need["uses"] if each["use"] == use]
        group = one["per_group"] + levels(longest) * one["per_level"]
        return (need["constant"] + threads * one["per_thread"]
                + (threads - 1) * need["per_thread"]
                + rows * need["per_row"] + groups * need["per_group"]
                + min((groups + threads) * group,
                      max(group, need["group_limit"])))

    def peak(self, model, train, *options):
        """Most address space of a fit. It writes to a pipe that is not read
        yet, so that after all work it waits while it is measured."""
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        process = subprocess.Popen(
            [model, "fit", train, "-o", pipe, *map(str, options)],
            stderr=subprocess.DEVNULL)
        try:
            harness.wait_until_asleep(process)
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            with open(pipe, "rb") as file:
                file.read()
            self.assertEqual(process.wait(harness.PATIENCE), 0)
        finally:
            process.kill()
            process.wait()
            pipe.unlink()
        return 1024 * int(re.search(r"VmPeak:\s*(\d+)", status).group(1))

    def write_large(self, rows):
        """A file of many rows whose lengths change within the file."""
        rng = random.Random(1)
        lines = [f"{rng.uniform(0, 9):.5f},{i % 7},{rng.gauss(0, 1):.4f}"
                 for i in range(10_000)]
        train = self.dir / "large.csv"
        with open(train, "w") as file:
            file.write("date,g,text,a,d,y\n")
            for i in range(rows):
                note = "" if i < rows // 2 else "a longer note than before"
                file.write(f"{i},G{i * 4 // rows},{note},{lines[i % 9973]}\n")
        return train

    def test_promise_is_close(self):
        """The stated memory must not be far above the need."""
        model = self.compile("y ~ l(a)+s(a,k=20)+c(d,n_cat=7)", **small.KEYS)
        train = self.write_large(1_000_000)
        for threads in (1, 2, 4):
            promise = self.promise(model, train, threads)
            peak = self.peak(model, train, "--threads", threads)
            with self.subTest(threads=threads, promise=promise, peak=peak):
                self.assertLessEqual(peak, promise)
                # The stated memory includes fractions of seconds, which these
                # data do not have.
                self.assertGreaterEqual(peak, 0.7 * promise)

    def test_fit_under_its_promise(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        for days in (20, 2190):
            train = small.generate(self.dir / "train.csv", "--days", days)
            free = self.fit(model, train).read_bytes()
            for threads in (1, 2, 5):
                limit = self.promise(model, train, threads)
                with self.subTest(days=days, threads=threads, limit=limit):
                    weights = self.fit(
                        model, train, "--threads", threads, preexec_fn=lambda:
                        resource.setrlimit(resource.RLIMIT_AS,
                                           (limit, limit)))
                    self.assertEqual(weights.read_bytes(), free)

    def test_stream_under_its_promise(self):
        few = self.write_large(600_000)
        # Groups by the thousand.
        many = self.dir / "many.csv"
        lines = few.read_text().splitlines()
        many.write_text("\n".join([lines[0], *(
            ",".join([line.split(",")[0], f"G{i % 5000}",
                      *line.split(",")[2:]])
            for i, line in enumerate(lines[1:]))]) + "\n")
        kept = ("y ~ t(a,others='d',n_trees=5,split_strategy='quantile')+"
                "rbf(a,n_centers=5)+f(d,m=2,period='auto')")
        for formula, solver in (
                ("y ~ l(a)+s(a,k=20)+c(d,n_cat=7)", "direct"),
                ("y ~ l(a)+c(d,n_cat=7)", "cg"), (kept, "direct")):
            model = self.compile(formula, f"--solver={solver}", **small.KEYS)
            use = "fit" if solver == "direct" else "fit by cg"
            for train in (few, many):
                free = self.fit(model, train).read_bytes()
                rows, groups, longest = self.count(train)
                for threads in (1, 2, 5):
                    limit = self.stream_promise(model, rows, groups, longest, threads,
                                                use)
                    with self.subTest(formula=formula, train=train,
                                      threads=threads, limit=limit):
                        weights = self.fit(
                            model, train, "--stream", "--threads", threads,
                            preexec_fn=lambda: resource.setrlimit(
                                resource.RLIMIT_AS, (limit, limit)))
                        self.assertEqual(weights.read_bytes(), free)

    def test_promise_of_a_stream_is_close_and_modest(self):
        model = self.compile(load_model.FORMULA, group="g", date="date")
        self.assertLess(self.stream_promise(model, 10**7, 48, 10**7 // 48, 2),
                        256 * 10**6)
        model = self.compile("y ~ l(a)+s(a,k=20)+c(d,n_cat=7)", **small.KEYS)
        train = self.write_large(1_000_000)
        for threads in (1, 2):
            promise = self.stream_promise(model, *self.count(train), threads)
            peak = self.peak(model, train, "--stream", "--threads", threads)
            with self.subTest(threads=threads, promise=promise, peak=peak):
                self.assertLessEqual(peak, promise)
                self.assertGreaterEqual(peak, 0.6 * promise)

    def write_groups(self, columns, groups, in_turns):
        """Three rows of each group, one group after another or in turns."""
        rows = [(group, row) for group in range(groups) for row in range(3)]
        if in_turns:
            rows.sort(key=lambda row: row[1])
        train = self.dir / "groups.csv"
        with open(train, "w", encoding="utf-8") as file:
            file.write("date,g,d,w," + ",".join(columns) + ",y\n")
            values = [",".join(str((i * (k + 3) + k) % 17)
                               for k in range(len(columns)))
                      for i in range(17)]
            file.writelines(f"{row},{group},{(group + row) % 40},1.5,"
                            f"{values[(group + row) % 17]},{group % 11}\n"
                            for group, row in rows)
        return train

    def test_promise_of_the_groups_of_a_stream_is_close(self):
        """What is stated of a group, with few and many numbers in the survey and
        in the weights: beyond its sums, which are in memory at the same time if
        its rows come in turns with those of the others."""
        few, many = 15_000, 75_000
        x = [f"x{i}" for i in range(20)]
        for name, formula, keys, in_turns in (
                ("line", "y ~ l(x0)", {}, False),
                ("in turns", "y ~ l(x0)", {"date": "date"}, True),
                ("levels", "y ~ l(x0) + c(d, n_cat=40)", {}, False),
                ("many inputs", "y ~ " + " + ".join(f"l({i})" for i in x),
                 {"date": "date"}, False),
                ("weights", "y ~ s(x0, k=9) + s(x1, k=9)",
                 {"weights": "w"}, False)):
            model = self.compile(formula, group="g", **keys)
            info = json.loads(self.succeed(model, "info", "--format=json"))
            promise, peaks = info["stream"]["per_group"], []
            columns = x if name == "many inputs" else x[:2]
            for groups in (few, many):
                train = self.write_groups(columns, groups, in_turns)
                peaks.append(self.peak(model, train, "--stream", "--threads",
                                       1))
                self.assertLessEqual(peaks[-1], self.stream_promise(
                    model, 3 * groups, groups, 3, 1))
            if in_turns:
                promise += info["stream"]["uses"][0]["per_group"]
            used = (peaks[1] - peaks[0]) / (many - few)
            with self.subTest(name=name, used=used, promise=promise):
                self.assertLessEqual(used, promise)
                self.assertGreater(used, promise / 3)

    def test_stream_says_what_it_keeps(self):
        """And that it keeps nothing else that grows with rows."""
        what = {"quantiles": ("t(a,n_trees=2,split_strategy='quantile')", 8),
                "centres": ("rbf(a,n_centers=3)", 0),
                "period": ("f(a,period='auto')", 0), "nothing": ("s(a)", 0)}
        for name, (term, per_row) in what.items():
            model = self.compile(f"y ~ {term}", group="g")
            told = json.loads(self.succeed(model, "info", "--format=json"))
            self.assertEqual(told["stream"]["per_row"], per_row, name)
            kept = told["stream"]["kept"]
            self.assertEqual(len(kept), name != "nothing", name)
            text = self.succeed(model, "info")
            for line in kept:
                self.assertIn(f"for the {name}".replace("the period",
                                                        "its period"), line)
                self.assertIn(f"  {line}\n", text)
        dated = self.compile("y ~ s(a)", **small.KEYS)
        self.assertIn("kept by a fit of a stream:\n  all rows, if the dates of "
                      "a group are not in order\n", self.succeed(dated, "info"))

    def test_wide_file_under_its_promise(self):
        # Columns nobody reads do not count.
        model = self.compile("y ~ l(a)", **small.KEYS)
        train = self.dir / "wide.csv"
        with open(train, "w") as file:
            file.write("date,g,a,y," + ",".join(
                f"c{i}" for i in range(300)) + "\n")
            for i in range(20_000):
                file.write(f"{i},G{i % 3},{i % 11},{i % 7},"
                           + "1," * 299 + "1\n")
        for threads in (1, 2, 5):
            limit = self.promise(model, train, threads)
            self.fit(model, train, "--threads", threads, preexec_fn=lambda:
                     resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_promise_is_modest(self):
        # The stated memory is proportional to the input, not to the design
        # matrix: 38 columns of doubles would be 304 bytes a row.
        model = self.compile(small.FORMULA, **small.KEYS)
        need = json.loads(self.succeed(model, "info", "--format=json"))["fit"]
        self.assertLess(need["per_row"], 304)
        self.assertLessEqual(need["constant"], 16 << 20)

    def test_too_little_memory(self):
        # Far below the stated memory a fit either succeeds or fails cleanly.
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv")
        limit = train.stat().st_size + (20 << 20)
        run = self.run_program(
            model, "fit", train, "-o", self.dir / "w", "--threads", 1,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                  (limit, limit)))
        if run.returncode:
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            self.assertEqual({path.name for path in self.dir.iterdir()},
                             {"model", "model.yaml", "train.csv"})


class Compiler(harness.TestCase):
    def most(self, terms):
        """Most memory that tamc takes to tile a model, in bytes."""
        formula = "y ~ " + " + ".join(f"l(x{i})" for i in range(terms))
        return harness.largest_resident(
            harness.TAMC, "-f", formula, "--compile-to=tile", "-o", os.devnull)

    def test_many_terms(self):
        # 128 terms have 8,385 sums, each an argument and a result.
        self.assertLess(self.most(128) - self.most(2), 8385 * 20_000)


if __name__ == "__main__":
    harness.main()
