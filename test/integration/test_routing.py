# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle chooses between the solvers of a model that has both: by what
fits and by the limit on columns. `plan --memory` foretells it, and the
predictions are those of the other solver to 1e-6."""

import json
import os
import re

import small
from small import harness

BACKENDS = harness.BUILD / "test" / "backends"
# Dense columns: the direct solver's sums are large beside what iterations need.
FORMULA = "y ~ rbf(a,others='b|c',n_centers=90)+s(c,k=20)+c(d,n_cat=7)"
DECISION = re.compile(r"info: oracle: (.*): (\d+) threads?, chunks of (\d+) "
                      r"rows: (\d+) of (\d+) bytes, (\d+) free")
TOO_LITTLE = re.compile(r"model: error: expected (\d+) bytes of memory for "
                        r"(conjugate gradients|the direct solver) in chunks of "
                        r"(\d+) rows?, got (\d+), ")
ROWS, GROUPS = 240, 4


class Routing(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.train = small.generate(self.dir / "train.csv", "--groups", GROUPS,
                                    "--days", ROWS // GROUPS)
        self.model = self.compile(FORMULA, "--both-solvers", **small.KEYS)
        self.weights = {}
        for solver in ("direct", "cg"):
            self.weights[solver] = self.fit(
                self.model, self.train, f"--solver={solver}",
                weights=solver).read_bytes()
        self.assertNotEqual(*self.weights.values())

    def plan(self, memory, *options):
        """The answer on fits, whose data are counted."""
        told = json.loads(self.succeed(
            self.model, "plan", "--format=json", "--memory", memory, "--rows",
            ROWS, "--groups", GROUPS, "--threads", 2, *options,
            env=self.environment()))
        return next(use for use in told["uses"] if use["use"] == "fit")

    def environment(self, **sim):
        return dict(os.environ, TAMRT_LOG="info",
                    TAMRT_BACKEND_PATH=str(BACKENDS),
                    **{f"TAMRT_SIM_{key.upper()}": str(value)
                       for key, value in sim.items()})

    def check_fit(self, answer, *options, **sim):
        """A fit with as much free as the plan's answer counts decides as the
        answer says, and has the bytes of the solver that is named."""
        out = self.dir / "out"
        out.unlink(missing_ok=True)
        run = self.run_program(self.model, "fit", self.train, "-o", out,
                               "--threads", 2, *options,
                               env=self.environment(**sim))
        what = f"{answer} {run.stderr}"
        if not answer["fits"]:
            self.assertEqual(run.returncode, 1, what)
            bytes_, solver, _, budget = TOO_LITTLE.match(run.stderr).groups()
            self.assertEqual((int(bytes_), int(budget)),
                             (answer["bytes"], answer["budget"]), what)
            self.assertEqual(solver, "conjugate gradients", what)
            self.assertFalse(out.exists())
            return
        self.assertEqual(run.returncode, 0, what)
        reason, *numbers = DECISION.search(run.stderr).groups()
        self.assertEqual(
            (reason, *map(int, numbers)),
            tuple(answer[key] for key in ("reason", "threads", "rows", "bytes",
                                          "budget", "free")), what)
        self.assertEqual(out.read_bytes(), self.weights[answer["solver"]],
                         what)

    def test_predictions_agree(self):
        tables = []
        for solver in ("direct", "cg"):
            table = self.predict(self.model, self.train, self.dir / solver)
            tables.append([float(row["prediction"])
                           for row in harness.read_csv(table)])
        self.assert_close_to_norm(*tables, 1e-6, "prediction")

    def sweep(self, fit, *options):
        """Memory from much to too little. Returns the ways that were taken,
        in order."""
        ways = []
        answer = self.plan("1G", *options)
        least = self.plan("1K", *options)["least_memory"]
        most = answer["most_memory"]
        sizes = [most + (least - most) * i // 24 for i in range(25)]
        # A byte more or less decides at the ends.
        for memory in [most, most - 1, *sizes[1:-1], least, least - 1]:
            answer = self.plan(memory, *options)
            way = answer["solver"] if answer["fits"] else None
            if not ways or ways[-1] != way:
                ways.append(way)
            fit(answer)
        return ways

    def test_memory(self):
        # Of RAM, which --memory makes small.
        self.assertEqual(
            self.sweep(lambda answer: self.check_fit(
                answer, "--memory", answer["free"])), ["direct", "cg", None])

    def test_device(self):
        # Of a device, of which work may take another share.
        sim = ("--device", "sim")
        self.assertEqual(
            self.sweep(lambda answer: self.check_fit(
                answer, *sim, memory=answer["free"]), *sim),
            ["direct", "cg", None])

    def test_share(self):
        # The share decides as the bytes do.
        answer = self.plan("1G")
        share = answer["bytes"] / answer["free"]
        for factor, solver in ((1.01, "direct"), (0.2, "cg")):
            options = ("--ram-share", f"{factor * share:.9f}")
            answer = self.plan("1G", *options)
            self.assertEqual(answer["solver"], solver)
            self.check_fit(answer, "--memory", answer["free"], *options)

    def test_columns(self):
        columns = json.loads(self.succeed(self.model, "info",
                                          "--format=json"))["columns"]
        for limit, solver, reason in (
                (columns + 1, "direct", "planned bytes fit"),
                (columns, "direct", "planned bytes fit"),
                (columns - 1, "cg", f"{columns} columns, more than "
                                    f"{columns - 1}")):
            options = ("--direct-limit", limit)
            answer = self.plan("1G", *options)
            self.assertEqual(answer["solver"], solver)
            self.assertIn(reason, answer["reason"])
            self.check_fit(answer, "--memory", answer["free"], *options)

    def test_estimate(self):
        # 4 * 8 * D^2 bytes, whatever the plan says.
        for factor, solver in ((1, "direct"), (1e5, "cg")):
            options = ("--oracle", "estimate", "--estimate-factor", factor)
            answer = self.plan("1G", *options)
            self.assertEqual(answer["solver"], solver)
            self.assertIn("estimated", answer["reason"])
            self.check_fit(answer, "--memory", answer["free"], *options)

    def test_solver_that_was_asked_for(self):
        for solver in ("direct", "cg"):
            out = self.dir / "out"
            run = self.run_program(
                self.model, "fit", self.train, "-o", out, "--solver", solver,
                env=self.environment())
            self.assertIn("oracle: the solver that was asked for: ",
                          run.stderr)
            self.assertEqual(out.read_bytes(), self.weights[solver])

    def test_fallback_keeps_the_solver(self):
        """A device that fails changes where the work is done, not what."""
        sim, moved = ("--device", "sim"), False
        free = next(answer["free"] for answer in (
            self.plan(self.plan("1K", *sim)["least_memory"] + more, *sim)
            for more in range(0, 1 << 20, 1 << 14)) if answer["solver"] == "cg")
        for k in range(6, 18):
            run = self.run_program(
                self.model, "fit", self.train, "-o", "out", *sim, "--threads",
                2, "--allow-cpu-fallback", env=self.environment(
                    fail=k, fail_later=1, memory=free))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "out").read_bytes(),
                             self.weights["cg"], run.stderr)
            moved |= "the solver that was chosen before" in run.stderr
        self.assertTrue(moved, "the oracle was never asked again")


if __name__ == "__main__":
    harness.main()
