//===- Then.c - several commands of a model, one after another ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of a model of another machine:
// MODEL COMMAND [ARGUMENT...] [--then COMMAND [ARGUMENT...]]... An emulator
// translates the code that commands share once, which takes longer than to run
// it.
//
//===----------------------------------------------------------------------===//
#include "tamrt/abi.h"

#include <stddef.h>
#include <string.h>

extern const tamrt_model tam_model;

int main(int argc, char **argv) {
  int first = 1;
  for (int i = 1;; ++i) {
    if (i < argc && strcmp(argv[i], "--then") != 0)
      continue;
    argv[first - 1] = argv[0];
    argv[i] = NULL;
    const int status = tamrt_main(&tam_model, i - first + 1, argv + first - 1);
    if (status != 0 || i >= argc)
      return status;
    first = i + 1;
  }
}
