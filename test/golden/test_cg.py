# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conjugate gradients against the direct solver: predictions agree to 1e-6 on
the models of effects.json and on the load model. Also tests their output for
the user."""

import json
import math
import random
import sys

import golden
import harness

sys.path.insert(0, str(harness.SOURCE / "tools" / "bench"))
import load_model  # noqa: E402


def predictions(table):
    return [float(row["prediction"]) for row in harness.read_csv(table)]


class ConjugateGradients(harness.TestCase):
    """Tests, and one more for each case, made below."""

    def check_agrees(self, model, train, new, *options):
        """Fits with both solvers and compares predictions, relative to the
        largest; the bytes of the second fit do not depend on threads, chunks,
        or whether rows are in memory. Returns the output of --timings."""
        direct = self.fit(model, train, "--solver=direct", weights="direct")
        expected = predictions(self.predict(model, new, direct))
        cg = self.dir / "cg"
        run = self.run_program(model, "fit", train, "-o", cg, "--solver=cg",
                               "--threads=1", "--timings=json", *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        for more in (["--threads=2", "--chunk-rows=37"], ["--stream"]):
            other = self.fit(model, train, "--solver=cg", *more, *options,
                             weights="other")
            self.assertEqual(cg.read_bytes(), other.read_bytes(), more)
        got = predictions(self.predict(model, new, cg))
        self.assert_close_to_norm(got, expected, 1e-6, "prediction")
        return json.loads(run.stderr)

    def check(self, name):
        case = golden.effect_case(name)
        model = self.compile(case["formula"], "--profile", case["train"],
                             "--min-cg=0", name=name, group="g",
                             date="date",
                             state=json.dumps(golden.given_state(case)))
        self.check_agrees(model, case["train"], case["test"])
        # Without a preconditioner it takes longer and converges as well.
        self.check_agrees(model, case["train"], case["test"],
                          "--preconditioner=none")

    def test_no_block(self):
        """Only the offset's block is factored."""
        for name in ("te", "tree_uniform", "spline_default", "lt"):
            case = golden.effect_case(name)
            model = self.compile(case["formula"], "--profile", case["train"],
                                 "--min-cg=0", "--block-limit=1",
                                 name=name, group="g", date="date")
            self.check_agrees(model, case["train"], case["test"])

    def test_many_linear_terms(self):
        """Neighbours are one matrix, of which the diagonal is factored: as many
        iterations as with a factor for each. That holds beside an effect that
        is too large for a factor, too; then the penalties alone are factored.
        """
        draw = random.Random(4)
        names = [f"x{i}" for i in range(60)]
        lines = [",".join(["y", "g", *names])]
        for i in range(1200):
            common = [draw.gauss(0, 1) for _ in range(4)]
            own = [repr(common[j % 4] + 0.05 * draw.gauss(0, 1))
                   for j in range(len(names))]
            lines.append(",".join([repr(sum(common) + draw.gauss(0, 1)),
                                   "pq"[i % 2], *own]))
        (self.dir / "rows.csv").write_text("\n".join(lines) + "\n")
        formula = "y ~ " + " + ".join(
            [*(f"l({name}, ap=-6)" for name in names), "s(x0, k=9, ap=-3)"])
        for options in ((), ("--block-limit=4",)):
            with self.subTest(options=options):
                most = []
                for merged in ((), ("--merge-columns=0",)):
                    model = self.compile(formula, "--min-cg=0", *options,
                                         *merged, group="g")
                    told = self.check_agrees(model, "rows.csv", "rows.csv")
                    most.append(told["most iterations of a group"])
                self.assertAlmostEqual(*most, delta=1)

    def test_sketch(self):
        """Trees whose Gram matrix is far from its diagonal, and groups of more
        than a segment of rows: the penalty alone, a multiple of the identity,
        does not help as a preconditioner, but the sketch does."""
        rows = self.write_rows(rows=11000)
        model = self.compile("y ~ t(a, n_trees=64, max_depth=5)",
                             "--min-cg=0", group="g")
        told = {name: self.check_agrees(model, rows, rows,
                                        f"--preconditioner={name}")
                for name in ("none", "block", "sketch")}
        most = {name: one["most iterations of a group"]
                for name, one in told.items()}
        self.assertLess(most["block"], 1.1 * most["none"])
        # The sketch's products and the iterations before it are counted.
        self.assertGreater(most["sketch"], 256)
        self.assertLess(most["sketch"], most["block"])
        for name, hint in (("sketch", "try --preconditioner block, "),
                           ("block", "")):
            run = self.run_program(model, "fit", rows, "-o", "w",
                                   "--solver=cg", "--max-iterations=2",
                                   f"--preconditioner={name}")
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"raise --max-iterations, {hint}raise the penalty "
                          "ap, ", run.stderr)

    def test_memory(self):
        """512 trees of 32 leaves, 100,000 rows: less than 200 MB, both planned
        and used."""
        model = self.compile("y ~ t(a, n_trees=512, max_depth=5)")
        rows = self.write_rows(rows=100000, groups=1)
        told = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertEqual(told["columns"], 16385)
        largest = max(rung["total"] for rung in told["rungs"]
                      if rung["use"] == "fit by cg")
        self.assertLess(largest + told["fit"]["constant"]
                        + told["fit"]["per_group"], 100 << 20)
        used = harness.largest_resident(
            model, "fit", rows, "-o", self.dir / "w", "--max-iterations=3",
            "--allow-unconverged", "--threads=1")
        self.assertLess(used, rows.stat().st_size + (200 << 20))

    def test_load(self):
        load_model.write_rows(self.dir / "train.csv", 500, 1)
        load_model.write_rows(self.dir / "new.csv", 30, 2)
        model = self.compile(load_model.FORMULA, "--min-cg=0",
                             name="load", group="g", date="date")
        told = self.check_agrees(model, "train.csv", "new.csv")
        self.assertLess(told["most iterations of a group"], 500)
        self.assertLess(told["residual"], 1e-10)

    def write_rows(self, rows=9000, groups=2, scale=1.0, weight=None):
        draw = random.Random(3)
        lines = ["y,a,b,g" + (",w" if weight is not None else "")]
        for i in range(rows):
            a, b, g = draw.random(), draw.randrange(5), i % groups
            y = (3 + math.sin(6 * a) + 0.3 * b + g + draw.gauss(0, .1)) * scale
            lines.append(f"{y!r},{a:.6f},{b},{g}" + (
                "" if weight is None else f",{weight}"))
        path = self.dir / "rows.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    FORMULA = "y ~ s(a, k=20) + c(b, n_cat=5)"

    def test_units_do_not_matter(self):
        model = self.compile(self.FORMULA, "--min-cg=0", group="g")
        for scale in (1e-100, 1e-26, 1e-9, 1e9):
            rows = self.write_rows(scale=scale)
            self.check_agrees(model, rows, rows)

    def test_tiny_targets(self):
        """Zeros are a solution for zeros alone."""
        model = self.compile(self.FORMULA, "--min-cg=0", group="g")
        rows = self.write_rows(rows=200, scale=0.0)
        told = self.check_agrees(model, rows, rows)
        self.assertEqual(told["residual"], 0)
        run = self.run_program(model, "fit", self.write_rows(scale=1e-160),
                               "-o", "w", "--solver=cg")
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected conjugate gradients to reach a residual below "
                      "1.0e-10, got 1.0e+00 after 0 iterations", run.stderr)

    def test_large_models_need_no_matrix(self):
        """With `auto` and more coefficients than the direct solver takes."""
        model = self.compile("y ~ t(a, n_trees=240, max_depth=5)", group="g")
        rows = self.write_rows(rows=1500)
        told = self.succeed(model, "info")
        self.assertIn("solver: cg\n", told)
        self.assertIn("fit by cg", told)
        self.assertIn("step apply_chunk_", self.succeed(model, "plan"))
        weights = self.fit(model, rows)
        values = [float(row["y"]) for row in harness.read_csv(rows)]
        got = predictions(self.predict(model, rows, weights))
        error = sum((p - y) ** 2 for p, y in zip(got, values)) / len(got)
        self.assertLess(error, 0.3)
        asked = self.fit(model, rows, "--solver=cg",
                         weights="asked.safetensors")
        self.assertEqual(asked.read_bytes(), weights.read_bytes())
        run = self.run_program(model, "fit", rows, "-o", "w",
                               "--solver=direct")
        self.assertEqual(run.returncode, 1)
        self.assertIn("solver", run.stderr)

    def test_not_converged(self):
        model = self.compile(self.FORMULA, group="g", solver="cg")
        rows = self.write_rows(rows=200)
        run = self.run_program(model, "fit", rows, "-o", "w",
                               "--max-iterations=2")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(
            run.stderr, "error: .*rows.csv: group '0': expected conjugate "
            "gradients to reach a residual below 1.0e-10, got .* after 2 "
            "iterations; raise --max-iterations, raise the penalty ap, lower "
            "one above 8, raise --tolerance")
        self.assertFalse((self.dir / "w").exists())
        run = self.run_program(model, "fit", rows, "-o", "w",
                               "--max-iterations=2", "--allow-unconverged")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, "warning: conjugate gradients did not "
                         "converge for 2 of 2 groups")

    def same_error(self, model, rows):
        """Both solvers fail with the same words."""
        messages = []
        for solver in ("direct", "cg"):
            run = self.run_program(model, "fit", rows, "-o", "w",
                                   f"--solver={solver}")
            self.assertEqual(run.returncode, 1, solver)
            messages.append(run.stderr)
        self.assertEqual(*messages)

    def test_errors(self):
        model = self.compile(self.FORMULA, "--min-cg=0", group="g")
        rows = self.write_rows(rows=60)
        text = rows.read_text()
        rows.write_text(text.replace(",0.", ",nan", 1))
        self.same_error(model, rows)
        lines = text.splitlines()
        lines[5] = "1e308" + lines[5][lines[5].index(","):]
        lines[7] = "1e308" + lines[7][lines[7].index(","):]
        rows.write_text("\n".join(lines) + "\n")
        self.same_error(model, rows)

    def test_blocks_without_a_factor(self):
        """Large linearly dependent columns, compared with which the penalty is
        negligible: if rounding leaves a block without a pivot, its diagonal
        replaces it, and predictions equal those of smaller columns. A number
        that exceeds a double is an error."""
        draw = random.Random(1)
        rows = harness.write_csv(
            self.dir / "rows.csv",
            [{"y": repr(draw.gauss(0, 1)), "a": i // 2 % 2, "c": i // 2 % 3,
              "z": i % 2} for i in range(200)])
        # Sums of squares are about 1eN.
        expected, ends = None, {}
        for power in (12, 20, 100, 310):
            scales = [100, power // 2 - 100] if power > 200 else [power // 2]
            factors = "".join(f"l(z,scaled=1e{scale})," for scale in scales)
            model = self.compile(f"y ~ te({factors}f(a,m=5),s(c,k=12))",
                                 "--min-cg=0")
            for preconditioner in ("none", "block", "sketch"):
                run = self.run_program(
                    model, "fit", rows, "-o", "w", "--solver=cg",
                    f"--preconditioner={preconditioner}")
                what = f"{power} {preconditioner}: {run.stderr}"
                ends.setdefault(power, []).append(run.returncode)
                self.assertNotIn("nan", run.stderr)
                if run.returncode:
                    self.assertRegex(
                        run.stderr, r"\Amodel: error: .*rows.csv: "
                        r"effect '\w+': expected finite coefficients, got an "
                        r"overflow; .*\n\Z", what)
                    continue
                got = predictions(self.predict(model, rows, self.dir / "w"))
                if preconditioner == "none":
                    continue  # The offset's column is not scaled.
                expected = expected or got
                self.assert_close_to_norm(got, expected, 1e-6, what)
            # The direct solver needs the pivots.
            run = self.run_program(model, "fit", rows, "-o", "w",
                                   "--solver=direct")
            if 20 <= power <= 100:
                self.assertIn("expected a positive definite system",
                              run.stderr)
        self.assertEqual(ends[100], [0, 0, 0])
        self.assertEqual(ends[310], [1, 1, 1])

    def test_cpp(self):
        model = self.compile(self.FORMULA, group="g", solver="cg")
        self.succeed(harness.TAMC, "model.yaml", "--emit=cpp", "-o", "m.cpp")
        program = self.build_cpp(self.dir / "m.cpp", self.dir / "program")
        rows = self.write_rows(rows=300)
        self.assertEqual(
            self.fit(model, rows, weights="1").read_bytes(),
            self.fit(program, rows, weights="2").read_bytes())


for case_name in golden.EFFECTS:
    setattr(ConjugateGradients, f"test_{case_name}",
            lambda self, name=case_name: self.check(name))


if __name__ == "__main__":
    harness.main()
