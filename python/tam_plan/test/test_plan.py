#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems in Python, plans, errors, pictures, and the package's command."""

import html
import json
import os
import re
import subprocess
import sys
import unittest
import unittest.mock

import common
from tam_plan import DoesNotFit, Error, ProblemError, plan, program

NET = [("x", 0, 3, 40), ("y", 2, 5, 30), ("z", 4, 6, 50)]
CHOICE = {"spaces": [{"name": "sram", "capacity": 64}, {"name": "dram"}],
          "buffers": [
              {"name": name, "size": size, "lower": lower, "upper": upper,
               "spaces": {"sram": 0, "dram": cost}, "uses": [lower, upper - 1]}
              for name, lower, upper, size, cost in
              (("k", 0, 9, 48, 9), ("q", 2, 5, 32, 50), ("r", 4, 7, 16, 1))]}


class Number:
    """A number as NumPy has them."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Plans(common.Folder):
    def check(self, made):
        """No two buffers that are alive together share a byte."""
        buffers = [(each["name"], each["size"], each["live"])
                   for each in made.data["buffers"]]
        for i, (a, size_a, live_a) in enumerate(buffers):
            for b, size_b, live_b in buffers[:i]:
                together = any(la < ub and lb < ua for la, ua in live_a
                               for lb, ub in live_b)
                at_a, at_b = made.offsets[a], made.offsets[b]
                self.assertTrue(not together or at_a + size_a <= at_b
                                or at_b + size_b <= at_a, (a, b))

    def test_forms_of_one_problem(self):
        csv = self.dir / "net.csv"
        csv.write_text("id,lower,upper,size\n" + "".join(
            ",".join(map(str, each)) + "\n" for each in NET))
        mappings = [dict(zip(("name", "lower", "upper", "size"), each))
                    for each in NET]
        made = plan(NET)
        self.assertEqual(made.peak, 80)
        for other in (csv, str(csv), mappings, iter(NET),
                      {"buffers": mappings}, {"buffers": tuple(mappings)},
                      [(n, Number(a), Number(b), Number(s))
                       for n, a, b, s in NET]):
            self.assertEqual(plan(other).offsets, made.offsets)
        self.check(made)

    def test_recorded_problems(self):
        files = sorted(common.RECORDED.glob("*.csv"))
        self.assertGreater(len(files), 30)
        for file in files:
            with self.subTest(file.name):
                made = plan(file, time_limit=10)
                self.check(made)
                self.assertGreaterEqual(made.peak, made.bound)
                self.assertEqual(made.status == "optimal",
                                 made.peak == made.bound)

    def test_options(self):
        self.assertEqual(plan(NET, alignment=64).offsets["y"] % 64, 0)
        self.assertEqual(plan(NET, strategy="naive").peak, 120)
        self.assertEqual(plan(NET, capacity=80).peak, 80)
        rows = [{"name": "a", "size": "8*rows", "lower": 0, "upper": 2}]
        self.assertEqual(plan(rows, bind={"rows": 7}).peak, 56)
        self.assertEqual(plan(CHOICE).cost, 18)
        self.assertEqual(plan(CHOICE, capacity={"sram": 96}).cost, 0)
        moves = plan(CHOICE, evict=True, objective="cost")
        self.assertLessEqual(moves.cost, 18)
        for wrong in ({"strategy": "best"}, {"alignment": 0},
                      {"objective": "time"}, {"time_limit": -1},
                      {"capacity": {"dram": 5}}):
            with self.subTest(wrong), self.assertRaises(ProblemError):
                plan(NET, **wrong)
        with self.assertRaises(TypeError):
            plan(NET, capacity=1.5)

    def test_text_of_errors(self):
        for problem, text in (
                ([("x", 3, 1, 40)],
                 "buffer 'x': expected upper >= lower, got lower 3 and "
                 "upper 1"),
                ([("x", 0, 1)], "expected a buffer as a mapping or as (name, "
                                "lower, upper, size), got ('x', 0, 1)"),
                ([{"name": "x", "size": 1, "lower": 0, "upper": object}],
                 f"expected what JSON can express, got {object!r}"),
                (self.dir / "none.csv",
                 f"{self.dir / 'none.csv'}: error: cannot read")):
            with self.subTest(text), self.assertRaises(ProblemError) as raised:
                plan(problem)
            self.assertEqual(str(raised.exception), text)
        self.assertTrue(issubclass(ProblemError, ValueError))

    def test_does_not_fit(self):
        with self.assertRaises(DoesNotFit) as raised:
            plan(NET, capacity=79)
        self.assertEqual(raised.exception.plan.status, "infeasible")
        self.assertEqual(raised.exception.plan.bound, 80)
        self.assertIn("at time 4 at least 80 bytes are needed",
                      str(raised.exception))

    def test_page_of_what_does_not_fit(self):
        with self.assertRaises(DoesNotFit) as raised:
            plan(NET, capacity=79)
        made = raised.exception.plan
        self.assertEqual(made.peak, 80)
        page = made.html()
        self.assertIn('"status":"infeasible"', page)
        self.assertIn("at time 4 at least 80 bytes are needed", page)
        pins = [{"name": name, "size": 8, "lower": 0, "upper": 1, "pin": 0}
                for name in "xy"]
        with self.assertRaises(DoesNotFit) as raised:
            plan(pins)
        with self.assertRaisesRegex(Error, "expected offsets to draw, got "
                                           "none: two pins exclude"):
            raised.exception.plan.html()

    def test_program(self):
        changed = unittest.mock.patch.dict(os.environ)
        changed.start()
        self.addCleanup(changed.stop)
        os.environ["TAM_PLAN"] = str(self.dir / "none")
        with self.assertRaisesRegex(Error, "expected the program tam-plan at"):
            plan(NET)
        crash = self.dir / "crash"
        crash.write_text("#!/bin/sh\necho broken >&2\nkill -ABRT $$\n")
        crash.chmod(0o755)
        os.environ["TAM_PLAN"] = str(crash)
        with self.assertRaisesRegex(Error, "status -6: broken"):
            plan(NET)

    def test_page_shows_this_plan(self):
        for problem, options in ((NET, {"strategy": "naive"}), (NET, {}),
                                 (CHOICE, {"evict": True}), (CHOICE, {}),
                                 (NET, {"alignment": 64, "capacity": 200})):
            with self.subTest(options):
                made = plan(problem, **options)
                page = made.html()
                self.assertIn(f'"peak":["{made.peak}"]' if problem is NET
                              else '"peak":[', page)
                self.assertNotRegex(page, r'(src|href)="?[a-z]+:')
        moved = plan(NET, strategy="naive")
        self.assertIn('"strategy":"naive"', moved.html())
        self.assertNotEqual(moved.html(), plan(NET).html())

    def test_notebook(self):
        made = plan(NET)
        shown = made._repr_html_()
        page = re.fullmatch('<iframe srcdoc="([^"]*)" .*></iframe>', shown)[1]
        self.assertEqual(html.unescape(page), made.html())

    def command(self, *arguments):
        return subprocess.run([sys.executable, "-m", "tam_plan", *arguments],
                              text=True, capture_output=True, check=False)

    def test_command(self):
        file = self.dir / "net.json"
        file.write_text(json.dumps(plan(NET).data))
        same = subprocess.run([program(), file], text=True, check=True,
                              capture_output=True)
        got = self.command(str(file))
        self.assertEqual((got.returncode, got.stdout), (0, same.stdout))
        got = self.command(str(file), "--capacity", "79")
        self.assertEqual(got.returncode, 2)
        got = self.command("--version")
        self.assertRegex(got.stdout, r"tam-plan \d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
