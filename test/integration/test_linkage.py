# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model needs only libc and libstdc++."""

import re

import small
from small import harness

# The libraries of a C++ program, and the sanitizers' if the build has them.
ALLOWED = re.compile(
    r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|asan|ubsan))"
    r"[.-]")

# Functions of the C library that round, in all precisions.
INEXACT = re.compile(
    r" U ((?:a?(?:cos|sin|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|"
    r"log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|lgamma_r|j[01n]|y[01n]|fma)"
    r"[fl]?)\n")


class Linkage(harness.TestCase):
    def libraries(self, program):
        lines = self.succeed("ldd", program).splitlines()
        self.assertTrue(lines)
        return [line.split()[0].rsplit("/", 1)[-1] for line in lines]

    def test_model(self):
        model = self.compile("y ~ l(a)")
        for library in self.libraries(model):
            self.assertRegex(library, ALLOWED)
            self.assertNotRegex(library, r"(?i)llvm|mlir|python")

    def test_static_blas(self):
        model = self.dir / "model"
        self.succeed(harness.TAMC, "-f", "y ~ l(a)", "--static-blas", "-o",
                     model)
        for library in self.libraries(model):
            self.assertNotRegex(library, r"(?i)blas|lapack|llvm|mlir|python")
        train = harness.write_csv(self.dir / "train.csv", small.rows())
        self.fit(model, train)

    def test_no_elementary_function_of_the_c_library(self):
        # Their last digits depend on the machine. The allowed functions are
        # exact.
        spec = self.dir / "model.yaml"
        spec.write_text("formula: \"y ~ s(a) + f(a) + n(b) + c(k, n_cat=3)\"\n")
        self.succeed(harness.TAMC, spec, "--emit=lib", "-o", self.dir)
        archives = [harness.BUILD / "lib" / "tamrt" / f"libtamrt{kind}.a"
                    for kind in ("", "-embed")]
        for archive in (*archives, *self.dir.glob("*.a")):
            with self.subTest(archive.name):
                symbols = self.succeed("nm", "--undefined-only", archive)
                self.assertIn(" U memcpy\n", symbols)
                self.assertEqual(sorted(set(INEXACT.findall(symbols))), [])

    def test_nothing_of_llvm_in_the_archive(self):
        archive = harness.BUILD / "lib" / "tamrt" / "libtamrt.a"
        symbols = self.succeed("nm", "-C", archive)
        self.assertIn("tamrt_main", symbols)
        self.assertNotRegex(symbols, r"\b(llvm|mlir)::|\bPy_")


if __name__ == "__main__":
    harness.main()
