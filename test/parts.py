# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits in parts: surveys, sums, and random trees of their merges."""

import random
import shutil

import harness

SEGMENT = 4096


class TestCase(harness.TestCase):
    def split(self, model, train, parts, *options):
        """Splits rows; returns the files."""
        folder = self.dir / "parts"
        shutil.rmtree(folder, ignore_errors=True)
        self.succeed(model, "split", train, "--parts", parts, "-o", folder,
                     *options)
        return sorted(folder.iterdir())

    def cut(self, train, parts, rng):
        """Cuts rows at random; returns the files."""
        head, *lines = train.read_text().splitlines(keepends=True)
        files = [self.dir / f"cut-{i}.csv" for i in range(parts)]
        texts = [[head] for _ in files]
        for i, line in enumerate(lines):
            # Each has a row.
            (texts[i] if i < parts else rng.choice(texts)).append(line)
        for path, text in zip(files, texts):
            path.write_text("".join(text))
        return files

    def merge(self, model, files, rng):
        """Merges files by a random tree; returns the last one."""
        files = list(files)
        rng.shuffle(files)
        made = 0
        while len(files) > 1:
            chosen = [files.pop(rng.randrange(len(files)))
                      for _ in range(min(rng.randint(2, 4), len(files)))]
            made += 1
            files.append(chosen[0].parent / f"merged-{made}")
            self.succeed(model, "merge", *chosen, "-o", files[-1])
        return files[0]

    def make(self, model, command, parts, *options):
        """Surveys or sums of parts, in a new folder."""
        folder = self.dir / command
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made = []
        for part in parts:
            made.append(folder / f"{part.name}.{command}")
            self.succeed(model, command, part, "-o", made[-1], *options)
        return made

    def sum_parts(self, model, parts, rng, rows=(), sums=()):
        """The merged survey and sums; `rows` are options of both, `sums` of
        sums."""
        survey = self.merge(model, self.make(model, "survey", parts, *rows),
                            rng)
        return survey, self.merge(
            model, self.make(model, "sums", parts, "--survey", survey, *rows,
                             *sums), rng)

    def fit_parts(self, model, parts, seed=1, rows=(), sums=(), solve=()):
        """The weights' bytes."""
        _, merged = self.sum_parts(model, parts, random.Random(seed), rows,
                                   sums)
        weights = self.dir / "solved.safetensors"
        self.succeed(model, "solve", merged, "-o", weights, *solve)
        return weights.read_bytes()
