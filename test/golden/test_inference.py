# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference on French load in eight groups: effective degrees of freedom, the
scale, and standard errors of coefficients, effects and predictions.

The data are EDF's, CC BY 4.0, DOI 10.5281/zenodo.21109134; see
test/golden/data/README.md."""

import json
import math
import statistics

import golden
import harness

# Relative to a number, or to its row's largest for centred effects.
TOLERANCE = 1e-9


class Inference(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.spec, rows, _ = golden.national("load_splines")
        self.case, self.errors = golden.inference("load_splines")
        self.rows = {split: [row for row in rows if row["split"] == split]
                     for split in ("train", "test")}
        self.expected = {split: [error for row, error
                                 in zip(rows, self.errors, strict=True)
                                 if row["split"] == split]
                         for split in self.rows}
        self.data = {split: harness.write_csv(self.dir / f"{split}.csv", part)
                     for split, part in self.rows.items()}
        self.model = self.compile(self.spec["formula"], name="load_splines",
                                  group=self.spec["group"],
                                  date=self.spec["date"])

    def test_load_splines(self):
        for options in (["--threads", 1], ["--threads", 2, "--stream"]):
            with self.subTest(options=options):
                weights = self.fit(self.model, self.data["train"],
                                   "--inference", *options)
                self.check_summary(weights)
                self.check_coefficients(weights)
                self.check_predictions(weights)
                self.check_effects(weights)

    def check_summary(self, weights):
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        self.assertEqual([group["group"] for group in summary["groups"]],
                         list(self.case["groups"]))
        for got in summary["groups"]:
            expected = self.case["groups"][got["group"]]
            self.assertEqual([(e["effect"], e["columns"])
                              for e in got["effects"]],
                             list(zip(self.case["effects"],
                                      self.case["columns"], strict=True)))
            self.assertEqual(got["rows"], expected["T"])
            self.assertEqual(got["weight"], expected["T"])
            self.assert_close([e["edf"] for e in got["effects"]],
                              expected["edf"], TOLERANCE, "edf")
            rmse = math.sqrt(expected["RSS"] / expected["T"])
            self.assert_close(
                [got["edf"], got["sigma2"], got["rmse"]],
                [expected["edf_total"], expected["sigma2"], rmse], TOLERANCE)
            # A sum of terms of both signs.
            self.assert_close([got["acf1"]], [expected["acf1"]], 0, "acf1",
                              TOLERANCE)

    def check_coefficients(self, weights):
        errors = {}
        for row in harness.parse_csv(self.succeed(
                self.model, "coefficients", "--se", "--weights", weights)):
            errors.setdefault(row["group"], []).append(float(row["se"]))
        self.assertEqual(list(errors), list(self.case["groups"]))
        for group, got in errors.items():
            self.assert_close(got, self.case["groups"][group]["se_beta"],
                              TOLERANCE, "se")

    def check_predictions(self, weights):
        level = .9
        quantile = statistics.NormalDist().inv_cdf((1 + level) / 2)
        for split, expected in self.expected.items():
            got = harness.read_csv(self.predict(
                self.model, self.data[split], weights, "--se",
                f"--interval={level}"))
            self.assert_close([float(row["se"]) for row in got], expected,
                              TOLERANCE, f"se in {split}")
            for row, error in zip(got, expected):
                sigma2 = self.case["groups"][row["tod"]]["sigma2"]
                half = quantile * math.hypot(math.sqrt(sigma2), error)
                prediction = float(row["prediction"])
                self.assert_close(
                    [float(row["lower_90"]), float(row["upper_90"])],
                    [prediction - half, prediction + half], TOLERANCE)

    def check_effects(self, weights):
        table = self.dir / "effects.csv"
        self.succeed(self.model, "decompose", self.data["test"], "--weights",
                     weights, "--se", "-o", table)
        rows = {}
        for row in harness.read_csv(table):
            rows.setdefault(row["tod"], []).append(row)
        predictions = {}
        for row in harness.read_csv(self.predict(
                self.model, self.data["test"], weights)):
            predictions.setdefault(row["tod"], []).append(
                float(row["prediction"]))
        # The offset has what the others lack.
        names = self.case["effects"][1:]
        for group, expected in self.case["groups"].items():
            by_date = sorted(range(len(rows[group])),
                             key=lambda i: rows[group][i]["date"])
            for place, effects, errors in zip(
                    expected["test_rows"], expected["centred10"],
                    expected["se_centred10"], strict=True):
                row = rows[group][by_date[place]]
                got = [float(row[name]) for name in names]
                self.assert_close_to_norm(got, effects[1:], TOLERANCE,
                                          "centred effect")
                self.assert_close([float(row[f"se_{name}"])
                                   for name in names], errors[1:], TOLERANCE,
                                  "se of a centred effect")
                self.assert_close(
                    [float(row["offset"]) + math.fsum(got)],
                    [predictions[group][by_date[place]]], 1e-12)


if __name__ == "__main__":
    harness.main()
