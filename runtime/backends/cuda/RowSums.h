//===- cuda/RowSums.h - many sums over rows ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One body for the sums of products of features that have few numbers in a
/// row: bands, levels and a few dense columns. A block has a segment's rows and
/// a list of products, whose sums are in shared memory; it reads each number of
/// a row once.
///
/// Of a product of bands of za and zb numbers, whose columns are consecutive,
/// thread (u, v) has the sums of the columns that are u modulo za and v modulo
/// zb: each row adds to exactly one of them. So threads share no sums. Those of
/// the same quotients lie side by side, so that threads use different banks.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_ROWSUMS_H
#define TAMRT_BACKENDS_CUDA_ROWSUMS_H

#include "backends/cuda/Encodings.h"
#include "backends/cuda/Segments.h"

#include <cstring>

namespace tamrt::cuda {

/// A feature with few numbers in a row.
struct Factor {
  enum Kind : int32_t {
    /// `width` columns.
    Columns,
    /// `width` numbers in consecutive columns, and the first column.
    Band,
    /// A 1, and its column, or TAMRT_INDEX_*.
    Level,
    /// A 1 in the only column.
    Ones,
  };

  Kind kind = Ones;
  int32_t width = 1;
  Buffer<const double> values;
  Buffer<const int32_t> index;
  /// Where its rows are in shared memory.
  int32_t tile = 0;

  bool operator==(const Factor &) const = default;
};

/// A sum of products of two factors, na x nb numbers.
struct Product {
  /// Indices of factors.
  uint8_t left, right;
  /// Of its numbers only those on and above the diagonal; it has no mean of
  /// levels, which is an error.
  bool isUpper, lacksMeans;
  int32_t na, nb;
  /// Its first thread, its first number in shared memory, and in the launch's
  /// sums.
  int32_t thread, first, at;
};

/// Lists of a launch, and what its threads have room for: a block has 48 KB of
/// shared memory.
constexpr int kMostFactors = 12;
constexpr int kMostProducts = 48;
constexpr int kMostThreads = 512;
constexpr int kMostShared = 6144;
/// Rows that are in shared memory at a time, and those whose numbers a thread
/// reads before it adds them.
constexpr int kRowsAtOnce = 32;
constexpr int kRowsAhead = 4;

/// The place of a row's number is its column divided by the width, without the
/// remainder, in 16 bits; kRowsAhead of them are in the place of a double. This
/// one: a row with TAMRT_INDEX_*, or none. No other has its bit.
constexpr int32_t kNoPlace = 0x8000;
constexpr uint64_t kNoPlaces = 0x8000800080008000;
/// Numbers of a row of a band.
constexpr int kMostWidth = 16;

/// Shared memory of a factor: its numbers, and their places.
TAMRT_BOTH constexpr int tileOf(Factor::Kind kind, int width) {
  constexpr int places = kRowsAtOnce / kRowsAhead;
  switch (kind) {
  case Factor::Columns:
    return kRowsAtOnce * width + 1;
  case Factor::Band:
    return (kRowsAtOnce + places) * width;
  case Factor::Level:
    return 1 + places;
  case Factor::Ones:
    break;
  }
  return 2;
}

/// Shared memory of the sums of a product of factors of these widths.
TAMRT_BOTH constexpr int64_t numbersOf(int64_t na, int64_t nb, int64_t za,
                                       int64_t zb) {
  return (na + za - 1) / za * ((nb + zb - 1) / zb) * za * zb;
}

struct AddRows {
  static constexpr const char *name = "row_sums";
  static constexpr bool hasBarriers = true;

  int32_t factorCount = 0, productCount = 0;
  /// Where the row weights are in shared memory, and its doubles.
  int32_t weights = 0, shared = 0;
  int64_t rows = 0;
  Segments segments;
  SegmentSums sums;
  /// Null: all one.
  Buffer<const double> w;
  Factor factors[kMostFactors];
  Product products[kMostProducts];

  /// Where a factor's tile is: row r has the number of remainder u at
  /// values + r * valueStride + u, and its place in the double
  /// places + r / kRowsAhead * placeStride, plus u for a band.
  struct Tile {
    int32_t values, valueStride, places, placeStride;
  };

  TAMRT_BODY static Tile tileOf(const Factor &factor) {
    const int32_t at = factor.tile, width = factor.width;
    switch (factor.kind) {
    case Factor::Columns:
      return {at, width, at + kRowsAtOnce * width, 0};
    case Factor::Band:
      return {at, width, at + kRowsAtOnce * width, width};
    case Factor::Level:
      return {at, 0, at + 1, 1};
    case Factor::Ones:
      break;
    }
    return {at, 0, at + 1, 0};
  }

  TAMRT_BODY static double packed(uint64_t bits) {
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  TAMRT_BODY static uint64_t unpacked(double number) {
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  /// The place of a row in a double of several.
  TAMRT_BODY static int32_t placeIn(uint64_t bits, int row) {
    return static_cast<int32_t>(bits >> (16 * row) & 0xffff);
  }

  /// Writes what does not depend on the row into the tile of a factor.
  template <class Memory>
  TAMRT_BODY static void start(const Factor &factor, const Memory &memory) {
    const Tile to = tileOf(factor);
    if (factor.kind == Factor::Level || factor.kind == Factor::Ones)
      memory[to.values] = 1.0;
    if (factor.kind == Factor::Columns || factor.kind == Factor::Ones)
      memory[to.places] = packed(0);
  }

  /// Reads rows of a factor into its tile, by the threads of a warp.
  template <class Block, class Memory>
  TAMRT_BODY static void read(Block &block, const Factor &factor,
                              const Memory &memory, int64_t first, int count) {
    const Tile to = tileOf(factor);
    const int width = factor.width, lane = block.thread() % kWarp;
    auto values = block.view(factor.values);
    auto index = block.view(factor.index);
    if (factor.kind == Factor::Columns)
      for (int k = lane; k < count * width; k += kWarp)
        memory[to.values + k] = values[first * width + k];
    if (factor.kind == Factor::Band && lane < count) {
      // A lane has a row.
      const int32_t remainder = index[first + lane] % width;
      for (int k = 0, u = remainder; k < width; ++k) {
        memory[to.values + lane * width + u] =
            values[(first + lane) * width + k];
        u = u + 1 < width ? u + 1 : 0;
      }
    }
    if (factor.kind == Factor::Band || factor.kind == Factor::Level)
      for (int i = lane; i < kRowsAtOnce / kRowsAhead * width; i += kWarp) {
        const int quarter = i / width, u = i - quarter * width;
        uint64_t bits = 0;
        for (int k = kRowsAhead - 1; k >= 0; --k) {
          const int r = quarter * kRowsAhead + k;
          const int32_t column = r < count ? index[first + r] : -1;
          // The columns from the first one on that are u modulo the width.
          const int32_t place = (column + width - 1 - u) / width;
          bits =
              bits << 16 | static_cast<uint64_t>(column < 0 ? kNoPlace : place);
        }
        memory[to.places + i] = packed(bits);
      }
  }

  /// What a thread does: of a product the columns of remainder u and v.
  struct Task {
    Tile a, b;
    /// Places of the right factor; from one of its numbers to that of the next
    /// place; the thread's first number.
    int32_t places, stride, first;
    bool isThere;
  };

  TAMRT_BODY int productOf(int thread) const {
    int mine = 0;
    for (int p = 1; p < productCount; ++p)
      mine += thread >= products[p].thread ? 1 : 0;
    return mine;
  }

  TAMRT_BODY Task taskOf(int thread) const {
    const Product &product = products[productOf(thread)];
    const Factor &left = factors[product.left];
    const Factor &right = factors[product.right];
    Task task;
    task.a = tileOf(left);
    task.b = tileOf(right);
    const int32_t own = thread - product.thread;
    const int32_t u = own / right.width, v = own - u * right.width;
    task.isThere = u < left.width;
    for (Tile *tile : {&task.a, &task.b}) {
      const Factor &factor = tile == &task.a ? left : right;
      const int32_t remainder = tile == &task.a ? u : v;
      tile->values += remainder;
      if (factor.kind == Factor::Band)
        tile->places += remainder;
    }
    task.places = (product.nb + right.width - 1) / right.width;
    task.stride = left.width * right.width;
    task.first = product.first + own;
    return task;
  }

  /// Adds to the number of two places, also below the diagonal.
  template <class Memory>
  static TAMRT_BODY void add(const Task &task, const Memory &memory, int32_t i,
                             int32_t j, double product) {
    memory[task.first + (i * task.places + j) * task.stride] += product;
  }

  /// Adds kRowsAhead rows of the tile, whose places are given.
  template <bool isWeighted, class Memory>
  TAMRT_BODY void addRows(const Task &task, const Memory &memory, int start,
                          uint64_t as, uint64_t bs) const {
    const int a = task.a.values + start * task.a.valueStride;
    const int b = task.b.values + start * task.b.valueStride;
    double products[kRowsAhead];
    for (int k = 0; k < kRowsAhead; ++k) {
      double x = memory[a + k * task.a.valueStride];
      if (isWeighted)
        x = memory[weights + start + k] * x;
      products[k] = x * memory[b + k * task.b.valueStride];
    }
    for (int k = 0; k < kRowsAhead; ++k)
      add(task, memory, placeIn(as, k), placeIn(bs, k), products[k]);
  }

  /// Adds row r of the tile and of the rows, which may have a mean of levels,
  /// or none.
  template <class Block, class Memory>
  TAMRT_BODY void addAny(Block &block, const Task &task, const Memory &memory,
                         int r, int64_t row) const {
    const Product &product = products[productOf(block.thread())];
    double x = memory[task.a.values + r * task.a.valueStride];
    double y = memory[task.b.values + r * task.b.valueStride];
    if (w.data)
      x = memory[weights + r] * x;
    // From a first place on: one, those of a mean, or none.
    const auto find = [&](const Factor &factor, const Tile &tile,
                          int32_t &first, int32_t &count) {
      first = placeIn(
          unpacked(memory[tile.places + r / kRowsAhead * tile.placeStride]),
          r % kRowsAhead);
      count = 1;
      if (first != kNoPlace)
        return 1.0;
      auto index = block.view(factor.index);
      const int32_t own = index[row];
      first = 0;
      count = static_cast<int32_t>(OneHot::meanColumns(own));
      if (product.lacksMeans && count > 0)
        block.fail(TAMRT_ERROR_INVALID_ARGUMENT, 1);
      return 1.0 / static_cast<double>(count);
    };
    int32_t left, lefts, right, rights;
    const double leftShare = find(factors[product.left], task.a, left, lefts);
    const double rightShare =
        find(factors[product.right], task.b, right, rights);
    if (lefts != 1 || leftShare != 1.0)
      x *= leftShare;
    if (rights != 1 || rightShare != 1.0)
      y *= rightShare;
    for (int32_t i = 0; i < lefts; ++i)
      for (int32_t j = 0; j < rights; ++j)
        add(task, memory, left + i, right + j, x * y);
  }

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    const int64_t segment = block.block();
    const int thread = block.thread(), threads = block.threads();
    const int warp = thread / kWarp, warps = threads / kWarp;
    auto memory = block.shared(0, shared);
    auto rowWeights = block.view(w);
    auto all = sums.view(block);
    const bool isWeighted = w.data;
    // Calls body(number in shared memory, number in the sums, whether it is to
    // be computed).
    const auto forEachSum = [&](const auto &body) {
      for (int p = 0; p < productCount; ++p) {
        const Product &product = products[p];
        const int za = factors[product.left].width;
        const int zb = factors[product.right].width;
        const int quotients = (product.nb + zb - 1) / zb;
        const int count = product.na * product.nb, first = product.first;
        const int nb = product.nb, at = product.at;
        for (int i = thread; i < count; i += threads) {
          const int row = i / nb, column = i - row * nb;
          const int q = row / za, s = column / zb;
          body(first + (q * quotients + s) * (za * zb) + (row - q * za) * zb +
                   (column - s * zb),
               at + i, !product.isUpper || column >= row);
        }
      }
    };
    forEachSum([&](int here, int64_t there, bool) {
      memory[here] = all.before(segment, there);
    });
    for (int i = thread; i < factorCount; i += threads)
      start(factors[i], memory);
    const Task task = taskOf(thread);

    const int64_t end = segments.end(segment, rows);
    for (int64_t first = segments.begin(segment); first < end;
         first += kRowsAtOnce) {
      const int count =
          static_cast<int>(least(int64_t(kRowsAtOnce), end - first));
      for (int i = warp; i < factorCount; i += warps)
        read(block, factors[i], memory, first, count);
      if (isWeighted && thread < count)
        memory[weights + thread] = rowWeights[first + thread];
      block.barrier();
      for (int start = 0; task.isThere && start < count; start += kRowsAhead) {
        const int quarter = start / kRowsAhead;
        const uint64_t as =
            unpacked(memory[task.a.places + quarter * task.a.placeStride]);
        const uint64_t bs =
            unpacked(memory[task.b.places + quarter * task.b.placeStride]);
        // The rows behind the last one have no place, either.
        if (((as | bs) & kNoPlaces) != 0 || start + kRowsAhead > count)
          for (int r = start; r < start + kRowsAhead && r < count; ++r)
            addAny(block, task, memory, r, first + r);
        else if (isWeighted)
          addRows<true>(task, memory, start, as, bs);
        else
          addRows<false>(task, memory, start, as, bs);
      }
      block.barrier();
    }
    // What is below the diagonal counts as 0 when segments are joined.
    forEachSum([&](int here, int64_t there, bool isIn) {
      if (isIn || segment > 0)
        all.put(segment, there, isIn ? double(memory[here]) : 0.0);
    });
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_ROWSUMS_H
