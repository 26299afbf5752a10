//===- Planning/Auto.cpp - strategy auto: the portfolio -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Bounds.h"
#include "Placer.h"
#include "Portfolio.h"

#include <algorithm>

using namespace tamc::planning;

/// First what is cheap, so that there is an incumbent at once; then what
/// proves; then what improves large or irregular instances, in turns that
/// double. Ends at the bound, at a proof, or with the budget.
static Placement place(const Instance &instance, const Options &options) {
  Deadline deadline(options);
  int64_t bound = boundOf(instance).bytes;
  Placement best = placeBySkyline(instance, options, deadline);
  if (!instance.simple && instance.size() > 0)
    settle(instance, best.offsets);
  auto isDone = [&] {
    best.optimal |= peakOf(instance, best.offsets) <= bound;
    return best.optimal || deadline.passed();
  };
  if (instance.size() == 0 || isDone())
    return best;

  int64_t budget = options.nodes       ? options.nodes
                   : options.timeLimit ? infinite
                                       : 50000;
  bool exact = canSearchExactly(instance);
  bool faithful = exact && isFaithful(instance);
  if (!faithful && instance.size() <= 64) {
    improveByOrders(instance, std::min<int64_t>(budget, 100000), deadline,
                    best);
    if (isDone())
      return best;
  }
  Options turn = options;
  int64_t decodes = 50;
  int64_t decisions = 20 * static_cast<int64_t>(instance.size());
  for (int64_t spent = 0; spent < budget && !isDone(); ++turn.seed) {
    int64_t before = best.nodes;
    if (exact) {
      turn.nodes = std::min(decisions, budget - spent);
      improveExactly(instance, turn, deadline, best);
      if (isDone())
        break;
    }
    // One decode costs about as much as a decision for each item.
    auto items = static_cast<int64_t>(instance.size());
    if (!faithful || instance.size() > 500) {
      int64_t most = std::max<int64_t>((budget - spent) / items, 1);
      improveBySearch(instance, turn, std::min(decodes, most), deadline, best);
    }
    spent += std::max<int64_t>(best.nodes - before, 1) +
             (exact ? 0 : decodes * items);
    decodes *= 2;
    decisions = saturatingAdd(decisions, decisions);
  }
  return best;
}

namespace tamc::planning {
Plan planAuto(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, place);
}
} // namespace tamc::planning
