//===- Planning/Snapshot/PlanInOrder.cpp - plans of long traces -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Arithmetic.h"
#include "tamc/Planning/TorchSnapshot.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// The free stretches of an address space without an end.
class FreeSpace {
public:
  explicit FreeSpace(bool bestFit) : bestFit(bestFit) {}

  int64_t take(int64_t size) {
    auto found = stretches.end();
    if (bestFit) {
      if (auto least = bySize.lower_bound({size, 0}); least != bySize.end())
        found = stretches.find(least->second);
    } else {
      found =
          std::find_if(stretches.begin(), stretches.end(),
                       [&](const auto &each) { return each.second >= size; });
    }
    if (found != stretches.end()) {
      auto [at, length] = *found;
      remove(found);
      if (length > size)
        add(at + size, length - size);
      return at;
    }
    // The last stretch, if it reaches the top, grows.
    int64_t at = top;
    if (!stretches.empty()) {
      auto last = std::prev(stretches.end());
      if (last->first + last->second == top) {
        at = last->first;
        remove(last);
      }
    }
    top = at + size;
    return at;
  }

  void give(int64_t at, int64_t size) {
    auto next = stretches.lower_bound(at);
    if (next != stretches.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == at) {
        at = before->first;
        size += before->second;
        remove(before);
      }
    }
    if (next != stretches.end() && at + size == next->first) {
      size += next->second;
      remove(next);
    }
    add(at, size);
  }

  int64_t top = 0;

private:
  void add(int64_t at, int64_t size) {
    stretches.emplace(at, size);
    if (bestFit)
      bySize.insert({size, at});
  }
  void remove(std::map<int64_t, int64_t>::iterator stretch) {
    if (bestFit)
      bySize.erase({stretch->second, stretch->first});
    stretches.erase(stretch);
  }

  bool bestFit;
  std::map<int64_t, int64_t> stretches;
  std::set<std::pair<int64_t, int64_t>> bySize;
};

} // namespace

int64_t tamc::planning::peakInOrder(const TorchDevice &device,
                                    int64_t alignment) {
  const std::vector<TorchLife> &lives = device.lives;
  std::vector<uint32_t> begins(lives.size()), ends;
  for (uint32_t i = 0; i < begins.size(); ++i)
    begins[i] = i;
  ends = begins;
  std::sort(begins.begin(), begins.end(), [&](uint32_t a, uint32_t b) {
    // Of those from before the trace, the longest lie lowest.
    return lives[a].lower != lives[b].lower   ? lives[a].lower < lives[b].lower
           : lives[a].upper != lives[b].upper ? lives[a].upper > lives[b].upper
                                              : a < b;
  });
  std::sort(ends.begin(), ends.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(lives[a].upper, a) < std::pair(lives[b].upper, b);
  });
  int64_t least = INT64_MAX;
  for (bool bestFit : {false, true}) {
    FreeSpace space(bestFit);
    std::unordered_map<uint32_t, int64_t> offsets;
    size_t ended = 0;
    for (uint32_t i : begins) {
      for (; lives[ends[ended]].upper <= lives[i].lower; ++ended) {
        auto found = offsets.find(ends[ended]);
        space.give(found->second, alignUp(lives[ends[ended]].size, alignment));
        offsets.erase(found);
      }
      offsets.emplace(i, space.take(alignUp(lives[i].size, alignment)));
    }
    least = std::min(least, space.top);
  }
  return least;
}
