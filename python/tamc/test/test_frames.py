#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames of pandas, polars and pyarrow give the same bytes as arrays. A library
that is not installed is skipped."""

import unittest

import numpy as np

from test_model import DATA, Folder, read, tamc


def library(name):
    try:
        return __import__(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed") from None


class Frames(Folder):
    formula = "y ~ s(a) + l(b) + c(k)"

    def setUp(self):
        super().setUp()
        self.data = read(DATA / "effects/train_G2.csv")
        model = self.fit(self.data)
        self.predicted = model.predict(self.data).tolist()
        self.effects = {name: values.tolist() for name, values
                        in model.decompose(self.data).items()}

    def fit(self, data):
        return tamc.AdditiveModel(self.formula, group="g", date="date").fit(
            data)

    def check(self, frame):
        model = self.fit(frame)
        self.assertEqual(list(model.predict(frame)), self.predicted)
        return model

    def test_pandas(self):
        pandas = library("pandas")
        frame = pandas.DataFrame(self.data)
        frame.index = np.arange(len(frame)) * 3
        model = self.check(frame)
        predicted = model.predict(frame)
        self.assertIsInstance(predicted, pandas.Series)
        self.assertTrue(predicted.index.equals(frame.index))
        effects = model.decompose(frame)
        self.assertIsInstance(effects, pandas.DataFrame)
        self.assertTrue(effects.index.equals(frame.index))
        self.assertEqual({name: effects[name].tolist() for name in effects},
                         self.effects)
        self.assertEqual(list(model.coefficients_.columns),
                         ["group", "effect", "index", "value"])
        frame["g"] = frame["g"].astype("category")
        frame["k"] = frame["k"].astype(int).astype("category")
        frame["date"] = pandas.to_datetime(frame["date"])
        self.check(frame)
        frame["date"] = frame["date"].dt.tz_localize("Europe/Paris")
        frame["a"] = frame["a"].astype("Float64")
        self.check(frame)
        frame.loc[frame.index[4], "a"] = pandas.NA
        with self.assertRaisesRegex(tamc.Error, "^data: row 4: column 'a': "
                                    "group 'G[01]': expected a finite value, "
                                    "got a missing value$"):
            self.fit(frame)

    def test_polars(self):
        polars = library("polars")
        frame = polars.DataFrame(self.data)
        model = self.check(frame)
        self.assertIsInstance(model.predict(frame), polars.Series)
        self.assertIsInstance(model.decompose(frame), polars.DataFrame)
        self.check(frame.with_columns(
            polars.col("g").cast(polars.Categorical),
            polars.col("k").cast(polars.Int16),
            polars.col("date").str.to_date()))
        self.check(frame.with_columns(
            polars.col("date").str.to_datetime(time_zone="UTC")))
        parts = [frame[:5], frame[5:200], frame[200:]]
        chunked = polars.concat(parts, rechunk=False)
        self.check(chunked)
        self.check(frame[:0].vstack(frame))
        with self.assertRaisesRegex(tamc.Error, "^data: row 6: column 'a': .*"
                                    "got a missing value$"):
            self.fit(chunked.with_columns(
                polars.when(polars.int_range(polars.len()) == 6).then(None)
                .otherwise(polars.col("a")).alias("a")))

    def test_pyarrow(self):
        pyarrow = library("pyarrow")
        table = pyarrow.table(self.data)
        model = self.check(table)
        self.assertIsInstance(model.decompose(table), pyarrow.Table)
        batches = [table.slice(0, 3), table.slice(3, 100), table.slice(103)]
        self.check(pyarrow.concat_tables(batches))
        g = table.column_names.index("g")
        self.check(table.set_column(g, "g", table["g"].dictionary_encode()))
        self.check(table.set_column(
            g, "g", table["g"].cast(pyarrow.large_string())))
        nested = table.set_column(
            g, "g", pyarrow.array([[1]] * len(table)))
        with self.assertRaisesRegex(tamc.Error, r"^data: column 'g': expected "
                                    r"numbers, .* Arrow format '\+l'"):
            self.fit(nested)

    def test_one_dimension_and_order(self):
        # Neither contiguous nor of this machine's byte order.
        data = dict(self.data)
        data["a"] = np.repeat(data["a"], 2)[::2]
        data["b"] = data["b"].astype(">f8")
        self.check(data)


if __name__ == "__main__":
    unittest.main()
