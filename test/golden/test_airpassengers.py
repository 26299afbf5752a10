# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example against docs/math.md section 6: coefficients and errors."""

import golden
import harness


class Airpassengers(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.dir / "airpassengers"
        self.succeed(harness.TAMC, harness.EXAMPLE / "airpassengers.yaml",
                     "-o", self.model)

    def slice(self, name, first, last):
        return harness.write_csv(self.dir / name,
                                 golden.airpassengers_rows(first, last))

    def fit_rows(self, first, last, threads):
        return self.fit(self.model, self.slice("train.csv", first, last),
                        "--drop-missing", "--threads", threads)

    def test_coefficients(self):
        for threads in (1, 2):
            with self.subTest(threads=threads):
                weights = self.fit_rows(0, 119, threads)
                beta = self.coefficients(self.model, weights)
                self.assertEqual(list(beta), [""])
                self.assert_close(beta[""], golden.AIRPASSENGERS_BETA, 1e-9,
                                  "coefficient")

    def test_names(self):
        weights = self.fit_rows(0, 119, 1)
        rows = harness.parse_csv(self.succeed(
            self.model, "coefficients", "--weights", weights))
        self.assertEqual(list(rows[0]), ["effect", "index", "value"])
        self.assertEqual(
            [(row["effect"], row["index"]) for row in rows],
            [("offset", "0")] + [("time_of_year", str(i)) for i in range(12)]
            + [("lag_log_passengers", "0")])

    def test_mape(self):
        for threads in (1, 2):
            for train, scored, expected in golden.AIRPASSENGERS_MAPE:
                with self.subTest(threads=threads, train=train,
                                  scored=scored):
                    weights = self.fit_rows(*train, threads)
                    table = self.predict(
                        self.model, self.slice("new.csv", *scored), weights,
                        "--drop-missing")
                    self.assertEqual(harness.header(table),
                                     ["date", "prediction"])
                    predictions = [float(row["prediction"])
                                   for row in harness.read_csv(table)]
                    rows = golden.airpassengers_rows(*scored, True)
                    self.assertEqual(golden.mape(rows, predictions), expected)


if __name__ == "__main__":
    harness.main()
