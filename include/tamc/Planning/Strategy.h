//===- Planning/Strategy.h - the strategies and their calls -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_STRATEGY_H
#define TAMC_PLANNING_STRATEGY_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tamc::planning {

/// The buffers that strategy `tree` puts into pools that grow.
enum class Pools { None, Intermediates, Outputs, Combined };

/// The mode of that name ("none", "intermediates", "outputs", "combined").
std::optional<Pools> parsePools(std::string_view text);

/// When two buffers may share bytes.
enum class Reuse {
  /// When they do not live at the same time of the program's own order.
  Program,
  /// When, in every order of the operations that their dependencies allow,
  /// every use of the one comes before the definition of the other.
  BranchSafe,
};

/// A strategy's options; it depends on nothing else but the problem. Equal
/// problems and options give equal plans unless `timeLimit` cuts a search
/// short.
struct Options {
  /// Name in the registry.
  std::string strategy = "auto";
  /// Every offset is a multiple of this; at least 1.
  int64_t alignment = 1;
  Reuse reuse = Reuse::Program;
  Pools pools = Pools::Intermediates;
  /// Treat the buffers that live to the end as outputs, beside those marked.
  bool lastAreOutputs = false;
  /// Decisions a search may make; 0 is the strategy's own default.
  int64_t nodes = 0;
  uint64_t seed = 1;
  /// Seconds of wall time from the call; none is no limit but `nodes`.
  std::optional<double> timeLimit;
  /// Threads of a portfolio; 0 is as many as the machine has.
  int threads = 0;
};

/// A way to plan. `run` is a pure function; it may assume a valid problem and
/// returns offsets, pools and nodes. It need not look at capacities: peak,
/// bound, status and reason are filled in, and the plan is checked, by plan().
struct Strategy {
  std::string_view name;
  /// One line, for help texts.
  std::string_view summary;
  Plan (*run)(const Problem &problem, const Options &options);
};

/// All strategies, in the order of Strategies.def.
std::span<const Strategy> strategies();

/// The strategy of that name, or null.
const Strategy *findStrategy(std::string_view name);

/// Plans by Options::strategy. Validates the problem first, checks the plan
/// with check() afterwards, in every build: a strategy that breaks a rule
/// aborts the program, it never yields a plan. A name that is not in the
/// registry gives Status::Invalid, and so does Reuse::BranchSafe for a problem
/// for which whyNotBranchSafe() has a reason.
Plan plan(const Problem &problem, const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_STRATEGY_H
