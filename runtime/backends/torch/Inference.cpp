//===- torch/Inference.cpp - what inference needs of the inverse ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

namespace tamrt::aten {
namespace {

/// Where elements of the lower triangle of a symmetric matrix are, which is
/// stored row by row.
Tensor placeInTriangle(const Tensor &i, const Tensor &j) {
  const Tensor row = at::maximum(i, j), column = at::minimum(i, j);
  return at::div(row.mul(row.add(1)), 2, "floor").add(column);
}

/// The effect of each of `columns`, ascending: how many effects end before it.
Tensor effectsOf(const int64_t *ends, int64_t effects, const Tensor &columns) {
  return columns.unsqueeze(-1).ge(view(ends, {effects})).sum(-1);
}

} // namespace

static void column_means(const double *a, int64_t group_rows, int64_t n,
                         double *means) {
  Tensor out = view(means, {n});
  at::div_out(out, view(a, {n}),
              at::scalar_tensor(static_cast<double>(group_rows), numbers()));
  out.slice(0, 0, 1).zero_();
}

static void effective_df(const int64_t *ends, const double *inverse,
                         int64_t group_rows, int64_t effects, double *edf) {
  const double floor = TAMRT_PENALTY_FLOOR * static_cast<double>(group_rows);
  const int64_t n = read(ends + effects - 1, 1)[0];
  const Tensor columns = at::arange(n, integers());
  const Tensor effect = effectsOf(ends, effects, columns);
  const Tensor diagonal =
      view(inverse, {n * (n + 1) / 2})
          .index_select(0, placeInTriangle(columns, columns));
  const Tensor zeros = at::zeros({effects}, numbers());
  const Tensor counts = zeros.index_add(0, effect, at::ones({n}, numbers()));
  const Tensor traces = zeros.index_add(0, effect, diagonal);
  view(edf, {effects}).copy_(counts.sub(traces.mul(floor)));
}

static void penalty_trace(const int64_t *ends, const int32_t *penalty_row,
                          const int32_t *penalty_column,
                          const double *penalty_value, const int32_t *which,
                          const double *weights, const double *inverse,
                          int64_t group_rows, int64_t effects,
                          int64_t penalties, double *edf) {
  if (penalties == 0)
    return;
  const int64_t n = read(ends + effects - 1, 1)[0];
  const Tensor row = view(penalty_row, {penalties}).to(at::kLong);
  const Tensor column = view(penalty_column, {penalties}).to(at::kLong);
  Tensor value = view(penalty_value, {penalties});
  if (weights) {
    const Tensor index = view(which, {penalties}).to(at::kLong);
    const int64_t last = index.max().item<int64_t>();
    value = value.mul(view(weights, {last + 1}).index_select(0, index));
  }
  const Tensor product =
      value.mul(static_cast<double>(group_rows))
          .mul(view(inverse, {n * (n + 1) / 2})
                   .index_select(0, placeInTriangle(row, column)))
          .neg();
  Tensor out = view(edf, {effects});
  out.index_add_(0, effectsOf(ends, effects, row), product);
  out.index_add_(0, effectsOf(ends, effects, column),
                 at::where(row.ne(column), product, at::zeros_like(product)));
}

static void quadratic_forms(const double *values, const int32_t *index,
                            const int64_t *ends, const double *triangle,
                            int64_t rows, int64_t z, int64_t effects,
                            double *out) {
  if (rows == 0)
    return;
  const Rows all = sparse(values, index, rows, z);
  const int64_t n = all.index.max().item<int64_t>() + 1;
  const Tensor inverse = view(triangle, {n * (n + 1) / 2});
  const std::vector<int64_t> last = read(ends, effects);
  Tensor forms = view(out, {rows, 1 + effects});
  forms.zero_();
  const Tensor effect = effectsOf(ends, effects, at::arange(z, integers()));
  forEachPart(rows, 64 * z, [&](int64_t begin, int64_t end) {
    const Rows part = all.part(begin, end);
    Tensor result = forms.slice(0, begin, end);
    Tensor products = at::zeros({end - begin, effects}, numbers());
    for (int64_t i = 0, own = 0; i < z; ++i) {
      while (own < effects && i >= last[size_t(own)])
        ++own;
      const Tensor place =
          placeInTriangle(part.index.slice(1, i, i + 1), part.index);
      const Tensor terms = inverse.index_select(0, place.view(-1))
                               .view({end - begin, z})
                               .mul(part.values)
                               .mul(part.values.slice(1, i, i + 1));
      // One number after another, for each effect.
      products.zero_().index_add_(1, effect, terms);
      result.select(1, 1 + own).add_(products.select(1, own));
      for (int64_t k = 0; k < effects; ++k)
        result.select(1, 0).add_(products.select(1, k));
    }
  });
}

void addInference(Bodies &all) {
  all.column_means = column_means;
  all.effective_df = effective_df;
  all.penalty_trace = penalty_trace;
  all.quadratic_forms = quadratic_forms;
}

} // namespace tamrt::aten
