# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compressed data: the bytes of the plain file from each command that reads
rows, or an error with the place."""

import gzip
import json
import os
import random
import resource
import struct
import subprocess

import small
from small import harness

MIB = 1 << 20
SKIPPED = struct.pack("<II", 0x184D2A55, 3) + b"abc"
# A frame of zstd 0.7 starts like this.
LEGACY = struct.pack("<I", 0xFD2FB527) + b"\x00" * 20


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options, "-"], input=data,
                          stdout=subprocess.PIPE, check=True).stdout


# The compressions, with functions that compress some bytes.
KINDS = {"gzip": lambda data: gzip.compress(data, 6, mtime=0), "zstd": zstd}
# What a file of each is a sequence of.
UNITS = {"gzip": "member", "zstd": "frame"}


class Compressed(harness.TestCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        # Several blocks of text, and several buffers of compressed bytes.
        rows = [{"date": f"{1900 + day // 28 // 12}-{day // 28 % 12 + 1:02}-"
                         f"{day % 28 + 1:02}",
                 "g": group, "a": repr(rng.uniform(-2, 5)), "k": str(day % 3),
                 "y": repr(rng.gauss(0, 1))}
                for group in ("G0", "G1") for day in range(4000)]
        self.train = harness.write_csv(self.dir / "train.csv", rows)
        self.plain = self.train.read_bytes()
        self.model = self.compile("y ~ s(a, k=5) + c(k, n_cat=3)", group="g",
                                  date="date")
        self.out = self.dir / "out"
        self.weights = self.fit(self.model, self.train)

    def write(self, data, name="train.csv"):
        path = self.dir / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path

    def run_model(self, command, path, data=None, **options):
        """Runs a command on a file, or on a pipe with these bytes."""
        self.out.unlink(missing_ok=True)
        words = [word.format(path) if isinstance(word, str) else word
                 for word in command]
        if data is None:
            return self.run_program(self.model, *words, **options)
        with open(self.write(data, "piped"), "rb") as file, subprocess.Popen(
                ["cat"], stdin=file, stdout=subprocess.PIPE) as feeder:
            return self.run_program(self.model, *words, stdin=feeder.stdout,
                                    **options)

    def fails(self, data, *says, piped=True):
        for stream in ([], ["--stream"]):
            command = ["predict", "{}", "--weights", self.weights, "-o",
                       self.out, *stream]
            path = self.write(data)
            for name, content in ((path, None), ("-", data)):
                if name == "-" and not piped:
                    continue
                run = self.run_model(command, name, content)
                self.assertEqual(run.returncode, 1, run.stderr)
                shown = "standard input" if name == "-" else str(path)
                self.assertIn(f"model: error: {shown}: ", run.stderr)
                for text in says:
                    self.assertIn(text, run.stderr)
                self.assertFalse(self.out.exists())

    def test_commands(self):
        given = ["--weights", self.weights]
        commands = {
            "fit": ["fit", "{}", "-o", self.out],
            "threads": ["fit", "{}", "-o", self.out, "--threads", 3],
            "stream": ["fit", "{}", "-o", self.out, "--stream"],
            "calibrate": ["fit", "{}", "-o", self.out, "--calibrate=0.2"],
            "tune": ["tune", "{}", "-o", self.out, "--cycles=1",
                     "--candidates=-1,1"],
            "predict": ["predict", "{}", *given, "-o", self.out],
            "some": ["predict", "{}", *given, "-o", self.out, "--stream"],
            "decompose": ["decompose", "{}", *given, "-o", self.out],
            "evaluate": ["evaluate", "{}", *given, "-o", self.out],
            "plot": ["plot", "{}", *given, "-o", self.out]}
        for name, command in commands.items():
            run = self.run_model(command, self.train)
            self.assertEqual(run.returncode, 0, run.stderr)
            good, notes = self.out.read_bytes(), run.stderr
            for kind, compress in KINDS.items():
                data = compress(self.plain)
                with self.subTest(name, kind=kind):
                    run = self.run_model(command, self.write(data))
                    self.assertEqual((run.returncode, run.stderr), (0, notes))
                    self.assertEqual(self.out.read_bytes(), good)
                    if name in ("stream", "calibrate"):  # read again
                        continue
                    run = self.run_model(command, "-", data)
                    self.assertEqual((run.returncode, run.stderr), (0, notes))
                    self.assertEqual(self.out.read_bytes(), good)

    def test_profile(self):
        def compiled(profile):
            """The compiled model: levels are counted, columns summed by
            them."""
            model = self.compile("y ~ s(a, k=5) + c(k)", "--profile", profile,
                                 group="g", date="date")
            return model.read_bytes()

        good = compiled(self.train)
        for kind, compress in KINDS.items():
            with self.subTest(kind=kind):
                data = compress(self.plain)
                self.assertEqual(compiled(self.write(data)), good)
                for bad, says in ((data[:-20], "ends in the middle"),
                                  (data[:-8] + bytes(8),  # checksums
                                   "not a valid " + kind),
                                  (data + b"\n", f"not a valid {kind} file: "
                                   f"expected a {UNITS[kind]} or the end of "
                                   "the file")):
                    path = self.write(bad)
                    run = self.run_program(
                        harness.TAMC, self.dir / "model.yaml", "-o", self.out,
                        "--profile", path)
                    self.assertEqual(run.returncode, 1)
                    self.assertIn(f"tamc: error: cannot read '{path}': ",
                                  run.stderr)
                    self.assertIn(says, run.stderr)
                    self.assertFalse(self.out.exists())

    def check_same(self, data):
        good = self.predict(self.model, self.train, self.weights).read_bytes()
        for stream in ([], ["--stream"]):
            path = self.write(data)
            for name, content in ((path, None), ("-", data)):
                run = self.run_model(
                    ["predict", "{}", "--weights", self.weights, "-o",
                     self.out, *stream], name, content)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(self.out.read_bytes(), good)

    def test_members(self):
        cut = len(self.plain) // 3
        parts = [self.plain[:1], b"", self.plain[1:cut], self.plain[cut:]]
        for compress in KINDS.values():
            self.check_same(b"".join(map(compress, parts)))
        self.check_same(SKIPPED + zstd(self.plain) + SKIPPED)
        self.check_same(gzip.compress(self.plain) + b"\0" * 100_000)
        # As zstd writes a file of unknown size with its largest usual window.
        self.check_same(zstd(self.plain, "-19", "--no-content-size"))

    def test_truncated(self):
        for kind, compress in KINDS.items():
            data = compress(self.plain)
            for length in (5, 12, len(data) // 2, len(data) - 4, len(data) - 1):
                self.fails(data[:length], f": byte {length}: truncated {kind} "
                           "data: the file ends here")
            # A second member that is cut.
            for length in (1, 9):
                self.fails(data + data[:length],
                           f": byte {len(data) + length}: truncated")

    def test_corrupt(self):
        for kind, compress in KINDS.items():
            data = bytearray(compress(self.plain))
            # The check sum of the text, and of the header's bits.
            for place in (-5 if kind == "gzip" else -1, 3 if kind == "gzip"
                          else 4):
                changed = data.copy()
                changed[place] ^= 0xE0
                self.fails(bytes(changed), ": byte ",
                           f": corrupt {kind} data: ")
            # Such rows may come before their check sum.
            data[len(data) // 2] ^= 0x10
            self.fails(bytes(data), ": ")
            # Bytes after the end, also if they are fewer than a header's.
            whole = compress(self.plain)
            for rest in (b"rest", b"\n", b"\r\n"):
                self.fails(whole + rest, f": corrupt {kind} data: expected a "
                           f"{UNITS[kind]} or the end of the file")
        self.fails(gzip.compress(self.plain) + b"\0" * 9 + b"x", ": byte ",
                   "after zero bytes")
        self.fails(zstd(self.plain) + LEGACY, ": byte ", "before 0.8")

    def test_any_changed_byte(self):
        """No change goes unnoticed, unless it changes nothing."""
        plain = self.plain[:self.plain.index(b"\n", 2000) + 1]
        path = self.write(plain)
        command = ["predict", "{}", "--weights", self.weights, "-o", self.out]
        self.assertEqual(self.run_model(command, path).returncode, 0)
        good = self.out.read_bytes()
        for kind, compress in KINDS.items():
            data = compress(plain)
            for place in range(0, len(data), 7):
                changed = bytearray(data)
                changed[place] ^= 0xFF
                run = self.run_model(command, self.write(bytes(changed)))
                if run.returncode == 0:
                    self.assertEqual(self.out.read_bytes(), good, place)
                else:
                    self.assertEqual(run.returncode, 1, (kind, place))
                    self.assertIn("model: error: ", run.stderr)

    def test_large_window(self):
        self.fails(zstd(self.plain, "--long=27", "--no-content-size",
                        "--single-thread"),
                   "corrupt zstd data: a window above 8 MiB; zstd -19")

    def test_errors_in_rows_have_their_line(self):
        lines = self.plain.splitlines(keepends=True)
        lines[5000] = lines[5000].replace(b",", b",x", 2)
        for compress in KINDS.values():
            self.fails(compress(b"".join(lines)), "line 5001: column 'a'")

    def test_file_that_is_empty_inside(self):
        for compress in KINDS.values():
            self.fails(compress(b""), "empty file")

    @harness.unittest.skipIf(harness.SANITIZE, "sanitizers reserve more memory")
    def test_memory(self):
        """A fit stays below the bytes of `info`; with less memory it says so,
        or writes the same bytes."""
        info = json.loads(self.succeed(self.model, "info", "--format=json"))
        need = info["fit"]
        rung = max(rung["total"] for rung in info["rungs"]
                   if rung["use"].startswith("fit"))
        bound = (need["constant"] + rung + 8000 * need["per_row"] +
                 2 * need["per_group"])
        good = self.weights.read_bytes()
        for kind, compress in KINDS.items():
            extra = info["compressed"][kind]
            path = self.write(compress(self.plain))
            command = ["fit", "{}", "-o", self.out, "--threads=1"]
            ends = set()
            for limit in (bound + extra, *(
                    round(MIB * size) for size in (18, 16, 14, 12, 10, 9, 8, 7))):
                run = self.run_model(
                    command, path, preexec_fn=lambda limit=limit:
                    resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                ends.add(run.returncode)
                if run.returncode == 0:
                    self.assertEqual(self.out.read_bytes(), good)
                    continue
                self.assertNotEqual(limit, bound + extra, run.stderr)
                self.assertFalse(self.out.exists())
                # A loader without memory says 127.
                self.assertIn(run.returncode, (1, 127), (limit, run.stderr))
            self.assertIn(0, ends)


if __name__ == "__main__":
    harness.main()
