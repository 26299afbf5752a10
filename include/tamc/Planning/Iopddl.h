//===- Planning/Iopddl.h - strategies of intra-operator plans ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_IOPDDL_H
#define TAMC_PLANNING_IOPDDL_H

#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

#include <string>
#include <string_view>
#include <variant>

namespace tamc::planning {

/// A problem of the contest google/iopddl: each node chooses a strategy, with
/// its usage of memory during an interval and its cost; at no time may the
/// usages exceed the limit. The costs of edges are not kept.
struct StrategyProblem {
  std::string name;
  /// By node.
  std::vector<Interval> intervals;
  /// By node and strategy.
  std::vector<std::vector<int64_t>> costs, usages;
  std::optional<int64_t> limit;
  /// Number of edges.
  size_t edges = 0;
};

/// Reads the contest's JSON: {"problem": {"name": .., "nodes": {"intervals":
/// [[lower, upper], ..], "costs": [[..], ..], "usages": [[..], ..]}, "edges":
/// {"nodes": .., "costs": ..}, "usage_limit": ..}}. The limit may be null or
/// missing.
std::variant<StrategyProblem, Diagnostic> readIopddl(std::string_view text);

struct StrategyChoice {
  Status status = Status::NotFound;
  /// By node; empty if none is within the limit or was found.
  std::vector<int32_t> choice;
  /// They saturate at 2^63-1, a cost that is never called optimal. No choice
  /// within the limit costs less than the bound.
  int64_t cost = 0, costBound = 0;
  std::string reason;
};

/// The strategies of least node costs within the limit. Uses of `options`
/// chooser, seed, nodes and timeLimit.
StrategyChoice chooseStrategies(const StrategyProblem &problem,
                                const Options &options);

/// {"choice": [..], "plan": {"cost": .., "cost_bound": .., "status": ..,
/// "edges_ignored": ..}}, with "reason" in "plan" if there is no choice.
std::string writeChoice(const StrategyProblem &problem,
                        const StrategyChoice &choice);

/// Where the memory of the first strategies lies: a buffer for each node with
/// bytes and a life, "node 7". Without the limit.
Problem firstStrategies(const StrategyProblem &problem);

} // namespace tamc::planning

#endif // TAMC_PLANNING_IOPDDL_H
