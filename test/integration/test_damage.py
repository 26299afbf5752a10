# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damage to a file of weights is an error that names the file, in every reader:
the executable, a library, the compiler that reads it as a state. So is damage
to a saved module and to a snapshot of memory."""

import json
import random
import struct
import time

import small
from library import Library
from small import harness

FORMULA = "y ~ l(a) + s(a, k=6) + c(k, n_cat=3) + t(a, n_trees=3, max_depth=2)"
FLIPS = 250


class Damage(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.train = harness.write_csv(self.dir / "train.csv", small.rows())
        self.model = self.compile(FORMULA, **small.KEYS)
        self.good = self.fit(self.model, self.train).read_bytes()
        self.bad = self.dir / "bad.safetensors"

    def damaged(self, good=None, flips=FLIPS):
        """A file, of weights if not told, with one bit flipped, wherever it
        is."""
        good = self.good if good is None else good
        draw = random.Random(20261123)
        for bit in draw.sample(range(8 * len(good)), flips):
            content = bytearray(good)
            content[bit // 8] ^= 1 << bit % 8
            self.bad.write_bytes(content)
            yield bit

    def refused(self, program, *arguments, says=""):
        run = self.run_program(program, *arguments)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(str(self.bad), run.stderr)
        self.assertIn(says, run.stderr)

    def predict_refused(self, says=""):
        self.refused(self.model, "predict", self.train, "--weights", self.bad,
                     "-o", self.dir / "out.csv", says=says)
        self.assertFalse((self.dir / "out.csv").exists())

    def test_predictions(self):
        for bit in self.damaged():
            with self.subTest(bit=bit):
                self.predict_refused()

    def test_coefficients(self):
        for bit in list(self.damaged())[::25]:
            with self.subTest(bit=bit):
                self.refused(self.model, "coefficients", "--weights", self.bad)

    def test_swapped_groups(self):
        swapped = self.good.replace(
            rb'"[\"G0\",\"G1\"]"', rb'"[\"G1\",\"G0\"]"')
        self.assertNotEqual(swapped, self.good)
        self.bad.write_bytes(swapped)
        self.predict_refused("damaged: expected the checksum 'crc32:")

    def edit(self, **metadata):
        """The weights with other metadata, None: without, whole otherwise."""
        size, = struct.unpack_from("<Q", self.good)
        header = json.loads(self.good[8:8 + size])
        for key, value in metadata.items():
            if value is None:
                del header["__metadata__"][key]
            else:
                header["__metadata__"][key] = value
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        self.bad.write_bytes(
            struct.pack("<Q", len(text)) + text + self.good[8 + size:])

    def test_without_a_checksum(self):
        self.edit(checksum=None)
        self.predict_refused("damaged: expected a checksum, got none")
        # Files of versions without checksums are read, with a note.
        self.edit(checksum=None, format="tamc weights 1")
        good = self.dir / "good.safetensors"
        good.write_bytes(self.good)
        texts = []
        for path, notes in ((good, 0), (self.bad, 1)):
            for command in (["predict", self.train], ["coefficients"]):
                run = self.run_program(self.model, *command, "--weights", path)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(run.stderr, (
                    f"model: note: {path}: written before weights had a "
                    "checksum, so that damage to the file goes unnoticed; fit "
                    "again to have one\n") * notes)
                texts.append(run.stdout)
        self.assertEqual(texts[:2], texts[2:])

    def test_state(self):
        spec = self.dir / "state.yaml"
        spec.write_text(f"formula: '{FORMULA}'\nstate: {self.bad.name}\n")
        self.bad.write_bytes(self.good)
        self.succeed(harness.TAMC, spec, "--emit=mlir", "-o", "good.mlir")
        for bit in list(self.damaged())[::5]:
            with self.subTest(bit=bit):
                run = self.run_program(harness.TAMC, spec, "--emit=mlir", "-o",
                                       self.dir / "bad.mlir")
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(self.bad.name, run.stderr)
                self.assertFalse((self.dir / "bad.mlir").exists())
        self.edit(checksum=None)
        run = self.run_program(harness.TAMC, spec, "--emit=mlir", "-o", "-")
        self.assertEqual(run.returncode, 1)
        self.assertIn("damaged: expected a checksum, got none", run.stderr)

    def test_saved_modules(self):
        spec = self.dir / "model.yaml"
        for phase in ("tile", "plan"):
            saved = self.dir / f"{phase}.mlir"
            self.succeed(harness.TAMC, spec, f"--compile-to={phase}", "-o",
                         saved)
            compile_on = (harness.TAMC, f"--compile-from={phase}", self.bad,
                          "--emit=plan")
            self.bad.write_bytes(saved.read_bytes())
            whole = self.succeed(*compile_on)
            # Hidden only where the flip leaves a comment of its first line.
            start = len(b"// tamc module after ")
            for bit in self.damaged(saved.read_bytes(), FLIPS // 5):
                with self.subTest(phase=phase, bit=bit):
                    run = self.run_program(*compile_on)
                    if bit // 8 < start and run.returncode == 0:
                        self.assertEqual(run.stdout, whole)
                        continue
                    self.assertEqual(run.returncode, 1, run.stderr)
                    self.assertIn(f"{self.bad}:1:1: error: the module has "
                                  "changed since tamc wrote it", run.stderr)
        run = self.run_program(harness.TAMC, "--compile-from=kernels",
                               self.dir / "tile.mlir", "--emit=plan")
        self.assertEqual(run.returncode, 1)
        self.assertIn("tile.mlir:1:1: error: expected a module after the phase "
                      "'kernels', got one after 'tile'", run.stderr)

    def test_snapshots(self):
        snapshot = self.dir / "memory.json"
        self.succeed(self.model, "fit", self.train, "-o",
                     self.dir / "weights.safetensors", "--memory-snapshot",
                     snapshot)
        self.bad = self.dir / "bad.json"
        self.bad.write_bytes(snapshot.read_bytes())
        self.succeed(harness.BUILD / "bin" / "tam-plan", self.bad)
        for bit in self.damaged(snapshot.read_bytes()):
            with self.subTest(bit=bit):
                self.refused(harness.BUILD / "bin" / "tam-plan", self.bad)

    def test_library(self):
        library = Library(self)
        needed = library.size(self.good)
        self.assertGreater(needed, 0)
        self.assertEqual(library.load(self.good), 0)
        for bit in self.damaged():
            with self.subTest(bit=bit):
                content = self.bad.read_bytes()
                self.assertEqual(library.size(content), 0)
                # Malformed weights, or of another model.
                self.assertIn(library.load(content, needed), (16, 17))
        self.edit(checksum=None)
        self.assertEqual(library.size(self.bad.read_bytes()), 0)
        self.edit(checksum=None, format="tamc weights 1")
        self.assertEqual(library.size(self.bad.read_bytes()), needed)

    def test_library_many_tensors(self):
        """The reader in a library reads the header once for each tensor."""
        library = Library(self)

        def size_with(name, count):
            size, = struct.unpack_from("<Q", self.good)
            header = json.loads(self.good[8:8 + size])
            rest = self.good[8 + size:]
            for i in range(count):
                header[name.format(i)] = {
                    "dtype": "F64", "shape": [1],
                    "data_offsets": [len(rest), len(rest) + 8]}
                rest += bytes(8)
            text = json.dumps(header).encode()
            return library.size(harness.seal(
                struct.pack("<Q", len(text)) + text + rest))

        needed = library.size(self.good)
        self.assertEqual(size_with("inference.{}", 8), needed)
        for name in "inference.{}", "tables.a_{}":
            begin = time.process_time()
            self.assertEqual(size_with(name, 4000), 0)
            self.assertLess(time.process_time() - begin, 1)

    def test_library_groups_of_one_name(self):
        library = Library(self)
        for names, status in ((["G0", "G1"], 0), (["G1", "G0"], 0),
                              (["", "G0"], 0), (["G0", "G0"], 17)):
            self.edit(groups=json.dumps(names))
            content = harness.seal(self.bad.read_bytes())
            self.assertEqual(library.load(content), status, names)

    def test_library_many_groups(self):
        """The time to find a name that two groups have."""
        self.compile("y ~ l(a)", group="g")
        library = Library(self)
        names = [f"n{i * 7919 % 100_003}" for i in range(100_003)]
        train = self.dir / "many.csv"
        train.write_text("g,a,y\n" + "".join(
            f"{name},{a},1\n" for name in names for a in range(2)))
        good = self.fit(self.dir / "model", train).read_bytes()
        begin = time.process_time()
        self.assertEqual(library.load(good), 0)
        self.assertEqual(library.load(harness.seal(good.replace(
            rb'\"n10000\"', rb'\"n10001\"'))), 17)
        self.assertLess(time.process_time() - begin, 2)


if __name__ == "__main__":
    harness.main()
