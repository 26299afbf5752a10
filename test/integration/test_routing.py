# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle chooses between the solvers of a model that has both, by what fits
in memory and by the limit on columns. `plan --memory` predicts the choice, and
predictions agree with those of the other solver to 1e-6."""

import json
import os
import re
import shutil

import small
from small import harness

BACKENDS = harness.BUILD / "test" / "backends"
# Dense columns: the direct solver's sums are large beside what iterations need.
FORMULA = "y ~ rbf(a,others='b|c',n_centers=90)+s(c,k=20)+c(d,n_cat=7)"
NOTE = re.compile(r"^model: note: fits by conjugate gradients(.*): (.*)$", re.M)
DECISION = re.compile(r"info: oracle: (.*): (\d+) threads?, chunks of (\d+) "
                      r"rows: (\d+) of (\d+) bytes, (\d+) free")
TOO_LITTLE = re.compile(r"model: error: expected (\d+) bytes of memory for "
                        r"(conjugate gradients with small blocks|the direct "
                        r"solver) in chunks of (\d+) rows?, got (\d+), ")
ROWS, GROUPS = 240, 4


class Routing(harness.TestCase):
    # With less and less memory.
    WAYS = ["direct", "cg", "small blocks", None]

    def setUp(self):
        super().setUp()
        self.train = small.generate(self.dir / "train.csv", "--groups", GROUPS,
                                    "--days", ROWS // GROUPS)
        self.weights = {}
        # A fit that does not factor the block of 90 columns gives the same
        # results as a model without that factor.
        self.model = self.compile(FORMULA, "--min-cg=0", "--block-limit=64",
                                  **small.KEYS)
        self.keep_weights("small blocks", "--solver=cg")
        self.model = self.compile(FORMULA, "--min-cg=0", **small.KEYS)
        for solver in ("direct", "cg"):
            self.keep_weights(solver, f"--solver={solver}")
        self.assertEqual(len(set(self.weights.values())), 3)

    def keep_weights(self, way, *options):
        self.weights[way] = self.fit(self.model, self.train, *options,
                                     weights=way).read_bytes()

    @staticmethod
    def way_of(answer):
        return "small blocks" if answer["small_blocks"] else answer["solver"]

    def plan(self, memory, *options):
        """The answer for fits, in which the data are counted."""
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
        """A fit with as many free bytes as in the plan's answer decides as the
        answer says and gives the bytes of that solver."""
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
            self.assertEqual(
                solver, "conjugate gradients with small blocks", what)
            self.assertFalse(out.exists())
            return
        self.assertEqual(run.returncode, 0, what)
        reason, *numbers = DECISION.search(run.stderr).groups()
        self.assertEqual(
            (reason, *map(int, numbers)),
            tuple(answer[key] for key in ("reason", "threads", "rows", "bytes",
                                          "budget", "free")), what)
        way = self.way_of(answer)
        self.assertEqual(out.read_bytes(), self.weights[way], what)
        notes = NOTE.findall(run.stderr)
        self.assertEqual(len(notes), way != "direct", what)
        if notes:
            self.assertEqual(notes[0][0] == " with small blocks",
                             way == "small blocks", what)

    def test_predictions_agree(self):
        tables = []
        for solver in ("direct", "cg"):
            table = self.predict(self.model, self.train, self.dir / solver)
            tables.append([float(row["prediction"])
                           for row in harness.read_csv(table)])
        self.assert_close_to_norm(*tables, 1e-6, "prediction")

    def sweep(self, fit, *options):
        """Runs with decreasing memory down to too little. Returns the solvers
        that were used, in order."""
        ways = []
        answer = self.plan("1G", *options)
        least = self.plan("1K", *options)["least_memory"]
        most = answer["most_memory"]
        sizes = [most + (least - most) * i // 24 for i in range(25)]
        # A byte more or less decides at the ends.
        for memory in [most, most - 1, *sizes[1:-1], least, least - 1]:
            answer = self.plan(memory, *options)
            way = self.way_of(answer) if answer["fits"] else None
            if not ways or ways[-1] != way:
                ways.append(way)
            fit(answer)
        return ways

    def test_memory(self):
        # With RAM, limited by --memory.
        self.assertEqual(
            self.sweep(lambda answer: self.check_fit(
                answer, "--memory", answer["free"])), self.WAYS)

    def test_device(self):
        # With a device, whose share is different.
        sim = ("--device", "sim")
        self.assertEqual(
            self.sweep(lambda answer: self.check_fit(
                answer, *sim, memory=answer["free"]), *sim),
            self.WAYS)

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
        """A device that fails changes the device of the work, not the
        results."""
        for way in ("cg", "small blocks"):
            self.check_fallback(way)

    def check_fallback(self, way):
        sim, moved = ("--device", "sim"), False
        free = next(answer["free"] for answer in (
            self.plan(self.plan("1K", *sim)["least_memory"] + more, *sim)
            for more in range(0, 1 << 20, 1 << 14))
            if self.way_of(answer) == way)
        for k in range(6, 18):
            run = self.run_program(
                self.model, "fit", self.train, "-o", "out", *sim, "--threads",
                2, "--allow-cpu-fallback", env=self.environment(
                    fail=k, fail_later=1, memory=free))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.dir / "out").read_bytes(),
                             self.weights[way], run.stderr)
            moved |= "the solver that was chosen before" in run.stderr
            self.assertEqual(len(NOTE.findall(run.stderr)), 1, run.stderr)
        self.assertTrue(moved, "the oracle was never asked again")


class Windows(harness.TestCase):
    def test_solver_of_windows(self):
        # It is chosen once, before rows are read; nobody has asked for one.
        train = small.generate(self.dir / "train.csv", "--groups", GROUPS,
                               "--days", ROWS // GROUPS)
        model = self.compile("y ~ s(a, k=9) + c(d, n_cat=7)", "--min-cg=0",
                             adapt="{window: 30, update: 1, horizon: 1}",
                             **small.KEYS)
        # Windows that share sums, that are fitted by themselves, and that take
        # conjugate gradients. Those that share sums have no solve of their own.
        ways = (([], "chunk"), (["--update", 30], "solve"),
                (["--direct-limit", 9], "iteration"))
        for options, way in ways:
            run = self.run_program(
                model, "adapt", train, "-o", "out.csv", "--trace", "trace",
                *options, env=dict(os.environ, TAMRT_LOG="info"))
            self.assertEqual(run.returncode, 0, run.stderr)
            trace = json.loads((self.dir / "trace").read_text())
            names = {event.get("name") for event in trace["traceEvents"]}
            self.assertEqual(names & {"chunk", "solve", "iteration"},
                             {"chunk", way})
            self.assertIn("oracle: the solver that was chosen before: ",
                          run.stderr)
            self.assertNotIn("asked for", run.stderr)
            self.assertEqual(len(NOTE.findall(run.stderr)),
                             "--direct-limit" in options)
        run = self.run_program(
            model, "adapt", train, "-o", "out.csv", "--solver", "cg",
            env=dict(os.environ, TAMRT_LOG="info"))
        self.assertIn("oracle: the solver that was asked for: ", run.stderr)
        self.assertNotIn("chosen before", run.stderr)


class Large(harness.TestCase):
    """Models of the sizes at which memory decides, as `auto` compiles them."""

    def setUp(self):
        super().setUp()
        self.train = small.generate(self.dir / "train.csv", "--groups", 1,
                                    "--days", 600)

    def check_agrees(self, model, *options):
        """A fit by conjugate gradients for lack of memory gives the direct
        solver's predictions; returns its note."""
        tables = []
        for name, more in (("direct", ()), ("cg", options)):
            run = self.run_program(model, "fit", self.train, "-o", name, *more)
            self.assertEqual(run.returncode, 0, run.stderr)
            table = self.predict(model, self.train, self.dir / name)
            tables.append([float(row["prediction"])
                           for row in harness.read_csv(table)])
        self.assert_close_to_norm(*tables, 1e-6, "prediction")
        notes = NOTE.findall(run.stderr)
        self.assertEqual(len(notes), 1, run.stderr)
        return notes[0]

    def test_6400_columns(self):
        model = self.compile("y ~ t(a, n_trees=200, max_depth=5, ap=-3)",
                             date="date")
        told = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertEqual((told["columns"], told["solver"]), (6401, "auto"))
        blocks, why = self.check_agrees(model, "--memory", "200M")
        self.assertEqual(blocks, "")
        self.assertRegex(why, r"^the direct solver needs \d+\.\d MB, 209\.7 "
                              r"MB are free(, of which 70% may be taken)?$")
        self.assertGreater(float(why.split()[4]), 140)
        # The same for a file that is read again.
        run = self.run_program(model, "fit", self.train, "-o", "stream",
                               "--memory", "200M", "--stream",
                               "--max-iterations=2", "--allow-unconverged")
        self.assertEqual(NOTE.findall(run.stderr), [(blocks, why)], run.stderr)

    def test_400_centers(self):
        """In less than a megabyte, without their block of 400 columns."""
        model = self.compile("y ~ rbf(a, others='b|c', n_centers=400, ap=-2)",
                             date="date")
        blocks, why = self.check_agrees(model, "--memory", "1000000")
        self.assertEqual(blocks, " with small blocks")
        self.assertRegex(why, r"^the direct solver needs 2\.\d MB, 1\.0 MB are "
                              r"free; a preconditioner of all blocks needs "
                              r"\d\.\d MB$")

    def test_who_has_both(self):
        """From 363 columns on; a library has the caller's memory."""
        for columns, solver in ((362, "direct"), (363, "auto"), (7500, "auto"),
                                (7501, "cg")):
            formula = f"y ~ c(d, n_cat={columns - 1})"
            model = self.compile(formula)
            told = json.loads(self.succeed(model, "info", "--format=json"))
            self.assertEqual((told["columns"], told["solver"]),
                             (columns, solver))
        model = self.compile("y ~ c(d, n_cat=500)", "--solver=direct")
        self.assertIn("solver: direct\n", self.succeed(model, "info"))
        self.succeed(harness.TAMC, "-f", "y ~ c(d, n_cat=500)", "--emit=lib",
                     "-o", self.dir / "libm.a")
        symbols = (self.dir / "libm.a").read_bytes()
        # Steps of the ladder; the runtime has the names of all kinds.
        self.assertRegex(symbols, rb"fit_chunk_\d")
        self.assertNotRegex(symbols, rb"apply_chunk_\d")


class DeviceOfTheSpec(harness.TestCase):
    """The spec's device is looked for when the model runs."""

    def setUp(self):
        super().setUp()
        self.train = small.generate(self.dir / "train.csv", "--groups", 1,
                                    "--days", 30)

    def fit_on(self, model, *options, **environment):
        return self.run_program(
            model, "fit", self.train, "-o", "w", *options,
            env={**os.environ, "TAMRT_LOG": "info",
                 "TAMRT_BACKEND_PATH": str(BACKENDS), **environment})

    def test_the_model_says_that_there_is_none(self):
        for keys, options in (({"device": "cuda:1"}, ()),
                              ({}, ("--device=cuda:1",))):
            model = self.compile("y ~ l(a)", *options, **keys)
            self.assertIn("device: cuda:1\n", self.succeed(model, "info"))
            run = self.fit_on(model)
            self.assertEqual(run.returncode, 1)
            self.assertIn("model: error: device 'cuda:1': no backend "
                          "'libtamrt-backend-cuda.so' was found", run.stderr)
            self.assertEqual(self.fit_on(model, "--device=cpu").returncode, 0)

    def test_it_is_used(self):
        model = self.compile("y ~ l(a)", device="sim")
        run = self.fit_on(model, TAMRT_SIM_MEMORY="1000")
        self.assertEqual(run.returncode, 1)
        self.assertIn("device 'sim': test '", run.stderr)
        run = self.fit_on(model)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("memory of 'sim'", run.stderr)
        # Weights stay those of the same model.
        other = self.compile("y ~ l(a)")
        self.succeed(other, "coefficients", "--weights", "w")

    def test_auto_passes_over_one_too_small_for_its_test(self):
        folder = self.dir / "backends"
        folder.mkdir()
        shutil.copy(BACKENDS / "libtamrt-backend-sim.so",
                    folder / "libtamrt-backend-cuda.so")
        model = self.compile("y ~ l(a)")
        for memory, device in (("1000", "cpu"), ("1000000", "cuda")):
            run = self.fit_on(model, TAMRT_BACKEND_PATH=str(folder),
                              TAMRT_SIM_KIND="cuda", TAMRT_SIM_MEMORY=memory)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"memory of '{device}'", run.stderr)
            self.assertEqual("model: warning: device 'cuda' is skipped: "
                             "test 'binary64 sum' failed: expected 8008 bytes "
                             "of memory for a test, got less\n" in run.stderr,
                             device == "cpu", run.stderr)


if __name__ == "__main__":
    harness.main()
