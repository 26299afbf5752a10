# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cmake --install` to any prefix gives a tamc that works from there."""

import os
import shutil

import small
from small import harness


class Install(harness.TestCase):
    def install(self):
        prefix = self.dir / "some prefix"
        self.succeed(os.environ.get("CMAKE", "cmake"), "--install",
                     harness.BUILD, "--prefix", prefix)
        return prefix

    def compile_with(self, tamc):
        model = self.dir / "model"
        run = self.run_program(tamc, "-f", "y ~ l(a) + c(k, n_cat=3)",
                               "--group", "g", "--date", "date", "-o", model)
        return run, model

    def test_works_from_its_prefix(self):
        prefix = self.install()
        moved = self.dir / "moved"
        prefix.rename(moved)
        run, model = self.compile_with(moved / "bin" / "tamc")
        self.assertEqual(run.returncode, 0, run.stderr)
        train = harness.write_csv(self.dir / "train.csv", small.rows())
        weights = self.fit(model, train)
        rows = harness.read_csv(self.predict(model, train, weights))
        self.assertEqual(len(rows), len(small.rows()))

    def test_needs_nothing_of_the_build_tree(self):
        # An installed tamc without its runtime must not find that of the build
        # tree.
        prefix = self.install()
        folder = prefix / "lib" / "tamrt"
        self.assertTrue((folder / "libtamrt.a").exists())
        shutil.rmtree(folder)
        run, model = self.compile_with(prefix / "bin" / "tamc")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("libtamrt.a", run.stderr)
        self.assertFalse(model.exists())

    def test_other_machines(self):
        built, installed = (
            sorted(path.relative_to(root) for path in
                   (root / "lib" / "tamrt").rglob("*.a"))
            for root in (harness.BUILD, self.install()))
        self.assertEqual(built, installed)

    def test_tools(self):
        prefix = self.install()
        for tool in ("tamc", "tam-opt"):
            with self.subTest(tool):
                self.succeed(prefix / "bin" / tool, "--version")
                if harness.SANITIZE:  # reports name the source files
                    continue
                text = (prefix / "bin" / tool).read_bytes()
                self.assertNotIn(str(harness.SOURCE).encode(), text)


if __name__ == "__main__":
    harness.main()
