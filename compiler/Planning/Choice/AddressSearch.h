//===- Planning/Choice/AddressSearch.h - choices with addresses -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_ADDRESSSEARCH_H
#define TAMC_PLANNING_CHOICE_ADDRESSSEARCH_H

#include "Choice/Build.h"
#include "Strategies/Deadline.h"

#include <optional>

namespace tamc::planning {

/// A selection with addresses.
struct Addressed {
  Selection selection;
  /// By stage: the offset of its stay; -1 in a space without a capacity.
  std::vector<int64_t> offsets;
};

/// Packs the spaces with a capacity and lets stays that find no address go
/// elsewhere. Then exchanges lower the cost: an item takes the stays it wants,
/// the stays at these addresses leave if that costs less, and go where there is
/// room. A stay holds all bytes of its buffer from its begin to its end, gaps
/// included.
///
/// `start` has the offsets of some stays of its selection, -1 for the others;
/// stays that end above a capacity are placed again. `rounds` is how often each
/// item that does not have its cheapest path is tried. Nothing if an item that
/// needs a space with a capacity finds no address.
std::optional<Addressed> searchAddresses(const Problem &problem,
                                         const BuiltModel &built,
                                         const Options &options,
                                         const Addressed &start, int64_t rounds,
                                         const Deadline &deadline);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_ADDRESSSEARCH_H
