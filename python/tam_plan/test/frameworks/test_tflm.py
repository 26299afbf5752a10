#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLite Micro runs planned models: equal outputs, in an arena that is not
larger. Needs the package tflite-micro; TAM_PLAN_MODELS is a folder with .tflite
files of other packages."""

import os
import pathlib
import sys
import unittest

import flatbuffers
import numpy as np
from tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python import (
    schema_py_generated as schema)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402,F401
from tam_plan import tflm  # noqa: E402

FOLDER = pathlib.Path(os.environ["TAM_PLAN_MODELS"])
SINE = pathlib.Path(runtime.__file__).with_name("sine_float.tflite")
#: Bytes in which no model needs an older plan.
ROOMY = 1 << 25
#: Arenas in which the models with constants of float16 folded run with our plan
#: and not with the runtime's.
LANDMARKS = {"hand_landmark_full.tflite": 4186400,
             "pose_landmark_full.tflite": 9274880}


def interpreter(data, arena=ROOMY):
    return runtime.Interpreter.from_bytes(bytes(data), arena_size=arena)


def details(model):
    """Shapes and types of a model's inputs, and the number of its outputs."""
    graph = schema.Model.GetRootAsModel(bytearray(model), 0).Subgraphs(0)
    types = {0: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_,
             7: np.int16, 9: np.int8}
    inputs = [graph.Tensors(graph.Inputs(i)) for i in range(graph.InputsLength())]
    return ([(tuple(each.ShapeAsNumpy()) if each.ShapeLength() else (),
              types[each.Type()]) for each in inputs], graph.OutputsLength())


def outputs(model, arena=ROOMY, runs=3):
    """The outputs of some runs with equal inputs each time this is called;
    models with variables go on from run to run."""
    machine = interpreter(model, arena)
    inputs, count = details(model)
    random = np.random.default_rng(7)
    found = []
    for _ in range(runs):
        for index, (shape, kind) in enumerate(inputs):
            value = random.random(shape) if kind == np.float32 else \
                random.integers(0, 2 if kind == np.bool_ else 100, shape)
            machine.set_input(np.asarray(value).astype(kind), index)
        machine.invoke()
        found += [machine.get_output(i).copy() for i in range(count)]
    return found


def folded(data):
    """The model without DEQUANTIZE of constants of float16, which TFLite Micro
    does not run."""
    model = schema.ModelT.InitFromObj(
        schema.Model.GetRootAsModel(bytearray(data), 0))
    for graph in model.subgraphs:
        kept = []
        for operator in graph.operators:
            code = model.operatorCodes[operator.opcodeIndex]
            tensor = graph.tensors[operator.inputs[0]] \
                if len(operator.inputs) else None
            content = model.buffers[tensor.buffer].data \
                if tensor is not None else None
            if max(code.builtinCode, code.deprecatedBuiltinCode) == \
                    schema.BuiltinOperator.DEQUANTIZE and \
                    tensor.type == schema.TensorType.FLOAT16 and \
                    content is not None and len(content):
                constant = schema.BufferT()
                constant.data = np.asarray(content, np.uint8).view(
                    np.float16).astype(np.float32).view(np.uint8)
                model.buffers.append(constant)
                graph.tensors[operator.outputs[0]].buffer = \
                    len(model.buffers) - 1
            else:
                kept.append(operator)
        graph.operators = kept
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class Models(unittest.TestCase):
    def compare(self, data, arenas=True):
        made = tflm.plan_model(data)
        self.assertLessEqual(made.plan.peak, made.greedy)
        for got, expected in zip(outputs(made.model), outputs(data),
                                 strict=True):
            np.testing.assert_array_equal(got, expected)
        if arenas:
            before, after = map(tflm.least_arena, (data, made.model))
            print(f"head {made.greedy} -> {made.plan.peak}, "
                  f"arena {before} -> {after}", flush=True)
            self.assertLessEqual(after, before)
        # Planned again, the file has one plan.
        self.assertEqual(tflm.plan_model(made.model).model, made.model)
        return made

    def test_packages(self):
        files = [SINE, *sorted(FOLDER.rglob("*.tflite"))]
        self.assertGreater(len(files), 20)
        run = []
        for file in files:
            data = file.read_bytes()
            try:
                interpreter(data)
            except RuntimeError:
                continue
            with self.subTest(file.name):
                print(file.name, end=": ", flush=True)
                self.compare(data)
                run.append(file.name)
        for name in ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu",
                     "hand_recrop", "face_landmark",
                     "sine_float"):
            self.assertIn(name + ".tflite", run)

    def test_landmarks(self):
        for name, arena in LANDMARKS.items():
            with self.subTest(name):
                data = folded(next(FOLDER.rglob(name)).read_bytes())
                made = self.compare(data, arenas=False)
                with self.assertRaises(RuntimeError):
                    interpreter(data, arena)
                for got, expected in zip(outputs(made.model, arena, 1),
                                         outputs(data, ROOMY, 1), strict=True):
                    np.testing.assert_array_equal(got, expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
