//===- Planning/Ejection.cpp - ejection pools -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Placement/PlacePrices.h"
#include "Placement/Placer.h"
#include "Placement/Shelves.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Portfolio.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace tamc::planning;

namespace {

/// Looks for a plan below a target, which falls with each success. The items
/// that end above the target form a pool. An item of the pool, drawn at random,
/// takes the place whose owners are the easiest to move, and these enter the
/// pool. The penalty of an item that had to eject others grows, and with it the
/// price of ejecting it (Nagata and Braysy, "A Powerful Route Minimization
/// Heuristic for the Vehicle Routing Problem with Time Windows", 2009). Between
/// two insertions a few items move to random free places, so that free bytes
/// join and part again.
class Ejector final : public Improver {
public:
  Ejector(const Instance &instance, uint64_t seed)
      : instance(instance), random(seed), bound(boundOf(instance).bytes),
        grain(grainOf(instance)) {
    for (const Item &item : instance.items)
      // The price of an ejection grows with the size, but more slowly.
      weight.push_back(std::sqrt(std::sqrt(static_cast<double>(item.size))));
  }

  void run(int64_t steps, const Deadline &deadline, Placement &best) override {
    int64_t peak = peakOf(instance, best.offsets);
    for (; steps > 0 && peak > bound && !deadline.passed(); --steps) {
      if (pool.empty() || peak <= target)
        begin(best.offsets, peak);
      step();
      ++best.nodes;
      if (pool.empty()) {
        best.offsets = offsets;
        compact(instance, best.offsets, deadline);
        peak = peakOf(instance, best.offsets);
      } else if (++spent > patience * static_cast<int64_t>(instance.size()) &&
                 stride > grain) {
        stride = alignUp(stride / 2, grain);
        begin(best.offsets, peak);
      }
    }
    best.optimal |= peak <= bound;
  }

private:
  /// Items that move to a random place after each insertion.
  static constexpr int moves = 2;
  /// Steps for each item after which a target that is more than one grain below
  /// the incumbent rises.
  static constexpr int64_t patience = 50;

  /// All ends of a plan without gaps are multiples of it.
  static int64_t grainOf(const Instance &instance) {
    int64_t grain = 0;
    for (const Item &item : instance.items) {
      grain = std::gcd(grain, item.size);
      if (!instance.unaligned)
        grain = std::gcd(grain, item.alignment);
    }
    return std::max<int64_t>(grain, 1);
  }

  void begin(const std::vector<int64_t> &from, int64_t peak) {
    if (stride == 0)
      stride = alignUp(std::max<int64_t>((peak - bound) / 32, 1), grain);
    int64_t step = std::min(stride, peak - bound);
    target = std::max(bound, (peak - step) / grain * grain);
    spent = 0;
    offsets = from;
    pool.clear();
    byBegin.clear();
    byEnd.clear();
    penalty.assign(instance.size(), 1);
    for (size_t i = 0; i < instance.size(); ++i) {
      auto item = static_cast<int32_t>(i);
      if (offsets[i] + instance.items[i].size > target) {
        offsets[i] = -1;
        pool.push_back(item);
      } else {
        insert(item, offsets[i]);
      }
    }
  }

  void insert(int32_t item, int64_t offset) {
    const Item &each = instance.items[item];
    offsets[item] = offset;
    int64_t end = offset + each.size;
    byBegin.insert({each.lower, each.upper, offset, end, item});
    byEnd.insert({each.lower, each.upper, end, end, item});
  }
  void erase(int32_t item) {
    const Item &each = instance.items[item];
    int64_t end = offsets[item] + each.size;
    byBegin.erase({each.lower, each.upper, offsets[item], end, item});
    byEnd.erase({each.lower, each.upper, end, end, item});
    offsets[item] = -1;
  }

  size_t below(size_t end) { return static_cast<size_t>(random() % end); }

  void step() {
    std::swap(pool[below(pool.size())], pool.back());
    int32_t item = pool.back();
    pool.pop_back();
    const Item &each = instance.items[item];
    auto [offset, price] = cheapestPlace(each);
    if (price > 0) {
      ++penalty[item];
      for (const Shelves::Rectangle &other : met)
        if (other.begin < offset + each.size && other.end > offset) {
          erase(other.item);
          pool.push_back(other.item);
        }
    }
    insert(item, offset);
    for (int k = 0; k < moves; ++k)
      moveAtRandom(static_cast<int32_t>(below(instance.size())), item);
  }

  /// The offset at which the items there have the least price; one of several
  /// at random. Sets `met`.
  std::pair<int64_t, double> cheapestPlace(const Item &item) {
    byBegin.collect(item.lower, item.upper, met);
    byEnd.collect(item.lower, item.upper, ends);
    prices.start(item.size, met, ends,
                 [&](int32_t other) { return penalty[other] * weight[other]; });
    // Differences of sums are not exact.
    const double tiny = 1e-9 * prices.total();
    int64_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    uint64_t ties = 0;
    // An item that moves down from any other place, until it meets an end,
    // meets none of the items that it does not overlap there.
    auto consider = [&](int64_t offset) {
      if (offset < 0 || offset > target - item.size)
        return;
      prices.go(offset);
      double price = prices.isFree() ? 0 : std::max(prices.price(), tiny);
      bool isFree = price == 0;
      if (price < least - tiny || (isFree && least > 0)) {
        least = price;
        ties = 0;
      }
      if (price <= least + tiny && isFree == (least == 0) &&
          random() % ++ties == 0)
        best = offset;
    };
    consider(0);
    for (const Shelves::Rectangle &each : ends)
      consider(alignUp(each.begin, item.alignment));
    return {best, least};
  }

  void moveAtRandom(int32_t item, int32_t except) {
    if (item == except || offsets[item] < 0)
      return;
    const Item &each = instance.items[item];
    byBegin.collect(each.lower, each.upper, met);
    int64_t at = 0, to = offsets[item];
    uint64_t ways = 0;
    auto consider = [&](int64_t end) {
      int64_t low = alignUp(at, each.alignment);
      if (low > end - each.size)
        return;
      if (random() % ++ways == 0)
        to = random() % 2 ? low
                          : (end - each.size) / each.alignment * each.alignment;
    };
    for (const Shelves::Rectangle &other : met) {
      if (other.item == item)
        continue;
      consider(other.begin);
      at = std::max(at, other.end);
    }
    consider(target);
    if (to == offsets[item])
      return;
    erase(item);
    insert(item, to);
  }

  const Instance &instance;
  std::mt19937_64 random;
  int64_t bound, grain;
  /// Every item in a plan must end at or below it; it is `stride` below the
  /// incumbent's peak.
  int64_t target = 0, stride = 0;
  /// Steps since the target changed.
  int64_t spent = 0;
  /// By item; -1 for those in the pool.
  std::vector<int64_t> offsets;
  std::vector<int32_t> pool;
  std::vector<double> penalty, weight;
  /// The placed items, by their begins and by their ends.
  Shelves byBegin, byEnd;
  // Of one step.
  std::vector<Shelves::Rectangle> met, ends;
  PlacePrices<double> prices;
};

} // namespace

std::unique_ptr<Improver> tamc::planning::makeEjection(const Instance &instance,
                                                       uint64_t seed) {
  return std::make_unique<Ejector>(instance, seed);
}
