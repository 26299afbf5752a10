//===- RandomCase.h - random specs, rows and options ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_UNIT_PIPELINES_RANDOMCASE_H
#define TAMC_TEST_UNIT_PIPELINES_RANDOMCASE_H

#include "Random.h"
#include "Table.h"

#include "tamc/Pipelines/Pipelines.h"

#include <string>

namespace tamc::reference {

/// A random spec with rows for it, and options with which passes change
/// modules.
struct RandomCase {
  /// With a formula of at most `terms` terms, and `rows` / 3 to `rows` training
  /// rows per group.
  RandomCase(uint32_t seed, int64_t terms, int64_t rows);

  Random random;
  std::string text;
  Table train, fresh;
  PipelineOptions options;
  int64_t chunkRows = 1;
};

/// The number in the environment variable `name`, `usual` without one.
uint32_t fromEnvironment(const char *name, uint32_t usual);

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_PIPELINES_RANDOMCASE_H
