# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle reproduces the golden numbers, so that it may judge tamc where
there are none."""

import math

import golden
import harness
import reference


class Reference(harness.TestCase):
    def test_effects(self):
        for name in golden.EFFECTS:
            with self.subTest(name):
                case = golden.effect_case(name)
                train = harness.read_csv(case["train"])
                model = reference.Model(case["formula"], train, "g", "date")
                self.assertEqual(model.columns, case["D"])
                design = model.design(train)
                for row, expected in zip(design, case["phi_head"]):
                    self.assert_close(row, expected, 1e-12, "column", 1e-12)
                values = [value for row in design for value in row]
                self.assert_close([math.fsum(values)], [case["phi_sum"]],
                                  1e-12)
                for beta, expected in zip(model.coefficients.values(),
                                          case["beta"], strict=True):
                    self.assert_close_to_norm(beta, expected, 1e-9)
                test = harness.read_csv(case["test"])
                self.assert_close(model.predict(test), case["pred_test"],
                                  1e-10)

    def test_airpassengers(self):
        formula = golden.airpassengers_formula()
        for train, scored, mape in golden.AIRPASSENGERS_MAPE:
            model = reference.Model(
                formula, golden.airpassengers_rows(*train, True))
            rows = golden.airpassengers_rows(*scored, True)
            self.assertEqual(golden.mape(rows, model.predict(rows)), mape)
            if train == (0, 119):
                self.assert_close_to_norm(model.coefficients[""],
                                          golden.AIRPASSENGERS_BETA, 1e-9)

    def test_national(self):
        case, rows, expected = golden.national()
        train = [row for row in rows if row["split"] == "train"]
        model = reference.Model(case["formula"], train, case["group"],
                                case["date"])
        self.assert_close(model.predict(rows), expected, 1e-11)


if __name__ == "__main__":
    harness.main()
