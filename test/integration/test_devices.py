# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on the devices on which they are placed, and on a device whose memory
the CPU cannot address, always give the bytes of a run on the CPU. The simulated
device counts its kernels; any access to its opaque memory except by a kernel or
a copy crashes."""

import json
import os
import re
import shutil

import small
import test_faults
from small import harness

# Kernels that solve a group: of the penalties, of the two sides of the system,
# and one that factors.
SOLVE_KERNELS = 4
GROUPS = 3
# A model with every encoding, with tables, a carry and levels.
FORMULA = ("y ~ l(a)+f(b,m=3)+s(c,k=5)+c(d,n_cat=7)+pid(b,w=3)+"
           "t(a,n_trees=3)+w(b)+rbf(c,n_centers=4)+te(s(a,k=3),c(d,n_cat=7))")


class Devices(harness.TestCase):
    DAYS = 4

    def prepare(self, *options, formula=small.FORMULA, **keys):
        model = self.compile(formula, *options, **small.KEYS, **keys)
        self.train = small.generate(self.dir / "train.csv", "--days", self.DAYS,
                                    "--groups", GROUPS)
        return model

    def commands(self, weights):
        yield "fit", ["fit", self.train, "-o", "out"]
        yield "stream", ["fit", self.train, "-o", "out", "--stream"]
        for name in ("predict", "decompose", "evaluate"):
            yield name, [name, self.train, "--weights", weights, "-o", "out"]

    def undisturbed(self, model, *options):
        """The output of each command on the CPU."""
        weights = self.fit(model, self.train, *options)
        good = {}
        for name, command in self.commands(weights):
            if name in ("fit", "stream"):
                command = [*command, *options]
            self.succeed(model, *command)
            good[name] = (self.dir / "out").read_bytes()
        return weights, good

    def run_sim(self, model, *command, log="debug", device="sim", **sim):
        """Runs a command on the simulated device; returns the number of its
        kernels, without those of the device's test, and its messages."""
        environment = dict(os.environ, TAMRT_LOG=log,
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        environment |= {f"TAMRT_SIM_{key.upper()}": str(value)
                        for key, value in sim.items()}
        (self.dir / "out").unlink(missing_ok=True)
        run = self.run_program(model, *command, "--device", device,
                               env=environment)
        self.assertEqual(run.returncode, 0, (command, run.stderr))
        self.assertNotIn("never released", run.stderr)
        counts = re.search(test_faults.COUNTS, run.stderr)
        kernels = int(counts.group(3)) - test_faults.TEST_KERNELS \
            if counts else None
        return kernels, run.stderr

    def check(self, model, weights, good, *options, names=None, **sim):
        """Runs all commands; returns the kernels of each on the device."""
        kernels = {}
        for name, command in self.commands(weights):
            if names and name not in names:
                continue
            kernels[name], said = self.run_sim(model, *command, *options, **sim)
            self.assertEqual((self.dir / "out").read_bytes(), good[name],
                             (name, options, sim, said))
        return kernels

    def test_placement(self):
        model = self.prepare("--fuse-rows=false")
        weights, good = self.undisturbed(model)
        for opaque in (0, 1):
            def check(*options):
                return self.check(model, weights, good, *options,
                                  opaque=opaque)
            solve = GROUPS * SOLVE_KERNELS
            all_there = check()
            solved_here = check("--placement", "solve=cpu")
            for name, kernels in all_there.items():
                on_cpu = solve if name in ("fit", "stream") else 0
                self.assertGreater(kernels, on_cpu)
                self.assertEqual(solved_here[name], kernels - on_cpu, name)
            self.assertEqual(
                check("--placement", "sums=cpu"),
                all_there | {"fit": solve, "stream": solve})
            self.assertEqual(
                check("--placement=sums=cpu,solve=cpu,predict=cpu"),
                dict.fromkeys(all_there, 0))

    def test_placement_of_the_spec(self):
        model = self.prepare("--fuse-rows=false", placement="{solve: cpu}")
        weights, good = self.undisturbed(model)
        here = self.check(model, weights, good)
        there = self.check(model, weights, good, "--placement", "solve=device")
        self.assertEqual(there["fit"] - here["fit"], GROUPS * SOLVE_KERNELS)
        text = self.succeed(model, "info")
        self.assertIn("placement: sums on device, solve on cpu, predict on "
                      "device\n", text)
        for given, wrong in (("solve=gpu", "solve=gpu"), ("solve=cpu,", ""),
                             (",solve=cpu", ""), ("sums=cpu,,solve=cpu", "")):
            run = self.run_program(model, "fit", self.train, "-o", "out",
                                   "--placement", given)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"such as solve=cpu, got '{wrong}'", run.stderr)

    def test_opaque_memory(self):
        model = self.prepare("--fuse-rows=false", formula=FORMULA)
        weights, good = self.undisturbed(model)
        for threads in ("1", "3"):
            for rows in ("1", "7", "4096"):
                kernels = self.check(model, weights, good, "--threads", threads,
                                     "--chunk-rows", rows, opaque=1)
                self.assertGreater(min(kernels.values()), 0)

    def test_steps_of_many_launches(self):
        # The rungs of such a step share their code.
        formula = "y ~ " + " + ".join(f"f({x},m={m})" for x in "abc"
                                      for m in range(1, 5))
        model = self.prepare("--fuse-rows=false", "--merge-columns=0",
                             formula=formula)
        weights, good = self.undisturbed(model)
        there = self.check(model, weights, good, names=["fit", "predict"])
        self.assertGreater(there["fit"], len("abc") * 4 * 13 / 2 * GROUPS)
        self.assertEqual(self.check(model, weights, good, names=list(there),
                                    opaque=1), there)

    def test_opaque_memory_of_conjugate_gradients(self):
        # If the second effect is not factored, the factors of the others are
        # those of the penalty, which groups of equal length have in common.
        for formula in ("y ~ s(c,k=5)+l(a)+pid(b,w=3)",
                        "y ~ s(c,k=5)+t(a,n_trees=24,max_depth=2)+pid(b,w=3)"):
            with self.subTest(formula=formula):
                self.check_conjugate_gradients(formula)

    def check_conjugate_gradients(self, formula):
        model = self.prepare("--fuse-rows=false", "--solver=cg",
                             "--block-limit=8", formula=formula)
        weights = self.fit(model, self.train)
        good = dict.fromkeys(("fit", "stream"), weights.read_bytes())
        there = self.check(model, weights, good, names=good)
        for placement in ("solve=device", "solve=cpu", "sums=cpu",
                          "solve=cpu,sums=cpu"):
            for opaque in (0, 1):
                kernels = self.check(model, weights, good, "--placement",
                                     placement, names=good, opaque=opaque)
                for name in good:
                    if placement == "solve=device":
                        self.assertEqual(kernels[name], there[name])
                    else:
                        self.assertLess(kernels[name], there[name])

    def test_code_of_the_cpu(self):
        """A loop that is generated for the model is code of the CPU: if the CPU
        cannot address the device, only the other steps run there."""
        model = self.prepare("--device-steps=false")
        weights, good = self.undisturbed(model)
        kernels = self.check(model, weights, good, opaque=1)
        # Marginal sums are computed before.
        self.assertGreaterEqual(kernels["fit"], GROUPS * SOLVE_KERNELS)
        self.assertEqual(kernels["stream"], kernels["fit"])
        self.assertEqual(kernels["predict"], 0)
        self.assertEqual(
            self.check(model, weights, good, "--placement", "solve=cpu",
                       names=["fit"], opaque=1), {"fit": 0})
        command = ["fit", self.train, "-o", "out"]
        _, said = self.run_sim(model, *command, log="warning", opaque=1)
        self.assertIn("warning: summing rows on 'cpu': the model has code of "
                      "the CPU", said)
        _, said = self.run_sim(model, *command, "--placement", "sums=cpu",
                               log="warning", opaque=1)
        self.assertEqual(said, "")

    def test_steps_for_devices(self):
        """A model with loops over rows has the steps of one without, too: the
        numbers and plans of that model, where the CPU cannot address the
        device."""
        other = self.prepare("--fuse-rows=false", name="other")
        weights, good = self.undisturbed(other)
        for name in "fit", "stream":
            good[name] = harness.seal(good[name].replace(b"other", b"model"))
        weights.write_bytes(good["fit"])
        model = self.prepare()
        info = json.loads(self.succeed(model, "info", "--format=json"))
        self.assertGreater(info["steps_for_devices"], 0)
        self.assertIn(f"steps for devices: {info['steps_for_devices']}, all as "
                      "launch tables\n", self.succeed(model, "info"))
        for kernels in self.check(model, weights, good, opaque=1).values():
            self.assertGreater(kernels, 0)
        _, said = self.run_sim(model, "fit", self.train, "-o", "out",
                               log="warning", opaque=1)
        self.assertEqual(said, "")
        plan = self.run_program(
            model, "plan", "--format=json", "--device=sim",
            env=dict(os.environ, TAMRT_SIM_OPAQUE="1",
                     TAMRT_BACKEND_PATH=str(test_faults.BACKENDS)))
        steps = json.loads(plan.stdout)["steps"]
        same = json.loads(self.succeed(other, "plan", "--format=json")
                          .replace('"other"', '"model"'))["steps"]
        names = {step["step"] for step in same}
        self.assertEqual([step for step in steps if step["step"] in names],
                         same)
        # Chunks for devices may be longer.
        self.assertEqual(
            {step["rung"] for step in steps if step["step"] not in names},
            {1 << log for log in (11, 12, 14, 16, 18, 20)})
        own = json.loads(self.succeed(model, "plan", "--format=json"))["steps"]
        self.assertNotEqual([step for step in own if step["step"] in names],
                            same)

    def test_oracle_of_the_spec(self):
        model = self.prepare(
            oracle="{rule: estimate, ram_share: 0.25, direct_limit: 99}")
        text = self.succeed(model, "info")
        self.assertIn("oracle: estimate, device share 0.9, ram share 0.25, "
                      "sliding device share 0.8, sliding ram share 0.6, "
                      "direct limit 99, estimate factor 4\n", text)
        memory = ["--memory", "1G", "--threads", "1"]
        budget = re.compile(r"predict: fits: .* of (\d+) bytes, the share of "
                            r"(\d+) left")
        for options, share in ([], 0.25), (["--ram-share", "0.5"], 0.5):
            text = self.succeed(model, "plan", *memory, *options)
            part, left = map(int, budget.search(text).groups())
            self.assertEqual(part, int(left * share))
        # Settings of the oracle do not change the model.
        other = self.compile(small.FORMULA, **small.KEYS, name="other")
        self.assertEqual(self.fit(model, self.train).read_bytes(),
                         harness.seal(self.fit(other, self.train,
                                               weights="others").read_bytes()
                                      .replace(b"other", b"model")))


class Queues(Devices):
    """Groups that run together, and rows that are copied while the device works
    on others. Its streams begin their work late, so that nothing is there that
    was not waited for."""

    DAYS = 60
    SIM = {"batch": 4, "delay": 20}
    # Threads take groups when they wake: on a busy machine one may have taken
    # all of them before.
    TRIES = 5

    def spans(self, model, command, *options, **sim):
        """The spans of a run, by name, as their arguments."""
        path = self.dir / "trace.json"
        self.run_sim(model, *command, *options, "--trace", path, **sim)
        spans = {}
        for event in json.loads(path.read_text())["traceEvents"]:
            if event["ph"] in "BX":
                spans.setdefault(event["name"], []).append(
                    {"lane": event["tid"], **event.get("args", {})})
        return spans

    def test_batches(self):
        model = self.prepare("--fuse-rows=false", formula=FORMULA)
        weights, good = self.undisturbed(model)
        for opaque in (0, 1):
            alone = self.check(model, weights, good, opaque=opaque)
            for rows in ("7", "4096"):
                options = ("--chunk-rows", rows)
                there = self.check(model, weights, good, *options,
                                   opaque=opaque, **self.SIM)
                if rows == "4096":
                    self.assertEqual(there, alone)
        for name, command in self.commands(weights):
            # Groups run together, but no more than the device takes.
            for batch in (3, 2):
                spans = self.spans(model, command, "--chunk-rows", "7",
                                   opaque=1, batch=batch, delay=100)
                calls = [span["calls"] for span in spans["batch"]]
                self.assertGreater(max(calls), 1, name)
                self.assertLessEqual(max(calls), batch, name)
        # A call that reads the rows of another one.
        run = self.fit_on_sim(model, batch_stride=1, **self.SIM)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotEqual((self.dir / "out").read_bytes(), good["fit"])

    def fit_on_sim(self, model, **sim):
        environment = dict(os.environ,
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        environment |= {f"TAMRT_SIM_{key.upper()}": str(value)
                        for key, value in sim.items()}
        return self.run_program(model, "fit", self.train, "-o", "out",
                                "--device", "sim", env=environment)

    def test_threads(self):
        """Without a number of threads there are as many as a batch has calls,
        whatever the machine has."""
        model = self.prepare("--fuse-rows=false")
        weights, good = self.undisturbed(model)
        for threads in ([], ["--threads", "1"], ["--threads", "2"]):
            self.check(model, weights, good, *threads, opaque=1, **self.SIM)
            count = int(threads[1]) if threads else GROUPS
            for _ in range(self.TRIES):
                spans = self.spans(model, ["fit", self.train, "-o", "out"],
                                   *threads, opaque=1,
                                   **self.SIM | {"delay": 100})
                lanes = {span["lane"] for span in spans["chunk"]}
                if len(lanes) == count:
                    break
            self.assertEqual(len(lanes), count)

    def test_uploads_ahead(self):
        model = self.prepare("--fuse-rows=false", formula=FORMULA)
        weights, good = self.undisturbed(model)
        options = ("--threads", "1", "--chunk-rows", "10")
        for without in ("", "pinned", "streams", "streams,pinned"):
            sim = {"opaque": 1, "without": without, "delay": 20}
            self.check(model, weights, good, *options, **sim)
            for name, command in self.commands(weights):
                spans = self.spans(model, command, *options, **sim)
                chunks = len(spans["chunk"])
                ahead = [span["rows"] for span in
                         spans.get("upload ahead", [])]
                if "streams" in without:
                    self.assertEqual(ahead, [])
                    continue
                self.assertEqual(max(ahead, default=0), 10, (name, without))
                if name != "stream":
                    self.assertEqual(len(ahead), chunks - GROUPS)
                # Rows that were copied ahead are not copied again.
                copies = self.copies(model, command, *options, **sim)
                self.assertEqual(copies, self.copies(
                    model, command, *options, **sim | {"without": "streams"}))
        # With memory that the CPU can address nothing is copied.
        spans = self.spans(model, command, *options, delay=20)
        self.assertNotIn("upload ahead", spans)

    def copies(self, model, command, *options, **sim):
        _, said = self.run_sim(model, *command, *options, **sim)
        return int(re.search(test_faults.COUNTS, said).group(5))

    def test_kernels_that_a_device_lacks(self):
        model = self.prepare("--fuse-rows=false")
        weights, good = self.undisturbed(model)
        there = self.check(model, weights, good, names=["fit", "predict"],
                           opaque=1)
        solve = GROUPS * SOLVE_KERNELS
        for lacks, what, kernels in (
                ("bspline", {"fit": "summing rows", "predict": "predicting"},
                 {"fit": solve, "predict": 0}),
                ("join_sums", {"fit": "summing rows"}, {"fit": solve}),
                ("penalty_values", {"fit": "solving"},
                 {"fit": there["fit"] - solve}),
                ("pid,bessel", {}, {})):
            for name, command in self.commands(weights):
                if name not in there:
                    continue
                for opaque in (0, 1):
                    count, said = self.run_sim(model, *command, lacks=lacks,
                                               opaque=opaque, batch=2)
                    self.assertEqual((self.dir / "out").read_bytes(),
                                     good[name])
                    self.assertEqual(count, kernels.get(name, there[name]),
                                     (lacks, name))
                    if name in what:
                        self.assertIn(f"warning: {what[name]} on 'cpu': device "
                                      f"'sim' has no kernel '{lacks}'\n", said)
                    else:
                        self.assertNotIn("has no kernel", said)
        environment = dict(os.environ, TAMRT_SIM_LACKS="pid,zero,cholesky_solve",
                           TAMRT_BACKEND_PATH=str(test_faults.BACKENDS))
        text = self.succeed(model, "info", "--devices", env=environment)
        self.assertRegex(text, "  sim: .*\n    found: .*\n    steps on the CPU "
                               "for lack of kernels: .*pid.*\n    skipped: "
                               "expected the kernels rhs_dense and cholesky")

    def test_reserve(self):
        """What kernels take beside the plan counts as planned bytes."""
        model = self.prepare("--fuse-rows=false")
        weights, good = self.undisturbed(model)
        reserve = 1 << 20
        memory = ("plan", "--memory=100M", "--device=sim", "--format=json")
        none, some = (json.loads(self.succeed(
            model, *memory, env=dict(
                os.environ, TAMRT_BACKEND_PATH=str(test_faults.BACKENDS),
                TAMRT_SIM_RESERVE=str(size)))) for size in (0, reserve))
        self.assertEqual((none["reserve"], some["reserve"]), (0, reserve))
        for less, more in zip(none["uses"], some["uses"]):
            self.assertEqual(more["bytes"] - less["bytes"], reserve)
        for placement in ("solve=device", "sums=cpu"):
            options = ("--placement", placement)
            self.check(model, weights, good, *options, reserve=reserve,
                       memory=2 * reserve)
            run = self.run_program(
                model, "fit", self.train, "-o", "out", "--device", "sim",
                *options, env=dict(
                    os.environ, TAMRT_BACKEND_PATH=str(test_faults.BACKENDS),
                    TAMRT_SIM_RESERVE=str(reserve),
                    TAMRT_SIM_MEMORY=str(reserve)))
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r"error: expected \d{7,} bytes of "
                                         "memory .*")

    def test_two_devices(self):
        """They share the groups of fits and predictions, each with an allocator
        of its own."""
        model = self.prepare("--fuse-rows=false", formula=FORMULA)
        weights, good = self.undisturbed(model)
        two = {"device": "sim:0,sim:1", "devices": 2}
        for sim in ({}, {"opaque": 1}, {"opaque": 1, **self.SIM}):
            for options in ([], ["--placement", "solve=cpu"],
                            ["--allocator", "caching"], ["--chunk-rows", "7"]):
                self.check(model, weights, good, *options, **two, **sim)
        for name, command in self.commands(weights):
            path = self.dir / "trace.json"
            for _ in range(self.TRIES):
                _, said = self.run_sim(model, *command, "--threads", "1",
                                       "--trace", path, **two, opaque=1,
                                       delay=20)
                events = json.loads(path.read_text())["traceEvents"]
                lanes = {event["tid"] for event in events
                         if event.get("name") == "chunk"}
                if name == "stream" or len(lanes) == 2:
                    break
            memory = {event["name"]: max(event["args"].values())
                      for event in events if event["ph"] == "C"}
            if name == "stream":
                # The sums of all groups are on one device.
                self.assertIn("the sums of all groups are on 'sim'", said)
                self.assertEqual(len(lanes), 1)
                continue
            self.assertEqual(len(lanes), 2, name)
            self.assertEqual(memory["device memory"],
                             memory["device memory of sim:1"])
            for label in ("sim", "sim:1"):
                self.assertRegex(said, f"memory of '{label}', .* [1-9][0-9]* "
                                       "blocks")
        for label, why in (
                ("sim:0,sim:0", "expected each device once"),
                ("sim,cpu", "expected devices of one kind"),
                ("sim:0,", "expected devices of one kind"),
                ("sim:0,sim:7", "device 'sim:7': there are 2")):
            run = self.run_program(
                model, "fit", self.train, "-o", "out", "--device", label,
                env=dict(os.environ, TAMRT_SIM_DEVICES="2",
                         TAMRT_BACKEND_PATH=str(test_faults.BACKENDS)))
            self.assertEqual(run.returncode, 1)
            self.assertIn(why, run.stderr)
        run = self.run_program(
            model, "fit", self.train, "-o", "out", "--device", "sim,sim:1",
            "--memory-snapshot", "s.json",
            env=dict(os.environ, TAMRT_SIM_DEVICES="2",
                     TAMRT_BACKEND_PATH=str(test_faults.BACKENDS)))
        self.assertIn("expected one device for --memory-snapshot, got "
                      "'sim,sim:1'", run.stderr)

    def test_conjugate_gradients(self):
        formula = "y ~ s(c,k=5)+t(a,n_trees=24,max_depth=2)+pid(b,w=3)"
        model = self.prepare("--fuse-rows=false", "--solver=cg",
                             "--block-limit=8", formula=formula)
        weights = self.fit(model, self.train)
        good = dict.fromkeys(("fit", "stream"), weights.read_bytes())
        for placement in ("solve=device", "solve=cpu", "sums=cpu"):
            for opaque in (0, 1):
                self.check(model, weights, good, "--placement", placement,
                           names=good, opaque=opaque, **self.SIM)

    # The tests of the base class are not repeated.
    test_placement = test_placement_of_the_spec = test_opaque_memory = None
    test_steps_of_many_launches = test_code_of_the_cpu = None
    test_opaque_memory_of_conjugate_gradients = test_oracle_of_the_spec = None


class PlantedBackends(harness.TestCase):
    """A backend beside a program runs with its user's rights: it is loaded only
    if nobody else can have put it there."""

    def setUp(self):
        super().setUp()
        self.model = self.compile(small.FORMULA, **small.KEYS)
        self.train = small.generate(self.dir / "train.csv", "--days", 4)
        self.dir.chmod(0o755)

    def plant(self, kind):
        backend = self.dir / f"libtamrt-backend-{kind}.so"
        shutil.copy(test_faults.BACKENDS / "libtamrt-backend-sim.so", backend)
        backend.chmod(0o755)
        return backend

    def run_fit(self, *options):
        return self.run_program(self.model, "fit", self.train, "-o", "out",
                                *options)

    def test_beside_the_program(self):
        backend = self.plant("sim")
        self.assertEqual(self.run_fit("--device", "sim").returncode, 0)
        for path in (self.dir, backend):
            for mode in (0o775, 0o757):
                path.chmod(mode)
                run = self.run_fit("--device", "sim")
                self.assertEqual(run.returncode, 1)
                why = (f"'{path}' that nobody else may write, got mode "
                       f"{mode:04o}; `chmod go-w` fixes that")
                self.assertIn(f"device 'sim': backend '{backend}' is skipped: "
                              "expected a ", run.stderr)
                self.assertIn(why, run.stderr)
                text = self.succeed(self.model, "info", "--devices")
                self.assertRegex(
                    text, rf"  sim\n    found: {backend}\n    skipped: .*"
                          + re.escape(why))
                path.chmod(0o755)
        self.assertIn(f"  {self.dir}, if nobody else may write it\n", text)
        # If the user has named the folder, it is not checked.
        self.dir.chmod(0o757)
        run = self.run_program(
            self.model, "fit", self.train, "-o", "out", "--device", "sim",
            env=dict(os.environ, TAMRT_BACKEND_PATH=str(self.dir)))
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_auto(self):
        backend = self.plant("cuda")
        self.dir.chmod(0o777)
        run = self.run_fit()
        self.assertEqual(run.returncode, 0)
        self.assertIn(f"warning: backend '{backend}' is skipped: expected "
                      f"a folder '{self.dir}' that nobody else may write",
                      run.stderr)

    def test_program_with_more_rights_than_its_caller(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a program that root owns")
        other = self.dir / "other"
        other.mkdir()
        caller = 65534
        os.chown(other, caller, caller)
        backend = other / "libtamrt-backend-sim.so"
        shutil.copy(self.plant("sim"), backend)
        os.chown(backend, caller, caller)
        os.link(self.model, other / "model")
        self.model.chmod(0o4755)

        def info():
            return self.succeed(
                other / "model", "info", "--devices", user=caller,
                group=caller, extra_groups=[],
                env=dict(os.environ, TAMRT_BACKEND_PATH=str(self.dir)))
        text = info()
        self.assertNotIn(f"  {self.dir}\n", text)
        self.assertIn(f"a folder '{other}' to belong to you or root, got user "
                      f"{caller}", text)
        # Without these rights the caller may name folders.
        self.model.chmod(0o755)
        self.assertIn(f"  {self.dir}\n", info())


class OpaqueFaults(test_faults.Faults):
    """The same faults on a device whose memory the CPU cannot address, and which
    runs two calls together."""

    def run_sim(self, model, name, *options, **sim):
        return super().run_sim(model, name, *options, opaque=1, batch=2,
                               without="", **sim)

    def check_every_copy(self, model, names):
        """A copy for which there is no memory is repeated on a lower rung, or
        the group is solved again."""
        one = ("--threads", "1")
        first = test_faults.TEST_COPIES + 1
        for name in names:
            counts, _ = self.run_sim(model, name, *one)
            copies = counts[4]
            self.assertGreater(copies, first + 10)
            for k in range(first, copies + 1, max((copies - first) // 60, 1)):
                for fallback in ((), ("--allow-cpu-fallback",)):
                    _, status = self.run_sim(model, name, *one, *fallback,
                                             fail_copy=k)
                    self.assertEqual(status, 0, (name, k))
                # If it fails on every rung, there is an error.
                _, status = self.run_sim(model, name, *one, fail_copy=k,
                                         fail_copies=99)
                self.assertEqual(status, 1, (name, k))

    def test_every_copy(self):
        # A recursion has a carry, which must not be advanced twice.
        model = self.prepare("y ~ l(a)+s(c,k=5)+pid(b,w=3)+c(d,n_cat=7)",
                             days=20, groups=2, chunk_rows=16)
        self.check_every_copy(model, self.commands)

    def test_every_copy_of_conjugate_gradients(self):
        model = self.prepare_cg(False, days=20, chunk_rows=16)
        self.check_every_copy(model, self.commands)

    def test_a_copy_that_fails_for_another_reason(self):
        model = self.prepare(days=3, groups=1)
        first = test_faults.TEST_COPIES + 1
        for name, command in self.commands.items():
            run = self.run_program(
                model, *command, "--device", "sim", env=dict(
                    os.environ, TAMRT_BACKEND_PATH=str(test_faults.BACKENDS),
                    TAMRT_SIM_OPAQUE="1", TAMRT_SIM_FAIL_COPY=str(first),
                    TAMRT_SIM_COPY_STATUS="3"))
            self.assertEqual(run.returncode, 1, name)
            self.assertIn("warning: device 'sim' reported status 3 when asked "
                          "to copy\n", run.stderr)
            self.assertRegex(run.stderr, "error: .*the device reported error 3\n")

    def test_every_wait(self):
        """Rows that may have been added are not added again: a wait that lacked
        memory ends the run, if no copy of the sums is kept."""
        model = self.prepare(days=20, groups=2, chunk_rows=16, names=["fit"])
        for batch in 0, 2:
            ends = [self.run_failing(
                model, "fit", "sim", env=dict(
                    os.environ, TAMRT_BACKEND_PATH=str(test_faults.BACKENDS),
                    TAMRT_SIM_OPAQUE="1", TAMRT_SIM_BATCH=str(batch),
                    TAMRT_SIM_WITHOUT="shortage", TAMRT_SIM_FAIL_WAIT=str(k)))
                .returncode for k in range(1, 60, 3)]
            self.assertIn(1, ends, batch)


class SolverFaults(test_faults.Faults):
    """The same where groups are solved on the CPU and summed on such a
    device."""

    def run_sim(self, model, name, *options, **sim):
        return super().run_sim(model, name, *options, "--placement",
                               "solve=cpu", opaque=1, **sim)

    # The remaining memory there is less than the device's test takes, and
    # nothing is factored.
    test_little_and_fragmented_memory = None
    test_every_factorization_of_conjugate_gradients = None


class SumsFaults(test_faults.Faults):
    """The same where rows are summed on the CPU, and groups solved on such a
    device."""

    def run_sim(self, model, name, *options, **sim):
        return super().run_sim(model, name, *options, "--placement",
                               "sums=cpu", opaque=1, **sim)

    # Little memory remains there, too, and the solver has no rungs.
    test_little_and_fragmented_memory = None
    test_trace = None
    test_trace_of_conjugate_gradients = None
    test_kernels_of_two_threads_at_once = None
    test_rows_that_threads_share = None

    def test_every_kernel_of_conjugate_gradients(self):
        """A solver's step is tried once more, then on the CPU if that is
        allowed."""
        model = self.prepare_cg(False, days=40)
        one = ("--threads", "1")
        first = test_faults.TEST_KERNELS + 1
        for name in self.commands:
            (_, _, kernels, *_), _ = self.run_sim(model, name, *one)
            self.assertGreater(kernels, first)
            for k in range(first, kernels + 1, max((kernels - first) // 60, 1)):
                for count, allowed in ((1, False), (2, False), (2, True)):
                    more = ("--allow-cpu-fallback",) if allowed else ()
                    _, status = self.run_sim(model, name, *more, *one,
                                             fail_kernel=k, fail_kernels=count)
                    self.assertEqual(status, count > 1 and not allowed,
                                     (name, k, count))


# The tests of the module are not repeated.
del test_faults.Faults

if __name__ == "__main__":
    harness.main()
