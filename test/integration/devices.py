# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the tests of models on a device of a backend."""

import json
import os
import re

import small
from small import harness

BACKENDS = harness.BUILD / "lib" / "tamrt"
GROUPS = 3
# Every kernel of the device is in one of them.
LOAD = ("y ~ s(a,k=20)+s(b,k=20)+s(c,k=20)+c(d,n_cat=7)+l(a)+l(b)+"
        "te(c(d,n_cat=7),s(c,k=4))")
MIXED = ("y ~ l(a)+f(b,m=3)+s(c,k=5)+c(d,n_cat=7)+p(a)+w(b)+"
         "t(a,others='b',n_trees=3,max_depth=2,sp_alpha=0.5)+lt(c,max_depth=2)+"
         "te(s(a,k=3),c(d,n_cat=7))+te(f(b,m=2),l(c))")
# Random features, radial functions of every smoothness, recursions.
RANDOM = ("y ~ n(a,others='b',n_neurons=8,act='tanh')+"
          "n(b,n_neurons=6,act='cos',n_hidden_layers=2)+n(c,n_neurons=5)+"
          "rbf(a,others='b',n_centers=9)+rbf(b,n_centers=5,nu=0.5)+"
          "rbf(c,n_centers=5,nu=1.5)+rbf(a,n_centers=5,nu=2.5)+"
          "rbf(c,others='a',n_centers=7,nu=0.8)+rbf(b,n_centers=4,nu=7.25)+"
          "pid(a,w=5)+pid(b,w=0)")
CG = "y ~ s(c,k=9)+t(a,n_trees=24,max_depth=2)+f(b,m=4)"


def formula_of(weights):
    """The formula that a file of weights, as bytes, is of."""
    header = json.loads(weights[8:8 + int.from_bytes(weights[:8], "little")])
    return header["__metadata__"]["formula"]


class DeviceTest(harness.TestCase):
    """Models on `DEVICE`, whose settings are environment variables that start
    with `PREFIX`. Its backend is in `FOLDER`; fits may take `SHARE` of its
    memory."""

    DEVICE = PREFIX = SHARE = None
    FOLDER = BACKENDS

    @classmethod
    def environment(cls, folder=None, **settings):
        return dict(os.environ, TAMRT_LOG="debug",
                    TAMRT_BACKEND_PATH=str(folder or cls.FOLDER)) | {
            f"{cls.PREFIX}_{key.upper()}": str(value)
            for key, value in settings.items()}

    def prepare(self, formula, *options, days=40, groups=GROUPS, **keys):
        model = self.compile(formula, *options, **small.KEYS, **keys)
        self.train = small.generate(self.dir / "train.csv", "--days", days,
                                    "--groups", groups)
        return model

    def run_device(self, model, *command, env):
        """A run on the device, as that of run_program."""
        return self.run_program(model, *command, env=env)

    def start(self, model, *command, **settings):
        """Runs a command on the device, of which the file `out` is the output;
        returns what it did."""
        (self.dir / "out").unlink(missing_ok=True)
        run = self.run_device(model, *command, "-o", "out", "--device",
                              self.DEVICE, env=self.environment(**settings))
        self.assertNotIn("never released", run.stderr)
        return run

    def run_there(self, model, *command, **settings):
        """The same for one that succeeds; returns the bytes of its output and
        its messages."""
        run = self.start(model, *command, **settings)
        self.assertEqual(run.returncode, 0, (command, settings, run.stderr))
        return (self.dir / "out").read_bytes(), run.stderr

    def numbers(self, table):
        return [float(value) for row in harness.parse_csv(table.decode())
                for key, value in row.items()
                if key not in ("date", "g") and value]

    def check(self, model, *, is_whole=True, tolerance=1e-9,
              commands=("predict", "decompose"), **settings):
        """Fits and predicts on the device and on the CPU, and compares."""
        weights = self.fit(model, self.train)
        got, said = self.run_there(model, "fit", self.train, **settings)
        if is_whole:
            self.assertNotIn("warning", said)
        (self.dir / "there").write_bytes(got)
        # Coefficients of collinear columns, and effects that almost are, are
        # only determined by the penalty: what counts is what the model
        # predicts.
        for command in commands:
            good = self.dir / "good"
            self.succeed(model, command, self.train, "--weights", weights,
                         "-o", good)
            table, said = self.run_there(model, command, self.train,
                                         "--weights", "there", **settings)
            if is_whole:
                self.assertNotIn("warning", said)
            self.assert_close_to_norm(self.numbers(table),
                                      self.numbers(good.read_bytes()),
                                      tolerance, command)
        return got

    def check_steps_for_devices(self):
        """A model with loops over rows has the steps of one without, too, and
        runs those on a device whose memory the CPU cannot address."""
        kernels = self.prepare(LOAD, "--fuse-rows=false", name="kernels")
        model = self.prepare(LOAD)
        table = {}
        for of in kernels, model:
            weights, said = self.run_there(of, "fit", self.train)
            self.assertNotIn("warning", said)
            (self.dir / "there").write_bytes(weights)
            table[of], said = self.run_there(of, "predict", self.train,
                                             "--weights", "there")
            self.assertNotIn("warning", said)
        self.assertEqual(table[model], table[kernels])
        # Steps that are placed on the CPU are those for it.
        here = self.fit(model, self.train).read_bytes()
        got, said = self.run_there(model, "fit", self.train, "--placement",
                                   "sums=cpu,solve=cpu")
        self.assertEqual(got, here)

    def check_sums_of_the_cpu(self):
        """Loops over rows are code for the CPU: the device solves from the
        panels that they add up."""
        for formula in (LOAD, "y ~ s(a,k=6)+te(s(a,k=3),s(b,k=2),"
                              "c(d,n_cat=7))+s(b,k=4,deg=2)+l(c)"):
            with self.subTest(formula):
                model = self.prepare(formula, "--device-steps=false")
                self.check(model, is_whole=False)
                _, said = self.run_there(model, "fit", self.train)
                self.assertIn("warning: summing rows on 'cpu': the model has "
                              "code of the CPU", said)
                self.assertNotIn("solving on 'cpu'", said)

    def check_preconditioners(self, launches_of, **settings):
        """With each preconditioner, in memory and by --stream, the predictions
        are the CPU's, and every launch is counted: `launches_of` finds those of
        a run in what the backend says."""
        model = self.prepare(CG, "--fuse-rows=false", "--solver=cg",
                             "--block-limit=16", days=20)
        for preconditioner in "none", "block", "sketch":
            options = ("--preconditioner", preconditioner)
            weights = self.fit(model, self.train, *options)
            good = self.numbers(self.predict(model, self.train, weights)
                                .read_bytes())
            for more in (), ("--stream",):
                got, said = self.run_there(
                    model, "fit", self.train, *options, *more,
                    "--timings=json", **settings)
                (self.dir / "there").write_bytes(got)
                table = self.predict(model, self.train, self.dir / "there")
                self.assert_close_to_norm(self.numbers(table.read_bytes()),
                                          good, 1e-6, (options, more))
                told = json.loads(re.search(r"^\{.*\}$", said, re.M)[0])
                launches = told["device"]["launches"]
                self.assertEqual(launches, launches_of(said))
                # A pass over the rows is at least one for each group.
                self.assertGreaterEqual(
                    launches, GROUPS * told["most iterations of a group"])

    def check_little_memory(self):
        """Smaller chunks have the same result; too little is an error."""
        model = self.prepare(LOAD, "--fuse-rows=false", days=300)
        good, said = self.run_there(model, "fit", self.train)
        rows = re.compile(r"chunks of (\d+) rows?")
        self.assertEqual(rows.search(said)[1], "300")
        run = self.start(model, "fit", self.train, memory=100000)
        self.assertEqual(run.returncode, 1)
        least = re.search(r"expected (\d+) bytes of memory for the direct "
                          r"solver in chunks of 1 row(, of which .*)?, got",
                          run.stderr)
        enough = int(int(least[1]) / self.SHARE) + 2000
        got, said = self.run_there(model, "fit", self.train, memory=enough)
        self.assertLess(int(rows.search(said)[1]), 300)
        self.assertEqual(got, good)
