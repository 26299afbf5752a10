//===- cuda/PendingSums.h - sums that share launches ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of a call that have been asked for and not been launched yet, so that
/// one launch reads the rows for many of them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_PENDINGSUMS_H
#define TAMRT_BACKENDS_CUDA_PENDINGSUMS_H

#include "backends/cuda/RowSums.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tamrt::cuda {

/// A sum of products of two factors over the rows of a chunk.
struct RowProduct {
  Factor left, right;
  /// Null: all one.
  Buffer<const double> w;
  int64_t rows, na, nb;
  /// As of Product.
  bool isUpper = false, lacksMeans = false;

  /// Threads that it takes.
  int64_t threads() const { return int64_t(left.width) * right.width; }
  /// Whether a launch has room for it.
  bool fits() const;
};

class PendingSums {
public:
  bool isEmpty() const { return products.empty(); }

  /// Whether a product can be added: it has the same rows and weights, and as
  /// many sums of its own or of all segments before it.
  bool agrees(const RowProduct &product, const SegmentSums &sums) const;
  /// The memory of the sums that wait, which has to be one block.
  std::pair<const double *, const double *> range() const;
  /// Adds a product that fits and agrees. May throw std::bad_alloc.
  void add(const RowProduct &product, const Segments &segments,
           const SegmentSums &sums);

  /// Whether a sum that waits reads memory, or adds to it.
  bool reads(const void *start, size_t bytes) const;
  bool adds(const void *start, size_t bytes) const;

  /// Calls launch(grid, body) for all; none waits any more.
  template <class Launch> void flush(const Launch &launch) {
    std::vector<Entry> all;
    std::swap(all, products);
    if (all.empty())
      return;
    const int64_t share = shareOf(all);
    const SegmentSums sums = allOf(all);
    for (size_t first = 0; first < all.size();) {
      AddRows body;
      Grid grid = {segments.count, 0};
      first = fill(all, first, share, sums, body, grid);
      launch(grid, body);
    }
  }

private:
  struct Entry {
    RowProduct product;
    SegmentSums sums;
  };

  static int64_t shareOf(const std::vector<Entry> &all);
  static SegmentSums allOf(const std::vector<Entry> &all);
  size_t fill(const std::vector<Entry> &all, size_t first, int64_t share,
              const SegmentSums &lowest, AddRows &body, Grid &grid) const;

  std::vector<Entry> products;
  Segments segments;
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_PENDINGSUMS_H
