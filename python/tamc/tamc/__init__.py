# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Additive models, compiled.

    from tamc import AdditiveModel

    model = AdditiveModel("load ~ s(temperature, k=20) + c(weekday)",
                          group="half_hour", date="date").fit(data)
    model.predict(new)

A formula is compiled to machine code in the process, without a compiler on the
machine; the code is kept in a cache folder. Data may be a dict of NumPy arrays,
a pandas frame, or anything else with the Arrow PyCapsule interface, such as
frames of polars and tables of pyarrow.
"""

from ._errors import CompileError, DataWarning, Error, ModelWarning
from ._model import AdditiveModel, load, release_memory
from ._version import __version__

__all__ = ["AdditiveModel", "CompileError", "DataWarning", "Error",
           "ModelWarning", "load", "release_memory", "__version__"]
