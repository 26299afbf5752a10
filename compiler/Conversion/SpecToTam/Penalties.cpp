//===- Penalties.cpp - penalties of terms -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Spec/PenaltyLimits.h"
#include "tamc/Spec/Terms.h"
#include "tamrt/abi.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tamc;
using spec::Term;
using spec::TermKind;

static_assert(-spec::minimumAp == TAMRT_AP_LIMIT &&
                  spec::maximumAp == TAMRT_AP_LIMIT,
              "the limits of formulas are those of `fit --ap`");

namespace {

/// The lower triangle of a sparse symmetric matrix. An entry is a sum of parts:
/// numbers, or sums of other parts, times strengths. Entries with the same row
/// and column add up.
struct SparsePenalty {
  /// What a part adds.
  struct Product {
    double value;
    /// Indices of the strengths, in the order of the multiplications.
    SmallVector<int32_t, 2> factors;
    /// The sum in place of the value; -1: none.
    int32_t source = -1;

    bool operator==(const Product &) const = default;
  };
  /// There are as many as entries, or more, of few products.
  struct Part {
    /// The entry, or the sum, that it is a part of.
    int32_t sum;
    /// Index of what it adds.
    int32_t product;
  };

  int64_t size = 0;
  SmallVector<int32_t> rows, columns;
  SmallVector<Product> products;
  /// The parts of entries, and those of the sums that parts after them read.
  SmallVector<Part> parts, sumParts;
  int32_t sums = 0;
  /// For each entry the model's table that it is multiplied by (-1: none), and
  /// the element. Empty if no entry is multiplied.
  SmallVector<int64_t> tables;
  SmallVector<int32_t> elements;

  /// Adds an entry without parts; returns its index.
  int32_t addEntry(int64_t row, int64_t column, int64_t table = -1,
                   int64_t element = 0) {
    rows.push_back(row);
    columns.push_back(column);
    if (table >= 0)
      tables.resize(rows.size() - 1, -1);
    if (table >= 0 || !tables.empty()) {
      elements.resize(rows.size() - 1, 0);
      tables.push_back(table);
      elements.push_back(element);
    }
    return static_cast<int32_t>(rows.size() - 1);
  }
  /// Adds a product unless it is the last one; returns its index.
  int32_t addProduct(Product product) {
    if (products.empty() || products.back() != product)
      products.push_back(std::move(product));
    return static_cast<int32_t>(products.size() - 1);
  }
  /// Adds an entry of one part, `value` times one strength.
  void add(int64_t row, int64_t column, double value, int32_t strength,
           int64_t table = -1, int64_t element = 0) {
    const int32_t entry = addEntry(row, column, table, element);
    parts.push_back({entry, addProduct({value, {strength}})});
  }
  /// Makes a sum of the parts of each entry that has several.
  void addUpEntries() {
    SmallVector<int32_t> counts(rows.size());
    for (const Part &part : parts)
      ++counts[part.sum];
    SmallVector<Part> single;
    SmallVector<int32_t> sumOf(rows.size(), -1);
    for (Part part : parts) {
      const int32_t entry = part.sum;
      if (counts[entry] == 1) {
        single.push_back(part);
        continue;
      }
      if (sumOf[entry] < 0) {
        sumOf[entry] = sums++;
        single.push_back({entry, addProduct({0, {}, sumOf[entry]})});
      }
      part.sum = sumOf[entry];
      sumParts.push_back(part);
    }
    parts = std::move(single);
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

static SparsePenalty diagonal(ArrayRef<double> values, int32_t strength) {
  SparsePenalty penalty;
  penalty.size = values.size();
  for (auto [index, value] : llvm::enumerate(values))
    penalty.add(index, index, value, strength);
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

/// The strength times L'L, n x n. L has `rows` rows; row i has the numbers of
/// `stencil` from column i on.
static SparsePenalty squareOf(ArrayRef<double> stencil, int64_t rows, int64_t n,
                              int32_t strength) {
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
        penalty.add(row, column, sum, strength);
    }
  return penalty;
}

/// The strength times D'D, D the forward difference of that order on n values.
/// Bandwidth `order`; with an order of n or more there is no difference and the
/// matrix is zero.
static SparsePenalty differences(int64_t n, int64_t order, int32_t strength) {
  return squareOf(differenceStencil(order), n - order, n, strength);
}

/// 1 + k^(2s) for k = 1..m.
static SmallVector<double> sobolevWeights(int64_t m, double s) {
  SmallVector<double> weights;
  for (int64_t k = 1; k <= m; ++k)
    weights.push_back(1 + power(static_cast<double>(k), 2 * s));
  return weights;
}

/// The strength times |sum_o w_o (ik)^o|^2 for k = 1..m, twice.
static SparsePenalty differentialFourier(int64_t m, ArrayRef<double> weights,
                                         int32_t strength) {
  SmallVector<double> half;
  for (int64_t k = 1; k <= m; ++k) {
    // i^o: 1, i, -1, -i.
    double parts[2] = {0, 0}, power = 1;
    for (auto [order, weight] : llvm::enumerate(weights)) {
      parts[order % 2] += (order % 4 < 2 ? weight : -weight) * power;
      power *= static_cast<double>(k);
    }
    half.push_back(parts[0] * parts[0] + parts[1] * parts[1]);
  }
  SmallVector<double> both(half);
  both.append(half);
  return diagonal(both, strength);
}

/// The strength times L'L, L = sum_o w_o D^o with the forward differences D on
/// n values, each cropped at both ends to the rows of the highest difference.
static SparsePenalty differentialSpline(int64_t n, ArrayRef<double> weights,
                                        int32_t strength) {
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
  return squareOf(stencil, n - highest, n, strength);
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

/// Entries of squareOf for differences of an order.
static int64_t countBand(int64_t order, int64_t n) {
  return order < n ? (order + 1) * n - order * (order + 1) / 2 : 0;
}

/// Parts of the penalty of a term that is no product, or more.
static int64_t countParts(const Term &term) {
  const int64_t n = columnsOf(term);
  switch (term.kind) {
  case TermKind::Spline:
    return countBand(term.getInt("p"), n);
  case TermKind::Categorical:
    return term.getString("topo") == "ordinal"
               ? countBand(term.getInt("p_order"), n)
               : n;
  case TermKind::LinearTree:
    return n + n / 2;
  case TermKind::Physics:
    return term.getString("basis") == "fourier"
               ? n
               : countBand(
                     static_cast<int64_t>(differentialWeights(term).size()) - 1,
                     n);
  default:
    return n;
  }
}

int64_t tamc::penaltyBytes(const Term &term, int64_t strengths) {
  if (term.kind != TermKind::Tensor)
    // The row and column of an entry, the value of a part, and its code.
    return countParts(term) *
           (2 * sizeof(int32_t) + sizeof(double) +
            (2 + strengths) * static_cast<int64_t>(sizeof(int32_t)));
  int64_t bytes = 0;
  for (const Term &factor : term.factors)
    bytes += penaltyBytes(factor, strengths + 1) *
             (columnsOf(term) / columnsOf(factor));
  return bytes;
}

namespace {

class PenaltyBuilder {
public:
  explicit PenaltyBuilder(const Learners &learners) : learners(learners) {}

  /// The intercept's penalty; to be asked for first.
  SparsePenalty ofOffset() { return diagonal({1}, next++); }

  /// The penalty of the next term. It and the factors of a product take their
  /// strengths in the order of collectStrengths.
  SparsePenalty of(const Term &term) {
    const int32_t strength = next++;
    int64_t n = columnsOf(term);
    switch (term.kind) {
    case TermKind::Linear:
      return diagonal({1}, strength);
    case TermKind::Fourier: {
      SmallVector<double> half =
          sobolevWeights(term.getInt("m"), term.getNumber("s"));
      SmallVector<double> both(half);
      both.append(half);
      return diagonal(both, strength);
    }
    case TermKind::Spline:
      return differences(n, term.getInt("p"), strength);
    case TermKind::Categorical:
      if (term.getString("topo") == "fourier")
        return diagonal(SmallVector<double>(n, 2), strength);
      if (term.getString("topo") == "ordinal")
        return differences(n, term.getInt("p_order"), strength);
      return diagonal(SmallVector<double>(n, 1), strength);
    case TermKind::Chebyshev:
      return diagonal(sobolevWeights(n, term.getNumber("s")), strength);
    case TermKind::Wavelet: {
      SmallVector<double> weights;
      for (int64_t scale = 0; scale < term.getInt("n_scales"); ++scale)
        weights.append(term.getInt("n_locations"),
                       std::ldexp(1.0, 2 * static_cast<int>(scale)));
      return diagonal(weights, strength);
    }
    case TermKind::Neural:
    case TermKind::RadialBasis:
      return diagonal(SmallVector<double>(n, 1), strength);
    case TermKind::Tree: {
      SparsePenalty penalty;
      penalty.size = n;
      addLeaves(penalty, term, 0, strength);
      return penalty;
    }
    case TermKind::LinearTree: {
      SparsePenalty penalty;
      penalty.size = n;
      addLeaves(penalty, term, 0, strength);
      addLeaves(penalty, term, n / 2, strength);
      for (int64_t i = n / 2; i < n; ++i)
        penalty.add(i, i, 1, strength);
      return penalty;
    }
    case TermKind::Tensor:
      return ofTensor(term, strength);
    case TermKind::Physics:
      return term.getString("basis") == "fourier"
                 ? differentialFourier(n / 2, differentialWeights(term),
                                       strength)
                 : differentialSpline(n, differentialWeights(term), strength);
    case TermKind::PID:
      return diagonal({1, 1, term.getNumber("d_pen")}, strength);
    }
    llvm_unreachable("all terms are listed");
  }

private:
  /// A part of the entry at row * size + column.
  struct Placed {
    int64_t place;
    int32_t product;
  };

  /// The strength, times the learnt weight if there is one, for every leaf.
  void addLeaves(SparsePenalty &penalty, const Term &term, int64_t first,
                 int32_t strength) const {
    // The leaves' weights are the third table of trees.
    int64_t table =
        term.getNumber("sp_alpha") == 0 ? -1 : learners.firstTable(term) + 2;
    int64_t leaves = treesOf(term) * leavesOf(term);
    for (int64_t i = 0; i < leaves; ++i)
      penalty.add(first + i, first + i, 1, strength, table, i);
  }

  /// The product's strength times sum_i (I x .. P_i .. x I).
  SparsePenalty ofTensor(const Term &term, int32_t strength) {
    SparsePenalty sum;
    sum.size = columnsOf(term);
    SmallVector<Placed> known;
    int64_t outer = 1, inner = sum.size;
    for (const Term &factor : term.factors) {
      SparsePenalty own = of(factor);
      own.addUpEntries();
      // The products of sums stay as they are; the others, behind them, get
      // the strength.
      const auto ofSums = static_cast<int32_t>(sum.products.size());
      for (SparsePenalty::Product &product : own.products)
        if (product.source >= 0)
          product.source += sum.sums;
      llvm::append_range(sum.products, own.products);
      const auto ofParts = static_cast<int32_t>(sum.products.size());
      for (SparsePenalty::Product &product : own.products) {
        product.factors.push_back(strength);
        sum.products.push_back(std::move(product));
      }
      for (const SparsePenalty::Part &part : own.sumParts)
        sum.sumParts.push_back({part.sum + sum.sums, part.product + ofSums});
      sum.sums += own.sums;
      inner /= own.size;
      for (int64_t o = 0; o < outer; ++o)
        for (const SparsePenalty::Part &part : own.parts)
          for (int64_t q = 0; q < inner; ++q) {
            auto place = [&](int64_t i) {
              return (o * own.size + i) * inner + q;
            };
            const int64_t row = place(own.rows[part.sum]);
            const int64_t column = place(own.columns[part.sum]);
            const int32_t product = part.product + ofParts;
            if (const int64_t table = own.tableOf(part.sum); table >= 0)
              sum.parts.push_back(
                  {sum.addEntry(row, column, table, own.elementOf(part.sum)),
                   product});
            else
              known.push_back({row * sum.size + column, product});
          }
      outer *= own.size;
    }
    addSorted(sum, std::move(known));
    return sum;
  }

  /// Adds parts that no table multiplies: entries of one row and column are
  /// one, and sorted.
  static void addSorted(SparsePenalty &penalty, SmallVector<Placed> known) {
    // Parts of one entry stay in the order of the factors.
    llvm::stable_sort(known, [](const Placed &a, const Placed &b) {
      return a.place < b.place;
    });
    int64_t last = -1;
    for (const Placed &part : known) {
      if (part.place != last)
        penalty.addEntry(part.place / penalty.size, part.place % penalty.size);
      last = part.place;
      penalty.parts.push_back(
          {static_cast<int32_t>(penalty.rows.size() - 1), part.product});
    }
  }

  const Learners &learners;
  /// The next strength.
  int32_t next = 0;
};

} // namespace

/// The logarithm to base 10 of the strength of the intercept's penalty.
static constexpr double kOffsetAp = -9;

static Strength strengthOf(const std::string &name, int64_t effect, double ap,
                           double limit) {
  return {name, effect, ap, power(10.0, ap), std::min(limit, spec::maximumAp)};
}

/// `matrices` is as spec::apLimit takes it.
static void append(std::vector<Strength> &all, const Term &term,
                   int64_t matrices, const std::string &name, int64_t effect) {
  all.push_back(
      strengthOf(name, effect, term.ap, spec::apLimit(term, matrices)));
  if (term.kind == TermKind::Tensor)
    for (auto [i, factor] : llvm::enumerate(term.factors))
      append(all, factor, matrices, name + "[" + std::to_string(i) + "]",
             effect);
}

std::vector<Strength> tamc::collectStrengths(const spec::ModelSpec &spec) {
  std::vector<std::string> names = spec.effectNames();
  std::vector<Strength> all = {
      strengthOf(names.front(), 0, kOffsetAp, spec::maximumAp)};
  for (auto [index, term] : llvm::enumerate(spec.terms))
    append(all, term, spec::countFullMatrices(term), names[index + 1],
           static_cast<int64_t>(index) + 1);
  return all;
}

static Value build(OpBuilder &builder, Location loc,
                   const SparsePenalty &penalty, const Learners &learners,
                   Variables &variables) {
  auto encoding =
      tam::CoordinatesAttr::get(builder.getContext(), penalty.rows.size());
  auto type = RankedTensorType::get({penalty.size, penalty.size},
                                    builder.getF64Type(), encoding);
  tam::PenaltyParts parts;
  const auto entries = static_cast<int32_t>(penalty.rows.size());
  auto add = [&](const SparsePenalty::Part &part, int32_t before) {
    const SparsePenalty::Product &product = penalty.products[part.product];
    parts.add({before + part.sum, product.value, product.factors,
               product.source < 0 ? -1 : entries + product.source});
  };
  for (const SparsePenalty::Part &part : penalty.sumParts)
    add(part, entries);
  for (const SparsePenalty::Part &part : penalty.parts)
    add(part, 0);
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
  SmallVector<Value> weights;
  for (int64_t table : used)
    weights.push_back(variables.table(
        table, RankedTensorType::get(learners.tables[table].shape,
                                     builder.getF64Type())));
  bool isLearnt = !used.empty();
  return tam::PenaltyOp::create(
      builder, loc, type, weights, variables.strengths(), penalty.rows,
      penalty.columns, parts.values,
      isLearnt ? builder.getDenseI32ArrayAttr(which) : DenseI32ArrayAttr(),
      isLearnt ? builder.getDenseI32ArrayAttr(penalty.elements)
               : DenseI32ArrayAttr(),
      builder.getDenseI32ArrayAttr(parts.code));
}

SmallVector<Value> tamc::buildPenalties(OpBuilder &builder,
                                        ArrayRef<Location> locations,
                                        ArrayRef<Term> terms,
                                        const Learners &learners,
                                        Variables &variables) {
  PenaltyBuilder penaltyBuilder(learners);
  SmallVector<Value> penalties = {build(builder, locations.front(),
                                        penaltyBuilder.ofOffset(), learners,
                                        variables)};
  for (auto [term, loc] : llvm::zip(terms, locations.drop_front()))
    penalties.push_back(
        build(builder, loc, penaltyBuilder.of(term), learners, variables));
  return penalties;
}
