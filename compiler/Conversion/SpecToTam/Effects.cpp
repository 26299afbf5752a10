//===- Effects.cpp - feature maps and penalties of terms --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tamc;
using spec::Term;
using spec::TermKind;

bool tamc::hasKernels(TermKind kind) {
  switch (kind) {
  case TermKind::Linear:
  case TermKind::Fourier:
  case TermKind::Spline:
  case TermKind::Categorical:
  case TermKind::Chebyshev:
    return true;
  default:
    return false;
  }
}

static tam::Extrapolate convert(spec::Extrapolate mode) {
  switch (mode) {
  case spec::Extrapolate::Continue:
    return tam::Extrapolate::Continue;
  case spec::Extrapolate::Constant:
    return tam::Extrapolate::Constant;
  case spec::Extrapolate::Linear:
    return tam::Extrapolate::Linear;
  case spec::Extrapolate::Saturation:
    return tam::Extrapolate::Saturation;
  }
  llvm_unreachable("all modes are listed");
}

/// Order of the Fourier map of a category of n levels.
static int64_t fourierOrderOfLevels(int64_t n) { return n / 2 + n % 2; }

static bool isFourierCategory(const Term &term) {
  return term.kind == TermKind::Categorical &&
         term.getString("topo") == "fourier";
}

/// Columns of a term's design matrix.
static int64_t columnsOf(const Term &term) {
  switch (term.kind) {
  case TermKind::Linear:
    return 1;
  case TermKind::Fourier:
    return 2 * term.getInt("m");
  case TermKind::Spline:
    return term.getInt("k") + term.getInt("deg");
  case TermKind::Categorical:
    return isFourierCategory(term)
               ? 2 * fourierOrderOfLevels(term.getInt("n_cat"))
               : term.getInt("n_cat");
  case TermKind::Chebyshev:
    return term.getInt("deg");
  default:
    llvm_unreachable("the importer refuses terms without kernels");
  }
}

static RankedTensorType designType(OpBuilder &builder, int64_t columns) {
  return RankedTensorType::get({ShapedType::kDynamic, columns},
                               builder.getF64Type());
}

Value tamc::buildOffset(OpBuilder &builder, Location loc, Value rows) {
  return tam::OffsetOp::create(builder, loc, designType(builder, 1), rows);
}

Value tamc::buildDesign(OpBuilder &builder, Location loc, const Term &term,
                        Value x, Value parameters) {
  Type type = designType(builder, columnsOf(term));
  tam::Extrapolate mode = convert(term.extrapolate);
  switch (term.kind) {
  case TermKind::Linear:
    return tam::LinearOp::create(builder, loc, type, x,
                                 llvm::APFloat(term.getNumber("scaled")), mode);
  case TermKind::Fourier:
    return tam::FourierOp::create(builder, loc, type, x, term.getInt("m"),
                                  term.getBool("cyclic"), mode);
  case TermKind::Spline:
    return tam::BSplineOp::create(builder, loc, type, x, parameters,
                                  term.getInt("k"), term.getInt("deg"), mode);
  case TermKind::Categorical: {
    int64_t n = term.getInt("n_cat");
    if (isFourierCategory(term))
      return tam::FourierOp::create(builder, loc, type, x,
                                    fourierOrderOfLevels(n),
                                    /*cyclic=*/false, mode);
    if (term.getBool("levels"))
      return tam::LevelsOp::create(builder, loc, type, x, n);
    return tam::CategoryOp::create(builder, loc, type, x, n);
  }
  case TermKind::Chebyshev:
    return tam::ChebyshevOp::create(builder, loc, type, x, term.getInt("deg"),
                                    mode);
  default:
    llvm_unreachable("the importer refuses terms without kernels");
  }
}

//===----------------------------------------------------------------------===//
// Penalties
//===----------------------------------------------------------------------===//

namespace {

/// The lower triangle of a sparse symmetric matrix, row by row.
struct SparsePenalty {
  int64_t size = 0;
  SmallVector<int32_t> rows, columns;
  SmallVector<double> values;

  void add(int64_t row, int64_t column, double value) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(value);
  }
};

} // namespace

static SparsePenalty diagonal(ArrayRef<double> values) {
  SparsePenalty penalty;
  penalty.size = values.size();
  for (auto [index, value] : llvm::enumerate(values))
    penalty.add(index, index, value);
  return penalty;
}

/// Coefficients of the forward difference of an order: (-1)^(order-i) *
/// binomial(order, i).
static SmallVector<double> differenceStencil(int64_t order) {
  SmallVector<double> stencil{1};
  for (int64_t step = 0; step < order; ++step) {
    stencil.push_back(0);
    for (size_t i = stencil.size() - 1; i > 0; --i)
      stencil[i] = stencil[i - 1] - stencil[i];
    stencil[0] = -stencil[0];
  }
  return stencil;
}

/// lambda * D'D, D the forward difference of that order on n values. Bandwidth
/// `order`; an order of n or more leaves no difference and the matrix is zero.
static SparsePenalty differences(int64_t n, int64_t order, double lambda) {
  SmallVector<double> stencil = differenceStencil(order);
  SparsePenalty penalty;
  penalty.size = n;
  for (int64_t row = 0; row < n; ++row)
    for (int64_t column = std::max<int64_t>(0, row - order); column <= row;
         ++column) {
      // Differences start at s = 0..n-order-1 and cover s..s+order.
      double sum = 0;
      int64_t first = std::max<int64_t>(0, row - order);
      int64_t last = std::min(column, n - order - 1);
      for (int64_t s = first; s <= last; ++s)
        sum += stencil[row - s] * stencil[column - s];
      if (sum != 0)
        penalty.add(row, column, lambda * sum);
    }
  return penalty;
}

/// lambda * (1 + k^(2s)) for k = 1..m.
static SmallVector<double> sobolevWeights(int64_t m, double s, double lambda) {
  SmallVector<double> weights;
  for (int64_t k = 1; k <= m; ++k)
    weights.push_back(lambda * (1 + std::pow(static_cast<double>(k), 2 * s)));
  return weights;
}

static SparsePenalty penaltyOf(const Term &term) {
  double lambda = std::pow(10.0, term.ap);
  int64_t n = columnsOf(term);
  switch (term.kind) {
  case TermKind::Linear:
    return diagonal({lambda});
  case TermKind::Fourier: {
    SmallVector<double> half =
        sobolevWeights(term.getInt("m"), term.getNumber("s"), lambda);
    SmallVector<double> both(half);
    both.append(half);
    return diagonal(both);
  }
  case TermKind::Spline:
    return differences(n, term.getInt("p"), lambda);
  case TermKind::Categorical:
    if (isFourierCategory(term))
      return diagonal(SmallVector<double>(n, 2 * lambda));
    if (term.getString("topo") == "ordinal")
      return differences(n, term.getInt("p_order"), lambda);
    return diagonal(SmallVector<double>(n, lambda));
  case TermKind::Chebyshev:
    return diagonal(sobolevWeights(n, term.getNumber("s"), lambda));
  default:
    llvm_unreachable("the importer refuses terms without kernels");
  }
}

static Value build(OpBuilder &builder, Location loc,
                   const SparsePenalty &penalty) {
  auto encoding =
      tam::CoordinatesAttr::get(builder.getContext(), penalty.values.size());
  auto type = RankedTensorType::get({penalty.size, penalty.size},
                                    builder.getF64Type(), encoding);
  return tam::PenaltyOp::create(builder, loc, type, penalty.rows,
                                penalty.columns, penalty.values);
}

Value tamc::buildOffsetPenalty(OpBuilder &builder, Location loc) {
  return build(builder, loc, diagonal({std::pow(10.0, -9.0)}));
}

Value tamc::buildPenalty(OpBuilder &builder, Location loc, const Term &term) {
  return build(builder, loc, penaltyOf(term));
}
