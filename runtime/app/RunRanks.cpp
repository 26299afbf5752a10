//===- app/RunRanks.cpp - commands on several processes -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/RunRanks.h"

#include "app/Commands.h"
#include "app/FitCommand.h"
#include "app/Parts.h"
#include "app/Prediction.h"
#include "app/RankSessions.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/Log.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankFit.h"
#include "io/AtomicFile.h"
#include "io/Safetensors.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

namespace tamrt {
namespace {

/// Checks the options of a fit on ranks.
Status checkRankFit(const tamrt_model &model, const Options &options) {
  const char *other = nullptr;
  if (options.grid)
    other = "--grid";
  else if (options.stream)
    other = "--stream";
  else if (options.calibrate)
    other = "--calibrate";
  if (other)
    return Error{fmt::format(
        "expected a fit of one file by one process for "
        "{}, which several files or ranks do not have "
        "yet; see `{} {} --help`",
        other, model.name, options.command == Command::Tune ? "tune" : "fit")};
  if (options.command == Command::Tune &&
      SafetensorsFile::isLikely(options.input))
    return Error{fmt::format("expected rows, which ranks of MPI read together, "
                             "got '{}', whose sums one process tunes",
                             options.input)};
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};
  if (options.checkpoint == "-")
    return Error{"expected a file for the checkpoint, got '-'"};
  return {};
}

/// The fit in the session of one rank.
Status fitInSession(const tamrt_model &model, const Options &options,
                    const Ranks &ranks, const Session &session,
                    bool hasCheckpoint) {
  Progress progress(ranks.rank() == 0 ? STDERR_FILENO : -1, model.name);
  Timings timings;
  RunOptions run = session.runFit(model, options, progress);
  run.strengths = options.penalties.strengths;
  const ReadOptions reading = {options.dropMissing, options.threads,
                               CsvBlocks::kBlockBytes, options.format};
  Inference inference;
  if (options.inference)
    run.inference = &inference;
  ChosenAps chosen;
  const bool tunes = options.command == Command::Tune;
  if (tunes)
    choosePenalties(model, options, timings, chosen, run);
  Status checked = checkFits(model, TAMRT_STEP_FIT_CHUNK, run);
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  auto end = [&](const char *phase) { timings.end(phase); };
  Result<RankFit> fit = fitOnRanks(ranks, model, options.input, reading, run,
                                   {.end = end,
                                    .hasCheckpoint = hasCheckpoint,
                                    .checkpoint = options.checkpoint});
  if (!fit)
    return std::move(fit).error();
  log(LogLevel::Info,
      "rank {} of {} ({}): sent {} bytes of rows and {} of "
      "sums",
      ranks.rank(), ranks.size(), ranks.library(), fit->sentRows,
      fit->sentSums);
  Status written;
  if (ranks.rank() == 0) {
    setAps(model, options, chosen, fit->weights);
    fit->weights.inference = std::move(inference);
    written = serialize(model, fit->weights).write(options.output);
    timings.end("write");
    // The next fit would be of other rows.
    if (written && hasCheckpoint)
      std::remove(options.checkpoint.c_str());
  }
  if (Status s = ranks.agree(std::move(written)); !s)
    return s;
  int64_t sent[] = {fit->sentRows, fit->sentSums};
  ranks.add(sent);
  if (ranks.rank() > 0)
    return {};
  progress.clear();
  if (options.dropMissing)
    tell(model, "note",
         fmt::format("dropped {} of {} rows with missing values",
                     fit->rowsDropped, fit->rowsRead));
  tellAll(model, "note", fit->notes);
  tellUnconverged(model, fit->iterations);
  if (options.inference)
    tellInference(model, fit->weights);
  if (fit->groupsLoaded > 0)
    tell(model, "note",
         fmt::format("{}: had {} of {} groups", options.checkpoint,
                     fit->groupsLoaded, fit->weights.groups.size()));
  timings.note("ranks", int64_t(ranks.size()));
  noteIterations(fit->iterations, timings);
  timings.note("bytes of rows sent", sent[0]);
  timings.note("bytes of sums sent", sent[1]);
  session.finish(timings, options);
  return tunes
             ? print(formatChosen(model, options, fit->weights.groups, chosen))
             : Status();
}

} // namespace

Status fitOnRanks(const tamrt_model &model, const Options &options,
                  const Ranks &ranks) {
  return runSessions(model, options, ranks, checkRankFit(model, options),
                     [&](const Options &own, const Session &session) {
                       return fitInSession(model, own, ranks, session,
                                           !options.checkpoint.empty());
                     });
}

static Status predictInSession(const tamrt_model &model, const Options &options,
                               const Ranks &ranks, const Session &session) {
  Progress progress(ranks.rank() == 0 ? STDERR_FILENO : -1, model.name);
  Timings timings;
  const RunOptions run = session.run(options, progress);
  Status checked = Prediction::checkMemory(model, options, run);
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  Result<std::shared_ptr<const Weights>> weights =
      readWeights(model, options, StandardErrors::partsFor(options));
  if (Status s = ranks.agreeOn(weights); !s)
    return s;
  Result<std::vector<RankPiece>> pieces =
      divideFiles(ranks, options.input, options.format);
  if (!pieces)
    return std::move(pieces).error();
  timings.end("divide");
  std::vector<std::string> notes, warnings;
  Result<GrowingArray<char>> text =
      predictPieces(model, options, **weights, *pieces, ranks.rank() == 0, run,
                    timings, notes, warnings);
  if (Status s = ranks.agreeOn(text); !s)
    return s;
  Result<std::optional<AtomicFile>> file =
      writeTexts(options.output, {text->data(), text->size()}, ranks);
  if (!file)
    return std::move(file).error();
  if (Status s = commit(ranks, {&*file, 1}); !s)
    return s;
  timings.end("write");
  notes = gatherNotes(ranks, notes);
  warnings = gatherNotes(ranks, warnings);
  if (ranks.rank() > 0)
    return {};
  progress.clear();
  tellAll(model, "note", notes);
  tellAll(model, "warning", warnings);
  timings.note("ranks", int64_t(ranks.size()));
  session.finish(timings, options);
  return {};
}

Status predictOnRanks(const tamrt_model &model, const Options &options,
                      const Ranks &ranks) {
  Status checked;
  if (model.carry_bytes > 0)
    checked = Error{"expected a prediction of one file by one process, because "
                    "a term (pid) depends on the rows before"};
  return runSessions(model, options, ranks, std::move(checked),
                     [&](const Options &own, const Session &session) {
                       return predictInSession(model, own, ranks, session);
                     });
}

Status runOnRanks(const tamrt_model &model, const Options &options,
                  const Ranks &ranks) {
  if (options.command == Command::Fit || options.command == Command::Tune)
    return fitOnRanks(model, options, ranks);
  if (options.command == Command::Predict)
    return predictOnRanks(model, options, ranks);
  if (options.command == Command::Adapt)
    return adaptOnRanks(model, options, ranks);
  if (options.command == Command::Help)
    return ranks.rank() == 0 ? print(options.help) : Status();
  return Error{
      fmt::format("expected fit, tune, predict, decompose or adapt, which {} "
                  "ranks of MPI do together, got another command; start it "
                  "without mpirun, or with TAMRT_MPI=0 to let each "
                  "rank run it",
                  ranks.size())};
}

} // namespace tamrt
