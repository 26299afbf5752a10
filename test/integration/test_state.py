# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key `state`: a fit neither draws nor learns tables that the spec
gives."""

import json
import os
import struct

import small
from small import harness

TERMS = ("n(a, others='b', n_neurons=7, n_hidden_layers=2)",
         "rbf(a, others='b', n_centers=5)", "w(c)",
         "t(b, others='c', n_trees=3, max_depth=2, sp_alpha=1)",
         "t(c, n_trees=2, max_leaves=4)", "lt(b, max_depth=2)",
         "te(n(a, n_neurons=3), rbf(c, n_centers=2))")
FORMULA = "y ~ " + " + ".join(TERMS)
TRAIN = harness.DATA / "effects" / "train_G2.csv"
OTHER = harness.DATA / "effects" / "test_G2.csv"


class State(harness.TestCase):
    def tensors(self, path, prefix=""):
        """The tensors whose names begin so: {rest: (description, bytes)}."""
        content = path.read_bytes()
        size, = struct.unpack_from("<Q", content)
        result = {}
        for name, entry in json.loads(content[8:8 + size]).items():
            if name.startswith(prefix) and name != "__metadata__":
                first, last = entry["data_offsets"]
                result[name.removeprefix(prefix)] = (
                    (entry["dtype"], entry["shape"]),
                    content[8 + size + first:8 + size + last])
        return result

    def write(self, path, tensors):
        """A safetensors file of the result of `tensors`."""
        header, data = {}, b""
        for name, ((dtype, shape), content) in tensors.items():
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets":
                            [len(data), len(data) + len(content)]}
            data += content
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)

    def numbers(self, tables):
        """{effect: {table: numbers}} as the YAML has it."""
        state = {}
        for name, ((dtype, _), content) in tables.items():
            effect, table = name.split(".", 1)
            state.setdefault(effect, {})[table] = list(struct.unpack(
                f"<{len(content) // (8 if dtype == 'F64' else 4)}"
                f"{'d' if dtype == 'F64' else 'i'}", content))
        return state

    def test_weights_are_a_state(self):
        first = self.compile(FORMULA, name="first", **small.KEYS)
        weights = self.fit(first, TRAIN, weights="first.safetensors")
        tables = self.tensors(weights, "tables.")
        self.assertEqual(len(tables), 18)
        again = self.compile(FORMULA, name="again", state=weights.name,
                             **small.KEYS)
        fitted = self.fit(again, TRAIN, weights="again.safetensors")
        # All results of the fits have the same bits.
        self.assertEqual(self.tensors(fitted), self.tensors(weights))
        # Other rows do not change the tables; without a state they do.
        fitted = self.fit(again, OTHER, weights="other.safetensors")
        self.assertEqual(self.tensors(fitted, "tables."), tables)
        fitted = self.fit(first, OTHER, weights="free.safetensors")
        self.assertNotEqual(self.tensors(fitted, "tables."), tables)
        # The state is part of the model.
        run = self.run_program(again, "predict", TRAIN, "--weights", weights)
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected weights of model 'again'", run.stderr)

    def test_inline_and_in_files(self):
        model = self.compile(FORMULA, **small.KEYS)
        tables = self.tensors(self.fit(model, TRAIN), "tables.")
        inline = self.numbers(tables)
        results = set()
        for state in ({**inline}, {**inline, "te_a_x_c": "te.safetensors"},
                      {effect: dict(reversed(tables.items()))
                       for effect, tables in reversed(inline.items())}):
            self.write(self.dir / "te.safetensors", {
                name.removeprefix("te_a_x_c."): table
                for name, table in tables.items()
                if name.startswith("te_a_x_c.")})
            model = self.compile(FORMULA, state=json.dumps(state),
                                 **small.KEYS)
            results.add(self.fit(model, TRAIN).read_bytes())
        self.assertEqual(len(results), 1)

    def test_part_of_the_tables(self):
        # Tables that are not given are drawn as if none were given.
        formula = "y ~ n(a, n_neurons=4) + rbf(b, n_centers=3)"
        model = self.compile(formula, **small.KEYS)
        free = self.numbers(self.tensors(self.fit(model, TRAIN), "tables."))
        given = {"a": {"W": [.5, -.25, 0, 1]}, "b": {"gamma": 3}}
        model = self.compile(formula, state=json.dumps(given), **small.KEYS)
        got = self.numbers(self.tensors(self.fit(model, TRAIN), "tables."))
        self.assertEqual(got, {
            "a": {"W1": [.5, -.25, 0, 1], "b1": free["a"]["b1"]},
            "b": {"centers": free["b"]["centers"], "gamma": [3]}})

    def test_cpp(self):
        state = json.dumps({"a": {"centers": [[.1, -1], [.25, 1e-300]]},
                            "b": {"features": [0, 1]}})
        formula = ("y ~ rbf(a, others='b', n_centers=2) + "
                   "t(b, others='c', n_trees=2, max_leaves=3)")
        model = self.compile(formula, "--chunk-rows", 64, state=state,
                             **small.KEYS)
        expected = self.fit(model, TRAIN).read_bytes()
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", "--chunk-rows", 64,
                     "--emit=cpp", "-o", source)
        built = self.build_cpp(source, self.dir / "built")
        self.assertEqual(self.fit(built, TRAIN).read_bytes(), expected)

    def test_files_lie_beside_the_spec(self):
        folder = self.dir / "specs"
        folder.mkdir()
        spec = folder / "model.yaml"
        spec.write_text("formula: y ~ w(a)\nstate: {a: w.safetensors}\n")
        self.write(folder / "w.safetensors",
                   {"range": (("F64", [2]), struct.pack("<2d", -.5, .5))})
        canonical = self.succeed(harness.TAMC, spec, "--emit=spec")
        self.assertIn("range: [-0.5, 0.5]\n", canonical)
        os.remove(folder / "w.safetensors")
        run = self.run_program(harness.TAMC, spec, "--emit=spec")
        self.assertEqual(run.returncode, 1)
        self.assertIn("model.yaml:2:12: error: w.safetensors: cannot read it: "
                      "No such file or directory\n", run.stderr)


if __name__ == "__main__":
    harness.main()
