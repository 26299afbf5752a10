# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import tempfile

import dask
from dask.distributed import Client


@dask.delayed
def run(*arguments):
    """The output of a command of the model, whose inputs may be bytes."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for number, argument in enumerate(arguments):
            if isinstance(argument, bytes):
                path = pathlib.Path(folder, str(number))
                path.write_bytes(argument)
                argument = path
            words.append(argument)
        out = pathlib.Path(folder, "out")
        subprocess.run(["./load", *words, "-o", out], check=True)
        return out.read_bytes()


def merge(files):
    while len(files) > 1:
        files = [run("merge", *files[i:i + 8])
                 for i in range(0, len(files), 8)]
    return files[0]


if __name__ == "__main__":
    parts = sorted(pathlib.Path("parts").glob("*.csv"))
    survey = merge([run("survey", part) for part in parts])
    sums = merge([run("sums", part, "--survey", survey) for part in parts])
    with Client(n_workers=2, threads_per_worker=1):
        weights = run("solve", sums).compute()
    pathlib.Path("dask.safetensors").write_bytes(weights)
