//===- Planning/Skyline.cpp - strategy skyline: the best of six orders ----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Skyline.h"
#include "Bounds/Bounds.h"
#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Deadline.h"
#include "Strategies/Portfolio.h"
#include "Strategies/Threads.h"

#include <algorithm>
#include <atomic>

using namespace tamc::planning;

/// Orders tried on an instance of this size: fewer if each takes seconds.
static size_t ordersFor(size_t items) {
  constexpr size_t most = 400000;
  return std::clamp<size_t>(most / std::max<size_t>(items, 1), 2,
                            Priorities::count);
}

namespace {

/// Runs the orders, each in its own thread if there are many items.
class Orders {
public:
  Orders(const Instance &instance, const Deadline &deadline, int64_t bound)
      : instance(instance), deadline(deadline), bound(bound), parts(instance),
        priorities(instance, parts),
        pinned(std::any_of(instance.items.begin(), instance.items.end(),
                           [](const Item &item) { return item.pin >= 0; })),
        found(ordersFor(instance.size())) {}

  struct Found {
    int64_t peak = infinite;
    std::vector<int64_t> offsets;
    bool tried = false;
  };

  /// Results by order, up to the first one that reaches the bound.
  std::vector<Found> run(int threads) {
    // Starting a thread takes as long as decoding a few hundred items.
    constexpr size_t few = 4096;
    constexpr size_t most = 4; // each has a tree over all items
    size_t helpers = instance.size() < few
                         ? 1
                         : std::min({most, found.size(), size_t(threads)});
    runOnThreads(helpers, [this] { work(); });
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i].peak <= bound || !found[i].tried)
        found.resize(i + found[i].tried);
    return std::move(found);
  }

private:
  void work() {
    SkylineDecoder decoder(instance);
    for (size_t order; (order = next++) < found.size();) {
      // With a few thousand items a decode takes milliseconds: the first one is
      // always run, because a plan without it is many times worse.
      constexpr size_t few = 16384;
      bool granted = order == 0 && instance.size() <= few;
      if (order > atBound || (deadline.passed() && !granted))
        return;
      Found &mine = found[order];
      mine.tried = true;
      // Among equally good plans that of the first order wins, whichever thread
      // ends first; so a decode that is as good as the best is not aborted.
      mine.peak = decoder.decode(priorities.ranks(order),
                                 instance.simple ? least.load() : infinite,
                                 mine.offsets, granted ? nullptr : &deadline);
      // An aborted decode writes only a part of the offsets.
      if (mine.peak == infinite)
        continue;
      if (!instance.simple)
        placeAnew(mine);
      lower(least, mine.peak);
      if (mine.peak <= bound)
        lower(atBound, order);
    }
  }

  /// The skyline treats every item as a rectangle without a pin. Places the
  /// items again in the order of their offsets, with pins and gaps. If there is
  /// no pin, the skyline's plan is also valid, and may be the better one after
  /// a deadline.
  void placeAnew(Found &mine) {
    if (!pinned && deadline.passed())
      return;
    std::vector<int64_t> offsets =
        placeInOrder(instance, orderByOffset(mine.offsets), deadline);
    int64_t peak = peakOf(instance, offsets);
    if (peak < mine.peak || pinned) {
      mine.peak = peak;
      mine.offsets = std::move(offsets);
    }
  }

  template <typename T> static void lower(std::atomic<T> &to, T value) {
    T before = to;
    while (value < before && !to.compare_exchange_weak(before, value)) {
    }
  }

  const Instance &instance;
  const Deadline &deadline;
  int64_t bound;
  Sections parts;
  Priorities priorities;
  bool pinned;
  std::vector<Found> found;
  /// The next order to try, and the first one known to reach the bound.
  std::atomic<size_t> next = 0, atBound = Priorities::count;
  std::atomic<int64_t> least = infinite;
};

} // namespace

Placement tamc::planning::placeBySkyline(const Instance &instance,
                                         const Options &options,
                                         const Deadline &deadline) {
  Placement placement;
  int64_t bound = boundOf(instance).bytes;
  int64_t best = infinite;
  int threads =
      options.threads > 0
          ? options.threads
          : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  // A decode that the deadline ends has no result, so there may be no plan.
  constexpr size_t few = 1024, granted = size_t(1) << 17;
  if (options.timeLimit && instance.size() > few) {
    placement.offsets = placeByBestFit(
        instance, instance.size() <= granted ? Deadline(Options()) : deadline);
    if (!placement.offsets.empty())
      best = peakOf(instance, placement.offsets);
  }
  for (Orders::Found &found : Orders(instance, deadline, bound).run(threads)) {
    ++placement.nodes;
    if (found.peak >= best)
      continue;
    best = found.peak;
    placement.offsets = std::move(found.offsets);
  }
  if (placement.offsets.empty() && instance.size() > 0) {
    // Out of time, or a skyline above 2^63.
    placement.offsets.resize(instance.size());
    for (size_t i = 0; i < instance.size(); ++i)
      placement.offsets[i] = instance.items[i].pin;
    pileUp(instance, placement.offsets);
    best = peakOf(instance, placement.offsets);
    // The skyline uses 2^63-1 both as an offset and as the mark of a failed
    // decode.
    if (best == infinite) {
      placement.offsets =
          placeInOrder(instance, orderByOffset(placement.offsets), deadline);
      best = peakOf(instance, placement.offsets);
    }
  }
  placement.optimal = best <= bound;
  placement.stopped = !placement.optimal && deadline.passed();
  return placement;
}

namespace tamc::planning {
Plan planSkyline(const Problem &problem, const Options &options) {
  return planEachSpace(
      problem, options, [](const Instance &instance, const Options &given) {
        return placeBySkyline(instance, given, Deadline(given));
      });
}
} // namespace tamc::planning
