# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions. Their text is that of the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._plan import Plan


class Error(Exception):
    """An error of this package. The text begins with the place, if the problem
    came from a file."""

    __module__ = "tam_plan"


class ProblemError(Error, ValueError):
    """The problem, an option or a file is not what was expected."""

    __module__ = "tam_plan"


class DoesNotFit(Error):
    """No plan fits the capacities, or none was found; `plan` is what the search
    ended with. Its status is 'infeasible' if there is a proof."""

    __module__ = "tam_plan"

    def __init__(self, text: str, plan: Plan) -> None:
        super().__init__(text)
        self.plan = plan
