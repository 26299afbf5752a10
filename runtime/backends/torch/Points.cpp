//===- torch/Points.cpp - feature maps of several variables ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"

#include <cmath>
#include <limits>

namespace tamrt::aten {
namespace {

/// Here every radial function is zero and its polynomials are still finite.
constexpr double kFarAway = 1000;

/// The Matern function of any smoothness: the integral over v of
/// exp(nu v - e^v - r^2 e^-v / 4) / Gamma(nu) (DLMF 10.32.10 with t = e^v), by
/// the trapezoidal rule. The integrand is analytic in a strip around the real
/// axis and falls off exponentially, so the rule is exact to rounding.
Tensor matern(const Tensor &distance, double nu) {
  // The integrand at r = 0 is exp(nu v - e^v): its peak, at log(nu), has a
  // width of 1 / sqrt(nu).
  const double step = std::min(0.25, 0.5 / std::sqrt(nu));
  const double low = std::log(nu) - 45 / std::min(nu, std::sqrt(nu));
  const double high = std::log(nu + 12 * std::sqrt(nu) + 60);
  const double peak = std::lgamma(nu);
  const Tensor square = distance.mul(distance).div(-4);
  Tensor sum = at::zeros_like(distance);
  for (double v = low; v <= high; v += step) {
    const double constant = nu * v - std::exp(v) - peak;
    sum.add_(square.mul(std::exp(-v)).add(constant).exp());
  }
  // The tail below `low` at distance 0.
  return at::where(distance.eq(0), at::ones_like(distance), sum.mul(step));
}

/// phi of the distances times sqrt(2 nu gamma), or of the squared distances if
/// nu is 0.
Tensor radialOf(const Tensor &square, double gamma, double nu) {
  if (nu == 0)
    return square.mul(-gamma).exp();
  Tensor r = square.sqrt().mul(std::sqrt(2 * nu * gamma));
  if (nu != 0.5 && nu != 1.5 && nu != 2.5)
    return matern(r, nu);
  r = r.clamp_max(kFarAway);
  const Tensor decay = r.neg().exp();
  if (nu == 0.5)
    return decay;
  if (nu == 1.5)
    return decay.mul(r.add(1));
  return decay.mul(r.add(1).add(r.mul(r).div(3)));
}

/// Columns of an index of trees: leaves of tree b come after those of b - 1.
void writeLeaves(const Tensor &leaf, int64_t trees, int64_t leaves,
                 const Tensor &index) {
  index.copy_(leaf.add(at::arange(trees, integers()).mul(leaves)));
}

/// Whether a multi-hot index has room for the leaves of all trees.
void expectRoom(int64_t trees, int64_t leaves) {
  expect(trees >= 0 && trees <= std::numeric_limits<int32_t>::max() / leaves,
         7);
}

} // namespace

static void stack(const double *const *x, int64_t x_count, int64_t rows,
                  double *points) {
  const Tensor out = view(points, {rows, x_count});
  for (int64_t j = 0; j < x_count; ++j)
    out.select(1, j).copy_(view(x[j], {rows}));
}

static void slice(const double *points, int64_t rows, int64_t d, int64_t column,
                  int64_t n, double *out) {
  expect(column >= 0 && column <= d, 4);
  expect(n >= 0 && n <= d - column, 5);
  view(out, {rows, n})
      .copy_(view(points, {rows, d}).slice(1, column, column + n));
}

static void boundary(const double *points, int64_t rows, int64_t d,
                     int64_t mode, double *border, double *inside,
                     double *amount) {
  // `continue` has no border.
  expect(mode > TAMRT_CONTINUE && mode <= TAMRT_SATURATION, 4);
  const Tensor all = view(points, {rows, d});
  Tensor at = view(border, {rows, d});
  at::clamp_out(at, all, -1, 1);
  // Differences are divided by the greatest one first, because its square may
  // exceed a double.
  const Tensor difference = all.sub(at);
  Tensor greatest = at::zeros({rows}, numbers());
  for (int64_t j = 0; j < d; ++j)
    greatest = at::maximum(greatest, difference.select(1, j).abs());
  const Tensor isBeyond = greatest.gt(0);
  const Tensor unit = at::where(isBeyond, greatest, at::ones_like(greatest));
  Tensor squares = at::zeros({rows}, numbers());
  for (int64_t j = 0; j < d; ++j) {
    const Tensor share = difference.select(1, j).div(unit);
    squares = squares.add(share.mul(share));
  }
  const Tensor away = d == 1 ? greatest : greatest.mul(squares.sqrt());
  const Tensor divisor = at::where(isBeyond, away, at::ones_like(away));
  const Tensor direction = difference.div(divisor.unsqueeze(1));
  Tensor inner = view(inside, {rows, d});
  inner.copy_(at.sub(direction.mul(Evaluation::kStep)));
  Tensor reach = view(amount, {rows});
  if (mode == TAMRT_LINEAR)
    reach.copy_(away);
  else if (mode == TAMRT_SATURATION)
    reach.copy_(at::ones_like(away).sub(away.mul(-2).exp()).div(2));
  else
    reach.zero_();
}

static void blend_dense(const double *border, const double *inside,
                        const double *amount, int64_t rows, int64_t n,
                        double *values) {
  view(values, {rows, n})
      .copy_(blend(view(border, {rows, n}), view(inside, {rows, n}),
                   view(amount, {rows})));
}

static void blend_sparse(const double *border, const int32_t *border_index,
                         const double *inside, const int32_t *inside_index,
                         const double *amount, int64_t rows, int64_t z,
                         int64_t n, double *values, int32_t *index) {
  const Tensor at = view(border, {rows, z}), inner = view(inside, {rows, z});
  const Tensor atColumn = view(border_index, {rows, z});
  const Tensor innerColumn = view(inside_index, {rows, z});
  const Tensor share = view(amount, {rows}), none = at::zeros({}, numbers());
  const Tensor isBeyond = share.ne(0).unsqueeze(1);
  // Two numbers of one column are stored as one: the difference of two nearly
  // equal numbers, about 100000 times as large, would lose five digits.
  const Tensor isSame = innerColumn.eq(atColumn);
  const Tensor apart = isBeyond.logical_and(isSame.logical_not());
  const Tensor out = view(values, {rows, 2, z}), to = view(index, {rows, 2, z});
  const Tensor kept = at::where(isBeyond.logical_and(isSame), inner, none);
  out.select(1, 0).copy_(blend(at, kept, share));
  const Tensor slope =
      blend(at::zeros_like(inner), at::where(apart, inner, none), share);
  out.select(1, 1).copy_(at::where(apart, slope, none));
  to.select(1, 0).copy_(atColumn);
  to.select(1, 1).copy_(at::where(apart, innerColumn, atColumn));
}

static void neural_layer(const double *h, const double *weights,
                         const double *bias, const double *, int64_t rows,
                         int64_t d, int64_t n, int64_t activation, double scale,
                         double *values) {
  expect(activation >= TAMRT_RELU && activation <= TAMRT_TANH, 8);
  const Tensor in = view(h, {rows, d}), w = view(weights, {d, n});
  const Tensor b = view(bias, {n}), all = view(values, {rows, n});
  forEachPart(rows, 8 * n, [&](int64_t begin, int64_t end) {
    Tensor out = all.slice(0, begin, end), part = in.slice(0, begin, end);
    Tensor product = at::empty({end - begin, n}, numbers());
    out.zero_();
    // Inputs in their order: that of a matrix product depends on the rows.
    for (int64_t k = 0; k < d; ++k) {
      at::mul_out(product, part.slice(1, k, k + 1), w.slice(0, k, k + 1));
      out.add_(product);
    }
    out.add_(b);
    if (activation == TAMRT_RELU)
      out.clamp_min_(0);
    else if (activation == TAMRT_COS)
      out.cos_();
    else
      out.tanh_();
    out.mul_(scale);
  });
}

static void radial(const double *points, const double *centers,
                   const double *gamma, const double *, int64_t rows, int64_t d,
                   int64_t n, double nu, double *values) {
  const double g = read(gamma, 1)[0];
  expect(nu >= 0 && std::isfinite(std::sqrt(2 * nu * g)), 8);
  const Tensor all = view(points, {rows, d}), middles = view(centers, {n, d});
  const Tensor out = view(values, {rows, n});
  forEachPart(rows, 8 * n, [&](int64_t begin, int64_t end) {
    Tensor square = at::zeros({end - begin, n}, numbers());
    for (int64_t k = 0; k < d; ++k) {
      const Tensor difference =
          all.slice(0, begin, end).slice(1, k, k + 1).sub(middles.select(1, k));
      square.add_(difference.mul(difference));
    }
    out.slice(0, begin, end).copy_(radialOf(square, g, nu));
  });
}

static void tree_oblivious(const double *points, const int32_t *features,
                           const double *thresholds, const double *,
                           int64_t rows, int64_t d, int64_t trees,
                           int64_t depth, int32_t *index) {
  expect(depth >= 0 && depth <= 30, 8);
  expectRoom(trees, int64_t(1) << depth);
  const Tensor all = view(points, {rows, d});
  const Tensor feature = view(features, {trees, depth}).to(at::kLong);
  const Tensor threshold = view(thresholds, {trees, depth});
  const Tensor out = view(index, {rows, trees});
  forEachPart(rows, 16 * trees, [&](int64_t begin, int64_t end) {
    const Tensor part = all.slice(0, begin, end);
    Tensor leaf = at::zeros({end - begin, trees}, integers());
    for (int64_t j = 0; j < depth; ++j)
      leaf.add_(part.index_select(1, feature.select(1, j))
                    .gt(threshold.select(1, j))
                    .to(at::kLong)
                    .mul(int64_t(1) << j));
    writeLeaves(leaf, trees, int64_t(1) << depth, out.slice(0, begin, end));
  });
}

static void tree_flat(const double *points, const int32_t *features,
                      const double *thresholds, const double *, int64_t rows,
                      int64_t d, int64_t trees, int64_t leaves,
                      int32_t *index) {
  expect(leaves >= 1, 8);
  expectRoom(trees, leaves);
  const Tensor all = view(points, {rows, d});
  const Tensor feature = view(features, {trees}).to(at::kLong);
  const Tensor threshold = view(thresholds, {trees, leaves - 1});
  const Tensor out = view(index, {rows, trees});
  forEachPart(rows, 16 * trees, [&](int64_t begin, int64_t end) {
    const Tensor x = all.slice(0, begin, end).index_select(1, feature);
    Tensor leaf = at::zeros({end - begin, trees}, integers());
    for (int64_t j = 0; j < leaves - 1; ++j)
      leaf.add_(threshold.select(1, j).lt(x).to(at::kLong));
    writeLeaves(leaf, trees, leaves, out.slice(0, begin, end));
  });
}

void addPoints(Bodies &all) {
  all.stack = stack;
  all.slice = slice;
  all.boundary = boundary;
  all.blend_dense = blend_dense;
  all.blend_sparse = blend_sparse;
  all.neural_layer = neural_layer;
  all.radial = radial;
  all.tree_oblivious = tree_oblivious;
  all.tree_flat = tree_flat;
}

} // namespace tamrt::aten
