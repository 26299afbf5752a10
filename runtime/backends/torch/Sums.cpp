//===- torch/Sums.cpp - sums over rows, and of sums -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

namespace tamrt::aten {
namespace {

/// Adds the rows of `products`, rows x n, to n sums, one after another.
void addRows(const Tensor &products, const Tensor &sums) {
  sums.view({1, -1}).index_add_(0, at::zeros({products.size(0)}, integers()),
                                products);
}

/// a, times the rows' weights if there are any.
Rows weighted(const Rows &a, const double *w, int64_t rows) {
  return w ? Rows{a.values.mul(view(w, {rows, 1})), a.index} : a;
}

/// Adds a' W b to na x nb sums, row after row; `a` has its weights.
void addProducts(const Rows &a, const Rows &b, int64_t rows, int64_t nb,
                 const Tensor &sums) {
  const int64_t za = a.values.size(1), zb = b.values.size(1);
  // Some of a's columns are added after others if one row has too many
  // products.
  const int64_t most = std::max<int64_t>(1, kPartBytes / (32 * zb));
  forEachPart(
      rows, 32 * std::min(za, most) * zb, [&](int64_t begin, int64_t end) {
        const Rows left = a.part(begin, end), right = b.part(begin, end);
        for (int64_t first = 0; first < za; first += most) {
          const int64_t count = std::min(most, za - first);
          const Tensor some = left.values.slice(1, first, first + count);
          const Tensor products =
              some.unsqueeze(2).mul(right.values.unsqueeze(1));
          if (left.isDense() && right.isDense()) {
            addRows(products.view({end - begin, -1}),
                    sums.slice(0, first * nb, (first + count) * nb));
            continue;
          }
          const Tensor row = left.columns().slice(1, first, first + count);
          if (right.isDense()) {
            sums.view({-1, nb}).index_add_(0, row.reshape(-1),
                                           products.view({-1, nb}));
            continue;
          }
          const Tensor place =
              row.mul(nb).unsqueeze(2).add(right.index.unsqueeze(1));
          sums.index_add_(0, place.view(-1), products.view(-1));
        }
      });
}

/// Both triangles of a' W a: elements below the diagonal are not read.
void addSquare(const Rows &a, const double *w, int64_t rows, int64_t n,
               double *sums) {
  if (rows > 0)
    addProducts(weighted(a, w, rows), a, rows, n, view(sums, {n * n}));
}

void addCross(const Rows &a, const Rows &b, const double *w, int64_t rows,
              int64_t na, int64_t nb, double *sums) {
  if (rows > 0)
    addProducts(weighted(a, w, rows), b, rows, nb, view(sums, {na * nb}));
}

void addRight(const Rows &a, const double *y, const double *w, int64_t rows,
              int64_t n, double *sums) {
  if (rows == 0)
    return;
  Tensor right = view(y, {rows, 1});
  if (w)
    right = right.mul(view(w, {rows, 1}));
  addProducts(a, {right, Tensor()}, rows, 1, view(sums, {n}));
}

/// Turns sums into the row counts that they are, each times `unit` and rounded
/// once (kernels.def).
void toCounts(Tensor &sums, double unit) { sums.mul_(1 / unit).round_(); }

} // namespace

static void gram_dense(const double *a, const double *w, int64_t rows,
                       int64_t n, double *sums) {
  addSquare(dense(a, rows, n), w, rows, n, sums);
}

static void gram_wide(const double *a, const double *w, int64_t rows, int64_t n,
                      double *sums, double *) {
  gram_dense(a, w, rows, n, sums);
}

static void gram_banded(const double *a, const int32_t *a_start,
                        const double *w, int64_t rows, int64_t z, int64_t n,
                        double *sums) {
  addSquare(banded(a, a_start, rows, z), w, rows, n, sums);
}

static void gram_onehot(const int32_t *a, const double *w, int64_t rows,
                        int64_t n, double *sums) {
  if (rows == 0)
    return;
  const Rows matrix = oneHot(a, rows, n);
  // A mean would have products of all columns with each other, which a
  // diagonal cannot store. No training row has one.
  expect(!matrix.isDense(), 1);
  view(sums, {n}).index_add_(0, matrix.index.view(-1),
                             weighted(matrix, w, rows).values.view(-1));
}

static void gram_sparse(const double *a, const int32_t *a_index,
                        const double *w, int64_t rows, int64_t z, int64_t n,
                        double *sums) {
  addSquare(sparse(a, a_index, rows, z), w, rows, n, sums);
}

static void gram_multihot(const int32_t *a, const double *w, int64_t rows,
                          int64_t z, int64_t n, double scale, double *sums,
                          double *) {
  if (rows == 0)
    return;
  if (w)
    return addSquare(multiHot(a, rows, z, scale), w, rows, n, sums);
  const double unit = scale * scale;
  const Rows ones = multiHot(a, rows, z, 1);
  Tensor all = view(sums, {n * n});
  toCounts(all, unit);
  addProducts(ones, ones, rows, n, all);
  all.mul_(unit);
}

static void gram_fourier(const double *a, const double *w, int64_t rows,
                         int64_t n, double *sums) {
  const int64_t m = n / 2;
  const Rows matrix = dense(a, rows, n);
  const Tensor all = view(sums, {2 * n + 1});
  forEachPart(rows, 64 * n, [&](int64_t begin, int64_t end) {
    const Tensor part = matrix.part(begin, end).values;
    const Tensor cosine = part.slice(1, 0, m), sine = part.slice(1, m);
    const Tensor lastCosine = part.slice(1, m - 1, m);
    const Tensor lastSine = part.slice(1, n - 1, n);
    const Tensor one = at::ones({end - begin, 1}, numbers());
    // Multiples beyond m are products with the m-th.
    Tensor row =
        at::cat({one, cosine, lastCosine.mul(cosine).sub(lastSine.mul(sine)),
                 sine, lastSine.mul(cosine).add(lastCosine.mul(sine))},
                1);
    if (w)
      row = row.mul(view(w, {rows, 1}).slice(0, begin, end));
    addRows(row, all);
  });
}

static void gram_dense_dense(const double *a, const double *b, const double *w,
                             int64_t rows, int64_t na, int64_t nb,
                             double *sums) {
  addCross(dense(a, rows, na), dense(b, rows, nb), w, rows, na, nb, sums);
}

static void gram_dense_wide(const double *a, const double *b, const double *w,
                            int64_t rows, int64_t na, int64_t nb, double *sums,
                            double *) {
  gram_dense_dense(a, b, w, rows, na, nb, sums);
}

static void gram_banded_dense(const double *a, const int32_t *a_start,
                              const double *b, const double *w, int64_t rows,
                              int64_t za, int64_t na, int64_t nb,
                              double *sums) {
  addCross(banded(a, a_start, rows, za), dense(b, rows, nb), w, rows, na, nb,
           sums);
}

static void gram_banded_banded(const double *a, const int32_t *a_start,
                               const double *b, const int32_t *b_start,
                               const double *w, int64_t rows, int64_t za,
                               int64_t na, int64_t zb, int64_t nb,
                               double *sums) {
  addCross(banded(a, a_start, rows, za), banded(b, b_start, rows, zb), w, rows,
           na, nb, sums);
}

static void gram_onehot_dense(const int32_t *a, const double *b,
                              const double *w, int64_t rows, int64_t na,
                              int64_t nb, double *sums) {
  addCross(oneHot(a, rows, na), dense(b, rows, nb), w, rows, na, nb, sums);
}

static void gram_onehot_banded(const int32_t *a, const double *b,
                               const int32_t *b_start, const double *w,
                               int64_t rows, int64_t na, int64_t zb, int64_t nb,
                               double *sums) {
  addCross(oneHot(a, rows, na), banded(b, b_start, rows, zb), w, rows, na, nb,
           sums);
}

static void gram_onehot_onehot(const int32_t *a, const int32_t *b,
                               const double *w, int64_t rows, int64_t na,
                               int64_t nb, double *sums) {
  addCross(oneHot(a, rows, na), oneHot(b, rows, nb), w, rows, na, nb, sums);
}

static void gram_sparse_dense(const double *a, const int32_t *a_index,
                              const double *b, const double *w, int64_t rows,
                              int64_t za, int64_t na, int64_t nb,
                              double *sums) {
  addCross(sparse(a, a_index, rows, za), dense(b, rows, nb), w, rows, na, nb,
           sums);
}

static void gram_sparse_sparse(const double *a, const int32_t *a_index,
                               const double *b, const int32_t *b_index,
                               const double *w, int64_t rows, int64_t za,
                               int64_t na, int64_t zb, int64_t nb,
                               double *sums) {
  addCross(sparse(a, a_index, rows, za), sparse(b, b_index, rows, zb), w, rows,
           na, nb, sums);
}

static void gram_multihot_dense(const int32_t *a, const double *b,
                                const double *w, int64_t rows, int64_t za,
                                int64_t na, double scale, int64_t nb,
                                double *sums) {
  addCross(multiHot(a, rows, za, scale), dense(b, rows, nb), w, rows, na, nb,
           sums);
}

static void gram_multihot_banded(const int32_t *a, const double *b,
                                 const int32_t *b_start, const double *w,
                                 int64_t rows, int64_t za, int64_t na,
                                 double scale, int64_t zb, int64_t nb,
                                 double *sums) {
  addCross(multiHot(a, rows, za, scale), banded(b, b_start, rows, zb), w, rows,
           na, nb, sums);
}

static void squares_dense(const double *a, const double *w, int64_t rows,
                          int64_t n, double *sums) {
  const Rows matrix = dense(a, rows, n);
  const Tensor all = view(sums, {n});
  forEachPart(rows, 32 * n, [&](int64_t begin, int64_t end) {
    const Tensor part = matrix.part(begin, end).values;
    const Tensor left =
        w ? part.mul(view(w, {rows, 1}).slice(0, begin, end)) : part;
    addRows(left.mul(part), all);
  });
}

static void rhs_dense(const double *a, const double *y, const double *w,
                      int64_t rows, int64_t n, double *sums) {
  addRight(dense(a, rows, n), y, w, rows, n, sums);
}

static void rhs_banded(const double *a, const int32_t *a_start, const double *y,
                       const double *w, int64_t rows, int64_t z, int64_t n,
                       double *sums) {
  addRight(banded(a, a_start, rows, z), y, w, rows, n, sums);
}

static void rhs_onehot(const int32_t *a, const double *y, const double *w,
                       int64_t rows, int64_t n, double *sums) {
  addRight(oneHot(a, rows, n), y, w, rows, n, sums);
}

static void rhs_sparse(const double *a, const int32_t *a_index, const double *y,
                       const double *w, int64_t rows, int64_t z, int64_t n,
                       double *sums) {
  addRight(sparse(a, a_index, rows, z), y, w, rows, n, sums);
}

static void rhs_multihot(const int32_t *a, const double *y, const double *w,
                         int64_t rows, int64_t z, int64_t n, double scale,
                         double *sums) {
  addRight(multiHot(a, rows, z, scale), y, w, rows, n, sums);
}

static void zero(int64_t count, double *out) { view(out, {count}).zero_(); }

static void join_sums(const double *const *earlier, int64_t earlier_count,
                      int64_t count, double *sums) {
  Tensor all = view(sums, {count});
  for (int64_t i = 0; i < earlier_count; ++i)
    all.add_(view(earlier[i], {count}));
}

static void move_sums(const double *const *earlier, int64_t earlier_count,
                      int64_t count, double *sums, double *out) {
  join_sums(earlier, earlier_count, count, sums);
  Tensor all = view(sums, {count});
  view(out, {count}).copy_(all);
  all.zero_();
}

static void join_counts(const double *more, int64_t count, double unit,
                        double *sums) {
  Tensor all = view(sums, {count});
  Tensor others = view(more, {count}).clone();
  toCounts(all, unit);
  toCounts(others, unit);
  all.add_(others).mul_(unit);
}

static void marginal(const int32_t *from, const int32_t *index,
                     const double *sums, int64_t n, int64_t size, double *out) {
  const int64_t words = n / size;
  const std::vector<int32_t> ends = read(from, words + 1);
  const int64_t parts = ends.back();
  Tensor all = view(out, {n});
  all.zero_();
  if (parts == 0)
    return;
  const Tensor starts = view(index, {parts, 1}).to(at::kLong);
  const Tensor places = starts.add(at::arange(size, integers()));
  // The whole of the accumulator that words may be in.
  const int64_t last = starts.max().item<int64_t>() + size;
  const Tensor counts = view(from, {words + 1}).to(at::kLong).diff();
  const Tensor word =
      at::repeat_interleave(at::arange(words, integers()), counts);
  const Tensor values = view(sums, {last}).index_select(0, places.view(-1));
  all.view({words, size}).index_add_(0, word, values.view({parts, size}));
}

static void expand_levels(const double *sums, const double *basis,
                          int64_t outer, int64_t levels, int64_t inner,
                          int64_t columns, double *out) {
  const Tensor from = view(sums, {outer, levels, inner});
  const Tensor values = view(basis, {levels, columns, 1});
  const Tensor to = view(out, {outer, columns, inner});
  to.zero_();
  forEachPart(outer, 8 * columns * inner, [&](int64_t begin, int64_t end) {
    Tensor part = to.slice(0, begin, end);
    for (int64_t level = 0; level < levels; ++level)
      part.add_(from.slice(0, begin, end)
                    .slice(1, level, level + 1)
                    .mul(values.select(0, level)));
  });
}

static void expand_counts(const double *counts, const double *a,
                          const double *b, int64_t levels, int64_t m, int64_t n,
                          double *out) {
  const Tensor factors =
      view(a, {levels, m, 1}).mul(view(counts, {levels, 1, 1}));
  const Tensor right = view(b, {levels, 1, n});
  Tensor to = view(out, {m, n});
  to.zero_();
  forEachPart(m, 8 * n, [&](int64_t begin, int64_t end) {
    Tensor part = to.slice(0, begin, end);
    for (int64_t level = 0; level < levels; ++level)
      part.add_(factors.select(0, level)
                    .slice(0, begin, end)
                    .mul(right.select(0, level)));
  });
}

void addSums(Bodies &all) {
  all.zero = zero;
  all.join_sums = join_sums;
  all.move_sums = move_sums;
  all.join_counts = join_counts;
  all.gram_dense = gram_dense;
  all.gram_wide = gram_wide;
  all.gram_banded = gram_banded;
  all.gram_onehot = gram_onehot;
  all.gram_sparse = gram_sparse;
  all.gram_multihot = gram_multihot;
  all.gram_fourier = gram_fourier;
  all.gram_dense_dense = gram_dense_dense;
  all.gram_dense_wide = gram_dense_wide;
  all.gram_banded_dense = gram_banded_dense;
  all.gram_banded_banded = gram_banded_banded;
  all.gram_onehot_dense = gram_onehot_dense;
  all.gram_onehot_banded = gram_onehot_banded;
  all.gram_onehot_onehot = gram_onehot_onehot;
  all.gram_sparse_dense = gram_sparse_dense;
  all.gram_sparse_sparse = gram_sparse_sparse;
  all.gram_multihot_dense = gram_multihot_dense;
  all.gram_multihot_banded = gram_multihot_banded;
  all.squares_dense = squares_dense;
  all.rhs_dense = rhs_dense;
  all.rhs_banded = rhs_banded;
  all.rhs_onehot = rhs_onehot;
  all.rhs_sparse = rhs_sparse;
  all.rhs_multihot = rhs_multihot;
  all.marginal = marginal;
  all.expand_levels = expand_levels;
  all.expand_counts = expand_counts;
}

} // namespace tamrt::aten
