# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of programs for ExecuTorch.

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from tam_plan.executorch import algorithm

    program = edge.to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(
            memory_planning_algo=algorithm())))

A graph is planned with all its memories. ExecuTorch's greedy algorithm plans it,
too, and the smaller plan is taken."""

from __future__ import annotations

import importlib.metadata
import itertools
from typing import Any, Dict, List, Sequence, Tuple

from executorch.exir.memory_planning import (
    MemoryAlgoResult, MemoryPlanningAlgorithmSuite, SpecAllocResult, Verifier,
    greedy)

from ._errors import Error
from ._plan import Plan, plan

#: What the tests run with.
VERSIONS = ("1.5",)


class algorithm(MemoryPlanningAlgorithmSuite):  # type: ignore[misc]
    """An algorithm for `MemoryPlanningPass`. `options` are those of
    `tam_plan.plan`; the search has ten seconds for each graph.

    `plans` has a plan of the tool for each graph that was planned, those of
    submodules first. Their peaks do not count what submodules need below."""

    def __init__(self, check_version: bool = True, **options: Any) -> None:
        version = importlib.metadata.version("executorch")
        if check_version and ".".join(version.split(".")[:2]) not in VERSIONS:
            raise Error(f"expected executorch {' or '.join(VERSIONS)}, got "
                        f"{version}; check_version=False tries it")
        self.plans: List[Plan] = []
        self.options = {"time_limit": 10.0, **options}
        super().__init__([self._tam_plan, greedy])

    def __call__(self, alignment: int, specs: Any, *more: Any) -> List[int]:
        sizes: List[int] = super().__call__(alignment, specs, *more)
        _verify(list(specs))
        return sizes

    def _tam_plan(self, alignment: int, specs: Any, graph_module: Any,
                  graph_signature: Any, extra_padding: int = 0) -> Any:
        if not specs:
            return MemoryAlgoResult({}, [0, 0])
        roots = []
        for spec in specs:
            spec.realign(alignment)
            if spec.storage_base is None:
                roots.append(spec)
        made = plan(_problem(roots, alignment), **self.options)
        self.plans.append(made)
        # What submodules use lies below, for all time: their results stay there
        # when they have ended.
        below = list(getattr(graph_module, "input_mem_buffer_sizes", None)
                     or [])
        below = [-(-size // alignment) * alignment for size in below]
        placed: Dict[Any, Tuple[int, int]] = {}
        for index, spec in enumerate(roots):
            memory = _memory(spec)
            base = below[memory] if memory < len(below) else 0
            placed[spec] = (memory, base + made.offsets[str(index)])
        _place_views(specs, placed)
        sizes = [0] * max(2, 1 + max(map(_memory, specs)))
        for memory in range(len(sizes)):
            ends = [at + spec.allocated_memory
                    for spec, (where, at) in placed.items() if where == memory]
            if ends:
                sizes[memory] = max(ends) + extra_padding
        return MemoryAlgoResult(_results(placed), sizes)


def _memory(spec: Any) -> int:
    return 1 if spec.mem_id is None else int(spec.mem_id)


def _problem(specs: Sequence[Any], alignment: int) -> Dict[str, Any]:
    """The problem in the form of the tool: a space for each memory. Lives have
    inclusive ends."""
    buffers = []
    for index, spec in enumerate(specs):
        first, last = spec.lifetime
        if first is None or last is None:
            raise Error(f"expected a tensor with a life, got {spec}")
        buffers.append({
            "name": str(index), "size": spec.allocated_memory,
            "alignment": alignment, "lower": first, "upper": last + 1,
            "space": f"memory {_memory(spec)}"})
    return {"spaces": [{"name": name} for name in
                       sorted({each["space"] for each in buffers})],
            "buffers": buffers}


def _place_views(specs: Any, placed: Dict[Any, Tuple[int, int]]) -> None:
    """A view lies in its base, which may be a view."""
    rest = [spec for spec in specs if spec.storage_base is not None]
    while rest:
        later = []
        for spec in rest:
            base = spec.storage_base
            if base not in placed:
                later.append(spec)
                continue
            memory, at = placed[base]
            offset = spec.storage_base_offset
            if not 0 <= offset <= base.allocated_memory - spec.allocated_memory:
                raise Error(f"expected a view inside of its base, got {spec}")
            if (at + offset) % spec.alignment:
                raise Error(f"expected a view at a multiple of "
                            f"{spec.alignment}, got {spec}")
            placed[spec] = (memory, at + offset)
        if len(later) == len(rest):
            raise Error("expected the base of each view among the tensors of "
                        "its graph")
        rest = later


def _results(placed: Dict[Any, Tuple[int, int]]) -> Dict[Any, Any]:
    """The Verifier wants one object for all tensors that share bytes: the
    objects are the stretches of addresses without a hole."""
    results = {}
    number, end, memory = -1, -1, -1
    for spec, (where, at) in sorted(
            placed.items(), key=lambda each: (
                each[1], -each[0].allocated_memory)):
        if where != memory or at >= end:
            number, end, memory = number + 1, at, where
        results[spec] = SpecAllocResult(where, number, at)
        end = max(end, at + spec.allocated_memory)
    return results


def _verify(specs: Sequence[Any]) -> None:
    """The rules of ExecuTorch's Verifier, which its pass applies to its own
    algorithm only."""
    for one, other in itertools.combinations(specs, 2):
        if not Verifier.storage_overlap(one, other):
            continue
        if Verifier.lifetime_overlap(one, other) and \
                other not in Verifier._storage_root_chain(one) and \
                one not in Verifier._storage_root_chain(other):
            raise Error(f"{one} and {other} share bytes")
        if not Verifier.mem_obj_id_match(one, other):
            raise Error(f"{one} and {other} share bytes of two objects")
