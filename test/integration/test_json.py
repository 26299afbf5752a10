# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command prints JSON with each key once (harness.run_program checks
that), whatever the names of columns."""

import re

import small
from small import harness


class JsonTest(harness.TestCase):
    def commands(self, model):
        """The names of a model's commands."""
        text = self.succeed(model, "--help").partition("Subcommands:")[2]
        return re.findall(r"(?m)^  (\w+) ", text)

    def test_every_command(self):
        model = self.compile("y ~ l(a, ap=-3) + c(k, n_cat=3)", group="g",
                             date="date",
                             adapt="{window: 8, update: 2, horizon: 1}")
        train = harness.write_csv(self.dir / "train.csv", small.rows())
        weights = ["--weights", self.fit(model, train, "--inference")]
        arguments = {
            "fit": [train, "-o", "w"], "tune": [train, "-o", "w"],
            "predict": [train, *weights], "decompose": [train, *weights],
            "evaluate": [train, *weights], "adapt": [train, "-o", "out.csv"],
            "plot": [train, *weights, "-o", "page.html"],
            "survey": [train, "-o", "all.survey"],
            "sums": [train, "--survey", "all.survey", "-o", "all.sums"],
            "solve": ["all.sums", "-o", "w"], "summary": weights,
            "export": weights, "bench": [train, "--runs=1"], "plan": [],
            "info": []}
        found = set()
        for command in sorted(self.commands(model),
                              key=lambda name: (name == "solve", name == "sums")):
            text = self.succeed(model, command, "--help")
            for option in ("--timings", "--format"):
                if f"  {option}" not in text:
                    continue
                found.add(command)
                with self.subTest(command=command, option=option):
                    line = [command, *arguments[command], f"{option}=json"]
                    run = self.run_program(model, *line)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(
                        len(list(harness.told_json(run, line))), 1)
        self.assertEqual(found, set(arguments))

    def test_names(self):
        rows = [{"y": t % 5, 'a "b"': t % 4} for t in range(200)]
        train = harness.write_csv(self.dir / "train.csv", rows)
        model = self.compile("y ~ s('a \"b\"', k=4)", "--profile", train,
                             "--rows-per-level=1")
        run = self.run_program(model, "fit", train, "-o", "w",
                               "--timings=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        told = harness.load_json(run.stderr.splitlines()[-1])
        self.assertEqual(told["levels of 'a \"b\"'"], 4)


if __name__ == "__main__":
    harness.main()
