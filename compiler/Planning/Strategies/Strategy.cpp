//===- Planning/Strategy.cpp - registry and common steps ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Strategy.h"

#include "Problem/Arithmetic.h"
#include "Problem/Buffers.h"
#include "Strategies/Judge.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/LowerBound.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace tamc::planning;

namespace tamc::planning {
#define TAMC_STRATEGY(function, name, traits, summary)                         \
  Plan function(const Problem &problem, const Options &options);
#include "Strategies/Strategies.def"
#undef TAMC_STRATEGY
} // namespace tamc::planning

static constexpr Strategy registry[] = {
#define TAMC_STRATEGY(function, name, traits, summary)                         \
  {name, summary, traits, function},
#include "Strategies/Strategies.def"
#undef TAMC_STRATEGY
};

std::span<const Strategy> tamc::planning::strategies() { return registry; }

const Strategy *tamc::planning::findStrategy(std::string_view name) {
  for (const Strategy &strategy : registry)
    if (strategy.name == name)
      return &strategy;
  return nullptr;
}

std::optional<Pools> tamc::planning::parsePools(std::string_view text) {
  if (text == "none")
    return Pools::None;
  if (text == "intermediates")
    return Pools::Intermediates;
  if (text == "outputs")
    return Pools::Outputs;
  if (text == "combined")
    return Pools::Combined;
  return std::nullopt;
}

namespace {

std::string bytes(int64_t value) {
  return std::to_string(value) + (value == 1 ? " byte" : " bytes");
}

/// A message about two pinned buffers that share bytes at one time, for which
/// there is no plan.
std::string conflictOfPins(const Problem &problem, int64_t alignment) {
  std::vector<std::optional<int64_t>> all = effectivePins(problem);
  Problem pins;
  pins.spaces = problem.spaces;
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i]) {
      pins.buffers.push_back(problem.buffers[i]);
      offsets.push_back(*all[i]);
    }
  if (offsets.empty())
    return {};
  CheckOptions options;
  options.alignment = alignment;
  // The bound shows pins that end above the capacity.
  options.capacities = false;
  options.limit = 1;
  std::vector<Finding> findings = check(pins, offsets, options);
  return findings.empty()
             ? std::string()
             : "two pins exclude each other: " + findings.front().message;
}

/// The buffers that need `bound` at its time, largest first, as text.
std::string describeLoad(const Problem &problem, int32_t space,
                         const Bound &bound) {
  std::vector<int32_t> alive = aliveAt(problem, space, bound.time);
  std::stable_sort(alive.begin(), alive.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[a].size > problem.buffers[b].size;
  });
  std::string text;
  constexpr size_t most = 8;
  for (size_t i = 0; i < alive.size() && i < most; ++i) {
    const Buffer &buffer = problem.buffers[alive[i]];
    text += (i ? ", '" : "'") + buffer.name + "' (" +
            std::to_string(buffer.size) + ")";
  }
  if (alive.size() > most)
    text += " and " + std::to_string(alive.size() - most) + " more";
  return text;
}

std::string nameOf(const Problem &problem, size_t space) {
  const std::string &name = problem.spaces[space].name;
  return name.empty() ? "the capacity" : "the capacity of space '" + name + "'";
}

/// The pinned buffer that ends at `end`, the highest end in its space; -1 if
/// there is none.
int64_t pinnedUpTo(const Problem &problem, size_t space, int64_t end) {
  std::vector<std::optional<int64_t>> pins = effectivePins(problem);
  for (size_t i = 0; i < pins.size(); ++i)
    if (const Buffer &buffer = problem.buffers[i];
        pins[i] && buffer.space == static_cast<int64_t>(space) &&
        occupies(buffer) && *pins[i] + buffer.size == end)
      return static_cast<int64_t>(i);
  return -1;
}

/// The reason why no plan fits, if the bounds prove it.
std::string excess(const Problem &problem, const std::vector<Bound> &bounds) {
  for (size_t space = 0; space < problem.spaces.size(); ++space) {
    const Bound &bound = bounds[space];
    if (bound.overflow)
      return "at time " + std::to_string(bound.time) +
             " the live buffers need more than 2^63-1 bytes";
    std::optional<int64_t> capacity = problem.spaces[space].capacity;
    if (!capacity || bound.bytes <= *capacity)
      continue;
    if (int64_t pin = pinnedUpTo(problem, space, bound.bytes); pin >= 0)
      return "the pin of buffer '" + problem.buffers[pin].name + "' ends at " +
             std::to_string(bound.bytes) + ", " +
             bytes(bound.bytes - *capacity) + " over " +
             nameOf(problem, space) + " of " + bytes(*capacity);
    return "at time " + std::to_string(bound.time) + " at least " +
           bytes(bound.bytes) + " are needed, " +
           bytes(bound.bytes - *capacity) + " over " + nameOf(problem, space) +
           " of " + bytes(*capacity) + "; alive are " +
           describeLoad(problem, static_cast<int32_t>(space), bound);
  }
  return {};
}

} // namespace

void tamc::planning::fillPeaks(const Problem &problem, Plan &plan) {
  plan.peak.assign(problem.spaces.size(), 0);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (occupies(buffer))
      plan.peak[buffer.space] =
          std::max(plan.peak[buffer.space], plan.offsets[i] + buffer.size);
  }
  if (plan.pools.empty())
    for (size_t space = 0; space < problem.spaces.size(); ++space)
      plan.pools.push_back({static_cast<int32_t>(space), 0, plan.peak[space]});
  // A pool may end with bytes that only its tree counts.
  for (const Pool &pool : plan.pools)
    plan.peak[pool.space] =
        std::max(plan.peak[pool.space], pool.base + pool.size);
}

void tamc::planning::insistOnCorrectness(const Problem &problem,
                                         const Plan &plan,
                                         const Options &given) {
  CheckOptions options;
  options.alignment = given.alignment;
  options.reuse = given.reuse;
  options.capacities = false;
  options.limit = 1;
  options.threads = given.threads > 0
                        ? given.threads
                        : static_cast<int>(std::thread::hardware_concurrency());
  std::vector<Finding> findings = check(problem, plan.offsets, options);
  if (findings.empty())
    return;
  std::fprintf(stderr, "bug: strategy '%s' made a wrong plan: %s\n",
               plan.strategy.c_str(), findings.front().message.c_str());
  std::abort();
}

void tamc::planning::judge(const Problem &problem, Plan &plan) {
  bool optimal = plan.status == Status::Optimal;
  bool atBound = true;
  plan.status = Status::Feasible;
  for (size_t space = 0; space < problem.spaces.size(); ++space) {
    atBound &= plan.peak[space] <= plan.bound[space];
    std::optional<int64_t> capacity = problem.spaces[space].capacity;
    if (!capacity || plan.peak[space] <= *capacity)
      continue;
    // A proof for one space is a proof for the problem.
    bool proved = plan.bound[space] > *capacity;
    if (plan.status == Status::Infeasible && !proved)
      continue;
    plan.status = proved         ? Status::Infeasible
                  : plan.stopped ? Status::TimedOut
                                 : Status::NotFound;
    int64_t needed = proved ? plan.bound[space] : plan.peak[space];
    plan.reason =
        (proved ? plan.peak[space] <= needed ? "the best plan needs "
                                             : "every plan needs at least "
                : "the best plan found needs ") +
        bytes(needed) + ", " + bytes(needed - *capacity) + " over " +
        nameOf(problem, space) + " of " + bytes(*capacity) +
        (proved ? "" : "; the bound is " + bytes(plan.bound[space]));
  }
  if (plan.status == Status::Feasible && (optimal || atBound))
    plan.status = Status::Optimal;
}

Plan tamc::planning::plan(const Problem &problem, const Options &options) {
  auto begin = std::chrono::steady_clock::now();
  Plan plan;
  plan.strategy = options.strategy;
  auto finish = [&](Status status, std::string reason) {
    plan.status = status;
    plan.reason = std::move(reason);
    return plan;
  };
  const Strategy *strategy = findStrategy(options.strategy);
  if (!strategy)
    return finish(Status::Invalid,
                  "unknown strategy '" + options.strategy + "'");
  if (std::optional<Diagnostic> wrong = validate(problem, options.alignment))
    return finish(Status::Invalid, wrong->message);
  if (hasChoice(problem))
    return planChoice(problem, options);
  if (options.reuse == Reuse::BranchSafe)
    return planBranchSafe(problem, options);
  std::vector<Bound> bounds = lowerBounds(problem, options.alignment);
  std::vector<int64_t> bound;
  for (const Bound &each : bounds)
    bound.push_back(each.bytes);
  plan.bound = bound;
  if (std::string conflict = conflictOfPins(problem, options.alignment);
      !conflict.empty())
    return finish(Status::Infeasible, std::move(conflict));
  std::string reason = excess(problem, bounds);
  for (const Bound &each : bounds)
    if (each.overflow)
      return finish(Status::Infeasible, std::move(reason));

  Options given = options;
  if (options.timeLimit) {
    // Checking the plan takes about as long as the steps before.
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    given.timeLimit = std::max(*options.timeLimit - 2 * spent.count(), 0.0);
  }
  // If nothing can fit, show a quick plan and do not search.
  if (!reason.empty())
    given.nodes = 1;
  if (options.lastAreOutputs) {
    Problem marked = problem;
    markLastAsOutputs(marked);
    plan = strategy->run(marked, given);
  } else {
    plan = strategy->run(problem, given);
  }
  if (plan.strategy.empty())
    plan.strategy = options.strategy;
  plan.bound.resize(bound.size(), 0);
  for (size_t space = 0; space < bound.size(); ++space)
    plan.bound[space] = std::max(plan.bound[space], bound[space]);
  if (!plan.offsets.empty() || problem.buffers.empty()) {
    insistOnCorrectness(problem, plan, options);
    fillPeaks(problem, plan);
    judge(problem, plan);
  } else if (plan.reason.empty()) {
    plan.reason = "the budget ran out before any plan was found";
  }
  if (!reason.empty())
    finish(Status::Infeasible, std::move(reason));
  plan.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return plan;
}
