//===- Planning/Buffers.cpp - properties of buffers -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Buffers.h"

#include <algorithm>
#include <unordered_map>

using namespace tamc::planning;

bool tamc::planning::occupies(const Buffer &buffer) {
  if (buffer.size == 0)
    return false;
  for (const Interval &interval : buffer.live)
    if (interval.lower < interval.upper)
      return true;
  for (const Window &window : buffer.windows)
    if (window.time.lower < window.time.upper && window.lower < window.upper)
      return true;
  return false;
}

std::vector<std::pair<Interval, int64_t>>
tamc::planning::holdingsWithin(const Buffer &buffer, Interval time) {
  std::vector<std::pair<Interval, int64_t>> list;
  auto take = [&](Interval each, int64_t bytes) {
    each = {std::max(each.lower, time.lower), std::min(each.upper, time.upper)};
    if (each.lower < each.upper && bytes > 0)
      list.push_back({each, bytes});
  };
  for (const Interval &each : buffer.live)
    take(each, buffer.size);
  for (const Window &window : buffer.windows)
    take(window.time, window.upper - window.lower);
  return list;
}

std::vector<std::optional<int64_t>>
tamc::planning::effectivePins(const Problem &problem) {
  std::unordered_map<int32_t, int64_t> ofClass;
  for (const Buffer &buffer : problem.buffers)
    if (buffer.pin && buffer.aliasClass >= 0)
      ofClass.emplace(buffer.aliasClass, *buffer.pin);
  std::vector<std::optional<int64_t>> pins;
  pins.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    auto found = ofClass.find(buffer.aliasClass);
    pins.push_back(buffer.pin || found == ofClass.end()
                       ? buffer.pin
                       : std::optional(found->second));
  }
  return pins;
}
