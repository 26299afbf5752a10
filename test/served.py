# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in a process that has loaded a library which takes long to load: each
run is a process that is forked from it (test/cts/Serve.h)."""

import atexit
import os
import select
import subprocess

import harness

RUNNER = harness.BUILD / "test" / "bin" / "tam-cts-run"

_servers = {}


def _server(library):
    """The process that has loaded a library."""
    if library not in _servers:
        server = subprocess.Popen([RUNNER, "--serve", library],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(server.communicate)
        _servers[library] = server
    return _servers[library]


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
    command = [str(model), *map(str, arguments)]
    out, err = test.dir / "served.out", test.dir / "served.err"
    changed = [f"{key}={value}" for key, value in env.items()
               if os.environ.get(key) != value]
    texts = [test.dir, out, err, len(changed), *changed, *command]
    request = b"".join(os.fsencode(str(text)) + b"\0" for text in texts)
    server = _server(library)
    server.stdin.write(b"%d\n%s" % (len(request), request))
    server.stdin.flush()
    if not select.select([server.stdout], [], [], harness.PATIENCE)[0]:
        server.kill()
        raise subprocess.TimeoutExpired(command, harness.PATIENCE)
    status = os.waitstatus_to_exitcode(int(server.stdout.readline()))
    return subprocess.CompletedProcess(command, status, out.read_text(),
                                       err.read_text())
