//===- app/StandardErrors.cpp - errors of predictions ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/StandardErrors.h"

#include "app/Commands.h"
#include "core/model/Steps.h"
#include "io/Number.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace tamrt {
namespace {

/// A polynomial, its constant first.
double polynomial(std::initializer_list<double> coefficients, double x) {
  double sum = 0;
  for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c)
    sum = sum * x + *c;
  return sum;
}

/// Element (i, j) of a symmetric matrix, of which `triangle` has the lower
/// triangle row by row.
double elementOf(const double *triangle, int64_t i, int64_t j) {
  return triangle[triangleSize(std::max(i, j)) + std::min(i, j)];
}

/// Products of values so large that their sum overflows may be infinite with
/// both signs, so that it is no number; it is infinite then.
double rootOf(double variance) {
  return std::isnan(variance) ? std::numeric_limits<double>::infinity()
                              : std::sqrt(std::max(variance, 0.0));
}

} // namespace

double normalQuantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial({3.3871328727963666080, 133.14166789178437745,
                       1971.5909503065514427, 13731.693765509461125,
                       45921.953931549871457, 67265.770927008700853,
                       33430.575583588128105, 2509.0809287301226727},
                      r) /
           polynomial({1.0, 42.313330701600911252, 687.18700749205790830,
                       5394.1960214247511077, 21213.794301586595867,
                       39307.895800092710610, 28729.085735721942674,
                       5226.4952788528545610},
                      r);
  }
  const double r = std::sqrt(-cpu::logarithm(q < 0 ? p : 1 - p));
  const double x =
      r <= 5
          ? polynomial({1.42343711074968357734, 4.63033784615654529590,
                        5.76949722146069140550, 3.64784832476320460504,
                        1.27045825245236838258, 0.241780725177450611770,
                        0.0227238449892691845833, 7.74545014278341407640e-4},
                       r - 1.6) /
                polynomial({1.0, 2.05319162663775882187, 1.67638483018380384940,
                            0.689767334985100004550, 0.148103976427480074590,
                            0.0151986665636164571966, 5.47593808499534494600e-4,
                            1.05075007164441684324e-9},
                           r - 1.6)
          : polynomial({6.65790464350110377720, 5.46378491116411436990,
                        1.78482653991729133580, 0.296560571828504891230,
                        0.0265321895265761230930, 0.00124266094738807843860,
                        2.71155556874348757815e-5, 2.01033439929228813265e-7},
                       r - 5) /
                polynomial(
                    {1.0, 0.599832206555887937690, 0.136929880922735805310,
                     0.0148753612908506148525, 7.86869131145613259100e-4,
                     1.84631831751005468180e-5, 1.42151175831644588870e-7,
                     2.04426310338993978564e-15},
                    r - 5);
  return q < 0 ? -x : x;
}

Status checkVariance(const tamrt_model &model, const Weights &weights,
                     size_t group) {
  const Inference &known = weights.inference;
  if (std::isfinite(known.field(group, kSigma2)))
    return {};
  const std::string place =
      model.group ? "group '" + weights.groups[group] + "': " : "";
  const auto rows = int64_t(known.field(group, kRows));
  if (known.field(group, kEdf) < double(rows))
    return Error{place + "expected a finite variance of the residuals for "
                         "standard errors, got an overflow or an underflow; "
                         "scale the target and fit again"};
  return Error{place +
               "expected more training rows than effective degrees of "
               "freedom for standard errors, got " +
               std::to_string(rows)};
}

double varianceOfNew(double sigma2, double weight) {
  return weight > 0 ? sigma2 / weight : std::numeric_limits<double>::infinity();
}

StandardErrors::StandardErrors(const tamrt_model &model, const Options &options,
                               const Weights &weights)
    : model(model), options(options), weights(weights),
      hasInference(partsFor(options).inference == FilePart::Yes),
      hasCalibration(partsFor(options).calibration == FilePart::Yes) {
  // 1 - level is exact for levels near 1, and (1 + level) / 2 is not.
  for (double level : options.intervals)
    quantiles.push_back(-normalQuantile(0.5 * (1 - level)));
  columnCount = names().size();
}

void StandardErrors::prepareOffsets(size_t group) {
  const size_t levels = options.intervals.size();
  isPrepared.resize(weights.groups.size());
  offsets.resize(weights.groups.size() * levels);
  if (isPrepared[group])
    return;
  isPrepared[group] = true;
  for (size_t i = 0; i < levels; ++i)
    offsets[group * levels + i] =
        conformalOffsets(weights.calibration.of(group), options.intervals[i],
                         options.method == IntervalMethod::ConformalSigned);
}

std::vector<std::string> StandardErrors::notes() const {
  if (!lacksRowWeights)
    return {};
  return {fmt::format("column '{}' is missing: intervals are those of rows of "
                      "weight 1",
                      model.weights)};
}

std::vector<std::string> StandardErrors::warnings() const {
  std::vector<std::string> list;
  if (infinite > 0)
    list.push_back(
        fmt::format("intervals of {} of {} rows are infinite: their weights in "
                    "column '{}' are 0 or too small",
                    infinite, rowCount, model.weights));
  for (size_t i = 0; i < options.intervals.size() && !offsets.empty(); ++i) {
    std::vector<size_t> groups;
    for (size_t g = 0; g < isPrepared.size(); ++g)
      if (isPrepared[g] &&
          std::isinf(offsets[g * options.intervals.size() + i].upper))
        groups.push_back(g);
    if (groups.empty())
      continue;
    list.push_back(fmt::format(
        "intervals of level {} are infinite{}: expected at least {} held-out "
        "rows, got {}{}",
        formatNumber(options.intervals[i]),
        !model.group ? ""
        : groups.size() == 1
            ? fmt::format(" in group '{}'", weights.groups[groups.front()])
            : fmt::format(" in {} groups", groups.size()),
        residualsNeeded(options.intervals[i],
                        options.method == IntervalMethod::ConformalSigned),
        weights.calibration.of(groups.front()).size(),
        groups.size() > 1
            ? fmt::format(" in group '{}'", weights.groups[groups.front()])
            : ""));
  }
  return list;
}

void StandardErrors::prepareEffects(size_t group) {
  const auto d = size_t(model.columns), e = size_t(model.effect_count);
  const size_t groups = weights.groups.size();
  isPrepared.resize(groups);
  products.resize(groups * d);
  meanVariances.resize(groups * e);
  meanEffects.resize(groups * e);
  if (isPrepared[group])
    return;
  isPrepared[group] = true;
  const double *v = weights.inference.covarianceOf(model, group);
  const double *beta = weights.of(group, model);
  const double *means = weights.inference.meansOf(model, group);
  std::vector<double> mean(means, means + d);
  double *variances = meanVariances.data() + group * e;
  double *effects = meanEffects.data() + group * e;
  for (size_t j = 0; j < e; ++j) {
    const int64_t first = model.effects[j].first_column;
    const int64_t end = first + model.effects[j].columns;
    for (int64_t i = first; i < end; ++i) {
      double product = 0;
      for (int64_t k = first; k < end; ++k)
        product += elementOf(v, i, k) * mean[size_t(k)];
      products[group * d + size_t(i)] = product;
      variances[j] += mean[size_t(i)] * product;
      effects[j] += mean[size_t(i)] * beta[i];
    }
  }
  // The offset is what the means of all effects add up to.
  mean[size_t(model.effects[0].first_column)] = 1;
  variances[0] = effects[0] = 0;
  for (size_t j = 1; j < e; ++j)
    effects[0] -= effects[j];
  for (int64_t i = 0; i < model.columns; ++i)
    for (int64_t k = 0; k < model.columns; ++k)
      variances[0] += mean[size_t(i)] * elementOf(v, i, k) * mean[size_t(k)];
}

std::vector<std::string> StandardErrors::names() const {
  std::vector<std::string> names;
  if (options.se && options.type == TAMRT_STEP_TERMS)
    for (const std::string &name : outputNames(model, options.type))
      names.push_back("se_" + name);
  else if (options.se)
    names.push_back("se");
  for (const std::string &name : options.intervalNames) {
    names.push_back("lower_" + name);
    names.push_back("upper_" + name);
  }
  return names;
}

size_t StandardErrors::bytesPerRow() const {
  if (!areAsked(options))
    return 0;
  size_t numbers = width();
  if (hasInference)
    numbers += size_t(outputWidth(model, TAMRT_STEP_VARIANCES));
  if (options.type == TAMRT_STEP_TERMS)
    numbers += size_t(model.effect_count);
  return numbers * sizeof(double);
}

Status StandardErrors::compute(const Dataset &data, const RunOptions &run,
                               double *numbers, std::vector<double> &columns) {
  columns.resize(data.rowCount() * width());
  std::vector<double> forms;
  if (hasInference) {
    for (const Group &group : data.groups())
      if (Status s = checkVariance(model, weights, group.place); !s)
        return s;
    forms.resize(data.rowCount() *
                 size_t(outputWidth(model, TAMRT_STEP_VARIANCES)));
    if (Status s =
            predictGroups(model, TAMRT_STEP_VARIANCES, data, weights,
                          weights.inference.covariance, run, forms.data());
        !s)
      return s;
  }
  if (hasCalibration)
    for (const Group &group : data.groups())
      prepareOffsets(group.place);
  if (options.type == TAMRT_STEP_TERMS)
    return computeEffects(data, run, forms, numbers, columns.data());
  computeResponse(data, forms, numbers, columns.data());
  return {};
}

void StandardErrors::computeResponse(const Dataset &data,
                                     std::span<const double> forms,
                                     const double *numbers, double *columns) {
  const auto formWidth = size_t(outputWidth(model, TAMRT_STEP_VARIANCES));
  const size_t levels = options.intervals.size();
  const double *rowWeights = data.weights();
  if (needRowWeights(options))
    lacksRowWeights |= model.weights && !rowWeights;
  for (const Group &group : data.groups()) {
    const double sigma2 =
        hasInference ? weights.inference.field(group.place, kSigma2) : 0;
    for (size_t row = group.first; row < group.first + group.rows; ++row) {
      const double variance = hasInference ? forms[row * formWidth] : 0;
      if (options.se)
        *columns++ = rootOf(variance);
      if (hasCalibration) {
        for (size_t i = 0; i < levels; ++i) {
          const Offsets &of = offsets[group.place * levels + i];
          *columns++ = numbers[row] + of.lower;
          *columns++ = numbers[row] + of.upper;
        }
        continue;
      }
      if (quantiles.empty())
        continue;
      const double weight = rowWeights ? rowWeights[row] : 1;
      const double own = varianceOfNew(sigma2, weight);
      const double deviation = rootOf(own + variance);
      const bool isInfinite = std::isinf(deviation);
      // An evaluation does not count rows of weight 0. The variance of a row
      // far away may be infinite, too.
      const bool counts = weight > 0 || options.command != Command::Evaluate;
      rowCount += counts;
      infinite += counts && !std::isfinite(own);
      for (double quantile : quantiles) {
        // The quantile of a level next to 0 is 0.
        const double half = isInfinite ? deviation : quantile * deviation;
        *columns++ = numbers[row] - half;
        *columns++ = numbers[row] + half;
      }
    }
  }
}

Status StandardErrors::computeEffects(const Dataset &data,
                                      const RunOptions &run,
                                      std::span<const double> forms,
                                      double *numbers, double *columns) {
  const auto e = size_t(model.effect_count);
  const auto formWidth = size_t(outputWidth(model, TAMRT_STEP_VARIANCES));
  for (const Group &group : data.groups())
    prepareEffects(group.place);
  // phi_j' V_jj m_j.
  std::vector<double> mixed(data.rowCount() * e);
  if (Status s = predictGroups(model, TAMRT_STEP_TERMS, data, weights, products,
                               run, mixed.data());
      !s)
    return s;
  for (const Group &group : data.groups()) {
    const double *variances = meanVariances.data() + group.place * e;
    const double *effects = meanEffects.data() + group.place * e;
    for (size_t row = group.first; row < group.first + group.rows; ++row) {
      columns[row * e] = rootOf(variances[0]);
      for (size_t j = 0; j < e; ++j)
        numbers[row * e + j] -= effects[j];
      for (size_t j = 1; j < e; ++j)
        columns[row * e + j] = rootOf(forms[row * formWidth + 1 + j] -
                                      2 * mixed[row * e + j] + variances[j]);
    }
  }
  return {};
}

} // namespace tamrt
