//===- app/Prediction.cpp - predicts the rows of a file -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Prediction.h"

#include "core/model/Model.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace tamrt {

std::vector<uint32_t> PredictedRows::inFileOrder() const {
  std::vector<uint32_t> rowOf(data.rowCount());
  for (size_t row = 0; row < data.rowCount(); ++row)
    rowOf[data.fileRows()[row]] = uint32_t(row);
  return rowOf;
}

Prediction::Prediction(const tamrt_model &model, const Options &options,
                       const Weights &weights, const RunOptions &run)
    : model(model), options(options), weights(weights), run(run),
      numbersPerRow(size_t(outputWidth(model, options.type))),
      errors(model, options, weights),
      beyond(model, weights.normalization, Purpose::Predict) {}

Status Prediction::checkMemory(const tamrt_model &model, const Options &options,
                               const RunOptions &run) {
  if (Status s = checkFits(model, options.type, run); !s)
    return s;
  if (StandardErrors::partsFor(options).inference == FilePart::No)
    return {};
  return checkFits(model, TAMRT_STEP_VARIANCES, run);
}

/// Checks that all predictions are finite: that of a value far beyond the
/// training range may not be. The error is for the first such row of the file
/// and names line, group and term.
Status Prediction::checkFinite(const Dataset &data,
                               std::span<const uint64_t> lines,
                               const std::string &path) const {
  size_t bad = data.rowCount();
  for (size_t row = 0; row < data.rowCount(); ++row)
    if (!std::all_of(numbers.data() + row * numbersPerRow,
                     numbers.data() + (row + 1) * numbersPerRow,
                     [](double number) { return std::isfinite(number); }) &&
        (bad == data.rowCount() || data.fileRows()[row] < data.fileRows()[bad]))
      bad = row;
  if (bad == data.rowCount())
    return {};

  auto firstBad = [](std::span<const double> list) {
    return size_t(
        std::find_if(list.begin(), list.end(),
                     [](double number) { return !std::isfinite(number); }) -
        list.begin());
  };
  std::span<const double> row(numbers.data() + bad * numbersPerRow,
                              numbersPerRow);
  double got = row[firstBad(row)];
  const tamrt_effect *effect = nullptr;
  if (options.type == TAMRT_STEP_DESIGN)
    effect = effectOf(model, int64_t(firstBad(row)));
  else if (options.type == TAMRT_STEP_TERMS)
    effect = &model.effects[firstBad(row)];
  else {
    Result<std::vector<double>> terms =
        decomposeRow(model, data, weights, bad, run);
    if (!terms)
      return Error{path + ": " + terms.error().message};
    // The sum may be infinite although all terms are finite.
    if (size_t at = firstBad(*terms); at < terms->size()) {
      effect = &model.effects[at];
      got = (*terms)[at];
    }
  }
  std::string message =
      path + ": line " + std::to_string(lines[data.fileRows()[bad]]);
  if (model.group)
    message += ": group '" + data.groups()[data.groupOf(bad)].name + "'";
  message += effect ? ": term " + std::string(effect->term) : ": sum of terms";
  return Error{message + ": expected a finite number, got " +
               formatNumber(got) +
               "; the row is too far from the training rows"};
}

/// Most rows that are in memory at once.
size_t Prediction::rowsAtOnce() const {
  constexpr size_t kPartBytes = size_t(16) << 20;
  if (!options.stream || model.carry_bytes > 0)
    return std::numeric_limits<size_t>::max();
  // The length of keys is not known; this is an ordinary length.
  constexpr size_t keyBytes = 64;
  const size_t rowBytes =
      sizeof(double) * (size_t(model.input_count) + numbersPerRow) +
      errors.bytesPerRow() + keyBytes;
  return std::max(kPartBytes / rowBytes, size_t(1));
}

Status
Prediction::add(Rows rows, const RowReader &reader, Timings &timings,
                const std::function<Status(const PredictedRows &)> &use) {
  const KeyCells keys = std::move(rows.keys);
  const GrowingArray<uint64_t> lines = std::move(rows.lines);
  const Dataset data =
      Dataset::arrange(std::move(rows), reader, reader.groupOrder(), model,
                       weights.normalization.levels, options.threads);
  timings.end("read");
  rowCount += data.rowCount();
  ties += data.tiedRows();
  const Error noMemory{
      reader.path() + ": expected " +
      std::to_string(data.rowCount() *
                     (numbersPerRow * sizeof(double) + errors.bytesPerRow())) +
      " bytes of memory for the output, got less; --stream predicts some rows "
      "at a time"};
  try {
    numbers.truncate(0);
    numbers.extend(data.rowCount() * numbersPerRow);
  } catch (const std::bad_alloc &) {
    return noMemory;
  }
  if (Status s = predictGroups(model, options.type, data, weights, run,
                               numbers.data());
      !s)
    return Error{reader.path() + ": " + s.error().message};
  if (Status s = checkFinite(data, {lines.data(), lines.size()}, reader.path());
      !s)
    return s;
  if (StandardErrors::areAsked(options)) {
    Status computed;
    try {
      computed = errors.compute(data, run, numbers.data(), errorNumbers);
    } catch (const std::bad_alloc &) {
      return noMemory;
    }
    if (!computed)
      return Error{reader.path() + ": " + computed.error().message};
  }
  beyond.add(data, options.threads);
  timings.end("predict");
  return use({data, keys, {numbers.data(), numbers.size()}, errorNumbers});
}

Status Prediction::forEachPart(
    RowReader &reader, Timings &timings,
    const std::function<void(const Rows &)> &look,
    const std::function<Status(const PredictedRows &)> &use) {
  const size_t most = rowsAtOnce();
  run.progress->update("read", 0, 0);
  while (true) {
    Result<Rows> rows = reader.read(most);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      return {};
    if (look)
      look(*rows);
    if (Status s = add(*std::move(rows), reader, timings, use); !s)
      return s;
    if (options.stream)
      run.progress->update("predict", reader.fileRows(), 0);
  }
}

std::vector<std::string> Prediction::notes() const {
  std::vector<std::string> notes = beyond.notes();
  // Otherwise ties do not change any row of the table.
  if (ties > 0 && model.carry_bytes > 0)
    notes.push_back(describeTies(ties, rowCount));
  return notes;
}

} // namespace tamrt
