# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tam-plan with a choice of spaces, as a process: recorded networks, the
contest iopddl, options, bad input."""

import base64
import gzip
import json
import random
import re
import subprocess
import sys

from small import harness

PLAN = harness.BUILD / "bin" / "tam-plan"
DATA = harness.SOURCE / "test" / "data" / "planning"
IOPDDL = DATA / "iopddl"
GENERATE = harness.SOURCE / "tools" / "bench" / "generate-buffers"
TWO = """id,lower,upper,size,spaces,uses
w,0,10,60,sram:0|dram:500,0 9
x,3,6,80,sram:0|dram:900,
y,4,5,90,sram:0|dram:7,
"""


def largest_load(lives):
    """The most bytes alive at one time, of (lower, upper, bytes)."""
    events = []
    for lower, upper, size in lives:
        if lower < upper:
            events += [(lower, size), (upper, -size)]
    load = most = 0
    for _, change in sorted(events):
        load += change
        most = max(most, load)
    return most


class Choice(harness.TestCase):
    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path

    def plan(self, *arguments):
        return json.loads(self.succeed(PLAN, *arguments, "--emit=json"))

    def recorded(self, name):
        """A recorded network whose buffers cost their bytes in slow memory;
        the file and the largest load."""
        rows = [line.split(",") for line in
                (DATA / "recorded" / f"{name}.csv").read_text().split()[1:]]
        path = self.write("choice.csv", "id,lower,upper,size,spaces\n" + "".join(
            f"{row[0]},{row[1]},{row[2]},{row[3]},fast:0|slow:{row[3]}\n"
            for row in rows))
        return path, largest_load((int(row[1]), int(row[2]), int(row[3]))
                                  for row in rows)

    def test_networks_are_near_their_bounds(self):
        for name in ("executorch-resnet", "executorch-transformer",
                     "tflm-fold_hand_landmark_full"):
            path, load = self.recorded(name)
            for share in (25, 50, 75):
                capacity = f"fast={load * share // 100}"
                costs = {}
                for choose in ("search", "size", "next-use"):
                    out = self.dir / f"{choose}.json"
                    self.succeed(PLAN, path, "--capacity", capacity, "--choose",
                                 choose, "--emit=json", "-o", out)
                    self.assertEqual(
                        self.succeed(PLAN, path, "--capacity", capacity,
                                     "--check", out),
                        "the plan is correct\n")
                    costs[choose] = json.loads(out.read_text())["plan"]
                best = costs["search"]
                with self.subTest(name=name, share=share):
                    self.assertGreater(best["cost_bound"], 0)
                    self.assertLessEqual(best["cost"],
                                         1.05 * best["cost_bound"])
                    for other in ("size", "next-use"):
                        self.assertLessEqual(best["cost"],
                                             costs[other]["cost"])

    def test_the_contest(self):
        for path in sorted(IOPDDL.glob("*.json*")):
            text = path.read_bytes()
            if path.suffix == ".gz":
                text = gzip.decompress(text)
            problem = json.loads(text)["problem"]
            nodes = problem["nodes"]
            run = self.run_program(PLAN, "--format=iopddl", path)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stderr,
                             r"note: the costs of \d+ edges are ignored")
            answer = json.loads(run.stdout)
            choice = answer["choice"]
            self.assertEqual(len(choice), len(nodes["costs"]))
            plan = answer["plan"]
            self.assertEqual(plan["edges_ignored"],
                             len(problem["edges"]["nodes"]))
            with self.subTest(problem=path.name):
                self.assertEqual(plan["cost"], sum(
                    costs[each] for costs, each in zip(nodes["costs"],
                                                       choice)))
                self.assertLessEqual(largest_load(
                    (lower, upper, usages[each])
                    for (lower, upper), usages, each in zip(
                        nodes["intervals"], nodes["usages"], choice)),
                    problem["usage_limit"])
                self.assertEqual(plan["cost_bound"], plan["cost"])
                self.assertEqual(plan["status"], "optimal")

    def test_the_contest_with_less_memory(self):
        """Where the limit of the contest does not bind, a lower one does."""
        with gzip.open(IOPDDL / "B.json.gz") as file:
            problem = json.load(file)
        nodes = problem["problem"]["nodes"]
        least = largest_load(
            (lower, upper, min(usages)) for (lower, upper), usages in
            zip(nodes["intervals"], nodes["usages"]))
        costs = []
        for limit in (least - 1, least, least * 2):
            problem["problem"]["usage_limit"] = limit
            path = self.write("less.json", json.dumps(problem))
            run = self.run_program(PLAN, "--format=iopddl", path)
            if limit < least:
                self.assertEqual(run.returncode, 2)
                self.assertIn("is within the limit", run.stderr)
                continue
            answer = json.loads(run.stdout)
            self.assertLessEqual(largest_load(
                (lower, upper, usages[each])
                for (lower, upper), usages, each in zip(
                    nodes["intervals"], nodes["usages"], answer["choice"])),
                limit)
            self.assertLessEqual(answer["plan"]["cost_bound"],
                                 answer["plan"]["cost"])
            costs.append(answer["plan"]["cost"])
        self.assertGreaterEqual(costs[0], costs[1])

    def test_the_first_strategies_are_at_their_bounds(self):
        for path in sorted(IOPDDL.glob("*.json.gz")):
            plan = self.plan(path, "--format=iopddl-first")["plan"]
            with self.subTest(problem=path.name):
                self.assertEqual(plan["status"], "optimal")
                self.assertEqual(plan["peak"], plan["bound"])

    def test_bad_contests(self):
        def error(text):
            path = self.dir / "bad"
            path.write_bytes(text)
            run = self.run_program(PLAN, "--format=iopddl", path)
            self.assertEqual(run.returncode, 1)
            return run.stderr
        whole = gzip.compress(b'{"problem": {}}')
        self.assertIn("the gzip file ends in the middle", error(whole[:-9]))
        self.assertIn("not a valid gzip file",
                      error(whole[:10] + b"\xff\xff" + whole[12:]))
        self.assertIn("expected an object with the member 'nodes'",
                      error(whole))
        self.assertIn(
            "problem.nodes.usages[0]: expected as many as costs, 2",
            error(b'{"problem": {"nodes": {"intervals": [[0, 1]],'
                  b'"costs": [[1, 2]], "usages": [[3]]}}}'))
        self.assertIn("from 0 to 2^63-1, got -1",
                      error(b'{"problem": {"nodes": {"intervals": [[0, 1]],'
                            b'"costs": [[-1]], "usages": [[3]]}}}'))

    def test_costs_of_edges_that_are_not_read(self):
        """Errors behind them keep their places, here after @; they are checked
        themselves."""
        path = self.dir / "edges.json"
        good, life = "[[10,\n 0],[],[[300 ], 41 ]\n ]", "[[0, 1]]"
        number = "expected ',' or ']', got number literal"
        literal = "expected '[', '{', or a literal, got "
        for costs, intervals, message in [
                (good, life, None),
                ("\t [ ]", life, None),
                ('[0.5, "a", -1, {"b": [null]}]', life, None),
                ("[" * 17 + "0" + "]" * 17, life, None),
                (good, "[@[0, -1]]", "problem.nodes.intervals[0]: expected a "
                 "whole number from 0 to 2^63-1, got -1"),
                (good, '[[0, 1]@:', "expected ',' or ']', got ':'"),
                (good, '[[0, 1]], "costs": [], @"costs": []',
                 "duplicate member 'costs'"),
                (good + "@]", life, "expected ',' or '}', got ']'"),
                ("[[1,@,2]]", life, literal + "','"),
                ("[[1, @02]]", life, number),
                ("[[1, 2,@]]", life, literal + "']'"),
                ("[[1, 2] @3]", life, number),
                ("[" * 1000, life, "expected at most 1000 lists"),
        ]:
            text = ('{"problem": {"edges": {"costs": ' + costs
                    + ', "nodes": []}, "nodes": {"intervals": ' + intervals
                    + ', "costs": [[1]], "usages": [[3]]}}}')
            path.write_text(text.replace("@", ""))
            run = self.run_program(PLAN, "--format=iopddl", path)
            with self.subTest(costs=costs[:40], intervals=intervals):
                if message is None:
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(json.loads(run.stdout)["choice"], [0])
                    continue
                self.assertEqual(run.returncode, 1, run.stdout)
                before, mark, _ = text.partition("@")
                place = (f":{before.count(chr(10)) + 1}:"
                         f"{len(before) - before.rfind(chr(10))}: error: ")
                self.assertIn((place if mark else ": error: ") + message,
                              run.stderr)

    def test_options(self):
        path = self.write("two.csv", TWO)
        moved = self.plan(path, "--capacity", "sram=100", "--evict")
        self.assertEqual(moved["plan"]["cost"], 127)
        self.assertEqual([(copy["time"], copy["from"], copy["to"])
                          for copy in moved["plan"]["copies"]],
                         [(1, "sram", "dram"), (9, "dram", "sram")])
        stayed = self.plan(path, "--capacity", "sram=100")
        self.assertEqual(stayed["plan"]["cost"], 907)
        self.assertEqual([buffer["space"] for buffer in stayed["buffers"]],
                         ["sram", "dram", "dram"])
        run = self.run_program(PLAN, path, "--capacity", "sram=10,dram=100")
        self.assertEqual(run.returncode, 2)
        for capacity, message in (
                ("sram=x", "expected a capacity like sram=4096"),
                ("flash=4", "no space has the name 'flash'"),
                ("sram=4,sram=5", "expected one capacity of 'sram'"),
                ("-4", "expected bytes, or capacities like")):
            run = self.run_program(PLAN, path, f"--capacity={capacity}")
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)
        for option in ("--compare", "--schedule=min-peak",
                       "--reuse=branch-safe"):
            self.assertEqual(self.run_program(PLAN, path, option).returncode, 1)
        run = self.run_program(PLAN, path, "--capacity", "sram=100", "--evict",
                               "--emit=csv")
        self.assertIn("csv has no copies", run.stderr)

    def test_pictures_show_the_reasons(self):
        path = self.write("two.csv", TWO)
        for form in ("html", "trace"):
            text = self.succeed(PLAN, path, "--capacity", "sram=100", "--evict",
                                f"--emit={form}")
            self.assertIn("cost 127", text)
            if form == "html":
                # The columns of a page are in base64.
                data = max(re.findall("[A-Za-z0-9+/]{40,}=*", text), key=len)
                text = base64.b64decode(data).decode("latin-1")
            else:
                self.assertIn("copy w", text)
                self.assertIn("w@1", text)
            self.assertIn("40 bytes are lacking", text)

    def test_a_hundred_thousand_buffers(self):
        plain = self.dir / "plain.csv"
        subprocess.run([sys.executable, str(GENERATE), "-n", "100000",
                        "--family", "program", "-o", str(plain)], check=True)
        generator = random.Random(1)
        rows = [line.split(",") for line in plain.read_text().split()[1:]]
        path = self.write("large.csv", "id,lower,upper,size,spaces\n" + "".join(
            f"{row[0]},{row[1]},{row[2]},{row[3]},sram:0|"
            f"dram:{int(row[3]) * generator.randint(1, 5)}\n" for row in rows))
        load = largest_load((int(row[1]), int(row[2]), int(row[3]))
                            for row in rows)
        out = self.dir / "large.csv.plan"
        capacity = f"sram={load // 2}"
        self.succeed(PLAN, path, "--capacity", capacity, "--time-limit", 10,
                     "--emit=csv", "-o", out)
        self.assertEqual(self.succeed(PLAN, path, "--capacity", capacity,
                                      "--check", out),
                         "the plan is correct\n")


if __name__ == "__main__":
    harness.main()
