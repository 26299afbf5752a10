# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of surveys, sums and weights whose metadata lack an entry, or a key of
one: an error that names the file, never the end of the program."""

import json
import struct

import small
from small import harness

import parts

FORMULA = "y ~ l(a) + c(k, n_cat=3)"
# What readers do without: it is for messages.
SPARE = {"model", "formula", "tamc_version"}


def metadata_of(content):
    end = 8 + struct.unpack_from("<Q", content)[0]
    return json.loads(content[8:end])["__metadata__"]


def with_metadata(content, metadata):
    """The same file with other metadata and a checksum that is theirs."""
    end = 8 + struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:end]) | {"__metadata__": metadata}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return harness.seal(struct.pack("<Q", len(text)) + text + content[end:])


def lacking(value):
    """Each copy of a value that lacks one key, or one entry of a list, at any
    depth, or has null in its place, and the way there."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(places):
        copy = value.copy()
        del copy[key]
        yield [key], copy
        for other in [None, {}, [{}], [inner, inner]]:
            copy = value.copy()
            copy[key] = other
            yield [key, other], copy
        if isinstance(inner, (dict, list)):
            for way, changed in lacking(inner):
                copy = value.copy()
                copy[key] = changed
                yield [key, *way], copy


class Lacking(parts.TestCase):
    def setUp(self):
        super().setUp()
        self.train = self.dir / "train.csv"
        self.train.write_text("date,g,a,k,y\n" + "".join(
            f"{i},{i % 2},{i * i % 11},{i % 4},{i * 7 % 5}\n"
            for i in range(60)))
        self.model = self.compile(FORMULA, **small.KEYS)
        self.bad = self.dir / "bad"

    def read(self, content, *command):
        self.bad.write_bytes(content)
        out = self.dir / "out"
        out.unlink(missing_ok=True)
        run = self.run_program(self.model, *command, "-o", out)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        if run.returncode == 1:
            self.assertEqual(run.stderr.count("error: "), 1, run.stderr)
            self.assertIn(f"{self.bad}: ", run.stderr)
            self.assertFalse(out.exists())
        return run.returncode

    def check(self, path, *commands, spare=()):
        good = path.read_bytes()
        metadata = metadata_of(good)
        for command in commands:
            self.assertEqual(self.read(with_metadata(good, metadata),
                                       *command), 0)
        for key, text in metadata.items():
            if key != "checksum":
                less = {k: v for k, v in metadata.items() if k != key}
                for command in commands:
                    with self.subTest(key=key, command=command):
                        got = self.read(with_metadata(good, less), *command)
                        self.assertTrue(got == 1 or key in {*SPARE, *spare},
                                        key)
            if not text.startswith(("{", "[")):
                continue
            for way, changed in lacking(json.loads(text)):
                content = with_metadata(good, metadata | {
                    key: json.dumps(changed, separators=(",", ":"))})
                for command in commands:
                    with self.subTest(key=key, way=way, command=command):
                        self.read(content, *command)

    def test_survey(self):
        survey = self.dir / "good"
        self.succeed(self.model, "survey", self.train, "-o", survey)
        self.check(survey, ["merge", self.bad],
                   ["sums", self.train, "--survey", self.bad])
        content = survey.read_bytes()
        metadata = metadata_of(content)
        part, = json.loads(metadata["parts"])
        for key in part:
            less = {k: v for k, v in part.items() if k != key}
            self.assertEqual(self.read(with_metadata(
                content, metadata | {"parts": json.dumps([less])}),
                "merge", self.bad), 1, key)

    def test_sums(self):
        survey, sums = self.dir / "survey", self.dir / "good"
        self.succeed(self.model, "survey", self.train, "-o", survey)
        self.succeed(self.model, "sums", self.train, "--survey", survey, "-o",
                     sums)
        self.check(sums, ["merge", self.bad])
        # Which survey sums have matters to others alone.
        self.check(sums, ["solve", self.bad], spare={"survey"})

    def test_weights(self):
        good = self.dir / "good"
        self.succeed(self.model, "fit", self.train, "--inference",
                     "--calibrate", "0.5", "-o", good)
        self.check(good, ["predict", self.train, "--weights", self.bad,
                          "--interval=.5", "--method=conformal"],
                   spare={"columns", "effects", "inference", "spec"})


if __name__ == "__main__":
    harness.main()
