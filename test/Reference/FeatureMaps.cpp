//===- FeatureMaps.cpp - feature maps, straight from the formulas ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FeatureMaps.h"

#include "tamrt/abi.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace tamc::reference;
using std::numbers::pi;

Vector tamc::reference::extrapolate(const FeatureMap &map, Beyond mode,
                                    double x) {
  if (mode == Beyond::Continue || (x >= -1 && x <= 1))
    return map(x);
  double border = std::clamp(x, -1.0, 1.0);
  Vector row = map(border);
  if (mode == Beyond::Constant)
    return row;
  double delta = x - border, r = std::abs(delta), u = delta / r, eps = 1e-5;
  Vector inside = map(border - eps * u);
  double reach = mode == Beyond::Linear ? r : (1 - std::exp(-2 * r)) / 2;
  for (size_t i = 0; i < row.size(); ++i)
    row[i] += reach * ((row[i] - inside[i]) / eps);
  return row;
}

Vector tamc::reference::linearRow(double x, double scale) {
  return {scale * x};
}

Vector tamc::reference::fourierRow(double x, int64_t order, bool cyclic) {
  Vector row;
  auto theta = [&](int64_t k) { return cyclic ? pi * k * x : pi * k * x / 2; };
  for (int64_t k = 1; k <= order; ++k)
    row.push_back(std::cos(theta(k)));
  for (int64_t k = 1; k <= order; ++k)
    row.push_back(std::sin(theta(k)));
  return row;
}

/// B_(i,degree)(x) on `knots`; a quotient over a gap of at most 1e-8 is zero.
static double coxDeBoor(const Vector &knots, size_t i, int64_t degree,
                        double x) {
  if (degree == 0)
    return knots[i] <= x && x < knots[i + 1] ? 1 : 0;
  double value = 0;
  double left = knots[i + degree] - knots[i];
  if (left > 1e-8)
    value += (x - knots[i]) / left * coxDeBoor(knots, i, degree - 1, x);
  double right = knots[i + degree + 1] - knots[i + 1];
  if (right > 1e-8)
    value += (knots[i + degree + 1] - x) / right *
             coxDeBoor(knots, i + 1, degree - 1, x);
  return value;
}

Vector tamc::reference::splineRow(double x, int64_t intervals, int64_t degree,
                                  double lo, double hi) {
  Vector knots(degree + 1, lo);
  for (int64_t i = 1; i < intervals; ++i)
    knots.push_back(lo + (hi - lo) * i / intervals);
  knots.insert(knots.end(), degree + 1, hi);
  double inside = std::clamp(x, lo, hi - 1e-6);
  Vector row;
  for (int64_t i = 0; i < intervals + degree; ++i)
    row.push_back(coxDeBoor(knots, i, degree, inside));
  return row;
}

Vector tamc::reference::chebyshevRow(double x, int64_t degree) {
  Vector all{1, x};
  while (static_cast<int64_t>(all.size()) <= degree)
    all.push_back(2 * x * all[all.size() - 1] - all[all.size() - 2]);
  return Vector(all.begin() + 1, all.begin() + 1 + degree);
}

Vector tamc::reference::categoryRow(double x, int64_t levels) {
  double position = (x + 1) / 2 * static_cast<double>(levels - 1);
  double rounded = std::floor(position);
  double rest = position - rounded;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(rounded, 2) != 0))
    rounded += 1;
  Vector row(levels);
  row[std::clamp<double>(rounded, 0, static_cast<double>(levels - 1))] = 1;
  return row;
}

Vector tamc::reference::levelRow(int32_t code, int64_t levels) {
  Vector row(levels);
  if (code >= 0)
    row.at(code) = 1;
  else
    for (int32_t i = 0; code != TAMRT_INDEX_MEAN(i); ++i)
      row.at(i) = 1;
  double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double &value : row)
    value /= sum == 0 ? 1 : sum;
  return row;
}

Vector tamc::reference::affineRow(double x, double scale) {
  return {1, scale * x};
}

Vector tamc::reference::waveletRow(double x, int64_t scales, int64_t locations,
                                   double lo, double hi) {
  double span = hi == lo ? 1 : hi - lo;
  Vector row;
  for (int64_t i = 0; i < scales; ++i) {
    double a = std::pow(2.0, static_cast<double>(-i)) * 0.2 * span;
    for (int64_t j = 0; j < locations; ++j) {
      double b = locations == 1 ? lo : lo + (hi - lo) * j / (locations - 1);
      double u = (x - b) / a;
      row.push_back((1 - u * u) * std::exp(-u * u / 2) / std::sqrt(a));
    }
  }
  return row;
}

Vector tamc::reference::neuralRow(const Vector &point,
                                  const std::vector<Matrix> &weights,
                                  const std::vector<Vector> &bias,
                                  int64_t activation) {
  Vector h = point;
  for (size_t layer = 0; layer < weights.size(); ++layer) {
    const Matrix &w = weights[layer];
    Vector next(w.columns);
    for (size_t j = 0; j < w.columns; ++j) {
      for (size_t i = 0; i < w.rows; ++i)
        next[j] += h[i] * w.at(i, j);
      next[j] += bias[layer][j];
      next[j] = activation == TAMRT_RELU  ? std::max(next[j], 0.0)
                : activation == TAMRT_COS ? std::cos(next[j])
                                          : std::tanh(next[j]);
    }
    h = next;
  }
  for (double &value : h)
    value /= std::sqrt(static_cast<double>(h.size()));
  return h;
}

Vector tamc::reference::radialRow(const Vector &point, const Matrix &centers,
                                  double gamma, double nu) {
  Vector row;
  for (size_t c = 0; c < centers.rows; ++c) {
    double square = 0;
    for (size_t i = 0; i < point.size(); ++i)
      square += std::pow(point[i] - centers.at(c, i), 2);
    double r = std::sqrt(2 * nu * gamma) * std::sqrt(square);
    if (nu == 0)
      row.push_back(std::exp(-gamma * square));
    else if (nu == 0.5)
      row.push_back(std::exp(-r));
    else if (nu == 1.5)
      row.push_back((1 + r) * std::exp(-r));
    else if (nu == 2.5)
      row.push_back((1 + r + r * r / 3) * std::exp(-r));
    else
      // Beyond 700 the function is below 1e-300, and the library throws at some
      // point.
      row.push_back(r == 0    ? 1
                    : r > 700 ? 0
                              : std::pow(2, 1 - nu) / std::tgamma(nu) *
                                    std::pow(r, nu) * std::cyl_bessel_k(nu, r));
  }
  return row;
}

Vector tamc::reference::treeRow(const Vector &point, const Matrix &features,
                                const Matrix &thresholds, int64_t leaves,
                                bool oblivious) {
  size_t trees = features.rows;
  Vector row(trees * leaves);
  for (size_t b = 0; b < trees; ++b) {
    size_t leaf = 0;
    for (size_t j = 0; j < thresholds.columns; ++j) {
      auto feature = static_cast<size_t>(features.at(b, oblivious ? j : 0));
      if (point[feature] > thresholds.at(b, j))
        leaf += oblivious ? size_t(1) << j : 1;
    }
    row[b * leaves + leaf] = 1 / std::sqrt(static_cast<double>(trees));
  }
  return row;
}

Matrix tamc::reference::pidRows(const Vector &x, int64_t window,
                                int64_t groupRows, Vector &history) {
  auto w = static_cast<double>(std::min(window, groupRows));
  Matrix rows(x.size(), 3);
  Vector all(history.begin() + 1, history.end());
  for (size_t t = 0; t < x.size(); ++t) {
    all.push_back(x[t]);
    history[0] += x[t];
    double sum = 0;
    for (auto it = all.end() - static_cast<int64_t>(w); it != all.end(); ++it)
      sum += *it;
    rows.at(t, 0) = x[t];
    rows.at(t, 1) = window == 0 ? history[0] : sum / w;
    rows.at(t, 2) = x[t] - all[all.size() - 2];
  }
  std::copy(all.end() - (window + 1), all.end(), history.begin() + 1);
  return rows;
}
