//===- Planning/Naive.cpp - strategy naive: every buffer its own bytes ----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Arithmetic.h"
#include "Problem/Instance.h"

#include <algorithm>

using namespace tamc::planning;

static Placement placeApart(const Instance &instance, const Options &) {
  Placement placement;
  int64_t top = 0;
  for (const Item &item : instance.items)
    if (item.pin >= 0)
      top = std::max(top, item.pin + item.size);
  for (const Item &item : instance.items) {
    if (item.pin >= 0) {
      placement.offsets.push_back(item.pin);
      continue;
    }
    int64_t offset = alignUp(top, item.alignment);
    placement.offsets.push_back(offset);
    top = saturatingAdd(offset, item.size);
  }
  return placement;
}

namespace tamc::planning {
Plan planNaive(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, placeApart);
}
} // namespace tamc::planning
