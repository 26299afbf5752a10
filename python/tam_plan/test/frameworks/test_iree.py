#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of programs that IREE compiles: our plan needs no more than that of
its own pass. Needs iree-base-compiler."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402,F401
import tam_plan  # noqa: E402
from tam_plan import iree  # noqa: E402

COMPILER = pathlib.Path(sys.executable).with_name("iree-compile")


def products(widths, joins):
    """A module of matrix products. Each of `widths` is (operand, width); the
    results of `joins` are added."""
    lines, weights, values = [], {}, [("%x", 96)]

    def product(operand, rows, columns):
        weight = weights.setdefault((rows, columns), f"%w{len(weights)}")
        result = f"%v{len(lines)}"
        kind = f"tensor<64x{columns}xf32>"
        lines.append(f"""
  {result}e = tensor.empty() : {kind}
  {result}f = linalg.fill ins(%z : f32) outs({result}e : {kind}) -> {kind}
  {result} = linalg.matmul
      ins({operand}, {weight} : tensor<64x{rows}xf32>,
          tensor<{rows}x{columns}xf32>)
      outs({result}f : {kind}) -> {kind}""")
        return result

    for operand, width in widths:
        name, rows = values[operand]
        values.append((product(name, rows, width), width))
    total = product(*values[joins[0]], 48)
    for join in joins[1:]:
        other = product(*values[join], 48)
        kind = "tensor<64x48xf32>"
        lines.append(f"\n  {total}s = arith.addf {total}, {other} : {kind}")
        total += "s"
    arguments = ", ".join(f"{name}: tensor<{a}x{b}xf32>"
                          for (a, b), name in weights.items())
    return (f"func.func @net(%x: tensor<64x96xf32>, {arguments})"
            " -> tensor<64x48xf32> {\n  %z = arith.constant 0.0 : f32"
            + "".join(lines)
            + f"\n  return {total} : tensor<64x48xf32>\n}}\n")


class Programs(unittest.TestCase):
    def compile(self, text):
        """The module before the pass, and the bytes of its plan."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "net.mlir"
            out = pathlib.Path(folder) / "out.mlir"
            source.write_text(text)
            run = subprocess.run(
                [COMPILER, source, "--iree-hal-target-device=local",
                 "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=generic", "--compile-to=stream",
                 "--mlir-disable-threading",
                 "--mlir-print-ir-before=iree-stream-layout-slices",
                 "-o", out], capture_output=True, check=True)
            sizes = re.findall(
                r"stream\.resource\.alloca .*<transient>\{%c(\d+)\}",
                out.read_text())
        return run.stderr, [int(each) for each in sizes]

    def test_programs(self):
        chain = [(0, 200), (1, 120), (2, 88), (3, 176)]
        tree = [(0, 120), (0, 88), (0, 56), (1, 200), (2, 40), (3, 24),
                (4, 88), (5, 120), (6, 56), (7, 200), (8, 40), (9, 88)]
        for widths, joins in ((chain, [4]), (tree, [10, 11, 12, 6, 5])):
            text, theirs = self.compile(products(widths, joins))
            problems = iree.read(text)
            self.assertEqual((len(problems), len(theirs)), (1, 1))
            made = tam_plan.plan(problems[0])
            print(f"{len(made.offsets)} slices, IREE {theirs[0]}, tam-plan "
                  f"{made.peak}, bound {made.bound}", flush=True)
            self.assertLessEqual(made.peak, theirs[0])
            self.assertGreaterEqual(len(made.offsets), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
