#!/bin/sh
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
./load split train.csv --parts 4 -o parts
mkdir -p surveys sums
sbatch --wait part.sh survey
./load merge surveys/* -o all.survey
sbatch --wait part.sh sums
./load merge sums/* -o all.sums
./load solve all.sums -o slurm.safetensors
