//===- Planning/Exact.cpp - strategy exact: restarts of the exact search --===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/ExactSearch.h"
#include "Placement/Placer.h"
#include "Placement/Skyline.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Deadline.h"
#include "Strategies/Portfolio.h"

#include <algorithm>
#include <cmath>
#include <memory>

using namespace tamc::planning;

namespace {

constexpr int numChoices = static_cast<int>(ExactSearch::Choice::NumChoices);
constexpr int numOrders = 6;

/// 1, 1, 2, 1, 1, 2, 4, 1, ... (Luby, Sinclair and Zuckerman 1993).
int64_t luby(int64_t i) {
  while (true) {
    int64_t power = 1;
    while (power - 1 < i)
      power *= 2;
    if (power - 1 == i)
      return power / 2;
    i -= power / 2 - 1;
  }
}

/// Searches for packings below the incumbent, with restarts.
class Driver final : public Improver {
public:
  Driver(const Instance &instance, uint64_t seed)
      : instance(instance), packing(makePacking(instance)), plain(packing),
        random(seed), orders(staticOrders(packing)),
        faithful(isFaithful(instance)), low(packing.bound()),
        capacity(instance.capacity / packing.unit), load(low) {
    setup = begun.elapsed();
  }

  void run(int64_t budget, const Deadline &deadline, Placement &best) override {
    int64_t before = spent;
    limit = saturatingAdd(spent, budget);
    adopt(best);
    while (low < incumbent && low <= capacity && spent < limit &&
           !deadline.passed() && deadline.left() > setup)
      restart(++round, deadline, best);
    best.nodes += spent - before;
    if (!faithful)
      return;
    // Without padding and gaps, packings are plans, so that a proof for
    // packings is a proof for plans.
    best.optimal |= low >= incumbent;
    if (low > load)
      best.bound = std::max(best.bound, low * packing.unit);
  }

private:
  double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) *
           std::cos(6.283185307179586 * uniform());
  }

  /// Sets the incumbent, in units, that a packing must be below.
  void adopt(const Placement &best) {
    int64_t peak = peakOf(instance, best.offsets);
    incumbent = peak / packing.unit + (peak % packing.unit != 0);
  }

  int64_t pickTarget() {
    // Most instances that have a solution at the bound are solved early.
    bool early = spent < 2000 * static_cast<int64_t>(packing.size());
    if (uniform() < (early ? 0.8 : 0.3))
      return low;
    if (capacity < incumbent - 1 && uniform() < 0.5)
      return capacity;
    int64_t range = incumbent - 1 - low;
    auto step =
        static_cast<int64_t>(static_cast<double>(range) * (1 - ambition));
    return low + std::clamp<int64_t>(step, 0, range);
  }

  void restart(int64_t round, const Deadline &deadline, Placement &best) {
    bool merged = uniform() < 0.85;
    Packing smaller;
    if (merged) {
      // Buffers with the same live range are next to each other in most
      // solutions.
      const double stacks[] = {0, 0.5, 1, 1, 1};
      const double chains[] = {0.5, 0.75, 1};
      double stack = stacks[random() % 5];
      double chain = chains[random() % 3];
      smaller = merge(packing, stack, chain, random);
      for (uint64_t more = random() % 3; more > 0; --more)
        smaller = merge(smaller, stack, chain, random);
    }
    const Packing &used = merged ? smaller : packing;
    int choice, order;
    double noise = 0;
    if (!merged && plainRuns < numChoices * numOrders) {
      choice = plainRuns % numChoices;
      order = plainRuns / numChoices;
      ++plainRuns;
    } else {
      choice = static_cast<int>(random() % numChoices);
      order = static_cast<int>(random() % numOrders);
      noise = (0.01 + 0.19 * uniform()) * static_cast<double>(used.size());
    }
    std::vector<double> rank =
        merged ? staticOrders(used)[order] : orders[order];
    if (noise > 0)
      for (double &each : rank)
        each += noise * normal();
    int64_t target = pickTarget();
    int64_t nodes =
        std::max<int64_t>(static_cast<int64_t>(used.size()), 50) * luby(round);
    // Budgets of runs without merging grow, so that a proof can end.
    if (!merged)
      nodes = std::max(nodes, spent / 8);
    nodes = std::min(nodes, limit - spent);
    std::unique_ptr<ExactSearch> fresh;
    if (merged)
      fresh = std::make_unique<ExactSearch>(smaller);
    ExactSearch &search = merged ? *fresh : plain;
    ExactSearch::Answer answer =
        search.run(target, static_cast<ExactSearch::Choice>(choice), rank,
                   nodes, deadline);
    spent += std::max<int64_t>(search.nodes(), 1);
    if (answer == ExactSearch::Answer::Yes) {
      expand(used, search.solution(), best.offsets);
      // Uses the bytes that rounding or ignored gaps left unused.
      compact(instance, best.offsets, deadline);
      adopt(best);
      ambition = 1 - (1 - ambition) * 0.7;
    } else {
      ambition = std::max(0.0, ambition - 0.01);
    }
    if (answer == ExactSearch::Answer::No && !merged)
      low = std::max(low, target + 1);
  }

  Deadline begun{Options()};
  /// Seconds to make a packing and its orders, which cannot be interrupted.
  double setup = 0;
  const Instance &instance;
  Packing packing;
  ExactSearch plain;
  std::mt19937_64 random;
  std::array<std::vector<double>, 6> orders;
  bool faithful;
  int64_t low, capacity, load, incumbent = 0, limit = 0, spent = 0, round = 0;
  /// 1 aims at the bound, 0 just below the incumbent.
  double ambition = 0.5;
  int plainRuns = 0;
};

} // namespace

std::unique_ptr<Improver> tamc::planning::makeExact(const Instance &instance,
                                                    uint64_t seed) {
  return std::make_unique<Driver>(instance, seed);
}

bool tamc::planning::canSearchExactly(const Instance &instance) {
  // Neighbours are stored and visited at each decision; sums must not overflow.
  constexpr int64_t maxConflicts = 4000000;
  if (instance.size() == 0 || instance.size() > 20000 ||
      totalConflicts(instance) > maxConflicts)
    return false;
  double sum = 0;
  for (const Item &item : instance.items) {
    if (item.pin >= 0 || item.alignment > int64_t(1) << 40)
      return false;
    sum += static_cast<double>(item.size) + static_cast<double>(item.alignment);
  }
  return sum < 0x1p61;
}

namespace tamc::planning {
Plan planExact(const Problem &problem, const Options &options) {
  return planEachSpace(
      problem, options, [](const Instance &instance, const Options &given) {
        Deadline deadline(given);
        int64_t nodes = given.nodes       ? given.nodes
                        : given.timeLimit ? infinite
                                          : 1000000;
        Placement best = placeBySkyline(instance, given, deadline);
        if (!best.optimal && !instance.simple)
          compact(instance, best.offsets, deadline);
        if (!best.optimal && !isFaithful(instance)) {
          // A plan near the optimum prunes most orders, and is the answer if
          // there are too many orders. A decode takes about as long as a
          // decision for each item.
          auto items = static_cast<int64_t>(instance.size());
          makeSearch(instance, given.seed)
              ->run(std::clamp<int64_t>(nodes / 10 / items, 1, 500), deadline,
                    best);
        }
        if (!best.optimal && !isFaithful(instance))
          improveByOrders(instance, nodes, deadline, best);
        if (!best.optimal && canSearchExactly(instance))
          makeExact(instance, given.seed)->run(nodes, deadline, best);
        best.stopped = !best.optimal && deadline.passed();
        return best;
      });
}
} // namespace tamc::planning
