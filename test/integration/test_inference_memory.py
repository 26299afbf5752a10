# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference and the choice of penalties in little memory: the undisturbed bytes, or exit 1 with one line
that has the bytes needed."""

import json
import random
import resource

import test_inference
import test_stream
from small import harness

MIB = 1 << 20


def limited(limit):
    """Options of a process with this many bytes of address space."""
    return {"preexec_fn":
            lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}


class Memory(test_inference.TestCase):
    def sweep(self, model, command, good, limits, options_of):
        """Runs within limits; returns how they ended."""
        ends = []
        for limit in limits:
            out = self.dir / "out"
            out.unlink(missing_ok=True)
            more, keys = options_of(limit)
            run = self.run_program(model, *command, "-o", out, "--threads", 2,
                                   *more, **keys)
            what = (command, limit, run.stderr)
            if run.returncode == 0:
                self.assertTrue(out.read_bytes() == good, what)
            else:
                self.assertEqual(run.returncode, 1, what)
                lines = [line for line in run.stderr.splitlines()
                         if not line.startswith("model: note: ")]
                self.assertEqual(len(lines), 1, what)
                self.assertRegex(lines[0], r"\Amodel: error: .*\d+ bytes", what)
                self.assertFalse(out.exists(), what)
            ends.append(run.returncode == 0)
        return ends

    def prepare(self):
        rng = random.Random(3)
        self.train = harness.write_csv(self.dir / "train.csv", [
            {"g": f"G{i % 4}", "a": round(rng.uniform(-2, 2), 6),
             "b": round(rng.uniform(-2, 2), 6), "y": round(rng.gauss(0, 1), 6)}
            for i in range(1200)])
        model = self.compile("y ~ n(a,others='b',n_neurons=500,ap=-2)",
                             "--solver=direct", group="g")
        weights = self.fit(model, self.train, "--inference")
        good = weights.read_bytes()
        runs = {"fit": (["fit", self.train, "--inference"], good),
                "stream": (["fit", self.train, "--inference", "--stream"],
                           good)}
        # Of the equations, 500 columns take 2 MiB a group, and a search keeps a
        # matrix more: one of few steps, too.
        tune = ["tune", self.train, "--criterion=reml", "--bounds=-0.1,0.1"]
        self.succeed(model, *tune, "-o", self.dir / "tuned")
        good = (self.dir / "tuned").read_bytes()
        runs["tune"] = tune, good
        runs["tune streamed"] = [*tune, "--stream"], good
        for name, command in self.rows_of(self.train, weights).items():
            runs[name] = command, self.succeed(model, *command).encode()
            runs[f"{name} streamed"] = [*command, "--stream"], runs[name][1]
        return model, runs

    def test_address_space(self):
        model, runs = self.prepare()
        limits = [int(megabytes * MIB) for megabytes in (
            1024, 512, 256, 160, 128, 112, 96, 88, 80, 72, 64, 56, 48, 40, 34,
            30, 26, 22)]
        for name, (command, good) in runs.items():
            with self.subTest(command=name):
                ends = self.sweep(model, command, good, limits,
                                  lambda limit: ([], limited(limit)))
                self.assertTrue(ends[0], name)

    def test_memory_that_is_given(self):
        model, runs = self.prepare()
        limits = ("1G", "64M", "32M", "24M", "16M", "12M", "8M", "6M", "4M",
                  "2M", "1M", "500K", "100K", "10K")
        for name, (command, good) in runs.items():
            with self.subTest(command=name):
                ends = self.sweep(
                    model, command, good, limits,
                    lambda limit: (["--memory", limit], {}))
                self.assertTrue(ends[0], name)
                # There is a limit that is too small.
                self.assertFalse(ends[-1], name)
                if name.startswith("tune"):
                    self.assertTrue(ends[limits.index("32M")], name)
                    self.assertFalse(ends[limits.index("16M")], name)

    def test_inference_that_is_not_asked_for(self):
        """A prediction from weights with inference takes the memory of one from
        weights without, unless it has standard errors."""
        rng = random.Random(4)
        rows = [{"g": f"G{i % 8}", "a": rng.randrange(1000) / 500 - 1,
                 "b": i % 3, "y": round(rng.gauss(0, 1), 6)}
                for i in range(2400)]
        train = harness.write_csv(self.dir / "train.csv", rows)
        new = harness.write_csv(self.dir / "new.csv", rows[:8])
        model = self.compile("y ~ n(a,others='b',n_neurons=1000,ap=-2)",
                             "--solver=direct", group="g")
        weights = {name: self.fit(model, train, *options, weights=name)
                   for name, options in (("plain", ()),
                                         ("known", ("--inference",)))}
        more = (weights["known"].stat().st_size
                - weights["plain"].stat().st_size)
        self.assertGreater(more, 8 * (1000 * 1001 // 2) * 8)

        def peak(name, *options):
            return test_stream.peak_resident(
                model, "predict", new, "--weights", weights[name], *options,
                "-o", self.dir / "pipe")

        (plain, table), (known, same) = peak("plain"), peak("known")
        self.assertEqual(table, same)
        self.assertLess(known, plain + more // 8)
        self.assertGreater(peak("known", "--se")[0], plain + more // 2)

    def test_promise(self):
        """A fit under the memory that `plan --memory` says is enough."""
        model, runs = self.prepare()
        command, good = runs["fit"]
        plan = json.loads(self.succeed(
            model, "plan", "--memory", "2G", "--format=json", "--rows", 1200,
            "--groups", 4, "--threads", 2))
        most = {use["use"]: use for use in plan["uses"]}["fit"]["most_memory"]
        self.sweep(model, command, good, [most],
                   lambda limit: ([], limited(limit)))


if __name__ == "__main__":
    harness.main()
