# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of effects.json: the design's rows, the
coefficients, and predictions that leave the training range."""

import json
import math
import struct

import golden
import harness
import reference
from reference import data, effects


class Effects(harness.TestCase):
    """One test per case, made below."""

    def check(self, name):
        case = golden.effect_case(name)
        # Levels and codes that the formula does not have come from the profile.
        model = self.compile(case["formula"], "--profile", case["train"],
                             name=name, group="g", date="date",
                             state=json.dumps(golden.given_state(case)))
        weights = self.fit(model, case["train"], "--threads", 2)
        self.check_tables(case, self.tables(weights))

        beta = self.coefficients(model, weights)
        self.assertEqual(list(beta), ["G0", "G1"][:case["groups"]])
        for got, expected in zip(beta.values(), case["beta"], strict=True):
            self.assert_close_to_norm(got, expected, 1e-7, "coefficient")

        table = self.predict(model, case["train"], weights, "--type=design")
        columns = [column for column in harness.header(table)
                   if column not in ("g", "date")]
        self.assertEqual(len(columns), case["D"])
        design = [[float(row[column]) for column in columns]
                  for row in harness.read_csv(table)]
        for row, expected in zip(design, case["phi_head"]):
            self.assert_close(row, expected, 1e-12, "column", 1e-12)
        values = [value for row in design for value in row]
        self.assert_close([math.fsum(values)], [case["phi_sum"]], 1e-12)
        self.assert_close([math.fsum(v * v for v in values)],
                          [case["phi_sq"]], 1e-12)

        table = self.predict(model, case["test"], weights)
        rows = harness.read_csv(table)
        keys = [(row["g"], row["date"]) for row in rows]
        self.assertEqual(keys, [(row["g"], row["date"])
                                for row in harness.read_csv(case["test"])])
        self.assert_close([float(row["prediction"]) for row in rows],
                          case["pred_test"], 1e-8, "prediction")

        # The effects add up to the prediction, whatever the extrapolation.
        terms = self.predict(model, case["test"], weights, "--type=terms")
        names = [column for column in harness.header(terms)
                 if column not in ("g", "date")]
        self.assertEqual(names[0], "offset")
        sums = [math.fsum(float(row[column]) for column in names)
                for row in harness.read_csv(terms)]
        self.assert_close(sums, case["pred_test"], 1e-8, "sum of terms")

    def tables(self, weights):
        """The tables in a weights file, {name: flat list of numbers}."""
        content = weights.read_bytes()
        size, = struct.unpack_from("<Q", content)
        result = {}
        for name, tensor in json.loads(content[8:8 + size]).items():
            if not name.startswith("tables."):
                continue
            first, last = tensor["data_offsets"]
            code = {"F64": "d", "I32": "i"}[tensor["dtype"]]
            count = (last - first) // struct.calcsize(code)
            self.assertEqual(count, math.prod(tensor["shape"]))
            result[name[len("tables."):]] = list(
                struct.unpack_from(f"<{count}{code}", content,
                                   8 + size + first))
        return result

    def check_tables(self, case, tables):
        """Drawn numbers are those of the case and those of the oracle."""
        name, state = golden.first_effect(case), case["state"]
        rows = harness.read_csv(case["train"])
        training = {group: [rows[i] for i in indices] for group, indices
                    in data.group_rows(rows, "g", "date").items()}
        drawn = {}
        term = reference.parse(case["formula"])[1][0]
        if term["kind"] == "n":
            layers = effects.make(term, training, {}).layers
            for i, (weights, biases) in enumerate(layers, 1):
                drawn[f"W{i}"], drawn[f"b{i}"] = weights, biases
        elif term["kind"] in ("t", "lt"):
            effect = effects.make(term, training, {})
            tree = effect.tree if term["kind"] == "lt" else effect
            drawn = {"features": tree.features, "thresholds": tree.thresholds}
        for table, values in [
                *((f"{name}.{table}", rows) for table, rows in drawn.items()),
                *((f"{name}.{key.removeprefix('split_')}", rows)
                  for key, rows in state.items())]:
            flat = [v for row in values
                    for v in (row if isinstance(row, list) else [row])]
            if table.endswith((".features", ".centers")):
                self.assertEqual(tables[table], flat, table)
            else:
                self.assert_close(tables[table], flat, 1e-15, table, 1e-15)


for case_name in golden.EFFECTS:
    setattr(Effects, f"test_{case_name}",
            lambda self, name=case_name: self.check(name))


if __name__ == "__main__":
    harness.main()
