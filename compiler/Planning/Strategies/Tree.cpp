//===- Planning/Tree.cpp - strategy tree: Inductor's AllocationTree -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/AllocationTree.h"
#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"

#include <algorithm>

using namespace tamc::planning;

int64_t tamc::planning::treeAlignment(const Instance &instance) {
  int64_t alignment = 1;
  for (const Item &item : instance.items)
    alignment = commonMultiple(alignment, item.alignment);
  return alignment;
}

Placement tamc::planning::placeByTree(const Instance &instance,
                                      const Options &options,
                                      const Deadline &deadline) {
  Placement placement;
  placement.offsets.assign(instance.size(), -1);
  std::vector<int32_t> outputs, intermediates;
  // Inductor has no pins. Pinned buffers get the bytes below the first pool.
  int64_t base = 0;
  for (size_t i = 0; i < instance.size(); ++i) {
    const Item &item = instance.items[i];
    auto index = static_cast<int32_t>(i);
    if (item.pin >= 0) {
      placement.offsets[i] = item.pin;
      base = std::max(base, item.pin + item.size);
    } else if (item.output) {
      outputs.push_back(index);
    } else {
      intermediates.push_back(index);
    }
  }
  // Among equal sizes the longer live range comes first, in both lists.
  auto longer = [&](int32_t a, int32_t b) {
    return instance.life(instance.items[a]) > instance.life(instance.items[b]);
  };
  std::stable_sort(outputs.begin(), outputs.end(), [&](int32_t a, int32_t b) {
    int64_t x = instance.items[a].size, y = instance.items[b].size;
    return x != y ? x < y : longer(a, b);
  });
  std::stable_sort(intermediates.begin(), intermediates.end(),
                   [&](int32_t a, int32_t b) {
                     int64_t x = instance.items[a].size;
                     int64_t y = instance.items[b].size;
                     return x != y ? x > y : longer(a, b);
                   });

  struct Root {
    AllocationTree tree;
    bool mayGrow;
  };
  std::vector<Root> pools;
  int64_t alignment = treeAlignment(instance);
  bool combined = options.pools == Pools::Combined;
  for (int32_t item : outputs) {
    if (!pools.empty() && (combined || options.pools == Pools::Outputs))
      pools.back().tree.allocateAtEnd(item);
    else
      pools.push_back({AllocationTree(instance, alignment, item), combined});
  }
  size_t count = 0;
  for (int32_t item : intermediates) {
    if (++count % 64 == 0 && deadline.passed()) {
      placement.stopped = true;
      break;
    }
    bool placed = false;
    for (size_t i = 0; i < pools.size() && !placed; ++i) {
      bool grows = pools[i].mayGrow && i + 1 == pools.size();
      placed = pools[i].tree.allocate(item, grows);
      if (!placed && grows) {
        pools[i].tree.allocateAtEnd(item);
        placed = true;
      }
    }
    if (!placed)
      pools.push_back({AllocationTree(instance, alignment, item),
                       options.pools != Pools::None});
  }
  for (const Root &pool : pools) {
    base = alignUp(base, alignment);
    int64_t size = pool.tree.finalize(base, placement.offsets);
    placement.pools.push_back({0, base, size});
    base = saturatingAdd(base, size);
  }
  if (placement.stopped) {
    pileUp(instance, placement.offsets);
    placement.pools.clear();
  }
  return placement;
}

namespace tamc::planning {
Plan planTree(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options,
                       [](const Instance &instance, const Options &given) {
                         return placeByTree(instance, given, Deadline(given));
                       });
}
} // namespace tamc::planning
