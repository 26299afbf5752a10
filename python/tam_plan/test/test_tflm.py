#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of models for TFLite Micro: lives, the file that is written, errors.
The models are made here, field by field."""

import contextlib
import io
import random
import struct
import unittest
import unittest.mock

import common
import tam_plan
from tam_plan import _flatbuffers, tflm

FLOAT, INT32, BOOL, INT8, RESOURCE = 0, 2, 6, 9, 13
ADD, IF, WHILE, CALL_ONCE = 0, 118, 119, 129


class Writer:
    """A FlatBuffer from its end: objects are written before what points to
    them, so positions are counted from the end."""

    def __init__(self):
        self.data = b""

    def add(self, content, alignment=4):
        """Puts bytes in front; returns their distance from the end."""
        while (len(self.data) + len(content)) % alignment:
            self.data = b"\0" + self.data
        self.data = content + self.data
        return len(self.data)

    def vector(self, form, values, alignment=4):
        body = struct.pack(f"<{len(values)}{form}", *values)
        while (len(self.data) + len(body)) % alignment:
            self.data = b"\0" + self.data
        return self.add(struct.pack("<I", len(values)) + body)

    def text(self, text):
        return self.add(struct.pack("<I", len(text)) + text.encode() + b"\0"
                        * (4 - len(text) % 4))

    def links(self, targets):
        """A vector of offsets."""
        at = len(self.data) + 4 * len(targets)
        at += -at % 4
        body = b"".join(struct.pack("<I", at - 4 * i - target)
                        for i, target in enumerate(targets))
        self.data = b"\0" * (-len(self.data) % 4) + self.data
        return self.add(struct.pack("<I", len(targets)) + body)

    def table(self, fields):
        """`fields`: number to (form, value); the form '@' is an offset."""
        count = max(fields, default=-1) + 1
        self.data = b"\0" * (-len(self.data) % 4) + self.data
        size = 4 + 4 * len(fields)
        end = len(self.data) + size
        body, places = struct.pack("<i", 2 * count + 4), {}
        body = b""
        for number, (form, value) in sorted(fields.items()):
            places[number] = 4 + len(body)
            at = end - 4 - len(body)
            if form == "@":
                body += struct.pack("<I", at - value)
            else:
                body += struct.pack("<" + form, value).ljust(4, b"\0")
        vtable = struct.pack(f"<{count + 2}H", 2 * count + 4, size, *(
            places.get(number, 0) for number in range(count)))
        vtable = b"\0" * (-len(vtable) % 4) + vtable
        lead = -(2 * count + 4) % 4
        self.data = struct.pack("<i", len(vtable) - lead) + body + self.data
        at = len(self.data)
        self.data = vtable + self.data
        return at

    def finish(self, target):
        self.data = b"\0" * (-(len(self.data) + 8) % 16) + self.data
        return struct.pack("<I", len(self.data) + 8 - target) + b"TFL3" + \
            self.data


def model(graphs, codes, constants=(), metadata=()):
    """A .tflite file. A graph is (tensors, inputs, outputs, operators); a tensor
    (name, shape, type, buffer, variable); an operator (code, inputs, outputs,
    called subgraphs)."""
    out = Writer()
    made = []
    for tensors, inputs, outputs, operators in graphs:
        tables = []
        for name, shape, kind, buffer, variable in tensors:
            fields = {1: ("b", kind), 2: ("I", buffer),
                      3: ("@", out.text(name))}
            if shape is not None:
                fields[0] = ("@", out.vector("i", shape))
            if variable:
                fields[5] = ("B", 1)
            tables.append(out.table(fields))
        calls = []
        for code, reads, writes, called in operators:
            fields = {0: ("I", codes.index(code)),
                      1: ("@", out.vector("i", reads)),
                      2: ("@", out.vector("i", writes))}
            if called:
                fields[3] = ("B", 92)
                fields[4] = ("@", out.table(
                    {i: ("i", each) for i, each in enumerate(called)}))
            calls.append(out.table(fields))
        made.append(out.table({
            0: ("@", out.links(tables)), 1: ("@", out.vector("i", inputs)),
            2: ("@", out.vector("i", outputs)), 3: ("@", out.links(calls))}))
    buffers = [out.table({0: ("@", out.vector("B", each, 16))} if each else {})
               for each in (b"", *constants)]
    notes = [out.table({0: ("@", out.text(name)), 1: ("I", buffer)})
             for name, buffer in metadata]
    fields = {0: ("I", 3), 1: ("@", out.links(
        [out.table({0: ("b", min(code, 127)), 3: ("i", code)})
         for code in codes])),
        2: ("@", out.links(made)), 3: ("@", out.text("made by a test")),
        4: ("@", out.links(buffers))}
    if notes:
        fields[6] = ("@", out.links(notes))
    return out.finish(out.table(fields))


def tensor(name, size, kind=INT8, buffer=0, variable=False):
    return (name, [size], kind, buffer, variable)


def chain(sizes, **options):
    """A chain of operators, each from one tensor to the next."""
    tensors = [tensor(f"t{i}", size) for i, size in enumerate(sizes)]
    return model([(tensors, [0], [len(sizes) - 1],
                   [(ADD, [i], [i + 1], ()) for i in range(len(sizes) - 1)])],
                 [ADD], **options)


def conditional():
    """The first subgraph calls the second or the third."""
    branch = ([tensor("p", 64), tensor("q", 64), tensor("s", 64)], [0], [2],
              [(ADD, [0], [1], ()), (ADD, [0, 1], [2], ())])
    return model([([tensor("c", 1, BOOL), tensor("x", 64), tensor("a", 64),
                    tensor("r", 64), tensor("out", 64)], [0, 1], [4],
                   [(ADD, [1, 1], [2], ()), (IF, [0, 2], [3], (1, 2)),
                    (ADD, [2, 3], [4], ())]), branch, branch], [ADD, IF])


class Lives(unittest.TestCase):
    def live(self, data):
        return [(each.name.split(" ")[1], each.live)
                for each in tflm.read_model(data)]

    def test_chain(self):
        self.assertEqual(self.live(chain([8, 8, 8, 8])), [
            ("t0", [(0, 2)]), ("t1", [(1, 3)]), ("t2", [(2, 4)]),
            ("t3", [(3, 4)])])

    def test_conditional(self):
        # Times: 1 the sum; 2 the condition; 3 the branch, its operators 4 and
        # 5; 6 the other, 7 and 8; 9 the last sum.
        self.assertEqual(self.live(conditional()), [
            ("c", [(0, 9)]), ("x", [(0, 2)]), ("a", [(1, 10)]),
            ("r", [(2, 10)]), ("out", [(9, 10)]),
            ("p", [(3, 6)]), ("q", [(4, 6)]), ("s", [(5, 6)]),
            ("p", [(6, 9)]), ("q", [(7, 9)]), ("s", [(8, 9)])])

    def test_subgraph_of_two_calls(self):
        callee = ([tensor("p", 8), tensor("q", 8)], [0], [1],
                  [(ADD, [0], [1], ())])
        data = model([([tensor("x", 8), tensor("y", 8), tensor("z", 8)], [0],
                       [2], [(WHILE, [0], [1], (1, 1)),
                             (CALL_ONCE, [1], [2], (1,))]), callee],
                     [ADD, WHILE, CALL_ONCE])
        self.assertEqual(self.live(data)[3:], [
            ("p", [(2, 4), (4, 6), (7, 9)]), ("q", [(3, 4), (5, 6), (8, 9)])])
        made = tflm.plan_model(data)
        self.assertEqual(made.plan.status, "optimal")

    def test_what_is_not_planned(self):
        tensors = [tensor("x", 8), tensor("weights", 8, buffer=1),
                   tensor("state", 8, variable=True),
                   tensor("handle", 1, RESOURCE), tensor("none", 0),
                   tensor("unused", 8), ("scalar", None, FLOAT, 0, False),
                   tensor("y", 8)]
        data = model([(tensors, [0], [7],
                       [(ADD, [0, 1, 2, 3, -1], [4, 6], ()),
                        (ADD, [6, 4], [7], ())])], [ADD],
                     constants=[bytes(8)])
        made = tflm.plan_model(data)
        self.assertEqual([each == tflm.ONLINE for each in made.offsets],
                         [False, True, True, True, True, True, False, False])
        self.assertEqual(made.tensors[6].bytes, 4)

    def test_check(self):
        """Two tensors of one time that share a byte are found, in any order of
        their offsets."""
        numbers = random.Random(7)
        found = 0
        for _ in range(300):
            tensors, offsets = [], []
            for i in range(8):
                begin = numbers.randrange(8)
                tensors.append(tflm.Tensor(str(i), numbers.randrange(40)
                                           * numbers.randrange(3), True,
                                           [(begin, begin + 3)]))
                offsets.append(16 * numbers.randrange(24))
            share = any(
                a.bytes and b.bytes
                and a.live[0][0] < b.live[0][1] and b.live[0][0] < a.live[0][1]
                and at < to + b.bytes and to < at + a.bytes
                for i, (a, at) in enumerate(zip(tensors, offsets))
                for b, to in zip(tensors[:i], offsets))
            found += share
            with self.subTest(offsets), (
                    self.assertRaisesRegex(tam_plan.Error, "share bytes")
                    if share else contextlib.nullcontext()):
                tflm._verify(tensors, offsets)
        self.assertTrue(50 < found < 290, found)

    def test_greedy(self):
        # The largest lies at the bottom; the two of 16 bytes meet above it.
        data = chain([16, 48, 16, 32])
        self.assertEqual(tflm.greedy_bytes(tflm.read_model(data)), 64)
        for seed in range(50):
            sizes = random.Random(seed).choices(range(1, 300), k=12)
            made = tflm.plan_model(chain(sizes))
            self.assertLessEqual(made.plan.peak, made.greedy)


class Files(common.Folder):
    def plan_in(self, data):
        """The plan that the runtime would find."""
        top = _flatbuffers.root(data, b"TFL3")
        found = [each for each in top.tables(6)
                 if each.text(0) == "OfflineMemoryAllocation"]
        self.assertEqual(len(found), 1)
        places = top.tables(4)[found[0].number(1, "I")].vector(0, 1)
        self.assertEqual(places.start % 16, 0)
        return struct.unpack(f"<{len(places) // 4}i",
                             data[places.start:places.stop])

    def test_metadata(self):
        for data, graphs in ((chain([8, 24, 8, 40]), 1), (conditional(), 3)):
            made = tflm.plan_model(data)
            self.assertEqual(self.plan_in(made.model),
                             (1, graphs, len(made.offsets), *made.offsets))
            self.assertTrue(made.model.endswith(data))
            self.assertEqual((len(made.model) - len(data)) % 64, 0)

    def test_rest_of_the_model(self):
        data = chain([8, 24, 8, 40], constants=[b"weights!", b"note"],
                     metadata=[("min_runtime_version", 2)])
        made = tflm.plan_model(data)
        top = _flatbuffers.root(made.model, b"TFL3")
        self.assertEqual(top.number(0, "I"), 3)
        self.assertEqual(top.text(3), "made by a test")
        self.assertEqual([each.text(0) for each in top.tables(6)],
                         ["min_runtime_version", "OfflineMemoryAllocation"])
        places = top.tables(4)[1].vector(0, 1)
        self.assertEqual(made.model[places.start:places.stop], b"weights!")
        self.assertEqual(places.start % 16, 0)
        self.assertEqual(top.target(5), 0)

    def test_plan_again(self):
        made = tflm.plan_model(chain([8, 24, 8, 40]))
        self.assertEqual(tflm.plan_model(made.model).model, made.model)
        # A plan of another number of tensors is left out.
        old = chain([8, 24, 8], constants=[struct.pack("<5i", 1, 1, 2, 0, 0)],
                    metadata=[("OfflineMemoryAllocation", 1)])
        again = tflm.plan_model(old)
        self.assertEqual(self.plan_in(again.model)[2], 3)

    def test_errors(self):
        good = chain([8, 24])
        nothing = model([], [ADD])
        loop = model([([tensor("x", 8), tensor("y", 8)], [0], [1],
                       [(CALL_ONCE, [0], [1], (0,))])], [CALL_ONCE])
        for data, text in (
                (b"", "byte 4: expected 'TFL3', got b''"),
                (good[:4] + b"TFL2" + good[8:],
                 "byte 4: expected 'TFL3', got b'TFL2'"),
                (nothing, "expected a model with a subgraph"),
                (loop, "subgraph 0 calls itself"),
                (chain([8, -1]), "tensor '0/1 t1': expected a shape that is "
                                 "known, got [-1]"),
                (model([([tensor("x", 8, 5)], [0], [0], [])], [ADD]),
                 "tensor '0/0 x': expected a type whose size is known, got the "
                 "type 5"),
                (model([([tensor("x", 8)], [0], [4], [])], [ADD]),
                 "subgraph 0: expected one of 1 tensors, got 4"),
                (model([([tensor("x", 8, buffer=9)], [0], [0], [])], [ADD]),
                 "tensor '0/0 x': expected one of 1 buffers, got 9")):
            with self.subTest(text), \
                    self.assertRaises(tam_plan.ProblemError) as raised:
                tflm.plan_model(data)
            self.assertEqual(str(raised.exception), text)

    def test_damage(self):
        """Any damage is an error or a model; nothing else."""
        good = conditional()
        for cut in range(0, len(good) - 8, 3):
            with self.assertRaises(tam_plan.ProblemError):
                tflm.read_model(good[:cut])
        numbers = random.Random(3)
        errors = 0
        for _ in range(3000):
            data = bytearray(good)
            for _ in range(numbers.randint(1, 4)):
                data[numbers.randrange(len(data))] = numbers.choice(
                    (0, 1, 127, 128, 255, numbers.randrange(256)))
            try:
                found = tflm.read_model(bytes(data))
                tflm.write_model(bytes(data), [tflm.ONLINE] * len(found))
            except tam_plan.ProblemError:
                errors += 1
        self.assertGreater(errors, 300)

    def test_small_files_of_much(self):
        """Subgraphs may call each other deeply; what stands for too much is an
        error, soon."""
        def nested(count, code, times):
            calls = [[(code, [0], [1], (i + 1,) * times)]
                     for i in range(count - 1)]
            return model([([tensor("x", 8), tensor("y", 8)], [0], [1], each)
                          for each in (*calls, [(ADD, [0], [1], ())])],
                         [ADD, code])

        tensors = tflm.read_model(nested(3000, CALL_ONCE, 1))
        self.assertEqual(tensors[0].live, [(0, 6000)])
        self.assertEqual(tensors[-1].live, [(5999, 6000)])
        out = Writer()
        table = out.table({2: ("I", 0), 3: ("@", out.text("x" * 4000))})
        graph = out.table({0: ("@", out.links([table] * 5000))})
        shared = out.finish(out.table({
            2: ("@", out.links([graph])),
            4: ("@", out.links([out.table({})]))}))
        for data, text in (
                (nested(64, IF, 2), "expected calls of subgraphs with at most "
                                    "16384 operands together"),
                (shared, "subgraph 0: expected names and shapes of at most "
                         "16777216 parts"),
                (model([([tensor("x", 8)] * 8193, range(8193), [0], [])],
                       [ADD]),
                 "expected at most 8192 tensors to plan, got 8193")):
            # So many marks as the limit allows take seconds.
            with self.subTest(text), \
                    unittest.mock.patch.object(tflm, "_MOST_MARKS", 1 << 14), \
                    self.assertRaises(tam_plan.ProblemError) as raised:
                tflm.plan_model(data)
            self.assertEqual(str(raised.exception), text)

    def test_numbers_that_do_not_fit(self):
        great = (1 << 31) - 1
        for data, text in (
                (chain([great] * 3), "tensor 1: expected an offset below 2^31, "
                                     "got 2147483648"),
                (model([([("x", [great] * 50000, INT8, 0, False)], [0], [0],
                         [])], [ADD]), "expected")):
            with self.subTest(text), \
                    self.assertRaisesRegex(tam_plan.ProblemError,
                                           text.replace("^", r"\^")):
                tflm.plan_model(data)
        good = bytearray(chain([8, 8]))
        top = _flatbuffers.root(good, b"TFL3")
        struct.pack_into("<I", good, top.place(3), (1 << 32) - 1)
        with self.assertRaisesRegex(tam_plan.ProblemError,
                                    f"byte {top.place(3)}: expected an offset "
                                    f"to one of {len(good)} bytes, got one to"):
            tflm.plan_model(good)

    def test_command(self):
        source, out = self.dir / "in.tflite", self.dir / "out.tflite"
        source.write_bytes(conditional())
        problem, page = self.dir / "problem.json", self.dir / "page.html"
        printed, notes = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), \
                contextlib.redirect_stderr(notes):
            status = tflm.main([str(source), "-o", str(out), "--problem",
                                str(problem), "--html", str(page)])
        self.assertEqual(status, 0)
        made = tflm.plan_model(conditional())
        self.assertEqual(out.read_bytes(), made.model)
        self.assertEqual(printed.getvalue(), (
            f"tensors   11 of 11\nhead      {made.plan.peak}, before "
            f"{made.greedy}\nbound     {made.plan.bound}\n"
            "status    optimal\n"))
        self.assertIn("every subgraph",
                      notes.getvalue())
        self.assertEqual(tam_plan.plan(problem).peak, made.plan.peak)
        self.assertIn("<!DOCTYPE html>", page.read_text())
        notes = io.StringIO()
        with contextlib.redirect_stderr(notes):
            self.assertEqual(tflm.main([str(page)]), 1)
        self.assertIn(f"{page}: error: byte 4: expected 'TFL3'",
                      notes.getvalue())


if __name__ == "__main__":
    unittest.main()
