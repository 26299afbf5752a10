//===- torch/Encodings.cpp - changes of encodings, predictions ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

#include <limits>

namespace tamrt::aten {
namespace {

/// Columns [first, first + count) of a matrix of this width.
template <class Number>
Tensor columnsOf(Number *matrix, int64_t rows, int64_t width, int64_t first,
                 int64_t count) {
  return view(matrix + first, {rows, count}, at::IntArrayRef{width, 1});
}

void expand(const Rows &from, int64_t rows, int64_t n, int64_t width,
            int64_t column, double *out) {
  Tensor to = columnsOf(out, rows, width, column, n);
  if (from.isDense()) {
    to.copy_(from.values);
    return;
  }
  to.zero_();
  to.scatter_add_(1, from.index, from.values);
}

/// Numbers of rows of a sparse matrix.
struct Part {
  Tensor values, index;

  Part(double *values, int32_t *index, int64_t rows, int64_t width, int64_t at,
       int64_t z)
      : values(columnsOf(values, rows, width, at, z)),
        index(columnsOf(index, rows, width, at, z)) {}

  void write(const Rows &from, int64_t first) const {
    values.copy_(from.values);
    index.copy_(from.columns().add(first));
  }
};

/// Adds numbers of a row that have one column to the first of them.
void merge(const Part &part) {
  const int64_t z = part.index.size(1);
  for (int64_t i = 1; i < z; ++i) {
    const Tensor isSame =
        part.index.slice(1, 0, i).eq(part.index.slice(1, i, i + 1));
    const Tensor isAny = isSame.any(1, /*keepdim=*/true);
    if (!isAny.any().item<bool>())
      continue;
    const Tensor first = isSame.to(at::kInt).argmax(1, /*keepdim=*/true);
    Tensor value = part.values.slice(1, i, i + 1);
    const Tensor moved = at::where(isAny, value, at::zeros_like(value));
    part.values.slice(1, 0, i).scatter_add_(1, first, moved);
    value.sub_(moved);
  }
}

/// Each row's dot product with beta, number after number: the order does not
/// depend on how many rows there are.
Tensor dot(const Rows &a, const Tensor &beta) {
  Tensor sum = at::zeros({a.values.size(0)}, numbers());
  for (int64_t j = 0; j < a.values.size(1); ++j) {
    const Tensor value = a.values.select(1, j);
    sum.add_(value.mul(a.isDense()
                           ? beta.select(0, j)
                           : beta.index_select(0, a.index.select(1, j))));
  }
  return sum;
}

void predict(const Rows &a, const double *beta, int64_t rows, int64_t n,
             int64_t width, int64_t column, int64_t accumulate, double *out) {
  if (rows == 0)
    return;
  Tensor to = view(out + column, {rows}, at::IntArrayRef{width});
  const Tensor sum = dot(a, view(beta, {n}));
  if (accumulate)
    to.add_(sum);
  else
    to.copy_(sum);
}

} // namespace

static void expand_dense(const double *values, int64_t rows, int64_t n,
                         int64_t width, int64_t column, double *out) {
  if (rows > 0)
    expand(dense(values, rows, n), rows, n, width, column, out);
}

static void expand_banded(const double *values, const int32_t *start,
                          int64_t rows, int64_t z, int64_t n, int64_t width,
                          int64_t column, double *out) {
  if (rows > 0)
    expand(banded(values, start, rows, z), rows, n, width, column, out);
}

static void expand_onehot(const int32_t *index, int64_t rows, int64_t n,
                          int64_t width, int64_t column, double *out) {
  if (rows > 0)
    expand(oneHot(index, rows, n), rows, n, width, column, out);
}

static void expand_multihot(const int32_t *index, int64_t rows, int64_t z,
                            int64_t n, double scale, int64_t width,
                            int64_t column, double *out) {
  if (rows > 0)
    expand(multiHot(index, rows, z, scale), rows, n, width, column, out);
}

static void expand_sparse(const double *values, const int32_t *index,
                          int64_t rows, int64_t z, int64_t n, int64_t width,
                          int64_t column, double *out) {
  if (rows > 0)
    expand(sparse(values, index, rows, z), rows, n, width, column, out);
}

static void sparsify_dense(const double *a, int64_t rows, int64_t n,
                           int64_t first, int64_t width, int64_t at,
                           double *values, int32_t *index) {
  Part(values, index, rows, width, at, n).write(dense(a, rows, n), first);
}

static void sparsify_banded(const double *a, const int32_t *a_start,
                            int64_t rows, int64_t z, int64_t, int64_t first,
                            int64_t width, int64_t at, double *values,
                            int32_t *index) {
  Part(values, index, rows, width, at, z)
      .write(banded(a, a_start, rows, z), first);
}

static void sparsify_multihot(const int32_t *a, int64_t rows, int64_t z,
                              int64_t, double scale, int64_t first,
                              int64_t width, int64_t at, double *values,
                              int32_t *index) {
  Part(values, index, rows, width, at, z)
      .write(multiHot(a, rows, z, scale), first);
}

static void sparsify_sparse(const double *a, const int32_t *a_index,
                            int64_t rows, int64_t z, int64_t, int64_t first,
                            int64_t width, int64_t at, double *values,
                            int32_t *index) {
  const Part part(values, index, rows, width, at, z);
  part.write(sparse(a, a_index, rows, z), first);
  merge(part);
}

static void sparsify_onehot(const int32_t *a, int64_t rows, int64_t n,
                            int64_t z, int64_t first, int64_t width, int64_t at,
                            double *values, int32_t *index) {
  expect(z >= 1, 4);
  const Part part(values, index, rows, width, at, z);
  const Rows from = oneHot(a, rows, n);
  part.values.zero_();
  part.index.fill_(first);
  if (!from.isDense()) {
    Part(values, index, rows, width, at, 1).write(from, first);
    return;
  }
  // Some rows are means, which have a number for each column.
  expect(z == n, 4);
  part.write(from, first);
}

static void kronecker_dense(const double *a, const double *b, int64_t rows,
                            int64_t na, int64_t nb, double *values) {
  Tensor out = view(values, {rows, na, nb});
  at::mul_out(out, view(a, {rows, na, 1}), view(b, {rows, 1, nb}));
}

static void kronecker_sparse(const double *a, const int32_t *a_index,
                             const double *b, const int32_t *b_index,
                             int64_t rows, int64_t za, int64_t na, int64_t zb,
                             int64_t nb, double *values, int32_t *index) {
  expect(nb >= 0 && (nb == 0 || na <= std::numeric_limits<int32_t>::max() / nb),
         9);
  Tensor out = view(values, {rows, za, zb});
  at::mul_out(out, view(a, {rows, za, 1}), view(b, {rows, 1, zb}));
  // 64 bits, because rows that are not needed may contain anything.
  view(index, {rows, za, zb})
      .copy_(view(a_index, {rows, za, 1})
                 .to(at::kLong)
                 .mul(nb)
                 .add(view(b_index, {rows, 1, zb})));
}

static void predict_dense(const double *a, const double *beta, int64_t rows,
                          int64_t n, int64_t width, int64_t column,
                          int64_t accumulate, double *out) {
  predict(dense(a, rows, n), beta, rows, n, width, column, accumulate, out);
}

static void predict_banded(const double *a, const int32_t *a_start,
                           const double *beta, int64_t rows, int64_t z,
                           int64_t n, int64_t width, int64_t column,
                           int64_t accumulate, double *out) {
  predict(banded(a, a_start, rows, z), beta, rows, n, width, column, accumulate,
          out);
}

static void predict_onehot(const int32_t *a, const double *beta, int64_t rows,
                           int64_t n, int64_t width, int64_t column,
                           int64_t accumulate, double *out) {
  predict(oneHot(a, rows, n), beta, rows, n, width, column, accumulate, out);
}

static void predict_multihot(const int32_t *a, const double *beta, int64_t rows,
                             int64_t z, int64_t n, double scale, int64_t width,
                             int64_t column, int64_t accumulate, double *out) {
  predict(multiHot(a, rows, z, scale), beta, rows, n, width, column, accumulate,
          out);
}

static void predict_sparse(const double *a, const int32_t *a_index,
                           const double *beta, int64_t rows, int64_t z,
                           int64_t n, int64_t width, int64_t column,
                           int64_t accumulate, double *out) {
  predict(sparse(a, a_index, rows, z), beta, rows, n, width, column, accumulate,
          out);
}

void addEncodings(Bodies &all) {
  all.sparsify_dense = sparsify_dense;
  all.sparsify_banded = sparsify_banded;
  all.sparsify_multihot = sparsify_multihot;
  all.sparsify_sparse = sparsify_sparse;
  all.sparsify_onehot = sparsify_onehot;
  all.kronecker_dense = kronecker_dense;
  all.kronecker_sparse = kronecker_sparse;
  all.expand_dense = expand_dense;
  all.expand_banded = expand_banded;
  all.expand_onehot = expand_onehot;
  all.expand_multihot = expand_multihot;
  all.expand_sparse = expand_sparse;
  all.predict_dense = predict_dense;
  all.predict_banded = predict_banded;
  all.predict_onehot = predict_onehot;
  all.predict_multihot = predict_multihot;
  all.predict_sparse = predict_sparse;
}

} // namespace tamrt::aten
