//===- app/Fit.cpp - fit --------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/FitCommand.h"

#include "app/Calibrate.h"
#include "app/Commands.h"
#include "app/Grid.h"
#include "app/Prediction.h"
#include "app/RunRanks.h"
#include "app/Training.h"
#include "core/data/BeyondRange.h"
#include "core/data/Compression.h"
#include "core/model/Weights.h"
#include "core/ranks/RankFiles.h"
#include "core/run/Executor.h"
#include "core/run/Statistics.h"
#include "core/run/StreamedFit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
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
                "rows are not summed by levels: " +
                    (steps.isSingle
                         ? "a group has a single value of column " +
                               nameOf(*steps.missed)
                         : "the values of column " + nameOf(*steps.missed) +
                               " are not all on the grid of the profile"));
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

/// Fits rows that are all in memory. `reader` is at its first row and is not
/// used afterwards.
Result<Weights> fitInMemory(const tamrt_model &model, const Options &options,
                            RowReader reader, const RunOptions &run,
                            Timings &timings) {
  Result<Training> training = readTraining(model, options, std::move(reader),
                                           run, [&] { timings.end("read"); });
  if (!training)
    return std::move(training).error();
  const Dataset &data = training->data;
  Weights weights;
  weights.normalization = std::move(training->normalization);
  weights.tables = std::move(training->tables);
  weights.groups = std::move(training->groups);
  BeyondRange beyond(model, weights.normalization, Purpose::Fit);
  beyond.add(data, options.threads);
  const FitSteps steps =
      chooseSteps(model, data, weights.normalization, run.threads);
  Systems systems;
  if (run.asksForSystems()) {
    systems.addRows(data);
    systems.weightMeans.assign(data.weightMeans().begin(),
                               data.weightMeans().end());
  }
  Result<std::vector<double>> coefficients =
      fitChosen(model, weights.groups, weights.normalization, weights.tables,
                run, systems, [&](const RunOptions &with) {
                  return fitGroups(*steps.model, data, weights.normalization,
                                   weights.tables, with);
                });
  if (!coefficients)
    return training->located(std::move(coefficients).error());
  tellSteps(model, steps, run, timings);
  tellAll(model, beyond.notes());
  if (data.tiedRows() > 0)
    tell(model, "note", describeTies(data.tiedRows(), data.rowCount()));
  weights.coefficients = *std::move(coefficients);
  timings.end("fit");
  if (!run.inference)
    return weights;
  TrainingStatistics statistics(model, weights.groups.size());
  if (Status s = statistics.add(data, weights, run); !s)
    return training->located(std::move(s).error());
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
    const size_t rows = fit->rowsRead();
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

} // namespace

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

void tellInference(const tamrt_model &model, const Weights &weights) {
  const Inference &known = weights.inference;
  const size_t groups = weights.groups.size();
  tell(model, "note",
       "--inference adds " +
           std::to_string(groups * Inference::bytesPerGroup(model)) +
           " bytes to the weights");
  // By the first normal equation it is the mean of the residuals.
  auto shiftOf = [&](size_t g) {
    return TAMRT_PENALTY_FLOOR *
           weights.coefficients[g * size_t(model.columns)];
  };
  // Without spread, a residual is what the floor leaves of any target. Far from
  // 0, the floor of the other effects is in the residuals, too.
  auto isFar = [&](size_t g) {
    const double squares = known.field(g, kWeight) * shiftOf(g) * shiftOf(g),
                 spread = known.field(g, kTargetSquares);
    return spread > 0 && squares > 1e-6 * spread &&
           squares > 0.1 * known.field(g, kRss) &&
           std::isfinite(known.field(g, kSigma2));
  };
  size_t first = 0;
  while (first < groups && !isFar(first))
    ++first;
  if (first == groups)
    return;
  tell(model, "note",
       fmt::format("{}the floor of the offset's penalty shifts predictions by "
                   "{:.4g}, more than a third of the standard deviation of the "
                   "residuals; subtract a constant near its mean from the "
                   "target",
                   model.group ? "group '" + weights.groups[first] + "': " : "",
                   std::abs(shiftOf(first))));
}

void noteIterations(const CgSummary &summary, Timings &timings) {
  if (summary.groups == 0)
    return;
  timings.note("iterations", summary.allIterations);
  timings.note("most iterations of a group", summary.maxIterations);
  timings.note("residual", summary.residual);
}

Result<Weights> FitCommand::fit() {
  RunOptions run = session.runFit(model, options, progress);
  run.summary = &summary;
  run.strengths = options.penalties.strengths;
  Inference inference;
  if (options.inference)
    run.inference = &inference;
  if (options.command == Command::Tune)
    choosePenalties(model, options, timings, chosen, run);
  // Reported before a long time of reading.
  if (Status s = checkFits(model, TAMRT_STEP_FIT_CHUNK, run); !s)
    return std::move(s).error();
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.inPlace = !options.stream;
  progress.update("read", 0, 0);
  if (options.calibrate) {
    if (Status s = Prediction::checkMemory(model, options, run); !s)
      return std::move(s).error();
    Result<HeldOut> found =
        holdOut(model, options.source(), reading, *options.calibrate);
    if (!found)
      return std::move(found).error();
    heldOut = *std::move(found);
    reading.choice = {&heldOut.marks, /*wanted=*/false};
    timings.end("split");
  }
  Result<RowReader> reader = RowReader::open(options.source(), model, reading);
  if (!reader)
    return std::move(reader).error();
  Result<Weights> weights =
      fitRows(model, options, *std::move(reader), run, timings);
  if (!weights)
    return std::move(weights).error();
  setAps(model, options, chosen, *weights);
  weights->inference = std::move(inference);
  if (options.calibrate) {
    Result<Calibration> calibration =
        calibrate(model, options, *weights, heldOut, run);
    if (!calibration)
      return std::move(calibration).error();
    weights->calibration = *std::move(calibration);
    timings.end("calibrate");
  }
  return weights;
}

void FitCommand::tellNotes(const Weights &weights) {
  progress.clear();
  tellUnconverged(model, summary);
  if (options.inference)
    tellInference(model, weights);
  if (options.calibrate && options.stream && heldOut.keptBytes > 0)
    tell(model, "note",
         "--stream keeps " + std::to_string(heldOut.keptBytes) +
             " bytes: --calibrate needs the group of each row");
  if (options.calibrate)
    tell(model, "note",
         "--calibrate held out " + std::to_string(heldOut.heldOut) + " of " +
             std::to_string(heldOut.fitted + heldOut.heldOut) +
             " rows: the coefficients are those of the others; it adds " +
             std::to_string(weights.calibration.bytes()) +
             " bytes to the weights");
}

static Status fitFile(const tamrt_model &model, const Options &options,
                      const Session &session) {
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};
  FitCommand command(model, options, session);
  Result<Weights> weights = command.fit();
  if (!weights)
    return std::move(weights).error();
  Timings &timings = command.timings;
  if (Status s = serialize(model, *weights).write(options.output); !s)
    return s;
  timings.end("write");
  command.tellNotes(*weights);
  noteIterations(command.summary, timings);
  session.finish(timings, options);
  return options.command == Command::Tune
             ? print(formatChosen(model, options, weights->groups,
                                  command.chosen))
             : Status();
}

Result<Weights> fitRows(const tamrt_model &model, const Options &options,
                        RowReader reader, const RunOptions &run,
                        Timings &timings) {
  const auto fit = options.stream ? fitStreamed : fitInMemory;
  return fit(model, options, std::move(reader), run, timings);
}

Status runFit(const tamrt_model &model, const Options &options) {
  if (!options.frame &&
      (isPattern(options.input) || !options.checkpoint.empty()))
    return fitOnRanks(model, options, Ranks());
  return runSession(model, options, [&](const Session &session) {
    const tamrt_model &own = session.modelOf(model, options);
    return options.grid ? chooseValues(own, options, session)
                        : fitFile(own, options, session);
  });
}

} // namespace tamrt
