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

#include <compare>
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
  /// When they are not live at the same time in the program's own order.
  Program,
  /// When, in every order of the operations that their dependencies allow,
  /// every use of the one comes before the definition of the other.
  BranchSafe,
};

/// What a choice of spaces minimises. Capacities always hold.
enum class Objective {
  /// The cost; of the plans with the least cost, the sum of the peaks.
  Cost,
  /// The sum of the peaks; of the plans with the least, the cost.
  Peak,
};

/// How spaces are chosen.
enum class Chooser {
  /// By search, with bounds.
  Search,
  /// The largest buffers first, each into its cheapest space with room.
  Size,
  /// In the order of time; if a space is full, the buffer whose next use is
  /// farthest away leaves it (Belady).
  NextUse,
};

/// Decisions that `auto` may make by default, without a time limit.
inline constexpr int64_t kAutoNodes = 50000;

/// Options of a strategy. A plan depends only on the problem and the options,
/// unless `timeLimit` ends a search early.
struct Options {
  /// Name in the registry.
  std::string strategy = "auto";
  /// Every offset is a multiple of this; at least 1.
  int64_t alignment = 1;
  Reuse reuse = Reuse::Program;
  Objective objective = Objective::Cost;
  Chooser chooser = Chooser::Search;
  /// A buffer may move to another space directly before or after a use.
  bool evict = false;
  Pools pools = Pools::Intermediates;
  /// Treat buffers that live to the end as outputs, besides those marked as
  /// such.
  bool lastAreOutputs = false;
  /// Decisions that a search may make, or steps by which `tree+` may improve
  /// its tree; 0 is the strategy's own default. With a choice of spaces, the
  /// packings of the choices that are tried may make 25 times as many together.
  int64_t nodes = 0;
  uint64_t seed = 1;
  /// Seconds of wall time from the call; without it only `nodes` limits a
  /// search.
  std::optional<double> timeLimit;
  /// Threads of a portfolio; 0 is as many as the machine has.
  int threads = 0;

  /// An order for maps.
  auto operator<=>(const Options &) const = default;
};

/// Traits of a strategy.
enum StrategyTraits : unsigned {
  /// Options::nodes are steps by which it improves a plan; each takes 10 to 30
  /// ns.
  kHasSteps = 1,
  /// For sizes that are multiples of all alignments it finds the same plan in
  /// any unit: k times the sizes give k times the offsets.
  kScales = 2,
};

/// A planning strategy. `run` is a pure function; it may assume a valid problem
/// and returns offsets, pools and nodes. It need not respect capacities: plan()
/// fills in peak, bound, status and reason, and checks the plan.
struct Strategy {
  std::string_view name;
  /// One line, for help texts.
  std::string_view summary;
  /// A union of StrategyTraits.
  unsigned traits;
  Plan (*run)(const Problem &problem, const Options &options);
};

/// All strategies, in the order of Strategies.def.
std::span<const Strategy> strategies();

/// The strategy of that name, or null.
const Strategy *findStrategy(std::string_view name);

/// Plans with Options::strategy. Validates the problem first and checks the
/// plan with check() afterwards, in every build: if a strategy breaks a rule,
/// the program aborts. A name that is not in the registry gives
/// Status::Invalid, and so does Reuse::BranchSafe for a problem for which
/// whyNotBranchSafe() has a reason.
Plan plan(const Problem &problem, const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_STRATEGY_H
