//===- core/run/WindowBasis.cpp - bases that move with windows ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/WindowBasis.h"

#include "core/model/Terms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace tamrt {
namespace {

/// The largest coefficient of a change: S loses twice as many digits.
constexpr double kMostChange = 8;

/// y = alpha x + beta of a value that is x before and y after.
struct Affine {
  double alpha, beta;

  Affine(const Range &from, const Range &to)
      : alpha(from.half / to.half), beta((from.centre - to.centre) / to.half) {}
};

} // namespace

WindowBasis::WindowBasis(const tamrt_model &model)
    : d(size_t(model.columns)), inputMoves(size_t(model.input_count)) {
  const Result<nlohmann::ordered_json> terms = parseTerms(model);
  // A model that does not know its terms has no such effects.
  if (!terms)
    return;
  std::vector<bool> isFixed(inputMoves.size());
  int64_t next = 0;
  for (const nlohmann::ordered_json &term : *terms) {
    const tamrt_effect &effect = model.effects[++next];
    const std::string kind = term["kind"];
    const bool isLinear = kind == "linear";
    size_t input = 0;
    if (isLinear || kind == "chebyshev")
      input = term["inputs"].front();
    if ((!isLinear && kind != "chebyshev") ||
        model.inputs[input].rule != TAMRT_RULE_RANGE) {
      for (size_t read : inputsOf(term))
        isFixed[read] = true;
      continue;
    }
    effects.push_back({size_t(effect.first_column), size_t(effect.columns),
                       input, isLinear ? double(term["factor"]) : 0});
  }
  std::erase_if(effects,
                [&](const Effect &effect) { return isFixed[effect.input]; });
  size_t columns = 0;
  for (const Effect &effect : effects) {
    inputMoves[effect.input] = true;
    columns += effect.columns;
  }
  ofOffset.resize(columns);
  ofColumns.resize(columns);
  rows.resize(columns * d);
  values.resize(columns);
  sizes.resize(columns);
}

/// T_degree(x), degree > 0; infinite if it is too large for a number, x > 1.
static double chebyshev(size_t degree, double x) {
  double before = 1, now = x;
  for (size_t k = 1; k < degree && std::isfinite(now); ++k)
    before = std::exchange(now, 2 * x * now - before);
  return now;
}

bool WindowBasis::canChange(size_t input, const Range &from,
                            const Range &to) const {
  const Affine change(from, to);
  const double reach = change.alpha + std::fabs(change.beta);
  if (!(change.alpha >= 1 / kMostChange && reach <= kMostChange))
    return false;
  // The coefficients of T_n(alpha x + beta) are at most T_n(alpha + |beta|).
  return std::all_of(effects.begin(), effects.end(), [&](const Effect &effect) {
    return effect.input != input || effect.factor != 0 || reach <= 1 ||
           chebyshev(effect.columns, reach) <= kMostChange;
  });
}

void WindowBasis::change(FunctionRef<std::pair<Range, Range>(size_t)> rangesOf,
                         size_t stride, double *matrix, double *vector,
                         double *norms) {
  const auto at = [&](size_t i, size_t k) -> double & {
    return matrix[(std::min(i, k) * d + std::max(i, k)) * stride];
  };
  size_t index = 0;
  for (const Effect &effect : effects) {
    const auto [from, to] = rangesOf(effect.input);
    const auto [alpha, beta] = Affine(from, to);
    if (effect.factor != 0) {
      ofOffset[index] = effect.factor * beta;
      ofColumns[index++] = {alpha};
      continue;
    }
    // T_(k+1)(y) = 2 y T_k(y) - T_(k-1)(y) in terms of T_0(x), T_1(x), ..
    std::vector<double> before = {1}, now = {beta, alpha};
    for (size_t k = 1; k <= effect.columns; ++k) {
      ofOffset[index] = now[0];
      ofColumns[index++].assign(now.begin() + 1, now.end());
      std::vector<double> next(k + 2);
      for (size_t j = 0; j <= k; ++j) {
        next[j] += 2 * beta * now[j];
        // x T_0 = T_1, x T_j = (T_(j+1) + T_(j-1)) / 2.
        next[j + 1] += (j == 0 ? 2 : 1) * alpha * now[j];
        if (j > 0)
          next[j - 1] += alpha * now[j];
      }
      for (size_t j = 0; j < k; ++j)
        next[j] -= before[j];
      before = std::move(now);
      now = std::move(next);
    }
  }

  // B S and B b, of which the other rows are those of S and b.
  index = 0;
  for (const Effect &effect : effects)
    for (size_t k = 0; k < effect.columns; ++k, ++index) {
      double *row = rows.data() + index * d;
      for (size_t c = 0; c < d; ++c)
        row[c] = ofOffset[index] * at(0, c);
      values[index] = ofOffset[index] * vector[0];
      sizes[index] = std::fabs(ofOffset[index]) * std::sqrt(norms[0]);
      for (size_t j = 0; j < ofColumns[index].size(); ++j) {
        const double factor = ofColumns[index][j];
        for (size_t c = 0; c < d; ++c)
          row[c] += factor * at(effect.first + j, c);
        values[index] += factor * vector[(effect.first + j) * stride];
        sizes[index] += std::fabs(factor) * std::sqrt(norms[effect.first + j]);
      }
    }
  // (B S) B': first the columns of S's other effects.
  index = 0;
  for (const Effect &effect : effects)
    for (size_t k = 0; k < effect.columns; ++k, ++index) {
      const double *row = rows.data() + index * d;
      const size_t i = effect.first + k;
      vector[i * stride] = values[index];
      norms[i] = sizes[index] * sizes[index];
      for (size_t c = 0; c < d; ++c)
        at(i, c) = row[c];
    }
  index = 0;
  for (const Effect &effect : effects)
    for (size_t k = 0; k < effect.columns; ++k, ++index) {
      const double *row = rows.data() + index * d;
      size_t other = 0;
      for (const Effect &with : effects)
        for (size_t l = 0; l < with.columns && other <= index; ++l, ++other) {
          double sum = ofOffset[other] * row[0];
          for (size_t j = 0; j < ofColumns[other].size(); ++j)
            sum += ofColumns[other][j] * row[with.first + j];
          at(effect.first + k, with.first + l) = sum;
        }
    }
}

} // namespace tamrt
