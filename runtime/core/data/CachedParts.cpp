//===- core/data/CachedParts.cpp - rows copied while cached ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/CachedParts.h"

#include <algorithm>

namespace tamrt {

std::vector<std::span<const uint32_t>>
partsOf(std::span<const uint32_t> order, const std::vector<Group> &groups) {
  constexpr size_t kLeastRows = 64, kCachedRows = 2048;
  const size_t some = std::max(kCachedRows, kLeastRows * groups.size());
  if (order.size() <= 2 * some)
    return {order};
  std::vector<std::span<const uint32_t>> parts;
  std::vector<size_t> next;
  for (const Group &group : groups)
    next.push_back(group.first);
  for (size_t end = some; end < order.size() + some; end += some)
    for (size_t g = 0; g < groups.size(); ++g) {
      const size_t first = next[g], last = groups[g].first + groups[g].rows;
      // By bisection. Rows that are not in order are copied too early or too
      // late, which does no harm.
      for (size_t after = last; next[g] < after;) {
        const size_t middle = next[g] + (after - next[g]) / 2;
        if (order[middle] < end)
          next[g] = middle + 1;
        else
          after = middle;
      }
      if (next[g] > first)
        parts.push_back(order.subspan(first, next[g] - first));
    }
  return parts;
}

} // namespace tamrt
