#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that Inductor compiles with pools of tam-plan: equal outputs, pools
that are not larger. Needs torch and a compiler of C++."""

import collections
import pathlib
import random
import sys
import unittest
import unittest.mock

import torch
from torch._inductor import config
from torch._inductor.codegen import memory_planning

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_executorch import Inception, Residual, UNet  # noqa: E402

import tam_plan  # noqa: E402
from tam_plan import inductor  # noqa: E402

Life = collections.namedtuple("Life", "begin end size output")


class Node:
    """As much of a buffer as the planner asks for."""

    def __init__(self, name):
        self.name = name

    def get_name(self):
        return self.name

    def get_layout(self):
        return unittest.mock.Mock(size=())

    def get_device(self):
        return torch.device("cpu")


def planner_of(lives):
    """A planner with groups of these lives."""
    planner = memory_planning.MemoryPlanner(None)
    planner.buffer_groups = []
    for index, life in enumerate(lives):
        group = memory_planning.BufferGroup(Node(f"b{index}"))
        group.live_range = memory_planning.LiveRange(life.begin, life.end)
        group.is_output = life.output

        def make(group=group, size=life.size):
            group.allocation = memory_planning.Allocation(
                group.node, group.live_range, size, size)

        group.make_allocation = make
        planner.buffer_groups.append(group)
    return planner


class Pools(unittest.TestCase):
    def check(self, planner):
        """No two allocations that are alive together share a byte."""
        placed = [group.allocation for group in planner.buffer_groups]
        for i, a in enumerate(placed):
            self.assertTrue(a.allocated)
            self.assertEqual(a.offset % 64, 0)
            self.assertLessEqual(a.offset + a.size_hint,
                                 a.pool.root.get_size_hint())
            for b in placed[:i]:
                self.assertTrue(
                    a.pool is not b.pool
                    or not a.get_live_ranges().overlaps(b.get_live_ranges())
                    or a.offset + a.size_hint <= b.offset
                    or b.offset + b.size_hint <= a.offset)

    def test_random_groups(self):
        numbers = random.Random(11)
        better = collections.Counter()
        for mode in ("intermediates", "combined", "outputs", "none"):
            for _ in range(60):
                lives = []
                for _ in range(numbers.randint(1, 14)):
                    begin = numbers.randint(1, 12)
                    output = numbers.random() < 0.2
                    lives.append(Life(
                        begin, 20 if output else begin + numbers.randint(1, 6),
                        64 * numbers.randint(1, 30), output))
                planner = planner_of(lives)
                with config.patch(memory_pool=mode), \
                        inductor.planning() as graphs:
                    planner.allocate_groups()
                self.check(planner)
                graph, = graphs
                self.assertLessEqual(graph.used, graph.stock)
                self.assertEqual(
                    inductor._pool_bytes(planner.pools), graph.used)
                better[mode] += graph.used < graph.stock
        self.assertGreater(better["intermediates"], 10)
        self.assertGreater(better["combined"], 10)
        self.assertEqual(better["outputs"] + better["none"], 0)

    def test_memory_of_outputs(self):
        """An intermediate lives in the memory of an output before it."""
        planner = planner_of([Life(1, 3, 640, False), Life(5, 9, 640, True)])
        with config.patch(memory_pool="intermediates"), \
                inductor.planning() as graphs:
            planner.allocate_groups()
        self.assertEqual(graphs[0].plans["cpu"].peak, 640)
        self.assertEqual(graphs[0].used, 640)

    def test_symbolic(self):
        import sympy
        planner = planner_of([Life(1, 3, 640, False)])
        make = planner.buffer_groups[0].make_allocation

        def symbolic():
            make()
            planner.buffer_groups[0].allocation.symbolic_size = \
                sympy.Symbol("s0") * 4

        planner.buffer_groups[0].make_allocation = symbolic
        with inductor.planning() as graphs:
            planner.allocate_groups()
        self.assertEqual(graphs[0].plans, {})

    def test_version_and_end(self):
        stock = memory_planning.MemoryPlanner.allocate_groups
        with unittest.mock.patch("importlib.metadata.version",
                                 return_value="2.3.1"), \
                self.assertRaisesRegex(tam_plan.Error,
                                       "expected torch 2.15, got 2.3.1"):
            with inductor.planning():
                self.fail("not reached")
        with self.assertRaises(KeyError), inductor.planning():
            raise KeyError
        self.assertIs(memory_planning.MemoryPlanner.allocate_groups, stock)

    def test_networks(self):
        torch.set_num_threads(1)
        for network, shape in ((Residual, (1, 3, 32, 32)),
                               (Inception, (1, 3, 32, 32)),
                               (UNet, (1, 3, 48, 48))):
            torch.manual_seed(0)
            model = network().eval()
            x = torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape)
            for mode in ("intermediates", "combined"):
                with self.subTest(f"{network.__name__} {mode}"), \
                        torch.no_grad(), config.patch(
                            memory_pool=mode, compile_threads=1,
                            fx_graph_cache=False, memory_planning=True):
                    torch._dynamo.reset()
                    expected = torch.compile(model)(x)
                    torch._dynamo.reset()
                    with inductor.planning() as graphs:
                        got = torch.compile(model)(x)
                    self.assertTrue(torch.equal(got, expected))
                    graph, = graphs
                    print(f"{network.__name__}, {mode}: Inductor "
                          f"{graph.stock}, used {graph.used}, tam-plan "
                          f"{graph.plans['cpu'].peak}, bound "
                          f"{graph.plans['cpu'].bound}", flush=True)
                    self.assertLessEqual(graph.used, graph.stock)

    def test_our_pools_in_code(self):
        """Our pools give equal outputs, also where Inductor's would be taken
        because they are as small."""
        real = inductor._pool_bytes
        torch.manual_seed(0)
        model = UNet().eval()
        x = torch.linspace(-1, 1, 3 * 48 * 48).reshape(1, 3, 48, 48)
        for mode in ("intermediates", "combined"):
            sizes = iter([1 << 40])
            with self.subTest(mode), torch.no_grad(), config.patch(
                    memory_pool=mode, compile_threads=1), \
                    unittest.mock.patch.object(
                        inductor, "_pool_bytes",
                        lambda pools: next(sizes, None) or real(pools)):
                torch._dynamo.reset()
                with inductor.planning() as graphs:
                    got = torch.compile(model)(x)
                self.assertEqual(graphs[0].used, graphs[0].plans["cpu"].peak)
                torch.testing.assert_close(got, model(x), rtol=1e-4,
                                           atol=1e-5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
