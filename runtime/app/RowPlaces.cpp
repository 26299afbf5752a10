//===- app/RowPlaces.cpp - where rows of a file are -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/RowPlaces.h"

#include "core/model/Model.h"
#include "io/Number.h"
#include "kernels/InstructionSets.h"

#include <algorithm>
#include <cmath>

namespace tamrt {

/// Whether all numbers are finite: others times 0 are NaN.
TAMRT_WIDE static bool areFinite(const double *numbers, size_t count) {
  constexpr size_t kLanes = 16;
  double sums[kLanes] = {};
  for (; count >= kLanes; count -= kLanes, numbers += kLanes)
    for (size_t i = 0; i < kLanes; ++i)
      sums[i] += 0 * numbers[i];
  for (size_t i = 0; i < count; ++i)
    sums[0] += 0 * numbers[i];
  return std::all_of(sums, sums + kLanes, [](double sum) { return sum == 0; });
}

std::optional<size_t>
RowPlaces::firstOf(const std::vector<bool> &isMarked) const {
  std::optional<size_t> first;
  for (size_t row = 0; row < isMarked.size(); ++row)
    if (isMarked[row] &&
        (!first || data.fileRows()[row] < data.fileRows()[*first]))
      first = row;
  return first;
}

std::string RowPlaces::placeOf(size_t row, const char *column) const {
  const uint32_t fileRow = data.fileRows()[row];
  return placeOf(model, path, unit, lines.empty() ? fileRow : lines[fileRow],
                 column, data.groups()[data.groupOf(row)].name);
}

std::string RowPlaces::placeOf(const tamrt_model &model,
                               const std::string &path, const char *unit,
                               uint64_t line, const char *column,
                               const std::string &group) {
  std::string text = path + ": " + unit + " " + std::to_string(line);
  if (column)
    text += ": column '" + std::string(column) + "'";
  if (model.group)
    text += ": group '" + group + "'";
  return text;
}

std::string describeInfinite(double number) {
  return "expected a finite number, got " + formatNumber(number) +
         "; the row is too far from the training rows";
}

/// The first number that is not finite, or their count.
static size_t firstBad(std::span<const double> numbers) {
  return size_t(
      std::find_if(numbers.begin(), numbers.end(),
                   [](double number) { return !std::isfinite(number); }) -
      numbers.begin());
}

std::vector<bool> RowPlaces::notFinite(std::span<const double> numbers,
                                       tamrt_step_kind kind) const {
  // Most files have none, and need no marks.
  if (areFinite(numbers.data(), numbers.size()))
    return {};
  const auto width = size_t(outputWidth(model, kind));
  std::vector<bool> isBad(data.rowCount());
  for (size_t row = 0; row < isBad.size(); ++row)
    isBad[row] = firstBad(numbers.subspan(row * width, width)) < width;
  return isBad;
}

Result<std::string> RowPlaces::whyNotFinite(size_t row,
                                            std::span<const double> numbers,
                                            tamrt_step_kind kind,
                                            const Weights &weights,
                                            const RunOptions &run) const {
  const auto width = size_t(outputWidth(model, kind));
  const size_t at = firstBad(numbers.subspan(row * width, width));
  double got = numbers[row * width + at];
  const tamrt_effect *effect = nullptr;
  if (kind == TAMRT_STEP_DESIGN)
    effect = effectOf(model, int64_t(at));
  else if (kind == TAMRT_STEP_TERMS)
    effect = &model.effects[at];
  else {
    Result<std::vector<double>> terms =
        decomposeRow(model, data, weights, row, run);
    if (!terms)
      return Error{path + ": " + terms.error().message};
    // The sum may be infinite although all terms are finite.
    if (size_t term = firstBad(*terms); term < terms->size()) {
      effect = &model.effects[term];
      got = (*terms)[term];
    }
  }
  return (effect ? ": term " + std::string(effect->term) : ": sum of terms") +
         ": " + describeInfinite(got);
}

Status RowPlaces::checkFinite(std::span<const double> numbers,
                              tamrt_step_kind kind, const Weights &weights,
                              const RunOptions &run) const {
  const std::optional<size_t> bad = firstOf(notFinite(numbers, kind));
  if (!bad)
    return {};
  const Result<std::string> why =
      whyNotFinite(*bad, numbers, kind, weights, run);
  return why ? Error{placeOf(*bad) + *why} : why.error();
}

} // namespace tamrt
