# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of fitted models: spec, weights and compiled code.

    bytes                contents
    0 to 7               "tamcmod1"
    8 to 15              length n of the header, little-endian
    16 to 15 + n         header, JSON: format, tamc_version, machine, spec,
                         parameters, and names and lengths of the parts
    then                 the parts, one after another: weights, code
    the last 32          SHA-256 of all bytes before

A file whose digest is wrong is refused. Code runs on the kind of machine that
the header names, with the version of tamc that wrote it; otherwise the spec is
compiled again.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

from ._errors import Error

_MAGIC = b"tamcmod1"


def pack(header: dict[str, Any], parts: dict[str, bytes]) -> bytes:
    """The contents of a file."""
    header = dict(header, format="tamc model", version=1,
                  parts=[[name, len(part)] for name, part in parts.items()])
    text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
    body = _MAGIC + struct.pack("<Q", len(text)) + text
    body += b"".join(parts.values())
    return body + hashlib.sha256(body).digest()


def unpack(content: bytes, name: str) -> tuple[dict[str, Any],
                                               dict[str, bytes]]:
    """Header and parts; an error if the file is not one of `pack`, or not the
    same any more."""
    if content[:8] != _MAGIC:
        raise Error(f"{name}: expected a model that tamc saved")
    body, digest = content[:-32], content[-32:]
    if len(body) < 16 or hashlib.sha256(body).digest() != digest:
        raise Error(f"{name}: expected a model as it was saved, but its digest "
                    "is another: the file was changed or cut off")
    length, = struct.unpack("<Q", body[8:16])
    header = json.loads(body[16:16 + length])
    parts = {}
    at = 16 + length
    for part, size in header["parts"]:
        parts[part] = body[at:at + size]
        at += size
    return header, parts
