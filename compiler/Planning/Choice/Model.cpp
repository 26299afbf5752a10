//===- Planning/Choice/Model.cpp - choices over time ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Model.h"

using namespace tamc::planning;

Cost tamc::planning::costOf(const ChoiceModel &model,
                            const Selection &selection) {
  Cost cost = 0;
  for (const ChoiceModel::Item &item : model.items)
    for (int32_t k = 0; k < item.stages; ++k) {
      int32_t s = item.firstStage + k;
      cost += model.optionsOf(model.stages[s])[selection[s]].cost;
      if (k > 0 && selection[s] != selection[s - 1])
        cost += item.move;
    }
  return cost;
}

Loads tamc::planning::loadsOf(const ChoiceModel &model,
                              const Selection &selection) {
  Loads loads(model.capacity.size(), std::vector<Cost>(model.times + 1, 0));
  for (const ChoiceModel::Item &item : model.items)
    for (int32_t k = 0; k < item.stages; ++k) {
      int32_t s = item.firstStage + k;
      const ChoiceModel::Stage &stage = model.stages[s];
      const ChoiceModel::Option &option = model.optionsOf(stage)[selection[s]];
      std::vector<Cost> &load = loads[option.resource];
      for (const ChoiceModel::Piece &piece : model.piecesOf(stage)) {
        load[piece.lower] += ChoiceModel::bytesOf(piece, option);
        load[piece.upper] -= ChoiceModel::bytesOf(piece, option);
      }
      if (k > 0 && selection[s] != selection[s - 1]) {
        load[model.arrival(stage)] += option.bytes;
        load[model.arrival(stage) + 1] -= option.bytes;
      }
    }
  for (std::vector<Cost> &load : loads) {
    for (size_t time = 1; time < load.size(); ++time)
      load[time] += load[time - 1];
    load.pop_back();
  }
  return loads;
}

bool tamc::planning::isWithin(const ChoiceModel &model,
                              const Selection &selection) {
  Loads loads = loadsOf(model, selection);
  for (size_t resource = 0; resource < loads.size(); ++resource)
    for (Cost load : loads[resource])
      if (load > model.capacity[resource])
        return false;
  return true;
}
