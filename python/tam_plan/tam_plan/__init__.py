# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans the memory of buffers with known live ranges.

    >>> from tam_plan import plan
    >>> plan([("x", 0, 3, 40), ("y", 2, 5, 30), ("z", 4, 6, 50)]).peak
    80

`plan` takes buffers, a problem in the tool's JSON form, or the path of a file.
"""

from ._errors import DoesNotFit, Error, ProblemError
from ._plan import Buffer, Plan, Problem, Space, plan
from ._program import program

__all__ = ["Buffer", "DoesNotFit", "Error", "Plan", "Problem", "ProblemError",
           "Space", "plan", "program"]
