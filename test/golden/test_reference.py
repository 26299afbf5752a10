# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle reproduces the golden numbers, so that tamc can be compared with
it where there are none."""

import math
import random

import golden
import harness
import reference
from reference import effects, maps


class Reference(harness.TestCase):
    def check_effect(self, name):
        case = golden.effect_case(name)
        train = harness.read_csv(case["train"])
        model = reference.Model(case["formula"], train, "g", "date",
                                state=golden.given_state(case))
        self.assertEqual(model.columns, case["D"])
        self.check_state(model.effects[0], case["state"])
        design = model.design(train)
        for row, expected in zip(design, case["phi_head"]):
            self.assert_close(row, expected, 1e-12, "column", 1e-12)
        values = [value for row in design for value in row]
        self.assert_close([math.fsum(values)], [case["phi_sum"]], 1e-12)
        self.assert_close([math.fsum(v * v for v in values)],
                          [case["phi_sq"]], 1e-12)
        self.assert_close([model.penalty.get((i, i), 0.0)
                           for i in range(model.columns)],
                          case["P_diag"], 1e-14, "penalty")
        norm = math.sqrt(math.fsum(v * v for v in model.penalty.values()))
        self.assert_close([norm], [case["P_fro"]], 1e-14, "norm")
        for beta, expected in zip(model.coefficients.values(), case["beta"],
                                  strict=True):
            self.assert_close_to_norm(beta, expected, 1e-9)
        test = harness.read_csv(case["test"])
        self.assert_close(model.predict(test), case["pred_test"], 1e-10)

    def check_state(self, effect, state):
        """Drawn numbers: integers are equal, the others agree to the last
        digit."""
        if "split_features" in state:
            self.assertEqual(effect.features, state["split_features"])
        for key, rows in (("split_thresholds", "thresholds"),
                          ("centers", "centers")):
            if key in state:
                for got, expected in zip(getattr(effect, rows), state[key],
                                         strict=True):
                    self.assert_close(got, expected, 0.0, key, 1e-15)

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

    def check_national(self, name):
        case, rows, expected = golden.national(name)
        train = [row for row in rows if row["split"] == "train"]
        model = reference.Model(case["formula"], train, case["group"],
                                case["date"])
        self.assertEqual(model.columns, case["D"])
        for beta, wanted in zip(model.coefficients.values(), case["beta"],
                                strict=True):
            self.assert_close_to_norm(beta, wanted, 1e-9)
        self.assert_close(model.predict(rows), expected, 1e-11)

    def test_national_splines(self):
        self.check_national("load_splines")

    def test_national_tensor(self):
        self.check_national("load_tensor")

    def test_inference(self):
        spec, rows, _ = golden.national("load_splines")
        case, errors = golden.inference("load_splines")
        columns = (spec["group"], spec["date"])
        for group, expected in case["groups"].items():
            own = [(row, error) for row, error
                   in zip(rows, errors, strict=True)
                   if row[spec["group"]] == group]
            train = [row for row, _ in own if row["split"] == "train"]
            model = reference.Model(spec["formula"], train, *columns)
            got = reference.Inference(
                model.design(train), [float(row["Load"]) for row in train],
                [1.0] * len(train), model.first, model.penalty)
            self.assert_close(got.edf, expected["edf"], 1e-9, "edf")
            self.assert_close([got.rss, got.sigma2],
                              [expected["RSS"], expected["sigma2"]], 1e-9)
            self.assert_close([got.summary()["acf1"]], [expected["acf1"]], 0,
                              "acf1", 1e-9)
            self.assert_close(got.coefficient_errors(), expected["se_beta"],
                              1e-9, "se")
            test = [(row, error) for row, error in own
                    if row["split"] == "test"]
            design = model.design([row for row, _ in test])
            self.assert_close(
                [got.error_of(got.form(row)) for row in design[::20]],
                [error for _, error in test[::20]], 1e-9, "se")
            test = sorted(zip(test, design), key=lambda row: row[0][0]["date"])
            for place, effects_of, errors_of in zip(
                    expected["test_rows"], expected["centred10"],
                    expected["se_centred10"], strict=True):
                effects_got, errors_got = got.centred(test[place][1])
                self.assert_close_to_norm(effects_got[1:], effects_of[1:],
                                          1e-9)
                self.assert_close(errors_got[1:], errors_of[1:], 1e-9)


for case_name in golden.EFFECTS:
    setattr(Reference, f"test_{case_name}",
            lambda self, name=case_name: self.check_effect(name))


class Random(harness.TestCase):
    def test_words(self):
        # The C++ standard fixes the 10000th word of std::mt19937.
        generator = reference.Generator(5489)
        words = [generator.word() for _ in range(10000)]
        self.assertEqual(words[-1], 4123659995)
        # Python's generator gives the same numbers from the same state.
        generator = reference.Generator(42)
        other = random.Random()
        other.setstate((3, (*generator.words, 624), None))
        self.assertEqual([generator.word() for _ in range(2000)],
                         [other.getrandbits(32) for _ in range(2000)])

    def test_normals(self):
        # The last 16 of a size that is not a multiple of 16 are drawn again.
        for count in (16, 17, 40):
            values = reference.Generator(3).normals(count)
            self.assertEqual(len(values), count)
            again = reference.Generator(3)
            uniforms = [again.uniform() for _ in range(count)]
            if count % 16:
                uniforms = [again.uniform() for _ in range(16)]
            rho = math.sqrt(-2 * math.log(1 - uniforms[-16]))
            self.assertEqual(values[-16],
                             rho * math.cos(2 * math.pi * uniforms[-8]))
        # Fewer are made in pairs, and the second of a pair survives the call.
        generator = reference.Generator(3)
        apart = [generator.normals(1)[0] for _ in range(6)]
        self.assertEqual(apart, reference.Generator(3).normals(6))

    def test_permutation(self):
        self.assertEqual(sorted(reference.Generator(1).permutation(50)),
                         list(range(50)))


class Parts(harness.TestCase):
    def test_matern(self):
        # The closed forms, and 3.5 by the recurrence of K.
        for r in (1e-6, 1e-3, .1, .7, 1.0, 3.0, 9.0, 40.0):
            e = math.exp(-r)
            for nu, value in ((.5, e), (1.5, (1 + r) * e),
                              (2.5, (1 + r + r * r / 3) * e),
                              (3.5, (1 + r + .4 * r * r + r ** 3 / 15) * e)):
                self.assert_close([maps.matern(r, nu)], [value], 2e-14,
                                  f"nu={nu} r={r}")
        # K_0.3(1), by the series of I: pi/2 (I_-nu - I_nu) / sin(nu pi).
        nu, r = .3, 1.0

        def bessel_i(order):
            return math.fsum((r / 2) ** (2 * k + order) / math.gamma(k + 1)
                             / math.gamma(k + 1 + order) for k in range(30))
        k = (math.pi / 2 * (bessel_i(-nu) - bessel_i(nu))
             / math.sin(nu * math.pi))
        self.assert_close([maps.matern(r, nu)],
                          [2 ** (1 - nu) / math.gamma(nu) * r ** nu * k],
                          1e-13)

    def test_quantile(self):
        ordered = [1.0, 2.0, 4.0, 8.0]
        for level, value in ((0.0, 1.0), (1.0, 8.0), (1 / 3, 2.0), (.5, 3.0),
                             (.9, 6.8)):
            self.assert_close([effects.quantile(ordered, level)], [value],
                              1e-15)


if __name__ == "__main__":
    harness.main()
