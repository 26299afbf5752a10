//===- app/Predict.cpp - predict and decompose ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Prediction.h"
#include "app/RunRanks.h"
#include "app/Session.h"
#include "io/CsvWriter.h"
#include "io/GrowingArray.h"

#include <cstdio>
#include <optional>
#include <set>
#include <unistd.h>

namespace tamrt {
namespace {

/// The table of a prediction. It is opened when the first rows have been
/// predicted.
class PredictionTable {
public:
  PredictionTable(const tamrt_model &model, const Options &options,
                  const Prediction &prediction, const RunOptions &run)
      : model(model), options(options), prediction(prediction), run(run) {}

  /// Starts a table in memory, of which other processes may have the header.
  void openIn(GrowingArray<char> &text, bool hasHeader);
  /// Writes keys and numbers in the order of the file's rows.
  Status write(const PredictedRows &rows);
  Status finish() { return table->finish(); }

private:
  Status open();
  void addHeader(bool isWritten);

  const tamrt_model &model;
  const Options &options;
  const Prediction &prediction;
  const RunOptions &run;
  size_t keyCount = 0;
  std::optional<CsvWriter> table;
};

/// Opens the table and writes its header.
Status PredictionTable::open() {
  Result<AtomicFile> output = AtomicFile::create(options.output);
  if (!output)
    return std::move(output).error();
  table.emplace(*std::move(output));
  addHeader(true);
  return {};
}

void PredictionTable::openIn(GrowingArray<char> &text, bool hasHeader) {
  table.emplace(text);
  addHeader(hasHeader);
}

void PredictionTable::addHeader(bool isWritten) {
  std::vector<std::string> names = keyNames(model);
  keyCount = names.size();
  for (const std::vector<std::string> &more :
       {outputNames(model, options.type),
        prediction.standardErrors().names()}) {
    const std::vector<std::string> columns = uniqueNames(names, more);
    names.insert(names.end(), columns.begin(), columns.end());
  }
  if (isWritten)
    table->header(names);
}

Status PredictionTable::write(const PredictedRows &rows) {
  if (!table)
    if (Status s = open(); !s)
      return s;
  const std::vector<uint32_t> rowOf = rows.data.inFileOrder();
  const size_t width = prediction.width();
  const size_t errorWidth = prediction.standardErrors().width();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    if (keyCount > 0)
      table->written(rows.keys[fileRow], keyCount);
    for (double number : rows.numbers.subspan(rowOf[fileRow] * width, width))
      table->number(number);
    for (double number :
         rows.errors.subspan(rowOf[fileRow] * errorWidth, errorWidth))
      table->number(number);
    table->endRow();
    if (!options.stream && fileRow % 4096 == 0)
      run.progress->update("write", fileRow, rowOf.size());
  }
  return {};
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

/// How the rows of a prediction are read: their order does not matter unless
/// one needs those before it.
static ReadOptions readingOf(const tamrt_model &model, const Options &options) {
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.keepDates = model.carry_bytes > 0;
  return reading;
}

static Status predictFile(const tamrt_model &model, const Options &options,
                          const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  const RunOptions run = session.run(options, progress);
  if (Status s = Prediction::checkMemory(model, options, run); !s)
    return s;
  // Weights first: they are small, and the error for a wrong file should not
  // come after a long parse.
  Result<std::shared_ptr<const Weights>> weights =
      readWeights(model, options, StandardErrors::partsFor(options));
  if (!weights)
    return std::move(weights).error();
  Result<RowReader> reader =
      RowReader::open(options.source(), model,
                      {(*weights)->groups, (*weights)->normalization.levels,
                       StandardErrors::purposeOf(options)},
                      readingOf(model, options));
  if (!reader)
    return std::move(reader).error();
  Prediction prediction(model, options, **weights, run);
  PredictionTable table(model, options, prediction, run);
  Status predicted = prediction.forEachPart(
      *reader, timings, nullptr, [&](const PredictedRows &rows) {
        Status written = table.write(rows);
        timings.end("write");
        return written;
      });
  if (!predicted)
    return predicted;
  if (Status s = table.finish(); !s)
    return s;
  timings.end("write");
  progress.clear();
  prediction.tellNotes(*reader);
  session.finish(timings, options);
  return {};
}

Result<GrowingArray<char>>
predictPieces(const tamrt_model &model, const Options &options,
              const Weights &weights, std::span<const RankPiece> pieces,
              bool hasHeader, const RunOptions &run, Timings &timings,
              std::vector<std::string> &notes,
              std::vector<std::string> &warnings) {
  GrowingArray<char> text;
  Prediction prediction(model, options, weights, run);
  PredictionTable table(model, options, prediction, run);
  table.openIn(text, hasHeader);
  for (const RankPiece &piece : pieces) {
    ReadOptions reading = readingOf(model, options);
    reading.mayDropAll = true;
    Result<RowReader> reader =
        RowReader::open(piece.source, model,
                        {weights.groups, weights.normalization.levels,
                         StandardErrors::purposeOf(options)},
                        reading);
    if (!reader)
      return std::move(reader).error();
    Status predicted = prediction.forEachPart(
        *reader, timings, nullptr,
        [&](const PredictedRows &rows) { return table.write(rows); });
    if (!predicted)
      return std::move(predicted).error();
    if (options.dropMissing)
      notes.push_back(piece.source.path + ": " + reader->describeDropped());
  }
  if (Status s = table.finish(); !s)
    return std::move(s).error();
  for (std::string &note : prediction.notes())
    notes.push_back(std::move(note));
  warnings = prediction.standardErrors().warnings();
  return text;
}

Status runPredict(const tamrt_model &model, const Options &options) {
  if (!options.frame && isPattern(options.input))
    return predictOnRanks(model, options, Ranks());
  return runSession(model, options, [&](const Session &session) {
    return predictFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
