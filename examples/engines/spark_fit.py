# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import tempfile

import pandas
from pyspark import TaskContext
from pyspark.sql import SparkSession


def run(*words, rows=None):
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{i}" for i in range(len(words))]
        for path, word in zip(paths, words):
            if isinstance(word, bytes):
                with open(path, "wb") as file:
                    file.write(word)
        words = [path if isinstance(word, bytes) else word
                 for path, word in zip(paths, words)]
        subprocess.run(["./load", *words, "-o", f"{folder}/out"], check=True,
                       input=rows)
        with open(f"{folder}/out", "rb") as file:
            return file.read()


def each_part(frame, *words):
    """The outputs of a command for all partitions."""
    def run_part(frames):
        frames = [frame for frame in frames if len(frame)]
        part = str(TaskContext.get().partitionId())
        if frames:
            rows = pandas.concat(frames)
            yield pandas.DataFrame({"out": [run(
                *words, "-", "--part", part,
                rows=rows.to_csv(index=False).encode())]})
    made = frame.mapInPandas(run_part, "out binary").collect()
    return [bytes(row.out) for row in made]


if __name__ == "__main__":
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    frame = spark.read.csv("train.csv", header=True).repartition(4, "sensor")
    survey = run("merge", *each_part(frame, "survey"))
    sums = run("merge", *each_part(frame, "sums", "--survey", survey))
    with open("spark.safetensors", "wb") as file:
        file.write(run("solve", sums))
    spark.stop()
