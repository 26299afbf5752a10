//===- Penalties.cpp - penalties of terms -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;
using namespace tamc;
using spec::Term;
using spec::TermKind;

namespace {

/// The lower triangle of a sparse symmetric matrix. Entries with the same row
/// and column add up.
struct SparsePenalty {
  int64_t size = 0;
  SmallVector<int32_t> rows, columns;
  SmallVector<double> values;
  /// For each entry the model's table that it is multiplied by (-1: none), and
  /// the element. Empty if no entry is multiplied.
  SmallVector<int64_t> tables;
  SmallVector<int32_t> elements;

  void add(int64_t row, int64_t column, double value, int64_t table = -1,
           int64_t element = 0) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(value);
    if (table >= 0)
      tables.resize(rows.size() - 1, -1);
    if (table >= 0 || !tables.empty()) {
      elements.resize(rows.size() - 1, 0);
      tables.push_back(table);
      elements.push_back(element);
    }
  }
  int64_t tableOf(size_t entry) const {
    return tables.empty() ? -1 : tables[entry];
  }
  int32_t elementOf(size_t entry) const {
    return elements.empty() ? 0 : elements[entry];
  }
};

} // namespace

/// The last digits of the C library's pow depend on the machine that runs tamc;
/// a result rounded from more digits does not.
static double power(double base, double exponent) {
  return static_cast<double>(std::pow(static_cast<long double>(base),
                                      static_cast<long double>(exponent)));
}

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

/// lambda * L'L, n x n. L has `rows` rows; row i has the numbers of `stencil`
/// from column i on.
static SparsePenalty squareOf(ArrayRef<double> stencil, int64_t rows, int64_t n,
                              double lambda) {
  SparsePenalty penalty;
  penalty.size = n;
  auto width = static_cast<int64_t>(stencil.size());
  for (int64_t row = 0; row < n; ++row)
    for (int64_t column = std::max<int64_t>(0, row - width + 1); column <= row;
         ++column) {
      double sum = 0;
      int64_t first = std::max<int64_t>(0, row - width + 1);
      int64_t last = std::min(column, rows - 1);
      for (int64_t s = first; s <= last; ++s)
        sum += stencil[row - s] * stencil[column - s];
      if (sum != 0)
        penalty.add(row, column, lambda * sum);
    }
  return penalty;
}

/// lambda * D'D, D the forward difference of that order on n values. Bandwidth
/// `order`; with an order of n or more there is no difference and the matrix is
/// zero.
static SparsePenalty differences(int64_t n, int64_t order, double lambda) {
  return squareOf(differenceStencil(order), n - order, n, lambda);
}

/// lambda * (1 + k^(2s)) for k = 1..m.
static SmallVector<double> sobolevWeights(int64_t m, double s, double lambda) {
  SmallVector<double> weights;
  for (int64_t k = 1; k <= m; ++k)
    weights.push_back(lambda * (1 + power(static_cast<double>(k), 2 * s)));
  return weights;
}

/// lambda * |sum_o w_o (ik)^o|^2 for k = 1..m, twice.
static SparsePenalty differentialFourier(int64_t m, ArrayRef<double> weights,
                                         double lambda) {
  SmallVector<double> half;
  for (int64_t k = 1; k <= m; ++k) {
    // i^o: 1, i, -1, -i.
    double parts[2] = {0, 0}, power = 1;
    for (auto [order, weight] : llvm::enumerate(weights)) {
      parts[order % 2] += (order % 4 < 2 ? weight : -weight) * power;
      power *= static_cast<double>(k);
    }
    half.push_back(lambda * (parts[0] * parts[0] + parts[1] * parts[1]));
  }
  SmallVector<double> both(half);
  both.append(half);
  return diagonal(both);
}

/// lambda * L'L, L = sum_o w_o D^o with the forward differences D on n values,
/// each cropped at both ends to the rows of the highest difference.
static SparsePenalty differentialSpline(int64_t n, ArrayRef<double> weights,
                                        double lambda) {
  auto highest = static_cast<int64_t>(weights.size()) - 1;
  // Row s of L has these numbers from column s on.
  SmallVector<double> stencil(weights.size() + highest, 0.0);
  for (auto [order, weight] : llvm::enumerate(weights)) {
    int64_t crop = (highest - static_cast<int64_t>(order)) / 2;
    for (auto [i, value] : llvm::enumerate(differenceStencil(order)))
      stencil[crop + i] += weight * value;
  }
  while (!stencil.empty() && stencil.back() == 0)
    stencil.pop_back();
  return squareOf(stencil, n - highest, n, lambda);
}

/// The weights D0, D1, ... of a phys; D2 = 1 if none is given.
static SmallVector<double> differentialWeights(const Term &term) {
  SmallVector<double> weights;
  for (const auto &[name, value] : term.parameters) {
    unsigned order;
    if (!StringRef(name).starts_with("D") ||
        StringRef(name).drop_front().getAsInteger(10, order))
      continue;
    weights.resize(std::max<size_t>(weights.size(), order + 1), 0.0);
    weights[order] = term.getNumber(name);
  }
  return weights.empty() ? SmallVector<double>{0, 0, 1} : weights;
}

namespace {

class PenaltyBuilder {
public:
  explicit PenaltyBuilder(const Learners &learners) : learners(learners) {}

  SparsePenalty of(const Term &term) const {
    double lambda = power(10.0, term.ap);
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
      if (term.getString("topo") == "fourier")
        return diagonal(SmallVector<double>(n, 2 * lambda));
      if (term.getString("topo") == "ordinal")
        return differences(n, term.getInt("p_order"), lambda);
      return diagonal(SmallVector<double>(n, lambda));
    case TermKind::Chebyshev:
      return diagonal(sobolevWeights(n, term.getNumber("s"), lambda));
    case TermKind::Wavelet: {
      SmallVector<double> weights;
      for (int64_t scale = 0; scale < term.getInt("n_scales"); ++scale)
        weights.append(term.getInt("n_locations"),
                       lambda * std::ldexp(1.0, 2 * static_cast<int>(scale)));
      return diagonal(weights);
    }
    case TermKind::Neural:
    case TermKind::RadialBasis:
      return diagonal(SmallVector<double>(n, lambda));
    case TermKind::Tree: {
      SparsePenalty penalty;
      penalty.size = n;
      addLeaves(penalty, term, 0, lambda);
      return penalty;
    }
    case TermKind::LinearTree: {
      SparsePenalty penalty;
      penalty.size = n;
      addLeaves(penalty, term, 0, lambda);
      addLeaves(penalty, term, n / 2, lambda);
      for (int64_t i = n / 2; i < n; ++i)
        penalty.add(i, i, lambda);
      return penalty;
    }
    case TermKind::Tensor:
      return ofTensor(term, lambda);
    case TermKind::Physics:
      return term.getString("basis") == "fourier"
                 ? differentialFourier(n / 2, differentialWeights(term), lambda)
                 : differentialSpline(n, differentialWeights(term), lambda);
    case TermKind::PID:
      return diagonal({lambda, lambda, lambda * term.getNumber("d_pen")});
    }
    llvm_unreachable("all terms are listed");
  }

private:
  /// lambda, times the learnt weight if there is one, for every leaf.
  void addLeaves(SparsePenalty &penalty, const Term &term, int64_t first,
                 double lambda) const {
    // The leaves' weights are the third table of trees.
    int64_t table =
        term.getNumber("sp_alpha") == 0 ? -1 : learners.firstTable(term) + 2;
    int64_t leaves = treesOf(term) * leavesOf(term);
    for (int64_t i = 0; i < leaves; ++i)
      penalty.add(first + i, first + i, lambda, table, i);
  }

  /// lambda * sum_i (I x .. P_i .. x I).
  SparsePenalty ofTensor(const Term &term, double lambda) const {
    SparsePenalty sum;
    sum.size = columnsOf(term);
    // Known entries with the same row and column add up; learnt ones stay
    // separate.
    std::map<std::pair<int64_t, int64_t>, double> known;
    int64_t outer = 1, inner = sum.size;
    for (const Term &factor : term.factors) {
      SparsePenalty own = of(factor);
      inner /= own.size;
      for (int64_t o = 0; o < outer; ++o)
        for (size_t e = 0; e < own.values.size(); ++e)
          for (int64_t q = 0; q < inner; ++q) {
            int64_t row = (o * own.size + own.rows[e]) * inner + q;
            int64_t column = (o * own.size + own.columns[e]) * inner + q;
            double value = lambda * own.values[e];
            if (own.tableOf(e) < 0)
              known[{row, column}] += value;
            else
              sum.add(row, column, value, own.tableOf(e), own.elementOf(e));
          }
      outer *= own.size;
    }
    for (auto [place, value] : known)
      sum.add(place.first, place.second, value);
    return sum;
  }

  const Learners &learners;
};

} // namespace

static Value build(OpBuilder &builder, Location loc,
                   const SparsePenalty &penalty, const Learners *learners,
                   Variables *variables) {
  auto encoding =
      tam::CoordinatesAttr::get(builder.getContext(), penalty.values.size());
  auto type = RankedTensorType::get({penalty.size, penalty.size},
                                    builder.getF64Type(), encoding);
  // The tables in use, and for each entry its table.
  SmallVector<int64_t> used;
  SmallVector<int32_t> which;
  for (int64_t table : penalty.tables) {
    auto found = llvm::find(used, table);
    which.push_back(table < 0 ? -1
                              : static_cast<int32_t>(found - used.begin()));
    if (table >= 0 && found == used.end())
      used.push_back(table);
  }
  if (used.empty())
    return tam::PenaltyOp::create(builder, loc, type, ValueRange(),
                                  penalty.rows, penalty.columns, penalty.values,
                                  DenseI32ArrayAttr(), DenseI32ArrayAttr());
  SmallVector<Value> weights;
  for (int64_t table : used)
    weights.push_back(variables->table(
        table, RankedTensorType::get(learners->tables[table].shape,
                                     builder.getF64Type())));
  return tam::PenaltyOp::create(builder, loc, type, weights, penalty.rows,
                                penalty.columns, penalty.values,
                                builder.getDenseI32ArrayAttr(which),
                                builder.getDenseI32ArrayAttr(penalty.elements));
}

Value tamc::buildOffsetPenalty(OpBuilder &builder, Location loc) {
  return build(builder, loc, diagonal({1e-9}), nullptr, nullptr);
}

Value tamc::buildPenalty(OpBuilder &builder, Location loc, const Term &term,
                         const Learners &learners, Variables &variables) {
  return build(builder, loc, PenaltyBuilder(learners).of(term), &learners,
               &variables);
}
