//===- app/Predict.cpp - predict and decompose ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "core/model/Model.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/CsvWriter.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <unistd.h>

namespace tamrt {
namespace {

constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

/// The spec's key columns; one that is both group and date stands once.
std::vector<std::string> keyNames(const tamrt_model &model) {
  std::vector<std::string> keys;
  for (const char *name : {model.group, model.date})
    if (name && (keys.empty() || keys.front() != name))
      keys.push_back(name);
  return keys;
}

/// Checks that all numbers are finite: a value far beyond the training range is
/// finite and may yet give a prediction that is not. The error is that of the
/// first such row of the file and names line, group and term.
Status checkFinite(const tamrt_model &model, const Options &options,
                   const CsvFile &file, const Dataset &data,
                   const Weights &weights, const RunOptions &run,
                   const double *numbers) {
  const auto width = size_t(outputWidth(model, options.type));
  size_t bad = data.rowCount();
  for (size_t row = 0; row < data.rowCount(); ++row)
    if (!std::all_of(numbers + row * width, numbers + (row + 1) * width,
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
  std::span<const double> row(numbers + bad * width, width);
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
      return Error{file.path() + ": " + terms.error().message};
    // Terms may be finite and their sum not.
    if (size_t at = firstBad(*terms); at < terms->size()) {
      effect = &model.effects[at];
      got = (*terms)[at];
    }
  }
  std::string message =
      file.path() + ": line " + std::to_string(file.line(data.fileRows()[bad]));
  if (model.group)
    message += ": group '" + data.groups()[data.groupOf(bad)].name + "'";
  message += effect ? ": term " + std::string(effect->term) : ": sum of terms";
  return Error{message + ": expected a finite number, got " +
               formatNumber(got) +
               "; the row is too far from the training rows"};
}

/// Writes keys and numbers in the order of the file's rows.
Status writeTable(const tamrt_model &model, const Options &options,
                  const CsvFile &file, const Dataset &data,
                  const double *numbers, Progress &progress) {
  Result<AtomicFile> output = AtomicFile::create(options.output);
  if (!output)
    return std::move(output).error();
  CsvWriter writer(*std::move(output));

  std::vector<std::string> names = keyNames(model);
  std::vector<size_t> keys;
  for (const std::string &name : names)
    keys.push_back(*file.find(name));
  std::vector<std::string> columns =
      uniqueNames(names, outputNames(model, options.type));
  const size_t width = columns.size();
  names.insert(names.end(), columns.begin(), columns.end());
  writer.header(names);

  std::vector<uint32_t> rowOf(file.rowCount(), kNoRow);
  for (size_t row = 0; row < data.rowCount(); ++row)
    rowOf[data.fileRows()[row]] = uint32_t(row);
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    if (rowOf[fileRow] == kNoRow)
      continue;
    for (size_t key : keys)
      writer.text(file.field(fileRow, key));
    const double *row = numbers + rowOf[fileRow] * width;
    for (size_t i = 0; i < width; ++i)
      writer.number(row[i]);
    writer.endRow();
    if (fileRow % 4096 == 0)
      progress.update("write", fileRow, rowOf.size());
  }
  return writer.finish();
}

} // namespace

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

static Status predictFile(const tamrt_model &model, const Options &options,
                          const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  const RunOptions run = session.run(options, progress);
  if (Status s = checkFits(model, options.type, run); !s)
    return s;
  // Weights first: they are small, and a wrong file should not wait for a long
  // parse.
  Result<Weights> weights = loadWeights(model, options.weights);
  if (!weights)
    return std::move(weights).error();
  Result<CsvFile> file = CsvFile::open(options.input, options.threads);
  if (!file)
    return std::move(file).error();
  progress.update("read", 0, 0);
  Result<Dataset> data = Dataset::read(
      *file, model, {Purpose::Predict, options.dropMissing, options.threads});
  if (!data)
    return std::move(data).error();
  if (options.dropMissing)
    tell(model, "note",
         "dropped " + std::to_string(data->droppedCount()) + " of " +
             std::to_string(file->rowCount()) + " rows: missing values");
  data->encode(*file, weights->normalization.levels);
  timings.end("read");

  const auto width = size_t(outputWidth(model, options.type));
  std::unique_ptr<double[]> output(
      new (std::nothrow) double[data->rowCount() * width]);
  if (!output)
    return Error{file->path() + ": expected " +
                 std::to_string(data->rowCount() * width * sizeof(double)) +
                 " bytes of memory for the output, got less; predict fewer "
                 "rows at a time"};
  if (Status s = predictGroups(model, options.type, *data, *weights, run,
                               output.get());
      !s)
    return Error{file->path() + ": " + s.error().message};
  if (Status s = checkFinite(model, options, *file, *data, *weights, run,
                             output.get());
      !s)
    return s;
  timings.end("predict");

  if (Status s =
          writeTable(model, options, *file, *data, output.get(), progress);
      !s)
    return s;
  timings.end("write");
  progress.clear();
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
