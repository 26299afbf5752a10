//===- Planning/SkylineStrategy.cpp - strategy skyline: six orders, the best one
//===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Skyline.h"
#include "Arithmetic.h"
#include "Bounds.h"
#include "Deadline.h"
#include "Placer.h"
#include "Portfolio.h"

#include <algorithm>

using namespace tamc::planning;

Placement tamc::planning::placeBySkyline(const Instance &instance,
                                         const Options &options,
                                         const Deadline &deadline) {
  Placement placement;
  SkylineDecoder decoder(instance);
  int64_t bound = boundOf(instance).bytes;
  int64_t best = infinite;
  std::vector<int64_t> offsets;
  for (const std::vector<int32_t> &rank :
       priorities(instance, decoder.sections())) {
    int64_t limit = best == infinite ? infinite : best - 1;
    int64_t peak = decoder.decode(rank, limit, offsets);
    ++placement.nodes;
    // An aborted decode writes a part of the offsets only.
    if (peak == infinite)
      continue;
    if (!instance.simple) {
      // The skyline took every item for a free rectangle; place the items
      // anew, in the order of their offsets, with pins and gaps in view.
      std::vector<int32_t> order = orderByOffset(offsets);
      offsets = placeInOrder(instance, order);
      peak = peakOf(instance, offsets);
      if (peak >= best)
        continue;
    }
    best = peak;
    placement.offsets = offsets;
    if (best <= bound || deadline.passed())
      break;
  }
  if (placement.offsets.empty() && instance.size() > 0)
    placement.offsets.assign(instance.size(), infinite);
  placement.optimal = best <= bound;
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
