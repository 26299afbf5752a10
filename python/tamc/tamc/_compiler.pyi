# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles specs of additive models; use the package tamc."""

from typing import Mapping

version: str
llvm_version: str

def open_levels(arg0: str, arg1: bool, arg2: Mapping[str, str], /
                ) -> list[str]: ...
def compile(arg0: str, arg1: bool, arg2: Mapping[str, str], arg3: str,
            arg4: str, arg5: str, arg6: str, /) -> dict[str, float]: ...
