//===- tamrt/panels.h - sums of products as the solver reads them -*- C++ -*-=//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layouts of the blocks that assemble_matrix and assemble_vector read
/// (kernels.def), for the kernels of all backends: code of the host and of
/// devices may include it. Nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PANELS_H
#define TAMRT_PANELS_H

#include <cstdint>

/// On functions for the host and for devices. They have no code of their own,
/// which would be that of one instruction set.
#ifdef __CUDACC__
#define TAMRT_PANELS_FUNCTION __host__ __device__ __forceinline__
/// On arrays of constants, which code of the host or of a device indexes.
#define TAMRT_PANELS_TABLE static __device__ const
#else
#define TAMRT_PANELS_FUNCTION __attribute__((always_inline)) inline
#define TAMRT_PANELS_TABLE inline constexpr
#endif

namespace tamrt::panels {

/// Forms of a block, with the numbers of kernels.def.
enum Form : int64_t {
  Full = 0,
  UpperTriangle = 1,
  Diagonal = 2,
  Panels = 3,
  UpperPanels = 4,
  ProductPanels = 5,
  UpperProductPanels = 6,
  Frequencies = 7,
  CubicPanels = 8
};

/// Most factors of a product.
constexpr int64_t kMaxFactors = 8;

/// The numbers that a word of `width` takes: the least power of two that is not
/// less.
TAMRT_PANELS_FUNCTION int64_t wordSize(int64_t width) {
  int64_t size = 1;
  while (size < width)
    size *= 2;
  return size;
}

/// A row-wise Kronecker product of matrices with bands; a single band is a
/// product of one.
struct Factors {
  int64_t count;
  /// Of each factor: the width of its band, its columns, the columns at which
  /// its band can start, and the distance of its next column in the product.
  int64_t width[kMaxFactors] = {}, columns[kMaxFactors];
  int64_t starts[kMaxFactors] = {}, stride[kMaxFactors] = {};
  /// Tuples of starts, and of places in the bands.
  int64_t panels = 1, numbers = 1;
  /// The factor whose pairs are words of panels of the product with itself.
  int64_t word = 0;

  /// `table` has width and columns of each of at most kMaxFactors factors, from
  /// `at` on.
  template <class Table>
  TAMRT_PANELS_FUNCTION Factors(const Table &table, int64_t at, int64_t count)
      : count(count) {
    for (int64_t f = 0; f < count; ++f)
      add(f, table[at + 2 * f], table[at + 2 * f + 1]);
    findStrides();
  }
  TAMRT_PANELS_FUNCTION Factors(int64_t bandWidth, int64_t bandColumns)
      : count(1) {
    add(0, bandWidth, bandColumns);
    findStrides();
  }

  /// Words of a panel of the product with itself.
  TAMRT_PANELS_FUNCTION int64_t pairWords() const {
    int64_t words = width[word] / 2 + 1;
    for (int64_t f = 0; f < count; ++f)
      if (f != word)
        words *= width[f] * (width[f] + 1) / 2;
    return words;
  }
  /// Their numbers.
  TAMRT_PANELS_FUNCTION int64_t pairNumbers() const {
    return pairWords() * wordSize(width[word]);
  }

  /// Calls body(panel, column) for each tuple of starts, with its first column
  /// of the product.
  template <class Body>
  TAMRT_PANELS_FUNCTION void forEachPanel(const Body &body) const {
    forEachTuple(starts, body);
  }
  /// Calls body(place, column) for each tuple of places in the bands, with its
  /// distance in columns from the first.
  template <class Body>
  TAMRT_PANELS_FUNCTION void forEachPlace(const Body &body) const {
    forEachTuple(width, body);
  }

private:
  TAMRT_PANELS_FUNCTION void add(int64_t f, int64_t z, int64_t n) {
    width[f] = z;
    columns[f] = n;
    starts[f] = n - z + 1;
    panels *= starts[f];
    numbers *= z;
    if (z >= width[word])
      word = f;
  }

  TAMRT_PANELS_FUNCTION void findStrides() {
    int64_t step = 1;
    for (int64_t f = count - 1; f >= 0; --f) {
      stride[f] = step;
      step *= columns[f];
    }
  }

  template <class Body>
  TAMRT_PANELS_FUNCTION void forEachTuple(const int64_t *extent,
                                          const Body &body) const {
    int64_t at[kMaxFactors] = {}, column = 0, index = 0;
    for (int64_t f = count; f >= 0; ++index) {
      body(index, column);
      for (f = count - 1; f >= 0; --f) {
        column += stride[f];
        if (++at[f] < extent[f])
          break;
        column -= extent[f] * stride[f];
        at[f] = 0;
      }
    }
  }
};

/// The numbers of a panel of the product with itself, and where they belong in
/// the lower triangle of a matrix with column stride n.
template <class Body> class PairWalk {
public:
  /// Both must outlive the walk. body(number, places, count) gets the index of
  /// a number in the panel and its `count` places, relative to the panel's
  /// corner.
  PairWalk(const Factors &factors, int64_t n, const Body &body)
      : factors(factors), body(body), n(n), word(factors.word),
        size(wordSize(factors.width[word])) {}

  void run() { visit(0, 0); }

private:
  /// Visits the pairs of the factors from `factor` on; `index` identifies the
  /// pairs of the factors before.
  void visit(int64_t factor, int64_t index) {
    if (factor == factors.count)
      return visitWords(index);
    if (factor == word)
      return visit(factor + 1, index);
    const int64_t width = factors.width[factor];
    index *= width * (width + 1) / 2;
    for (int64_t i = 0; i < width; ++i)
      for (int64_t k = i; k < width; ++k) {
        low[factor] = i * factors.stride[factor];
        high[factor] = k * factors.stride[factor];
        visit(factor + 1, index++);
      }
  }

  void visitWords(int64_t index) {
    const int64_t width = factors.width[word];
    const int64_t stride = factors.stride[word], rotations = width / 2 + 1;
    for (int64_t r = 0; r < rotations; ++r)
      for (int64_t i = 0; i < (2 * r == width ? r : width); ++i) {
        low[word] = i * stride;
        high[word] = (i + r) % width * stride;
        visitNumber((index * rotations + r) * size + i);
      }
  }

  /// A product of pairs belongs to a place for each choice of which column of a
  /// pair belongs to the row, without the choices that only exchange row and
  /// column.
  void visitNumber(int64_t number) {
    int64_t row = 0, column = 0, places[1 << (kMaxFactors - 1)];
    int64_t turn[kMaxFactors], turns = 0;
    for (int64_t f = 0; f < factors.count; ++f) {
      row += low[f];
      column += high[f];
      if (low[f] != high[f])
        turn[turns++] = high[f] - low[f];
    }
    const int64_t count = int64_t(1) << (turns > 1 ? turns - 1 : 0);
    for (int64_t way = 0; way < count; ++way) {
      int64_t turned = 0;
      for (int64_t t = 1; t < turns; ++t)
        if (way >> (t - 1) & 1)
          turned += turn[t];
      const int64_t x = row + turned, y = column - turned;
      places[way] = x < y ? x * n + y : y * n + x;
    }
    body(number, places, count);
  }

  const Factors &factors;
  const Body &body;
  const int64_t n, word, size;
  /// The columns of each factor's pair, relative to the panel's start.
  int64_t low[kMaxFactors] = {}, high[kMaxFactors] = {};
};

/// The cubic B-splines on a span depend only on knots within two spans of it,
/// so that the kind of a span is the number of spans before and after it, each
/// at most two.
TAMRT_PANELS_FUNCTION constexpr int64_t kindOfSpan(int64_t before,
                                                   int64_t after) {
  return 3 * (before < 2 ? before : 2) + (after < 2 ? after : 2);
}
constexpr int64_t kKindsOfSpan = 9;

/// The ten products of two of the cubics on a span are polynomials of degree
/// six, so that seven of them are a basis. These are the coefficients by which
/// the four squares and the three products of neighbours, in this order,
/// combine to the product of functions 0 and 2, by the kind of the span. By
/// symmetry the same coefficients, with functions counted from the other end
/// and the kind of the mirrored span, give the product of functions 3 and 1.
///
/// None is larger than 0.73, so that the two combined sums are as accurate as
/// the others. They are numbers here, rather than a computation, because fits
/// have the same bytes on all machines: they were solved in 80 bits, in which
/// their last bits are rounded.
TAMRT_PANELS_TABLE double kCubicProducts[kKindsOfSpan][7] = {
    {0.0, 0x1.5555555555555p-2, 0.0, 0x1p-62, 0.0, 0.0, 0.0},
    {-0x1.999999999999ap-67, 0x1.5555555555555p-3, 0x1.7b425ed097b42p-4,
     -0x1.2f684bda12f68p-6, 0.0, -0x1.c71c71c71c71cp-3, -0x1.2f684bda12f68p-5},
    {-0x1.3333333333333p-65, 0x1.5555555555555p-3, 0x1.598c1d7f7926fp-4,
     -0x1.641511e8d2b35p-4, -0x1.1c71c71c71c72p-66, -0x1.a12f684bda12fp-3,
     -0x1.26fabb85cb534p-4},
    {0x1.5555555555555p-2, 0x1.5555555555555p-2, 0x1.62c58b162c58bp-68,
     -0x1.ep-66, -0x1.5555555555555p-2, 0.0, 0.0},
    {0x1.2957e3866f294p-3, 0x1.725b1543cf726p-3, 0x1.f93f1084e1f98p-6,
     -0x1.3b69f5988139ep-8, -0x1.ce2b428859ce2p-4, -0x1.1919191919191p-3,
     -0x1.a48d477601a79p-7},
    {0x1.0ca55a6f28102p-3, 0x1.5ff5cc5a8a5c8p-3, 0x1.cb1415adbf9a4p-6,
     -0x1.6f43448affad3p-6, -0x1.83aa8f7646c65p-4, -0x1.f8fc7e3f1f8fcp-4,
     -0x1.ac79254cd4f86p-6},
    {0x1.71c71c71c71c7p-1, 0x1.c71c71c71c71dp-3, -0x1.2ab3726b0277fp-60,
     0x1.18p-63, -0x1.1c71c71c71c72p-1, 0x1.c6aaaaaaaaaacp-58,
     0x1.000000000001cp-63},
    {0x1.469553f91d237p-2, 0x1.02bde1446a5a7p-3, 0x1.60faf67fe783dp-6,
     -0x1.b8b71f0d32d0dp-9, -0x1.f4e7d5a9aaf16p-3, -0x1.88c46231188c4p-4,
     -0x1.25cf6a08cc8b1p-7},
    {0x1.233dd6c62690fp-2, 0x1.e96467bad8c4dp-4, 0x1.3f2b3884fcacbp-6,
     -0x1.feab8da194476p-7, -0x1.bed61bed61beep-3, -0x1.5f15f15f15f16p-4,
     -0x1.29e4129e41296p-6}};

} // namespace tamrt::panels

#endif // TAMRT_PANELS_H
