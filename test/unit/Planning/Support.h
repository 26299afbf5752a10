//===- Planning/Support.h - problems for the tests --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_PLANNING_SUPPORT_H
#define TAMC_TEST_PLANNING_SUPPORT_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tamc::planning::test {

/// The text of a file below test/data/planning; fails the test if missing.
std::string readData(const std::string &path);

/// A problem of test/data/planning, without the suffix ".csv".
Problem load(const std::string &path);

/// The names of all problems of one folder of test/data/planning, sorted.
std::vector<std::string> problemsOf(const std::string &folder);

/// What random problems may contain.
struct Kinds {
  int buffers = 7;
  int times = 8;
  int64_t size = 12;
  bool gaps = false;
  bool windows = false;
  bool pins = false;
  bool classes = false;
  bool spaces = false;
  bool alignment = false;
};

/// A valid problem; zero sizes, equal times and touching lives are common.
Problem randomProblem(std::mt19937_64 &random, const Kinds &kinds);

/// Quadratic, and independent of the checker: true if the plan satisfies every
/// rule except capacities.
bool isCorrect(const Problem &problem, const std::vector<int64_t> &offsets,
               int64_t alignment = 1);

/// The lowest peak of space 0 that any plan reaches, by trying every offset
/// that is a sum of sizes; for problems of one space without windows, aliases
/// and pins, of up to 8 buffers.
int64_t bruteForce(const Problem &problem);

/// True when rectangles (no gaps, windows, pins, alignment; one space; times
/// below 64) can be packed within `height`. Tries every order of offsets.
bool fitsWithin(const Problem &problem, int64_t height);

/// By space: the lowest peak that any plan reaches, by trying every offset of
/// every buffer; supports everything in a problem except capacities and
/// operations. Nothing when pins exclude each other. For up to 7 buffers whose
/// sizes are a few bytes.
std::optional<std::vector<int64_t>> minPeaks(const Problem &problem);

} // namespace tamc::planning::test

#endif // TAMC_TEST_PLANNING_SUPPORT_H
