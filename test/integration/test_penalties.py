# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fit --ap`: a fit with other penalties than the formula's has the bits of a
model whose formula has these penalties."""

import json
import random
import struct

import small
from small import harness

# Every term, alone and as a factor: its text with a place for each penalty.
TERMS = ("l(a, ap={})", "f(b, m=3, ap={})", "s(a, k=6, ap={})",
         "c(k, n_cat=4, ap={})", "c(k, n_cat=4, topo='ordinal', ap={})",
         "c(k, n_cat=4, topo='fourier', ap={})", "p(b, deg=3, ap={})",
         "w(a, n_scales=2, n_locations=3, ap={})", "n(b, n_neurons=4, ap={})",
         "t(a, others='b', n_trees=2, max_depth=2, ap={})",
         "t(a, n_trees=2, max_depth=2, sp_alpha=1, ap={})",
         "lt(b, max_depth=1, ap={})", "pid(a, w=3, ap={})",
         "rbf(a, others='b', n_centers=4, ap={})", "phys(b, D2=1, ap={})",
         "te(s(a, k=3, ap={}), c(k, n_cat=4, ap={}), ap={})",
         "te(te(l(a, ap={}), f(b, m=2, ap={}), ap={}), s(b, k=3, ap={}),"
         " ap={})",
         "te(t(a, n_trees=1, max_depth=1, sp_alpha=1, ap={}),"
         " c(k, n_cat=4, ap={}), ap={})")


def write_rows(path):
    draw = random.Random(5)
    rows = []
    for i in range(150):
        a, b, k = draw.uniform(-1, 2), draw.gauss(0, 1), draw.randrange(4)
        rows.append({"g": i % 2, "date": i, "a": repr(a), "b": repr(b), "k": k,
                     "y": repr(a * a + b + .3 * k + draw.gauss(0, .1))})
    return harness.write_csv(path, rows)


class Penalties(harness.TestCase):
    KEYS = {"group": "g", "date": "date"}

    def setUp(self):
        super().setUp()
        self.train = write_rows(self.dir / "train.csv")

    def names(self, model):
        return [row["penalty"] for row in json.loads(
            self.succeed(model, "info", "--format=json"))["penalties"]]

    def noted(self, weights):
        """The penalties that a weights file names; None if it has none."""
        data = weights.read_bytes()
        end = 8 + struct.unpack_from("<Q", data)[0]
        metadata = json.loads(data[8:end])["__metadata__"]
        return json.loads(metadata.get("penalties", "null"))

    def check(self, term, aps, *options, solver="direct"):
        """Fits `term` with these aps in the formula and with --ap."""
        formula = f"y ~ {term}"
        asked = self.compile(formula.format(*aps), "--min-cg=0", name="asked",
                             **self.KEYS)
        plain = self.compile(formula.format(*[-3] * len(aps)), "--min-cg=0",
                             name="plain", **self.KEYS)
        # A product comes before its factors.
        names = self.names(plain)
        self.assertEqual(names, self.names(asked))
        self.assertEqual(names[0], "offset")
        shown = {row["penalty"]: row["ap"] for row in json.loads(
            self.succeed(asked, "info", "--format=json"))["penalties"]}
        given = []
        for name in names[1:]:
            given += ["--ap", f"{name}={shown[name]:g}"]
        self.assertEqual(sorted(shown[name] for name in names[1:]),
                         sorted(map(float, aps)))
        solve = ["--solver", solver, *options]
        expected = self.fit(asked, self.train, *solve, weights="asked.w")
        got = self.fit(plain, self.train, *solve, *given, weights="got.w")
        other = self.fit(plain, self.train, *solve, weights="other.w")
        self.assertEqual(self.noted(got),
                         {name: shown[name] for name in names[1:]})
        self.assertIsNone(self.noted(other))
        self.assertEqual(self.coefficients(plain, got),
                         self.coefficients(asked, expected))
        self.assertNotEqual(self.coefficients(plain, got),
                            self.coefficients(plain, other))

    def test_each_term(self):
        # Whole numbers: their powers of ten are the nearest doubles.
        aps = [i % 7 - 2 for i in range(" ".join(TERMS).count("{}"))]
        self.check(" + ".join(TERMS), aps)

    def test_each_product(self):
        for term in TERMS[-3:]:
            with self.subTest(term):
                self.check(term, [i - 1 for i in range(term.count("{}"))])

    def test_conjugate_gradients(self):
        self.check(TERMS[2], [1], solver="cg")
        self.check(TERMS[-3], [1, -1, 0], solver="cg")
        self.check(TERMS[-1], [1, -1, 0], solver="cg")

    def test_streams_and_threads(self):
        self.check(TERMS[-3], [1, -1, 0], "--stream")
        self.check(TERMS[-3], [1, -1, 0], "--threads=2", "--chunk-rows=7")

    def test_several_terms_and_the_offset(self):
        model = self.compile("y ~ l(a) + l(b) + s(a, k=5)", **self.KEYS)
        self.assertEqual(self.names(model), ["offset", "l_a", "b", "s_a"])
        before = self.coefficients(model, self.fit(model, self.train))
        # A strong penalty of one effect alone, and of the intercept.
        for name in self.names(model)[:3]:
            weights = self.fit(model, self.train, "--ap", f"{name}=8",
                               weights=f"{name}.safetensors")
            beta = self.coefficients(model, weights)
            first = ["offset", "l_a", "b"].index(name)
            for group in before:
                self.assertLess(abs(beta[group][first]), 1e-3, name)
                self.assertGreater(max(map(abs, beta[group])), 1e-2, name)

    def test_a_fraction(self):
        """The power of ten of a fraction is within an ulp of the compiler's."""
        asked = self.compile("y ~ s(a, k=6, ap=-1.3)", name="asked",
                             **self.KEYS)
        plain = self.compile("y ~ s(a, k=6)", name="plain", **self.KEYS)
        expected = self.coefficients(asked, self.fit(asked, self.train))
        got = self.coefficients(plain, self.fit(
            plain, self.train, "--ap", "a=-1.3", weights="got.w"))
        for group in expected:
            self.assert_close(got[group], expected[group], 1e-9, group)

    def test_limits(self):
        """A penalty beside which the rows' sums would lose their digits is an
        error, also if it is chosen by a search."""
        model = self.compile(
            "y ~ s(a, k=6) + te(s(b, k=4, p=1, ap=1), c(k, n_cat=4)) + l(b)",
            solver="auto", **self.KEYS)
        for given, says in (
                (["a=9.2"], "a: expected an ap of at most 9.1, got 9.2; "),
                (["a=30"], "a: expected an ap of at most 9.1, got 30; "),
                (["te_b_x_k[0]=-1", "te_b_x_k=11"],
                 r"te_b_x_k\[0\]: expected an ap of at most 9.6, those of its "
                 "products added, got 10; ")):
            with self.subTest(given):
                run = self.run_program(
                    model, "fit", self.train, "-o", "w",
                    *[f"--ap={text}" for text in given])
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, f"error: --ap {says}")
                self.assertFalse((self.dir / "w").exists())
        for given in (["a=9.1"], ["b=30"], ["te_b_x_k=14"],
                      ["te_b_x_k[1]=30"]):
            with self.subTest(given):
                extra = ["te_b_x_k[0]=-14"] if given == ["te_b_x_k=14"] else []
                self.fit(model, self.train,
                         *[f"--ap={text}" for text in given + extra])
        for criterion in ("gcv", "reml"):
            with self.subTest(criterion):
                run = self.run_program(
                    model, "tune", self.train, "-o", "w", "--bounds=10,20",
                    f"--criterion={criterion}")
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertRegex(
                    run.stderr, "error: .*expected --bounds between which a "
                    "fit has a solution, got 10,20")
                self.assertFalse((self.dir / "w").exists())

    def test_errors(self):
        model = self.compile("y ~ s(a, k=6) + te(l(b), c(k, n_cat=4))",
                             **self.KEYS)
        for given, says in (
                (["b=1"], r"expected one of the penalties 'offset', 'a', "
                 r"'te_b_x_k', 'te_b_x_k\[0\]', 'te_b_x_k\[1\]', got 'b'"),
                (["a"], r"expected a penalty, = and a number, such as "
                 r"te_b_x_k\[1\]=-2, got 'a'"),
                (["a=x"], "a: expected a number from -300 to 300, got 'x'"),
                (["a=nan"], "expected a number from -300 to 300, got 'nan'"),
                (["a=301"], "expected a number from -300 to 300, got '301'"),
                (["a="], "expected a number from -300 to 300, got ''"),
                (["a=1", "--ap", "a=1"], "a: expected once, got twice")):
            with self.subTest(given):
                run = self.run_program(model, "fit", self.train, "-o", "w",
                                       "--ap", *given)
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, f"error: --ap.*{says}")
                self.assertFalse((self.dir / "w").exists())


if __name__ == "__main__":
    harness.main()
