# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal input gives equal bytes: weights for all chunks and threads,
executables for all directories, names and times."""

import json
import math
import os
import time

import small
from small import harness

CHUNKS = (1, 7, 256, None)
# Groups longer than TAMRT_SEGMENT_ROWS, so that segments end within them.
LONG_DAYS = 4500
# Uses the columns that write_groups writes.
FORMULA = "y ~ l(a) + s(d, k=9) + c(k, n_cat=7)"


def write_groups(path, *sizes):
    """Rows of groups of these sizes, with dates in order and numbers whose sums
    always round."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,g,a,d,k,y\n")
        for group, rows in enumerate(sizes):
            file.writelines(
                f"{i},{group},{math.sin(i):.6f},{i % 9973 / 9973:.5f},"
                f"{i * i % 7},{math.cos(i * 1.7 + group):.5f}\n"
                for i in range(rows))
    return path


class Weights(harness.TestCase):
    def all_equal(self, model, train, options):
        """The weights' bytes are the same under each of `options`."""
        first = None
        for option in options:
            got = self.fit(model, train, *option).read_bytes()
            first = first or got
            self.assertEqual(got, first, f"weights differ with {option}")
        return first

    def combinations(self):
        for chunk in CHUNKS:
            for threads in (1, 2):
                yield (["--chunk-rows", chunk] if chunk else []) + [
                    "--threads", threads]

    def test_chunks_and_threads(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv", "--groups", 2,
                               "--days", LONG_DAYS)
        self.all_equal(model, train, self.combinations())

    def test_one_group(self):
        # Several threads share the rows of a group.
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 20 * 4096 + 5)
        options = [["--threads", threads, *chunk] for threads in (1, 2, 3, 7)
                   for chunk in ([], *(["--chunk-rows", rows] for rows in (
                       1, 4095, 4096, 4097)))]
        options += [["--stream", *option] for option in options[::3]]
        self.all_equal(model, train, options)

    def test_a_million_rows_of_one_group(self):
        model = self.compile(FORMULA, date="date")
        train = write_groups(self.dir / "train.csv", 10**6)
        self.all_equal(model, train, [
            *(["--threads", threads] for threads in (1, 2, 3, 7)),
            ["--threads", 2, "--chunk-rows", 1],
            ["--threads", 3, "--chunk-rows", 4095], ["--stream"],
            ["--threads", 3, "--stream", "--chunk-rows", 4097]])

    def test_groups_of_unequal_length(self):
        model = self.compile(FORMULA, **small.KEYS)
        train = write_groups(self.dir / "train.csv", 40, 5000, 30001, 4096, 1,
                             9000)
        options = [["--threads", threads, "--chunk-rows", chunk]
                   for threads in (1, 2, 3, 7) for chunk in (4095, 1024)]
        weights = self.all_equal(
            model, train, options + [option + ["--stream"]
                                     for option in options])
        path = self.dir / "model.safetensors"
        path.write_bytes(weights)
        for kind in ("response", "terms", "design"):
            tables = {self.predict(model, train, path, f"--type={kind}",
                                   *option).read_bytes()
                      for option in options}
            self.assertEqual(len(tables), 1, kind)

    def test_conjugate_gradients_of_one_group(self):
        model = self.compile(FORMULA, "--min-cg=0", date="date")
        train = write_groups(self.dir / "train.csv", 9 * 4096 + 5)
        self.all_equal(model, train, [
            ["--solver=cg", "--threads", threads, "--chunk-rows", chunk]
            for threads in (1, 2, 3, 7) for chunk in (1024, 4095)])

    def test_cpus(self):
        # Instruction sets change no bit: no product is fused with a sum.
        train = small.generate(self.dir / "train.csv", "--groups", 2,
                               "--days", 30)
        weights = [
            self.fit(self.compile(small.FORMULA, *options, name="model",
                                  **small.KEYS), train).read_bytes()
            for options in ([], ["--mcpu=x86-64"], ["--mcpu=native"])]
        self.assertEqual(weights[0], weights[1])
        self.assertEqual(weights[0], weights[2])

    def test_elementary_functions(self):
        # The C library has versions of log, cos, pow and so on that differ in
        # their last digits, and chooses one by the machine.
        kernels = [f"rbf(a, others='d', n_centers=40, nu={nu}, "
                   f"extrapolate='{mode}')"
                   for nu, mode in ((0.3, "saturation"), (0.5, "constant"),
                                    (1, "saturation"), (1.5, "continue"),
                                    (2.5, "saturation"), (3.3, "linear"),
                                    (7, "saturation"), (250, "saturation"))]
        formulas = [
            " + ".join(["y ~ w(a, extrapolate='saturation')",
                        "f(d, m=9, extrapolate='saturation')",
                        "s(d, k=9, extrapolate='saturation')",
                        "l(a, extrapolate='saturation')",
                        "rbf(a, others='d', n_centers=40)", *kernels]),
            "y ~ n(a, others='d', n_neurons=37, n_hidden_layers=3, act='cos') + "
            "n(a, others='d', n_neurons=7, act='tanh') + "
            "n(d, n_neurons=90, act='cos', extrapolate='saturation')",
            "y ~ t(a, others='d', n_trees=40, max_depth=6, sp_alpha=0.37) + "
            "lt(d, slope='a', max_leaves=50, sp_alpha=1.7)"]
        train = write_groups(self.dir / "train.csv", 900, 300)
        wide = self.dir / "wide.csv"
        lines = train.read_text().splitlines()
        wide.write_text("\n".join([lines[0], *(
            ",".join([*line.split(",")[:2], *(
                repr(3 * float(x) - 1) for x in line.split(",")[2:4]),
                *line.split(",")[4:]]) for line in lines[1:])]) + "\n")
        plain = dict(os.environ,
                     GLIBC_TUNABLES="glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2")
        for number, formula in enumerate(formulas):
            model = self.compile(formula, name=f"model_{number}", date="date",
                                 group="g")
            with self.subTest(formula):
                results = set()
                for env in (None, plain):
                    weights = self.fit(model, train, env=env)
                    self.succeed(model, "predict", wide, "--weights", weights,
                                 "-o", self.dir / "out.csv", env=env)
                    results.add((weights.read_bytes(),
                                 (self.dir / "out.csv").read_bytes()))
                self.assertEqual(len(results), 1)

    def test_effects(self):
        data = harness.DATA / "effects" / "train_G2.csv"
        model = self.compile(
            "y ~ l(a) + f(b, m=3) + s(a, k=7) + s(c) + p(b) + c(k, n_cat=7) "
            "+ c(k, topo='ordinal') + c(k, topo='fourier')", "--profile", data,
            **small.KEYS)
        self.all_equal(model, data, self.combinations())

    def test_order_of_rows(self):
        # The order depends on dates, not on the position of a row in the file.
        rows = small.rows(days=25)
        model = self.compile("y ~ s(a) + c(k, n_cat=3)", **small.KEYS)
        paths = [harness.write_csv(self.dir / f"{i}.csv", order)
                 for i, order in enumerate((rows, rows[::-1]))]
        weights = [self.fit(model, path).read_bytes() for path in paths]
        self.assertEqual(weights[0], weights[1])

    def test_chunk_rows_of_the_spec(self):
        train = small.generate(self.dir / "train.csv", "--groups", 2,
                               "--days", LONG_DAYS)
        tables = set()
        for chunk in CHUNKS:
            keys = dict(small.KEYS, **({"chunk_rows": chunk} if chunk else {}))
            model = self.compile(small.FORMULA, **keys)
            weights = self.fit(model, train)
            tables.add(self.succeed(model, "coefficients", "--weights",
                                    weights))
        self.assertEqual(len(tables), 1)

    def test_predictions(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv", "--groups", 3,
                               "--days", 300)
        weights = self.fit(model, train)
        for kind in ("response", "terms", "design"):
            tables = {self.predict(model, train, weights, f"--type={kind}",
                                   *options).read_bytes()
                      for options in self.combinations()}
            self.assertEqual(len(tables), 1, kind)

    def test_reuse(self):
        # Offsets of buffers do not affect results. A plan that is safe in every
        # order is safe in the program's own, so that it never needs less
        # memory.
        train = small.generate(self.dir / "train.csv", "--groups", 2,
                               "--days", 300)
        results, arenas = {}, {}
        for reuse in ("program", "branch-safe"):
            model = self.compile(small.FORMULA, f"--reuse={reuse}",
                                 **small.KEYS)
            weights = self.fit(model, train)
            results[reuse] = [weights.read_bytes()] + [
                self.predict(model, train, weights,
                             f"--type={kind}").read_bytes()
                for kind in ("response", "terms", "design")]
            plan = json.loads(self.succeed(model, "plan", "--format=json"))
            arenas[reuse] = [step["arena"] for step in plan["steps"]]
            self.assertEqual({step["strategy"] for step in plan["steps"]},
                             {"tree+" + ("" if reuse == "program"
                                         else f", reuse {reuse}")})
        self.assertEqual(results["program"], results["branch-safe"])
        for less, more in zip(arenas["program"], arenas["branch-safe"],
                              strict=True):
            self.assertLessEqual(less, more)
        self.assertLess(sum(arenas["program"]), sum(arenas["branch-safe"]))

    def test_numbers_read_back(self):
        # Shortest round-trip form: no number is longer than repr's.
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv", "--days", 40)
        weights = self.fit(model, train)
        for row in harness.parse_csv(self.succeed(
                model, "coefficients", "--weights", weights)):
            value = float(row["value"])
            self.assertLessEqual(len(row["value"]), len(repr(value)))


class Executables(harness.TestCase):
    SPEC = 'name: m\nformula: "y ~ s(a) + c(k, n_cat=3)"\ngroup: g\n'

    def build(self, folder, name, kind, extra=None):
        place = self.dir / folder
        place.mkdir(parents=True)
        spec = place / f"{name}.yaml"
        spec.write_text(self.SPEC)
        temporary = place / "tmp"
        temporary.mkdir()
        output = place / f"{name}.{kind}"
        self.succeed(harness.TAMC, spec.name, "-o", output.name,
                     f"--emit={kind}", cwd=place,
                     env=dict(os.environ, TMPDIR=str(temporary)))
        self.assertEqual(list(temporary.iterdir()), [])
        return output.read_bytes()

    def test_same_bytes(self):
        for kind in ("exe", "obj", "asm", "llvm", "mlir", "plan", "spec"):
            with self.subTest(kind):
                first = self.build(f"{kind}/one", "m", kind)
                time.sleep(1.1)
                second = self.build(f"{kind}/another/place", "quite-other",
                                    kind)
                self.assertTrue(first)
                self.assertEqual(first, second)


if __name__ == "__main__":
    harness.main()
