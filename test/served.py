# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in a process that has loaded a library which takes long to load: each
run is a process that is forked from it (forked.py)."""

import atexit
import subprocess

import forked
import harness

RUNNER = harness.BUILD / "test" / "bin" / "tam-cts-run"

# By the library that they have loaded.
_servers = {}


def build(test, name, *options):
    """Compiles the spec `name`.yaml of a test's folder into a model that can be
    run; returns its path."""
    model = test.dir / name
    test.succeed(harness.TAMC, f"{name}.yaml", "--emit=obj", "-o",
                 f"{name}.o", *options)
    # The level that it asks for is that of the runner (Runner.cpp).
    subprocess.run(["cc", "-shared", "-Wl,--wrap=tamrt_cpu_level", f"{name}.o",
                    "-o", f"{name}.so"], cwd=test.dir, check=True)
    return model.with_name(f"{name}.so")


def run(library, test, model, *arguments, env):
    """Runs a command of a model in a test's folder as TestCase.run_program
    does, in a process that has loaded `library`."""
    if library not in _servers:
        _servers[library] = forked.Server(RUNNER, "--serve", library)
        atexit.register(_servers[library].stop)
    return _servers[library].run(test.dir, [model, *arguments], env,
                                 harness.PATIENCE)
