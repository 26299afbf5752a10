# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the row loops of some effects and compares them with the interpreter.

usage: run_loops.py MAPS FOLDER --columns=KIND,.. [options]

MAPS is a file with ops of the dialect tam that make design matrices. Of these a
module is made that sums the products of all pairs
or predicts. Passes of tamc choose encodings and layouts and write loops and
launches; tam-drive makes a program of the steps, upstream's passes lower it, and
mlir-runner runs it. tam-interpret runs the module as it was, on the same rows.

Prints the layouts of sums and how many have each, the launches of the steps that
read rows, and what agrees; exits 1 if something differs. FOLDER gets the
intermediate files.

MAPS may use %rows, the columns %v0, %v1, .. and their parameters %p0, %p1, ..,
which are those of the range [-1, 1]. The numbers of columns are binary fractions
of few digits. KIND is
  x        numbers in [-1, 1]; x:1.5 in [-1.5, 1.5]
  level:N  numbers of N levels in [-1, 1]
  code:N   integers from -1, an unseen level, to N - 1
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

# The passes that choose the layouts of sums: none but rows and columns; panels;
# panels of the sums from which no others follow, as tamc chooses by default.
LAYOUTS = {"plain": [],
           "panels": ["--tam-choose-layouts"],
           "shared": ["--tam-share-sums", "--tam-choose-layouts"]}
LOWER = ["--convert-tam-rows-to-loops", "--verify-row-loops",
         "--convert-tam-to-tamk", "--canonicalize", "--tamk-verify-launches",
         "--tamk-bufferize", "--tamk-verify-bufferized"]
UPSTREAM = ["--convert-scf-to-cf", "--convert-vector-to-llvm",
            "--expand-strided-metadata", "--lower-affine",
            "--finalize-memref-to-llvm", "--convert-math-to-llvm",
            "--convert-arith-to-llvm", "--convert-func-to-llvm",
            "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]


def numbers(kind, rows, seed):
    """The numbers of a column, which repeat after a prime number of rows."""
    kind, _, argument = kind.partition(":")
    draws = [((i + seed) ** 2 * 31 + 17 * i) % 257 for i in range(rows)]
    if kind == "x":
        return [float(argument or 1) * (draw / 128 - 1) for draw in draws]
    if kind == "level":
        levels = int(argument)
        return [2 * (draw % levels) / (levels - 1) - 1 for draw in draws]
    if kind == "code":
        return [draw % (int(argument) + 1) - 1 for draw in draws]
    if kind == "weight":
        return [(1 + draw % 8) / 4 for draw in draws]
    sys.exit(f"error: expected a kind of column, got '{kind}'")


class Module:
    """The text of a module for some maps, and the data it needs."""

    def __init__(self, maps, kinds, has_weights, knots):
        self.maps = maps
        self.kinds = kinds + ["x"] + ["weight"] * has_weights
        self.inputs = len(kinds)
        self.parameters = ([0, 1] + knots) * self.inputs
        self.weights = " weights %w : tensor<?xf64>" if has_weights else ""
        # Every design matrix is an effect: its name and its columns.
        self.effects = []
        for op in re.split(r"^(?=%)", maps, flags=re.M)[1:]:
            op = re.sub("//.*", "", op)
            columns = re.findall(r"tensor<\?x(\d+)xf64>", op)
            if columns:
                self.effects.append((op[1:op.index(" ")], int(columns[-1])))
        self.size = sum(columns for _, columns in self.effects)

    def arguments(self):
        names = [f"%v{i}" for i in range(self.inputs)] + ["%y", "%w"]
        yield "%rows: index {tam.slot = #tam.slot<rows>}"
        for i, (name, kind) in enumerate(zip(names, self.kinds)):
            element = "i32" if kind.startswith("code") else "f64"
            yield (f"{name}: tensor<?x{element}> "
                   f"{{tam.slot = #tam.slot<column, {i}>}}")
        for i in range(self.inputs):
            yield (f"%p{i}: tensor<4xf64> "
                   f"{{tam.slot = #tam.slot<parameters, {32 * i}>}}")

    def function(self, name, arguments, results, body, step):
        return (f"func.func @{name}({', '.join(arguments)}) -> ({results}) "
                f"attributes {{tam.step = #tam.step<{step}>}} {{\n"
                f"{self.maps}{body}}}\n")

    def fit(self):
        """The normal equations instead of their solution."""
        lines, blocks, sums = [], [], []

        def add(operands, types, shape, known):
            zeros, result = f"%z{len(lines)}", f"%s{len(lines)}"
            to = f"tensor<{shape}xf64>"
            kind = "gram" if known is blocks else "rhs"
            lines.append(f"{zeros} = tam.zeros : {to}\n"
                         f"{result} = tam.{kind} {operands}{self.weights} into "
                         f"{zeros} : {types} -> {to}\n")
            known.append((result, to))

        for i, (a, height) in enumerate(self.effects):
            for b, width in self.effects[i:]:
                add(f"%{a}, %{b}", f"tensor<?x{height}xf64>, "
                    f"tensor<?x{width}xf64>", f"{height}x{width}", blocks)
            add(f"%{a}, %y", f"tensor<?x{height}xf64>, tensor<?xf64>", height,
                sums)
        penalties = [(f"%none_{a}", f"tensor<{n}x{n}xf64, #tam.coordinates<1>>")
                     for a, n in self.effects]
        for name, to in penalties:
            lines.append(f"{name} = tam.penalty rows [0] columns [0] "
                         f"values [0.0] : {to}\n")

        def listed(values):
            names, types = zip(*values)
            return f"({', '.join(names)} : {', '.join(types)})"

        n = self.size
        matrix, vector = f"tensor<{n}x{n}xf64>", f"tensor<{n}xf64>"
        lines.append(
            f"%matrix = tam.normal_matrix %rows blocks{listed(blocks)} "
            f"penalties{listed(penalties)} : {matrix}\n"
            f"%vector = tam.normal_vector{listed(sums)} : {vector}\n"
            f"return %matrix, %vector : {matrix}, {vector}\n")
        return self.function(
            "fit", self.arguments(),
            f"{matrix} {{tam.slot = #tam.slot<output>}}, "
            f"{vector} {{tam.slot = #tam.slot<output, {8 * n * n}>}}",
            "".join(lines), "fit_finish")

    def predict(self):
        arguments, first = list(self.arguments()), 0
        for name, columns in self.effects:
            arguments.append(f"%of_{name}: tensor<{columns}xf64> "
                             f"{{tam.slot = #tam.slot<coefficients, {first}>}}")
            first += 8 * columns
        designs = ", ".join(f"%{name}" for name, _ in self.effects)
        types = ", ".join(f"tensor<?x{n}xf64>" for _, n in self.effects)
        vectors = ", ".join(f"%of_{name}" for name, _ in self.effects)
        of_vectors = ", ".join(f"tensor<{n}xf64>" for _, n in self.effects)
        return self.function(
            "predict", arguments,
            "tensor<?xf64> {tam.slot = #tam.slot<output>}",
            f"%all = tam.predict({designs} : {types}) "
            f"coefficients({vectors} : {of_vectors}) : tensor<?xf64>\n"
            "return %all : tensor<?xf64>\n", "predict")

    def data(self, rows):
        return {"rows": rows, "parameters": self.parameters,
                "columns": [numbers(kind, rows, seed)
                            for seed, kind in enumerate(self.kinds)],
                "coefficients": [(i * 37 % 64 - 32) / 16
                                 for i in range(self.size)]}


def run(*command, stdin=None):
    """What a command prints; its failure is that of the test."""
    command = [str(part) for part in command]
    result = subprocess.run(command, input=stdin, stdout=subprocess.PIPE,
                            text=True)
    if result.returncode != 0:
        sys.exit(f"error: {' '.join(command)} failed")
    return result.stdout


def layouts(module):
    """The layouts of the accumulators, and how many have each, by name."""
    results = re.search(r"func\.func @fit_chunk\(.*\) -> (.*)", module)
    found = re.findall(r"#tam\.sums<(\w+)", results[1] if results else "")
    return sorted(collections.Counter(found).items())


def launches(module):
    """The launches of each step that reads rows, by its name."""
    steps = {}
    for step in re.split(r"(?=func\.func @)", module)[1:]:
        if "#tam.slot<column" in step:
            name = re.match(r"func\.func @(\w+)", step)[1]
            steps[name] = re.findall(r'tamk\.launch "(\w+)"', step)
    return steps


def difference(got, expected, tolerance):
    """What differs between two lists of numbers; None if nothing does."""
    if len(got) != len(expected):
        return f"expected {len(expected)} numbers, got {len(got)}"
    largest = max(map(abs, expected), default=0)
    for i, (mine, right) in enumerate(zip(got, expected)):
        # Not a number is not close to one.
        if not abs(mine - right) <= tolerance * largest:
            return f"number {i}: expected {right}, got {mine}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("maps", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--columns", required=True)
    parser.add_argument("--knots", default="-1,1", help="the range of knots")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--run", choices=("fit", "predict"), default="fit")
    parser.add_argument("--layouts", choices=LAYOUTS, default="panels")
    parser.add_argument("--effects", default="-1",
                        help="most effects of a loop; 0: no bound; -1: the "
                             "target's")
    parser.add_argument("--rows", default="0,1,300",
                        help="run on the first rows, for each number")
    parser.add_argument("--chunk-rows", default="0", help="0: one chunk")
    parser.add_argument("--tolerance", type=float, default=1e-13,
                        help="relative to the largest number")
    parser.add_argument("--library", required=True, help="has the kernels")
    parser.add_argument("--runner", default="mlir-runner")
    options = parser.parse_args()

    options.folder.mkdir(parents=True, exist_ok=True)

    def keep(name, text):
        path = options.folder / name
        path.write_text(text)
        return path

    counts = [int(count) for count in options.rows.split(",")]
    knots = [float(end) for end in options.knots.split(",")]
    module = Module(options.maps.read_text(), options.columns.split(","),
                    options.weights, knots)
    source = keep("source.mlir", getattr(module, options.run)())
    data = keep("data.json", json.dumps(module.data(max(counts))))
    common = [f"--data={data}", f"--run={options.run}",
              f"--rows={options.rows}", f"--chunk-rows={options.chunk_rows}"]

    tiled = keep("tiled.mlir",
                 run("tam-opt", source, "--tam-choose-encodings",
                     *LAYOUTS[options.layouts], "--tam-tile-rows",
                     f"--tam-fuse-rows=most-effects={options.effects}",
                     "--tam-verify-tiled"))
    for layout, count in layouts(tiled.read_text()):
        print(f"{count} {layout}")
    steps = keep("steps.mlir", run("tam-opt", tiled, *LOWER))
    for step, names in launches(steps.read_text()).items():
        print(step, "launches", ", ".join(names))
    program = keep("program.mlir", run("tam-drive", steps, *common))
    results = run(*options.runner.split(), "-e", "main",
                  "-entry-point-result=void",
                  f"--shared-libs={options.library}",
                  stdin=run("mlir-opt", program, *UPSTREAM))
    expected = run("tam-interpret", source, *common)

    def defined(line):
        """The numbers of an output; of a symmetric matrix the kernels compute
        the upper triangle."""
        size = module.size
        return [number for i, number in enumerate(json.loads(line))
                if options.run == "predict" or i >= size * size
                or i % size >= i // size]

    failed = False
    for rows, mine, right in zip(counts, results.splitlines(),
                                 expected.splitlines(), strict=True):
        right = defined(right)
        message = (difference(defined(mine), right, options.tolerance)
                   if mine.startswith("[") else mine)
        if rows > 0 and not message and not any(right):
            message = "expected numbers that are not all zero"
        failed |= message is not None
        print(f"{rows} rows:", message or "the same numbers")
    return failed


if __name__ == "__main__":
    sys.exit(main())
