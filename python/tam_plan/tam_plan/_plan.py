# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems in, plans out."""

from __future__ import annotations

import html
import json
import operator
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import (Any, Dict, Iterable, List, Mapping, Optional, Tuple,
                    Union)

from . import _program
from ._errors import DoesNotFit, Error, ProblemError

#: A buffer: a mapping with the members of the JSON form, or a tuple
#: (name, lower, upper, size).
Buffer = Union[Mapping[str, Any], Tuple[str, int, int, int]]
#: A problem: the path of a CSV or JSON file, the JSON form as a mapping, or
#: buffers.
Problem = Union[str, "os.PathLike[str]", Mapping[str, Any], Iterable[Buffer]]


@dataclass(frozen=True)
class Space:
    """The use of one memory: the end of its highest byte in use, and a number
    that no plan is below."""

    peak: int
    bound: int


@dataclass(frozen=True)
class Plan:
    """A plan, with all that the tool says of it."""

    #: By name of the buffer, in the order of the problem. Bytes from the begin
    #: of the space.
    offsets: Dict[str, int]
    #: 'optimal', 'feasible', 'infeasible', 'timed out' or 'not found'.
    status: str
    #: What found it.
    strategy: str
    #: Sum of the peaks of the spaces, and of their bounds.
    peak: int
    bound: int
    #: By name of the space; the one without a name is ''.
    spaces: Dict[str, Space]
    #: The space of each buffer.
    space_of: Dict[str, str]
    #: Why there is no better plan; empty if it is optimal.
    reason: str
    #: With a choice of spaces: the sum of the costs, and a number that no plan
    #: within the capacities is below.
    cost: Optional[int]
    cost_bound: Optional[int]
    #: The JSON form of the problem with the plan.
    data: Mapping[str, Any] = field(repr=False)
    _options: Tuple[str, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> float:
        """The relative distance of the peak from the bound."""
        return (self.peak - self.bound) / self.bound if self.bound else 0.0

    def html(self) -> str:
        """A page of the plan, to look around in: one file that refers to
        nothing else. What exceeds the capacities is drawn, too."""
        if len(self.offsets) < len(self.data["buffers"]):
            raise Error(f"expected offsets to draw, got none: {self.reason}")
        with tempfile.TemporaryDirectory(prefix="tam-plan-") as folder:
            path = os.path.join(folder, "plan.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.data, file)
            done = _program.run([path, "--check", path, "--emit=html",
                                 *self._options])
        fits = self.status in ("optimal", "feasible")
        if done.returncode != (0 if fits else 2):
            raise Error(done.stderr.strip())
        return done.stdout

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        return (f'<iframe srcdoc="{page}" width="100%" height="600" '
                'style="border: none"></iframe>')


def plan(problem: Problem, *, strategy: str = "auto", alignment: int = 1,
         capacity: Union[None, int, Mapping[str, int]] = None,
         time_limit: Optional[float] = None, threads: int = 0, seed: int = 1,
         nodes: int = 0, objective: str = "cost", choose: str = "search",
         evict: bool = False, reuse: str = "program", schedule: str = "given",
         bind: Optional[Mapping[str, int]] = None) -> Plan:
    """Plans where the buffers of a problem lie.

    The options are those of the tool (`tam-plan --help`); `time_limit` is in
    seconds. Raises ProblemError for a problem or an option that is not what was
    expected, and DoesNotFit if no plan was found within the capacities."""
    checked = ["--alignment", str(operator.index(alignment)),
               "--objective", objective, "--reuse", reuse]
    options = ["--strategy", strategy, "--threads", str(threads), "--seed",
               str(seed), "--nodes", str(nodes), "--choose", choose,
               "--schedule", schedule]
    if isinstance(capacity, Mapping):
        options += ["--capacity", ",".join(
            f"{name}={operator.index(size)}"
            for name, size in capacity.items())]
    elif capacity is not None:
        options += ["--capacity", str(operator.index(capacity))]
    if time_limit is not None:
        options += ["--time-limit", repr(float(time_limit))]
    if evict:
        options.append("--evict")
    for name, value in (bind or {}).items():
        checked += ["--bind", f"{name}={operator.index(value)}"]
    if isinstance(problem, (str, os.PathLike)):
        name, text = os.fspath(problem), None
        if name == "-" or name.startswith("-"):
            name = os.path.join(".", name)
    else:
        name, text = "-", _text(problem)
    done = _program.run([name, "--emit=json", *checked, *options], text)
    message = re.sub(r"^-(:\d+)*: error: ", "", done.stderr.strip())
    if done.returncode == 1:
        raise ProblemError(message)
    made = _read(json.loads(done.stdout), tuple(checked))
    if done.returncode == 2:
        raise DoesNotFit(message, made)
    return made


def _text(problem: Union[Mapping[str, Any], Iterable[Buffer]]) -> str:
    """The JSON form."""
    if not isinstance(problem, Mapping):
        problem = {"buffers": [_buffer(each) for each in problem]}
    return json.dumps(problem, default=_plain)


def _buffer(given: Buffer) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    try:
        name, lower, upper, size = given
    except (TypeError, ValueError):
        raise ProblemError(
            "expected a buffer as a mapping or as (name, lower, upper, size), "
            f"got {given!r}") from None
    return {"name": name if isinstance(name, str) else str(name),
            "lower": lower, "upper": upper, "size": size}


def _plain(value: Any) -> Any:
    """Numbers of NumPy, mappings and sequences of other kinds."""
    if isinstance(value, Mapping):
        return dict(value)
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        return list(value)
    except TypeError:
        raise ProblemError(f"expected what JSON can express, got {value!r}"
                           ) from None


def _read(data: Mapping[str, Any], options: Tuple[str, ...]) -> Plan:
    about = data["plan"]
    peaks = {each["space"]: each["bytes"] for each in about.get("peak", [])}
    bounds = {each["space"]: each["bytes"] for each in about.get("bound", [])}
    buffers: List[Mapping[str, Any]] = data["buffers"]
    first = data["spaces"][0]["name"]
    return Plan(
        offsets={each["name"]: each["offset"] for each in buffers
                 if "offset" in each},
        status=about["status"], strategy=about["strategy"],
        peak=sum(peaks.values()), bound=sum(bounds.values()),
        spaces={name: Space(peak, bounds.get(name, 0))
                for name, peak in peaks.items()},
        space_of={each["name"]: each.get("space", first) for each in buffers},
        reason=about.get("reason", ""), cost=about.get("cost"),
        cost_bound=about.get("cost_bound"), data=data, _options=options)
