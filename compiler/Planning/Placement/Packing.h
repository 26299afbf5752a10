//===- Planning/Packing.h - rectangles with fixed times ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PACKING_H
#define TAMC_PLANNING_PACKING_H

#include "Problem/Instance.h"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tamc::planning {

/// An instance in the form of the exact search: rectangles over maximal
/// sections, sorted by their first section, with sizes in units of `unit`
/// bytes.
struct Packing {
  struct Rectangle {
    int32_t lower, upper; // sections
    int64_t size;         // units
    double life;          // in the program's time
    /// Items, from the lowest to the highest, with the units below each.
    std::vector<std::pair<int32_t, int64_t>> items;
  };
  std::vector<Rectangle> rectangles;
  int64_t unit = 1;
  int32_t sections = 0;
  /// By section: the rectangles alive, and the sum of their sizes.
  std::vector<std::vector<int32_t>> alive;
  std::vector<int64_t> load;
  /// By section: the first rectangle that begins in it or later.
  std::vector<int32_t> first;
  /// By rectangle: those that share a section with it.
  std::vector<std::vector<int32_t>> neighbours;

  size_t size() const { return rectangles.size(); }
  int64_t bound() const;
};

/// The packing of an instance. Sizes are rounded up to the common alignment of
/// all items, so that every offset in units is aligned. Gaps are ignored. Pins
/// are not allowed.
Packing makePacking(const Instance &instance);

/// Whether a packing's least height is the instance's least peak: nothing is
/// rounded up, and no item has a gap.
bool isFaithful(const Instance &instance);

/// Makes a packing smaller by joining rectangles at random. *Stacks* rectangles
/// with the same live range with probability `stack`; *chains* rectangles of
/// the same size, one of which begins where the other ends, with probability
/// `chain`. Its solutions are solutions of the original; it may have none
/// although the original has some.
Packing merge(const Packing &packing, double stack, double chain,
              std::mt19937_64 &random);

/// Offsets in bytes by item, from a solution in units by rectangle.
void expand(const Packing &packing, std::span<const int64_t> solution,
            std::vector<int64_t> &offsets);

/// The position of each rectangle in six static orders: permutations of live
/// range, area and load, and size.
std::array<std::vector<double>, 6> staticOrders(const Packing &packing);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PACKING_H
