# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of TensorFlow Lite models for TFLite Micro.

    python -m tam_plan tflm model.tflite -o planned.tflite

The plan is the metadata `OfflineMemoryAllocation`, which TFLite Micro's
allocator follows: an offset for each tensor, or -1 for what is not planned.
Scratch buffers of kernels are unknown to the file; the runtime places them
around the plan."""

from __future__ import annotations

import argparse
import bisect
import importlib.util
import json
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._errors import Error, ProblemError
from ._flatbuffers import Damaged, Front, Table, read, root
from ._plan import Plan, plan

NAME = b"OfflineMemoryAllocation"
VERSION = 1
#: MicroArenaBufferAlignment().
ALIGNMENT = 16
#: What TFLite Micro plans without metadata.
ONLINE = -1

_SIZES = {0: 4, 1: 2, 2: 4, 3: 1, 4: 8, 6: 1, 7: 2, 8: 8, 9: 1, 10: 8, 11: 16,
          12: 8, 15: 4, 16: 2, 17: 1, 18: 2}
_RESOURCE = 13
#: Characters of names and extents of shapes that a model may have, and operands
#: that its calls may mark: objects of a file may be shared, and subgraphs
#: called again, so that a small one could stand for any number of them.
_MOST_TEXT, _MOST_MARKS = 1 << 24, 1 << 20
#: Tensors with an offset; the greedy planner takes the square of them.
_MOST_TENSORS = 1 << 13
_IF, _WHILE, _CALL_ONCE = 118, 119, 129


class _Model:
    # Numbers of fields, after TensorFlow Lite's schema.
    CODES, GRAPHS, BUFFERS, METADATA = 1, 2, 4, 6


@dataclass
class Tensor:
    """A tensor of a model, and the times at which TFLite Micro marks it."""

    name: str
    bytes: int
    #: False for constants, variables, resources and what has no bytes.
    planned: bool
    #: Half-open. TFLite Micro keeps the last: if two operators call a subgraph,
    #: the tensors of the subgraph also have the earlier one here.
    live: List[Tuple[int, int]] = field(default_factory=list)


@dataclass
class Planned:
    """What was planned for a model."""

    model: bytes
    plan: Plan
    tensors: List[Tensor]
    #: By tensor, subgraph after subgraph; -1 for what is not planned.
    offsets: List[int]
    #: Bytes that the plan of TFLite Micro's own greedy planner needs, without
    #: scratch buffers.
    greedy: int


class _Marks:
    """Lives as the class AllocationInfoBuilder of TFLite Micro marks them."""

    def __init__(self, model: Table) -> None:
        self.codes = [max(code.number(3, "i"), code.number(0, "b"))
                      for code in model.tables(_Model.CODES)]
        self.graphs = model.tables(_Model.GRAPHS)
        if not self.graphs:
            raise Damaged("expected a model with a subgraph")
        self.time = 0
        self.text = self.marks = 0
        self.tensors = [self._tensors(index, graph, model)
                        for index, graph in enumerate(self.graphs)]
        # Subgraphs may call each other more deeply than functions may.
        calls = {0: self._mark(0)}
        while calls:
            caller = next(reversed(calls))
            called = next(calls[caller], None)
            if called is None:
                del calls[caller]
            elif called in calls:
                raise Damaged(f"subgraph {called} calls itself")
            else:
                calls[called] = self._mark(called)

    def _tensors(self, index: int, graph: Table, model: Table
                 ) -> List[Tensor]:
        buffers = model.tables(_Model.BUFFERS)
        found = []
        for number, tensor in enumerate(graph.tables(0)):
            self.text += (1 + len(tensor.vector(3, 1))
                          + len(tensor.vector(0, 4)))
            if self.text > _MOST_TEXT:
                raise ProblemError(f"subgraph {index}: expected names and "
                                   f"shapes of at most {_MOST_TEXT} parts")
            name = f"{index}/{number} {tensor.text(3)}"
            kind = tensor.number(1, "b")
            shape = tensor.numbers(0)
            count = 0 if 0 in shape else 1
            for extent in shape:
                # A plan cannot have so many.
                count = max(-1 << 63, min(count * extent, 1 << 63))
            buffer = tensor.number(2, "I")
            if buffer >= len(buffers):
                raise Damaged(f"tensor '{name}': expected one of "
                              f"{len(buffers)} buffers, got {buffer}")
            constant = (len(buffers[buffer].vector(0, 1)) > 0
                        or buffers[buffer].number(1, "Q") > 1
                        or tensor.number(10, "I") > 0)
            planned = not (constant or tensor.number(5, "B")
                           or kind == _RESOURCE or count == 0)
            if planned and kind not in _SIZES:
                raise ProblemError(f"tensor '{name}': expected a type whose "
                                   f"size is known, got the type {kind}")
            if planned and min(shape, default=1) < 0:
                raise ProblemError(f"tensor '{name}': expected a shape that is "
                                   f"known, got {shape}")
            found.append(Tensor(name, count * _SIZES.get(kind, 0), planned))
        return found

    def _index(self, graph: int, tensor: int) -> int:
        if not 0 <= tensor < len(self.tensors[graph]):
            raise Damaged(f"subgraph {graph}: expected one of "
                          f"{len(self.tensors[graph])} tensors, got {tensor}")
        return tensor

    def _called(self, operator: Table) -> List[int]:
        index = operator.number(0, "I")
        if index >= len(self.codes):
            raise Damaged(f"expected one of {len(self.codes)} operator codes, "
                          f"got {index}")
        code = self.codes[index]
        if code not in (_IF, _WHILE, _CALL_ONCE):
            return []
        options = operator.table(4)
        fields = (0,) if code == _CALL_ONCE else (0, 1)
        called = [options.number(each, "i") if options else 0
                  for each in fields]
        for each in called:
            if not 0 <= each < len(self.graphs):
                raise Damaged(f"expected one of {len(self.graphs)} subgraphs, "
                              f"got {each}")
        return called

    def _count(self, *vectors: range) -> None:
        self.marks += 1 + sum(map(len, vectors))
        if self.marks > _MOST_MARKS:
            raise ProblemError("expected calls of subgraphs with at most "
                               f"{_MOST_MARKS} operands together")

    def _mark(self, graph: int) -> Iterator[int]:
        """Marks the tensors of a subgraph; yields the subgraphs it calls."""
        marks: Dict[int, List[int]] = {}
        table = self.graphs[graph]
        self._count(table.vector(1, 4), table.vector(2, 4), table.vector(3, 4))

        def created(tensor: int) -> None:
            marks[self._index(graph, tensor)] = [self.time, self.time]

        def used(tensor: int) -> None:
            if self._index(graph, tensor) in marks:
                marks[tensor][1] = self.time

        for tensor in (*table.numbers(1), *table.numbers(2)):
            created(tensor)
        for operator in table.tables(3):
            self.time += 1
            self._count(operator.vector(1, 4), operator.vector(2, 4))
            outputs = [each for each in operator.numbers(2) if each >= 0]
            for tensor in outputs:
                created(tensor)
            for called in self._called(operator):
                self.time += 1
                yield called
            for tensor in operator.numbers(1):
                if tensor >= 0:
                    used(tensor)
            for tensor in outputs:
                used(tensor)
        for tensor in table.numbers(2):
            used(tensor)
        for tensor, (first, last) in marks.items():
            self.tensors[graph][tensor].live.append((first, last + 1))


def read_model(data: bytes) -> List[Tensor]:
    """The tensors of a .tflite file, subgraph after subgraph, with their
    lives."""
    return [tensor for graph in _Marks(root(data, b"TFL3")).tensors
            for tensor in graph]


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def problem_of(tensors: Sequence[Tensor]) -> Dict[str, Any]:
    """The problem in the form of the tool."""
    return {"buffers": [
        {"name": tensor.name, "size": _rounded(tensor.bytes),
         "alignment": ALIGNMENT, "live": tensor.live}
        for tensor in tensors if tensor.planned and tensor.live]}


def greedy_bytes(tensors: Sequence[Tensor]) -> int:
    """What TFLite Micro's greedy planner needs: the largest first, each at the
    lowest place that is free during the life that the runtime marks."""
    placed: List[Tuple[int, int, int, int]] = []
    # Its sort leaves tensors of one size in the reverse order.
    order = [tensor for tensor in reversed(tensors)
             if tensor.planned and tensor.live]
    order.sort(key=lambda tensor: -_rounded(tensor.bytes))
    for tensor in order:
        first, end = tensor.live[-1]
        size = _rounded(tensor.bytes)
        at = 0
        for other, other_size, begin, stop in placed:
            if begin < end and first < stop:
                if other - at >= size:
                    break
                at = max(at, other + other_size)
        bisect.insort(placed, (at, size, first, end))
    return max((at + size for at, size, _, _ in placed), default=0)


def _verify(tensors: Sequence[Tensor], offsets: Sequence[int]) -> None:
    """Without the tool: no two tensors share a byte at one time."""
    events = []
    for number, (tensor, offset) in enumerate(zip(tensors, offsets)):
        if (offset == ONLINE) != (not (tensor.planned and tensor.live)):
            raise Error(f"tensor '{tensor.name}' has the offset {offset}")
        if offset == ONLINE:
            continue
        if offset < 0 or offset % ALIGNMENT:
            raise Error(f"tensor '{tensor.name}': expected a multiple of "
                        f"{ALIGNMENT}, got {offset}")
        for first, end in tensor.live if tensor.bytes else ():
            events += [(first, True, offset, number),
                       (end, False, offset, number)]
    # At one time, what ends makes room for what begins. An empty tensor would
    # hide the neighbour of another.
    events.sort()
    alive: List[Tuple[int, int]] = []
    for _, begins, at, number in events:
        place = bisect.bisect_left(alive, (at, number))
        if not begins:
            del alive[place]
            continue
        for other_at, other in alive[max(place - 1, 0):place + 1]:
            if at < other_at + tensors[other].bytes and \
                    other_at < at + tensors[number].bytes:
                raise Error(f"tensors '{tensors[number].name}' and "
                            f"'{tensors[other].name}' share bytes")
        alive.insert(place, (at, number))


def _place_of_plan(data: bytes, model: Table, count: int) -> Optional[int]:
    """The position of the offsets of a plan that the file has, if it is for as
    many tensors."""
    buffers = model.tables(_Model.BUFFERS)
    for metadata in model.tables(_Model.METADATA):
        if metadata.text(0).encode() == NAME:
            index = metadata.number(1, "I")
            if index >= len(buffers):
                raise Damaged(f"expected one of {len(buffers)} buffers, got "
                              f"{index}")
            places = buffers[index].vector(0, 1)
            if len(places) == 12 + 4 * count:
                return places.start
    return None


def write_model(data: bytes, offsets: Sequence[int]) -> bytes:
    """The model with a plan. The rest of the file keeps its bytes, behind new
    ones: a root, the lists of buffers and metadata, and the plan. An older plan
    is overwritten, or left out of the list."""
    for number, offset in enumerate(offsets):
        if offset >= 1 << 31:
            raise ProblemError(f"tensor {number}: expected an offset below "
                               f"2^31, got {offset}")
    model = root(data, b"TFL3")
    content = struct.pack(f"<3i{len(offsets)}i", VERSION,
                          len(model.tables(_Model.GRAPHS)), len(offsets),
                          *offsets)
    at = _place_of_plan(data, model, len(offsets))
    if at is not None:
        return data[:at] + content + data[at + len(content):]
    for number, buffer in enumerate(model.tables(_Model.BUFFERS)):
        if buffer.number(1, "Q") > 1:
            raise ProblemError(f"buffer {number}: expected its bytes inside of "
                               "the FlatBuffer, not behind it")
    if model.fields > 10:
        raise ProblemError("expected a model of at most 10 fields, got "
                           f"{model.fields}")
    front = Front()
    front.numbers("I", 0)
    front.data += b"TFL3"
    table = front.table(10)
    front.point(0, table)
    # Old objects lie behind; `late` are the offsets to them.
    late: List[Tuple[int, int]] = []
    front.put(table + 4, model.number(0, "I"))
    for number in range(1, 10):
        if number not in (_Model.BUFFERS, _Model.METADATA):
            late.append((table + 4 + 4 * number, model.target(number)))
    links = []
    for number, keep in (
            (_Model.BUFFERS, lambda _: True),
            (_Model.METADATA, lambda old: old.text(0).encode() != NAME)):
        old = [each.at for each in model.tables(number) if keep(each)]
        vector = front.numbers("I", len(old) + 1)
        front.point(table + 4 + 4 * number, vector)
        front.numbers(f"{len(old) + 1}I", *([0] * (len(old) + 1)))
        late += [(vector + 4 + 4 * i, each) for i, each in enumerate(old)]
        links.append((vector + 4 + 4 * len(old), len(old)))
    (buffer_link, count), (metadata_link, _) = links
    metadata = front.table(2)
    front.point(metadata_link, metadata)
    front.put(metadata + 8, count)
    name = front.numbers("I", len(NAME))
    front.point(metadata + 4, name)
    front.data += NAME + b"\0"
    added = front.table(1)
    front.point(buffer_link, added)
    # The runtime wants the bytes of buffers at multiples of 16.
    while (len(front.data) + 4) % 16:
        front.data.append(0)
    front.point(added + 4, front.numbers("I", len(content)))
    front.data += content
    shift = front.align(64)
    for place, target in late:
        if target:
            front.point(place, target + shift)
    _drop_absent(front, table, [place for place, target in late if not target])
    return bytes(front.data) + data


def _drop_absent(front: Front, table: int, places: Sequence[int]) -> None:
    """Takes offsets that point nowhere out of a table's list of fields."""
    vtable = table - read(front.data, "i", table)
    for place in places:
        number = (place - table - 4) // 4
        struct.pack_into("<H", front.data, vtable + 4 + 2 * number, 0)


def plan_model(data: bytes, **options: Any) -> Planned:
    """Plans a .tflite file; `options` are those of `plan`."""
    data = bytes(data)
    tensors = read_model(data)
    count = sum(tensor.planned and bool(tensor.live) for tensor in tensors)
    if count > _MOST_TENSORS:
        raise ProblemError(f"expected at most {_MOST_TENSORS} tensors to plan, "
                           f"got {count}")
    options.setdefault("time_limit", 10)
    made = plan(problem_of(tensors), **options)
    offsets = [made.offsets[tensor.name] if tensor.planned and tensor.live
               else ONLINE for tensor in tensors]
    _verify(tensors, offsets)
    model = write_model(data, offsets)
    again = read_model(model)
    if [(each.name, each.bytes, each.planned, each.live) for each in again] != \
            [(each.name, each.bytes, each.planned, each.live)
             for each in tensors]:
        raise Error("the written model differs from the given one")
    return Planned(model, made, tensors, offsets, greedy_bytes(tensors))


#: A process of its own, as the interpreter crashes in some arenas that are too
#: small.
_TRY = """
import sys
from tflite_micro import runtime
with open(sys.argv[1], "rb") as file:
    data = file.read()
runtime.Interpreter.from_bytes(data, arena_size=int(sys.argv[2])).invoke()
"""


def least_arena(data: bytes, limit: int = 1 << 28) -> int:
    """The least arena, in steps of 16 bytes, in which the interpreter of the
    package tflite-micro runs a model."""
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(data)
        file.flush()

        def runs(size: int) -> bool:
            return subprocess.run(
                [sys.executable, "-c", _TRY, file.name, str(size)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False).returncode == 0

        low, high = 0, 1 << 12
        while not runs(high):
            low, high = high, 2 * high
            if high > limit:
                raise Error("the interpreter of tflite-micro does not run the "
                            f"model in {low} bytes")
        while high - low > ALIGNMENT:
            middle = (low + high) // 2 // ALIGNMENT * ALIGNMENT
            if runs(middle):
                high = middle
            else:
                low = middle
        return high


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tam_plan tflm",
        description="Writes a plan into a model for TFLite Micro.")
    parser.add_argument("model", help=".tflite file")
    parser.add_argument("-o", "--output", help="the model with the plan")
    parser.add_argument("--problem", help="writes the problem, as JSON")
    parser.add_argument("--html", help="writes a page of the plan")
    parser.add_argument("--time-limit", type=float, default=10.0,
                        help="seconds for the search")
    parser.add_argument("--arena", action="store_true",
                        help="also finds the least arenas before and after, by "
                             "the package tflite-micro")
    given = parser.parse_args(arguments)
    try:
        with open(given.model, "rb") as file:
            data = file.read()
        made = plan_model(data, time_limit=given.time_limit)
        if given.problem:
            _write(given.problem, json.dumps(problem_of(made.tensors)).encode())
        if given.html:
            _write(given.html, made.plan.html().encode())
        if given.output:
            _write(given.output, made.model)
        print(f"tensors   {sum(each != ONLINE for each in made.offsets)} of "
              f"{len(made.offsets)}\n"
              f"head      {made.plan.peak}, before {made.greedy}\n"
              f"bound     {made.plan.bound}\n"
              f"status    {made.plan.status}")
        if given.arena:
            if importlib.util.find_spec("tflite_micro") is None:
                raise Error("--arena needs the package tflite-micro")
            print(f"arena     {least_arena(made.model)}, before "
                  f"{least_arena(data)}")
    except (Error, OSError) as error:
        print(f"{given.model}: error: {error}", file=sys.stderr)
        return 1
    if given.output and len(_graphs(data)) > 1:
        print(f"{given.model}: note: older versions of TFLite Micro take the "
              "offsets of every subgraph from the begin of the list; check "
              "yours", file=sys.stderr)
    return 0


def _graphs(data: bytes) -> List[Table]:
    return root(data, b"TFL3").tables(_Model.GRAPHS)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
