# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data in, frames out.

`read` makes the columns that a model reads available to the runtime, without a
copy where the types allow; `frame_like` and `series_like` make results of the
kind that came in.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from typing import Any, Collection, Sequence

import numpy as np

from . import _engine
from ._errors import Error

_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class File:
    """A file of Parquet or of Arrow's IPC format, which is also that of
    Feather; pyarrow reads it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.format = file_format(path)
        if self.format is None:
            raise Error(f"{path}: expected a file of Parquet, Arrow or Feather")
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise Error(f"{path}: expected pyarrow, which reads {self.format}, "
                        "to be installed") from None
        self.names = self._open(lambda file: [
            str(name) for name in (file.schema_arrow
                                   if self.format == "Parquet"
                                   else file.schema).names])

    def read(self, columns: Collection[str]) -> Any:
        """A table of those of the columns that the file has."""
        wanted = [name for name in self.names if name in columns]
        for name in wanted:
            if wanted.count(name) > 1:
                raise Error(f"{self.path}: expected one column '{name}', got "
                            f"{wanted.count(name)}")
        return self._open(lambda file: (
            file.read(columns=wanted) if self.format == "Parquet"
            else file.read_all().select(wanted)))

    def _open(self, use: Any) -> Any:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet

        try:
            if self.format == "Parquet":
                with pyarrow.parquet.ParquetFile(self.path) as file:
                    return use(file)
            return use(pyarrow.ipc.open_file(pyarrow.memory_map(self.path)))
        except (OSError, ValueError, MemoryError,
                pyarrow.ArrowException) as error:
            raise Error(f"{self.path}: {error}") from None


def file_format(path: str) -> str | None:
    """The format of a file by its first bytes: Parquet, Arrow, or None."""
    try:
        with open(path, "rb") as file:
            start = file.read(6)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
    return ("Parquet" if start.startswith(b"PAR1")
            else "Arrow" if start == b"ARROW1" else None)


def opened(data: Any) -> Any:
    """`data`, or the file of which it is the path."""
    return (File(os.fspath(data)) if isinstance(data, (str, os.PathLike))
            else data)


def column_of(data: Any, name: str) -> np.ndarray:
    """One column of numbers."""
    return numbers_of(data.read([name])[name] if isinstance(data, File)
                      else data[name])


def numbers_of(values: Any) -> np.ndarray:
    """Numbers as doubles, NaN for those that are masked."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    return np.asarray(values, dtype=np.float64)


def kind_of(data: Any) -> str:
    """The kind of `data`: dict, pandas, polars, pyarrow, arrow, numpy or
    file."""
    if isinstance(data, File):
        return "file"
    if isinstance(data, Mapping):
        return "dict"
    for each in type(data).__mro__:
        root = each.__module__.partition(".")[0]
        if root in ("pandas", "polars", "pyarrow"):
            return root
    if hasattr(data, "__arrow_c_stream__"):
        return "arrow"
    if hasattr(data, "toarray"):
        raise TypeError("data: sparse input is not supported; toarray() makes "
                        "it dense")
    if isinstance(data, np.ndarray) or hasattr(data, "__array__") or (
            isinstance(data, list)):
        return "numpy"
    raise Error("data: expected a dict of arrays, a frame of pandas, polars or "
                "pyarrow, or an object with the Arrow PyCapsule interface, got "
                f"'{type(data).__name__}'")


def columns_of(data: Any) -> list[str]:
    """The names of the columns."""
    kind = kind_of(data)
    if kind == "dict":
        names = list(data)
    elif kind == "file":
        names = data.names
    elif kind == "pyarrow":
        names = list(data.schema.names)
    elif kind == "numpy":
        names = [f"x{i}" for i in range(matrix_of(data).shape[1])]
    elif kind == "pandas":
        names = names_of_pandas(data)
    elif kind == "polars":
        names = list(data.columns)
    else:
        names = _engine.arrow_names(data.__arrow_c_stream__())
    return [str(name) for name in names]


def names_of_pandas(data: Any) -> list[str]:
    """The names of the columns; x0, x1 and so on if they are numbers."""
    keys = list(data.columns)
    if not any(isinstance(name, str) for name in keys):
        return [f"x{i}" for i in range(len(keys))]
    return [str(name) for name in keys]


def matrix_of(data: Any) -> np.ndarray:
    """An array of two dimensions, whose columns are called x0, x1 and so
    on."""
    matrix = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    if matrix.ndim != 2:
        raise Error(f"data: expected an array of two dimensions, got "
                    f"{matrix.ndim}. Reshape your data: a column is "
                    "array.reshape(-1, 1), a row array.reshape(1, -1)")
    if matrix.shape[1] == 0:
        raise Error(f"data: 0 feature(s) (shape={matrix.shape}) while a "
                    "minimum of 1 is required.")
    if matrix.dtype.kind == "c":
        raise Error("data: Complex data not supported: expected real numbers")
    return matrix


def read(data: Any, needed: Collection[str],
         more: Mapping[str, Any] | None = None) -> "_engine.Frame":
    """The rows of `data` and the columns `more`. Columns that are not `needed`
    are not read."""
    kind = kind_of(data)
    frame = _engine.Frame(data.path if kind == "file" else "data")
    more = dict(more or {})
    try:
        if kind == "file":
            data = data.read(set(needed) - set(more))
            kind = "pyarrow"
        if kind in ("polars", "pyarrow", "arrow"):
            wanted = set(needed) - set(more)
            frame.add_arrow(data.__arrow_c_stream__(), wanted)
            for name, values in more.items():
                _add(frame, name, values)
            return frame
        if kind == "numpy":
            matrix = matrix_of(data)
            data = {f"x{i}": matrix[:, i] for i in range(matrix.shape[1])}
        names = (names_of_pandas(data) if kind == "pandas"
                 else [str(name) for name in data])
        # By name, which is much faster than by number.
        has_names = kind == "pandas" and data.columns.is_unique
        for i, (name, key) in enumerate(zip(names, data)):
            if name in more:
                continue
            if name not in needed:
                frame.add_unread(name)
            elif kind == "pandas":
                _add_pandas(frame, name,
                            data[key] if has_names and isinstance(key, str)
                            else data.iloc[:, i])
            else:
                _add(frame, name, data[key])
        for name, values in more.items():
            _add(frame, name, values)
    except (TypeError, ValueError) as error:
        raise Error(_placed(str(error))) from None
    return frame


def _placed(message: str) -> str:
    return message if message.startswith("data: ") else f"data: {message}"


def _add(frame: "_engine.Frame", name: str, values: Any) -> None:
    """Adds a column from an array or what NumPy makes one from."""
    if type(values).__module__.startswith("pandas"):
        import pandas

        # An array or an index lacks some of the methods of a series.
        _add_pandas(frame, name, pandas.Series(values))
        return
    missing = None
    if isinstance(values, np.ma.MaskedArray):
        missing, values = np.ma.getmaskarray(values), values.data
    if isinstance(values, (list, tuple)) and not all(
            isinstance(value, (bool, int, float, np.number, np.bool_))
            for value in values):
        _add_objects(frame, name, values)
        return
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column '{name}': expected one dimension, got "
                         f"{array.ndim}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64 if array.dtype.itemsize > 4
                             else np.float32)
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "M" and missing is not None:
        array = np.where(missing, np.datetime64("NaT"), array)
        missing = None
    if array.dtype.kind in "fiub":
        _add_numbers(frame, name, array, missing)
    elif missing is not None and missing.any():
        texts = array.astype(object)
        texts[missing] = None
        frame.add_texts(name, texts.tolist())
    elif array.dtype.kind == "M":
        unit = np.datetime_data(array.dtype)
        if unit[0] not in _TICKS or unit[1] != 1:
            array = array.astype("datetime64[us]" if unit[0] in _TICKS
                                 else "datetime64[s]")
            unit = np.datetime_data(array.dtype)
        frame.add_times(name, array.view(np.int64), _TICKS[unit[0]], False)
    elif array.dtype.kind in "UO" or array.dtype.kind == "T":
        _add_objects(frame, name, array.tolist())
    else:
        raise TypeError(f"column '{name}': expected numbers, texts or dates, "
                        f"got an array of {array.dtype}")


def _add_objects(frame: "_engine.Frame", name: str,
                 values: Sequence[Any]) -> None:
    """Adds texts, or what has a text. Times become a column of times, in which
    equal ones are the same level as in any other."""
    if isinstance(next((value for value in values if not _lacks(value)), None),
                  datetime.datetime):
        missing = [_lacks(value) for value in values]
        times = [value for value, lacks in zip(values, missing) if not lacks]
        zoned = {value.tzinfo is not None
                 if isinstance(value, datetime.datetime) else None
                 for value in times}
        if None not in zoned and len(zoned) == 1:
            _add_times(frame, name, times, np.array(missing), True in zoned)
            return
    frame.add_texts(name, values)


def _lacks(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or (isinstance(value, (float, datetime.datetime))
                             and value != value)


def _add_times(frame: "_engine.Frame", name: str, times: list[Any],
               missing: np.ndarray, zoned: bool) -> None:
    """Adds times of Python or pandas between those that are missing."""
    rows = np.flatnonzero(~missing)
    parts = [getattr(time, "nanosecond", 0) for time in times]
    if zoned:
        times = [_in_utc(time) for time in times]
    found = np.array(times, "datetime64[us]")
    unit = "us"
    # Only those of pandas have nanoseconds.
    if any(parts):
        years = found.astype("datetime64[Y]").astype(np.int64) + 1970
        beyond = (years < 1678) | (years > 2261)
        if beyond.any():
            raise ValueError(f"column '{name}': row {rows[beyond][0]}: "
                             "expected a time in the years 1678 to 2261, as "
                             "others have nanoseconds, got "
                             f"'{found[beyond][0]}'")
        unit = "ns"
        found = (found.astype("datetime64[ns]")
                 + np.array(parts, "timedelta64[ns]"))
    array = np.full(len(missing), np.datetime64("NaT"), f"datetime64[{unit}]")
    array[rows] = found
    frame.add_times(name, array.view(np.int64), _TICKS[unit], zoned)


def _in_utc(time: Any) -> Any:
    """A time with a zone as one of UTC without."""
    try:
        return time.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    except OverflowError:
        # The years of NumPy go on beyond those of Python.
        return (np.datetime64(time.replace(tzinfo=None), "us")
                - np.timedelta64(time.utcoffset(), "us"))


def _add_numbers(frame: "_engine.Frame", name: str, array: np.ndarray,
                 missing: np.ndarray | None) -> None:
    """Adds numbers or truth values."""
    valid = (None if missing is None or not missing.any()
             else np.packbits(~missing, bitorder="little"))
    frame.add_numbers(name, array, valid)


def _add_pandas(frame: "_engine.Frame", name: str, series: Any) -> None:
    """Adds a column of pandas."""
    kind = type(series.dtype).__name__
    if kind == "CategoricalDtype" and _has_times(series.cat.categories):
        _add_pandas(frame, name, series.astype(series.cat.categories.dtype))
    elif kind == "CategoricalDtype":
        codes = np.ascontiguousarray(series.cat.codes.to_numpy())
        frame.add_categories(name, codes, series.cat.categories.tolist())
    elif kind == "DatetimeTZDtype":
        utc = series.dt.tz_convert("UTC").dt.tz_localize(None)
        array = np.ascontiguousarray(utc.to_numpy())
        unit = np.datetime_data(array.dtype)[0]
        frame.add_times(name, array.view(np.int64), _TICKS[unit], True)
    elif kind == "ArrowDtype" and _becomes_double(series.dtype.pyarrow_dtype):
        _add(frame, name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    elif kind == "ArrowDtype":
        _add_pandas(frame, name, series.array.__arrow_array__().to_pandas(
            types_mapper=_nullable().get))
    elif kind in ("StringDtype", "PeriodDtype") or series.dtype.kind == "O":
        _add_objects(frame, name, _objects(series))
    elif isinstance(series.dtype, np.dtype):
        _add(frame, name, series.to_numpy())
    elif hasattr(series.dtype, "numpy_dtype"):
        # Nullable numbers and truth values.
        array = series.to_numpy(dtype=series.dtype.numpy_dtype, na_value=0)
        _add_numbers(frame, name, np.ascontiguousarray(array),
                     series.isna().to_numpy())
    else:
        _add(frame, name, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _has_times(index: Any) -> bool:
    """Whether the values of an index of pandas are times."""
    return (type(index.dtype).__name__ == "DatetimeTZDtype"
            or index.dtype.kind == "M")


def _becomes_double(kind: Any) -> bool:
    """Whether the numbers of a type of Arrow are read as doubles."""
    import pyarrow

    return pyarrow.types.is_decimal(kind) or pyarrow.types.is_duration(kind)


def _nullable() -> dict[Any, Any]:
    """Types of Arrow that are numbers or truth values, and those of pandas
    that keep what they are beside missing ones."""
    import pandas
    import pyarrow

    signed = {pyarrow.from_numpy_dtype(name.lower()): pandas.api.types.
              pandas_dtype(name) for name in (
                  "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16",
                  "UInt32", "UInt64")}
    return {**signed, pyarrow.bool_(): pandas.BooleanDtype()}


def _objects(series: Any) -> list[Any]:
    """The values; None if one is missing."""
    return series.astype(object).where(series.notna(), None).tolist()


def frame_like(kind: str, columns: dict[str, Any], data: Any = None) -> Any:
    """Columns as a frame of `kind`, with the index of `data`, of pandas."""
    if kind == "pandas":
        import pandas

        index = None if data is None else data.index
        return pandas.DataFrame(columns, index=index)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    return columns


def series_like(kind: str, values: np.ndarray, name: str, data: Any) -> Any:
    """One column as what `kind` calls a series; else the array."""
    if kind == "pandas":
        import pandas

        return pandas.Series(values, index=data.index, name=name)
    if kind == "polars":
        import polars

        return polars.Series(name, values)
    return values
