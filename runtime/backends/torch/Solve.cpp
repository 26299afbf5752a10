//===- torch/Solve.cpp - factorisations -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A is column-major with a lower triangle: as a tensor of strides (1, n) it is
/// what LAPACK factors in place.
///
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"
#include "backends/torch/Refine.h"

namespace tamrt::aten {
namespace {

/// As in kernels/cpu/Cholesky.cpp.
constexpr double kMinPivot = 1e-12;
constexpr double kMinExactPivot = 1.0 / 65536;

Tensor matrixAt(double *a, int64_t n) {
  return view(a, {n, n}, at::IntArrayRef{1, n});
}

/// Factors in place; returns the column of a pivot that is not positive, or -1.
int64_t factor(Tensor &a) {
  Tensor info = at::zeros({}, at::TensorOptions(device()).dtype(at::kInt));
  at::linalg_cholesky_ex_out(a, info, a, /*upper=*/false,
                             /*check_errors=*/false);
  return int64_t(info.item<int32_t>()) - 1;
}

/// Solves A x = b with the factor L of A.
Tensor solveWith(const Tensor &l, const Tensor &b) {
  const Tensor half = at::linalg_solve_triangular(l, b.unsqueeze(1),
                                                  /*upper=*/false);
  return at::linalg_solve_triangular(l.mT(), half, /*upper=*/true).squeeze(1);
}

/// The index of the first flag that is true, or -1.
int64_t firstTrue(const Tensor &flags) {
  if (!flags.any().item<bool>())
    return -1;
  return flags.to(at::kInt).argmax().item<int64_t>();
}

/// The first index that is not finite, or -1.
int64_t firstNotFinite(const Tensor &x) {
  return firstTrue(x.isfinite().logical_not());
}

/// Throws unless the numbers of a diagonal, whose first column is `column`, are
/// positive and finite. The first one that is not counts, whatever it is.
void expectPivots(const Tensor &diagonal, int64_t column) {
  const Tensor isFinite = diagonal.isfinite();
  const int64_t j =
      firstTrue(isFinite.logical_and(diagonal.gt(0)).logical_not());
  if (j >= 0)
    throw Failure{isFinite[j].item<bool>() ? TAMRT_ERROR_NOT_POSITIVE_DEFINITE
                                           : TAMRT_ERROR_OVERFLOW,
                  column + j};
}

std::vector<double> toVector(const Tensor &x) {
  const Tensor here = x.cpu().contiguous();
  const double *first = here.data_ptr<double>();
  return {first, first + here.numel()};
}

Tensor toTensor(const std::vector<double> &x) {
  return at::from_blob(const_cast<double *>(x.data()), {int64_t(x.size())},
                       at::TensorOptions(at::kCPU).dtype(at::kDouble))
      .to(device(), at::kDouble, /*non_blocking=*/false, /*copy=*/true);
}

/// The indices of the lower triangle's numbers, row by row, in a matrix that is
/// stored row by row.
Tensor triangle(int64_t n) {
  const Tensor pairs = at::tril_indices(n, n, 0, integers());
  return pairs.select(0, 0).mul(n).add(pairs.select(0, 1));
}

} // namespace

static void cholesky_solve(int64_t n, double *a, double *b, double *) {
  Tensor matrix = matrixAt(a, n), right = view(b, {n});
  // An overflow appears first in the diagonal, which has sums of squares.
  const Tensor diagonal = matrix.diagonal().clone();
  if (const int64_t j = firstNotFinite(diagonal.add(right.mul(0))); j >= 0)
    throw Failure{TAMRT_ERROR_OVERFLOW, j};
  const std::vector<double> given = read(a, n * n), wanted = read(b, n);
  if (const int64_t j = factor(matrix); j >= 0)
    throw Failure{TAMRT_ERROR_NOT_POSITIVE_DEFINITE, j};
  Tensor solution = solveWith(matrix, right);
  const Tensor pivots = matrix.diagonal();
  if (pivots.mul(pivots).lt(diagonal.mul(kMinExactPivot)).any().item<bool>()) {
    std::vector<double> x = toVector(solution);
    refine(given, wanted, x, [&](const std::vector<double> &rest) {
      return toVector(solveWith(matrix, toTensor(rest)));
    });
    solution = toTensor(x);
  }
  right.copy_(solution);
}

static void cholesky_inverse(int64_t n, double *a, double *inverse,
                             double *numbers, double *) {
  Tensor matrix = matrixAt(a, n);
  const Tensor diagonal = matrix.diagonal();
  if (const int64_t j = firstNotFinite(diagonal); j >= 0)
    throw Failure{TAMRT_ERROR_OVERFLOW, j};
  // Scaled to a unit diagonal; a number that is not positive stays, and is
  // found as a pivot.
  const Tensor isPositive = diagonal.gt(0);
  const Tensor scales =
      at::where(isPositive, diagonal.rsqrt(), at::ones_like(diagonal));
  matrix.mul_(scales.unsqueeze(0)).mul_(scales.unsqueeze(1));
  matrix.diagonal().masked_fill_(isPositive, 1);
  // Sums of a symmetric matrix's columns, from its lower triangle.
  matrix.tril_();
  const Tensor sizes = matrix.abs();
  const Tensor norm =
      sizes.sum(0).add(sizes.sum(1)).sub(sizes.diagonal()).max();
  if (const int64_t j = factor(matrix); j >= 0)
    throw Failure{TAMRT_ERROR_NOT_POSITIVE_DEFINITE, j};
  const Tensor logarithm =
      matrix.diagonal().log().sum().sub(scales.log().sum()).mul(2);
  const Tensor half = at::linalg_solve_triangular(
      matrix, at::eye(n, tamrt::aten::numbers()), /*upper=*/false);
  at::mm_out(matrix, half.mT(), half);
  const Tensor out = view(numbers, {2});
  out.select(0, 0).copy_(logarithm);
  out.select(0, 1).copy_(norm.mul(matrix.abs().sum(0).max()));
  matrix.mul_(scales.unsqueeze(0)).mul_(scales.unsqueeze(1));
  view(inverse, {n * (n + 1) / 2})
      .copy_(matrix.mT().reshape(-1).index_select(0, triangle(n)));
}

static void cholesky_factor(int64_t n, int64_t column, double *a, double *) {
  Tensor matrix = matrixAt(a, n);
  const Tensor diagonal = matrix.diagonal().clone();
  expectPivots(diagonal, column);
  const Tensor least = diagonal.max().mul(kMinPivot);
  bool isGood = factor(matrix) < 0;
  if (isGood) {
    const Tensor pivots = matrix.diagonal();
    isGood = pivots.mul(pivots).ge(least).all().item<bool>();
  }
  if (!isGood) {
    // If a matrix is definite except for rounding errors, its diagonal still
    // has the right scale.
    matrix.zero_();
    matrix.diagonal().copy_(at::maximum(diagonal, least).sqrt());
  }
  matrix.diagonal().reciprocal_();
}

static void cholesky_apply(const double *a, const double *b, int64_t n,
                           double *x) {
  Tensor l = view(a, {n, n}, at::IntArrayRef{1, n}).tril();
  l.diagonal().reciprocal_();
  view(x, {n}).copy_(solveWith(l, view(b, {n})));
}

static void diagonal_factor(const int32_t *penalty_row,
                            const int32_t *penalty_column,
                            const double *penalty_value, const double *sums,
                            int64_t group_rows, int64_t n, int64_t column,
                            int64_t penalties, double *factor) {
  const auto scale = static_cast<double>(group_rows);
  Tensor diagonal = sums ? view(sums, {n}).clone() : at::zeros({n}, numbers());
  if (penalties > 0) {
    const Tensor row = view(penalty_row, {penalties}).to(at::kLong);
    const Tensor isDiagonal =
        row.eq(view(penalty_column, {penalties}).to(at::kLong));
    const Tensor value = view(penalty_value, {penalties}).mul(scale);
    diagonal.index_add_(0, row,
                        at::where(isDiagonal, value, at::zeros_like(value)));
  }
  diagonal.add_(TAMRT_PENALTY_FLOOR * scale);
  expectPivots(diagonal, column);
  view(factor, {n}).copy_(diagonal.sqrt().reciprocal());
}

static void diagonal_apply(const double *factor, const double *b, int64_t n,
                           double *x) {
  const Tensor inverse = view(factor, {n});
  view(x, {n}).copy_(view(b, {n}).mul(inverse).mul(inverse));
}

void addSolving(Bodies &all) {
  all.cholesky_solve = cholesky_solve;
  all.cholesky_inverse = cholesky_inverse;
  all.cholesky_factor = cholesky_factor;
  all.cholesky_apply = cholesky_apply;
  all.diagonal_factor = diagonal_factor;
  all.diagonal_apply = diagonal_apply;
}

} // namespace tamrt::aten
