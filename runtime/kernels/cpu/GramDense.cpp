//===- cpu/GramDense.cpp - Gram blocks of dense matrices ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram and cross-product blocks of dense design matrices. Register-blocked
/// over columns; the rows of each entry's sum keep their order.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// Rows for which a tile stays in registers: these rows of both matrices fit in
/// the first-level cache while all tiles pass over them.
constexpr int64_t blockRows = 32;

/// Two row-major matrices with the same rows, their weights, and the sums.
struct Operands {
  const double *a, *b, *w;
  int64_t na, nb;
  double *sums;
  /// Room for strips of a wide matrix, else null.
  double *packed = nullptr;
};

/// Adds rows [begin, end) to Height rows of Width vectors of entries from (i,
/// j).
template <typename V, bool Weighted, int Height, int Width>
TAMRT_INLINE void addTile(const Operands &o, int64_t begin, int64_t end,
                          int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  V sum[Height][Width];
  for (int h = 0; h < Height; ++h)
    for (int v = 0; v < Width; ++v)
      loadVector(sums + h * nb + lanes<V> * v, sum[h][v]);
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    for (int h = 0; h < Height; ++h) {
      const double factor = weighted<Weighted>(weight, a[r * na + h]);
      for (int v = 0; v < Width; ++v) {
        V right;
        loadVector(b + r * nb + lanes<V> * v, right);
        sum[h][v] += factor * right;
      }
    }
  }
  for (int h = 0; h < Height; ++h)
    for (int v = 0; v < Width; ++v)
      storeVector(sum[h][v], sums + h * nb + lanes<V> * v);
}

/// Adds rows [begin, end) to Height entries of one column from (i, j).
template <bool Weighted, int Height>
TAMRT_INLINE void addColumn(const Operands &o, int64_t begin, int64_t end,
                            int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  double sum[Height];
  for (int h = 0; h < Height; ++h)
    sum[h] = sums[h * nb];
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    for (int h = 0; h < Height; ++h)
      sum[h] += weighted<Weighted>(weight, a[r * na + h]) * b[r * nb];
  }
  for (int h = 0; h < Height; ++h)
    sums[h * nb] = sum[h];
}

/// Adds rows [begin, end) to 4 x Width entries from (i, j), Width < 4. Vectors
/// are along columns.
template <bool Weighted, int Width>
TAMRT_INLINE void addUpright(const Operands &o, int64_t begin, int64_t end,
                             int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  Vector sum[Width];
  for (int v = 0; v < Width; ++v) {
    double column[4];
    for (int h = 0; h < 4; ++h)
      column[h] = sums[h * nb + v];
    sum[v] = vectorAt(column);
  }
  for (int64_t r = begin; r < end; ++r) {
    Vector factor = vectorAt(a + r * na);
    if constexpr (Weighted)
      factor *= w[r];
    for (int v = 0; v < Width; ++v)
      sum[v] += factor * b[r * nb + v];
  }
  for (int v = 0; v < Width; ++v) {
    double column[4];
    vectorAt(column) = sum[v];
    for (int h = 0; h < 4; ++h)
      sums[h * nb + v] = column[h];
  }
}

/// Adds rows [begin, end) to the entries of rows i .. i+Height-1 with columns
/// from j on, by tiles of Width vectors as far as they go. Returns the column
/// after them.
template <typename V, bool Weighted, int Height, int Width>
TAMRT_INLINE int64_t addTiles(const Operands &o, int64_t begin, int64_t end,
                              int64_t i, int64_t j) {
  for (; j + Width * lanes<V> <= o.nb; j += Width * lanes<V>)
    addTile<V, Weighted, Height, Width>(o, begin, end, i, j);
  return j;
}

/// The same for all columns from j on.
template <typename V, bool Weighted, int Height>
TAMRT_INLINE void addPanel(const Operands &o, int64_t begin, int64_t end,
                           int64_t i, int64_t j) {
  // Each addition to a single sum would wait for the one before; eight sums do
  // not.
  if constexpr (Height == 1) {
    j = addTiles<V, Weighted, Height, 8>(o, begin, end, i, j);
    j = addTiles<V, Weighted, Height, 4>(o, begin, end, i, j);
  }
  j = addTiles<V, Weighted, Height, 2>(o, begin, end, i, j);
  j = addTiles<V, Weighted, Height, 1>(o, begin, end, i, j);
  if constexpr (lanes<V> == 8)
    j = addTiles<Vector, Weighted, Height, 1>(o, begin, end, i, j);
  if constexpr (Height == 4) {
    if (o.nb - j == 3)
      addUpright<Weighted, 3>(o, begin, end, i, j);
    else if (o.nb - j == 2)
      addUpright<Weighted, 2>(o, begin, end, i, j);
    else if (o.nb - j == 1)
      addUpright<Weighted, 1>(o, begin, end, i, j);
    return;
  }
  for (; j < o.nb; ++j)
    addColumn<Weighted, Height>(o, begin, end, i, j);
}

/// A matrix is wide if a block of its rows and their sums do not fit in the
/// first-level cache. Then strips of its columns are copied, for enough rows to
/// make up for the copy.
constexpr int64_t packedRows = 96;
/// Columns of a strip, and of all strips that fit in the cache together.
template <typename V> constexpr int64_t stripColumns = 2 * lanes<V>;
constexpr int64_t packedColumns = 32;
static_assert(packedRows * packedColumns == TAMRT_WIDE_WORKSPACE);

/// Copies columns [j, j + columns) of rows [begin, end), strip after strip.
template <typename V>
TAMRT_INLINE void pack(const Operands &o, int64_t begin, int64_t end, int64_t j,
                       int64_t columns, double *__restrict packed) {
  for (int64_t strip = 0; strip < columns; strip += stripColumns<V>) {
    const double *__restrict from = o.b + begin * o.nb + j + strip;
    for (int64_t r = begin; r < end;
         ++r, from += o.nb, packed += stripColumns<V>)
      std::copy_n(from, stripColumns<V>, packed);
  }
}

/// Adds rows [begin, end) to the entries of rows i .. i+Height-1 with the
/// strips [first, last) of those packed, whose first column is j.
template <typename V, bool Weighted, int Height>
TAMRT_INLINE void addStrips(const Operands &o, const double *packed,
                            int64_t begin, int64_t end, int64_t i, int64_t j,
                            int64_t first, int64_t last) {
  const int64_t rows = end - begin, na = o.na, nb = o.nb;
  const double *__restrict w = o.w;
  for (int64_t strip = first; strip < last; ++strip) {
    const double *__restrict b = packed + strip * rows * stripColumns<V>;
    const double *__restrict a = o.a + begin * na + i;
    double *__restrict sums = o.sums + i * nb + j + strip * stripColumns<V>;
    V sum[Height][2];
    for (int h = 0; h < Height; ++h)
      for (int v = 0; v < 2; ++v)
        loadVector(sums + h * nb + lanes<V> * v, sum[h][v]);
    for (int64_t r = begin; r < end; ++r, a += na, b += stripColumns<V>) {
      const double weight = weightAt<Weighted>(w, r);
      V left, right;
      loadVector(b, left);
      loadVector(b + lanes<V>, right);
      for (int h = 0; h < Height; ++h) {
        const double factor = weighted<Weighted>(weight, a[h]);
        sum[h][0] += factor * left;
        sum[h][1] += factor * right;
      }
    }
    for (int h = 0; h < Height; ++h)
      for (int v = 0; v < 2; ++v)
        storeVector(sum[h][v], sums + h * nb + lanes<V> * v);
  }
}

/// addPanels for a wide matrix: whole strips; returns the columns they cover.
template <typename V, bool Weighted, bool Upper>
TAMRT_INLINE int64_t addPacked(const Operands &o, int64_t begin, int64_t end) {
  double *packed = o.packed;
  const int64_t covered = o.nb / stripColumns<V> * stripColumns<V>;
  for (int64_t block = begin; block < end; block += packedRows) {
    const int64_t blockEnd = std::min(end, block + packedRows);
    for (int64_t j = 0; j < covered; j += packedColumns) {
      const int64_t columns = std::min(packedColumns, covered - j);
      pack<V>(o, block, blockEnd, j, columns, packed);
      const int64_t strips = columns / stripColumns<V>;
      const int64_t rows = Upper ? std::min(o.na, j + columns) : o.na;
      const auto firstOf = [&](int64_t i) TAMRT_LAMBDA {
        return Upper && i > j ? (i - j) / stripColumns<V> : 0;
      };
      int64_t i = 0;
      for (; i + 6 <= rows; i += 6)
        addStrips<V, Weighted, 6>(o, packed, block, blockEnd, i, j, firstOf(i),
                                  strips);
      for (; i + 2 <= rows; i += 2)
        addStrips<V, Weighted, 2>(o, packed, block, blockEnd, i, j, firstOf(i),
                                  strips);
      for (; i < rows; ++i)
        addStrips<V, Weighted, 1>(o, packed, block, blockEnd, i, j, firstOf(i),
                                  strips);
    }
  }
  return covered;
}

/// Adds rows [begin, end) to all entries of columns from `done` on, or to those
/// with column >= row (and to some of the others) when `Upper`.
template <typename V, bool Weighted, bool Upper>
TAMRT_INLINE void addPanels(const Operands &o, int64_t begin, int64_t end,
                            int64_t done) {
  for (int64_t block = begin; block < end; block += blockRows) {
    const int64_t blockEnd = std::min(end, block + blockRows);
    int64_t i = 0;
    // Six rows need fewer loads per product; the remaining columns use four.
    if (!Upper && o.nb % 8 == 0)
      for (; i + 6 <= o.na; i += 6)
        addPanel<V, Weighted, 6>(o, block, blockEnd, i, done);
    for (; i + 4 <= o.na; i += 4)
      addPanel<V, Weighted, 4>(o, block, blockEnd, i,
                               std::max(done, Upper ? i : 0));
    const int64_t j = std::max(done, Upper ? i : 0);
    if (o.na - i == 3)
      addPanel<V, Weighted, 3>(o, block, blockEnd, i, j);
    else if (o.na - i == 2)
      addPanel<V, Weighted, 2>(o, block, blockEnd, i, j);
    else if (o.na - i == 1)
      addPanel<V, Weighted, 1>(o, block, blockEnd, i, j);
  }
}

/// Adds rows of one segment to the columns from `done` on. One function for
/// each way and instruction set, because the compiler would add up the stack of
/// several. Each element's operations are the same in all of them.
template <bool Weighted, bool Upper>
TAMRT_HOT void addByVectors(const Operands &o, int64_t begin, int64_t end,
                            int64_t done) {
  addPanels<Vector, Weighted, Upper>(o, begin, end, done);
}
/// Adds rows of one segment to the columns that strips cover. Returns the
/// number of these columns.
template <bool Weighted, bool Upper>
TAMRT_HOT int64_t packByVectors(const Operands &o, int64_t begin, int64_t end) {
  return addPacked<Vector, Weighted, Upper>(o, begin, end);
}

#ifdef TAMRT_AVX512
template <bool Weighted, bool Upper>
TAMRT_AVX512 void addByWides(const Operands &o, int64_t begin, int64_t end,
                             int64_t done) {
  addPanels<Wide, Weighted, Upper>(o, begin, end, done);
}
template <bool Weighted, bool Upper>
TAMRT_AVX512 int64_t packByWides(const Operands &o, int64_t begin,
                                 int64_t end) {
  return addPacked<Wide, Weighted, Upper>(o, begin, end);
}
#endif

template <bool Weighted, bool Upper>
void addChunk(const Operands &o, int64_t rows) {
  auto *add = addByVectors<Weighted, Upper>;
  auto *pack = packByVectors<Weighted, Upper>;
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4) {
    add = addByWides<Weighted, Upper>;
    pack = packByWides<Weighted, Upper>;
  }
#endif
  const int64_t done = o.packed ? pack(o, 0, rows) : 0;
  if (done < o.nb)
    add(o, 0, rows, done);
}

/// Adds all entries, or those with column >= row (and some of the others).
void addRows(const Operands &o, int64_t rows, bool isUpper) {
  if (o.w && isUpper)
    return addChunk<true, true>(o, rows);
  if (o.w)
    return addChunk<true, false>(o, rows);
  if (isUpper)
    return addChunk<false, true>(o, rows);
  addChunk<false, false>(o, rows);
}

/// Adds rows [begin, end) to the squares of columns from j on, by groups of
/// Width vectors (or numbers) as far as they go. Returns the column after them.
template <typename V, bool Weighted, int Width>
TAMRT_INLINE int64_t addSquares(const Operands &o, int64_t begin, int64_t end,
                                int64_t j) {
  const double *__restrict w = o.w;
  const int64_t n = o.na;
  for (; j + Width * lanes<V> <= n; j += Width * lanes<V>) {
    const double *__restrict a = o.a + j;
    V sum[Width];
    for (int v = 0; v < Width; ++v)
      loadVector(o.sums + j + lanes<V> * v, sum[v]);
    for (int64_t r = begin; r < end; ++r) {
      const double weight = weightAt<Weighted>(w, r);
      for (int v = 0; v < Width; ++v) {
        V value;
        loadVector(a + r * n + lanes<V> * v, value);
        if constexpr (Weighted)
          sum[v] += weight * value * value;
        else
          sum[v] += value * value;
      }
    }
    for (int v = 0; v < Width; ++v)
      storeVector(sum[v], o.sums + j + lanes<V> * v);
  }
  return j;
}

/// Adds rows of one segment to the squares of all columns.
template <typename V, bool Weighted>
TAMRT_INLINE void addAllSquares(const Operands &o, int64_t rows) {
  for (int64_t block = 0; block < rows; block += blockRows) {
    const int64_t end = std::min(rows, block + blockRows);
    int64_t j = addSquares<V, Weighted, 8>(o, block, end, 0);
    j = addSquares<V, Weighted, 4>(o, block, end, j);
    j = addSquares<V, Weighted, 2>(o, block, end, j);
    j = addSquares<V, Weighted, 1>(o, block, end, j);
    if constexpr (lanes<V> == 8)
      j = addSquares<Vector, Weighted, 1>(o, block, end, j);
    j = addSquares<double, Weighted, 2>(o, block, end, j);
    addSquares<double, Weighted, 1>(o, block, end, j);
  }
}

template <bool Weighted>
TAMRT_HOT void squaresByVectors(const Operands &o, int64_t rows) {
  addAllSquares<Vector, Weighted>(o, rows);
}

#ifdef TAMRT_AVX512
template <bool Weighted>
TAMRT_AVX512 void squaresByWides(const Operands &o, int64_t rows) {
  addAllSquares<Wide, Weighted>(o, rows);
}
#endif

} // namespace

void gram_dense(tamrt_context *ctx, const double *a, const double *w,
                int64_t rows, int64_t n, double *sums) {
  addRows({a, a, w, n, n, sums}, rows, true);
}

void gram_wide(tamrt_context *ctx, const double *a, const double *w,
               int64_t rows, int64_t n, double *sums, double *workspace) {
  addRows({a, a, w, n, n, sums, workspace}, rows, true);
}

void gram_dense_dense(tamrt_context *ctx, const double *a, const double *b,
                      const double *w, int64_t rows, int64_t na, int64_t nb,
                      double *sums) {
  // A result of one column has the same memory layout as a result of one row,
  // and vectors run along rows.
  addRows(nb == 1 ? Operands{b, a, w, nb, na, sums}
                  : Operands{a, b, w, na, nb, sums},
          rows, false);
}

void gram_dense_wide(tamrt_context *ctx, const double *a, const double *b,
                     const double *w, int64_t rows, int64_t na, int64_t nb,
                     double *sums, double *workspace) {
  addRows({a, b, w, na, nb, sums, workspace}, rows, false);
}

void squares_dense(tamrt_context *ctx, const double *a, const double *w,
                   int64_t rows, int64_t n, double *sums) {
  const Operands o = {a, a, w, n, n, sums};
  auto *add = w ? squaresByVectors<true> : squaresByVectors<false>;
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4)
    add = w ? squaresByWides<true> : squaresByWides<false>;
#endif
  add(o, rows);
}

void rhs_dense(tamrt_context *ctx, const double *a, const double *y,
               const double *w, int64_t rows, int64_t n, double *sums) {
  addRows({y, a, w, 1, n, sums}, rows, false);
}

} // namespace tamrt::cpu
