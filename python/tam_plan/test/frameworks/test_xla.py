#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems of programs that XLA compiles: its own plan is correct for each, and
ours needs no more. Needs jax."""

import os
import pathlib
import sys
import tempfile
import unittest

FOLDER = tempfile.TemporaryDirectory(prefix="tam-plan-xla-")
os.environ["XLA_FLAGS"] = \
    f"--xla_dump_to={FOLDER.name} --xla_dump_hlo_as_proto"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402,F401
import tam_plan  # noqa: E402
from tam_plan import _wire, xla  # noqa: E402


@jax.jit
def transformer(x, weights):
    def normal(x):
        return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(
            x.var(-1, keepdims=True) + 1e-5)

    for _ in range(2):
        q, k, v = (part.reshape(48, 4, 16).transpose(1, 0, 2) for part in
                   jnp.split(normal(x) @ weights[0], 3, -1))
        a = jax.nn.softmax(q @ k.transpose(0, 2, 1) / 4.0, -1)
        x = x + (a @ v).transpose(1, 0, 2).reshape(48, 64) @ weights[1]
        x = x + jax.nn.gelu(normal(x) @ weights[2]) @ weights[3]
    return x


@jax.jit
def loops(x, w):
    def step(c, _):
        c = jnp.tanh(c @ w) + (c * c).sum(0)
        return c, (c @ w.T).mean()

    c, means = jax.lax.scan(step, x, None, length=7)
    return jax.lax.cond(means.sum() > 0,
                        lambda c: jnp.sort(c @ c.T, 0) @ c,
                        lambda c: c * 2 + (c @ w), c)


@jax.jit
def gradient(x, w):
    def loss(w):
        y = x
        for each in w:
            y = jax.nn.relu(y @ each)
        return (y * y).mean()

    return jax.grad(loss)(w)


def offsets(data, index):
    assignment, = _wire.messages(_wire.message(data), 3)
    return {_wire.number(each, 1): _wire.number(each, 2)
            for allocation in _wire.messages(assignment, 3)
            if _wire.number(allocation, 1) == index
            for each in _wire.messages(allocation, 9)}


class Programs(unittest.TestCase):
    def test_programs(self):
        shapes = ((64, 192), (64, 64), (64, 256), (256, 64))
        transformer(jnp.ones((48, 64)), [jnp.ones(each) for each in shapes])
        loops(jnp.ones((40, 40)), jnp.ones((40, 40)))
        gradient(jnp.ones((30, 50)), [jnp.ones((50, 50)) for _ in range(5)])
        found = {}
        for file in pathlib.Path(FOLDER.name).glob("*after_opt*.hlo.pb"):
            data = file.read_bytes()
            for heap in xla.read(data):
                with self.subTest(file.name):
                    made = tam_plan.plan(heap.problem)
                    print(f"{file.name}: {len(made.offsets)} buffers, XLA "
                          f"{heap.bytes}, tam-plan {made.peak}, bound "
                          f"{made.bound}", flush=True)
                    self.assertLessEqual(made.peak, heap.bytes)
                    theirs = offsets(data, heap.index)
                    pinned = tam_plan.plan({"buffers": [
                        each | {"pin": theirs[int(each["name"].split()[0])]}
                        for each in heap.problem["buffers"]]})
                    self.assertEqual(pinned.peak, heap.bytes)
                    found[file.name.split(".")[1]] = len(made.offsets)
        self.assertGreater(found["jit_transformer"], 30)
        self.assertGreater(found["jit_loops"], 5)
        self.assertGreater(found["jit_gradient"], 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
