//===- Planning/Skyline.cpp - strategy skyline: the best of six orders ----===//
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

/// Orders tried on an instance of this size: fewer where each takes seconds.
static size_t ordersFor(size_t items) {
  constexpr size_t most = 400000;
  return std::clamp<size_t>(most / std::max<size_t>(items, 1), 2,
                            Priorities::count);
}

Placement tamc::planning::placeBySkyline(const Instance &instance,
                                         const Options &options,
                                         const Deadline &deadline) {
  Placement placement;
  SkylineDecoder decoder(instance);
  Priorities priorities(instance, decoder.sections());
  int64_t bound = boundOf(instance).bytes;
  int64_t best = infinite;
  std::vector<int64_t> offsets;
  size_t orders = ordersFor(instance.size());
  for (size_t order = 0; order < orders && best > bound; ++order) {
    if (deadline.passed())
      break;
    int64_t limit = best == infinite ? infinite : best - 1;
    int64_t peak =
        decoder.decode(priorities.ranks(order), limit, offsets, &deadline);
    ++placement.nodes;
    // An aborted decode writes a part of the offsets only.
    if (peak == infinite)
      continue;
    if (!instance.simple) {
      // The skyline took every item for a free rectangle; place the items
      // anew, in the order of their offsets, with pins and gaps in view.
      offsets = placeInOrder(instance, orderByOffset(offsets), deadline);
      peak = peakOf(instance, offsets);
      if (peak >= best)
        continue;
    }
    best = peak;
    placement.offsets = offsets;
  }
  if (placement.offsets.empty() && instance.size() > 0) {
    // Out of time, or a skyline above 2^63.
    placement.offsets.resize(instance.size());
    for (size_t i = 0; i < instance.size(); ++i)
      placement.offsets[i] = instance.items[i].pin;
    pileUp(instance, placement.offsets);
    best = peakOf(instance, placement.offsets);
  }
  placement.optimal = best <= bound;
  placement.stopped = !placement.optimal && deadline.passed();
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
