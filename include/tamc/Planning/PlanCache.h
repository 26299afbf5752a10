//===- Planning/PlanCache.h - equal problems, one plan ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PLANCACHE_H
#define TAMC_PLANNING_PLANCACHE_H

#include "tamc/Planning/Strategy.h"

#include <map>
#include <utility>
#include <vector>

namespace tamc::planning {

/// Plans that were made, for problems that are equal but for their names and
/// for the unit of their sizes. The steps of a model for 1,024, 512, 256 rows
/// at a time are such problems.
class PlanCache {
public:
  /// plan(problem, options), made at most once for all problems of a kind. The
  /// unit matters for a strategy without kScales, and for sizes that are not
  /// multiples of the alignment. A problem with capacities, pins, hints,
  /// choices, uses, windows, alias classes, operations, expressions or larger
  /// alignments, and a search that has a time limit, is planned each time.
  /// O(n log n) for a plan that is there.
  Plan plan(const Problem &problem, const Options &options);

  /// How often a plan was there; for tests.
  int64_t hits() const { return found; }

private:
  std::map<std::pair<Options, std::vector<int64_t>>, Plan> plans;
  int64_t found = 0;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_PLANCACHE_H
