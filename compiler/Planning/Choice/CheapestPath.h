//===- Planning/Choice/CheapestPath.h - options by stage --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_CHEAPESTPATH_H
#define TAMC_PLANNING_CHOICE_CHEAPESTPATH_H

#include "Choice/Model.h"

#include <utility>

namespace tamc::planning {

/// The cheapest path of an item, where an option of a stage costs
/// costs(stage, option), or nothing if it is forbidden, and a move `move`. Only
/// an option that arrives(stage, option) can be moved to. Of equal paths the
/// one that moves later. Sets `path` to the options by stage; nothing if every
/// path is forbidden. O(stages * options).
template <typename Costs, typename Arrives>
std::optional<Cost> cheapestPath(const ChoiceModel &model, int32_t item,
                                 std::vector<int32_t> &path, Costs costs,
                                 Cost move, Arrives arrives) {
  const ChoiceModel::Item &from = model.items[item];
  const int32_t options = model.stages[from.firstStage].options;
  int32_t last = -1;
  if (from.stages == 1) {
    std::optional<Cost> total;
    for (int32_t o = 0; o < options; ++o)
      if (std::optional<Cost> here = costs(from.firstStage, o);
          here && (!total || *here < *total)) {
        total = here;
        last = o;
      }
    if (total)
      path.assign(1, last);
    return total;
  }
  std::vector<std::optional<Cost>> cost(options), before(options);
  std::vector<int32_t> came(size_t(from.stages) * options, -1);
  auto leastOf = [&](const std::vector<std::optional<Cost>> &list) {
    int32_t least = -1;
    for (int32_t o = 0; o < options; ++o)
      if (list[o] && (least < 0 || *list[o] < *list[least]))
        least = o;
    return least;
  };
  for (int32_t k = 0; k < from.stages; ++k) {
    const int32_t stage = from.firstStage + k;
    std::swap(cost, before);
    const int32_t least = k > 0 ? leastOf(before) : -1;
    for (int32_t o = 0; o < options; ++o) {
      cost[o] = costs(stage, o);
      if (!cost[o] || k == 0)
        continue;
      // Staying where both are possible and cost the same.
      std::optional<Cost> way = before[o];
      int32_t &origin = came[size_t(k) * options + o];
      origin = o;
      if (least >= 0 && least != o && (!way || *before[least] + move < *way) &&
          arrives(stage, o)) {
        way = *before[least] + move;
        origin = least;
      }
      if (way)
        *cost[o] += *way;
      else
        cost[o].reset();
    }
  }
  last = leastOf(cost);
  if (last < 0)
    return std::nullopt;
  path.assign(from.stages, last);
  for (int32_t k = from.stages - 1; k > 0; --k)
    path[k - 1] = came[size_t(k) * options + path[k]];
  return cost[last];
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_CHEAPESTPATH_H
