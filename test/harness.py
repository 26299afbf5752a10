# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the Python test drivers: a temporary folder per test, tamc
and compiled models as subprocesses, small CSV files. Uses only Python's
standard library.

The build directory comes from the environment, TAMC_BUILD_DIR; CMake sets it.
"""

import contextlib
import csv
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import compiled
import forked

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("TAMC_BUILD_DIR", SOURCE / "build"))
# The sanitizers the runtime was built with, as compiler flags.
SANITIZE = os.environ.get("TAMC_SANITIZE_FLAGS", "").split()
# Every program runs in an environment in which reading freed memory fails
# (test/CMakeLists.txt), also if the test is started by hand. A test that needs
# other tunables adds its own to these.
if not SANITIZE:
    os.environ.setdefault(
        "GLIBC_TUNABLES",
        "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165")
# A program that a signal ends leaves no core file beside its outputs.
resource.setrlimit(resource.RLIMIT_CORE,
                   (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
TAMC = BUILD / "bin" / "tamc"
# Sanitizers have none.
FORK_SERVER = BUILD / "test" / "bin" / "fork-server.so"
DATA = SOURCE / "test" / "golden" / "data"
EXAMPLE = SOURCE / "examples" / "airpassengers"
# Options for models that only this machine's CPU runs: none of the loops for
# CPUs of other levels, nor of the steps for devices. The conformance suite runs
# them all.
CPU_ALONE = ("--mcpu=native", "--device-steps=false")
# Seconds any one program may take: generous, for sanitizer builds.
PATIENCE = 600


def read_csv(path):
    """Rows of a CSV file as dicts of texts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def header(path):
    with open(path, newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


def parse_csv(text):
    return list(csv.DictReader(text.splitlines()))


def write_csv(path, rows, columns=None):
    """Writes dicts as a CSV file; returns the path."""
    columns = columns or list(rows[0])
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[column] for column in columns] for row in rows)
    return path


def seal(content):
    """The bytes of a weights file, with a correct checksum."""
    digits = content.index(b'"crc32:') + len(b'"crc32:')
    head, tail = content[:digits], content[digits + 8:]
    return head + b"%08x" % zlib.crc32(head + b"00000000" + tail) + tail


def without_program(info):
    """What `info` tells but for the constant of the memory: the size of the
    program is in it, which another compiler makes another. Nor which steps are
    tables: C++ has none."""
    info = re.sub(r"(?m)^(steps: \d+), \d+ of them as launch tables$", r"\1",
                  info)
    return re.sub(r"(?m)^(  constant +)\d+$", r"\1", info)


def load_json(text):
    """The value of a text of JSON, whose objects have each key once."""
    def unique(pairs):
        keys = [key for key, _ in pairs]
        again = {key for key in keys if keys.count(key) > 1}
        if again:
            raise AssertionError(f"keys of an object are there twice: {again}")
        return dict(pairs)
    return json.loads(text, object_pairs_hook=unique)


def told_json(run, arguments):
    """The texts of JSON that a run with these arguments has printed."""
    arguments = list(map(str, arguments))
    if "--timings=json" in arguments:
        yield from (line for line in (run.stderr or "").splitlines()
                    if line.startswith("{"))
    if "--format=json" in arguments and run.stdout:
        yield run.stdout


def wait_until_asleep(process):
    """Waits until no thread of a process has used processor time for a while: a
    process that writes to a pipe without a reader has then done all its
    work."""
    idle = 0
    while idle < 5:
        if process.poll() is not None:
            raise AssertionError("ended early")
        time.sleep(0.05)
        tasks = pathlib.Path(f"/proc/{process.pid}/task").glob("*/stat")
        try:
            asleep = all(task.read_text().rpartition(")")[2].split()[0] == "S"
                         for task in tasks)
        except OSError:  # A thread that has ended.
            asleep = False
        idle = idle + 1 if asleep else 0


def stands_still(process):
    """Waits until all threads of a process that has got a SIGSTOP stand still;
    whether they do: not if there is no such process."""
    folder = pathlib.Path(f"/proc/{process}/task")
    for _ in range(1000):
        with contextlib.suppress(OSError):  # A thread that has ended.
            if all((thread / "stat").read_text().rpartition(")")[2].split()[0]
                   in "TZ" for thread in folder.iterdir()):
                return True
        if not folder.exists():
            break
        time.sleep(0.001)
    return False


def place_in(process, path):
    """Where in a file a process reads; 0 if it has not opened it."""
    folder = pathlib.Path(f"/proc/{process}")
    for link in (folder / "fd").glob("*"):
        try:
            if os.readlink(link) == str(path):
                text = (folder / "fdinfo" / link.name).read_text()
                return int(text.split()[1])
        except OSError:  # The process has closed it, or ended.
            pass
    return 0


def run_with_change(command, path, change, output):
    """Runs a program that reads a large file three times. Early in the third
    reading it stands still during change(file), which begins at the file's end.
    Returns the exit status and the messages. `output` is that of this run."""
    size = path.stat().st_size
    for _ in range(20):
        output.unlink(missing_ok=True)
        with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE,
                              text=True) as process:
            readings, before, is_changed = 1, 0, False
            while process.poll() is None and readings < 3:
                now = place_in(process.pid, path)
                readings += now < before
                before = now
            process.send_signal(signal.SIGSTOP)
            try:
                is_changed = (stands_still(process.pid) and
                              0 < place_in(process.pid, path) < size // 2)
                if is_changed:
                    with open(path, "r+", encoding="utf-8") as file:
                        file.seek(0, os.SEEK_END)
                        change(file)
            finally:
                process.send_signal(signal.SIGCONT)
            _, said = process.communicate(timeout=PATIENCE)
        if is_changed:
            return process.returncode, said
    raise AssertionError(f"never stopped early in a reading:\n{said}")


# Prints the status of a program, the most KiB that it had in memory, and those
# of this script, which the system counts to them.
RESIDENT = ("import os, resource, sys\n"
            "pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])\n"
            "_, status, usage = os.wait4(pid, 0)\n"
            "own = resource.getrusage(resource.RUSAGE_SELF)\n"
            "print(status, usage.ru_maxrss, own.ru_maxrss)")


def resident_bytes(printed):
    """Most bytes in memory of a program that RESIDENT has run."""
    status, peak, floor = map(int, printed.splitlines()[-1].split())
    if status or peak <= floor:
        raise AssertionError(f"status {status}, {peak} KiB, of which {floor} "
                             "are of the program that starts it")
    return 1024 * peak


def largest_resident(*command):
    """Most bytes in memory of a program, as the system counts them. The figure
    includes the program that starts it, so that is a small one, and the
    program must take more."""
    # Nothing of this program is left after the two starts of others.
    started = subprocess.run(
        ["/bin/sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-S", "-c",
         RESIDENT, *map(str, command)], stdout=subprocess.PIPE, text=True,
        check=True)
    return resident_bytes(started.stdout)


class TestCase(unittest.TestCase):
    """A test with its own folder, `self.dir`, in which programs run."""

    # Options of tamc for its models, unless one is given otherwise.
    OPTIONS = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tamc-test-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        # Models that it has compiled.
        self.models = set()

    def run_program(self, program, *arguments, cwd=None, **options):
        """Runs a program to its end, whatever its exit status. The keys of
        JSON that it prints are checked."""
        command = [str(program), *map(str, arguments)]
        if not cwd and options.keys() <= {"env"} and (
                server := self.server_of(program, **options)):
            env = options.get("env")
            run = server.run(self.dir, command,
                             os.environ if env is None else env, PATIENCE)
        else:
            standard = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                        "stderr": subprocess.PIPE}
            run = subprocess.run(command, cwd=cwd or self.dir, text=True,
                                 timeout=PATIENCE, check=False,
                                 **(standard | options))
        if run.returncode == 0:
            for text in told_json(run, arguments):
                load_json(text)
        return run

    def server_of(self, program, env=None):
        """The process that forks the runs of a program, if it has one."""
        env = os.environ if env is None else env
        if program == TAMC:
            return forked.server_of(str(program), FORK_SERVER, env)
        if program in self.models:
            return forked.server_of(str(program), FORK_SERVER, env,
                                    self.addCleanup)
        return None

    def succeed(self, program, *arguments, **options):
        """Runs a program that must succeed; returns its output."""
        run = self.run_program(program, *arguments, **options)
        self.assertEqual(
            run.returncode, 0,
            f"{program} {' '.join(map(str, arguments))}\n{run.stderr}")
        return run.stdout

    def build_cpp(self, source, output, compiler="g++", standard="c++17"):
        """Builds the executable from the output of --emit=cpp in `source` and
        beside it."""
        subprocess.run(
            [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic",
             "-Werror", *SANITIZE, "-I", str(SOURCE / "include"), str(source),
             str(source.with_name(source.stem + "_rows.o")),
             str(BUILD / "lib" / "tamrt" / "libtamrt.a"), "-lpthread",
             "-o", str(output)], check=True)
        return output

    def write_spec(self, formula, name="model", **keys):
        """Writes the YAML of a formula, with `keys` as further keys; returns
        its path."""
        spec = self.dir / f"{name}.yaml"
        quoted = formula.replace("\\", "\\\\").replace('"', '\\"')
        lines = [f"name: {name}", f'formula: "{quoted}"']
        lines += [f"{key}: {value}" for key, value in keys.items()]
        spec.write_text("\n".join(lines) + "\n")
        return spec

    def compile(self, formula, *options, name="model", **keys):
        """Compiles a formula, with `keys` as further keys of the YAML;
        returns the executable. A model that another test of this program has
        compiled is copied (compiled.py)."""
        given = {str(option).partition("=")[0] for option in options}
        options += tuple(option for option in self.OPTIONS
                         if option.partition("=")[0] not in given)
        spec = self.write_spec(formula, name, **keys)
        executable = self.dir / name
        compiled.make(spec, options, executable, lambda: self.succeed(
            TAMC, spec, "-o", executable, *options))
        self.models.add(executable)
        return executable

    def fit(self, model, train, *options, weights="weights.safetensors",
            **run_options):
        """Fits; returns the path of the weights."""
        self.succeed(model, "fit", train, "-o", self.dir / weights, *options,
                     **run_options)
        return self.dir / weights

    def predict(self, model, new, weights, *options, output="out.csv"):
        """Predicts; returns the path of the table."""
        self.succeed(model, "predict", new, "--weights", weights, "-o",
                     self.dir / output, *options)
        return self.dir / output

    def coefficients(self, model, weights):
        """The coefficients as {group: [values]}, groups in order; a model
        without groups has the one group ''."""
        groups = {}
        for row in parse_csv(self.succeed(model, "coefficients", "--weights",
                                          weights)):
            groups.setdefault(row.get("group", ""), []).append(
                float(row["value"]))
        return groups

    def assert_close(self, got, expected, tolerance, what="value",
                     absolute=0.0):
        """Every number within `tolerance` of the expected one, relative to
        it, or within `absolute`; infinite ones are equal."""
        self.assertEqual(len(got), len(expected), what)

        def difference(i):
            return 0.0 if got[i] == expected[i] else abs(got[i] - expected[i])

        worst = max(range(len(got)), key=lambda i: difference(i)
                    / max(abs(expected[i]), 1e-300), default=None)
        for i in range(len(got)):
            bound = max(tolerance * abs(expected[i]), absolute)
            if got[i] != expected[i] and not difference(i) <= bound < math.inf:
                self.fail(f"{what} {i}: expected {expected[i]!r}, got "
                          f"{got[i]!r}; the worst is {what} {worst}: "
                          f"{expected[worst]!r}, {got[worst]!r}")

    def assert_close_to_norm(self, got, expected, tolerance, what="value"):
        """Every number within `tolerance` times the largest expected one."""
        scale = max(map(abs, expected))
        self.assert_close(got, expected, 0.0, what, tolerance * scale)


def main():
    unittest.main(verbosity=2)
