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
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/Log.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankFit.h"
#include "io/AtomicFile.h"
#include "io/Safetensors.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

namespace tamrt {
namespace {

Status checkDevice(const Options &options) {
  if (options.device == "auto" || options.device == "cpu")
    return {};
  return Error{fmt::format("expected the CPU, on which ranks run, as --device, "
                           "got '{}'",
                           options.device)};
}

/// Checks the options of a fit on ranks.
Status checkRankFit(const tamrt_model &model, const Options &options) {
  const char *other = nullptr;
  if (options.grid)
    other = "--grid";
  else if (options.stream)
    other = "--stream";
  else if (options.inference)
    other = "--inference";
  else if (options.calibrate)
    other = "--calibrate";
  if (other)
    return Error{fmt::format(
        "expected a fit of one file by one process for "
        "{}, which several files or ranks do not have "
        "yet; see `{} help {}`",
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
  return checkDevice(options);
}

/// The options of one rank: rank 0 alone writes files, and the ranks of a
/// machine share its cores.
Options optionsOf(const Options &options, const Ranks &ranks) {
  Options own = options;
  own.device = "cpu";
  if (own.threads == 0 && ranks.localSize() > 1)
    own.threads = std::max<unsigned>(
        std::thread::hardware_concurrency() / unsigned(ranks.localSize()), 1);
  if (ranks.rank() > 0) {
    own.output = "/dev/null";
    own.checkpoint.clear();
    own.trace.clear();
    own.memorySnapshot.clear();
    own.timings = TimingsFormat::None;
  }
  return own;
}

/// Runs `body` in a session of each rank.
template <class Body>
Status runSessions(const tamrt_model &model, const Options &options,
                   const Ranks &ranks, const Body &body) {
  bool isStarted = false;
  Status done = runSession(model, options, [&](const Session &session) {
    isStarted = true;
    if (Status s = ranks.agree({}); !s)
      return s;
    return body(session);
  });
  return isStarted ? done : ranks.agree(std::move(done));
}

/// Prints what ranks have noted.
void tellAll(const tamrt_model &model, const char *kind,
             const std::vector<std::string> &notes) {
  for (const std::string &note : notes)
    tell(model, kind, note);
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
  if (Status s = ranks.agree(checkRankFit(model, options)); !s)
    return s;
  const Options own = optionsOf(options, ranks);
  return runSessions(model, own, ranks, [&](const Session &session) {
    return fitInSession(model, own, ranks, session,
                        !options.checkpoint.empty());
  });
}

/// Writes the texts of all ranks, one after another.
static Status writeTexts(const std::string &path, const std::string &own,
                         const Ranks &ranks) {
  constexpr size_t kBlockBytes = size_t(16) << 20;
  std::optional<AtomicFile> file;
  Status status;
  auto write = [&](std::string_view bytes) {
    if (status && file)
      status = file->write(bytes);
  };
  if (ranks.rank() == 0) {
    Result<AtomicFile> created = AtomicFile::create(path);
    if (created)
      file.emplace(*std::move(created));
    else
      status = std::move(created).error();
  }
  ranks.gatherBlocks(own, kBlockBytes, write);
  if (status && file)
    status = file->commit();
  return ranks.agree(std::move(status));
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
  Result<std::string> text =
      predictPieces(model, options, **weights, *pieces, ranks.rank() == 0, run,
                    timings, notes, warnings);
  if (Status s = ranks.agreeOn(text); !s)
    return s;
  if (Status s = writeTexts(options.output, *text, ranks); !s)
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
  Status checked = checkDevice(options);
  if (checked && model.carry_bytes > 0)
    checked = Error{"expected a prediction of one file by one process, because "
                    "a term (pid) depends on the rows before"};
  if (checked && options.weights == "-")
    checked = Error{"expected a file of weights, which all ranks read, got "
                    "standard input"};
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  const Options own = optionsOf(options, ranks);
  return runSessions(model, own, ranks, [&](const Session &session) {
    return predictInSession(model, own, ranks, session);
  });
}

Status runOnRanks(const tamrt_model &model, const Options &options,
                  const Ranks &ranks) {
  if (options.command == Command::Fit || options.command == Command::Tune)
    return fitOnRanks(model, options, ranks);
  if (options.command == Command::Predict)
    return predictOnRanks(model, options, ranks);
  if (options.command == Command::Help)
    return ranks.rank() == 0 ? print(options.help) : Status();
  return Error{
      fmt::format("expected fit, tune, predict or decompose, which {} "
                  "ranks of MPI do together, got another command; start it "
                  "without mpirun, or with TAMRT_MPI=0 to let each "
                  "rank run it",
                  ranks.size())};
}

} // namespace tamrt
