# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/weights-format.md is complete: the predictor of examples/numpy, which
reads only the weights file, gives the model's predictions."""

import random
import subprocess
import sys

import small
from small import harness

PREDICT = harness.SOURCE / "examples" / "numpy" / "predict.py"


def python():
    """A Python with NumPy: Debian's has python3-numpy."""
    for program in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([program, "-c", "import numpy"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0:
            return program
    raise AssertionError("no Python has NumPy: install python3-numpy")


class Numpy(harness.TestCase):
    def check(self, model, train, new):
        weights = self.fit(model, train)
        expected = [float(row["prediction"]) for row in harness.read_csv(
            self.predict(model, new, weights))]
        got = self.succeed(python(), PREDICT, weights, new)
        self.assert_close_to_norm(list(map(float, got.split())), expected,
                                  1e-10)
        return weights

    def rows(self, spread):
        draw = random.Random(4)
        return [{"g": draw.choice(("north", "süd", "a\"b")),
                 "a": repr(draw.gauss(3, spread)),
                 "b": repr(draw.gauss(-1, spread)),
                 "h": repr(draw.uniform(0, 24)), "k": str(draw.randrange(5)),
                 "d": draw.choice(("mon", "tue", "é")),
                 "v": draw.choice(("-1", "0.5", "10")),
                 "y": repr(draw.gauss(0, 1))} for _ in range(400)]

    def test_terms(self):
        """Each term, and each mode beyond the training range."""
        train = harness.write_csv(self.dir / "train.csv", self.rows(1))
        new = harness.write_csv(self.dir / "new.csv", self.rows(2))
        formula = " + ".join(
            ["y ~ l(a) + l(b, scaled=2.5)", "f(h, m=4, cyclic=True)",
             "f(a, m=3) + s(a) + s(b, k=7, deg=2) + p(b, deg=4)",
             "c(k, n_cat=5) + c(k, n_cat=5, topo='fourier') + c(d) + c(v)"] +
            [f"{term}, extrapolate='{mode}')"
             for term in ("s(a, k=4", "p(b", "f(b, m=2")
             for mode in ("continue", "constant", "linear", "saturation")])
        model = self.compile(formula, "--profile", train, group="g")
        weights = self.check(model, train, new)
        # It verifies the checksum.
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
        run = self.run_program(python(), PREDICT, weights, new)
        self.assertEqual(run.returncode, 1)
        self.assertIn("damaged", run.stderr)

    def test_codes(self):
        """Codes beyond n_cat, in training as later."""
        train = harness.write_csv(self.dir / "train.csv", self.rows(1))
        for topo in ("nominal", "ordinal", "fourier"):
            with self.subTest(topo=topo):
                model = self.compile(f"y ~ c(k, n_cat=4, topo='{topo}')",
                                     name=topo)
                self.check(model, train, train)

    def test_spellings(self):
        """Bare words, names in quotes, and a model without terms."""
        train = harness.write_csv(self.dir / "train.csv", self.rows(1))
        new = harness.write_csv(self.dir / "new.csv", self.rows(2))
        for formula in ("y ~ c(k, n_cat=5, topo=fourier) + "
                        "S('a', k=4, extrapolate=constant) + l(\"b\")",
                        "y ~ 1"):
            with self.subTest(formula):
                self.check(self.compile(formula, group="g"), train, new)

    def test_airpassengers(self):
        """The example, without groups."""
        lines = (harness.EXAMPLE / "airpassengers.csv").read_text().splitlines()
        train, new = self.dir / "train.csv", self.dir / "new.csv"
        train.write_text("\n".join([lines[0]] + lines[13:121]) + "\n")
        new.write_text("\n".join([lines[0]] + lines[121:]) + "\n")
        self.succeed(harness.TAMC, harness.EXAMPLE / "airpassengers.yaml",
                     "-o", self.dir / "air")
        self.check(self.dir / "air", train, new)


if __name__ == "__main__":
    harness.main()
