//===- cuda/Segments.h - sums of segments -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where a kernel that adds rows puts the sums of each segment (abi.h). Inside
/// a segment one thread adds all rows to a number, in their order, so that sums
/// do not depend on where chunks end.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_SEGMENTS_H
#define TAMRT_BACKENDS_CUDA_SEGMENTS_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// The rows of a chunk by segments: of `rows` rows each, but the last.
struct Segments {
  int64_t count = 1, rows = 0;

  TAMRT_BODY int64_t begin(int64_t segment) const { return segment * rows; }
  TAMRT_BODY int64_t end(int64_t segment, int64_t all) const {
    return segment + 1 < count ? (segment + 1) * rows : all;
  }
};

/// body(segment, i, begin, end), whose thread adds the rows [begin, end) of the
/// chunk's `all`, for each number `i` of `n` of each segment.
template <class Block, class Body>
TAMRT_BODY void forEachSum(Block &block, const Segments &segments, int64_t n,
                           int64_t all, const Body &body) {
  for (int64_t k = block.index(); k < n * segments.count; k += block.total()) {
    const int64_t segment = k / n;
    body(segment, k % n, segments.begin(segment), segments.end(segment, all));
  }
}

/// The sums of all segments of a chunk: those of the first are an accumulator,
/// to which its rows are added; those of others are elsewhere.
struct SegmentSums {
  Buffer<double> own, further;
  /// Numbers from one segment to the next one; whether there are sums of them
  /// already.
  int64_t stride = 0;
  bool adds = false;

  template <class Block> struct View {
    ViewOf<Block, double> own, further;
    int64_t stride;
    bool adds;

    /// Number `i` of a segment before rows are added.
    TAMRT_BODY double before(int64_t segment, int64_t i) const {
      if (segment == 0)
        return own[i];
      return adds ? double(further[(segment - 1) * stride + i]) : 0.0;
    }
    TAMRT_BODY void put(int64_t segment, int64_t i, double sum) const {
      if (segment == 0)
        own[i] = sum;
      else
        further[(segment - 1) * stride + i] = sum;
    }
  };
  template <class Block> TAMRT_BODY View<Block> view(Block &block) const {
    return {block.view(own), block.view(further), stride, adds};
  }
};

/// Adds term(row, i) of each row of a chunk's `all` to number `i` of `n`.
template <class Block, class Term>
TAMRT_BODY void addRows(Block &block, const Segments &segments, int64_t n,
                        int64_t all, const SegmentSums &sums,
                        const Term &term) {
  auto result = sums.view(block);
  forEachSum(block, segments, n, all,
             [&](int64_t segment, int64_t i, int64_t begin, int64_t end) {
               double sum = result.before(segment, i);
               for (int64_t row = begin; row < end; ++row)
                 sum += term(row, i);
               result.put(segment, i, sum);
             });
}

/// Adds a count, exactly, to a number that is a count times `unit`, rounded
/// once. The count follows from the number: rounding errors do not move a count
/// below 2^50 near another integer.
TAMRT_BODY double addCount(double sum, double count, double unit) {
  const double old = (sum * (1.0 / unit) + kNoFraction) - kNoFraction;
  return (old + count) * unit;
}

/// Adds other counts times `unit`.
TAMRT_BODY double joinCount(double sum, double more, double unit) {
  return addCount(sum, (more * (1.0 / unit) + kNoFraction) - kNoFraction, unit);
}

/// Joins the sums of the segments of a chunk in their binary tree, in place;
/// those of the first segment become those of all. Counts are added one after
/// another.
struct JoinSegments {
  static constexpr const char *name = "join_segments";
  static constexpr bool hasBarriers = false;

  SegmentSums sums;
  int64_t count, segments;
  /// If not 0, the sums are counts times this number.
  double unit;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto all = sums.view(block);
    for (int64_t i = block.index(); i < count; i += block.total()) {
      if (unit != 0.0) {
        double sum = all.own[i];
        for (int64_t k = 1; k < segments; ++k)
          sum = joinCount(sum, all.further[(k - 1) * sums.stride + i], unit);
        all.own[i] = sum;
        continue;
      }
      for (int64_t step = 1; step < segments; step *= 2)
        for (int64_t k = 0; k + step < segments; k += 2 * step) {
          const double later = all.further[(k + step - 1) * sums.stride + i];
          if (k == 0)
            all.own[i] += later;
          else
            all.further[(k - 1) * sums.stride + i] += later;
        }
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_SEGMENTS_H
