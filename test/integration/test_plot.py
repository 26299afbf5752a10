# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`plot` and `summary --draw`: the pictures show what decompose, predict and
--se print; pages and pictures are XML and load nothing; all kinds of terms, any
number of groups, data or none; errors."""

import json
import math
import random
import re
import struct
import xml.etree.ElementTree as xml

import small
from small import harness

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
HALF = 1.959963984540054
FORMULA = "y ~ l(a)+f(b,m=3)+s(c,k=5)+c(d,n_cat=7)+te(s(a,k=3),s(b,k=3))"
# Every kind of term, of one input, of two and of more.
ALL = ("y ~ l(a)+f(b,m=3,cyclic=True)+s(c,k=5)+c(d,n_cat=7)+p(c,deg=3)"
       "+w(b,n_scales=2,n_locations=4)+n(a,n_neurons=10)+rbf(c,n_centers=4)"
       "+t(a,n_trees=3,max_depth=2)+lt(b,max_depth=2)+phys(c,k=6)+pid(b,w=3)"
       "+rbf(a,others='b',n_centers=5)+t(a,others='b|c',n_trees=3,max_depth=2)"
       "+te(s(a,k=3),c(d,n_cat=7))+te(s(a,k=3),s(b,k=3))"
       "+te(c(d,n_cat=7),c(e,n_cat=3,levels=True))"
       "+te(s(a,k=3),s(b,k=3),c(d,n_cat=7))+lt(a,slope='b',max_depth=2)"
       "+c(e,n_cat=3,levels=True)")


class Picture:
    """A picture of a page or a file."""

    def __init__(self, element, space):
        self.element, self.space = element, space
        self.title = element.get("aria-label")

    def paths(self, name):
        """Points in pixels of the paths of a class."""
        return [self.points(path) for path in self.element.iter(
                    self.space + "path") if name in path.get("class").split()]

    @staticmethod
    def points(path):
        """A first point, then relative moves, in tenths of pixels."""
        x = y = 0
        points = []
        for part in path.get("d").split("z"):
            first = len(points)
            numbers = [int(text) / 10 for text in re.findall(r"-?\d+", part)]
            for dx, dy in zip(numbers[::2], numbers[1::2]):
                x, y = x + dx, y + dy
                points.append((x, y))
            # A closed polygon ends where it began.
            if numbers:
                x, y = points[first]
        return points

    def dots(self, name):
        """The same for clouds, whose points are lines of no length."""
        dots = []
        for path in self.element.iter(self.space + "path"):
            if name in path.get("class").split():
                x = y = 0
                for dx, dy in re.findall(r"(-?\d+) ?(-?\d+)h0", path.get("d")):
                    x, y = x + int(dx) / 10, y + int(dy) / 10
                    dots.append((x, y))
        return dots

    def axis(self, name):
        """Pixels and values of the ends."""
        return [float(text) for text in self.element.get("data-" + name).split()]

    def value(self, name, at):
        start, end, low, high = self.axis(name)
        return low + (at - start) / (end - start) * (high - low)

    def tolerance(self, name):
        """The value of a rounded pixel."""
        start, end, low, high = self.axis(name)
        return 0.06 * (high - low) / abs(end - start)

    def text(self):
        return " ".join(self.element.itertext())


class TestCase(harness.TestCase):
    def data(self, days=30, groups=2, seed=1):
        return small.generate(self.dir / "train.csv", "--days", days, "--groups",
                              groups, "--seed", seed)

    def page(self, model, weights, *arguments, name="page.html"):
        """The page's root."""
        self.succeed(model, "plot", *arguments, "--weights", weights, "-o",
                     self.dir / name)
        return self.parse(self.dir / name)

    def parse(self, path):
        text = path.read_text(encoding="utf-8")
        # Nothing is loaded.
        self.assertEqual(set(re.findall(r"\w+://[^\s\"'<]*", text)),
                         {HTML.strip("{}")})
        self.assertNotRegex(text, r"\b(src|href|import)\b|url\(|fetch|@font")
        self.assertNotRegex(text, r"(?i)\bnan\b|\binf\b")
        return xml.fromstring(text)

    def views(self, page):
        """The pictures of each view by title, by the view's name."""
        parts = [page.find(f".//{HTML}main"), *page.iter(HTML + "template")]
        names = [option.text for option in page.iter(HTML + "option")] or [""]
        self.assertEqual(len(names), len(parts))
        views = {}
        for name, part in zip(names, parts):
            pictures = [Picture(element, HTML)
                        for element in part.iter(HTML + "svg")]
            views[name] = {picture.title: picture for picture in pictures}
            self.assertEqual(len(views[name]), len(pictures))
        return views

    def notes(self, page):
        return " ".join(page.find(f".//{HTML}footer").itertext())

    def decompose(self, model, weights, rows, *options):
        """Rows of decompose for rows of data."""
        path = harness.write_csv(self.dir / "grid.csv", rows)
        out = self.dir / "terms.csv"
        self.succeed(model, "decompose", path, "--weights", weights, "-o", out,
                     *options)
        return harness.read_csv(out)

    def check_curve(self, model, weights, picture, group, column, effect, *,
                    inference):
        """That a curve, and its band, are what decompose prints."""
        (curve,), bands = picture.paths("c"), picture.paths("b")
        low, high = picture.axis("x")[2:]
        count = len(curve)
        self.assertGreaterEqual(count, 101)
        xs = [low + (high - low) * (i / (count - 1)) for i in range(count)]
        for x, (at, _) in zip(xs, curve):
            self.assertAlmostEqual(picture.value("x", at), x,
                                   delta=picture.tolerance("x"))
        rows = self.decompose(
            model, weights,
            [{"date": "2015-01-01", "g": group, "a": 0.5, "b": 0.1, "c": 1,
              "d": 0, "e": "u", column: repr(x)} for x in xs],
            *["--se"] * inference)
        expected = [float(row[effect]) for row in rows]
        got = [picture.value("y", y) for _, y in curve]
        if not inference:
            mean = sum(expected) / count
            expected = [value - mean for value in expected]
        self.assert_close(got, expected, 0, effect,
                          absolute=picture.tolerance("y"))
        self.assertEqual(len(bands), inference)
        if inference:
            se = [float(row["se_" + effect]) for row in rows]
            (band,) = bands
            self.assertEqual(len(band), 2 * count)
            for sign, half in ((1, band[:count]), (-1, band[:count - 1:-1])):
                self.assert_close(
                    [picture.value("y", y) for _, y in half],
                    [value + sign * HALF * error
                     for value, error in zip(expected, se)], 0, "band",
                    absolute=picture.tolerance("y"))


class Effects(TestCase):
    def test_curves(self):
        """Those of each group, with bands and without."""
        train = self.data()
        model = self.compile(FORMULA, **small.KEYS)
        for inference in (True, False):
            weights = self.fit(model, train, *["--inference"] * inference)
            page = self.page(model, weights)
            views = self.views(page)
            self.assertEqual(list(views), ["all groups", "0", "1"])
            for group in ("0", "1"):
                for column, effect in (("a", "l_a"), ("b", "b"), ("c", "c")):
                    effect = effect if effect in views[group] else column
                    self.check_curve(model, weights, views[group][effect],
                                     group, column, effect,
                                     inference=inference)
            self.assertEqual("without --inference" in self.notes(page),
                             not inference)

    def test_categories(self):
        train = self.data()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train, "--inference")
        picture = self.views(self.page(model, weights))["1"]["d"]
        rows = self.decompose(
            model, weights, [{"date": "2015-01-01", "g": 1, "a": 0.5, "b": 0.1,
                              "c": 1, "d": level} for level in range(7)],
            "--se")
        dots = picture.dots("p")
        self.assertEqual(len(dots), 7)
        for level, ((x, y), interval, row) in enumerate(
                zip(dots, picture.paths("i"), rows)):
            self.assertAlmostEqual(picture.value("x", x), level, delta=0.01)
            value, error = float(row["d"]), float(row["se_d"])
            for at, sign in ((y, 0), (interval[0][1], -1), (interval[1][1], 1)):
                self.assertAlmostEqual(
                    picture.value("y", at), value + sign * HALF * error,
                    delta=picture.tolerance("y"))

    def test_products(self):
        """A contour is where decompose has its value, to a pixel."""
        train = self.data()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train, "--inference")
        picture = self.views(self.page(model, weights))["0"]["te_a_x_b"]
        checked = 0
        for group in picture.element.iter(HTML + "g"):
            title = group.find(HTML + "title")
            path = group.find(HTML + "path")
            if title is None or " l" not in path.get("class"):
                continue
            level = float(title.text.split(" to ")[0])
            left, right = sorted(picture.axis("x")[:2])
            top, bottom = sorted(picture.axis("y")[:2])
            inside = [(x + dx, y + dy) for x, y in Picture.points(path)
                      if left + 1 < x < right - 1 and top + 1 < y < bottom - 1
                      for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
            if not inside:
                continue
            rows = self.decompose(
                model, weights,
                [{"date": "2015-01-01", "g": 0, "a": picture.value("x", x),
                  "b": picture.value("y", y), "c": 1, "d": 0}
                 for x, y in inside], "--se")
            values = [float(row["te_a_x_b"]) for row in rows]
            for i in range(0, len(values), 4):
                around = values[i:i + 4]
                # Where it is flat, a contour may be somewhat farther away.
                self.assertLessEqual(min(around), level + 0.01)
                self.assertGreaterEqual(max(around), level - 0.01)
            checked += len(values)
        self.assertGreater(checked, 1000)

    def test_all_terms(self):
        rows = harness.read_csv(self.data(days=60))
        for i, row in enumerate(rows):
            row["e"] = ("u", "<v>", "w & x")[i % 3]
        train = harness.write_csv(self.dir / "train.csv", rows)
        model = self.compile(ALL, **small.KEYS)
        weights = self.fit(model, train)
        terms = harness.header(self.predict(model, train, weights,
                                            "--type=terms"))[3:]
        view = self.views(self.page(model, weights, train))["1"]
        split = {"t_a_2": "abc", "te_a_x_b_x_d": "abd"}
        names = [name for name in view if "-" not in name]
        shown = {name.split("-")[0] for name in view if "Residual" not in name}
        self.assertEqual(set(terms) - shown, set())
        for name, columns in split.items():
            for column in columns:
                picture = view[f"{name}-{column}"]
                self.assertIn("other inputs in the middle", picture.text())
        for name in names:
            picture = view[name]
            if name.startswith("pid"):
                self.assertIn("rows before", picture.text())
                continue
            if name == "Coverage of intervals":
                continue
            marks = [kind for kind in ("c", "p", "h", "d", "k")
                     if picture.paths(kind)]
            self.assertTrue(marks, name)
        self.assertTrue(view["te_d_x_e"].paths("h"))
        self.assertIn("w & x", view["te_d_x_e"].text())
        for column, effect in (("a", "n_a"), ("a", "t_a"), ("b", "w_b"),
                               ("c", "p_c"), ("c", "phys_c"), ("b", "lt_b"),
                               ("c", "rbf_c")):
            self.check_curve(model, weights,
                             self.views(self.page(model, weights))["0"][effect],
                             "0", column, effect, inference=False)

    def test_centred_by_data(self):
        """Without inference the mean over the rows is subtracted."""
        train = self.data()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train)
        page = self.page(model, weights, train)
        picture = self.views(page)["1"]["c"]
        terms = [float(row["c"]) for row in harness.read_csv(self.predict(
            model, train, weights, "--type=terms")) if row["g"] == "1"]
        low = min(float(row["c"]) for row in harness.read_csv(train)
                  if row["g"] == "1")
        (curve,) = picture.paths("c")
        first = self.decompose(model, weights, [
            {"date": "2015-01-01", "g": 1, "a": 0.5, "b": 0.1, "c": repr(low),
             "d": 0}])[0]
        self.assertAlmostEqual(
            picture.value("y", curve[0][1]),
            float(first["c"]) - sum(terms) / len(terms),
            delta=picture.tolerance("y"))
        self.assertIn("the group's rows of the data", self.notes(page))

    def test_no_groups(self):
        train = self.data(groups=1)
        model = self.compile("y ~ s(a,k=4)+c(d,n_cat=7)", date="date")
        weights = self.fit(model, train, "--inference")
        page = self.page(model, weights, train)
        self.assertEqual(list(self.views(page)), [""])
        self.assertIsNone(page.find(f".//{HTML}select"))
        self.assertIn("a", self.views(page)[""])

    def test_only_the_offset(self):
        train = self.data(groups=1)
        model = self.compile("y ~ 1")
        weights = self.fit(model, train, "--inference")
        self.assertEqual(self.views(self.page(model, weights)), {"": {}})

    def test_many_groups(self):
        train = self.data(days=100, groups=48)
        model = self.compile("y ~ l(a)+s(b,k=20)+s(c,k=20)+c(d,n_cat=7)",
                             **small.KEYS)
        weights = self.fit(model, train, "--inference")
        views = self.views(self.page(model, weights, train))
        self.assertEqual(list(views),
                         ["all groups", *(str(i) for i in range(48))])
        self.assertEqual(len(views["all groups"]["c"].paths("o")), 48)
        self.assertLess((self.dir / "page.html").stat().st_size, 3 << 20)

    def test_hostile_names(self):
        """Names of groups and levels."""
        groups = ["</script>", "a&b", "a/b", "\u00e4\u2028\u202e", "\x1b[2J",
                  "a_b", "]]>", "x" * 300]
        rows = [row | {"k": ("<p>", "&amp;", "\x01")[i % 3]}
                for i, row in enumerate(small.rows(groups=groups))]
        train = harness.write_csv(self.dir / "train.csv", rows)
        model = self.compile("y ~ l(a)+c(k,n_cat=3,levels=True)", **small.KEYS)
        weights = self.fit(model, train, "--inference")
        page = self.page(model, weights, train, "--svg", self.dir / "svg")
        names = [option.text for option in page.iter(HTML + "option")]
        self.assertEqual(sorted(names[1:]), sorted(
            group.replace("\x1b", "\ufffd") for group in groups))
        files = {path.name for path in (self.dir / "svg").iterdir()}
        self.assertIn("a_b-l_a.svg" if "a_b-l_a.svg" in files else "a_b-a.svg",
                      files)
        for path in (self.dir / "svg").iterdir():
            xml.parse(path)
        self.assertEqual(len([name for name in files if name.startswith("a_b")
                              and "-k" in name]), 3, files)
        text = self.succeed(model, "summary", "--weights", weights, "--draw",
                            "--group=\x1b[2J")
        self.assertNotIn("\x1b", text.split("share %")[1].replace(
            "\x1b[2J", "", 0))


class Residuals(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.data(days=400)
        self.model = self.compile(FORMULA, **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference")
        self.view = self.views(self.page(self.model, self.weights, self.train))

    def residuals(self, group, *options):
        """Rows of the data with their predictions."""
        table = harness.read_csv(self.predict(self.model, self.train,
                                              self.weights, *options))
        rows = harness.read_csv(self.train)
        return [row | other for row, other in zip(rows, table)
                if row["g"] == group]

    def test_over_time(self):
        picture = self.view["1"]["Residuals over time"]
        rows = self.residuals("1")
        dots = picture.dots("d")
        self.assertEqual(len(dots), len(rows))
        for (_, y), row in zip(dots, rows):
            self.assertAlmostEqual(
                picture.value("y", y),
                float(row["y"]) - float(row["prediction"]),
                delta=picture.tolerance("y"))
        days = [picture.value("x", x) / 86400 for x, _ in dots]
        self.assertAlmostEqual(days[0], 16436, delta=1)
        self.assertAlmostEqual(days[-1], 16436 + 399, delta=1)
        self.assertIn("2016", picture.text())

    def test_observed_and_fitted(self):
        picture = self.view["0"]["Observed against fitted"]
        expected = sorted((float(row["prediction"]), float(row["y"]))
                          for row in self.residuals("0"))
        got = [(picture.value("x", x), picture.value("y", y))
               for x, y in picture.dots("d")]
        self.assertEqual(len(got), len(expected))
        for (x, y), (a, b) in zip(got, expected):
            self.assertAlmostEqual(x, a, delta=picture.tolerance("x"))
            self.assertAlmostEqual(y, b, delta=picture.tolerance("y"))

    def check_coverage(self, picture, *options, groups=("0",)):
        levels = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
        interval = "--interval=" + ",".join(f"0.{level}" for level in levels)
        rows = [row for group in groups
                for row in self.residuals(group, interval, *options)
                if row.get("w") != "0"]
        dots = picture.dots("p")
        self.assertEqual(len(dots), len(levels))
        for (x, y), level in zip(dots, levels):
            # 0.10 is written 1.
            name = f"{level}" if level % 10 else f"{level // 10}"
            name = name if f"lower_{name}" in rows[0] else f"{level}"
            inside = sum(float(row[f"lower_{name}"]) <= float(row["y"])
                         <= float(row[f"upper_{name}"]) for row in rows)
            self.assertAlmostEqual(picture.value("x", x), level, delta=0.1)
            self.assertAlmostEqual(picture.value("y", y),
                                   100 * inside / len(rows), delta=0.1)

    def test_coverage(self):
        self.check_coverage(self.view["0"]["Coverage of intervals"])

    def test_coverage_of_rows_with_weights(self):
        """Each has the interval of its weight; those of weight 0 have none."""
        rng = random.Random(1)
        self.train = harness.write_csv(self.train, [
            dict(row, w=rng.choice(("0", "0.01", "1", "20")))
            for row in harness.read_csv(self.train)])
        self.model = self.compile(FORMULA, weights="w", name="weighted",
                                  **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference")
        view = self.views(self.page(self.model, self.weights, self.train))
        self.check_coverage(view["0"]["Coverage of intervals"])
        none = harness.write_csv(self.dir / "none.csv", [
            dict(row, w="0") for row in harness.read_csv(self.train)])
        picture = self.views(self.page(self.model, self.weights, none))[
            "0"]["Coverage of intervals"]
        self.assertEqual(picture.dots("p"), [])

    def test_coverage_of_conformal_intervals(self):
        """Of weights with held-out residuals, beside or without errors."""
        both = self.fit(self.model, self.train, "--inference",
                        "--calibrate=0.5")
        views = self.views(self.page(self.model, both, self.train))
        self.weights = both
        self.check_coverage(views["1"]["Coverage of intervals"], groups="1")
        alone = self.fit(self.model, self.train, "--calibrate=0.5",
                         weights="alone")
        title = "Coverage of conformal intervals"
        of_alone = self.views(self.page(self.model, alone, self.train))
        self.assertNotIn("Coverage of intervals", of_alone["1"])
        self.assertNotIn(title, self.view["1"])
        for found in (views, of_alone):
            for view, groups in (("0", "0"), ("1", "1"), ("all groups", "01")):
                self.check_coverage(found[view][title], "--method=conformal",
                                    groups=groups)

    def test_months_and_groups(self):
        picture = self.view["0"]["Residuals by month"]
        boxes = picture.paths("m")
        self.assertEqual(len(boxes), 12)
        rows = self.residuals("0")
        for month, box in enumerate(boxes, 1):
            of = sorted(float(row["y"]) - float(row["prediction"])
                        for row in rows if int(row["date"][5:7]) == month)
            middle = (of[(len(of) - 1) // 2] + of[len(of) // 2]) / 2
            self.assertAlmostEqual(picture.value("y", box[0][1]), middle,
                                   delta=picture.tolerance("y"))
        self.assertNotIn("Residuals by hour", self.view["0"])
        self.assertEqual(
            len(self.view["all groups"]["Residuals by g"].paths("m")), 2)

    def test_hours(self):
        rows = harness.read_csv(self.train)
        for i, row in enumerate(rows):
            row["date"] += f"T{i % 24:02}:30"
        train = harness.write_csv(self.dir / "hours.csv", rows)
        picture = self.views(self.page(self.model, self.weights, train))[
            "0"]["Residuals by hour"]
        # Two groups: every other row.
        self.assertEqual(len(picture.paths("m")), 12)

    def test_quantiles(self):
        picture = self.view["0"]["Quantiles of the residuals"]
        of = sorted(float(row["y"]) - float(row["prediction"])
                    for row in self.residuals("0"))
        mean = sum(of) / len(of)
        sd = math.sqrt(sum((value - mean) ** 2 for value in of) / len(of))
        dots = picture.dots("d")
        self.assertEqual(len(dots), 200)
        for i, (_, y) in enumerate(dots):
            self.assertAlmostEqual(
                picture.value("y", y),
                (of[i * (len(of) - 1) // 199] - mean) / sd,
                delta=picture.tolerance("y"))
        self.assertLess(picture.value("x", dots[0][0]), -2.8)

    def test_thinned(self):
        """Of many rows some are drawn, the extreme ones among them."""
        rows = harness.read_csv(self.data(days=2500, groups=1, seed=2))
        rows[1234]["y"] = "1e4"
        train = harness.write_csv(self.dir / "many.csv", rows)
        picture = self.views(self.page(self.model, self.weights, train))[
            "0"]["Residuals over time"]
        dots = picture.dots("d")
        self.assertLessEqual(len(dots), 1500)
        self.assertGreater(len(dots), 1300)
        self.assertIn(f"{len(dots)} of 2500 rows", picture.text())
        self.assertGreater(max(picture.value("y", y) for _, y in dots), 9e3)

    def test_other_dates(self):
        """Numbers, and none."""
        rows = harness.read_csv(self.train)
        for i, row in enumerate(rows):
            row["date"] = str(i / 4 - 50)
        train = harness.write_csv(self.dir / "numbers.csv", rows)
        picture = self.views(self.page(self.model, self.weights, train))[
            "0"]["Residuals over time"]
        dots = picture.dots("d")
        self.assertAlmostEqual(picture.value("x", dots[0][0]), -50,
                               delta=picture.tolerance("x"))
        model = self.compile("y ~ l(a)", name="plain")
        weights = self.fit(model, self.train)
        view = self.views(self.page(model, weights, self.train))[""]
        self.assertIn("row", view["Residuals over time"].text())
        self.assertIn("--inference", view["Coverage of intervals"].text())
        self.assertNotIn("Residuals by month", view)

    def test_few_rows(self):
        """One row, of one group."""
        rows = harness.read_csv(self.train)[:1]
        train = harness.write_csv(self.dir / "one.csv", rows)
        page = self.page(self.model, self.weights, train)
        views = self.views(page)
        self.assertIn("Residuals over time", views["0"])
        self.assertNotIn("Residuals over time", views["1"])
        self.assertIn("no rows of this group", " ".join(page.itertext()) + " "
                      + " ".join(part.text or "" for part in page.iter()))


class Runs(TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.data()
        self.model = self.compile(FORMULA, **small.KEYS)
        self.weights = self.fit(self.model, self.train, "--inference")

    def bytes_of(self, *options, weights=None):
        self.succeed(self.model, "plot", self.train, "--weights",
                     weights or self.weights, "-o", "p.html", "--svg", "svg",
                     *options)
        return [(self.dir / "p.html").read_bytes(),
                *(path.read_bytes()
                  for path in sorted((self.dir / "svg").iterdir()))]

    def test_bytes(self):
        """The same for any threads and chunks."""
        for inference in ([], ["--inference"]):
            weights = self.fit(self.model, self.train, *inference)
            good = self.bytes_of("--threads", 1, weights=weights)
            for options in (["--threads", 2], ["--threads", 5],
                            ["--chunk-rows", 1], ["--memory", "600M"],
                            ["--chunk-rows", 7, "--threads", 3]):
                self.assertEqual(self.bytes_of(*options, weights=weights), good,
                                 options)

    def test_timings(self):
        for data in ((), (self.train,)):
            run = self.run_program(self.model, "plot", *data, "--weights",
                                   self.weights, "-o", "p.html",
                                   "--timings=json")
            timings = json.loads(run.stderr)
            self.assertLessEqual(
                {"draw", "write", "total"}
                | ({"read", "predict"} if data else set()), set(timings))

    def test_files(self):
        """A page, pictures, or both; a page on standard output."""
        self.succeed(self.model, "plot", "--weights", self.weights, "--svg",
                     "only")
        names = {path.name for path in (self.dir / "only").iterdir()}
        effects = ["a", "b", "c", "d", "te_a_x_b"]
        terms = harness.header(self.predict(self.model, self.train, self.weights,
                                            "--type=terms"))[3:]
        self.assertEqual(len(terms), len(effects))
        self.assertEqual(names, {f"{group}-{term}.svg" for term in terms
                                 for group in ("all-groups", "0", "1")})
        for name in names:
            text = (self.dir / "only" / name).read_text()
            self.assertEqual(set(re.findall(r"\w+://[^\s\"'<]*", text)),
                             {SVG.strip("{}")})
            self.assertEqual(xml.fromstring(text).tag, SVG + "svg")
        page = self.succeed(self.model, "plot", "--weights", self.weights, "-o",
                            "-")
        self.succeed(self.model, "plot", "--weights", self.weights, "-o", "p")
        self.assertEqual(page, (self.dir / "p").read_text())
        with open(self.train, encoding="utf-8") as data:
            self.succeed(self.model, "plot", "-", "--weights", self.weights,
                         "-o", "stdin", stdin=data)
        self.succeed(self.model, "plot", self.train, "--weights", self.weights,
                     "-o", "file")
        self.assertEqual((self.dir / "stdin").read_bytes(),
                         (self.dir / "file").read_bytes())

    def failure(self, says, *command):
        run = self.run_program(self.model, *command)
        self.assertEqual(run.returncode, 1, (command, run.stdout, run.stderr))
        self.assertRegex(run.stderr, r"\Amodel: error: [^\n]*\n\Z")
        self.assertIn(says, run.stderr)

    def test_errors(self):
        plot = ["plot", "--weights", self.weights]
        page = ["-o", "page.html"]
        self.failure("expected -o PAGE.html or --svg DIR", *plot)
        self.failure("expected --weights", "plot", *page)
        self.failure("no/page.html", *plot, "-o", "no/page.html")
        (self.dir / "plain").write_text("")
        self.failure("plain: cannot make the folder: File exists", *plot,
                     "--svg", "plain")
        self.failure("plain/svg: cannot make the folder: Not a directory",
                     *plot, "--svg", "plain/svg")
        self.failure("none.csv", *plot, "none.csv", "--svg", "new/svg")
        self.assertFalse((self.dir / "new").exists())
        self.failure("of the run", *plot, "-o", self.weights)
        self.failure("of the run", *plot, self.train, "-o", self.train)
        self.failure("none.csv", *plot, "none.csv", *page)
        # Pictures replace neither inputs nor the page.
        inside = self.dir / "inside"
        inside.mkdir()
        kept = inside / "1-c.svg"
        kept.write_bytes(self.weights.read_bytes())
        self.failure("of the run", "plot", "--weights", kept, "--svg", inside)
        self.assertEqual(kept.read_bytes(), self.weights.read_bytes())
        kept.unlink()
        self.failure("1-c.svg: expected a file of its own for the page", *plot,
                     "--svg", inside, "-o", kept)
        # An error leaves none of the pictures.
        self.assertEqual(list(inside.iterdir()), [])
        kept.mkdir()
        self.failure("1-c.svg: ", *plot, "--svg", inside)
        self.assertEqual(list(inside.iterdir()), [kept])
        self.failure("the data or the weights from standard input", "plot", "-",
                     "--weights", "-", *page)
        self.assertFalse((self.dir / "page.html").exists())

    def test_targets(self):
        """Data without the target, and rows without its value."""
        rows = harness.read_csv(self.train)
        without = harness.write_csv(
            self.dir / "without.csv",
            [{key: row[key] for key in row if key != "y"} for row in rows])
        plot = ["plot", "--weights", self.weights, "-o", "page.html"]
        self.failure("column 'y'", *plot, without)
        rows[3]["y"] = ""
        rows[4]["g"] = "2"
        path = harness.write_csv(self.dir / "group.csv", rows)
        self.failure("expected a group that was trained", *plot, path)
        rows[3]["y"] = ""
        rows[4]["g"] = "0"
        path = harness.write_csv(self.dir / "missing.csv", rows)
        for options, said in (
                ((), f"left out of the residuals: 1 of {len(rows)} rows, which "
                     "have no target"),
                (("--drop-missing",), "dropped 0 of")):
            run = self.run_program(self.model, *plot, path, *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(said, run.stderr)

    def test_beyond_the_range(self):
        rows = harness.read_csv(self.train)
        rows[0]["c"] = "1e3"
        path = harness.write_csv(self.dir / "far.csv", rows)
        run = self.run_program(self.model, "plot", path, "--weights",
                               self.weights, "-o", "page.html")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("column 'c': 1 of", run.stderr)
        rows[0]["c"] = "1e308"
        path = harness.write_csv(self.dir / "far.csv", rows)
        self.failure("line 2: group '0': term s(c,k=5): expected a finite "
                     "number, got inf", "plot", path,
                     "--weights", self.weights, "-o", "page.html")

    def test_no_variance(self):
        """A group without variance of its residuals has no errors."""
        content = bytearray(self.weights.read_bytes())
        size, = struct.unpack_from("<Q", content)
        header = json.loads(content[8:8 + size])
        fields = json.loads(header["__metadata__"]["inference"])["groups"]
        start = 8 + size
        groups = start + header["inference.groups"]["data_offsets"][0]
        for field, value in (("sigma2", math.nan), ("edf", 1e9)):
            struct.pack_into("<d", content, groups + 8 * fields.index(field),
                             value)
        first, last = header["inference.covariance"]["data_offsets"]
        for at in range(first, first + (last - first) // 2, 8):
            struct.pack_into("<d", content, start + at, math.nan)
        self.weights.write_bytes(harness.seal(bytes(content)))
        page = self.page(self.model, self.weights, self.train)
        self.assertIn("No standard errors: group '0': expected more training "
                      "rows", self.notes(page))
        views = self.views(page)
        for group in ("0", "1"):
            self.assertTrue(views[group]["c"].paths("c"))
            self.assertEqual(views[group]["c"].paths("b"), [])
            self.assertEqual(views[group]["Coverage of intervals"].dots("p"),
                             [])


class Characters(TestCase):
    def test_summary(self):
        train = self.data()
        model = self.compile(FORMULA, **small.KEYS)
        weights = self.fit(model, train, "--inference")
        plain = self.succeed(model, "summary", "--weights", weights)
        text = self.succeed(model, "summary", "--weights", weights, "--draw")
        self.assertTrue(text.startswith(plain))
        drawn = text[len(plain):]
        self.assertIn("g 0", drawn)
        self.assertIn("the first of 2", drawn)
        for line in drawn.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertEqual(line, line.rstrip())
        for name in ("te_a_x_b", "edf"):
            self.assertIn(name, drawn)
        self.assertRegex(drawn, "[\u2801-\u28ff]")
        self.assertRegex(drawn, "[\u2591-\u2593]")
        other = self.succeed(model, "summary", "--weights", weights, "--draw",
                             "--group", "1")
        self.assertIn("g 1", other)
        self.assertNotIn("the first of", other)
        self.assertNotEqual(other, text)
        for says, options in (
                ("expected one of the groups '0', '1', got 'x'",
                 ["--draw", "--group=x"]),
                ("expected --draw with --group", ["--group=1"]),
                ("expected --draw without --format",
                 ["--draw", "--format=json"])):
            run = self.run_program(model, "summary", "--weights", weights,
                                   *options)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(says, run.stderr)

    def test_curve(self):
        """A line rises from the lower left to the upper right corner."""
        rows = [{"a": str(i), "y": str(2 * i + i % 2)} for i in range(50)]
        train = harness.write_csv(self.dir / "train.csv", rows)
        model = self.compile("y ~ l(a)")
        weights = self.fit(model, train, "--inference")
        drawn = self.succeed(model, "summary", "--weights", weights,
                             "--draw").split("share %")[1]
        lines = [line for line in drawn.splitlines()
                 if re.search("[\u2502\u2524]", line)]
        self.assertEqual(len(lines), 12)
        middles = []
        for line in lines:
            marks = [at for at, c in enumerate(line) if "\u2801" <= c <= "\u28ff"]
            middles.append(sum(marks) / len(marks))
        self.assertEqual(middles, sorted(middles, reverse=True))
        self.assertGreater(middles[0], 60)
        self.assertLess(middles[-1], 20)


if __name__ == "__main__":
    harness.main()
