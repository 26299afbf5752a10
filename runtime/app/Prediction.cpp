//===- app/Prediction.cpp - predicts the rows of a file -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Prediction.h"

#include "app/Commands.h"
#include "app/RowPlaces.h"
#include "core/model/Model.h"

#include <algorithm>
#include <limits>
#include <new>

namespace tamrt {

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

/// Most rows that are in memory at once.
size_t Prediction::rowsAtOnce() const {
  constexpr size_t kPartBytes = size_t(16) << 20;
  if (!options.stream || model.carry_bytes > 0)
    return std::numeric_limits<size_t>::max();
  // The length of keys is not known; this is an ordinary length.
  constexpr size_t keyBytes = 64;
  const size_t rowBytes =
      sizeof(double) * (size_t(model.input_count) + numbersPerRow +
                        StandardErrors::needRowWeights(options)) +
      errors.bytesPerRow() + keyBytes;
  return std::max(kPartBytes / rowBytes, size_t(1));
}

Result<bool> Prediction::keep(RowReader &reader, size_t most, Timings &timings,
                              const std::function<void(const Rows &)> &look) {
  kept.reset();
  keys = {};
  lines = {};
  Result<Rows> rows = reader.read(most);
  if (!rows)
    return std::move(rows).error();
  if (rows->count == 0)
    return false;
  if (look)
    look(*rows);
  keys = std::move(rows->keys);
  lines = std::move(rows->lines);
  kept = Dataset::arrange(*std::move(rows), reader, reader.groupOrder(), model,
                          weights.normalization.levels, options.threads);
  rowCount += kept->rowCount();
  ties += kept->tiedRows();
  beyond.add(*kept, options.threads);
  timings.end("read");
  return true;
}

Status Prediction::keepAll(RowReader &reader, Timings &timings) {
  run.progress->update("read", 0, 0);
  Result<bool> some = keep(reader, std::numeric_limits<size_t>::max(), timings,
                           /*look=*/nullptr);
  if (!some)
    return std::move(some).error();
  if (!*some)
    return Error{reader.path() + ": expected rows, got none"};
  return {};
}

Status Prediction::predictKept(
    const RowReader &reader,
    const std::function<Status(const PredictedRows &)> &use) {
  Dataset &data = *kept;
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
  if (Status s = RowPlaces(model, data, {lines.data(), lines.size()},
                           reader.path(), reader.unit())
                     .checkFinite({numbers.data(), numbers.size()},
                                  options.type, weights, run);
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
  return use({data,
              keys,
              {lines.data(), lines.size()},
              {numbers.data(), numbers.size()},
              errorNumbers});
}

Status Prediction::forEachPart(
    RowReader &reader, Timings &timings,
    const std::function<void(const Rows &)> &look,
    const std::function<Status(const PredictedRows &)> &use) {
  const size_t most = rowsAtOnce();
  run.progress->update("read", 0, 0);
  while (true) {
    Result<bool> some = keep(reader, most, timings, look);
    if (!some)
      return std::move(some).error();
    if (!*some)
      return {};
    Status predicted = predictKept(reader, [&](const PredictedRows &rows) {
      timings.end("predict");
      return use(rows);
    });
    if (!predicted)
      return predicted;
    if (options.stream)
      run.progress->update("predict", reader.fileRows(), 0);
  }
}

std::vector<std::string> Prediction::notes() const {
  std::vector<std::string> notes;
  if (options.stream && model.carry_bytes > 0)
    notes.push_back(
        "--stream keeps all rows: a prediction needs those before it");
  for (std::string &note : beyond.notes())
    notes.push_back(std::move(note));
  // Otherwise ties do not change any row of the table.
  if (ties > 0 && model.carry_bytes > 0)
    notes.push_back(describeTies(ties, rowCount));
  for (std::string &note : errors.notes())
    notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> Prediction::notes(const RowReader &reader) const {
  std::vector<std::string> all = notes();
  if (options.dropMissing)
    all.insert(all.begin(), reader.describeDropped());
  return all;
}

void Prediction::tellNotes(const RowReader &reader) const {
  for (const std::string &note : notes(reader))
    tell(model, "note", note);
  for (const std::string &warning : errors.warnings())
    tell(model, "warning", warning);
}

} // namespace tamrt
