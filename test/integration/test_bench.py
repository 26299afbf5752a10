# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench: each device is timed, by phase, and predicts what the first one does."""

import json
import os
import sys

import small
from small import harness

FOLDERS = os.pathsep.join(map(str, (harness.BUILD / "lib" / "tamrt",
                                    harness.BUILD / "test" / "backends")))
ENVIRONMENT = dict(os.environ, TAMRT_BACKEND_PATH=FOLDERS)
ROWS, GROUPS = 40 * 24 * 2, 2
COUNTS = ("launches", "copies", "uploaded_bytes")


class Bench(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.compile("y ~ s(a,k=9)+c(d,n_cat=7)",
                                  "--fuse-rows=false", **small.KEYS)
        self.train = small.generate(self.dir / "train.csv", "--days", 40,
                                    "--groups", GROUPS)

    def bench(self, *options):
        return self.succeed(self.model, "bench", self.train, *options,
                            env=ENVIRONMENT)

    def test_devices(self):
        told = json.loads(self.bench("--device=cpu,cuda-emulated,sim",
                                     "--runs=2", "--format=json"))
        rows = len(self.train.read_text().splitlines()) - 1
        self.assertEqual((told["rows"], told["groups"], told["columns"]),
                         (rows, GROUPS, 1 + 12 + 7))
        self.assertEqual(told["runs"], 2)
        self.assertEqual(told["skipped"], [])
        self.assertEqual([device["device"] for device in told["devices"]],
                         ["cpu", "cuda-emulated", "sim"])
        for device in told["devices"]:
            with self.subTest(device["device"]):
                self.assertGreater(device["bytes_per_second"], 0)
                self.assertEqual([phase["phase"] for phase in
                                  device["phases"]], ["fit", "predict"])
                for phase in device["phases"]:
                    self.assertAlmostEqual(
                        phase["rows_per_second"] * phase["seconds"] / rows, 1)
                    self.assertGreater(phase["bandwidth_share"], 0)
                    for name in COUNTS[:1] if device["device"] != "cpu" else ():
                        self.assertGreater(phase[name], 0)
        cpu, cuda, sim = told["devices"]
        self.assertEqual([phase[name] for phase in cpu["phases"]
                          for name in COUNTS], [0] * 6)
        # The emulator's memory is its own, that of the simulation is the CPU's.
        for name in COUNTS[1:]:
            self.assertGreater(cuda["phases"][0][name], 0)
            self.assertGreater(cuda["phases"][1][name], 0)
        self.assertEqual(cpu["difference"], 0)
        self.assertEqual(sim["difference"], 0)
        self.assertGreater(cuda["difference"], 0)
        self.assertLess(cuda["difference"], 1e-9)

    def test_counts_of_one_run(self):
        """Each run does the same work; the tests of the device, the run that
        does not count and the measure of its memory do none of it."""
        alone = ENVIRONMENT | {"TAMRT_EMULATOR_BATCH": "1"}

        def counts(runs):
            told = json.loads(self.succeed(
                self.model, "bench", self.train, "--device=cuda-emulated",
                f"--runs={runs}", "--format=json", env=alone))
            return [[phase[name] for name in COUNTS]
                    for phase in told["devices"][0]["phases"]]
        one = counts(1)
        self.assertEqual(counts(3), one)
        run = self.run_program(
            self.model, "fit", self.train, "-o", "w", "--device=cuda-emulated",
            "--timings=json", env=alone)
        whole = json.loads(run.stderr)["device"]
        # A fit alone uploads the constants of the model, too, by one copy.
        self.assertEqual(one[0][:2], [whole["launches"], whole["copies"] - 1])
        self.assertLess(one[0][2], whole["uploaded_bytes"])

    def test_resident(self):
        """The columns are copied once, before the time counts."""
        told = []
        for options in (), ("--resident",):
            device, = json.loads(self.succeed(
                self.model, "bench", self.train, "--device=cuda-emulated",
                "--runs=1", "--format=json", *options,
                env=ENVIRONMENT))["devices"]
            told.append([phase["uploaded_bytes"] for phase in device["phases"]])
        rows = len(harness.read_csv(self.train))
        for staged, kept in zip(*told):
            self.assertGreater(staged, 8 * rows)
            self.assertLess(kept, staged - 8 * rows)
        self.succeed(self.model, "bench", self.train, "--device=cpu",
                     "--resident", "--runs=1")

    def test_all(self):
        told = json.loads(self.bench("--device=all", "--runs=1",
                                     "--format=json"))
        names = [device["device"] for device in told["devices"]]
        self.assertEqual(names[0], "cpu")
        self.assertLessEqual({"sim", "cuda-emulated"}, set(names))
        skipped = {each["device"]: each["why"] for each in told["skipped"]}
        for kind in {"cuda", "torch"} - {name.split(":")[0] for name in names}:
            built = (harness.BUILD / "lib" / "tamrt" /
                     f"libtamrt-backend-{kind}.so").exists()
            self.assertRegex(skipped[kind], "^no driver for NVIDIA GPUs "
                             if built else "^no backend was found$")

    def test_text(self):
        text = self.bench("--device=cpu,sim", "--runs=1")
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^\d+ rows, 2 groups, 20 columns; the "
                                   r"fastest of 1 runs$")
        self.assertRegex(lines[2], "^device  phase +seconds +rows/s +of peak "
                                   "+launches +copies +bytes uploaded$")
        for line, (device, phase) in zip(lines[3:], (
                ("cpu", "fit"), ("cpu", "predict"), ("sim", "fit"),
                ("sim", "predict"))):
            self.assertRegex(line, rf"^{device} +{phase} +\d+\.\d+ +\d+ +"
                                   r"\d+\.\d% +\d+ +\d+ +\d+$")
        self.assertIn("predictions differ from those of cpu by 0.0e+00 of their "
                      "spread", text)

    def test_errors(self):
        for options, message in (
                (("--device=none",), "'none'"),
                (("--device=cpu,none",), "'none'"),
                (("--device=cpu,",), "''"),
                (("--runs=0",), "--runs"),
                (("--format=csv",), "--format")):
            with self.subTest(options):
                run = self.run_program(self.model, "bench", self.train, *options,
                                       env=ENVIRONMENT)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(message, run.stderr)
                self.assertEqual(run.stdout, "")
        # A device with too little memory ends it; nothing is printed as if it
        # had been measured.
        run = self.run_program(
            self.model, "bench", self.train, "--device=cpu,sim",
            env=ENVIRONMENT | {"TAMRT_SIM_FAIL": "20",
                               "TAMRT_SIM_FAIL_LATER": "1"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("train.csv: sim: ", run.stderr)
        self.assertEqual(run.stdout, "")
        run = self.run_program(self.model, "bench", "missing.csv")
        self.assertEqual(run.returncode, 1)
        self.assertIn("missing.csv", run.stderr)


class SimulateRanks(harness.TestCase):
    """The benchmark that times more ranks than processors."""

    def test_ranks(self):
        program = harness.BUILD / "bin" / "SimulateRanks"
        if not program.exists():
            self.skipTest("the benchmarks were not built")
        sys.path.insert(0, str(harness.SOURCE / "tools" / "bench"))
        import load_model
        load_model.write_rows(self.dir / "rows.csv", 200, 1)

        def lines(*options):
            text = self.succeed(program, "rows.csv", "--ranks=1,2,5", *options)
            return [line.strip("| ").split(" | ") for line in
                    text.splitlines()[2:]]
        fast, slow = lines(), lines("--bandwidth=1e-6")
        self.assertEqual([line[0] for line in fast], ["1", "2", "5"])
        # The bytes that ranks send do not depend on the network.
        self.assertEqual(fast[0][-1], "0")
        self.assertGreater(int(fast[1][-1]), 9600 // 4 * 8)
        self.assertEqual([line[-1] for line in fast],
                         [line[-1] for line in slow])
        # 1,000 bytes a second.
        for line in slow[1:]:
            self.assertGreater(float(line[1]), int(line[-1]) / 1000)
        for options, message in ((["rows.csv", "--ranks=0"], "--ranks"),
                                 (["none.csv"], "none.csv")):
            run = self.run_program(program, *options)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(message, run.stderr)


if __name__ == "__main__":
    harness.main()
