//===- core/run/PartIterations.cpp - iterations over parts ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PartIterations.h"

#include "core/run/StreamedFit.h"

#include <algorithm>
#include <utility>

namespace tamrt {

PartIterations::PartIterations(const tamrt_model &model, const SurveyedFit &fit,
                               const PassSteps &steps,
                               std::vector<size_t> places,
                               const std::string &path,
                               const RunOptions &options)
    : model(model), fit(fit), steps(steps), places(std::move(places)),
      path(path), options(options),
      normalization(normalizationOf(fit.rows.normalization, this->places)) {
  for (size_t place : this->places) {
    names.push_back(fit.rows.order.names[place]);
    rows.push_back(fit.rows.groupRows[place]);
    // Those of each group, if they have their own.
    if (options.strengths.size() > size_t(model.penalty_count)) {
      const std::span<const double> own = options.strengthsOf(model, place);
      strengths.insert(strengths.end(), own.begin(), own.end());
    }
  }
  if (!strengths.empty())
    this->options.strengths = strengths;
  this->options.summary = &outcome;
}

Status PartIterations::start() {
  const size_t each =
      GroupFits::bytesPerGroup(steps.steps(), TAMRT_STEP_APPLY_CHUNK,
                               *std::max_element(rows.begin(), rows.end()));
  const size_t most =
      std::clamp<size_t>(StreamLimits().stateBytes / each, 1, places.size());
  Result<GroupFits> created =
      GroupFits::create(steps.steps(), TAMRT_STEP_APPLY_CHUNK, normalization,
                        fit.tables, {names, rows}, most, options);
  if (!created)
    return located(created.error());
  fits.emplace(*std::move(created));
  return {};
}

Result<bool> PartIterations::resume() {
  Result<bool> more = fits->resume();
  return more ? std::move(more) : Result<bool>(located(more.error()));
}

std::vector<GroupFits::Wanted> PartIterations::wanted() const {
  std::vector<GroupFits::Wanted> all = fits->wanted();
  for (GroupFits::Wanted &each : all)
    each.place = places[each.place];
  return all;
}

Status PartIterations::add(const PassSums &sums) {
  std::vector<SumsRoots> roots(places.size());
  std::vector<const SumsLayout *> layouts(places.size());
  for (const GroupFits::Wanted &each : fits->wanted()) {
    Result<SumsRoots> nodes =
        rootsOf(model, fit.rows, sums.at(each.kind), places[each.place], path);
    if (!nodes)
      return std::move(nodes).error();
    roots[each.place] = *std::move(nodes);
    layouts[each.place] = &steps.layout(each.kind);
  }
  Status added = fits->addSums([&](size_t place, Workplace &in) {
    putSums(*layouts[place], roots[place], in);
  });
  return added ? added : Status(located(added.error()));
}

Result<std::vector<double>> PartIterations::finish() {
  Result<std::vector<double>> coefficients = fits->finish();
  if (coefficients)
    return coefficients;
  return located(coefficients.error());
}

} // namespace tamrt
