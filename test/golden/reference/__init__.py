# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/math.md in plain loops.

An oracle that shares nothing with tamc: no vector library, no compiler, no
encoding beyond a list of (column, value) pairs. It is simple rather than fast.
If docs/math.md leaves a choice open, a comment that begins with "Choice:" has
the choice made and whether a golden number confirms it.

  formula     the formula's grammar and defaults        (section 1)
  data        groups, order, normalised inputs          (section 2)
  generator MT19937 and its distributions (section 3)
  maps        feature maps of one point, as functions   (section 3)
  penalties   penalty matrices                          (section 3)
  effects     what a term learns, maps and penalises    (section 3)
  estimate    the solver and the model                  (section 4)
  gcv         penalties chosen by GCV                   (section 4)
  inference   degrees of freedom, errors, intervals     (section 8)
"""

from .data import read_csv
from .estimate import Model, cholesky_solve
from .formula import parse
from .generator import Generator
from .inference import Inference

__all__ = ["Generator", "Inference", "Model", "cholesky_solve", "parse",
           "read_csv"]
