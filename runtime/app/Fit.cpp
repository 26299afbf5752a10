//===- app/Fit.cpp - fit --------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/data/BeyondRange.h"
#include "core/data/Compression.h"
#include "core/learn/Learners.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "core/run/Statistics.h"
#include "core/run/StreamedFit.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <unistd.h>

namespace tamrt {
namespace {

void tellAll(const tamrt_model &model, const std::vector<std::string> &notes) {
  for (const std::string &note : notes)
    tell(model, "note", note);
}

/// Prints how rows were summed, if the model has two ways; conjugate gradients
/// do not use them.
void tellSteps(const tamrt_model &model, const FitSteps &steps,
               const RunOptions &run, Timings &timings) {
  if (!model.compression || run.summary->groups > 0)
    return;
  auto nameOf = [&](const tamrt_grid &grid) {
    return "'" + std::string(model.inputs[grid.input].column) + "'";
  };
  if (steps.missed)
    return tell(model, "note",
                "rows are not summed by levels: the values of column " +
                    nameOf(*steps.missed) +
                    " are not all on the grid of the profile");
  // A column with two rules has two grids; one may have more levels.
  std::map<std::string, int64_t> levels;
  for (int64_t i = 0; i < model.compression->grid_count; ++i) {
    const tamrt_grid &grid = model.compression->grids[i];
    int64_t &most = levels[nameOf(grid)];
    most = std::max<int64_t>(most, grid.levels);
  }
  for (const auto &[column, count] : levels)
    timings.note("levels of " + column, count);
}

void tellUnconverged(const tamrt_model &model, const CgSummary &summary) {
  if (summary.unconverged == 0)
    return;
  char residual[32];
  std::snprintf(residual, sizeof(residual), "%.1e", summary.residual);
  tell(model, "warning",
       "conjugate gradients did not converge for " +
           std::to_string(summary.unconverged) + " of " +
           std::to_string(summary.groups) + " groups, largest residual " +
           residual);
}

/// Fits rows that are all in memory. `reader` is at its first row and is not
/// used afterwards.
Result<Weights> fitInMemory(const tamrt_model &model, const Options &options,
                            RowReader reader, const RunOptions &run,
                            Timings &timings) {
  Result<Rows> rows = reader.read(std::numeric_limits<size_t>::max());
  if (!rows)
    return std::move(rows).error();
  Result<RowReader::TextChanges> changes = reader.resolveTexts();
  if (!changes)
    return std::move(changes).error();
  if (changes->drops)
    if (Status s = reader.dropMissing(*rows); !s)
      return std::move(s).error();
  if (options.dropMissing)
    tell(model, "note", reader.describeDropped());
  Result<std::vector<LevelTable>> levels = reader.levelTables();
  if (!levels)
    return std::move(levels).error();
  const GroupOrder order = reader.groupOrder();
  Dataset data = Dataset::arrange(*std::move(rows), reader, order, model,
                                  *levels, options.threads);
  const std::string path = reader.path();
  {
    // Release the reader's blocks: the rung may need their memory.
    const RowReader done = std::move(reader);
  }
  timings.end("read");

  auto located = [&](Error error) {
    return Error{path + ": " + error.message};
  };
  if (Status s = checkTexts(model, order.names, *levels); !s)
    return located(std::move(s).error());
  Weights weights;
  Result<Normalization> normalization =
      normalize(model, data, *std::move(levels), run.threads);
  if (!normalization)
    return located(std::move(normalization).error());
  weights.normalization = *std::move(normalization);
  if (Status s = data.scaleWeights(); !s)
    return located(std::move(s).error());
  BeyondRange beyond(model, weights.normalization, Purpose::Fit);
  beyond.add(data, options.threads);
  run.progress->update("learn", 0, 0);
  Result<Tables> tables = learn(model, data, weights.normalization);
  if (!tables)
    return located(std::move(tables).error());
  weights.tables = *std::move(tables);
  const FitSteps steps =
      chooseSteps(model, data, weights.normalization, run.threads);
  Systems systems;
  if (run.chooseStrengths) {
    systems.addRows(data);
    systems.weightMeans.assign(data.weightMeans().begin(),
                               data.weightMeans().end());
  }
  Result<std::vector<double>> coefficients =
      fitChosen(model, order.names, weights.normalization, weights.tables, run,
                systems, [&](const RunOptions &with) {
                  return fitGroups(*steps.model, data, weights.normalization,
                                   weights.tables, with);
                });
  if (!coefficients)
    return located(std::move(coefficients).error());
  tellSteps(model, steps, run, timings);
  tellAll(model, beyond.notes());
  if (data.tiedRows() > 0)
    tell(model, "note", describeTies(data.tiedRows(), data.rowCount()));
  weights.coefficients = *std::move(coefficients);
  weights.groups = order.names;
  timings.end("fit");
  if (!run.inference)
    return weights;
  TrainingStatistics statistics(model, weights.groups.size());
  if (Status s = statistics.add(data, weights, run); !s)
    return located(std::move(s).error());
  statistics.finish(data.weightMeans(), *run.inference);
  timings.end("residuals");
  return weights;
}

Result<Weights> fitStreamed(const tamrt_model &model, const Options &options,
                            RowReader reader, const RunOptions &run,
                            Timings &timings) {
  if (options.inference && model.carry_bytes > 0) {
    tell(model, "note",
         "--stream keeps all rows: --inference needs those before a row");
    return fitInMemory(model, options, std::move(reader), run, timings);
  }
  if (Status s = reader.rewind(); !s)
    return Error{s.error().message + "; leave out --stream"};
  {
    Result<StreamedFit> fit = StreamedFit::survey(reader, model, run);
    if (!fit)
      return std::move(fit).error();
    timings.end("survey");
    if (!fit->disorder()) {
      if (options.dropMissing)
        tell(model, "note", fit->describeDropped());
      for (const std::string &note : fit->notes())
        tell(model, "note", "--stream " + note);
      Result<Weights> weights = fit->fit();
      timings.end("fit");
      if (weights) {
        tellSteps(model, fit->steps(), run, timings);
        tellAll(model, fit->rowNotes());
      }
      timings.note("readings of the file", int64_t(fit->readings()));
      return weights;
    }
    const size_t rows = fit->fileRows() - fit->dropped();
    run.progress->clear();
    tell(model, "note",
         "--stream keeps all rows, " +
             std::to_string(rows * Dataset::bytesPerRow(model)) +
             " bytes: the dates" +
             (model.group ? " of group '" + *fit->disorder() + "'" : "") +
             " are not in order");
  }
  if (Status s = reader.rewind(); !s)
    return std::move(s).error();
  return fitInMemory(model, options, std::move(reader), run, timings);
}

Status fitFile(const tamrt_model &model, const Options &options,
               const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};

  RunOptions run = session.run(options, progress);
  CgSummary summary;
  run.summary = &summary;
  run.strengths = options.penalties.strengths;
  Inference inference;
  if (options.inference)
    run.inference = &inference;
  run.tellRoute = [&](const std::string &note) {
    progress.clear();
    tell(model, "note", note);
  };
  ChosenAps chosen;
  if (options.command == Command::Tune)
    run.chooseStrengths = [&](const StrengthsQuestion &question) {
      timings.end("sums");
      Result<std::vector<double>> strengths =
          choosePenalties(model, options, question, run, chosen);
      timings.end("tune");
      return strengths;
    };
  // Reported before a long time of reading.
  if (Status s = checkFits(model, TAMRT_STEP_FIT_CHUNK, run); !s)
    return s;
  Result<RowReader> reader =
      RowReader::open(options.input, model,
                      {options.dropMissing, options.threads,
                       CsvBlocks::kBlockBytes, options.format});
  if (!reader)
    return std::move(reader).error();
  progress.update("read", 0, 0);
  const auto fit = options.stream ? fitStreamed : fitInMemory;
  Result<Weights> weights =
      fit(model, options, *std::move(reader), run, timings);
  if (!weights)
    return std::move(weights).error();
  if (options.command == Command::Tune)
    setAps(model, options, chosen, *weights);
  else
    weights->penalties = options.penalties.aps;
  weights->inference = std::move(inference);
  if (Status s = serialize(model, *weights).write(options.output); !s)
    return s;
  timings.end("write");
  progress.clear();
  tellUnconverged(model, summary);
  if (options.inference)
    tell(model, "note",
         "--inference adds " +
             std::to_string(weights->groups.size() *
                            Inference::bytesPerGroup(model)) +
             " bytes to the weights");
  if (summary.groups > 0) {
    timings.note("iterations", summary.allIterations);
    timings.note("most iterations of a group", summary.maxIterations);
    timings.note("residual", summary.residual);
  }
  session.noteMemory(timings);
  std::fputs(timings.format(options.timings).c_str(), stderr);
  return options.command == Command::Tune
             ? print(formatChosen(model, options, weights->groups, chosen))
             : Status();
}

} // namespace

Status runFit(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return fitFile(model, options, session);
  });
}

} // namespace tamrt
