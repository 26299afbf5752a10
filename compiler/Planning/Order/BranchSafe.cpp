//===- Planning/BranchSafe.cpp - plans that add no dependency -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/ConflictGraph.h"
#include "Order/DataFlow.h"
#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"
#include "Problem/Buffers.h"
#include "Strategies/Judge.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/OrderSafety.h"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace tamc::planning;

namespace {

/// For strategies, buffers conflict if their live ranges, which may have gaps,
/// overlap. Any graph of conflicts can be written as such a problem: after the
/// live ranges in the program's own order, sets of pairwise conflicting buffers
/// each get a time of their own at which their members live, until every
/// conflict is covered. A plan of that problem is a plan of the graph, and vice
/// versa.
///
/// If that takes too many times (parallel chains need one for each pair of
/// their links), strategies plan the program's own order. The buffers are then
/// placed again in the order of their offsets, each as low as its conflicts
/// allow.
class BranchSafePlanner {
public:
  BranchSafePlanner(const Problem &given, const Options &options)
      : problem(given), options(options) {
    if (options.lastAreOutputs)
      markLastAsOutputs(problem);
    DataFlow flow(problem);
    conflicts = flow.conflicts();
    this->options.reuse = Reuse::Program;
    this->options.lastAreOutputs = false;
    unroll(flow);
  }

  Plan run() {
    std::vector<Bound> bounds = lowerBounds(bounded, options.alignment);
    if (std::string reason = conflictOfPins(); !reason.empty()) {
      Plan none;
      none.strategy = options.strategy;
      none.status = Status::Infeasible;
      none.reason = std::move(reason);
      for (const Bound &bound : bounds)
        none.bound.push_back(bound.bytes);
      return none;
    }
    Plan plan = tamc::planning::plan(unrolled, options);
    // What was proved of the strategies' problem holds if it is this one.
    plan.bound.resize(bounds.size());
    for (size_t space = 0; space < bounds.size(); ++space)
      plan.bound[space] =
          std::max(exact ? plan.bound[space] : 0, bounds[space].bytes);
    std::string reason = excess(bounds);
    if (!plan.offsets.empty() || problem.buffers.empty()) {
      bool optimal = plan.status == Status::Optimal && exact;
      plan.pools.clear();
      plan.reason.clear();
      improve(plan);
      fillPeaks(problem, plan);
      plan.status = optimal ? Status::Optimal : Status::Feasible;
      judge(problem, plan);
    }
    if (!reason.empty()) {
      plan.status = Status::Infeasible;
      plan.reason = std::move(reason);
    }
    return plan;
  }

private:
  /// Sets `unrolled`, which the strategies plan, and `bounded`, whose loads are
  /// lower bounds.
  void unroll(const DataFlow &flow) {
    size_t count = problem.buffers.size();
    unrolled.buffers = problem.buffers;
    unrolled.spaces = problem.spaces;
    for (Space &space : unrolled.spaces)
      space.capacity.reset();
    for (size_t i = 0; i < count; ++i) {
      Buffer &buffer = unrolled.buffers[i];
      const Uses &uses = flow.uses(static_cast<int32_t>(i));
      buffer.windows.clear();
      buffer.live.clear();
      if (!uses.nothing)
        buffer.live.push_back({uses.lower, uses.upper});
    }
    bounded = unrolled;
    moment = static_cast<int64_t>(problem.operations.size()) + 1;

    std::vector<int64_t> weights;
    for (size_t i = 0; i < count; ++i)
      weights.push_back(
          unrolled.buffers[i].live.empty() ? 0 : unrolled.buffers[i].size);
    BitMatrix precedes = orderOf(flow);
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      std::vector<int32_t> vertices;
      for (size_t i = 0; i < count; ++i)
        if (problem.buffers[i].space == static_cast<int32_t>(space))
          vertices.push_back(static_cast<int32_t>(i));
      append(bounded, heaviestClique(conflicts, weights, vertices, precedes));
    }

    BitMatrix missing = conflicts;
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b)
        if (conflicts.test(a, b) && overlap(a, b))
          missing.reset(a, b);
    auto cliques = coverByCliques(conflicts, std::move(missing),
                                  20000 + 16 * problem.buffers.size());
    exact = cliques.has_value();
    if (!exact)
      return;
    for (const std::vector<int32_t> &clique : *cliques)
      append(bounded, clique);
    unrolled = bounded;
  }

  BitMatrix orderOf(const DataFlow &flow) const {
    size_t count = problem.buffers.size();
    BitMatrix precedes(count, count);
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b) {
        auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
        // If there is no conflict, one of the two is always earlier, also in
        // the order of the list.
        if (a != b && !conflicts.test(a, b) &&
            problem.buffers[a].space == problem.buffers[b].space &&
            !flow.uses(x).nothing && !flow.uses(y).nothing &&
            flow.uses(x).upper <= flow.uses(y).lower)
          precedes.set(a, b);
      }
    return precedes;
  }

  bool overlap(size_t a, size_t b) const {
    const std::vector<Interval> &x = unrolled.buffers[a].live;
    const std::vector<Interval> &y = unrolled.buffers[b].live;
    return !x.empty() && !y.empty() && x[0].lower < y[0].upper &&
           y[0].lower < x[0].upper;
  }

  void append(Problem &to, std::vector<int32_t> clique) {
    for (int32_t member : clique) {
      std::vector<Interval> &live = to.buffers[member].live;
      if (live.back().upper == moment)
        live.back().upper = moment + 1;
      else
        live.push_back({moment, moment + 1});
    }
    ++moment;
  }

  /// A message about two pinned buffers that share bytes, for which there is no
  /// plan.
  std::string conflictOfPins() const {
    std::vector<std::optional<int64_t>> all = effectivePins(problem);
    std::vector<std::pair<int64_t, int32_t>> pins;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i])
        pins.push_back({*all[i], static_cast<int32_t>(i)});
    std::sort(pins.begin(), pins.end());
    for (size_t i = 0; i < pins.size(); ++i)
      for (size_t j = i + 1; j < pins.size(); ++j) {
        const Buffer &a = problem.buffers[pins[i].second];
        const Buffer &b = problem.buffers[pins[j].second];
        if (pins[j].first >= pins[i].first + a.size)
          break;
        if (conflicts.test(pins[i].second, pins[j].second))
          return "two pins exclude each other: buffers '" + a.name + "' and '" +
                 b.name +
                 "' share bytes, and in some order of the operations both are "
                 "needed at a time";
      }
    return {};
  }

  /// Moves every buffer as low as its conflicts allow. If the strategy did not
  /// know all conflicts, this also makes the plan correct.
  void improve(Plan &plan) {
    std::vector<int64_t> moved = plan.offsets;
    std::vector<std::vector<int32_t>> members = buffersBySpace(unrolled);
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      Instance instance = makeInstance(unrolled, static_cast<int32_t>(space),
                                       members[space], options);
      size_t count = instance.size();
      BitMatrix between = conflictsOfItems(instance);
      std::vector<int64_t> offsets(count);
      for (size_t i = 0; i < count; ++i)
        offsets[i] = plan.offsets[instance.buffers[instance.firstBuffer[i]]];
      std::vector<std::vector<int32_t>> orders = {orderByOffset(offsets)};
      if (!exact &&
          (options.strategy == "auto" || options.strategy == "search"))
        addOrders(instance, orders);
      std::vector<int64_t> best = exact ? offsets : std::vector<int64_t>();
      for (const std::vector<int32_t> &order : orders) {
        offsets = placeByConflicts(instance, between, order);
        if (best.empty() || peakOf(instance, offsets) < peakOf(instance, best))
          best = offsets;
      }
      for (size_t i = 0; i < count; ++i)
        for (int32_t b = instance.firstBuffer[i];
             b < instance.firstBuffer[i + 1]; ++b)
          moved[instance.buffers[b]] = best[i];
    }
    plan.offsets = std::move(moved);
  }

  static void addOrders(const Instance &instance,
                        std::vector<std::vector<int32_t>> &orders) {
    std::vector<int32_t> order(instance.size());
    std::iota(order.begin(), order.end(), 0);
    auto add = [&](auto key) {
      std::vector<int32_t> sorted = order;
      std::stable_sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) {
        return key(instance.items[a]) > key(instance.items[b]);
      });
      orders.push_back(std::move(sorted));
    };
    add([&](const Item &i) { return std::pair(i.size, instance.life(i)); });
    add([&](const Item &i) { return std::pair(instance.life(i), i.size); });
    add([&](const Item &i) {
      return static_cast<double>(i.size) *
             static_cast<double>(instance.life(i));
    });
  }

  BitMatrix conflictsOfItems(const Instance &instance) const {
    BitMatrix between(instance.size(), instance.size());
    std::vector<int32_t> itemOf(problem.buffers.size(), -1);
    for (size_t i = 0; i < instance.size(); ++i)
      for (int32_t b = instance.firstBuffer[i]; b < instance.firstBuffer[i + 1];
           ++b)
        itemOf[instance.buffers[b]] = static_cast<int32_t>(i);
    for (size_t a = 0; a < problem.buffers.size(); ++a)
      if (itemOf[a] >= 0)
        forEachBit(conflicts.row(a), [&](size_t b) {
          if (itemOf[b] >= 0 && itemOf[b] != itemOf[a])
            between.set(itemOf[a], itemOf[b]);
        });
    return between;
  }

  std::string excess(const std::vector<Bound> &bounds) const {
    for (size_t space = 0; space < bounds.size(); ++space) {
      if (bounds[space].overflow)
        return "buffers that may be needed at one time need more than 2^63-1 "
               "bytes";
      std::optional<int64_t> capacity = problem.spaces[space].capacity;
      if (!capacity || bounds[space].bytes <= *capacity)
        continue;
      std::vector<int32_t> alive =
          aliveAt(bounded, static_cast<int32_t>(space), bounds[space].time);
      std::stable_sort(alive.begin(), alive.end(), [&](int32_t a, int32_t b) {
        return problem.buffers[a].size > problem.buffers[b].size;
      });
      std::string text =
          "at least " + std::to_string(bounds[space].bytes) +
          " bytes may be needed at one time in some order of the operations, " +
          std::to_string(bounds[space].bytes - *capacity) +
          " over the capacity" +
          (problem.spaces[space].name.empty()
               ? ""
               : " of space '" + problem.spaces[space].name + "'") +
          " of " + std::to_string(*capacity) + "; these are ";
      constexpr size_t most = 8;
      for (size_t i = 0; i < alive.size() && i < most; ++i)
        text += (i ? ", '" : "'") + problem.buffers[alive[i]].name + "' (" +
                std::to_string(problem.buffers[alive[i]].size) + ")";
      if (alive.size() > most)
        text += " and " + std::to_string(alive.size() - most) + " more";
      return text;
    }
    return {};
  }

  Problem problem;
  Options options;
  BitMatrix conflicts;
  Problem unrolled, bounded;
  int64_t moment = 0;
  /// Whether `unrolled` has every conflict.
  bool exact = false;
};

} // namespace

/// Estimated seconds to compare all pairs of operations and of buffers and to
/// check the plan from each operation.
static double secondsFor(const Problem &problem) {
  auto count =
      static_cast<double>(problem.operations.size() + problem.buffers.size());
  return 2.5e-8 * count * count;
}

/// The plan if the time limit is too short to analyse the order: every buffer
/// has its own bytes, which is correct in every order.
static Plan planApart(const Problem &problem, const Options &options) {
  Options apart = options;
  apart.strategy = "naive";
  apart.reuse = Reuse::Program;
  Plan plan = tamc::planning::plan(problem, apart);
  plan.strategy = options.strategy;
  plan.stopped = true;
  if (plan.offsets.empty())
    return plan;
  // Now only pinned buffers can share bytes.
  CheckOptions checking;
  checking.alignment = options.alignment;
  checking.reuse = Reuse::BranchSafe;
  checking.capacities = false;
  checking.limit = 1;
  std::vector<Finding> findings = check(problem, plan.offsets, checking);
  if (!findings.empty()) {
    plan.offsets.clear();
    plan.status = Status::Infeasible;
    plan.reason = "two pins exclude each other: " + findings.front().message;
    return plan;
  }
  plan.reason.clear();
  plan.status = Status::Feasible;
  judge(problem, plan);
  return plan;
}

Plan tamc::planning::planBranchSafe(const Problem &problem,
                                    const Options &options) {
  Plan plan;
  plan.strategy = options.strategy;
  plan.status = Status::Invalid;
  plan.reason = whyNotBranchSafe(problem);
  if (!plan.reason.empty())
    return plan;
  auto begin = std::chrono::steady_clock::now();
  if (options.timeLimit && *options.timeLimit < secondsFor(problem))
    return planApart(problem, options);
  plan = BranchSafePlanner(problem, options).run();
  if (!plan.offsets.empty())
    insistOnCorrectness(problem, plan, options);
  plan.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return plan;
}
