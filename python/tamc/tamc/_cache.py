# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models, kept in the user's cache folder.

A file of the cache is a shared library followed by its SHA-256. It is read,
checked and loaded from memory, so a file that was cut off or changed is compiled
again. Files appear whole, by renaming, so processes do not disturb each other.

Modules that only a compilation needs are imported there: most of the time that
it takes to load a model from the cache is that of imports.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple

from . import _engine
from ._errors import CompileError, Error
from ._version import __version__


class Spec(NamedTuple):
    """What is compiled: a formula, or the text of a spec."""

    text: str
    is_formula: bool = True
    keys: Mapping[str, str] = MappingProxyType({})
    #: CSV of the columns whose levels are counted.
    profile: str = ""

    def digest(self) -> str:
        """A key of the cache: the spec, the package and the machine."""
        content = [self.text, self.is_formula, dict(sorted(self.keys.items())),
                   self.profile, machine(), _build()]
        text = json.dumps(content, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@functools.cache
def machine() -> str:
    """The machines that compiled code runs on."""
    return f"{platform.machine()}-{_engine.cpu_level()}"


@functools.cache
def _build() -> str:
    """Names this build of the package."""
    parts = [__version__]
    for name in ("_engine", "_compiler"):
        info = os.stat(_extension(name))
        parts.append(f"{info.st_size}.{info.st_mtime_ns}")
    return "-".join(parts)


def _extension(name: str) -> str:
    folder = os.path.dirname(_engine.__file__)
    suffix = os.path.basename(_engine.__file__).partition(".")[2]
    return os.path.join(folder, f"{name}.{suffix}")


def folder() -> str | None:
    """The cache folder, which is made if need be: `TAMC_CACHE`, else tamc in
    the user's cache folder. None if there is none that is the user's own and
    can be written."""
    path = os.environ.get("TAMC_CACHE")
    if path is None:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(
            "~/.cache")
        path = os.path.join(base, "tamc")
    if not path:
        return None
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        info = os.stat(path)
    except OSError:
        return None
    if info.st_uid != os.geteuid() or info.st_mode & 0o022:
        return None
    return path


def _read(path: str) -> bytes | None:
    """The contents of a file of the cache; None if it is not whole."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    body, digest = content[:-32], content[-32:]
    return body if hashlib.sha256(body).digest() == digest else None


def _write(path: str, body: bytes) -> None:
    """Writes a file of the cache; a failure costs the next process time."""
    import tempfile

    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body + hashlib.sha256(body).digest())
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            pass


def _compiler() -> Any:
    try:
        from . import _compiler as compiler
    except ImportError as error:
        raise Error(f"cannot load the compiler: {error}") from None
    return compiler


def open_levels(spec: Spec) -> list[str]:
    """The columns of which the spec needs the number of levels."""
    cache = folder()
    path = cache and os.path.join(cache, spec.digest() + ".levels")
    if path:
        body = _read(path)
        if body is not None:
            return json.loads(body)
    compiler = _compiler()
    try:
        columns = compiler.open_levels(spec.text, spec.is_formula,
                                       dict(spec.keys))
    except ValueError as error:
        raise CompileError(str(error)) from None
    if path:
        _write(path, json.dumps(columns).encode())
    return columns


def profile_of(columns: Mapping[str, list[str]]) -> str:
    """Distinct values of columns as the CSV file that the compiler counts."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    longest = max((len(values) for values in columns.values()), default=0)
    for row in range(longest):
        writer.writerow([values[row] if row < len(values) else
                         (values[0] if values else "")
                         for values in columns.values()])
    return out.getvalue()


def levels_in(profile: str) -> dict[str, list[str]]:
    """The columns and distinct values of what `profile_of` made."""
    if not profile:
        return {}
    import csv
    import io

    header, *rows = csv.reader(io.StringIO(profile))
    return {name: list(dict.fromkeys(row[i] for row in rows if row[i]))
            for i, name in enumerate(header)}


class Compiled(NamedTuple):
    """A compiled model that is loaded."""

    library: bytes
    code: Any
    #: What the code says about itself.
    about: dict[str, Any]


#: The models that this process has used last, by what `_key` says.
_loaded: dict[Any, Compiled] = {}
_MOST_LOADED = 16


def _key(spec: Spec) -> tuple[str, str | None, tuple[int, ...] | None]:
    """The spec, its file in the cache and that file's state."""
    cache, digest = folder(), spec.digest()
    path = cache and os.path.join(cache, digest + ".so")
    try:
        info = os.stat(path) if path else None
    except OSError:
        info = None
    return digest, path, info and (info.st_ino, info.st_size, info.st_mtime_ns)


def compiled_of(spec: Spec) -> Compiled:
    """The loaded code of a spec: that of an earlier call, unless the file of
    the cache has changed since then."""
    found = _loaded.get(_key(spec))
    if found is None:
        library = library_of(spec)
        code = _engine.Code.parse(library)
        found = Compiled(library, code, code.describe())
        if len(_loaded) >= _MOST_LOADED:
            _loaded.clear()
        _loaded[_key(spec)] = found
    return found


def library_of(spec: Spec,
               on_phases: Callable[[dict[str, float]], None] | None = None
               ) -> bytes:
    """The shared library of a spec, from the cache or compiled."""
    cache = folder()
    path = cache and os.path.join(cache, spec.digest() + ".so")
    if path:
        body = _read(path)
        if body is not None:
            return body
    import tempfile

    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix="tamc-") as place:
        output = os.path.join(place, "model.so")
        try:
            phases = compiler.compile(spec.text, spec.is_formula,
                                      dict(spec.keys), spec.profile, "native",
                                      _engine.__file__, output)
        except ValueError as error:
            raise CompileError(str(error)) from None
        except RuntimeError as error:
            raise Error(str(error)) from None
        with open(output, "rb") as file:
            body = file.read()
    if on_phases:
        on_phases(phases)
    if path:
        _write(path, body)
    return body
