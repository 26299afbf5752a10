# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tune --grid for random formulas, against a slow loop that compiles, fits and
evaluates each candidate by an ordinary executable; and the specs, options and
data that it must accept or refuse."""

import json
import math
import os
import random
import re

import golden  # noqa: F401 (finds harness)
import harness
from random_formula import Formula, random_rows, with_all_levels

# Number of formulas; a longer run uses another number and seed.
COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 6))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261126))

BACKENDS = harness.BUILD / "test" / "backends"

SCORE = 1e-8
# Two scores as close as this may be in any order after rounding.
NEAR = 1e-7

# Parameters that a token may replace, and values that suit all terms.
VALUES = {
    "ap": ("-2.5", "-1", "1"),
    "k": ("4", "7"),
    "m": ("2", "5", "3"),
    "deg": ("3", "2"),
    "n_neurons": ("5", "12"),
    "n_trees": ("2", "4"),
    "max_depth": ("1", "2"),
    "n_centers": ("3", "9"),
    "act": ("'tanh'", "'relu'"),
    "seed": ("1", "77"),
    "w": ("2", "6"),
    "topo": ("'nominal'", "'fourier'"),
    "n_locations": ("3", "6"),
    "extrapolate": ("'constant'", "'continue'"),
}
FORMULA = "y ~ s(a, k=$k, ap=$p) + l(b, ap=$p)"
GRID = "{k: [5, 10], p: [-3, 0, 2]}"


def with_tokens(formula, rng, most):
    """The formula with tokens for up to `most` of its parameters, of the same
    name for some; and their values."""
    found = [match for match in re.finditer(r"(\w+)=([^,)]*)", formula)
             if match[1] in VALUES]
    chosen = sorted(rng.sample(found, min(most, len(found))),
                    key=lambda match: -match.start())
    tokens = {}
    for match in chosen:
        if "extrapolate" == match[1] and "pid(" in formula:
            continue
        name = match[1] if rng.random() < .5 else f"{match[1]}{match.start()}"
        tokens[name] = VALUES[match[1]]
        formula = (formula[:match.start(2)] + "$" + name
                   + formula[match.end(2):])
    names = list(tokens)
    rng.shuffle(names)
    return formula, {name: tokens[name] for name in names}


def substituted(formula, tokens, point):
    for name in sorted(tokens, key=len, reverse=True):
        formula = formula.replace("$" + name, tokens[name][point[name]])
    return formula


def number_or_text(value):
    return json.loads(value) if value[0] != "'" else value.strip("'")


def search(tokens, score):
    """The visited points in order, the best, and the smallest relative
    difference of two scores that were compared."""
    visited, closest = {}, math.inf

    def score_at(point):
        key = tuple(point.items())
        if key not in visited:
            visited[key] = score(point)
        return visited[key]

    def is_better(new, old):
        nonlocal closest
        if new != old:
            closest = min(closest, abs(new / old - 1))
        return new < old * (1 - 1e-8)

    best = None
    for part in (0, 1, 2):
        point = {name: (0, (len(values) - 1) // 2, len(values) - 1)[part]
                 for name, values in tokens.items()}
        own = score_at(point)
        for _ in range(5):
            gained = False
            for name, values in tokens.items():
                for value in range(len(values)):
                    if value == point[name]:
                        continue
                    other = {**point, name: value}
                    if is_better(score_at(other), own):
                        point, own, gained = other, score_at(other), True
            if not gained:
                break
        if best is None or is_better(own, best[1]):
            best = point, own
    return visited, best, closest


class Grid(harness.TestCase):
    def data(self, seed=1, days=60, groups=("A", "B")):
        """Rows of two groups, of which a quarter is marked as test."""
        rng = random.Random(seed)
        rows = []
        for group in groups:
            for day in range(days):
                a, b = rng.uniform(-2, 5), rng.uniform(0, 1)
                rows.append({
                    "day": f"2020-{1 + day // 28:02}-{1 + day % 28:02}",
                    "g": group, "a": repr(a), "b": repr(b),
                    "y": repr(math.sin(2 * a) + b + rng.gauss(0, .3)),
                    "part": "test" if day >= days * .75 else "fit"})
        return rows

    def grid_model(self, formula=FORMULA, grid=GRID, *options, **keys):
        return self.compile(formula, *options, name="grid",
                            **{"group": "g", "date": "day", **keys},
                            grid=grid)

    def tune(self, model, train, *options, output="w.safetensors", **run):
        text = self.succeed(model, "tune", train, "--grid", "--format=json",
                            "-o", self.dir / output, *options, **run)
        return json.loads(text), (self.dir / output).read_bytes()

    def refuse(self, run, message):
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(message, run.stderr)

    def test_random(self):
        same = 0
        for case in range(COUNT):
            rng = random.Random(f"{SEED}.{case}")
            while True:
                formula, tokens = with_tokens(Formula(rng, 3).text(), rng,
                                              2 + case % 2)
                if len(tokens) >= 2:
                    break
            groups = ("9", "10", "11")[:1 if case % 3 else 3]
            rows = [row for group in groups
                    for row in random_rows(rng, [group], 90, 1)
                    + random_rows(rng, [group], 90, 1)]
            for day, row in enumerate(rows):
                row["day"] = day
                row["part"] = "test" if rng.random() < .3 else "fit"
            for group in groups:
                own = [row for row in rows if row["g"] == group]
                own[0]["part"], own[1]["part"] = "test", "fit"
            keys = dict(group="g", date="day")
            if case % 2:
                keys["weights"] = "w"
            with_all_levels([row for row in rows if row["part"] == "fit"])
            with self.subTest(case=case, formula=formula, tokens=tokens):
                same += self.check(formula, tokens, rows, keys)
        # Otherwise the test would compare little.
        self.assertGreaterEqual(same, COUNT // 2)

    def check(self, formula, tokens, rows, keys):
        """Whether the search took the same way as the slow one. They may part
        where two scores differ by less than rounding."""
        train = harness.write_csv(self.dir / "all.csv", rows)
        parts = {part: harness.write_csv(
            self.dir / f"{part}.csv",
            [row for row in rows if row["part"] == part])
            for part in ("fit", "test")}
        grid = "{" + ", ".join(
            f"{name}: [{', '.join(values)}]"
            for name, values in tokens.items()) + "}"
        model = self.grid_model(formula, grid, "--profile", train, **keys)
        got, written = self.tune(model, train, "--split=part=test")

        def compiled(point, name):
            return self.compile(substituted(formula, tokens, point),
                                "--profile", train, name=name, **keys)

        def score(point):
            one = compiled(point, "one")
            weights = self.fit(one, parts["fit"], weights="one.safetensors")
            measures = json.loads(self.succeed(
                one, "evaluate", parts["test"], "--weights", weights,
                "--format=json"))
            return measures["all"]["rmse"]

        visited, (best, least), closest = search(tokens, score)

        def named(point):
            return {name: number_or_text(tokens[name][value])
                    for name, value in point}
        for visit in got["visited"]:
            point = next((key for key in visited
                          if named(key) == visit["values"]), None)
            expected = visited[point] if point else score(
                {name: [number_or_text(v) for v in values].index(
                    visit["values"][name]) for name, values in tokens.items()})
            self.assert_close([visit["score"]], [expected], SCORE, "score")
        self.assertEqual(got["evaluations"], len(got["visited"]))
        self.assert_close([got["score"]], [least], NEAR, "least score")
        # The weights are those of an ordinary fit of all rows with the formula.
        chosen = self.compile(got["formula"], "--profile", train,
                              name="chosen", **keys)
        direct = self.fit(chosen, train, weights="direct.safetensors")
        predictions = [
            [float(row["prediction"]) for row in harness.read_csv(
                self.predict(chosen, train, weights))]
            for weights in (direct, self.dir / "w.safetensors")]
        self.assert_close_to_norm(*predictions[::-1], SCORE, "prediction")
        header = self.header(written)
        expected = self.header(direct.read_bytes())
        for metadata in (header, expected):
            for key in ("model", "checksum"):
                metadata["__metadata__"].pop(key)
        self.assertEqual(header, expected)
        same = ([visit["values"] for visit in got["visited"]]
                == [named(key) for key in visited])
        if not same:
            self.assertLess(closest, NEAR)
        else:
            self.assertEqual(got["values"], named(best.items()))
        return same

    def header(self, written):
        return json.loads(written[8:8 + int.from_bytes(written[:8], "little")])

    def test_bytes(self):
        """The same bytes and output for any threads, chunks and streams."""
        train = harness.write_csv(self.dir / "all.csv", self.data(days=80))
        splits = ("0.25", "2020-03-01", "part=test")
        # What a device runs whose memory the CPU cannot address.
        model = self.grid_model(FORMULA, GRID, "--fuse-rows=false")
        there = {split: self.tune(model, train, f"--split={split}")
                 for split in splits}
        model = self.grid_model()
        for split in splits:
            expected = self.tune(model, train, f"--split={split}",
                                 "--threads=1")
            self.assertEqual(expected[0]["held_out"],
                             {"0.25": 40, "2020-03-01": 48}.get(split, 40))
            for options in (["--threads=2"], ["--threads=3", "--chunk-rows=7"],
                            ["--stream"], ["--stream", "--threads=2"]):
                with self.subTest(split=split, options=options):
                    self.assertEqual(self.tune(
                        model, train, f"--split={split}", *options), expected)
            if any(BACKENDS.glob("libtamrt-backend-sim*")):
                for opaque in "01":
                    environment = dict(os.environ, TAMRT_SIM_OPAQUE=opaque,
                                       TAMRT_BACKEND_PATH=str(BACKENDS))
                    with self.subTest(split=split, device="sim",
                                      opaque=opaque):
                        self.assertEqual(
                            self.tune(model, train, f"--split={split}",
                                      "--device=sim", env=environment),
                            there[split] if opaque == "1" else expected)
        # The default split.
        self.assertEqual(self.tune(model, train),
                         self.tune(model, train, "--split=0.2"))

    def test_text(self):
        train = harness.write_csv(self.dir / "all.csv", self.data())
        model = self.grid_model()
        got, _ = self.tune(model, train)
        run = self.run_program(model, "tune", train, "--grid", "-o", "w2",
                               "--timings")
        self.assertEqual(run.stdout, (
            f"RMSE {got['score']:.10g} of 24 held-out rows after "
            f"{got['evaluations']} evaluations\n\n"
            f"k  {got['values']['k']}\np  {got['values']['p']}\n\n"
            f"{got['formula']}\n"))
        for phase in ("split", "read", "sums", "tune", "fit", "write",
                      "total"):
            self.assertRegex(run.stderr, rf"(?m)^{phase} +[0-9.]+ s$")

    def test_quotes(self):
        """Values that are text, pairs and flags; $ in quotes is no token."""
        rows = self.data()
        for row in rows:
            row["$x"] = row["b"]
        train = harness.write_csv(self.dir / "all.csv", rows)
        model = self.grid_model(
            "y ~ f(a, m=3, period=$r, cyclic=$c) + l('$x', extrapolate = $e)",
            "{r: [None, auto, [-3, 9.5]], c: [true, false], "
            "e: [constant, 'continue']}")
        got, _ = self.tune(model, train)
        self.assertIn("l('$x', extrapolate = ", got["formula"])
        self.assertNotIn("$r", got["formula"])
        chosen = self.compile(got["formula"], name="chosen", group="g",
                              date="day")
        self.predict(chosen, train, self.dir / "w.safetensors")

    def test_unusual_rows(self):
        """Held-out rows without target or weight do not count; missing values
        are dropped only on request."""
        rows = self.data()
        for row in rows:
            row["w"] = "1"
        weighted = self.grid_model(weights="w")
        train = harness.write_csv(self.dir / "all.csv", rows)
        expected = self.tune(weighted, train, "--split=part=test")
        held_out = [row for row in rows if row["part"] == "test"]
        held_out[0].update(w="0", y="1000")
        harness.write_csv(train, [row for row in rows
                                  if row is not held_out[0]])
        without = self.tune(weighted, train, "--split=part=test")
        harness.write_csv(train, rows)
        got = self.tune(weighted, train, "--split=part=test")
        self.assertEqual([v["score"] for v in got[0]["visited"]],
                         [v["score"] for v in without[0]["visited"]])
        self.assertNotEqual(got[0]["score"], expected[0]["score"])
        rows[3]["a"] = ""
        harness.write_csv(train, rows)
        self.refuse(self.run_program(weighted, "tune", train, "--grid",
                                     "-o", "w"), "column 'a'")
        self.tune(weighted, train, "--drop-missing")

    def test_specs(self):
        """Errors of specs have their place."""
        for formula, grid, message, keys in (
                ("y ~ s(a, k=$k)", "{m: [1]}",
                 "expected a list of values for the token $k in the spec's "
                 "key 'grid', got none", {}),
                ("y ~ s(a, k=$k)", None,
                 "expected a list of values for the token $k in the spec's "
                 "key 'grid', got none", {}),
                ("y ~ s(a, k=$k)", "{k: []}",
                 "expected values for 'k' of 'grid', got an empty list", {}),
                ("y ~ s(a, k=$k)", "{k: 3}",
                 "expected a list of values for 'k'", {}),
                ("y ~ s(a, k=$k)", "{k: [3], j: [1]}",
                 "expected a token $j in the formula, got none", {}),
                ("y ~ l(a)", "{}",
                 "expected values of tokens for 'grid', got none", {}),
                ("y ~ s(a, k=$k)", "{k: [3, x]}",
                 "expected an integer from 1 to", {}),
                ("y ~ s(a, k=$k)", "{k: [3, 3]}",
                 "expected '3' once in the values of 'k', got it twice", {}),
                ("y ~ s(a, k=$k)", "{k: [$j]}",
                 "expected a list of values for the token $j", {}),
                ("y ~ s($k)", "{k: [3]}",
                 "expected a column, got unexpected '$'", {}),
                ("y ~ s(a, k=$k)", "{k: [3]}",
                 "expected a spec without 'adapt' beside 'grid', got both",
                 {"adapt": "{window: 9, update: 1, horizon: 1}"}),
                ("y ~ n(a, n_neurons=$k)", "{k: [3]}",
                 "expected a spec without 'state' beside 'grid', got both",
                 {"state": "{a: {b1: [1, 2, 3]}}"}),
                ("y ~ s(a, k=$k)", "{k: [3]}",
                 "expected the direct solver for a formula with tokens, got "
                 "cg", {"solver": "cg"}),
                ("y ~ s(a, k=$k)", "{k: [3]}",
                 "expected a list of values for the token $k",
                 {"defaults": "{s: {deg: $k}}"}),
                ("y ~ te(s(a,k=$a,deg=$b,p=$c),l(b))",
                 "{a: [%s], b: [1,2,3,4,5,6,7,8], c: [0,1,2,3,4,5,6,7]}"
                 % ",".join(map(str, range(9, 29))),
                 "expected at most 1024 choices of values for the tokens of a "
                 "term, got more", {})):
            with self.subTest(formula=formula, grid=grid, **keys):
                lines = [f'formula: "{formula}"']
                if grid is not None:
                    lines.append(f"grid: {grid}")
                lines += [f"{key}: {value}" for key, value in keys.items()]
                spec = self.dir / "bad.yaml"
                spec.write_text("\n".join(lines) + "\n")
                run = self.run_program(harness.TAMC, spec, "-o", "bad")
                self.refuse(run, message)
                if "solver" not in keys:
                    self.assertRegex(run.stderr, r"bad\.yaml:\d+:\d+: error")
        self.refuse(self.run_program(
            harness.TAMC, "-f", "y ~ s(a, k=$k)", "-o", "bad"),
            "expected a list of values for the token $k")
        spec = self.dir / "grid.yaml"
        spec.write_text("formula: y ~ s(a, k=$k)\ngrid: {k: [3, 4]}\n")
        for emit, output in (("cpp", "out.cpp"), ("lib", "out.a")):
            self.refuse(self.run_program(
                harness.TAMC, spec, f"--emit={emit}", "-o", output),
                "expected a spec without 'grid' with --emit=cpp and lib")

    def test_commands(self):
        """Only tune --grid, plan and info know a formula with tokens."""
        train = harness.write_csv(self.dir / "all.csv", self.data())
        model = self.grid_model()
        message = "expected tune --grid, which chooses values for the tokens"
        for command in (["fit", train, "-o", "w"], ["tune", train, "-o", "w"],
                        ["predict", train, "--weights", "w"],
                        ["evaluate", train, "--weights", "w"],
                        ["bench", train],
                        ["summary", "--weights", "w"]):
            with self.subTest(command=command):
                self.refuse(self.run_program(model, *command), message)
        for command in ("plan", "info"):
            self.succeed(model, command)
        plain = self.compile("y ~ l(a)", name="plain")
        self.refuse(self.run_program(plain, "tune", train, "--grid", "-o",
                                     "w"),
                    "expected a formula with tokens, such as k=$k, with "
                    "--grid, got one without")
        self.refuse(self.run_program(plain, "tune", train, "--split=0.2",
                                     "-o", "w"), "expected --grid with --split")
        for option in ("--criterion=reml", "--per-group", "--bounds=-3,3",
                       "--candidates=1,2", "--gamma=1", "--cycles=3",
                       "--inference", "--calibrate=0.2"):
            with self.subTest(option=option):
                self.refuse(
                    self.run_program(model, "tune", train, "--grid", "-o",
                                     "w", option),
                    f"expected no {option.partition('=')[0]}")

    def test_splits(self):
        """Splits that leave nothing."""
        train = harness.write_csv(self.dir / "all.csv", self.data())
        model = self.grid_model()
        before = (self.dir / "w").write_text("kept")
        for split, message in (
                ("part=other", "group 'A': expected some of the rows held out "
                 "by --split=part=other, and some not, got 0 of 60"),
                ("2019-01-01", "group 'A': expected some of the rows held out "
                 "by --split=2019-01-01, and some not, got 60 of 60"),
                ("0.001", "got 0 of 60"),
                ("nowhere=1", "nowhere"),
                ("2", "--split"),
                ("", "expected a value of --split")):
            with self.subTest(split=split):
                self.refuse(self.run_program(
                    model, "tune", train, "--grid", f"--split={split}", "-o",
                    "w"), message)
        self.assertEqual((self.dir / "w").read_text(), "kept")
        self.assertEqual(before, 4)
        self.refuse(self.run_program(
            model, "tune", "-", "--grid", "-o", "w"),
            "expected a file for --split, which is read several times, got "
            "standard input")


if __name__ == "__main__":
    harness.main()
