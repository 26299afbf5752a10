# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of effects.json: the design's rows, the
coefficients, and predictions that leave the training range."""

import math

import golden
import harness


class Effects(harness.TestCase):
    """One test per case, made below."""

    def check(self, name):
        case = golden.effect_case(name)
        # Levels and codes the formula does not give come from the profile.
        model = self.compile(case["formula"], "--profile", case["train"],
                             name=name, group="g", date="date")
        weights = self.fit(model, case["train"], "--threads", 2)

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


for case_name in golden.EFFECTS:
    setattr(Effects, f"test_{case_name}",
            lambda self, name=case_name: self.check(name))


if __name__ == "__main__":
    harness.main()
