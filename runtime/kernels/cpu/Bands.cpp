//===- cpu/Bands.cpp - banded matrices side by side -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of many banded matrices side by side: those of the kernels for single
/// ones, band by band. A band's first columns are columns of the whole matrix,
/// so that its sums go to their places in those of the whole. Cubic splines of
/// rows that jump from span to span are added for some pairs together; each sum
/// gets the same products in the same order.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <algorithm>

namespace tamrt::cpu {

namespace {

/// Bands of z columns.
struct Bands {
  const double *values;
  const int32_t *start;
  int64_t rows, z, count;

  /// The rows of band i.
  const double *valuesOf(int64_t i) const { return values + i * rows * z; }
  const int32_t *startOf(int64_t i) const { return start + i * rows; }
};

/// Columns of a cubic spline's band.
constexpr int64_t kCubic = 4;

/// Bands that are added together where rows start elsewhere than those before.
constexpr int64_t kTogether = 8;

/// Most rows for each move of a pair that is added together.
constexpr int64_t kRowsPerMove = 3;

/// Rows in which moves are counted: those of a chunk are alike.
constexpr int64_t kCountedRows = 128;

/// How many of the first rows of a band start at another column than the row
/// before.
int64_t countMoves(const Bands &bands, int64_t i) {
  const int32_t *start = bands.startOf(i);
  int64_t moves = 0;
  for (int64_t r = 1; r < std::min(bands.rows, kCountedRows); ++r)
    moves += start[r] != start[r - 1];
  return moves;
}

/// Some bands of a matrix.
struct Group {
  const double *values[kTogether];
  const int32_t *start[kTogether];
  int64_t count = 0;
};

/// Adds the products of band i with others, for one row after another: between
/// two rows of a pair are the other pairs, so that a row need not wait for the
/// stores of the one before.
template <bool Weighted>
TAMRT_INLINE void addRows(const Bands &a, int64_t i, const Group &others,
                          const double *w, int64_t n, double *sums) {
  const double *values = a.valuesOf(i);
  const int32_t *start = a.startOf(i);
  for (int64_t r = 0; r < a.rows; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    double factors[kCubic];
    for (int64_t k = 0; k < kCubic; ++k)
      factors[k] = weighted<Weighted>(weight, values[kCubic * r + k]);
    double *line = sums + start[r] * n;
    for (int64_t j = 0; j < others.count; ++j) {
      const Vector right = vectorAt(others.values[j] + kCubic * r);
      double *corner = line + others.start[j][r];
      for (int64_t k = 0; k < kCubic; ++k)
        vectorAt(corner + k * n) += factors[k] * right;
    }
  }
}

TAMRT_HOT void addTogether(const Bands &a, int64_t i, const Group &others,
                           const double *w, int64_t n, double *sums) {
  if (w)
    addRows<true>(a, i, others, w, n, sums);
  else
    addRows<false>(a, i, others, w, n, sums);
}

/// Adds the products of all bands of `a`, a matrix of na columns, with those of
/// `b` to sums of nb columns. With `areSame`, b is a, and its bands are
/// multiplied with later ones.
void addProducts(tamrt_context *ctx, const Bands &a, const Bands &b,
                 bool areSame, const double *w, int64_t na, int64_t nb,
                 double *sums) {
  const bool areCubic = a.z == kCubic && b.z == kCubic;
  const int64_t counted = std::min(a.rows, kCountedRows);
  for (int64_t first = 0; first < b.count; first += kTogether) {
    const int64_t end = std::min(first + kTogether, b.count);
    int64_t moves[kTogether] = {};
    for (int64_t j = first; j < end && areCubic; ++j)
      moves[j - first] = countMoves(b, j);
    for (int64_t i = 0; i < (areSame ? end : a.count); ++i) {
      const int64_t own = areCubic ? countMoves(a, i) : 0;
      Group moving;
      for (int64_t j = areSame ? std::max(first, i + 1) : first; j < end; ++j)
        if (areCubic && kRowsPerMove * (own + moves[j - first]) >= counted) {
          moving.values[moving.count] = b.valuesOf(j);
          moving.start[moving.count++] = b.startOf(j);
        } else {
          gram_banded_banded(ctx, a.valuesOf(i), a.startOf(i), b.valuesOf(j),
                             b.startOf(j), w, a.rows, a.z, na, b.z, nb, sums);
        }
      if (moving.count > 0)
        addTogether(a, i, moving, w, nb, sums);
    }
  }
}

} // namespace

void place_band(tamrt_context *ctx, const double *a, const int32_t *a_start,
                int64_t rows, int64_t z, int64_t first, int64_t at,
                double *values, int32_t *start) {
  std::copy_n(a, rows * z, values + at * rows * z);
  std::transform(
      a_start, a_start + rows, start + at * rows,
      [=](int32_t column) { return static_cast<int32_t>(first + column); });
}

void sparsify_bands(tamrt_context *ctx, const double *a, const int32_t *a_start,
                    int64_t rows, int64_t z, int64_t count, int64_t n,
                    int64_t first, int64_t width, int64_t at, double *values,
                    int32_t *index) {
  const Bands bands = {a, a_start, rows, z, count};
  for (int64_t i = 0; i < count; ++i)
    sparsify_banded(ctx, bands.valuesOf(i), bands.startOf(i), rows, z, n, first,
                    width, at + i * z, values, index);
}

void gram_bands(tamrt_context *ctx, const double *a, const int32_t *a_start,
                const double *w, int64_t rows, int64_t z, int64_t count,
                int64_t n, double *sums) {
  const Bands bands = {a, a_start, rows, z, count};
  for (int64_t i = 0; i < count; ++i)
    gram_banded(ctx, bands.valuesOf(i), bands.startOf(i), w, rows, z, n, sums);
  addProducts(ctx, bands, bands, true, w, n, n, sums);
}

void gram_bands_dense(tamrt_context *ctx, const double *a,
                      const int32_t *a_start, const double *b, const double *w,
                      int64_t rows, int64_t za, int64_t a_count, int64_t na,
                      int64_t nb, double *sums) {
  const Bands bands = {a, a_start, rows, za, a_count};
  for (int64_t i = 0; i < a_count; ++i)
    gram_banded_dense(ctx, bands.valuesOf(i), bands.startOf(i), b, w, rows, za,
                      na, nb, sums);
}

void gram_bands_banded(tamrt_context *ctx, const double *a,
                       const int32_t *a_start, const double *b,
                       const int32_t *b_start, const double *w, int64_t rows,
                       int64_t za, int64_t a_count, int64_t na, int64_t zb,
                       int64_t nb, double *sums) {
  addProducts(ctx, {a, a_start, rows, za, a_count}, {b, b_start, rows, zb, 1},
              false, w, na, nb, sums);
}

void gram_banded_bands(tamrt_context *ctx, const double *a,
                       const int32_t *a_start, const double *b,
                       const int32_t *b_start, const double *w, int64_t rows,
                       int64_t za, int64_t na, int64_t zb, int64_t b_count,
                       int64_t nb, double *sums) {
  addProducts(ctx, {a, a_start, rows, za, 1}, {b, b_start, rows, zb, b_count},
              false, w, na, nb, sums);
}

void gram_bands_bands(tamrt_context *ctx, const double *a,
                      const int32_t *a_start, const double *b,
                      const int32_t *b_start, const double *w, int64_t rows,
                      int64_t za, int64_t a_count, int64_t na, int64_t zb,
                      int64_t b_count, int64_t nb, double *sums) {
  addProducts(ctx, {a, a_start, rows, za, a_count},
              {b, b_start, rows, zb, b_count}, false, w, na, nb, sums);
}

void gram_onehot_bands(tamrt_context *ctx, const int32_t *a, const double *b,
                       const int32_t *b_start, const double *w, int64_t rows,
                       int64_t na, int64_t zb, int64_t b_count, int64_t nb,
                       double *sums) {
  const Bands bands = {b, b_start, rows, zb, b_count};
  for (int64_t i = 0; i < b_count; ++i)
    gram_onehot_banded(ctx, a, bands.valuesOf(i), bands.startOf(i), w, rows, na,
                       zb, nb, sums);
}

void gram_multihot_bands(tamrt_context *ctx, const int32_t *a, const double *b,
                         const int32_t *b_start, const double *w, int64_t rows,
                         int64_t za, int64_t na, double scale, int64_t zb,
                         int64_t b_count, int64_t nb, double *sums) {
  const Bands bands = {b, b_start, rows, zb, b_count};
  for (int64_t i = 0; i < b_count; ++i)
    gram_multihot_banded(ctx, a, bands.valuesOf(i), bands.startOf(i), w, rows,
                         za, na, scale, zb, nb, sums);
}

void rhs_bands(tamrt_context *ctx, const double *a, const int32_t *a_start,
               const double *y, const double *w, int64_t rows, int64_t z,
               int64_t count, int64_t n, double *sums) {
  const Bands bands = {a, a_start, rows, z, count};
  for (int64_t i = 0; i < count; ++i)
    rhs_banded(ctx, bands.valuesOf(i), bands.startOf(i), y, w, rows, z, n,
               sums);
}

} // namespace tamrt::cpu
