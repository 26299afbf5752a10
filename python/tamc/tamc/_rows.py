# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows that a command reads, and the code of a spec for them."""

from __future__ import annotations

import json
import warnings
from typing import Any, Mapping

import numpy as np

from . import _cache, _engine, _frames
from ._errors import Error, ModelWarning


def needed_by(about: dict[str, Any], fit: bool,
              weighted: bool = False) -> set[str]:
    """The columns that compiled code reads for a fit or a prediction, which is
    `weighted` if it reads row weights."""
    names = set(about["inputs"]) | {about["group"], about["date"]}
    if fit:
        names.add(about["target"])
    if fit or weighted:
        names.add(about["weights"])
    return names - {None}


def of_spec(spec: _cache.Spec, formula: str, data: Any, y: Any,
            sample_weight: Any, columns: set[str]
            ) -> tuple[_cache.Spec, _cache.Compiled, "_engine.Frame"]:
    """`spec`, of `formula`, with the levels of the rows of `data` in columns
    whose levels it does not have yet; its code; and the rows, with `columns`
    besides those of the model."""
    added = {}
    if y is not None:
        added[_target_of(formula)] = column_of(y)
    elif _frames.kind_of(data) == "numpy":
        raise Error("data: requires y to be passed, but the target y is None")
    if sample_weight is not None:
        added[spec.keys["weights"]] = sample_weight
    levels = _cache.open_levels(spec)
    if levels:
        known = _cache.levels_in(spec.profile)
        names = set(_frames.columns_of(data)) - set(known)
        counted = [name for name in levels if name in names]
        frame = _frames.read(data, counted)
        known.update({name: frame.distinct(name) for name in counted})
        spec = spec._replace(profile=_cache.profile_of(known))
    compiled = _cache.compiled_of(spec)
    needed = needed_by(compiled.about, fit=True) | columns
    return spec, compiled, _frames.read(data, needed, added)


def of_correction(fitted: _cache.Spec, settings: Mapping[str, Any],
                  data: Any, y: Any, sample_weight: Any
                  ) -> tuple[_cache.Compiled, "_engine.Frame"]:
    """The code of a model that was fitted and of the windows that correct it;
    and the rows."""
    if sample_weight is not None and "weights" not in fitted.keys:
        raise Error("expected no sample_weight: the model was fitted without "
                    "row weights")
    spec = fitted._replace(text=yaml_of(fitted.text, {"adapt": settings}),
                           is_formula=False)
    _, compiled, frame = of_spec(spec, fitted.text, data, y, sample_weight,
                                 set())
    return compiled, frame


def yaml_of(formula: str, keys: Mapping[str, Any]) -> str:
    """The text of a spec."""
    return "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False, default=_plain)}\n"
        for name, value in {"formula": formula, **keys}.items())


def plain(value: Any) -> Any:
    """A number or an array of NumPy as Python's own."""
    return (value.tolist() if isinstance(value, (np.generic, np.ndarray))
            else value)


def _plain(value: Any) -> Any:
    made = plain(value)
    if made is value:
        raise Error("expected numbers, texts or lists in a spec, got "
                    f"'{type(value).__name__}'")
    return made


def _target_of(formula: str) -> str:
    """The name of a formula's target; the compiler checks it."""
    return formula.partition("~")[0].strip().strip("`")


def column_of(values: Any) -> Any:
    """A target as one column."""
    if isinstance(values, (list, tuple)):
        return values
    if getattr(values, "ndim", 1) == 2 and values.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was "
                      "expected", _conversion_warning(), stacklevel=3)
        return np.asarray(values).reshape(-1)
    return values


def _conversion_warning() -> type[Warning]:
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return ModelWarning
    return DataConversionWarning
