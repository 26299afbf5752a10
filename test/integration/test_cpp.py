# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The planned program as C++: compiled by any compiler, it gives the same bytes
as the executable."""

import small
from small import harness


class Cpp(harness.TestCase):
    def outputs(self, model, train):
        """The model's complete description of the data."""
        weights = self.fit(model, train)
        results = [weights.read_bytes()]
        for kind in ("response", "terms", "design"):
            out = self.predict(model, train, weights, f"--type={kind}")
            results.append(out.read_bytes())
        for command in (["coefficients", "--weights", weights], ["plan"],
                        ["info"]):
            results.append(harness.without_program(
                self.succeed(model, *command)))
        return results

    def test_same_bytes(self):
        train = small.generate(self.dir / "train.csv", "--groups", 2,
                               "--days", 30)
        # C++ has no steps for devices.
        options = ["--chunk-rows", 8, "--device-steps=false"]
        # Pairs of products are one launch, of a list of buffers.
        products = "".join(f"+te(s({x},k=3),c(d,n_cat=7))" for x in "abc")
        model = self.compile(small.FORMULA + products, *options, **small.KEYS)
        expected = self.outputs(model, train)
        # The same formula with the same name, because `info` prints it.
        source = self.dir / "model.cpp"
        self.succeed(harness.TAMC, self.dir / "model.yaml", *options,
                     "--emit=cpp", "-o", source)
        self.assertIn("tamrt_gram_pairs(", source.read_text())
        compilers = [("g++", "c++17"), ("clang++", "c++20")]
        if harness.SANITIZE:  # the runtime needs the sanitizers of its compiler
            compilers.pop()
        for compiler, standard in compilers:
            with self.subTest(compiler=compiler):
                built = self.build_cpp(source, self.dir / f"model-{compiler}",
                                       compiler, standard)
                self.assertEqual(self.outputs(built, train), expected)

    def test_text(self):
        text = self.succeed(harness.TAMC, "-f", "y ~ s(a, k=5)", "--emit=cpp",
                            "--fuse-rows=false")
        self.assertIn("// values of tam.bspline for s(a, k=5): ", text)
        self.assertIn("planned by '", text)


if __name__ == "__main__":
    harness.main()
