//===- PenaltyLimits.cpp - how large penalties may be ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/PenaltyLimits.h"

#include "tamc/Spec/Terms.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamc::spec {
namespace {

/// The sum of the squares of the largest `count` neighbouring coefficients of
/// the difference of an order; infinity if it exceeds a double. O(order).
double largestDifference(int64_t order, int64_t count) {
  // The coefficients decrease on both sides of the middle one.
  double middle = 1;
  for (int64_t i = 1; i <= order / 2; ++i)
    middle *= static_cast<double>(order - i + 1) / static_cast<double>(i);
  double left = middle, right = middle, sum = middle * middle;
  int64_t low = order / 2, high = order / 2;
  for (int64_t i = 1; i < count && (low > 0 || high < order); ++i) {
    double below = low > 0 ? left * static_cast<double>(low) /
                                 static_cast<double>(order - low + 1)
                           : 0;
    double above = high < order ? right * static_cast<double>(order - high) /
                                      static_cast<double>(high + 1)
                                : 0;
    if (below >= above) {
      left = below;
      --low;
    } else {
      right = above;
      ++high;
    }
    sum += std::max(below, above) * std::max(below, above);
  }
  return sum;
}

/// The largest number of D'D for differences of `order` of n values.
double largestDifferencePenalty(int64_t order, int64_t n) {
  return order < n ? largestDifference(order, n - order) : 0;
}

/// Calls body(order, weight) for each weight of a phys.
template <class Body> void forEachWeight(const Term &term, const Body &body) {
  for (int order = 0; order <= termInfo(term.kind).find("D0")->max; ++order) {
    auto weight = term.parameters.find(("D" + llvm::Twine(order)).str());
    if (weight != term.parameters.end())
      body(order, std::abs(std::get<double>(weight->second)));
  }
}

/// At strength 1.
double largestOfPhysics(const Term &term) {
  bool spline = term.getString("basis") == "spline";
  double reach = 0;
  forEachWeight(term, [&](int order, double weight) {
    // The norm of a row of L is at most the sum of those of its differences.
    reach +=
        weight *
        (spline ? std::sqrt(largestDifference(order, order + 1))
                : std::pow(static_cast<double>(term.getInt("n_coeffs") / 2),
                           order));
  });
  return reach * reach;
}

/// At strength 1; of a product that of its factors with their strengths.
double largestNumber(const Term &term) {
  auto sobolev = [&](llvm::StringRef order) {
    return 1 + std::pow(static_cast<double>(term.getInt(order)),
                        2 * term.getNumber("s"));
  };
  switch (term.kind) {
  case TermKind::Fourier:
    return sobolev("m");
  case TermKind::Chebyshev:
    return sobolev("deg");
  case TermKind::Spline:
    return largestDifferencePenalty(term.getInt("p"),
                                    term.getInt("k") + term.getInt("deg"));
  case TermKind::Categorical:
    if (term.getString("topo") == "ordinal")
      return largestDifferencePenalty(
          term.getInt("p_order"),
          term.isNone("n_cat") ? allRows : term.getInt("n_cat"));
    return 2;
  case TermKind::Wavelet:
    return std::pow(4.0, static_cast<double>(term.getInt("n_scales") - 1));
  case TermKind::PID:
    return std::max(1.0, term.getNumber("d_pen"));
  case TermKind::Physics:
    return largestOfPhysics(term);
  case TermKind::Tensor: {
    double sum = 0;
    for (const Term &factor : term.factors)
      sum += largestPenalty(factor);
    return sum;
  }
  case TermKind::LinearTree:
    return 2;
  default:
    return 1;
  }
}

/// Whether the matrix of a term that is no product is diagonal.
bool isDiagonal(const Term &term) {
  switch (term.kind) {
  case TermKind::Spline:
    return term.getInt("p") == 0;
  case TermKind::Categorical:
    return term.getString("topo") != "ordinal" || term.getInt("p_order") == 0;
  case TermKind::Physics: {
    bool isDiagonal = true;
    forEachWeight(term, [&](int order, double weight) {
      isDiagonal &= order == 0 || weight == 0;
    });
    return isDiagonal || term.getString("basis") == "fourier";
  }
  default:
    return true;
  }
}

} // namespace

double largestPenalty(const Term &term) {
  return std::pow(10.0, term.ap) * largestNumber(term);
}

int64_t countFullMatrices(const Term &term) {
  int64_t count = isDiagonal(term) ? 0 : 1;
  for (const Term &factor : term.factors)
    count += countFullMatrices(factor);
  return count;
}

double apLimit(const Term &term, int64_t matrices) {
  double largest = isDiagonal(term)
                       ? 0
                       : largestNumber(term) * static_cast<double>(matrices);
  if (largest == 0)
    return std::numeric_limits<double>::infinity();
  // Rounding errors of the sum's largest number stay below 2^-20 of the row
  // count.
  constexpr double bits = 53 - 20;
  return std::floor((bits * std::log10(2.0) - std::log10(largest)) * 10) / 10;
}

} // namespace tamc::spec
