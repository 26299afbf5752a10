//===- Planning/Packing.cpp - rectangles with fixed times -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Packing.h"

#include "Problem/Arithmetic.h"
#include "Problem/Sections.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tamc::planning;

int64_t Packing::bound() const {
  int64_t most = 0;
  for (int64_t each : load)
    most = std::max(most, each);
  return most;
}

/// Joins sections that make no difference, sorts the rectangles and computes
/// the derived members.
static void complete(Packing &packing) {
  std::vector<Packing::Rectangle> &all = packing.rectangles;
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
  });
  int32_t times = 0;
  for (const Packing::Rectangle &r : all)
    times = std::max(times, r.upper);
  std::vector<bool> birth(times + 1, false), death(times + 1, false);
  for (const Packing::Rectangle &r : all) {
    birth[r.lower] = true;
    death[r.upper] = true;
  }
  std::vector<int32_t> born(times + 1), over(times + 1);
  packing.sections = 0;
  bool dying = true;
  for (int32_t time = 0; time <= times; ++time) {
    over[time] = packing.sections;
    dying |= death[time];
    if (birth[time] && dying) {
      ++packing.sections;
      dying = false;
    }
    born[time] = packing.sections - 1;
  }
  packing.alive.assign(packing.sections, {});
  packing.load.assign(packing.sections, 0);
  packing.first.assign(packing.sections + 1, 0);
  packing.neighbours.assign(all.size(), {});
  for (size_t i = 0; i < all.size(); ++i) {
    Packing::Rectangle &r = all[i];
    r.lower = born[r.lower];
    r.upper = over[r.upper];
    for (int32_t section = r.lower; section < r.upper; ++section) {
      packing.alive[section].push_back(static_cast<int32_t>(i));
      packing.load[section] = saturatingAdd(packing.load[section], r.size);
    }
  }
  for (int32_t section = 0, i = 0; section <= packing.sections; ++section) {
    while (i < static_cast<int32_t>(all.size()) && all[i].lower < section)
      ++i;
    packing.first[section] = i;
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size() && all[j].lower < all[i].upper; ++j) {
      packing.neighbours[i].push_back(static_cast<int32_t>(j));
      packing.neighbours[j].push_back(static_cast<int32_t>(i));
    }
}

/// The alignment of all items, or the common multiple of their alignments.
static int64_t grainOf(const Instance &instance) {
  int64_t grain = 1;
  for (const Item &item : instance.items)
    grain = commonMultiple(grain, item.alignment);
  return grain;
}

bool tamc::planning::isFaithful(const Instance &instance) {
  if (!instance.simple)
    return false;
  int64_t grain = grainOf(instance);
  for (const Item &item : instance.items)
    if (item.size % grain != 0)
      return false;
  return true;
}

Packing tamc::planning::makePacking(const Instance &instance) {
  Packing packing;
  int64_t grain = grainOf(instance);
  int64_t unit = 0;
  for (const Item &item : instance.items)
    unit = std::gcd(unit, alignUp(item.size, grain));
  packing.unit = std::max<int64_t>(unit, 1);
  for (size_t i = 0; i < instance.size(); ++i) {
    const Item &item = instance.items[i];
    packing.rectangles.push_back({item.lower,
                                  item.upper,
                                  alignUp(item.size, grain) / packing.unit,
                                  static_cast<double>(instance.life(item)),
                                  {{static_cast<int32_t>(i), 0}}});
  }
  complete(packing);
  return packing;
}

Packing tamc::planning::merge(const Packing &packing, double stack,
                              double chain, std::mt19937_64 &random) {
  auto chance = [&](double probability) {
    return static_cast<double>(random() >> 11) * 0x1p-53 < probability;
  };
  Packing merged;
  merged.unit = packing.unit;
  std::vector<Packing::Rectangle> &all = merged.rectangles;
  // Rectangles with the same live range are neighbours in the order of a
  // packing.
  for (const Packing::Rectangle &r : packing.rectangles) {
    if (!all.empty() && all.back().lower == r.lower &&
        all.back().upper == r.upper && chance(stack)) {
      for (auto [item, below] : r.items)
        all.back().items.push_back({item, below + all.back().size});
      all.back().size += r.size;
    } else {
      all.push_back(r);
    }
  }
  // By end and size: the rectangles that may be continued.
  std::map<std::pair<int32_t, int64_t>, std::vector<size_t>> open;
  std::vector<bool> gone(all.size(), false);
  for (size_t i = 0; i < all.size(); ++i) {
    auto found = open.find({all[i].lower, all[i].size});
    size_t into = i;
    if (found != open.end() && !found->second.empty() && chance(chain)) {
      std::vector<size_t> &list = found->second;
      std::swap(list[random() % list.size()], list.back());
      into = list.back();
      list.pop_back();
      all[into].upper = all[i].upper;
      all[into].life += all[i].life;
      all[into].items.insert(all[into].items.end(), all[i].items.begin(),
                             all[i].items.end());
      gone[i] = true;
    }
    open[{all[into].upper, all[into].size}].push_back(into);
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i)
    if (!gone[i]) {
      if (kept != i)
        all[kept] = std::move(all[i]);
      ++kept;
    }
  all.resize(kept);
  complete(merged);
  return merged;
}

void tamc::planning::expand(const Packing &packing,
                            std::span<const int64_t> solution,
                            std::vector<int64_t> &offsets) {
  for (size_t i = 0; i < packing.size(); ++i)
    for (auto [item, below] : packing.rectangles[i].items)
      offsets[item] = (solution[i] + below) * packing.unit;
}

std::array<std::vector<double>, 6>
tamc::planning::staticOrders(const Packing &packing) {
  size_t count = packing.size();
  std::vector<double> width(count), area(count), size(count), total(count, 0);
  for (size_t i = 0; i < count; ++i) {
    const Packing::Rectangle &r = packing.rectangles[i];
    width[i] = r.life;
    size[i] = static_cast<double>(r.size);
    area[i] = width[i] * size[i];
    for (int32_t section = r.lower; section < r.upper; ++section)
      total[i] = std::max(total[i], static_cast<double>(packing.load[section]));
  }
  using Keys = std::array<const std::vector<double> *, 3>;
  const Keys all[6] = {{&width, &area, &total}, {&total, &area, &width},
                       {&total, &width, &area}, {&area, &width, &total},
                       {&area, &total, &width}, {&size, &width, &total}};
  std::array<std::vector<double>, 6> ranks;
  std::vector<int32_t> order(count);
  for (size_t which = 0; which < 6; ++which) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      for (const std::vector<double> *key : all[which])
        if ((*key)[a] != (*key)[b])
          return (*key)[a] > (*key)[b];
      return a < b;
    });
    ranks[which].resize(count);
    for (size_t i = 0; i < count; ++i)
      ranks[which][order[i]] = static_cast<double>(i);
  }
  return ranks;
}
