# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions and warnings."""


class Error(ValueError):
    """An error of data, weights or a run. The text is that of the executable,
    with the place: "data: row 7: column 'load': expected a finite value"."""


class CompileError(Error):
    """An error of a formula or a spec, with the place in its text."""


class ModelWarning(UserWarning):
    """A warning of a fit or a prediction."""
