# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions and warnings."""

from __future__ import annotations

import warnings

#: From `tell` and `tell_rows` to the line that called a public method, which
#: called a private one.
_CALLER = 4


class Error(ValueError):
    """An error of data, weights or a run. The text is that of the executable,
    with the place: "data: row 7: column 'load': expected a finite value"."""


class CompileError(Error):
    """An error of a formula or a spec, with the place in its text."""


class ModelWarning(UserWarning):
    """A warning of a fit or a prediction."""


class DataWarning(ModelWarning):
    """What is to be known of the rows of a prediction: values beyond the
    training range, levels that the fit did not have, equal dates, no target, no
    column of row weights. The text is that of the executable's notes."""


def tell(notes: list[tuple[str, str]]) -> list[str]:
    """Gives the warnings among what a run noted; the text of each note."""
    for kind, text in notes:
        if kind == "warning":
            warnings.warn(text, ModelWarning, stacklevel=_CALLER)
    return [text for _, text in notes]


def tell_rows(notes: list[tuple[str, str]], drops: bool) -> None:
    """Warns once of what a run noted about new rows."""
    texts = [text for kind, text in notes if kind == "note"]
    # The first counts the dropped rows, which the user asked for.
    texts = texts[1 if drops else 0:]
    if texts:
        warnings.warn("; ".join(texts), DataWarning, stacklevel=_CALLER)
