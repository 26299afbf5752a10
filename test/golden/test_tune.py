# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by GCV on French load in eight groups.

The data are EDF's, CC BY 4.0, DOI 10.5281/zenodo.21109134; see
test/golden/data/README.md."""

import json

import golden
import harness


class Tune(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.case, rows = golden.national_rows("load_gcv")
        self.train = harness.write_csv(
            self.dir / "train.csv",
            [row for row in rows if row["split"] == "train"])
        self.model = self.compile(self.case["formula"], name="load",
                                  group=self.case["group"],
                                  date=self.case["date"])

    def tune(self, name, *options):
        """The result of tune, and the bytes of its weights."""
        weights = self.dir / f"{name}.safetensors"
        text = self.succeed(self.model, "tune", self.train, "-o", weights,
                            "--format=json", *options)
        return json.loads(text), weights

    def test_load_gcv(self):
        wanted = self.case["gcv"]
        low, high = wanted["bounds"]
        options = (f"--bounds={low},{high}", f"--gamma={wanted['gamma']}")
        got, weights = self.tune("all", *options)
        aps = [coordinate["ap"] for coordinate in got["coordinates"]]
        self.assertEqual(aps, wanted["alpha"])
        self.assertEqual(got["evaluations"], wanted["evaluations"])
        self.assert_close([got["score"]], [wanted["score"]], 1e-10, "score")
        self.assertEqual(
            [coordinate["effect"] for coordinate in got["coordinates"]],
            ["offset", "Load_d1", "temperature_smooth_950", "toy",
             "te_temperature_x_day_type_week[0]",
             "te_temperature_x_day_type_week[1]"])
        beta = self.coefficients(self.model, weights)
        for one, other in zip(beta.values(), self.case["beta"], strict=True):
            self.assert_close_to_norm(one, other, 1e-9, "coefficient")

        # The weights are those of a fit with these penalties.
        penalties = [f"--ap={coordinate['effect']}={coordinate['ap']!r}"
                     for coordinate in got["coordinates"]]
        penalties.append("--ap=te_temperature_x_day_type_week=0")
        again = self.fit(self.model, self.train, *penalties)
        self.assertEqual(self.coefficients(self.model, again), beta)
        # The formula has them, too.
        other = self.compile(got["formula"], name="other",
                             group=self.case["group"], date=self.case["date"])
        pasted = self.fit(other, self.train, f"--ap=offset={aps[0]!r}")
        self.assertEqual(self.coefficients(other, pasted), beta)

        for more in (("--threads=1",), ("--threads=2", "--chunk-rows=100"),
                     ("--stream",)):
            with self.subTest(more):
                same, file = self.tune("more", *options, *more)
                self.assertEqual(same, got)
                self.assertEqual(file.read_bytes(), weights.read_bytes())

    def test_candidates(self):
        """From far away and with a list, every step of the search moves less of
        the inverse than is exact, or more: the final score is that of the same
        search from there, which computes it anew."""
        got, _ = self.tune("list", "--candidates=-30,-12,-6,-3,-1,0,2,6")
        here = [f"{coordinate['ap']!r}" for coordinate in got["coordinates"]]
        formula = got["formula"]
        self.model = self.compile(formula, name="there",
                                  group=self.case["group"],
                                  date=self.case["date"])
        there, _ = self.tune("there", "--candidates=-30,-12,-6,-3,-1,0,2,6",
                             "--cycles=15")
        self.assert_close([there["score"]], [got["score"]], 1e-8, "score")
        self.assertEqual(
            [f"{coordinate['ap']!r}" for coordinate in there["coordinates"]],
            here)


if __name__ == "__main__":
    harness.main()
