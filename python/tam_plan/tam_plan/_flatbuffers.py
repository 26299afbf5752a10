# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of FlatBuffers, which checks every offset, and parts of a writer."""

from __future__ import annotations

import struct
from typing import List, Optional, Union

from ._errors import ProblemError

Bytes = Union[bytes, bytearray, memoryview]


class Damaged(ProblemError):
    """A file that is no FlatBuffer of the expected kind."""

    __module__ = "tam_plan"


def read(data: Bytes, form: str, at: int) -> int:
    size = struct.calcsize(form)
    if at < 0 or at + size > len(data):
        raise Damaged(f"byte {at}: expected {size} bytes, the file has "
                      f"{len(data)}")
    value: int = struct.unpack_from("<" + form, data, at)[0]
    return value


class Table:
    """A table at a position. Fields are known by number."""

    def __init__(self, data: Bytes, at: int) -> None:
        self.data = data
        self.at = at
        self.vtable = at - read(data, "i", at)
        size = read(data, "H", self.vtable)
        if size < 4 or size % 2 or self.vtable + size > len(data):
            raise Damaged(f"byte {self.vtable}: expected the fields of a "
                          f"table, got {size} bytes of them")
        self.fields = size // 2 - 2

    def place(self, field: int) -> int:
        """The position of a field; 0 if the table has none."""
        if field >= self.fields:
            return 0
        offset = read(self.data, "H", self.vtable + 4 + 2 * field)
        return self.at + offset if offset else 0

    def number(self, field: int, form: str, default: int = 0) -> int:
        at = self.place(field)
        return read(self.data, form, at) if at else default

    def target(self, field: int) -> int:
        """What an offset points to; 0 if there is none."""
        at = self.place(field)
        if not at:
            return 0
        found = at + read(self.data, "I", at)
        if found >= len(self.data):
            raise Damaged(f"byte {at}: expected an offset to one of "
                          f"{len(self.data)} bytes, got one to {found}")
        return found

    def table(self, field: int) -> Optional[Table]:
        at = self.target(field)
        return Table(self.data, at) if at else None

    def vector(self, field: int, size: int) -> range:
        """The positions of a vector's elements, `size` bytes each."""
        at = self.target(field)
        if not at:
            return range(0)
        count = read(self.data, "I", at)
        if at + 4 + count * size > len(self.data):
            raise Damaged(f"byte {at}: expected {count} elements of {size} "
                          f"bytes, the file has {len(self.data)} bytes")
        return range(at + 4, at + 4 + count * size, size)

    def numbers(self, field: int) -> List[int]:
        """A vector of int32."""
        return [read(self.data, "i", at) for at in self.vector(field, 4)]

    def tables(self, field: int) -> List[Table]:
        return [Table(self.data, at + read(self.data, "I", at))
                for at in self.vector(field, 4)]

    def text(self, field: int) -> str:
        places = self.vector(field, 1)
        return bytes(self.data[places.start:places.stop]).decode(
            "utf-8", "replace")


def root(data: Bytes, identifier: bytes) -> Table:
    if bytes(data[4:8]) != identifier:
        raise Damaged(f"byte 4: expected {identifier.decode()!r}, got "
                      f"{bytes(data[4:8])!r}")
    return Table(data, read(data, "I", 0))


class Front:
    """Bytes in front of a FlatBuffer, whose objects they may point to: offsets
    only go forward, so the old objects stay as they are."""

    def __init__(self) -> None:
        self.data = bytearray()

    def align(self, alignment: int) -> int:
        while len(self.data) % alignment:
            self.data.append(0)
        return len(self.data)

    def numbers(self, form: str, *values: int) -> int:
        """Appends numbers, and returns their position."""
        at = self.align(struct.calcsize("<" + form[-1]))
        self.data += struct.pack("<" + form, *values)
        return at

    def table(self, fields: int) -> int:
        """Appends a table whose fields have 4 bytes each, as zeros."""
        vtable = self.numbers(f"{fields + 2}H", 4 + 2 * fields,
                              4 + 4 * fields,
                              *(4 + 4 * i for i in range(fields)))
        at = self.align(4)
        self.numbers("i", at - vtable)
        self.numbers(f"{fields}I", *([0] * fields))
        return at

    def put(self, at: int, value: int) -> None:
        struct.pack_into("<I", self.data, at, value)

    def point(self, at: int, target: int) -> None:
        """Lets the offset at `at` point to `target`."""
        self.put(at, target - at)
