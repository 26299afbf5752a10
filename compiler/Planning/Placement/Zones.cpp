//===- Planning/Placement/Zones.cpp - shelves by time ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Zones.h"

#include "Problem/Arithmetic.h"

#include <algorithm>

using namespace tamc::planning;

std::vector<int32_t>
Zones::beginsOf(std::vector<std::pair<int32_t, int32_t>> times) {
  std::sort(times.begin(), times.end());
  std::vector<int32_t> best = {0};
  // Fewer than this many rectangles do not need several zones.
  constexpr size_t least = 512;
  for (size_t count = 2; times.size() / count >= least; count *= 2) {
    std::vector<int32_t> begins = {0};
    for (size_t zone = 1; zone < count; ++zone)
      if (int32_t time = times[times.size() * zone / count].first;
          time > begins.back())
        begins.push_back(time);
    size_t copies = 0;
    for (auto [lower, upper] : times) {
      auto first = std::upper_bound(begins.begin(), begins.end(), lower);
      auto last = std::lower_bound(first, begins.end(), upper);
      copies += 1 + size_t(last - first);
    }
    if (copies > 2 * times.size())
      break;
    best = std::move(begins);
  }
  return best;
}

std::pair<size_t, size_t> Zones::zonesOf(int32_t lower, int32_t upper) const {
  auto first = std::upper_bound(begins.begin() + 1, begins.end(), lower);
  auto last = std::lower_bound(first, begins.end(), upper);
  return {size_t(first - begins.begin()) - 1, size_t(last - begins.begin())};
}

void Zones::insert(const Shelves::Rectangle &rectangle) {
  auto [zone, end] = zonesOf(rectangle.lower, rectangle.upper);
  for (; zone < end; ++zone)
    shelves[zone].insert(rectangle);
}

void Zones::erase(const Shelves::Rectangle &rectangle) {
  auto [zone, end] = zonesOf(rectangle.lower, rectangle.upper);
  for (; zone < end; ++zone)
    shelves[zone].erase(rectangle);
}

int64_t Zones::firstFit(int32_t lower, int32_t upper, int64_t size,
                        int64_t alignment, int64_t limit) const {
  auto [zone, end] = zonesOf(lower, upper);
  if (zone + 1 == end)
    return shelves[zone].firstFit(lower, upper, size, alignment, limit);
  collect(lower, upper, all);
  int64_t at = 0;
  for (const Shelves::Rectangle &each : all) {
    if (each.begin >= at && each.begin - at >= size)
      break;
    if (each.end > at)
      at = alignUp(each.end, alignment);
    if (at > limit)
      break;
  }
  return at > limit || size > limit - at ? infinite : at;
}

void Zones::collect(int32_t lower, int32_t upper,
                    std::vector<Shelves::Rectangle> &found) const {
  auto [zone, end] = zonesOf(lower, upper);
  shelves[zone].collect(lower, upper, found);
  for (++zone; zone < end; ++zone) {
    shelves[zone].collect(lower, upper, part);
    auto before = static_cast<std::ptrdiff_t>(found.size());
    // The others are on the shelves of the zone before.
    for (const Shelves::Rectangle &each : part)
      if (each.lower >= begins[zone])
        found.push_back(each);
    std::inplace_merge(
        found.begin(), found.begin() + before, found.end(),
        [](const auto &a, const auto &b) { return a.begin < b.begin; });
  }
}
