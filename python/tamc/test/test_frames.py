#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames of pandas, polars and pyarrow give the same bytes as arrays. A library
that is not installed is skipped."""

import datetime
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

    def same(self, got, wanted):
        """A message with all numbers would take minutes."""
        self.assertTrue(np.array_equal(got, wanted), "expected equal numbers")

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

    def test_arrays_of_pandas(self):
        """Arrays and indexes of pandas in a dict mean what series do."""
        pandas = library("pandas")
        dates = pandas.DatetimeIndex(self.data["date"])
        for date in (dates, dates.array, dates.tz_localize("Europe/Paris"),
                     dates.tz_localize("Europe/Paris").array):
            data = {**self.data, "date": date,
                    "g": pandas.Categorical(self.data["g"]),
                    "k": pandas.CategoricalIndex(self.data["k"]),
                    "a": pandas.array(self.data["a"], dtype="Float64"),
                    "b": pandas.Index(self.data["b"])}
            self.same(self.fit(data).predict(data), self.predicted)

    def test_times_as_levels(self):
        """Equal times are one level, whatever holds them."""
        pandas = library("pandas")
        for times in (pandas.to_datetime(["2021-01-01", "2020-02-01"] * 4),
                      pandas.to_datetime([None, "2021-01-01 12:30"] * 4),
                      pandas.to_datetime(["2021-01-01 00:00:00.000000001",
                                          "2021-01-01 00:00:00.000000000"]
                                         * 4),
                      pandas.to_datetime(["2021-01-01", "2021-01-02"] * 4)
                      .tz_localize("Europe/Paris")):
            y = np.where(np.arange(8) % 2, 5.0, 1.0)
            held = pandas.Series(times)
            model = tamc.AdditiveModel("y ~ c(k, ap=-6)", drop_missing=True)
            model.fit(pandas.DataFrame({"y": y, "k": held}))
            wanted = model.predict({"k": held})
            for other in (list(held), tuple(held), held.astype(object),
                          held.astype(object).to_numpy(),
                          held.astype("category")):
                self.assertTrue(np.array_equal(
                    model.predict({"k": other}), wanted, equal_nan=True),
                    f"{type(other)} of {times[0]}")

    def test_years_of_times(self):
        """Times whose year in UTC Python does not have, and those that have no
        nanoseconds beside one that has some."""
        east, west = (datetime.timezone(datetime.timedelta(hours=hours))
                      for hours in (1, -1))
        least, most = datetime.datetime.min, datetime.datetime.max
        y = np.arange(4) % 2 * 1.0
        model = tamc.AdditiveModel("y ~ c(k, ap=-9)")
        first = least.replace(tzinfo=east)
        for later in (least.replace(tzinfo=datetime.timezone.utc),
                      least.replace(tzinfo=west), most.replace(tzinfo=east)):
            got = model.fit({"y": y, "k": [first, later] * 2}).predict(
                {"k": [later, first]})
            self.assertGreater(got[0], 0.9)
            self.assertLess(got[1], 0.1)
        # As the same time in a column of such times.
        pandas = library("pandas")
        self.same(model.predict({"k": [first]}),
                  model.predict({"k": pandas.Series([first])}))
        dated = tamc.AdditiveModel("y ~ pid(x, w=2)", date="d")
        data = {"y": y, "x": y, "d": [first.replace(year=year)
                                      for year in (9, 1, 5, 7)]}
        self.same(dated.fit(data).predict(data), dated.predict(
            dict(data, d=[time.astimezone(west) if time.year > 1
                          else time for time in data["d"]])))
        data["d"][2] = most.replace(tzinfo=west)
        with self.assertRaisesRegex(tamc.Error, "^data: row 2: .*expected a "
                                    "time in the years 0000 to 9999"):
            dated.fit(data)
        data["d"] = [None, pandas.Timestamp("2020-01-01 00:00:00.000000001"),
                     datetime.datetime(1677, 1, 1), least]
        with self.assertRaisesRegex(
                tamc.Error, "^data: column 'd': row 2: expected a time in the "
                "years 1678 to 2261, as others have nanoseconds, got "
                "'1677-01-01T00:00:00.000000'$"):
            dated.fit(data)

    def test_nullable(self):
        """Nullable columns, those of Arrow in pandas, and masked arrays mean
        what plain ones do, and what is missing is."""
        pandas = library("pandas")
        arrow = pandas.ArrowDtype if library("pyarrow") else None
        import pyarrow

        ids = [541448860000000011, 541448860000000012] * 10
        holidays = [True, False, False, True] * 5
        data = {"y": np.arange(20.0), "x": np.arange(20.0) ** 2}
        model = tamc.AdditiveModel("y ~ l(x) + c(h)", group="g")
        plain = pandas.DataFrame({"g": ids, "h": holidays, **data})
        wanted = model.fit(plain).coefficients_
        self.assertEqual(set(wanted["group"]), {str(ids[0]), str(ids[1])})
        texts = pandas.Series([str(number) for number in ids])
        for group, holiday in (
                ("Int64", "boolean"), ("UInt64", "boolean"),
                (arrow(pyarrow.int64()), arrow(pyarrow.bool_())),
                (arrow(pyarrow.uint64()), "bool")):
            frame = plain.assign(g=plain["g"].astype(group),
                                 h=plain["h"].astype(holiday))
            self.assertEqual(model.predict(frame).tolist(),
                             model.predict(plain).tolist())
            self.assertTrue(model.fit(frame).coefficients_.equals(wanted))
        for group in (texts.astype(arrow(pyarrow.string())),
                      plain.convert_dtypes(dtype_backend="pyarrow")["g"]):
            self.assertTrue(model.fit(plain.assign(g=group)).coefficients_
                            .equals(wanted))
        days = pandas.Series(pandas.date_range("2020", periods=20))
        dated = tamc.AdditiveModel("y ~ pid(x, w=3)", date="d")
        wanted = dated.fit(plain.assign(d=days)).predict(plain.assign(d=days))
        for kind in (pyarrow.date32(), pyarrow.timestamp("us"),
                     pyarrow.timestamp("ns", tz="UTC")):
            frame = plain.assign(d=days.astype(arrow(kind)))
            self.assertEqual(dated.fit(frame).predict(frame).tolist(),
                             wanted.tolist())
        masked = dict(data, d=np.ma.array(days.to_numpy(), mask=False))
        self.assertEqual(dated.fit(masked).predict(masked).tolist(),
                         wanted.tolist())
        masked["d"][3] = np.ma.masked
        with self.assertRaisesRegex(tamc.Error, "row 3: .*a missing value"):
            dated.fit(masked)
        decimals = plain.assign(x=plain["x"].astype(
            arrow(pyarrow.decimal128(9, 2))))
        self.assertEqual(model.predict(decimals).tolist(),
                         model.predict(plain).tolist())
        # The third row lacks a number, the fifth a truth value.
        masks = {"x": np.arange(20) == 2, "h": np.arange(20) == 4}
        rest = plain[~(masks["x"] | masks["h"])]
        model.set_params(drop_missing=True)
        wanted = model.fit(rest).coefficients_
        for frame in (
                plain.assign(
                    x=plain["x"].astype("Float64").mask(masks["x"]),
                    h=plain["h"].astype("boolean").mask(masks["h"])),
                plain.assign(
                    x=plain["x"].astype("Int64").mask(masks["x"]),
                    h=plain["h"].astype(object).mask(masks["h"], pandas.NA)),
                plain.assign(
                    x=plain["x"].astype(arrow(pyarrow.int32())).mask(
                        masks["x"]),
                    h=plain["h"].astype(arrow(pyarrow.bool_())).mask(
                        masks["h"])),
                {**{name: plain[name].to_numpy() for name in plain},
                 **{name: np.ma.array(plain[name].to_numpy(), mask=mask)
                    for name, mask in masks.items()}}):
            got = model.fit(frame).coefficients_
            self.assertEqual(model.notes_, [
                "dropped 2 of 20 rows: missing values in 'h' (1) and 'x' (1)"])
            for name in ("group", "effect", "index", "value"):
                self.assertEqual(list(got[name]), list(wanted[name]))

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

    def test_numbers_where_they_are(self):
        """Numbers that are not copied: rows in order, rows by group, types,
        places that no double has."""
        rows = 20_000  # more than a block
        random = np.random.default_rng(0)
        wide = np.empty(8 * rows + 1, np.uint8)
        odd = wide[1:].view(np.float64)
        odd[:] = random.random(rows)
        data = {"x": random.random(rows), "i": np.arange(rows) % 97,
                "f": random.random(rows).astype(np.float32), "o": odd,
                "w": random.random(rows)}
        data["y"] = data["x"] + data["i"] + data["f"] + data["o"]
        for more in ({}, {"group": "g"}, {"group": "g", "date": "d"},
                     {"weights": "w"}, {"date": "d"}):
            data["g"] = np.arange(rows) * 7 % 3
            data["d"] = np.arange(rows)[::-1].copy()
            model = tamc.AdditiveModel("y ~ s(x, k=8) + l(i) + l(f) + l(o)",
                                       **more)
            # Texts are numbers that are copied.
            texts = {name: values if name in ("g", "d")
                     else np.array([repr(float(value)) for value in values])
                     for name, values in data.items()}
            wanted = model.fit(texts).coefficients_["value"].tolist()
            predicted = model.predict(texts).tolist()
            got = model.fit(data)
            self.assertEqual(got.coefficients_["value"].tolist(), wanted)
            self.assertEqual(got.predict(data).tolist(), predicted)
            bad = dict(data, x=data["x"].copy())
            bad["x"][12_345] = np.inf
            with self.assertRaisesRegex(tamc.Error, "^data: row 12345: column "
                                        "'x': .*got infinity$"):
                model.fit(bad)

    def test_rows_in_any_order(self):
        """A prediction of rows in another order has the same bytes, unless an
        effect needs the rows before."""
        rows = 20_000  # more than a block
        random = np.random.default_rng(1)
        data = {"x": random.random(rows), "z": random.random(rows),
                "k": np.arange(rows) * 5 % 11 * 1.0,
                "g": np.arange(rows) * 7 % 3,
                "d": np.arange(rows).astype("datetime64[s]")}
        data["y"] = data["x"] ** 2 + data["z"]
        orders = {"random": random.permutation(rows),
                  "by group": np.argsort(data["g"], kind="stable"),
                  "backwards": np.arange(rows)[::-1]}
        for terms in ("s(x, k=8) + l(z) + c(k)", "s(x, k=8) + pid(z, w=3)"):
            model = tamc.AdditiveModel("y ~ " + terms, group="g", date="d")
            predicted = model.fit(data, inference=True).predict(data)
            errors = model.predict(data, se=True)
            effects = model.decompose(data)
            for name, order in orders.items():
                other = {name: values[order] for name, values in data.items()}
                with self.subTest(terms=terms, order=name):
                    self.same(model.predict(other), predicted[order])
                    for wanted, got in (
                            (effects, model.decompose(other)),
                            (errors, model.predict(other, se=True))):
                        for column, values in got.items():
                            self.same(values, wanted[column][order])
                bad = {name: values.copy() for name, values in other.items()}
                bad["d"][13_579] = np.datetime64("NaT")
                with self.assertRaisesRegex(tamc.Error, "^data: row 13579: "
                                            "column 'd': group '[0-2]': "
                                            "expected a date, got a missing "
                                            "value$"):
                    model.predict(bad)
                bad = dict(other, z=other["z"].copy())
                bad["z"][[12_345, 13_333]] = np.nan
                with self.assertRaisesRegex(tamc.Error, "^data: row 12345: "
                                            "column 'z': .*missing value$"):
                    model.predict(bad)

    def test_points_in_time(self):
        """Dates of all units, with and without fractions of a second, of rows
        that are not in their order."""
        rows = 9_000  # more than a block
        random = np.random.default_rng(2)
        days = random.permutation(rows)
        data = {"x": np.sin(np.arange(rows)), "y": np.cos(days / 50.0)}
        model = tamc.AdditiveModel("y ~ pid(x, w=3)", date="d")
        wanted = None
        for unit in ("D", "s", "ms", "us", "ns"):
            for apart in ("D", unit):
                for later in (0, 1, 999):
                    # Before 1970, too; days or parts of a second apart.
                    ticks = (days - 4_000).astype(f"datetime64[{apart}]")
                    data["d"] = (ticks.astype(f"datetime64[{unit}]")
                                 + later * (unit != "D"))
                    with self.subTest(unit=unit, apart=apart, later=later):
                        got = model.fit(data).predict(data)
                        wanted = got if wanted is None else wanted
                        self.same(got, wanted)
        data["d"] = data["d"].astype("datetime64[s]")
        for year in ("-0001", "10000"):
            data["d"][8_765] = np.datetime64(f"{year}-12-31", "s")
            for run in (model.fit, model.predict):
                with self.assertRaisesRegex(tamc.Error, "^data: row 8765: .*"
                                            "expected a time in the years 0000 "
                                            "to 9999"):
                    run(data)

    def test_groups_of_all_types(self):
        """Groups and levels are those of their texts; those that are the same
        number are the same group."""
        rows = 60_000
        numbers = np.arange(rows) // 3  # more than are remembered
        data = {"x": np.arange(rows) % 3 * 1.0, "y": np.arange(rows) % 7 * 1.0}
        model = tamc.AdditiveModel("y ~ l(x)", group="g")
        texts = np.array([str(number) for number in numbers])
        wanted = model.fit(dict(data, g=texts)).coefficients_
        for kind in (np.float64, np.int64, np.float32, np.uint16):
            got = model.fit(dict(data, g=numbers.astype(kind))).coefficients_
            for name in ("group", "value"):
                self.assertEqual(got[name].tolist(), wanted[name].tolist())
        small = {name: values[:12] for name, values in data.items()}
        for group in (np.arange(12) % 2 == 0,
                      np.arange(12) % 2 * np.timedelta64(1, "D")
                      + np.datetime64("2020-02-28"),
                      np.where(np.arange(12) % 2, 0.0, -0.0)):
            got = model.fit(dict(small, g=group))
            again = model.fit(dict(small, g=np.array(
                [str(value) for value in group.tolist()])))
            self.assertEqual(got.coefficients_["value"].tolist(),
                             again.coefficients_["value"].tolist())

    def test_one_dimension_and_order(self):
        # Neither contiguous nor of this machine's byte order.
        data = dict(self.data)
        data["a"] = np.repeat(data["a"], 2)[::2]
        data["b"] = data["b"].astype(">f8")
        self.check(data)


if __name__ == "__main__":
    unittest.main()
