//===- core/run/Statistics.cpp - statistics of training rows --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Statistics.h"

#include "core/data/CompensatedSum.h"
#include "core/run/Quality.h"
#include "core/run/Work.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamrt {

static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

static double ratio(double a, double b) { return b > 0 ? a / b : kNone; }

/// Scales what FIT_INFER left of a group. With weights whose mean is 1, both A
/// and sigma2 are divided by the mean.
static void scaleBy(const tamrt_model &model, size_t group, double weightMean,
                    double sigma2, Inference &inference) {
  inference.fieldsOf(group)[kLogDeterminant] +=
      double(model.columns) * cpu::logarithm(weightMean);
  double *covariance = inference.covarianceOf(model, group);
  for (int64_t i = 0; i < triangleSize(model.columns); ++i)
    covariance[i] *= sigma2;
}

void finishFromSums(const tamrt_model &model, const System &system,
                    double weightMean, const double *coefficients, size_t group,
                    Inference &inference) {
  const auto d = size_t(model.columns);
  const TargetSum target = system.target.all();
  const double *b = system.vector.data();
  // S beta, and beta'S beta. The matrix has the floor.
  std::vector<double> fitted(d);
  double vectorBeta = 0, quadratic = 0;
  for (size_t i = 0; i < d; ++i) {
    const double *column = system.matrix.data() + i * d;
    for (size_t k = 0; k < d; ++k)
      fitted[i] += column[k] * coefficients[k];
    fitted[i] -= TAMRT_PENALTY_FLOOR * system.rows * coefficients[i];
    vectorBeta += b[i] * coefficients[i];
    quadratic += fitted[i] * coefficients[i];
  }
  // The first column is the offset's, of ones.
  const double weight = system.matrix[0] - TAMRT_PENALTY_FLOOR * system.rows;
  const double mean = b[0] / weight, sum = fitted[0];
  // NaN stays NaN.
  auto positive = [](double value) { return value < 0 ? 0 : value; };
  // The products with the coefficients may vanish, too.
  const double rss =
      system.squaresVanish()
          ? kNone
          : positive(target.squares() - 2 * vectorBeta + quadratic);
  const double variance = positive(quadratic - sum * (sum / weight));
  double *fields = inference.fieldsOf(group);
  const double sigma2 = ratio(rss, target.positiveRows() - fields[kEdf]);
  for (GroupField field :
       {kAbsolute, kRelative, kRelativeWeight, kTargetAbsolute, kAcf1, kDrift})
    fields[field] = kNone;
  fields[kRows] = target.positiveRows();
  fields[kWeight] = weightMean * weight;
  fields[kRss] = weightMean * rss;
  fields[kSigma2] = weightMean * sigma2;
  fields[kTargetMean] = mean;
  fields[kTargetSquares] =
      weightMean * positive(target.squares() - b[0] * mean);
  for (size_t e = 0; e < size_t(model.effect_count); ++e) {
    const tamrt_effect &effect = model.effects[e];
    const auto first = size_t(effect.first_column),
               end = first + size_t(effect.columns);
    double own = 0, squares = 0, products = 0;
    for (size_t i = first; i < end; ++i) {
      const double *column = system.matrix.data() + i * d;
      double inner = -TAMRT_PENALTY_FLOOR * system.rows * coefficients[i];
      for (size_t k = first; k < end; ++k)
        inner += column[k] * coefficients[k];
      squares += coefficients[i] * inner;
      products += coefficients[i] * fitted[i];
      own += coefficients[i] * (i == 0 ? weight : column[0]);
    }
    double *of = inference.fieldsOf(model, group, e);
    of[kLow] = of[kHigh] = kNone;
    // The offset is the same in all rows.
    of[kSd] =
        e == 0 ? 0
               : std::sqrt(positive(squares - own * (own / weight)) / weight);
    of[kShare] = ratio(e == 0 ? 0 : products - own * (sum / weight), variance);
  }
  scaleBy(model, group, weightMean, sigma2, inference);
}

/// Of one group. Predictions are measured from that of the first row.
struct TrainingStatistics::Sums {
  size_t all = 0;
  double predictionStart = 0, first = 0, last = 0;
  /// With row weights.
  ResidualSums rows;
  CompensatedSum predictions, predictionSquares;
  /// Without: residuals, their squares, their products with the one before and
  /// with the row's index.
  CompensatedSum residuals, plainSquares, products, moments;
};

/// Of one effect in one group.
struct TrainingStatistics::Effect {
  double start = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  CompensatedSum sum, squares, products;
};

TrainingStatistics::TrainingStatistics(const tamrt_model &model, size_t count)
    : model(model), groups(count), effects(count * size_t(model.effect_count)) {
}

TrainingStatistics::~TrainingStatistics() = default;

void TrainingStatistics::addRow(size_t group, double target, double weight,
                                const double *terms) {
  Sums &sums = groups[group];
  const auto count = size_t(model.effect_count);
  Effect *own = effects.data() + group * count;
  double prediction = 0;
  for (size_t i = 0; i < count; ++i)
    prediction += terms[i];
  const double residual = target - prediction;
  if (sums.all == 0) {
    sums.predictionStart = prediction;
    sums.first = residual;
    for (size_t i = 0; i < count; ++i)
      own[i].start = terms[i];
  } else {
    sums.products.add(residual * sums.last);
  }
  sums.last = residual;
  sums.residuals.add(residual);
  sums.plainSquares.add(residual * residual);
  sums.moments.add(double(sums.all) * residual);
  ++sums.all;
  for (size_t i = 0; i < count; ++i) {
    own[i].low = std::min(own[i].low, terms[i]);
    own[i].high = std::max(own[i].high, terms[i]);
  }
  if (!(weight > 0))
    return;

  sums.rows.add(target, prediction, weight);
  const double p = prediction - sums.predictionStart;
  sums.predictions.add(weight * p);
  sums.predictionSquares.add(weight * p * p);
  for (size_t i = 0; i < count; ++i) {
    const double f = terms[i] - own[i].start;
    own[i].sum.add(weight * f);
    own[i].squares.add(weight * f * f);
    own[i].products.add(weight * f * p);
  }
}

Status TrainingStatistics::add(const Dataset &data, const Weights &weights,
                               const RunOptions &options) {
  Result<Crew> crew = makeCrew(model, TAMRT_STEP_TERMS, data.groups().size(),
                               data.longestGroup(), options);
  if (!crew)
    return std::move(crew).error();
  Work work(model, data.groups(), *crew, options, "residuals");
  Status done = work.run([&](Worker &worker, size_t g) {
    const Group &group = data.groups()[g];
    const size_t before = groups[group.place].all;
    weights.normalization.parameters(model, group.place,
                                     worker.place.parameters);
    worker.place.tables = weights.tables.pointers();
    attemptChunks(
        *crew->ladder, worker, TAMRT_STEP_TERMS, group.rows,
        [&](const tamrt_step &step, size_t first, size_t rows) {
          worker.setColumns(model, data, group.first + first);
          worker.run(step, weights.of(group.place, model), int64_t(rows),
                     int64_t(before + first), int64_t(before + group.rows),
                     int64_t(group.rows - first - rows));
        },
        [&](size_t first, size_t rows) {
          for (size_t i = 0; i < rows; ++i) {
            const size_t row = group.first + first + i;
            addRow(group.place, data.target()[row],
                   data.weights() ? data.weights()[row] : 1.0,
                   worker.place.output + i * size_t(model.effect_count));
          }
          work.done(worker, rows);
        });
  });
  if (done)
    crew->ladder->summarize();
  return done;
}

void TrainingStatistics::finish(std::span<const double> weightMeans,
                                Inference &inference) const {
  const auto count = size_t(model.effect_count);
  for (size_t g = 0; g < groups.size(); ++g) {
    const Sums &sums = groups[g];
    const double scale = weightMeans.empty() ? 1.0 : weightMeans[g];
    const QualitySums rows = sums.rows.sums();
    const double weight = rows.weight;
    double *fields = inference.fieldsOf(g);
    fields[kRows] = rows.rows;
    fields[kWeight] = scale * weight;
    fields[kRss] = scale * rows.squares;
    // What the rows leave to estimate the variance from may be nothing.
    const double sigma2 = ratio(rows.squares, rows.rows - fields[kEdf]);
    fields[kSigma2] = scale * sigma2;
    fields[kAbsolute] = scale * rows.absolutes;
    fields[kRelative] = scale * rows.relatives;
    fields[kRelativeWeight] = scale * rows.relativeWeight;
    fields[kTargetAbsolute] = scale * rows.targetAbsolutes;
    fields[kTargetMean] = rows.targetMean;
    fields[kTargetSquares] = scale * rows.targetSquares;
    auto spread = [&](const CompensatedSum &sum,
                      const CompensatedSum &squares) {
      return std::max(squares.value() - sum.value() * (sum.value() / weight),
                      0.0);
    };
    const auto n = double(sums.all);
    const double total = sums.residuals.value(), mean = total / n;
    // sum over t >= 2 of (r_t - m) (r_(t-1) - m).
    fields[kAcf1] = ratio(sums.products.value() -
                              mean * (2 * total - sums.first - sums.last) +
                              (n - 1) * mean * mean,
                          sums.plainSquares.value() - n * mean * mean);
    // Slope over the row's index, times n - 1.
    const double middle = (n - 1) / 2, indices = n * (n * n - 1) / 12;
    fields[kDrift] =
        ratio((sums.moments.value() - middle * total) * (n - 1), indices);
    const double variance = spread(sums.predictions, sums.predictionSquares);
    for (size_t i = 0; i < count; ++i) {
      const Effect &own = effects[g * count + i];
      double *of = inference.fieldsOf(model, g, i);
      of[kLow] = own.low;
      of[kHigh] = own.high;
      of[kSd] = std::sqrt(spread(own.sum, own.squares) / weight);
      of[kShare] =
          ratio(own.products.value() -
                    own.sum.value() * (sums.predictions.value() / weight),
                variance);
    }
    scaleBy(model, g, scale, sigma2, inference);
  }
}

} // namespace tamrt
