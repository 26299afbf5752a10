# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""French load in eight groups: splines, categories and linear terms together.

The data are EDF's, CC BY 4.0, DOI 10.5281/zenodo.21109134; see
test/golden/data/README.md."""

import golden
import harness


class National(harness.TestCase):
    def check(self, name):
        case, rows, expected = golden.national(name)
        model = self.compile(case["formula"], name=name,
                             group=case["group"], date=case["date"])
        parts = {}
        for split in ("train", "test"):
            parts[split] = ([row for row in rows if row["split"] == split],
                            [value for row, value in zip(rows, expected)
                             if row["split"] == split])
            harness.write_csv(self.dir / f"{split}.csv", parts[split][0])
        self.assertEqual([len(part[0]) for part in parts.values()],
                         [case["n_train"], case["n_test"]])

        for threads in (1, 2):
            weights = self.fit(model, self.dir / "train.csv", "--threads",
                               threads)
            beta = self.coefficients(model, weights)
            self.assertEqual(list(beta), [str(g) for g in case["groups"]])
            for got, wanted in zip(beta.values(), case["beta"], strict=True):
                self.assert_close_to_norm(got, wanted, 1e-9, "coefficient")
            for split, (part, wanted) in parts.items():
                with self.subTest(threads=threads, split=split):
                    self.score(case, model, weights, split, part, wanted)

    def test_load_splines(self):
        self.check("load_splines")

    def test_load_tensor(self):
        self.check("load_tensor")

    def score(self, case, model, weights, split, part, wanted):
        table = self.predict(model, self.dir / f"{split}.csv", weights)
        got = harness.read_csv(table)
        keys = (case["group"], case["date"])
        self.assertEqual([[row[key] for key in keys] for row in got],
                         [[row[key] for key in keys] for row in part])
        predictions = [float(row["prediction"]) for row in got]
        self.assert_close(predictions, wanted, 1e-9, "prediction")
        rmse = golden.rmse(part, predictions, case["target"])
        self.assertEqual(f"{rmse:.8g}", f"{case[f'rmse_{split}']:.8g}")


if __name__ == "__main__":
    harness.main()
