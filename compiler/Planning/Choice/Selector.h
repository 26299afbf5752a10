//===- Planning/Choice/Selector.h - good selections -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_SELECTOR_H
#define TAMC_PLANNING_CHOICE_SELECTOR_H

#include "Choice/Model.h"
#include "Choice/Relaxation.h"
#include "Strategies/Deadline.h"
#include "tamc/Planning/Strategy.h"

#include <optional>

namespace tamc::planning {

/// Every item, whole, where it takes the fewest bytes of spaces with a
/// capacity; of equal options, the one with the most room. Items without a
/// choice come first, then the largest.
Selection chooseSafely(const ChoiceModel &model);

/// The largest items first, each into the cheapest options with room; items
/// that have no room, into those that take the fewest bytes.
Selection chooseBySize(const ChoiceModel &model);

/// In the order of time each item takes its cheapest option; if that is full,
/// the item whose next stage, or end, is farthest away leaves it for its
/// cheapest option with room (Belady 1966). An item leaves for good unless it
/// has stages.
Selection chooseByNextUse(const ChoiceModel &model);

struct SelectOptions {
  uint64_t seed = 1;
  /// Steps of the relaxation and of the search; 0 is the default.
  int64_t nodes = 0;
  bool hasTimeLimit = false;
  /// Of the relaxation: more of them tighten the bound; without them other
  /// prices guide the search.
  int32_t places = 4;
  /// Items have no addresses: the selection need not be packed.
  bool exactEnds = true;
};

struct Selected {
  /// Empty if no selection within the capacities was found.
  Selection selection;
  Cost cost = 0;
  /// No selection within the capacities costs less.
  Cost bound = 0;
  /// No selection is within the capacities.
  bool impossible = false;
  /// The deadline ended the search.
  bool stopped = false;
  int64_t nodes = 0;
};

/// The best selection found: Lagrangian relaxation, insertion in the order of
/// its prices, exchanges, and a search over time.
Selected select(const ChoiceModel &model, const SelectOptions &options,
                const Deadline &deadline);

/// Exchanges that lower the cost of a selection within the capacities.
void improveSelection(const ChoiceModel &model, Selection &selection,
                      int64_t rounds, uint64_t seed, const Deadline &deadline);

/// A search over time: at each time, the `width` best selections of the items
/// alive are kept, by the bound of the relaxation. Improves `best`. Returns a
/// bound: the least cost if nothing was dropped.
Cost searchOverTime(const ChoiceModel &model, const Relaxation &relaxation,
                    size_t width, const Deadline &deadline, Selected &best);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_SELECTOR_H
