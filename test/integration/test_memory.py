# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fit runs in the address space that `model info` promises: the constant,
the rung of each thread, the input and its columns."""

import json
import resource

import small
from small import harness


class Memory(harness.TestCase):
    def promise(self, model, train, threads):
        """Bytes of address space by `info` for a fit of the file `train`."""
        info = json.loads(self.succeed(model, "info", "--format=json"))
        need = info["fit"]
        # The largest rung: what a machine with free memory takes.
        rung = max(r["total"] for r in info["rungs"] if r["use"] == "fit")
        names = harness.header(train)
        rows = harness.read_csv(train)
        groups = len({row["g"] for row in rows})
        return (need["constant"] + threads * (need["per_thread"] + rung)
                + train.stat().st_size * need["per_file_byte"]
                + len(rows) * (need["per_row"]
                               + len(names) * need["per_field"])
                + groups * need["per_group"])

    def test_fit_under_its_promise(self):
        model = self.compile(small.FORMULA, **small.KEYS)
        for days in (20, 2190):
            train = small.generate(self.dir / "train.csv", "--days", days)
            free = self.fit(model, train).read_bytes()
            for threads in (1, 2):
                limit = self.promise(model, train, threads)
                with self.subTest(days=days, threads=threads, limit=limit):
                    weights = self.fit(
                        model, train, "--threads", threads, preexec_fn=lambda:
                        resource.setrlimit(resource.RLIMIT_AS,
                                           (limit, limit)))
                    self.assertEqual(weights.read_bytes(), free)

    def test_promise_is_modest(self):
        # The promise grows with the input, not with the design matrix: 38
        # columns of doubles would be 304 bytes a row.
        model = self.compile(small.FORMULA, **small.KEYS)
        need = json.loads(self.succeed(model, "info", "--format=json"))["fit"]
        self.assertLess(need["per_row"], 304)
        self.assertLessEqual(need["constant"], 256 << 20)

    def test_too_little_memory(self):
        # Far below the promise a fit either manages or fails cleanly.
        model = self.compile(small.FORMULA, **small.KEYS)
        train = small.generate(self.dir / "train.csv")
        limit = train.stat().st_size + (20 << 20)
        run = self.run_program(
            model, "fit", train, "-o", self.dir / "w", "--threads", 1,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                  (limit, limit)))
        if run.returncode:
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            self.assertEqual({path.name for path in self.dir.iterdir()},
                             {"model", "model.yaml", "train.csv"})


if __name__ == "__main__":
    harness.main()
