//===- Planning/Placement/PlacePrices.h - prices of addresses ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PLACEPRICES_H
#define TAMC_PLANNING_PLACEPRICES_H

#include "Placement/Shelves.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamc::planning {

/// The prices of the places for one item: the sum of the prices of the
/// rectangles that it would meet at an offset. These are the ones that begin
/// below its end, less the ones that end at or below its offset.
template <typename Price> class PlacePrices {
public:
  using Rectangles = std::vector<Shelves::Rectangle>;

  /// For an item of `size` bytes and the same rectangles by ascending begin and
  /// by ascending end, which must outlive the queries. An item of a rectangle
  /// costs price(item). O(rectangles).
  template <typename PriceOf>
  void start(int64_t size, const Rectangles &byBegin, const Rectangles &byEnd,
             PriceOf price) {
    this->size = size;
    this->byBegin = &byBegin;
    this->byEnd = &byEnd;
    begun.assign(1, 0);
    ended.assign(1, 0);
    for (size_t i = 0; i < byBegin.size(); ++i) {
      begun.push_back(begun[i] + price(byBegin[i].item));
      ended.push_back(ended[i] + price(byEnd[i].item));
    }
    rewind();
  }

  /// Of all rectangles.
  Price total() const { return begun.back(); }

  /// Goes to an offset; they ascend from `start` or `rewind` on, so that all
  /// together take O(rectangles).
  void go(int64_t offset) {
    while (first < byBegin->size() && (*byBegin)[first].begin < offset + size)
      ++first;
    while (gone < byEnd->size() && (*byEnd)[gone].end <= offset)
      ++gone;
  }
  void rewind() { first = gone = 0; }

  /// At the offset: the price, and whether there is no rectangle.
  Price price() const { return begun[first] - ended[gone]; }
  bool isFree() const { return first == gone; }

private:
  int64_t size = 0;
  const Rectangles *byBegin = nullptr, *byEnd = nullptr;
  /// Sums over the first rectangles of each order.
  std::vector<Price> begun, ended;
  size_t first = 0, gone = 0;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_PLACEPRICES_H
