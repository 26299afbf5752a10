//===- Planning/Placement/Zones.h - shelves by time -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_ZONES_H
#define TAMC_PLANNING_ZONES_H

#include "Placement/Shelves.h"

#include <vector>

namespace tamc::planning {

/// Shelves for each of several stretches of time, for many rectangles that are
/// in use for a small part of the time each. A rectangle is on the shelves of
/// all zones that it meets, so that a query visits only the zones that it
/// meets.
class Zones {
public:
  /// `begins` has the time at which each zone begins, ascending. The first zone
  /// has all earlier times, too.
  explicit Zones(std::vector<int32_t> begins)
      : begins(std::move(begins)), shelves(this->begins.size()) {}

  /// As many zones as possible if the rectangles, with these times, may be on
  /// twice as many shelves as there are rectangles, and equally many of them
  /// begin in each.
  static std::vector<int32_t>
  beginsOf(std::vector<std::pair<int32_t, int32_t>> times);

  /// As Shelves::insert, erase, firstFit and collect.
  void insert(const Shelves::Rectangle &rectangle);
  void erase(const Shelves::Rectangle &rectangle);
  int64_t firstFit(int32_t lower, int32_t upper, int64_t size,
                   int64_t alignment, int64_t limit) const;
  void collect(int32_t lower, int32_t upper,
               std::vector<Shelves::Rectangle> &found) const;

private:
  /// The first zone that a stretch of time meets, and the one after the last.
  std::pair<size_t, size_t> zonesOf(int32_t lower, int32_t upper) const;

  std::vector<int32_t> begins;
  std::vector<Shelves> shelves;
  // Of one query.
  mutable std::vector<Shelves::Rectangle> part, all;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_ZONES_H
