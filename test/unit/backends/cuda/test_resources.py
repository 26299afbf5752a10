# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the bodies of the CUDA kernels and holds what they need against
resources.txt: registers and bytes of stack of each kernel, on no architecture
more. No kernel spills registers.

usage: test_resources.py NVCC [--all] [--write]

The architectures are the oldest and one that many have; --all, or TAMC_CUDA_ALL
in the environment: every one that nvcc has, which takes some minutes. --write
writes the table, of all.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[3]
TABLE = HERE / "resources.txt"
SOME = {"sm_75", "sm_90"}
# Architectures that docs/backends.md names.
NEEDED = SOME | {"sm_80", "sm_86", "sm_89"}
KERNEL = re.compile(
    r"Compiling entry function '(\w+)' for '(sm_\w+)'|"
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill "
    r"loads|Used (\d+) registers")


def measure(nvcc, is_all):
    """{(kernel, architecture): (registers, stack, spilled)}"""
    architectures = ["-arch=all"] if is_all else [
        f"-gencode=arch=compute_{name[3:]},code={name}" for name in SOME]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [nvcc, "-std=c++20", "--fmad=false", *architectures,
             "--resource-usage", "-fatbin", "--threads=2",
             "-DTAMRT_CUDA_TOOLKIT", f"-I{SOURCE}/runtime",
             f"-I{SOURCE}/include", "-o", f"{folder}/kernels.fatbin",
             str(SOURCE / "runtime" / "backends" / "cuda" / "Kernels.cu")],
            capture_output=True, text=True, check=False)
    text = run.stdout + run.stderr
    if run.returncode or "warning" in text:
        sys.exit(f"error: {nvcc} failed:\n{text}")
    found, now = {}, None
    for match in KERNEL.finditer(text):
        name, architecture, stack, stores, loads, registers = match.groups()
        if name:
            now = [name, architecture]
        elif stack and now:
            now += [int(stack), int(stores) + int(loads)]
        elif registers and now:
            found[now[0], now[1]] = (int(registers), *now[2:])
            now = None
    names = sorted({name for name, _ in found})
    plain = subprocess.run(["c++filt", "-t", *names], capture_output=True,
                           text=True, check=True).stdout.splitlines()
    short = {name: re.sub(r"void execute<(.*)>\(.*", r"\1",
                          text.replace("tamrt::cuda::", "")).strip()
             for name, text in zip(names, plain)}
    return {(short[name], architecture): needs
            for (name, architecture), needs in found.items()}


def main(nvcc, *options):
    is_write = "--write" in options
    is_all = is_write or "--all" in options or "TAMC_CUDA_ALL" in os.environ
    found = measure(nvcc, is_all)
    architectures = {architecture for _, architecture in found}
    kernels = sorted({kernel for kernel, _ in found})
    problems = []
    needed = NEEDED if is_all else SOME
    if not needed <= architectures:
        problems.append(f"expected code for {sorted(needed)}, got it for "
                        f"{sorted(architectures)}")
    worst = {}
    for kernel in kernels:
        missing = architectures - {a for k, a in found if k == kernel}
        if missing:
            problems.append(f"{kernel}: no code for {sorted(missing)}")
        needs = [found[kernel, a] for a in architectures - missing]
        worst[kernel] = tuple(map(max, zip(*needs)))
        if worst[kernel][2]:
            problems.append(f"{kernel}: spills {worst[kernel][2]} bytes")
    if is_write:
        TABLE.write_text("# kernel: registers, bytes of stack; at most, on any "
                         "architecture\n" + "".join(
                             f"{kernel}: {worst[kernel][0]}, "
                             f"{worst[kernel][1]}\n" for kernel in kernels))
    table = {}
    for line in TABLE.read_text().splitlines():
        if not line.startswith("#"):
            kernel, _, numbers = line.rpartition(": ")
            table[kernel] = tuple(map(int, numbers.split(", ")))
    for kernel in sorted(table.keys() | worst.keys()):
        if kernel not in worst or kernel not in table:
            problems.append(f"{kernel}: expected in kernels and table, got "
                            f"{'the table' if kernel in table else 'kernels'}")
        elif any(got > limit for got, limit in
                 zip(worst[kernel][:2], table[kernel])):
            problems.append(f"{kernel}: expected at most {table[kernel]} "
                            f"registers and bytes of stack, got "
                            f"{worst[kernel][:2]}")
    print(f"{len(kernels)} kernels on {len(architectures)} architectures")
    sys.exit("\n".join(problems) if problems or not kernels else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
