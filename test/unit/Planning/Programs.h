//===- Planning/Programs.h - problems with operations -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_PLANNING_PROGRAMS_H
#define TAMC_TEST_PLANNING_PROGRAMS_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tamc::planning::test {

/// Options of random programs, whose operations write one buffer each and read
/// those of others.
struct Features {
  bool inputs = false;
  bool rewrites = false; // buffers that several operations write
  bool extraOrder = false;
  bool classes = false;
  bool spaces = false;
  bool alignment = false;
};

enum class Shape { Layered, SeriesParallel };

/// A valid problem with `operations` operations, with the live ranges that
/// follow from them.
Problem randomProgram(std::mt19937_64 &random, Shape shape, int operations,
                      const Features &features);

/// For each pair of operations, whether the first comes before the second in
/// every order. Independent of the planner: Warshall's closure of the
/// dependencies between any two operations that access the same bytes, one of
/// them writing.
std::vector<std::vector<bool>> orderOf(const Problem &problem);

/// An order of the operations that respects orderOf(), by random choices.
std::vector<int32_t> randomOrder(std::mt19937_64 &random,
                                 const std::vector<std::vector<bool>> &order);

/// Calls `visit` with every such order; stops when it returns false.
template <typename Visit>
bool forEachOrder(const std::vector<std::vector<bool>> &before, Visit visit) {
  std::vector<int32_t> order;
  std::vector<bool> done(before.size(), false);
  auto step = [&](auto &self) -> bool {
    if (order.size() == before.size())
      return visit(static_cast<const std::vector<int32_t> &>(order));
    for (size_t i = 0; i < before.size(); ++i) {
      bool ready = !done[i];
      for (size_t j = 0; j < before.size() && ready; ++j)
        ready = done[j] || !before[j][i];
      if (!ready)
        continue;
      done[i] = true;
      order.push_back(static_cast<int32_t>(i));
      if (!self(self))
        return false;
      order.pop_back();
      done[i] = false;
    }
    return true;
  };
  return step(step);
}

/// Runs the operations in this order on real bytes: a write fills the buffer
/// with a unique stamp, a read expects the last stamp. Returns an error
/// message, or empty. Outputs are read at the end.
std::string simulate(const Problem &problem,
                     const std::vector<int64_t> &offsets,
                     const std::vector<int32_t> &order);

/// Most bytes alive at one time in this order, summed over the spaces; for
/// problems without lives of their own.
int64_t loadOf(const Problem &problem, const std::vector<int32_t> &order);

} // namespace tamc::planning::test

#endif // TAMC_TEST_PLANNING_PROGRAMS_H
