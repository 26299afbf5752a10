//===- core/run/ConjugateGradients.cpp - the matrix-free solver -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/ConjugateGradients.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Below this |b| the squares of residuals vanish, and nothing tells whether a
/// group has converged (docs/math.md section 4).
constexpr double kMinNorm = 1e-140;

/// A is at least 1e-6 T times the identity: a p'Ap below this times T p'p is a
/// rounding error, and no step is taken along p. Unlike a bound on p'Ap alone
/// this does not depend on the units of the target.
constexpr double kMinCurvature = 1e-12;

/// x, r, p, s and the weights of columns that are not factored.
constexpr int64_t kVectors = 5;

/// Columns of effects that are not factored.
int64_t openColumns(const tamrt_model &model) {
  int64_t columns = 0;
  for (int64_t i = 0; i < model.effect_count; ++i)
    if (!model.effects[i].factored)
      columns += model.effects[i].columns;
  return columns;
}

/// Checks n numbers: the first that is not finite sets an error of `context`.
bool isFinite(const double *values, int64_t n, tamrt_context &context) {
  const size_t bad = firstNotFinite(values, size_t(n));
  if (bad == size_t(n))
    return true;
  context.status = TAMRT_ERROR_OVERFLOW;
  context.detail = int64_t(bad);
  return false;
}

/// The same for a product of n numbers with others: the error names the column
/// of the largest.
bool isFinite(double product, const double *values, int64_t n,
              tamrt_context &context) {
  if (std::isfinite(product))
    return true;
  context.status = TAMRT_ERROR_OVERFLOW;
  context.detail = std::max_element(values, values + n,
                                    [](double a, double b) {
                                      return std::abs(a) < std::abs(b);
                                    }) -
                   values;
  return false;
}

} // namespace

int64_t cgSketchBytes(const tamrt_model &model) {
  return openColumns(model) > 0
             ? GramSketch::numbersFor(model.columns) * int64_t(sizeof(double))
             : 0;
}

int64_t cgVectorBytes(const tamrt_model &model) {
  return kVectors * alignedNumbers(model.columns) * int64_t(sizeof(double)) +
         cgSketchBytes(model);
}

CgIteration::CgIteration(const tamrt_model &model, const CgOptions &options,
                         double *vectors)
    : model(model), options(options), stride(alignedNumbers(model.columns)),
      x(vectors), r(x + stride), p(r + stride), s(p + stride),
      weight(s + stride), isOpen(openColumns(model) > 0),
      sketch(model.columns, weight, weight + stride) {}

const double *CgIteration::ones() {
  std::fill_n(p, model.columns, 1.0);
  return p;
}

void CgIteration::weigh(tamrt_context &context, int64_t groupRows) {
  if (!isFinite(s, model.columns, context))
    return;
  // The sum of a row of a penalty may be negative.
  const double least = TAMRT_PENALTY_FLOOR * double(groupRows);
  for (int64_t j = 0; j < model.columns; ++j)
    weight[j] = std::max(double(groupRows) * s[j], least);
}

void CgIteration::start(tamrt_context &context) {
  if (!isFinite(r, model.columns, context))
    return;
  std::fill_n(x, model.columns, 0.0);
  const double square = dot(r, r, model.columns);
  if (!isFinite(square, r, model.columns, context))
    return;
  norm = std::sqrt(square);
  if (norm >= kMinNorm) {
    judge();
    return;
  }
  // Without a step x is 0, which solves the equations only if b is 0.
  over = true;
  result.converged = std::all_of(r, r + model.columns,
                                 [](double value) { return value == 0; });
  result.residual = result.converged ? 0 : 1;
}

void CgIteration::judge() {
  result.residual = std::sqrt(dot(r, r, model.columns)) / norm;
  result.converged = result.residual < options.tolerance;
  over = result.converged || result.iterations >= options.maxIterations;
}

/// Computes s = r / weight for columns without a factored block.
void CgIteration::divide(const double *from) {
  for (int64_t i = 0; i < model.effect_count; ++i) {
    const tamrt_effect &effect = model.effects[i];
    if (effect.factored)
      continue;
    const int64_t end = effect.first_column + effect.columns;
    for (int64_t j = effect.first_column; j < end; ++j)
      s[j] = from[j] / weight[j];
  }
}

bool CgIteration::wantsSketch() const {
  return options.preconditioner == Preconditioner::Sketch && isOpen &&
         !triedSketch && sketch.size() > 0 &&
         result.iterations >= sketch.size();
}

const double *CgIteration::probe(int64_t i) {
  triedSketch = fresh = true;
  sketch.fill(i, p);
  return p;
}

void CgIteration::takePenalty(int64_t i, int64_t groupRows) {
  double *out = sketch.product(i);
  for (int64_t e = 0; e < model.effect_count; ++e) {
    const tamrt_effect &effect = model.effects[e];
    const int64_t end = effect.first_column + effect.columns;
    for (int64_t j = effect.first_column; j < end; ++j)
      out[j] = effect.factored ? -double(groupRows) * s[j] : -weight[j] * p[j];
  }
}

void CgIteration::takeProbe(int64_t i, tamrt_context &context) {
  if (!isFinite(s, model.columns, context))
    return;
  double *out = sketch.product(i);
  for (int64_t j = 0; j < model.columns; ++j)
    out[j] += s[j];
  ++result.iterations;
  over = result.iterations >= options.maxIterations;
}

void CgIteration::takeRow(int64_t j) {
  divide(sketch.row(j));
  sketch.take(j, s);
}

void CgIteration::turn() {
  const int64_t n = model.columns;
  if (!isPreconditioned())
    std::copy_n(r, n, s);
  else
    divide(r);
  if (sketch.isMade())
    sketch.apply(r, s);
  const double product = dot(r, s, n);
  if (fresh) {
    std::copy_n(s, n, p);
  } else {
    const double beta = product / previous;
    for (int64_t j = 0; j < n; ++j)
      p[j] = s[j] + beta * p[j];
  }
  fresh = false;
  previous = product;
}

void CgIteration::advance(tamrt_context &context, int64_t groupRows) {
  const int64_t n = model.columns;
  if (!isFinite(s, n, context))
    return;
  const double curvature = dot(p, s, n);
  if (!isFinite(curvature, s, n, context))
    return;
  const double least = kMinCurvature * double(groupRows) * dot(p, p, n);
  ++result.iterations;
  if (!(curvature > least) || !(previous > 0)) {
    over = true;
    return;
  }
  const double alpha = previous / curvature;
  for (int64_t j = 0; j < n; ++j) {
    x[j] += alpha * p[j];
    r[j] -= alpha * s[j];
  }
  judge();
}

} // namespace tamrt
