//===- app/Predict.cpp - predict and decompose ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Session.h"
#include "app/StandardErrors.h"
#include "app/Timings.h"
#include "core/data/BeyondRange.h"
#include "core/data/RowReader.h"
#include "core/model/Model.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/CsvWriter.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <unistd.h>

namespace tamrt {
namespace {

/// The output of a prediction, to which parts of the rows are added one after
/// another.
class Prediction {
public:
  Prediction(const tamrt_model &model, const Options &options,
             const Weights &weights, const RunOptions &run)
      : model(model), options(options), weights(weights), run(run),
        width(size_t(outputWidth(model, options.type))),
        errors(model, options, weights),
        beyond(model, weights.normalization, Purpose::Predict) {}

  /// Predicts rows and writes them, in the file's order.
  Status add(Rows rows, const RowReader &reader, Timings &timings);

  const StandardErrors &standardErrors() const { return errors; }

  /// Ends the table. \returns notes about the rows.
  Result<std::vector<std::string>> finish();

private:
  Status checkFinite(const Dataset &data, std::span<const uint64_t> lines,
                     const std::string &path) const;
  Status open();
  Status write(const Dataset &data, const KeyCells &keys);

  const tamrt_model &model;
  const Options &options;
  const Weights &weights;
  const RunOptions &run;
  size_t width;
  StandardErrors errors;
  BeyondRange beyond;
  size_t rowCount = 0, ties = 0, keyCount = 0;
  GrowingArray<double> numbers;
  /// Standard errors and intervals, row by row.
  std::vector<double> errorNumbers;
  /// Opened when the first rows have been predicted.
  std::optional<CsvWriter> table;
};

/// Checks that all predictions are finite: that of a value far beyond the
/// training range may not be. The error is for the first such row of the file
/// and names line, group and term.
Status Prediction::checkFinite(const Dataset &data,
                               std::span<const uint64_t> lines,
                               const std::string &path) const {
  size_t bad = data.rowCount();
  for (size_t row = 0; row < data.rowCount(); ++row)
    if (!std::all_of(numbers.data() + row * width,
                     numbers.data() + (row + 1) * width,
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
  std::span<const double> row(numbers.data() + bad * width, width);
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

/// Opens the table and writes its header.
Status Prediction::open() {
  Result<AtomicFile> output = AtomicFile::create(options.output);
  if (!output)
    return std::move(output).error();
  table.emplace(*std::move(output));
  std::vector<std::string> names = keyNames(model);
  keyCount = names.size();
  for (const std::vector<std::string> &more :
       {outputNames(model, options.type), errors.names()}) {
    const std::vector<std::string> columns = uniqueNames(names, more);
    names.insert(names.end(), columns.begin(), columns.end());
  }
  table->header(names);
  return {};
}

/// Writes keys and numbers in the order of the file's rows.
Status Prediction::write(const Dataset &data, const KeyCells &keys) {
  if (!table)
    if (Status s = open(); !s)
      return s;
  std::vector<uint32_t> rowOf(data.rowCount());
  for (size_t row = 0; row < data.rowCount(); ++row)
    rowOf[data.fileRows()[row]] = uint32_t(row);
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    if (keyCount > 0)
      table->written(keys[fileRow], keyCount);
    const double *row = numbers.data() + rowOf[fileRow] * width;
    for (size_t i = 0; i < width; ++i)
      table->number(row[i]);
    const size_t errorWidth = errors.width();
    for (size_t i = 0; i < errorWidth; ++i)
      table->number(errorNumbers[rowOf[fileRow] * errorWidth + i]);
    table->endRow();
    if (!options.stream && fileRow % 4096 == 0)
      run.progress->update("write", fileRow, rowOf.size());
  }
  return {};
}

Status Prediction::add(Rows rows, const RowReader &reader, Timings &timings) {
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
                     (width * sizeof(double) + errors.bytesPerRow())) +
      " bytes of memory for the output, got less; --stream predicts some rows "
      "at a time"};
  try {
    numbers.truncate(0);
    numbers.extend(data.rowCount() * width);
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
  Status written = write(data, keys);
  timings.end("write");
  return written;
}

Result<std::vector<std::string>> Prediction::finish() {
  if (Status s = table->finish(); !s)
    return std::move(s).error();
  std::vector<std::string> notes = beyond.notes();
  // Otherwise ties do not change any row of the table.
  if (ties > 0 && model.carry_bytes > 0)
    notes.push_back(describeTies(ties, rowCount));
  return notes;
}

} // namespace

std::vector<std::string> keyNames(const tamrt_model &model) {
  std::vector<std::string> keys;
  for (const char *name : {model.group, model.date})
    if (name && (keys.empty() || keys.front() != name))
      keys.push_back(name);
  return keys;
}

std::vector<std::string> uniqueNames(const std::vector<std::string> &keys,
                                     std::vector<std::string> names) {
  std::set<std::string> taken(keys.begin(), keys.end());
  std::set<std::string> wanted(names.begin(), names.end());
  for (std::string &name : names) {
    if (!taken.count(name))
      continue;
    std::string changed;
    for (int i = 2;; ++i) {
      changed = name + "_" + std::to_string(i);
      if (!taken.count(changed) && !wanted.count(changed))
        break;
    }
    name = changed;
    taken.insert(name);
  }
  return names;
}

std::vector<std::string> outputNames(const tamrt_model &model,
                                     tamrt_step_kind kind) {
  if (kind == TAMRT_STEP_PREDICT)
    return {"prediction"};
  std::vector<std::string> names;
  for (int64_t i = 0; i < model.effect_count; ++i) {
    const tamrt_effect &effect = model.effects[i];
    if (kind == TAMRT_STEP_TERMS)
      names.push_back(effect.name);
    else
      for (int64_t j = 0; j < effect.columns; ++j)
        names.push_back(std::string(effect.name) + "[" + std::to_string(j) +
                        "]");
  }
  return names;
}

/// Most rows that are in memory at once.
static size_t rowsAtOnce(const tamrt_model &model, const Options &options,
                         const StandardErrors &errors) {
  constexpr size_t kPartBytes = size_t(16) << 20;
  if (!options.stream || model.carry_bytes > 0)
    return std::numeric_limits<size_t>::max();
  // The length of keys is not known; this is an ordinary length.
  constexpr size_t keyBytes = 64;
  const size_t rowBytes =
      sizeof(double) * (size_t(model.input_count) +
                        size_t(outputWidth(model, options.type))) +
      errors.bytesPerRow() + keyBytes;
  return std::max(kPartBytes / rowBytes, size_t(1));
}

static Status predictFile(const tamrt_model &model, const Options &options,
                          const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  const RunOptions run = session.run(options, progress);
  if (Status s = checkFits(model, options.type, run); !s)
    return s;
  if (StandardErrors::areAsked(options))
    if (Status s = checkFits(model, TAMRT_STEP_VARIANCES, run); !s)
      return s;
  // Weights first: they are small, and the error for a wrong file should not
  // come after a long parse.
  Result<Weights> weights =
      readWeights(model, options, StandardErrors::areAsked(options));
  if (!weights)
    return std::move(weights).error();
  Result<RowReader> reader = RowReader::open(
      options.input, model, {weights->groups, weights->normalization.levels},
      {options.dropMissing, options.threads, CsvBlocks::kBlockBytes,
       options.format});
  if (!reader)
    return std::move(reader).error();
  Prediction prediction(model, options, *weights, run);
  const size_t most = rowsAtOnce(model, options, prediction.standardErrors());
  progress.update("read", 0, 0);
  while (true) {
    Result<Rows> rows = reader->read(most);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      break;
    if (Status s = prediction.add(*std::move(rows), *reader, timings); !s)
      return s;
    if (options.stream)
      progress.update("predict", reader->fileRows(), 0);
  }
  Result<std::vector<std::string>> notes = prediction.finish();
  if (!notes)
    return std::move(notes).error();
  timings.end("write");
  progress.clear();
  if (options.dropMissing)
    tell(model, "note", reader->describeDropped());
  if (options.stream && model.carry_bytes > 0)
    tell(model, "note",
         "--stream keeps all rows: a prediction needs those before it");
  for (const std::string &note : *notes)
    tell(model, "note", note);
  session.noteMemory(timings);
  std::fputs(timings.format(options.timings).c_str(), stderr);
  return {};
}

Status runPredict(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return predictFile(model, options, session);
  });
}

} // namespace tamrt
