# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by REML for random models, and penalties per group, against
reference.reml and reference.gcv, and the data that tune must accept or
refuse."""

import decimal
import json
import math
import os
import random

import golden  # noqa: F401 (finds harness)
import harness
from reference.gcv import Gcv
from reference.reml import Reml
from test_tune_random import BACKENDS, aps_of, draw_case

# Number of formulas; a longer run uses another number and seed.
COUNT = int(os.environ.get("TAMC_RANDOM_FORMULAS", 10))
SEED = int(os.environ.get("TAMC_RANDOM_SEED", 20261125))

# V differs from the exact one by at most this.
SCORE = 1e-8
# A minimum may lie above the least one that the slow searches find by this.
MINIMUM = 1e-6


class RemlRandom(harness.TestCase):
    def tune(self, model, train, *options, criterion="reml", **run):
        """The result, and the bytes of the weights."""
        text = self.succeed(model, "tune", train, "-o", "w.safetensors",
                            f"--criterion={criterion}", "--format=json",
                            *options, **run)
        return (json.loads(text),
                (self.dir / "w.safetensors").read_bytes())

    def check_minimum(self, oracle, got, low=-30.0, high=6.0):
        """The score is V there, no slow search finds a lower one, and each
        coordinate that V does not need is on a bound."""
        aps = aps_of(got)
        there = oracle.at(aps)
        self.assert_close([got["score"]], [float(there.score)], 0, "V", SCORE)
        for found in (oracle.search(low, high),
                      oracle.descend(aps, low, high)):
            self.assertLess(there.score - found.score,
                            decimal.Decimal(MINIMUM), (got, found))
        self.assertEqual([c["effect"] for c in got["coordinates"]],
                         [c.name for c in oracle.coordinates])
        for i, c in enumerate(got["coordinates"]):
            state = ("low" if c["ap"] == low else
                     "high" if c["ap"] == high else None)
            self.assertEqual(c.get("state"), state)
            for bound in (low, high):
                other = oracle.at([*aps[:i], bound, *aps[i + 1:]])
                if state is None:
                    self.assertGreater(other.score - there.score,
                                       decimal.Decimal("1e-10"), c)

    def test_random(self):
        for case in range(COUNT):
            # Each case has its own generator, so that it can be rerun.
            rng = random.Random(f"{SEED}.reml.{case}")
            formula, groups, rows, keys = draw_case(rng, case)
            train = harness.write_csv(self.dir / "train.csv", rows)
            with self.subTest(case=case, formula=formula, **keys):
                model = self.compile(formula, "--profile", train, **keys)
                oracle = Reml(formula, rows, **keys)
                result, weights = self.tune(model, train)
                self.check_minimum(oracle, result)
                bounds = -7.0, rng.choice((-2.5, .25))
                self.check_minimum(
                    oracle, self.tune(model, train,
                                      f"--bounds={bounds[0]},{bounds[1]}")[0],
                    *bounds)
                # V at a given point.
                point = rng.uniform(-12, 5)
                got, _ = self.tune(model, train,
                                   f"--bounds={point!r},{point + 1e-12!r}")
                self.assert_close(
                    [got["score"]], [float(oracle.at(aps_of(got)).score)], 0,
                    "V", SCORE)
                self.check_runs(model, train, result, weights)
                if len(groups) > 1:
                    self.check_groups(model, train, oracle)

    def check_runs(self, model, train, result, weights):
        """The same bytes however it is computed."""
        for options in (("--threads=1",), ("--threads=2", "--chunk-rows=7"),
                        ("--threads=3",), ("--stream", "--chunk-rows=64")):
            with self.subTest(options):
                self.assertEqual(self.tune(model, train, *options),
                                 (result, weights))
        if any(BACKENDS.glob("libtamrt-backend-sim*")):
            environment = dict(os.environ, TAMRT_BACKEND_PATH=str(BACKENDS))
            with self.subTest(device="sim"):
                self.assertEqual(
                    self.tune(model, train, "--device=sim", env=environment),
                    (result, weights))

    def check_groups(self, model, train, oracle):
        """Each group has the minimum of its own score."""
        every = oracle.groups
        result, weights = self.tune(model, train, "--per-group")
        self.assertEqual(len(result["groups"]), len(every))
        for got, sums in zip(result["groups"], every):
            oracle.groups = [sums]
            self.check_minimum(oracle, got)
        oracle.groups = every
        for options in (("--threads=1",), ("--threads=3",), ("--stream",)):
            with self.subTest(options):
                self.assertEqual(
                    self.tune(model, train, "--per-group", *options),
                    (result, weights))

    def prepare(self, formula="y ~ s(a,k=5)+te(l(a),p(b,deg=2))", count=60,
                **keys):
        """A model, and rows of two groups, of which one is noisy."""
        rng = random.Random(f"{SEED}.rows")
        rows = []
        for day in range(count):
            a, b = rng.gauss(0, 1), rng.gauss(0, 1)
            y = a * a + a * b + rng.gauss(1, 2 if day % 2 else .1)
            rows.append({"g": "uv"[day % 2], "w": "1", "a": repr(a),
                         "b": repr(b), "y": repr(y)})
        return self.compile(formula, group="g", **keys), rows

    def write(self, rows, **changes):
        """The rows, with columns changed by functions of their text."""
        return harness.write_csv(
            self.dir / "train.csv",
            [row | {name: change(row[name])
                    for name, change in changes.items()} for row in rows])

    def test_groups_by_gcv(self):
        """Each group has the search of a model of its rows alone."""
        formula = "y ~ s(a,k=5)+te(l(a),p(b,deg=2))"
        model, rows = self.prepare(formula)
        train = self.write(rows)
        oracle = Gcv(formula, rows, group="g")
        every = oracle.groups
        for search in (dict(), dict(low=-6.0, high=2.0, gamma=1.0),
                       dict(candidates=(-30.0, -6.0, -3.0, 0.0, 6.0))):
            with self.subTest(**search):
                options = []
                if "low" in search:
                    options = ["--bounds=-6,2", "--gamma=1"]
                if "candidates" in search:
                    options = ["--candidates=-30,-6,-3,0,6"]
                result, _ = self.tune(model, train, "--per-group", *options,
                                      criterion="gcv")
                for got, sums in zip(result["groups"], every, strict=True):
                    oracle.groups, oracle.scores = [sums], {}
                    found = oracle.search(**search)
                    self.assertEqual(aps_of(got), found.aps)
                    self.assertEqual(got["evaluations"], found.evaluations)
                    self.assert_close([got["score"]], [float(found.score)],
                                      1e-7, "score")

    def test_fit_of_groups(self):
        """The coefficients of each group are those of a fit of all groups with
        its aps."""
        model, rows = self.prepare()
        train = self.write(rows)
        for criterion in ("gcv", "reml"):
            for more in ((), ("--stream",), ("--inference",)):
                result, _ = self.tune(model, train, "--per-group", *more,
                                      criterion=criterion)
                got = self.coefficients(model, self.dir / "w.safetensors")
                chosen = [aps_of(group) for group in result["groups"]]
                self.assertNotEqual(chosen[0], chosen[1])
                for group in result["groups"]:
                    again = self.fit(
                        model, train, "--ap=te_a_x_b=0",
                        *(f"--ap={c['effect']}={c['ap']!r}"
                          for c in group["coordinates"]),
                        weights="again.safetensors")
                    wanted = self.coefficients(model, again)
                    self.assertEqual(got[group["group"]],
                                     wanted[group["group"]])
                    # The formula of the group has them, too.
                    other = self.compile(group["formula"], name="other",
                                         group="g")
                    again = self.fit(
                        other, train,
                        f"--ap=offset={aps_of(group)[0]!r}",
                        weights="again.safetensors")
                    self.assertEqual(
                        self.coefficients(other, again)[group["group"]],
                        wanted[group["group"]])

    def test_text(self):
        model, rows = self.prepare()
        train = self.write(rows)
        text = self.succeed(model, "tune", train, "-o", "w", "--criterion=reml",
                            "--bounds=-30,6")
        self.assertRegex(text, r"^REML score -?[0-9.]+ after \d+ evaluations\n")
        self.assertRegex(text, r"\noffset +-?[0-9.]+(  high|  low)?\n")
        text = self.succeed(model, "tune", train, "-o", "w", "--criterion=reml",
                            "--per-group")
        lines = text.splitlines()
        self.assertEqual(lines[0].split(), [
            "g", "REML", "score", "offset", "a", "te_a_x_b[0]", "te_a_x_b[1]"])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["u", "v"])
        alone = self.compile("y ~ l(a)", name="alone")
        text = self.succeed(alone, "tune", train, "-o", "w", "--criterion=reml",
                            "--per-group", "--format=json")
        together = self.succeed(alone, "tune", train, "-o", "w",
                                "--criterion=reml", "--format=json")
        one = json.loads(text)["groups"]
        self.assertEqual([{"group": "", **json.loads(together)}], one)

    def test_scales(self):
        """Units change the score by a constant, and not the penalties."""
        formula = "y ~ s(a,k=5)+te(l(a),p(b,deg=2))"
        model, rows = self.prepare(formula, weights="w")
        oracle = Reml(formula, rows, group="g", weights="w")

        def tune(**change):
            return self.tune(model, self.write(rows, **change))[0]

        usual = tune()
        rows_log = len(rows) * 300 * decimal.Decimal(2).ln()
        for name, scale, shift in (("y", 2.0 ** 300, 1), ("y", 2.0 ** -300, -1),
                                   ("w", 2.0 ** 300, .5),
                                   ("w", 2.0 ** -300, -.5)):
            with self.subTest(name=name, scale=scale):
                got = tune(**{name: lambda text: repr(float(text) * scale)})
                # The bounds of the floor's share do not move with y. Where V is
                # so flat that its digits tell nothing, a penalty may differ.
                here, there = aps_of(got), aps_of(usual)
                if max(abs(a - b) for a, b in zip(here, there)) > 1e-4:
                    self.assertLess(abs(oracle.at(here).score
                                        - oracle.at(there).score), 1e-11)
                # log|A| - log|S_lam| does not move with w, T/2 log D_p does.
                wanted = usual["score"] + float(rows_log) * shift
                self.assert_close([got["score"]], [wanted], 1e-12, "score")

    def test_extreme_rows(self):
        model, rows = self.prepare("y ~ s(a,k=5)+l(b)", weights="w")
        keys = dict(group="g", weights="w")

        def check(rows):
            got, _ = self.tune(model, self.write(rows))
            oracle = Reml("y ~ s(a,k=5)+l(b)", rows, **keys)
            there = oracle.at(aps_of(got))
            self.assert_close([got["score"]], [float(there.score)], 1e-7, "V")

        # A constant, a target without noise, a huge mean, and few rows.
        check([row | {"y": "3"} for row in rows])
        check([row | {"y": row["a"]} for row in rows])
        check([row | {"y": repr(1e5 + float(row["y"]))} for row in rows])
        for count in (9, 2):
            check(rows[:count])

    def test_few_rows(self):
        """A search from below would end near interpolation, where V has a local
        minimum: within bounds that exclude it V is no lower."""
        model = self.compile("y ~ s(a, k=10) + s(b, k=6) + c(d, n_cat=4)",
                             name="few")
        for seed in range(6):
            rng = random.Random(seed)
            rows = []
            for _ in range(20):
                row = {"a": rng.random(), "b": rng.gauss(0, 1),
                       "d": rng.randrange(4)}
                row["y"] = (math.sin(5 * row["a"]) + .3 * row["b"] +
                            .1 * rng.gauss(0, 1) + 3)
                rows.append(row)
            train = harness.write_csv(self.dir / "few.csv", rows)
            got, _ = self.tune(model, train)
            for low in (-4, -2, 0):
                within, _ = self.tune(model, train, f"--bounds={low},6")
                self.assertLess(got["score"], within["score"] + MINIMUM,
                                (seed, low))
            # From -1 on both searches would begin at the bound.
            once, _ = self.tune(model, train, "--bounds=-1,6")
            twice, _ = self.tune(model, train, "--bounds=-1.000000001,6")
            self.assertLess(once["evaluations"], .7 * twice["evaluations"])
            self.assert_close([once["score"]], [twice["score"]], MINIMUM, "V")

    def test_errors(self):
        model, rows = self.prepare(weights="w")
        for change, message in (
                (dict(y=lambda text: "0"), "group 'u': expected a target other "
                                           "than 0, got zeros"),
                (dict(y=lambda text: repr(float(text) * 1e200)),
                 "group 'u': expected a finite REML score, got an overflow")):
            for options in ((), ("--per-group",), ("--stream",)):
                with self.subTest(message=message, options=options):
                    run = self.run_program(
                        model, "tune", self.write(rows, **change), "-o",
                        "none", "--criterion=reml", *options)
                    self.assertEqual((run.returncode, run.stdout), (1, ""))
                    self.assertIn(message, run.stderr)
                    self.assertFalse((self.dir / "none").exists())
        # Only one of the groups has an error.
        train = harness.write_csv(
            self.dir / "train.csv",
            [row | ({"y": "0"} if row["g"] == "v" else {}) for row in rows])
        run = self.run_program(model, "tune", train, "-o", "none",
                               "--criterion=reml", "--per-group")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("group 'v': expected a target other than 0", run.stderr)
        # Penalties beyond their limits.
        train = self.write(rows)
        run = self.run_program(model, "tune", train, "-o", "none",
                               "--criterion=reml", "--bounds=299,300")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("group 'u': expected --bounds between which a fit has a "
                      "solution, got 299,300: ", run.stderr)


if __name__ == "__main__":
    harness.main()
