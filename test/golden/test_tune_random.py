# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by GCV for random models, against the search of
reference.gcv, and the formulas, options and data that tune must accept or
refuse."""

import json
import math
import os
import random

import golden  # noqa: F401 (finds harness)
import harness
from random_formula import Formula, random_rows, with_all_levels
from reference.gcv import Gcv

# Number of formulas; a longer run uses another number and seed.
COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 14))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261125))
BACKENDS = harness.BUILD / "test" / "backends"

# What the formulas must have, one after another.
WANTED = ("te(", "te(te(", "sp_alpha=1", "topo='ordinal'", "topo='fourier'",
          "pid(", "phys(")
MOST_COLUMNS = 18
# A score differs from the exact one by at most this, relative to it, over the
# part of the rows that the degrees of freedom leave.
SCORE = 1e-8
# What a strong penalty leaves of the sums in its null space is rounded with A,
# whose elements are 10^ap times as large.
STRENGTH = 1e-13

SEARCHES = (
    dict(),
    dict(low=-6.0, high=2.0),
    dict(low=2.0, high=3.0),
    dict(low=-12.0, high=-3.5, gamma=1.0),
    dict(candidates=(-30.0, -12.0, -6.0, -3.0, -1.0, 0.0, 2.0, 6.0)),
    dict(candidates=(1.0, -7.5, -0.5, -30.0), gamma=2.0),
    dict(cycles=1),
)


def draw_formula(rng, wanted):
    """A formula that has the given text."""
    while True:
        draws = Formula(rng)
        terms, room = [], MOST_COLUMNS - 1
        for _ in range(rng.randint(1, 3)):
            if room == 0:
                break
            text, columns = draws.term(room)
            room -= columns
            terms.append(text)
        if wanted in "+".join(terms):
            return "y ~ " + " + ".join(terms)


def draw_case(rng, case):
    """A formula, the groups and the rows of its data, and the keys of the
    spec: with one group or three, without weights or with some of zero."""
    formula = draw_formula(rng, WANTED[case % len(WANTED)])
    groups = ("9", "10", "11")[:1 if case % 3 else 3]
    rows = [row for group in groups
            for row in random_rows(rng, [group], 90, 1)
            + random_rows(rng, [group], 90, 1)][:200]
    for day, row in enumerate(rows):
        row["day"] = day
    with_all_levels(rows)
    keys = dict(group="g", date="day")
    if case % 2:
        keys["weights"] = "w"
        for row in rows:
            if rng.random() < .1:
                row["w"] = "0"
    return formula, groups, rows, keys


def options_of(low=None, high=None, candidates=(), gamma=None, cycles=None):
    options = []
    if low is not None:
        options.append(f"--bounds={low},{high}")
    if candidates:
        options.append(f"--candidates={','.join(map(repr, candidates))}")
    if gamma:
        options.append(f"--gamma={gamma}")
    if cycles:
        options.append(f"--cycles={cycles}")
    return options


def aps_of(result):
    return [coordinate["ap"] for coordinate in result["coordinates"]]


class TuneRandom(harness.TestCase):
    def tune(self, model, train, *options, output="w.safetensors", **run):
        """The result, and the bytes of the weights."""
        text = self.succeed(model, "tune", train, "-o", self.dir / output,
                            "--format=json", *options, **run)
        return json.loads(text), (self.dir / output).read_bytes()

    def check_formula(self, result, train, *compiling, **keys):
        """The formula with the chosen aps gives the coefficients of the last
        weights of tune."""
        model = self.dir / "model"
        other = self.compile(result["formula"], *compiling, name="other",
                             **keys)
        again = self.fit(other, train, f"--ap=offset={aps_of(result)[0]!r}",
                         weights="again.safetensors")
        self.assertEqual(
            self.succeed(other, "coefficients", "--weights", again),
            self.succeed(model, "coefficients", "--weights",
                         "w.safetensors"))

    def check_search(self, oracle, model, train, **search):
        """Returns whether the searches took the same way. They may part where
        rounding errors are more than the difference of two scores."""
        got, _ = self.tune(model, train, *options_of(**search))
        self.assertEqual([c["effect"] for c in got["coordinates"]],
                         [c.name for c in oracle.coordinates])
        found = oracle.search(**search)
        left = float(found.left)
        greatest = max(search.get("candidates") or [search.get("high", 6.0)])
        noise = max(SCORE, STRENGTH * 10.0 ** greatest)
        there = oracle.score(aps_of(got), search.get("gamma", 1.4))
        self.assert_close([got["score"]], [float(there)], noise / left,
                          "score")
        if (aps_of(got), got["evaluations"]) == (found.aps,
                                                 found.evaluations):
            return True
        self.assertLess(found.closest, noise / left, (got, found))
        self.assert_close([float(there)], [float(found.score)],
                          10 * noise / left, "score of another way")
        return False

    def test_random(self):
        same = total = 0
        for case in range(COUNT):
            # Each case has its own generator, so that it can be rerun.
            formula, _, rows, keys = draw_case(
                random.Random(f"{SEED}.{case}"), case)
            train = harness.write_csv(self.dir / "train.csv", rows)
            with self.subTest(case=case, formula=formula, **keys):
                model = self.compile(formula, "--profile", train, **keys)
                oracle = Gcv(formula, rows, **keys)
                for search in SEARCHES:
                    with self.subTest(**search):
                        total += 1
                        same += self.check_search(oracle, model, train,
                                                  **search)
                self.check_runs(model, train, formula, keys)
        # Few searches are a matter of rounding.
        self.assertGreater(same, total * .8)

    def check_runs(self, model, train, formula, keys):
        """The same bytes however it is computed."""
        result, weights = self.tune(model, train)
        for options in (("--threads=1",), ("--threads=2", "--chunk-rows=7"),
                        ("--threads=3",), ("--stream", "--chunk-rows=64")):
            with self.subTest(options):
                got = self.tune(model, train, *options, output="same")
                self.assertEqual(got, (result, weights))
        self.check_formula(result, train, "--profile", train, **keys)
        if any(BACKENDS.glob("libtamrt-backend-sim*")):
            environment = dict(os.environ, TAMRT_BACKEND_PATH=str(BACKENDS))
            with self.subTest(device="sim"):
                got = self.tune(model, train, "--device=sim", output="same",
                                env=environment)
                self.assertEqual(got, (result, weights))

    def test_levels(self):
        """Rows summed by the levels of a grid."""
        rng = random.Random(f"{SEED}.levels")
        rows = with_all_levels(random_rows(rng, ["p", "q"], 300, 1))
        for row in rows:
            for name in "ab":
                row[name] = repr(round(float(row[name]) * 2) / 2)
        train = harness.write_csv(self.dir / "train.csv", rows)
        formula = ("y ~ s(a, k=4, ap=-1) + te(c(k, n_cat=5), p(b, deg=2)) + "
                   "f(b, m=2)")
        for keys in (dict(), dict(weights="w")):
            model = self.compile(formula, "--profile", train,
                                 "--rows-per-level=1", group="g", **keys)
            run = self.run_program(model, "tune", train, "-o", "w",
                                   "--timings")
            self.assertIn("levels of '", run.stderr)
            oracle = Gcv(formula, rows, group="g", **keys)
            for search in (dict(low=-6.0, high=1.0), dict(cycles=1)):
                with self.subTest(**search, **keys):
                    self.check_search(oracle, model, train, **search)

    def test_spellings(self):
        """The formula that tune prints compiles, and has the chosen aps."""
        rng = random.Random(f"{SEED}.spellings")
        rows = random_rows(rng, ["p", "q"], 80, 1)
        names = ("a,b", "x+y~z", "a=b", "ap", "u)v")
        for row in rows:
            row.update((name, repr(rng.gauss(0, 1))) for name in names)
        with_all_levels(rows)
        train = harness.write_csv(self.dir / "train.csv", rows)
        for formula, wanted in (
                ("  y  ~S( a ,k=5 )+   L(b,ap=1e+2)",
                 "y ~ S(a, k=5, ap={1}) + L(b, ap={2})"),
                ("y ~ s(a, ap = -1.5e+0, k=4) + 1",
                 "y ~ s(a, ap={1}, k=4)"),
                ("y ~ 1 + f(a, period=(0,1), ap=-1, m=2)",
                 "y ~ f(a, period=(0,1), ap={1}, m=2)"),
                ("y ~ f(a, period = ( 0 , 1 ) , m = 2)",
                 "y ~ f(a, period = ( 0 , 1 ), m = 2, ap={1})"),
                ("y ~ TE(S(a,k=3),ap=1,C(k,n_cat=5))+l(a)",
                 "y ~ TE(S(a, k=3, ap={1}), ap=0, C(k, n_cat=5, ap={2})) + "
                 "l(a, ap={3})"),
                ("y ~ te(ap=-1, te(l(a),l(b,ap=2)), s(b,k=3), "
                 "extrapolate='constant')",
                 "y ~ te(ap=0, te(l(a, ap={1}), l(b, ap={2}), ap=0), "
                 "s(b, k=3, ap={3}), extrapolate='constant')"),
                ("y ~ l('a,b') + l(\"x+y~z\", ap=0) + l('u)v')",
                 "y ~ l('a,b', ap={1}) + l(\"x+y~z\", ap={2}) + "
                 "l('u)v', ap={3})"),
                ("y ~ l('a=b')+n(a,others='b|a,b|u)v',n_neurons=3,ap=-2)",
                 "y ~ l('a=b', ap={1}) + "
                 "n(a, others='b|a,b|u)v', n_neurons=3, ap={2})"),
                ("y ~ te(l('a=b'), l(ap, ap=3)) + l(ap) + l('ap')",
                 "y ~ te(l('a=b', ap={1}), l(ap, ap={2}), ap=0) + "
                 "l(ap, ap={3}) + l('ap', ap={4})"),
                ("y ~ n(a,others=b,n_neurons=3)+pid(b,w=0,d_pen=2)",
                 "y ~ n(a, others=b, n_neurons=3, ap={1}) + "
                 "pid(b, w=0, d_pen=2, ap={2})")):
            with self.subTest(formula):
                model = self.compile(formula, group="g")
                result, _ = self.tune(model, train, "--bounds=-8,2")
                # Numbers as a formula has them.
                numbers = [f"{ap:.17g}" if float(f"{ap:.17g}") != ap
                           else repr(int(ap) if ap == int(ap) else ap)
                           for ap in aps_of(result)]
                self.assertEqual(result["formula"], wanted.format(*numbers))
                self.check_formula(result, train, group="g")

    def test_names_in_quotes(self):
        """Names with parentheses, quotes and blanks."""
        rng = random.Random(f"{SEED}.names")
        names = ("u(v", "(", "f(x)", "it's(", 'say "x"', "my y", "a\\b")
        rows = random_rows(rng, ["p", "q"], 80, 1)
        for row in rows:
            row.update((name, repr(rng.gauss(0, 1))) for name in names)
        train = harness.write_csv(self.dir / "train.csv", rows)
        for formula in ("y ~ l('u(v', ap=2)", "y ~ s('f(x)', k=3) + l('(')",
                        "y ~ te(l('u(v'), s(a, k=3))",
                        "y ~ l('it\\'s(') + l(a)",
                        "y ~ n(a, others='it\\'s(|b', n_neurons=3, ap = 1 )",
                        "y ~ n(a, others='a\\\\b', n_neurons=3, ap=1)",
                        "y ~ l('say \"x\"')", "y ~ l(\"it's(\") + l(b, ap=1)",
                        "'my y' ~ l(a)", "'u(v' ~ l(a)", "'it\\'s(' ~ l(a)",
                        "y ~ 1"):
            with self.subTest(formula):
                model = self.compile(formula, group="g")
                result, _ = self.tune(model, train, "--bounds=-8,2")
                self.check_formula(result, train, group="g")

    def test_options_before_the_file(self):
        model, rows = self.prepare()
        train = self.write(rows)
        for option, value in (("--bounds", "-8,2"), ("--candidates", "-1,0")):
            with self.subTest(option):
                wanted, _ = self.tune(model, train, option, value)
                text = self.succeed(model, "tune", f"{option}={value}", train,
                                    "-o", "w", "--format=json")
                self.assertEqual(json.loads(text), wanted)

    def test_overflow(self):
        """A score that is no number is an error."""
        model, rows = self.prepare(weights="w")
        for scales in (dict(y=1e200), dict(y=1e150, w=1e100)):
            with self.subTest(**scales):
                train = self.write(rows, **{
                    name: lambda i, text, scale=scale: repr(float(text) * scale)
                    for name, scale in scales.items()})
                run = self.run_program(model, "tune", train, "-o", "w",
                                       "--format=json")
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertIn("group 'u'", run.stderr)

    def prepare(self, formula="y ~ s(a,k=5)+l(b)", count=40, **keys):
        """A model, and rows of two groups."""
        rng = random.Random(f"{SEED}.rows")
        rows = [{"g": "uv"[day % 2], "w": "1", "a": repr(rng.gauss(0, 1)),
                 "b": repr(rng.gauss(0, 1)), "y": repr(rng.gauss(1, 2))}
                for day in range(count)]
        return self.compile(formula, group="g", **keys), rows

    def write(self, rows, **changes):
        """The rows, with columns changed by functions of their number and
        text."""
        return harness.write_csv(
            self.dir / "train.csv",
            [row | {name: change(i, row[name])
                    for name, change in changes.items()}
             for i, row in enumerate(rows)])

    def test_options(self):
        model, rows = self.prepare()
        train = self.write(rows)
        for options, message in (
                (["--bounds=2,1"], "the first of --bounds below the second"),
                (["--bounds=1,1"], "the first of --bounds below the second"),
                (["--bounds=1"], "expected --bounds LOW,HIGH, got 1 numbers"),
                (["--bounds=1,2,3"], "--bounds LOW,HIGH, got 3 numbers"),
                (["--bounds=a,b"], "from -300 to 300, got 'a'"),
                (["--bounds=-301,0"], "from -300 to 300, got '-301'"),
                (["--bounds=nan,0"], "from -300 to 300, got 'nan'"),
                (["--bounds="], "expected a value of --bounds"),
                (["--bounds=-30,6,"], "from -300 to 300, got ''"),
                (["--bounds", ""], "from -300 to 300, got ''"),
                (["--bounds=-2,3", "--bounds=-2,3"],
                 "expected --bounds once"),
                (["--candidates=0,1,"], "from -300 to 300, got ''"),
                (["--candidates=,0"], "from -300 to 300, got ''"),
                (["--candidates="], "expected a value of --candidates"),
                (["--candidates=301"], "from -300 to 300, got '301'"),
                (["--candidates=0,nan"], "from -300 to 300, got 'nan'"),
                (["--candidates=7"], "--candidates: expected aps within the "
                                     "bounds, -30 to 6, got '7'"),
                (["--bounds=-2,3", "--candidates=0,-2.5,1"],
                 "within the bounds, -2 to 3, got '-2.5'"),
                (["--criterion=ml"], "expected gcv or reml, got 'ml'"),
                (["--criterion="], "expected a value of --criterion"),
                (["--criterion=reml", "--candidates=0"],
                 "expected --candidates with --criterion gcv, got reml"),
                (["--criterion=reml", "--gamma=1.4"],
                 "expected --gamma with --criterion gcv, got reml"),
                (["--criterion=reml", "--cycles=15"],
                 "expected --cycles with --criterion gcv, got reml"),
                (["--criterion=reml", "--bounds=2,1"],
                 "the first of --bounds below the second, got 2,1"),
                (["--per-group=x"], "--per-group"),
                (["--cycles=0"], "from 1 to 2147483647, got '0'"),
                (["--cycles=-1"], "from 1 to 2147483647, got '-1'"),
                (["--gamma=0"], "--gamma: expected a number above 0"),
                (["--gamma=nan"], "--gamma: expected a number above 0"),
                (["--gamma=1e7"], "at most 1000000, got '1e7'"),
                (["--format=xml"], "expected text or json, got 'xml'"),
                (["--ap=a=1"], "unexpected argument: --ap=a=1"),
                (["-o", "-"], "got standard output, which gets the "
                              "penalties")):
            with self.subTest(options):
                if "-o" not in options:
                    options = [*options, "-o", "w"]
                run = self.run_program(model, "tune", train, *options)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertEqual(run.stdout, "")
                self.assertIn(message, run.stderr)
                self.assertFalse((self.dir / "w").exists())
        other = self.compile("y ~ l(a)", name="other", solver="cg")
        run = self.run_program(other, "tune", train, "-o", "w")
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected the direct solver with tune", run.stderr)

    def test_wide_bounds(self):
        """Penalties with which a fit has no solution are not chosen: beside them
        the rows' sums lose their digits."""
        formula = "y ~ s(a,k=7)+c(b,n_cat=3)+te(s(a,k=4),s(d,k=4))"
        model, rows = self.prepare(formula, 120)
        rng = random.Random(f"{SEED}.wide")
        for i, row in enumerate(rows):
            row |= {"b": str(i % 3), "d": repr(rng.gauss(0, 1))}
            row["y"] = repr(1 + 2 * float(row["a"]) + rng.gauss(0, 0.1))
        train = self.write(rows)
        for options in (["--bounds=-300,300"], ["--bounds=-30,30"],
                        ["--bounds=-30,12"],
                        ["--bounds=-300,300", "--per-group"],
                        ["--bounds=-300,300",
                         "--candidates=-300,-3,3,7,9,11,13,15,20,100,300"],
                        ["--bounds=-300,300", "--criterion=reml"],
                        ["--bounds=-30,30", "--criterion=reml"],
                        ["--bounds=-300,300", "--criterion=reml",
                         "--per-group"]):
            with self.subTest(options):
                got, _ = self.tune(model, train, *options)
                narrow, _ = self.tune(model, train, *(
                    option for option in options
                    if not option.startswith(("--bounds", "--cand"))),
                    output="narrow.safetensors")
                for one, other in zip(got.get("groups", [got]),
                                      narrow.get("groups", [narrow])):
                    self.assertTrue(math.isfinite(one["score"]), one)
                    # GCV's steps of 60 find less.
                    if len(options) > 1 and options[1] != "--per-group":
                        self.assertLess(one["score"] - other["score"],
                                        0.05 * abs(other["score"]))
                if "groups" in got:
                    continue
                other = self.compile(got["formula"], name="other", group="g")
                again = self.fit(
                    other, train, f"--ap=offset={aps_of(got)[0]!r}",
                    weights="again.safetensors")
                mine = self.coefficients(model, self.dir / "w.safetensors")
                for one, same in zip(
                        mine.values(), self.coefficients(other, again).values(),
                        strict=True):
                    self.assert_close_to_norm(one, same, 1e-9, "coefficient")
        for options in ([], ["--criterion=reml"]):
            with self.subTest(options):
                run = self.run_program(model, "tune", train, "-o", "none",
                                       "--bounds=100,300", *options)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertRegex(
                    run.stderr, "group 'u': (expected --bounds between which a "
                    "fit has a solution, got 100,300|effect '.*': expected a "
                    "positive definite system, .* lower one above 8)")
                self.assertFalse((self.dir / "none").exists())

    def test_candidates_of_present_aps(self):
        """They are neither computed nor counted."""
        model, rows = self.prepare("y ~ l(a, ap=-2) + l(b, ap=-2)")
        train = self.write(rows)
        oracle = Gcv("y ~ l(a, ap=-2) + l(b, ap=-2)", rows, group="g")
        for candidates in ((-2.0,), (-9.0,), (-2.0, -9.0, -2.0)):
            with self.subTest(candidates):
                self.assertTrue(self.check_search(
                    oracle, model, train, candidates=candidates))
        got, _ = self.tune(model, train, "--bounds=-2,3", "--candidates=-2")
        self.assertEqual((got["evaluations"], aps_of(got)), (1, [-2.0] * 3))

    def test_bad_rows(self):
        model, rows = self.prepare(weights="w")
        for change, message in (
                (dict(y=lambda i, text: "" if i == 5 else text),
                 "line 7: column 'y': group 'v': expected a finite value"),
                (dict(a=lambda i, text: "nan" if i == 6 else text),
                 "line 8: column 'a': group 'u': expected a finite value"),
                (dict(w=lambda i, text: "0" if i % 2 else text),
                 "group 'v': expected a row weight above 0, got none"),
                (dict(w=lambda i, text: "-1" if i == 4 else text),
                 "expected a weight that is not negative, got -1")):
            with self.subTest(message):
                train = self.write(rows, **change)
                for options in ((), ("--stream",)):
                    run = self.run_program(model, "tune", train, "-o", "w",
                                           *options)
                    self.assertEqual(run.returncode, 1, run.stdout)
                    self.assertIn(message, run.stderr)
        train = self.write(rows, y=lambda i, text: "" if i == 5 else text)
        run = self.run_program(model, "tune", train, "-o", "w",
                               "--drop-missing", "--format=json")
        self.assertIn("dropped 1 of 40 rows", run.stderr)
        result = json.loads(run.stdout)
        train = self.write(rows[:5] + rows[6:])
        self.assertEqual(self.tune(model, train)[0], result)

    def test_extreme_rows(self):
        model, rows = self.prepare(weights="w")

        def tune(rows, *options, **change):
            return self.tune(model, self.write(rows, **change), *options)[0]

        usual = tune(rows)
        # Units do not matter.
        for scale in (2.0 ** 300, 2.0 ** -300):
            for name, power in (("y", scale ** 2), ("w", scale)):
                with self.subTest(name=name, scale=scale):
                    got = tune(rows, **{
                        name: lambda i, text: repr(float(text) * scale)})
                    self.assertEqual(aps_of(got), aps_of(usual))
                    self.assertEqual(got["evaluations"], usual["evaluations"])
                    self.assert_close([got["score"]],
                                      [usual["score"] * power], 1e-12)
        # A target of zeros, of which no penalty is better.
        got = tune(rows, y=lambda i, text: "0")
        self.assertEqual(got["score"], 0)
        self.assertEqual(aps_of(got), [-9.0] * 3)
        # A constant, and fewer rows than columns: what is left is rounding.
        for few in (rows, rows[:9], rows[:2], rows[:1]):
            with self.subTest(rows=len(few)):
                got = tune(few, y=lambda i, text: "3")
                self.assertLess(got["score"], 1e3)
                self.assertTrue(all(-30 <= ap <= 6 for ap in aps_of(got)))
                oracle = Gcv("y ~ s(a,k=5)+l(b)", few, group="g", weights="w")
                got = tune(few, "--bounds=-4,1")
                there = oracle.score(aps_of(got))
                self.assert_close([got["score"]], [float(there)], 1e-3)

    def test_summary(self):
        """With --inference, the weights have the chosen aps and edfs for
        summary."""
        model, rows = self.prepare("y ~ s(a,k=5)+te(l(a),l(b))+l(b)")
        train = self.write(rows)
        plain, _ = self.tune(model, train)
        for options in ((), ("--stream",)):
            with self.subTest(options):
                result, _ = self.tune(model, train, "--inference", *options)
                self.assertEqual(result, plain)
                table = json.loads(self.succeed(
                    model, "summary", "--weights", "w.safetensors",
                    "--format=json"))
                chosen = {c["effect"]: c["ap"] for c in result["coordinates"]}
                wanted = {name: ap for name, ap in chosen.items()
                          if "[" not in name}
                wanted["te_a_x_b"] = [chosen["te_a_x_b[0]"],
                                      chosen["te_a_x_b[1]"]]
                for group in table["groups"]:
                    self.assertEqual({effect["effect"]: effect["ap"]
                                      for effect in group["effects"]}, wanted)
        # A fit with these aps has the same errors.
        weights = self.fit(
            model, train, "--inference", "--ap=te_a_x_b=0",
            *(f"--ap={name}={ap!r}" for name, ap in chosen.items()))
        again = json.loads(self.succeed(model, "summary", "--weights", weights,
                                        "--format=json"))
        self.assertEqual(again, table)


if __name__ == "__main__":
    harness.main()
