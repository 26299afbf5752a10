# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of XLA's programs, of JAX and others.

    XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_proto" python program.py
    python -m tam_plan xla DIR/module_0001.jit_f.cpu_after_optimizations.hlo.pb

The file is an HloProto. Its traces of XLA's heap simulator say when each buffer
is allocated and freed, and which buffers share the memory of another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Sequence

from . import _reader, _wire
from ._errors import ProblemError

_ALLOCATE, _FREE, _SHARE = range(3)


@dataclass
class Heap:
    """An allocation whose contents XLA's heap simulator placed."""

    #: Its index in XLA's list of allocations.
    index: int
    #: The end of the highest of the buffers in XLA's own plan. The allocation
    #: may be larger: XLA appends others that its heap simulator does not see.
    bytes: int
    #: In the form of the tool. Buffers that share memory are one buffer, which
    #: has a gap while none of them is allocated.
    problem: Dict[str, Any]


@dataclass
class _Group:
    """Buffers that share memory."""

    name: str
    size: int
    holders: int = 0
    live: List[List[int]] = field(default_factory=list)

    def open(self, time: int, size: int) -> None:
        if not self.holders:
            self.live.append([time, time])
        self.holders += 1
        self.size = max(self.size, size)

    def close(self, time: int) -> None:
        self.holders -= 1
        self.live[-1][1] = time


def read(data: bytes, alignment: int = 64) -> List[Heap]:
    """The heaps of an HloProto. XLA aligns buffers to 64 bytes on CPUs, and to
    256 on GPUs; the file does not say."""
    assignment = _wire.messages(_wire.message(data), 3)
    if not assignment:
        raise ProblemError("expected an HloProto with a buffer assignment, as "
                           "XLA writes it after optimizations")
    fields = assignment[-1]
    names = _names(_wire.message(data))
    buffers = {}
    for buffer in _wire.messages(fields, 1):
        place = _wire.messages(buffer, 3)
        number = _wire.number(buffer, 1)
        where = place[-1] if place else {}
        name = _wire.text(where, 2) or names.get(_wire.number(where, 4), "")
        shape = "".join(f"{{{each}}}" for each in _wire.numbers(where, 3))
        buffers[number] = (f"{number} {name}{shape}".rstrip(),
                           _wire.number(buffer, 2))
    # A trace has the index that its allocation had before XLA sorted them; the
    # buffers say which it is.
    holder = {}
    for allocation in _wire.messages(fields, 3):
        for assigned in _wire.messages(allocation, 9):
            holder[_wire.number(assigned, 1)] = (
                _wire.number(allocation, 1),
                _wire.number(assigned, 2) + _wire.number(assigned, 3))
    heaps = []
    for number, trace in enumerate(_wire.messages(fields, 4)):
        events = _wire.messages(trace, 1)
        found = [holder[each] for each in
                 (_wire.number(event, 2) for event in events) if each in holder]
        indices = {index for index, _ in found}
        if len(indices) != 1:
            raise ProblemError(f"trace {number}: expected buffers of one "
                               f"allocation, got {len(indices)}")
        index = indices.pop()
        heaps.append(Heap(index, max(end for _, end in found), {
            "name": f"allocation {index}",
            "buffers": _replay(events, buffers, alignment)}))
    return heaps


def _names(proto: _wire.Message) -> Dict[int, str]:
    """Names of instructions by id."""
    return {_wire.number(instruction, 35): _wire.text(instruction, 1)
            for module in _wire.messages(proto, 1)
            for computation in _wire.messages(module, 3)
            for instruction in _wire.messages(computation, 2)}


def _replay(events: Sequence[_wire.Message], buffers: Dict[int, Any],
            alignment: int) -> List[Dict[str, Any]]:
    """Buffers with their lives; an event is a moment. A buffer can share memory
    of one that is freed before: an operand's, whose place it takes, or that of a
    loop's state."""
    groups: Dict[int, _Group] = {}
    held = set()
    made: List[_Group] = []
    for time, event in enumerate(events):
        kind, number = _wire.number(event, 1), _wire.number(event, 2)
        if kind in (_ALLOCATE, _SHARE):
            if number not in buffers:
                raise ProblemError(f"event {time}: buffer {number} is not in "
                                   "the list of buffers")
            if number in groups:
                raise ProblemError(f"event {time}: buffer {number} is allocated "
                                   "twice")
            name, size = buffers[number]
            held.add(number)
        if kind == _ALLOCATE:
            groups[number] = _Group(name, size)
            groups[number].open(time, size)
            made.append(groups[number])
        elif kind == _SHARE:
            other = _wire.number(event, 5)
            if other not in groups:
                raise ProblemError(f"event {time}: buffer {number} shares buffer "
                                   f"{other}, which was not allocated")
            groups[number] = groups[other]
            groups[number].open(time, size)
        elif kind == _FREE:
            if number not in held:
                raise ProblemError(f"event {time}: buffer {number} is freed, but "
                                   "not allocated")
            held.remove(number)
            groups[number].close(time)
        else:
            raise ProblemError(f"event {time}: expected a kind from 0 to 2, got "
                               f"{kind}")
    for group in made:
        if group.holders:
            group.live[-1][1] = len(events)
    return [{"name": group.name, "size": group.size, "alignment": alignment,
             "live": group.live} for group in made]


def main(arguments: Sequence[str]) -> int:
    return _reader.main(
        "xla", "Reads the memory problems of an HloProto of XLA.", arguments,
        lambda data, alignment: [
            _reader.Source(f"allocation {heap.index}", heap.problem, heap.bytes)
            for heap in read(data, alignment)], 64)
