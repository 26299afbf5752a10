#!/bin/sh
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#SBATCH --array=1-4
set -eu
part=$(ls parts/*.csv | sed -n "${SLURM_ARRAY_TASK_ID}p")
case $1 in
survey) ./load survey "$part" -o "surveys/$SLURM_ARRAY_TASK_ID" ;;
sums) ./load sums "$part" --survey all.survey -o "sums/$SLURM_ARRAY_TASK_ID" ;;
esac
