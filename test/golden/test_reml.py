# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by REML for each group, on French load and on synthetic rows
with weights.

The load data are EDF's, CC BY 4.0, DOI 10.5281/zenodo.21109134; see
test/golden/data/README.md."""

import json
import math

import golden
import harness


class Reml(harness.TestCase):
    def prepare(self, name):
        """The case, and the files of its rows in `train` and `test`."""
        case, rows = golden.reml(name)
        self.rows = rows
        self.data = {split: harness.write_csv(self.dir / f"{split}.csv", part)
                     for split, part in rows.items()}
        keys = {"weights": case["weights"]} if case["weights"] else {}
        self.model = self.compile(case["formula"], name=name,
                                  group=case["group"], date=case["date"],
                                  **keys)
        return case

    def tune(self, *options, output="w.safetensors"):
        """The result, and the weights."""
        text = self.succeed(self.model, "tune", self.data["train"], "-o",
                            self.dir / output, "--criterion=reml",
                            "--format=json", *options)
        return json.loads(text), self.dir / output

    def check_choice(self, case, result):
        self.assertEqual([group["group"] for group in result["groups"]],
                         list(case["groups"]))
        for got in result["groups"]:
            expected = case["groups"][got["group"]]
            self.assert_close([got["score"]], [expected["V"]], 0, "V", 1e-7)
            self.assertEqual([c["effect"] for c in got["coordinates"]],
                             case["coords"])
            self.assertEqual(
                [c.get("state", "interior") for c in got["coordinates"]],
                expected["state"])
            low, high = case["bounds"]
            for c, alpha, state, curvature in zip(
                    got["coordinates"], expected["alpha"], expected["state"],
                    expected["curvature"], strict=True):
                if state == "interior":
                    self.assertLess(abs(c["ap"] - alpha),
                                    math.sqrt(2e-8 / curvature) + 1e-5, c)
                else:
                    self.assertEqual(c["ap"], low if state == "low" else high)

    def check_fit(self, case, result, weights):
        """Degrees of freedom, fitted values and predictions."""
        summary = json.loads(self.succeed(
            self.model, "summary", "--format=json", "--weights", weights))
        for got, chosen in zip(summary["groups"], result["groups"],
                               strict=True):
            expected = case["groups"][got["group"]]
            self.assert_close([e["edf"] for e in got["effects"]],
                              expected["edf"], 1e-4, "edf")
            aps = [c["ap"] for c in chosen["coordinates"]]
            shown = []
            for effect in got["effects"]:
                ap = effect["ap"]
                shown += ap if isinstance(ap, list) else [ap]
            self.assertEqual(shown, aps)
        for split in ("train", "test"):
            predicted = {}
            table = harness.read_csv(self.predict(
                self.model, self.data[split], weights))
            for row, read in zip(table, self.rows[split], strict=True):
                predicted.setdefault(read[case["group"]], []).append(
                    (read[case["date"]], float(row["prediction"])))
            for group, expected in case["groups"].items():
                values = [value for _, value in sorted(predicted[group])]
                wanted = (expected["fitted10"] if split == "train"
                          else expected["pred10"])
                places = (range(10) if split == "train"
                          else expected["test_rows"])
                spread = max(values) - min(values)
                self.assert_close([values[i] for i in places], wanted, 0,
                                  f"prediction of {split}", 1e-6 * spread)

    def check_case(self, name):
        case = self.prepare(name)
        result, weights = self.tune("--per-group", "--inference")
        self.check_choice(case, result)
        self.check_fit(case, result, weights)
        for more in (("--threads=1",), ("--threads=2", "--chunk-rows=100"),
                     ("--stream",)):
            with self.subTest(more):
                same, file = self.tune("--per-group", "--inference", *more,
                                       output="same.safetensors")
                self.assertEqual(same, result)
                self.assertEqual(file.read_bytes(), weights.read_bytes())

    def test_small(self):
        self.check_case("reml_small")

    def test_load_splines(self):
        self.check_case("reml_load_splines")

    def test_load_te(self):
        self.check_case("reml_load_te")


if __name__ == "__main__":
    harness.main()
