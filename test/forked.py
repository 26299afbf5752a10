# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that have loaded a program or a library, and that fork one for each
run (test/support/Serve.h): loading takes longer than most runs."""

import atexit
import os
import select
import subprocess

# Runs of a program by itself before one is served: so many take less time.
ALONE = 2

# By path: the file that was there, how often it was run, and its server.
_programs = {}


class Server:
    """A process that a command starts, and that forks others."""

    def __init__(self, *command, **variables):
        self.environment = dict(os.environ)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=self.environment | variables)

    def can_have(self, env):
        """Whether its processes can have an environment: with all variables
        that it has, and those that libraries read when they are loaded."""
        return self.environment.keys() <= env.keys() and not any(
            key.startswith(("GLIBC_", "LD_")) and
            self.environment.get(key) != value for key, value in env.items())

    def run(self, folder, command, env, timeout):
        """Runs a command in a folder as subprocess.run does; returns what that
        returns, with the texts of output and messages."""
        out, err = folder / "forked.out", folder / "forked.err"
        changed = [f"{key}={value}" for key, value in env.items()
                   if self.environment.get(key) != value]
        texts = [folder, out, err, len(changed), *changed, *command]
        request = b"".join(os.fsencode(str(text)) + b"\0" for text in texts)
        self.process.stdin.write(b"%d\n%s" % (len(request), request))
        self.process.stdin.flush()
        output = self.process.stdout
        if not select.select([output], [], [], timeout)[0]:
            self.process.kill()
            raise subprocess.TimeoutExpired(command, timeout)
        status = os.waitstatus_to_exitcode(int(output.readline()))
        run = subprocess.CompletedProcess(command, status, out.read_text(),
                                          err.read_text())
        # Some file systems write a file to disk whose text is replaced.
        out.unlink()
        err.unlink()
        return run

    def stop(self):
        self.process.communicate()


class _Program:
    def __init__(self, file):
        self.file, self.runs, self.server = file, 0, None

    def stop(self):
        if self.server:
            self.server.stop()


def server_of(path, library, env, stops=atexit.register):
    """The server of a program that has run some times, for a run in an
    environment; or None. `library` is the fork server, `stops` gets what ends
    the process."""
    file = os.stat(path).st_ino
    program = _programs.get(path)
    if program and program.file != file:
        program.stop()
        program = None
    if not program:
        program = _programs[path] = _Program(file)
    program.runs += 1
    if program.runs <= ALONE or not library.exists():
        return None
    if not program.server:
        program.server = Server(path, LD_PRELOAD=str(library), LD_BIND_NOW="1")
        stops(lambda: stop(path))
    return program.server if program.server.can_have(env) else None


def stop(path):
    """Ends the server of a program."""
    if path in _programs:
        _programs.pop(path).stop()
