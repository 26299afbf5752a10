#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that ExecuTorch exports with plans of tam-plan: its Verifier accepts
them, and they run with equal outputs. Needs torch and executorch."""

import pathlib
import sys
import unittest
import unittest.mock

import torch
from executorch.exir import (EdgeCompileConfig, ExecutorchBackendConfig,
                             to_edge)
from executorch.exir.memory_planning import (
    MemoryPlanningAlgorithmSuite, Verifier, greedy)
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402,F401
import tam_plan  # noqa: E402
from tam_plan.executorch import _problem, algorithm  # noqa: E402


def convolution(inputs, outputs, size=3, stride=1):
    return nn.Conv2d(inputs, outputs, size, stride, size // 2)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = convolution(3, 16)
        widths = [16, 16, 32, 32, 64, 64, 128]
        self.blocks = nn.ModuleList(nn.ModuleList([
            convolution(a, b, stride=1 + i % 2), convolution(b, b),
            convolution(a, b, 1, 1 + i % 2)])
            for i, (a, b) in enumerate(zip(widths, widths[1:])))
        self.last = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.first(x))
        for one, two, skip in self.blocks:
            x = F.relu(two(F.relu(one(x))) + skip(x))
        return self.last(x.mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.layers = nn.ModuleList(nn.ModuleDict({
            "n1": nn.LayerNorm(width), "n2": nn.LayerNorm(width),
            "f1": nn.Linear(width, 4 * width),
            "f2": nn.Linear(4 * width, width),
            **{name: nn.Linear(width, width) for name in "qkvo"}})
            for _ in range(2))

    def forward(self, x):
        batch, time, width = x.shape
        for layer in self.layers:
            y = layer["n1"](x)
            q, k, v = (layer[n](y).view(
                batch, time, self.heads, width // self.heads).transpose(1, 2)
                for n in "qkv")
            a = torch.softmax(q @ k.transpose(-1, -2) / 4.0, -1)
            x = x + layer["o"]((a @ v).transpose(1, 2).reshape(
                batch, time, width))
            x = x + layer["f2"](F.gelu(layer["f1"](layer["n2"](x))))
        return x


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = convolution(3, 8)
        self.blocks = nn.ModuleList()
        width = 8
        for a, b, c, d in ((6, 10, 14, 22), (9, 5, 17, 11), (13, 7, 3, 19)):
            self.blocks.append(nn.ModuleList([
                convolution(width, a, 1), convolution(width, b),
                nn.Sequential(convolution(width, 5, 1), nn.ReLU(),
                              convolution(5, c, 5)),
                nn.Sequential(convolution(width, 9, 1), nn.Sigmoid(),
                              convolution(9, d))]))
            width = a + b + c + d

    def forward(self, x):
        x = F.relu(self.first(x))
        for block in self.blocks:
            x = F.max_pool2d(torch.cat([F.relu(m(x)) for m in block], 1), 2)
        return x


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [3, 8, 12, 20, 36]
        self.down = nn.ModuleList(convolution(a, b) for a, b in
                                  zip(widths, widths[1:]))
        self.up = nn.ModuleList(convolution(widths[i] + widths[i + 1],
                                            widths[i]) for i in (3, 2, 1))
        self.last = convolution(8, 2, 1)

    def forward(self, x):
        skips = []
        for i, layer in enumerate(self.down):
            x = F.relu(layer(x))
            skips.append(x)
            if i < 3:
                x = F.max_pool2d(x, 2)
        for i, layer in enumerate(self.up):
            x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = F.relu(layer(torch.cat([x, skips[2 - i]], 1)))
        return self.last(x)


class Conditional(nn.Module):
    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda a: (a * 2 + 1).relu() + a.sin(),
                       lambda a: a.cos() * a.exp(), (x,))
        return y + x


def perceptron():
    return nn.Sequential(nn.Linear(32, 200), nn.ReLU(), nn.Linear(200, 120),
                         nn.ReLU(), nn.Linear(120, 7))


#: Network, shape of its input, bytes of ExecuTorch's greedy, bytes of ours.
NETWORKS = {
    "residual": (Residual, (1, 3, 32, 32), 262144, 196608),
    "transformer": (Transformer, (1, 48, 64), 176128, 139264),
    "inception": (Inception, (1, 3, 32, 32), 442368, 425984),
    "U-net": (UNet, (1, 3, 48, 48), 368640, 368640),
    "perceptron": (perceptron, (4, 32), 101120, 101120),
    "conditional": (Conditional, (16, 16), 6144, 6144)}


class Memories(MemoryPlanningPass):
    """Puts every third tensor into a second memory."""

    def run(self, graph_module, graph_signature=None):
        self._set_alloc_node_spec(graph_module)
        for index, node in enumerate(graph_module.graph.nodes):
            spec = node.meta.get("spec")
            if node.op == "call_function" and index % 3 == 0 and \
                    hasattr(spec, "mem_id"):
                spec.mem_id = 2
        with unittest.mock.patch.object(self, "_set_alloc_node_spec"):
            return super().run(graph_module, graph_signature)


class Networks(unittest.TestCase):
    def lower(self, network, inputs, method, planning=MemoryPlanningPass):
        torch.manual_seed(0)
        program = to_edge(
            torch.export.export(network().eval(), inputs),
            compile_config=EdgeCompileConfig(_check_ir_validity=False))
        return program.to_executorch(ExecutorchBackendConfig(
            memory_planning_pass=planning(memory_planning_algo=method)))

    def sizes(self, program):
        return program.executorch_program.execution_plan[
            0].non_const_buffer_sizes

    def verify(self, program):
        """ExecuTorch's own check of the plan of the graph."""
        exported = program.exported_program()
        Verifier(exported.graph_module, True, True, True,
                 exported.graph_signature).verify_storage_reuse()

    def outputs(self, program, inputs):
        method = Runtime.get().load_program(program.buffer).load_method(
            "forward")
        return [each.clone() for each in method.execute(list(inputs))]

    def compare(self, network, shape, **options):
        inputs = (torch.linspace(-1, 1.5, torch.Size(shape).numel()
                                 ).reshape(shape),)
        ours = algorithm()
        theirs = MemoryPlanningAlgorithmSuite([greedy])
        planned = self.lower(network, inputs, ours, **options)
        before = self.lower(network, inputs, theirs, **options)
        self.verify(planned)
        for got, expected in zip(self.outputs(planned, inputs),
                                 self.outputs(before, inputs), strict=True):
            self.assertTrue(torch.equal(got, expected))
        torch.manual_seed(0)
        torch.testing.assert_close(self.outputs(planned, inputs)[0],
                                   network().eval()(*inputs),
                                   rtol=1e-3, atol=1e-4)
        self.assertLessEqual(sum(self.sizes(planned)),
                             sum(self.sizes(before)))
        for plan in ours.plans:
            self.assertEqual(plan.status, "optimal")
        return self.sizes(before), self.sizes(planned), ours.plans

    def test_networks(self):
        for name, (network, shape, greedy_bytes, bytes) in NETWORKS.items():
            with self.subTest(name):
                before, after, plans = self.compare(network, shape)
                print(f"{name}: greedy {before}, tam-plan {after}, bounds "
                      f"{[plan.bound for plan in plans]}", flush=True)
                self.assertEqual((sum(before), sum(after)),
                                 (greedy_bytes, bytes))

    def test_two_memories(self):
        for name in ("residual", "inception", "conditional"):
            with self.subTest(name):
                network, shape, _, _ = NETWORKS[name]
                before, after, plans = self.compare(network, shape,
                                                    planning=Memories)
                self.assertEqual(len(after), 3)
                self.assertGreater(after[2], 0)
                self.assertIn("memory 2", plans[-1].spaces)

    def test_planted_fault(self):
        """A plan that lets tensors share bytes does not pass."""
        network, shape, _, _ = NETWORKS["residual"]

        def wrong(problem, **options):
            made = tam_plan.plan(problem, **options)
            for name in made.offsets:
                made.offsets[name] = 0
            return made

        with unittest.mock.patch("tam_plan.executorch.plan", wrong), \
                self.assertRaisesRegex(Exception, "share bytes"):
            self.lower(network, (torch.ones(shape),), algorithm())

    def test_views(self):
        """A tensor that a node writes into its operand's storage."""
        from executorch.exir.tensor import TensorSpec
        from tam_plan.executorch import _place_views
        base, view, inner = (
            TensorSpec(torch.float32, torch.Size([n])) for n in (64, 32, 16))
        for spec, over, offset in ((view, base, 128), (inner, view, 64)):
            spec.storage_base, spec.storage_base_offset = over, offset
        for spec in (base, view, inner):
            spec.realign(16)
        placed = {base: (1, 256)}
        _place_views([inner, view, base], placed)
        self.assertEqual(placed[inner], (1, 256 + 128 + 64))
        view.storage_base_offset = 144
        with self.assertRaisesRegex(tam_plan.Error, "inside of its base"):
            _place_views([view], {base: (1, 0)})
        view.storage_base_offset = 8
        with self.assertRaisesRegex(tam_plan.Error, "at a multiple of 16"):
            _place_views([view], {base: (1, 0)})
        with self.assertRaisesRegex(tam_plan.Error, "the base of each view"):
            _place_views([view], {})

    def test_version(self):
        with unittest.mock.patch("importlib.metadata.version",
                                 return_value="0.9.1"):
            with self.assertRaisesRegex(tam_plan.Error,
                                        "expected executorch 1.5, got 0.9.1"):
                algorithm()
            algorithm(check_version=False)

    def test_life_is_needed(self):
        from executorch.exir.tensor import TensorSpec
        spec = TensorSpec(torch.float32, torch.Size([4]))
        with self.assertRaisesRegex(tam_plan.Error, "a tensor with a life"):
            _problem([spec], 16)


if __name__ == "__main__":
    unittest.main(verbosity=2)
