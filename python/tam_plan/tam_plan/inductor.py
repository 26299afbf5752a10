# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory pools of PyTorch's Inductor, planned by tam-plan.

    from tam_plan.inductor import planning

    with planning():
        compiled = torch.compile(model)
        compiled(x)

Inductor's own planner plans each graph first; our plan is used if its pools are
smaller. Sizes must be numbers: a graph with symbolic sizes keeps Inductor's
plan, and so do the modes 'none' and 'outputs' of `config.memory_pool`."""

from __future__ import annotations

import contextlib
import importlib.metadata
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from torch._inductor import config
from torch._inductor.codegen import memory_planning
from torch._inductor.utils import ALIGN_BYTES

from ._errors import Error
from ._plan import Plan, plan

#: What the tests run with.
VERSIONS = ("2.15",)


@dataclass
class Graph:
    """A graph that was planned: the bytes of Inductor's pools and of those that
    are used, and the plans of the tool by device."""

    stock: int
    used: int
    plans: Dict[str, Plan]


class _Root(memory_planning.AllocationTreeNode):  # type: ignore[misc]
    """The contents of a pool: allocations whose offsets are known."""

    def __init__(self, allocations: List[Any], offsets: List[int]) -> None:
        self.allocations = allocations
        self.offsets = offsets

    def get_live_ranges(self) -> Any:
        return memory_planning.LiveRanges(
            [each.live_range for each in self.allocations])

    def get_size_hint(self) -> int:
        return max(at + int(each.size_hint) for each, at in
                   zip(self.allocations, self.offsets))

    def get_symbolic_size(self) -> int:
        return self.get_size_hint()

    def finalize(self, pool: Any, offset: int) -> _Root:
        for each, at in zip(self.allocations, self.offsets):
            each.finalize(pool, offset + at)
        return self


@contextlib.contextmanager
def planning(check_version: bool = True, **options: Any
             ) -> Iterator[List[Graph]]:
    """Plans the pools of what Inductor compiles inside of the block. `options`
    are those of `tam_plan.plan`; the search has ten seconds for each graph.
    Yields a list that gets an entry for each graph. The cache of compiled graphs
    does not know of plans, so it is off inside."""
    version = importlib.metadata.version("torch")
    if check_version and ".".join(version.split(".")[:2]) not in VERSIONS:
        raise Error(f"expected torch {' or '.join(VERSIONS)}, got {version}; "
                    "check_version=False tries it")
    graphs: List[Graph] = []
    given = {"time_limit": 10.0, **options}
    planner = memory_planning.MemoryPlanner
    stock = planner.allocate_groups

    def allocate_groups(self: Any) -> None:
        stock(self)
        graphs.append(_improve(self, given))

    planner.allocate_groups = allocate_groups
    try:
        with config.patch(memory_planning=True, fx_graph_cache=False):
            yield graphs
    finally:
        planner.allocate_groups = stock


def _pool_bytes(pools: Any) -> int:
    return sum(int(pool.root.get_size_hint())
               for each in pools.device_to_pools.values() for pool in each)


def _size(group: Any) -> Optional[int]:
    """The bytes of a group; None if they are not known."""
    allocation = group.allocation
    size = allocation.get_symbolic_size()
    if allocation.get_earliest_available() is not None or not (
            isinstance(size, int) or getattr(size, "is_number", False)):
        return None
    return int(size)


def _improve(planner: Any, options: Dict[str, Any]) -> Graph:
    before = _pool_bytes(planner.pools)
    graph = Graph(before, before, {})
    groups = planner.buffer_groups
    sizes = [_size(group) for group in groups]
    if None in sizes or config.memory_pool not in ("intermediates",
                                                   "combined"):
        return graph
    one_pool = config.memory_pool == "combined"
    devices: Dict[Any, List[int]] = {}
    for index, group in enumerate(groups):
        devices.setdefault(group.allocation.device, []).append(index)
    layout: Dict[Any, List[List[Tuple[int, int]]]] = {}
    used = 0
    for device, indices in devices.items():
        made = plan(_problem(groups, sizes, indices, one_pool),
                    objective="peak", **options)
        graph.plans[str(device)] = made
        pools: Dict[str, List[Tuple[int, int]]] = {}
        for index in indices:
            name = str(index)
            pools.setdefault(made.space_of[name], []).append(
                (index, made.offsets[name]))
        # In the order of Inductor: output by output, then the rest.
        layout[device] = list(pools.values())
        used += sum(max(at + (sizes[index] or 0) for index, at in pool)
                    for pool in pools.values())
    if used < before:
        _use(planner, layout)
        graph.used = _pool_bytes(planner.pools)
    return graph


def _problem(groups: Any, sizes: List[Optional[int]], indices: List[int],
             one_pool: bool) -> Dict[str, Any]:
    """The problem in the form of the tool. An output that has a pool of its own
    is a memory of its size, in which others may live before it."""
    outputs = [index for index in indices
               if groups[index].is_output and not one_pool and sizes[index]]
    spaces: List[Dict[str, Any]] = [
        {"name": f"output {index}", "capacity": sizes[index]}
        for index in outputs] + [{"name": "pool"}]
    buffers = []
    for index in indices:
        life = groups[index].allocation.live_range
        buffer: Dict[str, Any] = {
            "name": str(index), "size": sizes[index], "alignment": ALIGN_BYTES,
            "lower": life.begin, "upper": max(life.end, life.begin + 1)}
        if index in outputs:
            buffer.update(space=f"output {index}", pin=0)
        elif outputs:
            buffer["spaces"] = {"pool": 0, **{
                f"output {each}": 0 for each in outputs
                if (sizes[each] or 0) >= (sizes[index] or 0)}}
        else:
            buffer["space"] = "pool"
        buffers.append(buffer)
    return {"spaces": spaces, "buffers": buffers}


def _use(planner: Any, layout: Dict[Any, List[List[Tuple[int, int]]]]) -> None:
    """Replaces the pools of a planner."""
    planner.pools = memory_planning.AllocationPools()
    for group in planner.buffer_groups:
        group.allocation = None
        group.make_allocation()
    for device, pools in layout.items():
        for pool in pools:
            allocations = [planner.buffer_groups[index].allocation
                           for index, _ in pool]
            for each in allocations:
                each.mark_allocated()
            planner.pools.device_to_pools.setdefault(device, []).append(
                memory_planning.AllocationPool(
                    device, _Root(allocations, [at for _, at in pool]),
                    can_expand=False))
    planner.pools.finalize()
