# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data behind docs/performance.md are the same wherever they are made."""

import hashlib

import small
from small import harness

DIGEST = ("cae95b7eccd90116a5f69437c7581997"
          "b8733f851fc449bf8d26bd1690f983f9")


class Generator(harness.TestCase):
    def test_same_bytes(self):
        path = small.generate(self.dir / "big.csv")
        text = path.read_bytes()
        self.assertEqual(text.count(b"\n"), 105_120 + 1)
        self.assertEqual(hashlib.sha256(text).hexdigest(), DIGEST)
        rows = harness.read_csv(path)
        self.assertEqual(len({row["g"] for row in rows}), 48)
        self.assertEqual({row["d"] for row in rows}, set("0123456"))

    def test_seed(self):
        paths = [small.generate(self.dir / f"{seed}.csv", "--days", 2,
                                "--seed", seed) for seed in (1, 2)]
        self.assertNotEqual(*(path.read_bytes() for path in paths))


if __name__ == "__main__":
    harness.main()
