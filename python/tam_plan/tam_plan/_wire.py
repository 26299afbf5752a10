# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of the wire form of protocol buffers."""

from __future__ import annotations

import struct
from typing import Dict, List, Tuple, Union

from ._errors import ProblemError

#: By number of the field: whole numbers, or the bytes of texts and messages, in
#: the order of the file.
Message = Dict[int, List[Union[int, bytes]]]


def _varint(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    begin = at
    while True:
        if at >= len(data) or shift > 63:
            raise ProblemError(f"byte {begin} of a message: expected a number "
                               "that ends")
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def message(data: bytes) -> Message:
    """The fields of a message, one level deep."""
    found: Message = {}
    at = 0
    while at < len(data):
        begin = at
        key, at = _varint(data, at)
        number, form = key >> 3, key & 7
        value: Union[int, bytes]
        if form == 0:
            value, at = _varint(data, at)
        elif form in (1, 5):
            size = 8 if form == 1 else 4
            if at + size > len(data):
                raise ProblemError(f"byte {begin} of a message: expected {size} "
                                   f"bytes, got {len(data) - at}")
            value = struct.unpack_from("<Q" if form == 1 else "<I", data, at)[0]
            at += size
        elif form == 2:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ProblemError(f"byte {begin} of a message: expected {size} "
                                   f"bytes, got {len(data) - at}")
            value = data[at:at + size]
            at += size
        else:
            raise ProblemError(f"byte {begin} of a message: expected a field, "
                               f"got the kind {form}")
        if number == 0:
            raise ProblemError(f"byte {begin} of a message: expected the number "
                               "of a field, got 0")
        found.setdefault(number, []).append(value)
    return found


def numbers(fields: Message, number: int) -> List[int]:
    """All numbers of a repeated field, packed or not."""
    found = []
    for value in fields.get(number, []):
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = _varint(value, at)
            found.append(one)
    return found


def number(fields: Message, field: int) -> int:
    """A number; 0 if the message has none. The last one counts."""
    value = fields.get(field, [0])[-1]
    if not isinstance(value, int):
        raise ProblemError(f"field {field} of a message: expected a number")
    return value


def messages(fields: Message, field: int) -> List[Message]:
    return [message(each) for each in contents(fields, field)]


def contents(fields: Message, field: int) -> List[bytes]:
    found = []
    for value in fields.get(field, []):
        if not isinstance(value, bytes):
            raise ProblemError(f"field {field} of a message: expected bytes")
        found.append(value)
    return found


def text(fields: Message, field: int) -> str:
    found = contents(fields, field)
    return found[-1].decode("utf-8", "replace") if found else ""
