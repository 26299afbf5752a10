# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tune` with each term, by both criteria, in common and per group; and weights
whose groups have penalties of their own, in every reader."""

import json
import math
import struct

import small
from library import Library
from small import harness
from test_penalties import TERMS, write_rows

KEYS = {"group": "g", "date": "date"}
FORMULA = "y ~ s(a, k=5) + te(l(a), c(k, n_cat=4))"


def header_of(content):
    """The header, and where the tensors begin."""
    end = 8 + struct.unpack_from("<Q", content)[0]
    return json.loads(content[8:end]), end


class GroupPenalties(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.train = write_rows(self.dir / "train.csv")

    def tune(self, model, *options, weights="tuned.safetensors"):
        """The result, and the weights."""
        text = self.succeed(model, "tune", self.train, "-o",
                            self.dir / weights, "--format=json", *options)
        return json.loads(text), self.dir / weights

    def test_terms(self):
        """Each term's penalties have a basis in which they are diagonal: the
        score of a group by itself does not depend on the others, and the sum
        of the groups' least scores is at most the least sum."""
        for term in TERMS:
            formula = "y ~ " + term.format(*[-3] * term.count("{}"))
            with self.subTest(formula=formula):
                model = self.compile(formula, **KEYS)
                common, _ = self.tune(model, "--criterion=reml")
                groups, _ = self.tune(model, "--criterion=reml", "--per-group")
                least = math.fsum(group["score"] for group in groups["groups"])
                self.assertTrue(math.isfinite(common["score"]))
                self.assertLess(least, common["score"] + 1e-7)
                for group in groups["groups"]:
                    self.assertGreater(group["evaluations"], 1)

    def test_weights(self):
        """They have the aps of the groups, and the summary shows them."""
        model = self.compile(FORMULA, **KEYS)
        for criterion in ("gcv", "reml"):
            result, weights = self.tune(
                model, f"--criterion={criterion}", "--per-group",
                "--inference")
            header, _ = header_of(weights.read_bytes())
            self.assertNotIn("penalties", header["__metadata__"])
            kept = json.loads(header["__metadata__"]["group_penalties"])
            self.assertEqual(set(kept), {"offset", "a", "te_a_x_k",
                                         "te_a_x_k[0]", "te_a_x_k[1]"})
            summary = json.loads(self.succeed(
                model, "summary", "--weights", weights, "--format=json"))
            for g, group in enumerate(result["groups"]):
                chosen = {c["effect"]: c["ap"] for c in group["coordinates"]}
                self.assertEqual(
                    {name: aps[g] for name, aps in kept.items()},
                    {**chosen, "te_a_x_k": 0})
                self.assertEqual(
                    {effect["effect"]: effect["ap"]
                     for effect in summary["groups"][g]["effects"]},
                    {"offset": chosen["offset"], "a": chosen["a"],
                     "te_a_x_k": [chosen["te_a_x_k[0]"],
                                  chosen["te_a_x_k[1]"]]})
            lines = self.succeed(model, "summary", "--weights",
                                 weights).splitlines()
            ends = sorted(c["ap"] for group in result["groups"]
                          for c in group["coordinates"] if c["effect"] == "a")
            shown = (f"{ends[0]:.6g}..{ends[1]:.6g}" if ends[0] < ends[1]
                     else f"{ends[0]:.6g}")
            row, = (line.split() for line in lines if line.startswith("a "))
            self.assertEqual(row[3], shown)
        # In common each penalty has one ap.
        result, weights = self.tune(model, "--criterion=reml")
        header, _ = header_of(weights.read_bytes())
        self.assertNotIn("group_penalties", header["__metadata__"])
        self.assertEqual(
            json.loads(header["__metadata__"]["penalties"]),
            {"te_a_x_k": 0, **{c["effect"]: c["ap"]
                               for c in result["coordinates"]}})

    def test_readers(self):
        """A library, and a spec's state, read such weights."""
        model = self.compile(FORMULA, **KEYS)
        _, weights = self.tune(model, "--criterion=reml", "--per-group")
        self.assertEqual(Library(self).load(weights.read_bytes()), 0)
        # Weights with random features are a state.
        random = self.compile("y ~ n(b, n_neurons=4)", name="random", **KEYS)
        _, weights = self.tune(random, "--criterion=reml", "--per-group")
        again = self.compile("y ~ n(b, n_neurons=4)", name="again",
                             state=weights.name, **KEYS)
        self.assertTrue(self.fit(again, self.train).exists())

    def test_refused(self):
        """Aps that no tune writes."""
        model = self.compile(FORMULA, **KEYS)
        _, weights = self.tune(model, "--per-group")
        good = weights.read_bytes()
        bad = self.dir / "bad.safetensors"

        def refused(text, says="expected for each penalty the ap of each "
                               "group, from -300 to 300"):
            header, end = header_of(good)
            header["__metadata__"]["group_penalties"] = text
            text = json.dumps(header).encode()
            text += b" " * (-len(text) % 8)
            bad.write_bytes(harness.seal(
                struct.pack("<Q", len(text)) + text + good[end:]))
            run = self.run_program(model, "coefficients", "--weights", bad)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(f"{bad}: metadata 'group_penalties': {says}",
                          run.stderr)

        whole = json.loads(header_of(good)[0]["__metadata__"]
                           ["group_penalties"])
        for aps in ([1], [1, 2, 3], [1, 301], [1, -301], [1, "2"], [1, None],
                    3, {}):
            refused(json.dumps({**whole, "a": aps}))
        refused(json.dumps({**whole, "b": [1, 2]}))
        refused(json.dumps({name: whole[name] for name in whole
                            if name != "a"}))
        for text in ("[]", "3", "null", "{}"):
            refused(text)
        refused("[", "expected JSON")


if __name__ == "__main__":
    harness.main()
