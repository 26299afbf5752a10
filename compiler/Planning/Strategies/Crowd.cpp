//===- Planning/Crowd.cpp - places the largest load first -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Placement/Shelves.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Portfolio.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <tuple>

using namespace tamc::planning;

namespace {

/// The load by time, and its largest value by item.
struct Loads {
  explicit Loads(const Instance &instance) {
    std::vector<int64_t> change(instance.times.size() + 1, 0);
    for (const Item &item : instance.items) {
      change[item.lower] += item.size;
      change[item.upper] -= item.size;
    }
    std::partial_sum(change.begin(), change.end() - 1, std::back_inserter(at));
    // Level k has the maxima of 2^k times.
    std::vector<std::vector<int64_t>> levels = {at};
    for (size_t step = 1; 2 * step <= at.size(); step *= 2) {
      const std::vector<int64_t> &below = levels.back();
      std::vector<int64_t> level(below.size() - step);
      for (size_t i = 0; i < level.size(); ++i)
        level[i] = std::max(below[i], below[i + step]);
      levels.push_back(std::move(level));
    }
    met.reserve(instance.size());
    for (const Item &item : instance.items) {
      auto length = static_cast<uint32_t>(item.upper - item.lower);
      int level = std::bit_width(length) - 1;
      met.push_back(std::max(levels[level][item.lower],
                             levels[level][item.upper - (1 << level)]));
    }
  }

  std::vector<int64_t> at, met;
};

/// At the time of the largest load no byte may be wasted; at other times many
/// bytes are free. So the items alive at that time are stacked first, before
/// anything else is placed, with the longest live ranges at the bottom, so that
/// the free bytes on both sides are as connected as possible. The rest is
/// placed around them by first fit. An item that does not fit below the bound
/// takes the place whose owners are easiest to move, and these are placed again
/// (ejection chains; weights grow, so that no two items eject each other
/// forever).
class Crowd final : public Improver {
public:
  /// Streams with neighbouring seeds begin differently.
  Crowd(const Instance &instance, uint64_t seed)
      : instance(instance), random(seed), target(boundOf(instance).bytes),
        attempts(static_cast<int64_t>(seed % 2)) {}

  void run(int64_t plans, const Deadline &until, Placement &best) override {
    deadline = &until;
    if (crowdedness.empty())
      start();
    for (; plans > 0 && !deadline->passed() &&
           peakOf(instance, best.offsets) > target;
         --plans)
      attempt(best);
    best.optimal |= peakOf(instance, best.offsets) <= target;
  }

private:
  /// Thresholds of crowdedness, as shares of the largest load.
  static constexpr std::array crowded = {1.0, 0.998, 0.99, 0.95, 0.8, 0.6};
  /// Items that ejections may visit in the first plans, as a multiple of all
  /// items, and the number of plans after which it doubles.
  static constexpr int64_t patience = 32, plansBetweenDoublings = 8;

  void start() {
    Loads loads(instance);
    int64_t most = *std::max_element(loads.at.begin(), loads.at.end());
    for (size_t time = 0; time < loads.at.size(); ++time)
      if (loads.at[time] == most)
        peaks.push_back(static_cast<int32_t>(time));
    for (int64_t met : loads.met)
      crowdedness.push_back(static_cast<int>(
          std::count_if(crowded.begin(), crowded.end(), [&](double part) {
            return static_cast<double>(met) >= part * static_cast<double>(most);
          })));
  }

  double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }

  /// The first attempts have no noise, so that an easy instance is solved at
  /// once.
  void attempt(Placement &best) {
    bool plain = attempts < 4;
    bool movable = plain ? attempts / 2 : random() % 2;
    int which = static_cast<int>(plain ? attempts % 2 : random() % 4);
    double noise = plain ? 0 : 0.1 * std::exp(-5 * uniform());
    int32_t time = peaks[plain ? 0 : random() % peaks.size()];
    bool aside = !plain && homeless >= 0 && random() % 2;
    std::vector<int32_t> order = stackOrder(time, noise, aside);
    size_t stacked = order.size();
    appendRest(time, which, noise, order);
    attempts += 2;
    ++best.nodes;
    if (place(order, stacked, movable) &&
        peakOf(instance, offsets) < peakOf(instance, best.offsets))
      best.offsets = offsets;
  }

  bool isAlive(int32_t item, int32_t time) const {
    return instance.items[item].lower <= time &&
           time < instance.items[item].upper;
  }

  /// The items alive at `time`, from the bottom to the top. With `aside`, items
  /// that are not alive together with the item that found no place last time
  /// tend to the top, so that their bytes are contiguous for it.
  std::vector<int32_t> stackOrder(int32_t time, double noise, bool aside) {
    std::vector<int32_t> order;
    for (size_t i = 0; i < instance.size(); ++i)
      if (isAlive(static_cast<int32_t>(i), time))
        order.push_back(static_cast<int32_t>(i));
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return keyOf(a, false) > keyOf(b, false);
    });
    if (noise == 0)
      return order;
    auto count = static_cast<double>(order.size());
    double step = aside ? uniform() * count / 2 : 0;
    std::vector<std::pair<double, int32_t>> keys;
    for (size_t i = 0; i < order.size(); ++i) {
      double key = static_cast<double>(i) + noise * count * uniform();
      const Item &item = instance.items[order[i]];
      if (aside && (item.upper <= instance.items[homeless].lower ||
                    instance.items[homeless].upper <= item.lower))
        key += step;
      keys.push_back({key, order[i]});
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = keys[i].second;
    return order;
  }

  std::pair<double, double> keyOf(int32_t i, bool bySize) const {
    auto size = static_cast<double>(instance.items[i].size);
    auto life = static_cast<double>(instance.life(instance.items[i]));
    return bySize ? std::pair(size, life) : std::pair(life, size * life);
  }

  /// Appends all other items, by size or by area, with or without the most
  /// crowded ones first.
  void appendRest(int32_t time, int which, double noise,
                  std::vector<int32_t> &order) {
    size_t stacked = order.size();
    std::vector<std::tuple<int, double, double>> keys(instance.size());
    for (size_t i = 0; i < instance.size(); ++i) {
      auto item = static_cast<int32_t>(i);
      if (isAlive(item, time))
        continue;
      order.push_back(item);
      auto [size, life] = keyOf(item, true);
      if (noise > 0) {
        size *= 1 + noise * uniform();
        life *= 1 + noise * uniform();
      }
      int first = which % 2 ? crowdedness[i] : 0;
      keys[i] = which / 2 ? std::tuple(first, size * life, size)
                          : std::tuple(first, size, life);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(stacked),
                     order.end(),
                     [&](int32_t a, int32_t b) { return keys[a] > keys[b]; });
  }

  Shelves::Rectangle rectangle(int32_t item) const {
    const Item &each = instance.items[item];
    return {each.lower, each.upper, offsets[item], offsets[item] + each.size,
            item};
  }

  int64_t firstFit(int32_t item, int64_t limit) const {
    const Item &each = instance.items[item];
    return shelves.firstFit(each.lower, each.upper, each.size, each.alignment,
                            limit);
  }

  void placeAt(int32_t item, int64_t offset) {
    offsets[item] = offset;
    shelves.insert(rectangle(item));
  }

  /// Computes `offsets`; false if the deadline passed or an offset would be
  /// 2^63-1 or more.
  bool place(std::span<const int32_t> order, size_t stacked, bool movable) {
    offsets.assign(instance.size(), -1);
    weight.assign(instance.size(), 1);
    fixed.assign(instance.size(), false);
    shelves.clear();
    std::vector<int32_t> rank(instance.size()), waiting;
    for (size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = static_cast<int32_t>(i);
    int64_t top = 0;
    for (int32_t item : order.first(stacked)) {
      int64_t offset = alignUp(top, instance.items[item].alignment);
      if (offset > target - instance.items[item].size) {
        // Padding can make the stack too high.
        waiting.push_back(rank[item]);
        continue;
      }
      placeAt(item, offset);
      top = offset + instance.items[item].size;
      fixed[item] = !movable;
      weight[item] = 8;
    }
    for (size_t i = stacked; i < order.size(); ++i)
      waiting.push_back(static_cast<int32_t>(i));
    std::make_heap(waiting.begin(), waiting.end(), std::greater<>());
    int64_t work =
        patience * static_cast<int64_t>(instance.size())
        << std::min<int64_t>(attempts / 2 / plansBetweenDoublings, 20);
    std::vector<int32_t> leftOver;
    for (size_t steps = 0; !waiting.empty(); ++steps) {
      if (steps % 64 == 0 && deadline->passed())
        return false;
      std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
      int32_t item = order[waiting.back()];
      waiting.pop_back();
      int64_t offset = firstFit(item, target);
      if (offset == infinite && work > 0) {
        offset = eject(item);
        work -= static_cast<int64_t>(met.size());
        for (int32_t other : ejected) {
          shelves.erase(rectangle(other));
          offsets[other] = -1;
          waiting.push_back(rank[other]);
          std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
        }
        steps += 63 - steps % 64;
      }
      if (offset == infinite)
        leftOver.push_back(item);
      else
        placeAt(item, offset);
    }
    homeless = -1;
    for (int32_t item : leftOver) {
      if (homeless < 0 ||
          instance.items[item].size > instance.items[homeless].size)
        homeless = item;
      int64_t offset = firstFit(item, infinite);
      if (offset == infinite)
        return false;
      placeAt(item, offset);
    }
    return true;
  }

  /// The offset below the target at which the items that `item` overlaps have
  /// the fewest weighted bytes and may be moved, or `infinite`. Sets `ejected`
  /// to these items.
  int64_t eject(int32_t item) {
    const Item &each = instance.items[item];
    ejected.clear();
    shelves.collect(each.lower, each.upper, met);
    size_t count = met.size();
    // Sums over the items that begin below an address, or that end at or below
    // it.
    struct Sum {
      double cost = 0;
      int32_t fixed = 0;
    };
    std::vector<Sum> begun(count + 1), ended(count + 1);
    std::vector<std::pair<int64_t, int32_t>> ends(count);
    auto add = [&](Sum sum, int32_t other) {
      sum.cost +=
          weight[other] * static_cast<double>(instance.items[other].size);
      sum.fixed += fixed[other];
      return sum;
    };
    for (size_t i = 0; i < count; ++i) {
      ends[i] = {met[i].end, met[i].item};
      begun[i + 1] = add(begun[i], met[i].item);
    }
    std::sort(ends.begin(), ends.end());
    for (size_t i = 0; i < count; ++i)
      ended[i + 1] = add(ended[i], ends[i].second);
    int64_t best = infinite;
    double least = 0;
    // Offsets are visited in ascending order, so that both indices only
    // increase.
    size_t below = 0, gone = 0;
    auto consider = [&](int64_t offset) {
      if (offset < 0 || offset > target - each.size)
        return;
      while (below < count && met[below].begin < offset + each.size)
        ++below;
      while (gone < count && ends[gone].first <= offset)
        ++gone;
      if (begun[below].fixed > ended[gone].fixed)
        return;
      double cost = begun[below].cost - ended[gone].cost;
      if (best == infinite || cost < least) {
        best = offset;
        least = cost;
      }
    };
    consider(0);
    for (auto [end, other] : ends)
      consider(alignUp(end, each.alignment));
    below = gone = 0;
    for (const Shelves::Rectangle &r : met)
      if (r.begin >= each.size)
        consider((r.begin - each.size) / each.alignment * each.alignment);
    if (best == infinite)
      return infinite;
    for (const Shelves::Rectangle &r : met)
      if (r.begin < best + each.size && r.end > best)
        ejected.push_back(r.item);
    ++weight[item];
    return best;
  }

  const Instance &instance;
  std::mt19937_64 random;
  int64_t target, attempts;
  const Deadline *deadline = nullptr;
  /// Times of the largest load.
  std::vector<int32_t> peaks;
  /// By item: the number of thresholds in `crowded` that it reaches.
  std::vector<int> crowdedness;
  /// The largest item that found no place below the target the last time.
  int32_t homeless = -1;
  // Offsets of the current plan, by item.
  std::vector<int64_t> offsets;
  std::vector<double> weight;
  std::vector<char> fixed;
  Shelves shelves;
  std::vector<Shelves::Rectangle> met;
  std::vector<int32_t> ejected;
};

} // namespace

std::unique_ptr<Improver> tamc::planning::makeCrowd(const Instance &instance,
                                                    uint64_t seed) {
  return std::make_unique<Crowd>(instance, seed);
}
