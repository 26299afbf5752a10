# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of effects.json on the device torch:cpu, whose kernels are
operations of LibTorch, and on the same device without binary64."""

import json
import os
import pathlib

import golden
import harness
import served

# Another build of the backend may be tested (tools/check --with torch).
BACKENDS = pathlib.Path(os.environ.get(
    "TAMC_TORCH_BACKENDS", harness.BUILD / "lib" / "tamrt"))
BACKEND = BACKENDS / "libtamrt-backend-torch.so"


class Torch(harness.TestCase):
    def check(self, name):
        case = golden.effect_case(name)
        self.write_spec(case["formula"], name=name, group="g", date="date",
                        state=json.dumps(golden.given_state(case)))
        model = served.build(self, name, "--profile", case["train"],
                             "--fuse-rows=false")
        for lacks, tolerance in (("", 1e-8), ("binary64", 1e-7)):
            with self.subTest(lacks=lacks):
                env = dict(os.environ, TAMRT_BACKEND_PATH=str(BACKENDS),
                           TAMRT_LOG="debug", TAMRT_TORCH_LACKS=lacks,
                           TAMRT_TORCH_RESERVE=str(1 << 25))
                device = ("--device", "torch:cpu")
                run = served.run(BACKEND, self, model, "fit", case["train"],
                                 "-o", "weights", *device, env=env)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertNotIn("solving on 'cpu'", run.stderr)
                # What it cannot compute accurately is the CPU's.
                self.assertEqual("summing rows on 'cpu'" in run.stderr,
                                 lacks != "", run.stderr)
                self.assertNotIn("the CPU factors", run.stderr)
                for command, table in (("predict", "predictions"),
                                       ("decompose", "effects")):
                    run = served.run(
                        BACKEND, self, model, command, case["test"],
                        "--weights", "weights", "-o", table, *device, env=env)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual("predicting on 'cpu'" in run.stderr,
                                     lacks != "", run.stderr)
                got = [float(row["prediction"]) for row in
                       harness.read_csv(self.dir / "predictions")]
                self.assert_close(got, case["pred_test"], tolerance,
                                  "prediction")
                sums = [sum(float(value) for column, value in row.items()
                            if column not in ("g", "date"))
                        for row in harness.read_csv(self.dir / "effects")]
                self.assert_close(sums, case["pred_test"], tolerance,
                                  "sum of effects")


for case_name in golden.EFFECTS:
    setattr(Torch, f"test_{case_name}",
            lambda self, name=case_name: self.check(name))


if __name__ == "__main__":
    harness.main()
