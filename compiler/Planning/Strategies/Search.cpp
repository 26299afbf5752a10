//===- Planning/Search.cpp - strategy search: squeaky wheel on overflow ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Placement/Placer.h"
#include "Placement/Skyline.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Portfolio.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace tamc::planning;

namespace {

/// Changes the priority of items that are above the bound. Plans are compared
/// by the sum of the bytes above the bound: the peak alone is often equal and
/// does not show how near a plan is to a lower one.
class Wheel final : public Improver {
public:
  Wheel(const Instance &instance, uint64_t seed)
      : instance(instance), decoder(instance), random(seed),
        bound(boundOf(instance).bytes) {}

  void run(int64_t decodes, const Deadline &until, Placement &found) override {
    deadline = &until;
    best = &found;
    peak = peakOf(instance, best->offsets);
    if (order.empty())
      start();
    std::vector<int32_t> candidate;
    for (; decodes > 0 && peak > bound && !order.empty() && !deadline->passed();
         --decodes) {
      candidate = order;
      change(candidate);
      double reached = decode(candidate);
      ++best->nodes;
      if (reached > cost)
        continue;
      cost = reached;
      order.swap(candidate);
      current.swap(offsets);
    }
    best->optimal |= peak <= bound;
  }

private:
  /// The best of the static orders.
  void start() {
    Priorities priorities(instance, decoder.sections());
    for (size_t which = 0; which < Priorities::count; ++which) {
      if (peak <= bound || deadline->passed())
        break;
      std::vector<int32_t> rank = priorities.ranks(which);
      std::vector<int32_t> candidate(instance.size());
      for (size_t i = 0; i < rank.size(); ++i)
        candidate[rank[i]] = static_cast<int32_t>(i);
      double reached = decode(candidate);
      if (reached >= cost)
        continue;
      cost = reached;
      order = candidate;
      current = offsets;
    }
  }

  /// Computes `offsets`, keeps them if they are the best so far, and returns
  /// the bytes above the bound; infinity if the deadline passed.
  double decode(const std::vector<int32_t> &candidate) {
    if (instance.simple) {
      rank.resize(candidate.size());
      for (size_t i = 0; i < candidate.size(); ++i)
        rank[candidate[i]] = static_cast<int32_t>(i);
      // Incomplete offsets are not a plan.
      if (decoder.decode(rank, infinite, offsets, deadline) == infinite)
        return std::numeric_limits<double>::infinity();
    } else {
      offsets = placeInOrder(instance, candidate, *deadline);
    }
    int64_t reached = peakOf(instance, offsets);
    if (reached < peak) {
      peak = reached;
      best->offsets = offsets;
    }
    double over = 0;
    for (size_t i = 0; i < offsets.size(); ++i)
      if (int64_t top = saturatingAdd(offsets[i], instance.items[i].size);
          top > bound)
        over += static_cast<double>(top - bound);
    return over;
  }

  size_t below(size_t end) { return static_cast<size_t>(random() % end); }

  void change(std::vector<int32_t> &candidate) {
    std::vector<int32_t> blamed;
    for (size_t i = 0; i < current.size(); ++i)
      if (saturatingAdd(current[i], instance.items[i].size) > bound)
        blamed.push_back(static_cast<int32_t>(i));
    if (blamed.empty())
      return;
    int32_t victim = blamed[below(blamed.size())];
    std::vector<int32_t> place(candidate.size());
    for (size_t i = 0; i < candidate.size(); ++i)
      place[candidate[i]] = static_cast<int32_t>(i);
    if (random() % 2) {
      // Items above the bound move forward.
      size_t count = random() % 2 ? 1 : 1 + below(blamed.size());
      for (size_t k = 0; k < count; ++k) {
        int32_t item = count == 1 ? victim : blamed[below(blamed.size())];
        size_t from = std::find(candidate.begin(), candidate.end(), item) -
                      candidate.begin();
        size_t to = below(from + 1);
        std::rotate(candidate.begin() + to, candidate.begin() + from,
                    candidate.begin() + from + 1);
        if (k > 64)
          break;
      }
      return;
    }
    // Items alive at the same time exchange positions.
    std::vector<int32_t> alive;
    const Item &item = instance.items[victim];
    for (size_t i = 0; i < instance.size(); ++i)
      if (instance.items[i].lower < item.upper &&
          item.lower < instance.items[i].upper)
        alive.push_back(static_cast<int32_t>(i));
    for (size_t swaps = 1 + below(3); swaps > 0; --swaps) {
      int32_t a = alive[below(alive.size())], b = alive[below(alive.size())];
      std::swap(candidate[place[a]], candidate[place[b]]);
      std::swap(place[a], place[b]);
    }
  }

  const Instance &instance;
  const Deadline *deadline = nullptr;
  Placement *best = nullptr;
  SkylineDecoder decoder;
  std::mt19937_64 random;
  int64_t bound, peak = infinite;
  /// Cost of `order`, with the offsets `current`.
  double cost = std::numeric_limits<double>::infinity();
  std::vector<int32_t> order, rank;
  std::vector<int64_t> offsets, current;
};

} // namespace

std::unique_ptr<Improver> tamc::planning::makeSearch(const Instance &instance,
                                                     uint64_t seed) {
  return std::make_unique<Wheel>(instance, seed);
}

namespace tamc::planning {
Plan planSearch(const Problem &problem, const Options &options) {
  return planEachSpace(
      problem, options, [](const Instance &instance, const Options &given) {
        Deadline deadline(given);
        int64_t decodes = given.nodes       ? given.nodes
                          : given.timeLimit ? infinite
                                            : 500;
        Placement best = placeBySkyline(instance, given, deadline);
        if (!best.optimal && instance.size() > 0)
          makeSearch(instance, given.seed)->run(decodes, deadline, best);
        best.stopped = !best.optimal && deadline.passed();
        return best;
      });
}
} // namespace tamc::planning
