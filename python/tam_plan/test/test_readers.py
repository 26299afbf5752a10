#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of XLA's and IREE's files: recorded ones, made ones, damaged ones.

scan.hlo.pb is XLA's dump of a loop and a condition in JAX, branches.stream.mlir
a part of a module by IREE."""

import contextlib
import io
import pathlib
import random
import unittest

import common
import tam_plan
from tam_plan import __main__ as command
from tam_plan import _wire, iree, xla

DATA = pathlib.Path(__file__).with_name("data")
SCAN = (DATA / "scan.hlo.pb").read_bytes()
BRANCHES = (DATA / "branches.stream.mlir").read_bytes()
ALLOCATE, FREE, SHARE = range(3)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(*fields):
    """A message of pairs of a number and a whole number or bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def proto(sizes, events):
    """An HloProto of one allocation: bytes by buffer, and (kind, buffer[,
    other])."""
    buffers = [(1, message((1, number), (2, size), (3, message(
        (2, f"op{number}".encode())))))
        for number, size in sizes.items()]
    trace = message(*((1, message((1, kind), (2, number), *(
        (5, other) for other in more))) for kind, number, *more in events),
        (3, 99))
    allocation = message((1, 4), (2, 4096), *(
        (9, message((1, number), (2, 0), (3, size)))
        for number, size in sizes.items()))
    return message((3, message(*buffers, (3, allocation), (4, trace))))


class Xla(unittest.TestCase):
    def test_recorded(self):
        heap, = xla.read(SCAN)
        self.assertEqual((heap.index, heap.bytes), (44, 12932))
        self.assertEqual(heap.problem["name"], "allocation 44")
        self.assertEqual(len(heap.problem["buffers"]), 9)
        made = tam_plan.plan(heap.problem)
        self.assertEqual((made.peak, made.bound), (12932, 12932))
        state = heap.problem["buffers"][0]
        self.assertEqual((state["name"], state["size"], len(state["live"])),
                         ("118 copy.12", 6400, 2))

    def test_offsets_of_xla(self):
        """XLA's own plan is correct for the problem that is read."""
        heap, = xla.read(SCAN)
        assignment, = _wire.messages(_wire.message(SCAN), 3)
        offsets = {
            _wire.number(each, 1): _wire.number(each, 2)
            for allocation in _wire.messages(assignment, 3)
            if _wire.number(allocation, 1) == heap.index
            for each in _wire.messages(allocation, 9)}
        buffers = [each | {"pin": offsets[int(each["name"].split()[0])]}
                   for each in heap.problem["buffers"]]
        made = tam_plan.plan({"buffers": buffers})
        self.assertEqual(made.peak, heap.bytes)

    def test_sharing(self):
        heap, = xla.read(proto({1: 64, 2: 128, 3: 32, 4: 8, 5: 16}, [
            (ALLOCATE, 1), (SHARE, 2, 1), (FREE, 1), (ALLOCATE, 3), (FREE, 2),
            (FREE, 3), (SHARE, 4, 2), (ALLOCATE, 5)]), alignment=16)
        self.assertEqual(heap.bytes, 128)
        self.assertEqual(heap.problem["buffers"], [
            {"name": "1 op1", "size": 128, "alignment": 16,
             "live": [[0, 4], [6, 8]]},
            {"name": "3 op3", "size": 32, "alignment": 16, "live": [[3, 5]]},
            {"name": "5 op5", "size": 16, "alignment": 16, "live": [[7, 8]]}])

    def test_errors(self):
        for data, text in (
                (message((1, b"")), "expected an HloProto with a buffer "
                                    "assignment, as XLA writes it after "
                                    "optimizations"),
                (proto({1: 8}, [(ALLOCATE, 1), (ALLOCATE, 1)]),
                 "event 1: buffer 1 is allocated twice"),
                (proto({1: 8}, [(ALLOCATE, 1), (FREE, 1), (FREE, 1)]),
                 "event 2: buffer 1 is freed, but not allocated"),
                (proto({1: 8}, [(ALLOCATE, 1), (ALLOCATE, 2)]),
                 "event 1: buffer 2 is not in the list of buffers"),
                (proto({1: 8}, [(SHARE, 1, 7)]),
                 "event 0: buffer 1 shares buffer 7, which was not allocated"),
                (proto({1: 8}, [(ALLOCATE, 1), (3, 1)]),
                 "event 1: expected a kind from 0 to 2, got 3"),
                (proto({1: 8}, []),
                 "trace 0: expected buffers of one allocation, got 0"),
                (b"\x1a\xff", "byte 1 of a message: expected a number that "
                              "ends"),
                (b"\x1a\x05ab", "byte 0 of a message: expected 5 bytes, got 2"),
                (b"\x1b", "byte 0 of a message: expected a field, got the kind "
                          "3"),
                (b"\x02\x00", "byte 0 of a message: expected the number of a "
                              "field, got 0"),
                (b"\x18\x00", "field 3 of a message: expected bytes")):
            with self.subTest(text), \
                    self.assertRaises(tam_plan.ProblemError) as raised:
                xla.read(data)
            self.assertEqual(str(raised.exception), text)

    def test_damage(self):
        numbers = random.Random(5)
        errors = 0
        for _ in range(1500):
            data = bytearray(SCAN)
            begin = len(data) * 3 // 5
            for _ in range(numbers.randint(1, 4)):
                data[numbers.randrange(begin, len(data))] = \
                    numbers.randrange(256)
            try:
                xla.read(bytes(data[:numbers.choice(
                    (len(data), numbers.randrange(len(data))))]))
            except tam_plan.ProblemError:
                errors += 1
        self.assertGreater(errors, 300)


class Iree(unittest.TestCase):
    def test_recorded(self):
        problem, = iree.read(BRANCHES)
        self.assertEqual(len(problem["buffers"]), 19)
        self.assertEqual(problem["buffers"][1], {
            "name": "slice 1", "size": 22528, "alignment": 64, "lower": 0,
            "upper": 2})
        # IREE's own pass needs 192512.
        self.assertEqual(tam_plan.plan(problem).peak, 188416)
        recorded = tam_plan.plan(common.RECORDED / "iree-branches.csv")
        self.assertEqual(recorded.peak, 188416)

    def test_constants(self):
        text = b"""
  %c7 = arith.constant 7 : index
  %size = arith.constant 96 : index
  %0:3 = stream.resource.pack slices({
    [0, 1] = %size,
    [1, 4] = %c7
  }) : index
  %size = arith.constant 128 : index
  %1:2 = stream.resource.pack on(#a) offset(%o) slices({[2, 2] = %size}) : index
"""
        first, second = iree.read(text, alignment=32)
        self.assertEqual([each["size"] for each in first["buffers"]], [96, 7])
        self.assertEqual(second, {"name": "pack 1", "buffers": [
            {"name": "slice 0", "size": 128, "alignment": 32, "lower": 2,
             "upper": 3}]})
        self.assertEqual(iree.read(b"func.func @f() { return }"), [])

    def test_names_of_constants(self):
        """A name means what was defined last, in its function."""
        pack = "  stream.resource.pack slices({[0, 1] = %size}) : index\n"
        constant = "  %size = arith.constant 64 : index\n"
        for between in ("func.func @g(%size: index) {\n",
                        "util.func private @g(%size: index) {\n",
                        "  %size = arith.addi %a, %b : index\n",
                        "  %a:2, %size = test.op : index, index, index\n"):
            with self.subTest(between):
                with self.assertRaises(tam_plan.ProblemError) as raised:
                    iree.read((constant + pack + between + pack).encode())
                self.assertIn("line 4: expected a constant as the size of a "
                              "slice, got %size", str(raised.exception))
        hidden = ("  %c8 = arith.muli %a, %b : index\n"
                  + pack.replace("%size", "%c8"))
        with self.assertRaises(tam_plan.ProblemError):
            iree.read(hidden.encode())

    def test_errors(self):
        for text, wrong in (
                ("stream.resource.pack slices({[0, 1] = %arg0}) : index",
                 "line 1: expected a constant as the size of a slice, got "
                 "%arg0"),
                ("\nstream.resource.pack slices({[3, 1] = %c8}) : index",
                 "line 2: expected a life that ends after its begin, got "
                 "[3, 1]"),
                ("stream.resource.pack slices({[0, 1] = %c8, ",
                 "line 1: expected a slice as [first, last] = %size, or '})'"),
                ("stream.resource.pack slices({\n[0] = %c8}) : index",
                 "line 1: expected a slice as [first, last] = %size, or '})'"),
                # Numbers of more digits than any that a plan can have.
                (f"stream.resource.pack slices({{[0, {'1' * 5000}] = %c8}})",
                 "line 1: expected a slice as [first, last] = %size, or '})'"),
                (f"stream.resource.pack slices({{[0, 1] = %c{'1' * 5000}}})",
                 "line 1: expected a constant as the size of a slice, got %c"
                 + "1" * 5000),
                (f"%0 = arith.constant {'1' * 5000} : index\n"
                 "stream.resource.pack slices({[0, 1] = %0})",
                 "line 2: expected a constant as the size of a slice, got %0"),
                ("stream.resource.pack()",
                 "line 1: expected 'slices({' after stream.resource.pack")):
            with self.subTest(wrong), \
                    self.assertRaises(tam_plan.ProblemError) as raised:
                iree.read(text.encode())
            self.assertEqual(str(raised.exception), wrong)


class Command(common.Folder):
    def run_command(self, *arguments):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(errors):
            status = command.main([str(each) for each in arguments])
        return status, out.getvalue(), errors.getvalue()

    def test_xla(self):
        problem, page = self.dir / "problem.json", self.dir / "page.html"
        self.assertEqual(
            self.run_command("xla", DATA / "scan.hlo.pb", "-o", problem,
                             "--html", page),
            (0, "allocation 44: 9 buffers, peak 12932, theirs 12932, bound "
                "12932, optimal\n", ""))
        self.assertEqual(tam_plan.plan(problem).peak, 12932)
        self.assertIn("allocation 44", page.read_text())

    def test_iree(self):
        twice = self.dir / "twice.mlir"
        twice.write_bytes(BRANCHES + BRANCHES)
        line = "19 buffers, peak 188416, bound 188416, optimal\n"
        self.assertEqual(self.run_command("iree", twice),
                         (0, f"pack 0: {line}pack 1: {line}", ""))
        self.assertEqual(self.run_command("iree", twice, "-n", 1),
                         (0, f"pack 1: {line}", ""))
        for more, text in ((("-o", self.dir / "x"), "expected one problem to "
                            "write, got 2; -n chooses one"),
                           (("-n", 2), "expected a number below 2, got 2")):
            self.assertEqual(self.run_command("iree", twice, *more),
                             (1, "", f"{twice}: error: {text}\n"))
        nothing = self.dir / "nothing.mlir"
        nothing.write_text("module {}\n")
        self.assertEqual(self.run_command("iree", nothing), (
            1, "", f"{nothing}: error: the file has no problem\n"))


if __name__ == "__main__":
    unittest.main()
