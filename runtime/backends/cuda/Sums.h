//===- cuda/Sums.h - sums over rows -----------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies that add the rows of a chunk to accumulators (kernels.def).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_SUMS_H
#define TAMRT_BACKENDS_CUDA_SUMS_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"
#include "backends/cuda/Encodings.h"
#include "backends/cuda/Segments.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Columns of a tile of products; rows that are read into shared memory at a
/// time.
constexpr int kTile = 16;
constexpr int kDepth = 32;
constexpr int kTileThreads = kTile * kTile;
constexpr int kTileShared = 2 * kDepth * kTile;

/// Adds a' W b, na x nb numbers, or those on and above the diagonal. A block of
/// threads has a tile of the result, a thread a number of it; the rows of both
/// matrices are expanded to the tile's columns in shared memory, whatever their
/// encodings are.
template <class Left, class Right> struct AddProducts {
  static constexpr const char *name = "gram";
  static constexpr bool hasBarriers = true;

  Left a;
  Right b;
  /// Null: all one.
  Buffer<const double> w;
  int64_t rows, na, nb;
  bool isUpper;
  /// If not 0, the sums are counts times this number.
  double unit;
  Segments segments;
  SegmentSums sums;

  /// So many tiles side by side, for each number of columns.
  static TAMRT_BODY int64_t tilesOf(int64_t columns) {
    return (columns + kTile - 1) / kTile;
  }

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    const int64_t tiles = tilesOf(nb), down = tilesOf(na);
    const int64_t segment = block.block() / (tiles * down);
    const int64_t tile = block.block() % (tiles * down);
    const int64_t top = tile / tiles * kTile;
    const int64_t left = tile % tiles * kTile;
    auto matrixA = a.view(block);
    auto matrixB = b.view(block);
    auto weights = block.view(w);
    auto result = sums.view(block);
    auto tileA = block.shared(0, kDepth * kTile);
    auto tileB = block.shared(kDepth * kTile, kDepth * kTile);
    const int row = block.thread() / kTile, column = block.thread() % kTile;
    const int64_t i = top + row, j = left + column;
    const bool isIn = i < na && j < nb;
    const bool isMine = isIn && (!isUpper || j >= i);
    // What is below the diagonal counts as 0 when segments are joined.
    if (isIn && !isMine && segment > 0)
      result.put(segment, i * nb + j, 0.0);
    // The same in all threads of the block.
    if (isUpper && left + kTile <= top)
      return;
    double sum = 0.0;
    if (isMine && unit == 0.0)
      sum = result.before(segment, i * nb + j);
    const int64_t end = segments.end(segment, rows);
    for (int64_t first = segments.begin(segment); first < end;
         first += kDepth) {
      const int count = static_cast<int>(least(int64_t(kDepth), end - first));
      for (int k = block.thread(); k < count * kTile; k += block.threads()) {
        const int64_t r = first + k / kTile, c = k % kTile;
        double number = top + c < na ? matrixA.at(r, top + c) : 0.0;
        if (w.data)
          number = weights[r] * number;
        tileA[k] = number;
        tileB[k] = left + c < nb ? matrixB.at(r, left + c) : 0.0;
      }
      block.barrier();
      if (isMine)
        for (int r = 0; r < count; ++r)
          sum += tileA[r * kTile + row] * tileB[r * kTile + column];
      block.barrier();
    }
    if (isMine && unit != 0.0)
      sum = addCount(result.before(segment, i * nb + j), sum, unit);
    if (isMine)
      result.put(segment, i * nb + j, sum);
  }
};

/// Adds the diagonal of a' W a: a thread for each column and segment.
struct AddSquares {
  static constexpr const char *name = "squares";
  static constexpr bool hasBarriers = false;

  Dense a;
  Buffer<const double> w;
  int64_t rows, n;
  Segments segments;
  SegmentSums sums;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = a.view(block);
    auto weights = block.view(w);
    addRows(block, segments, n, rows, sums, [&](int64_t r, int64_t i) {
      const double own = matrix.at(r, i);
      return (w.data ? weights[r] * own : own) * own;
    });
  }
};

/// Adds a' W y: a thread for each column and segment.
template <class Matrix> struct AddColumn {
  static constexpr const char *name = "rhs";
  static constexpr bool hasBarriers = false;

  Matrix a;
  Buffer<const double> y, w;
  int64_t rows, n;
  Segments segments;
  SegmentSums sums;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto matrix = a.view(block);
    auto target = block.view(y), weights = block.view(w);
    addRows(block, segments, n, rows, sums, [&](int64_t r, int64_t i) {
      const double own = matrix.at(r, i);
      return (w.data ? weights[r] * own : own) * target[r];
    });
  }
};

/// Adds the weights of the rows of each level.
struct AddLevels {
  static constexpr const char *name = "gram_onehot";
  static constexpr bool hasBarriers = false;

  Buffer<const int32_t> a;
  Buffer<const double> w;
  int64_t rows, n;
  Segments segments;
  SegmentSums sums;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto index = block.view(a);
    auto weights = block.view(w);
    auto result = sums.view(block);
    forEachSum(block, segments, n, rows,
               [&](int64_t segment, int64_t i, int64_t begin, int64_t end) {
                 double sum = result.before(segment, i);
                 for (int64_t r = begin; r < end; ++r) {
                   const int64_t own = index[r];
                   if (own == i)
                     sum += w.data ? weights[r] : 1.0;
                   // The mean of levels has products of levels with each other.
                   else if (own < TAMRT_INDEX_NONE && i == 0)
                     block.fail(TAMRT_ERROR_INVALID_ARGUMENT, 1);
                 }
                 result.put(segment, i, sum);
               });
  }
};

/// Sums of the cosines and sines of the multiples 0..2m of an angle whose first
/// m multiples are the columns: a thread for each multiple up to m of a
/// segment.
struct AddFrequencies {
  static constexpr const char *name = "gram_fourier";
  static constexpr bool hasBarriers = false;

  Buffer<const double> a, w;
  int64_t rows, m;
  Segments segments;
  SegmentSums sums;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto values = block.view(a), weights = block.view(w);
    auto result = sums.view(block);
    forEachSum(block, segments, m + 1, rows,
               [&](int64_t segment, int64_t k, int64_t begin, int64_t end) {
                 double low = result.before(segment, k);
                 double lowSine = 0.0, high = 0.0, highSine = 0.0;
                 if (k > 0) {
                   lowSine = result.before(segment, 2 * m + k);
                   high = result.before(segment, m + k);
                   highSine = result.before(segment, 3 * m + k);
                 }
                 for (int64_t r = begin; r < end; ++r) {
                   const double weight = w.data ? double(weights[r]) : 1.0;
                   if (k == 0) {
                     low += weight;
                     continue;
                   }
                   const int64_t row = r * 2 * m;
                   const double cosine = weight * values[row + k - 1];
                   const double sine = weight * values[row + m + k - 1];
                   const double lastCosine = values[row + m - 1];
                   const double lastSine = values[row + 2 * m - 1];
                   low += cosine;
                   lowSine += sine;
                   high += lastCosine * cosine - lastSine * sine;
                   highSine += lastSine * cosine + lastCosine * sine;
                 }
                 result.put(segment, k, low);
                 if (k > 0) {
                   result.put(segment, 2 * m + k, lowSine);
                   result.put(segment, m + k, high);
                   result.put(segment, 3 * m + k, highSine);
                 }
               });
  }
};

/// Sets numbers to zero.
struct Zero {
  static constexpr const char *name = "zero";
  static constexpr bool hasBarriers = false;

  int64_t count;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto to = block.view(out);
    for (int64_t i = block.index(); i < count; i += block.total())
      to[i] = 0.0;
  }
};

/// Joins the sums of parts, and moves them to `out` unless it is null.
struct JoinSums {
  static constexpr const char *name = "join_sums";
  static constexpr bool hasBarriers = false;

  List<const double> earlier;
  int64_t count;
  Buffer<double> sums, out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto own = block.view(sums), to = block.view(out);
    for (int64_t i = block.index(); i < count; i += block.total()) {
      double sum = own[i];
      for (int64_t part = 0; part < earlier.count; ++part)
        sum = block.view(earlier.buffers[part])[i] + sum;
      if (out.data) {
        to[i] = sum;
        sum = 0.0;
      }
      own[i] = sum;
    }
  }
};

struct JoinCounts {
  static constexpr const char *name = "join_counts";
  static constexpr bool hasBarriers = false;

  Buffer<const double> more;
  int64_t count;
  double unit;
  Buffer<double> sums;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(more);
    auto own = block.view(sums);
    for (int64_t i = block.index(); i < count; i += block.total())
      own[i] = joinCount(own[i], from[i], unit);
  }
};

/// A thread for each number of the words.
struct Marginal {
  static constexpr const char *name = "marginal";
  static constexpr bool hasBarriers = false;

  Buffer<const int32_t> from, index;
  Buffer<const double> sums;
  int64_t n, size;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto begin = block.view(from), words = block.view(index);
    auto own = block.view(sums);
    auto to = block.view(out);
    for (int64_t i = block.index(); i < n; i += block.total()) {
      const int64_t word = i / size;
      double sum = 0.0;
      for (int64_t k = begin[word]; k < begin[word + 1]; ++k)
        sum += own[words[k] + i % size];
      to[i] = sum;
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_SUMS_H
