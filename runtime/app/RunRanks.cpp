//===- app/RunRanks.cpp - commands on several processes -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/RunRanks.h"

#include "app/Adapt.h"
#include "app/AdaptRun.h"
#include "app/AdaptTables.h"
#include "app/Commands.h"
#include "app/FitCommand.h"
#include "app/Parts.h"
#include "app/Prediction.h"
#include "app/RowPlaces.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "app/Tune.h"
#include "core/Log.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankFit.h"
#include "core/ranks/RankRows.h"
#include "core/run/Windows.h"
#include "io/AtomicFile.h"
#include "io/CsvWriter.h"
#include "io/Safetensors.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tamrt {
namespace {

Status checkDevice(const Options &options) {
  if (options.device == "auto" || options.device == "cpu")
    return {};
  return Error{fmt::format("expected the CPU, on which ranks run, as --device, "
                           "got '{}'",
                           options.device)};
}

Status checkWeights(const Options &options) {
  if (options.weights != "-")
    return {};
  return Error{"expected a file of weights, which all ranks read, got standard "
               "input"};
}

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
        "yet; see `{} help {}`",
        other, model.name, options.command == Command::Tune ? "tune" : "fit")};
  if (options.command == Command::Tune &&
      SafetensorsFile::isLikely(options.input))
    return Error{fmt::format("expected rows, which ranks of MPI read together, "
                             "got '{}', whose sums one process tunes",
                             options.input)};
  if (options.output == "-" && ::isatty(STDOUT_FILENO))
    return Error{"expected a file for the weights, got a terminal"};
  if (options.inference && !options.checkpoint.empty())
    return Error{"expected no --checkpoint of a fit with --inference, whose "
                 "files have no inference"};
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
    tellInference(model, fit->weights.groups.size());
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

/// Writes the texts of all ranks, one after another, to a file of rank 0, which
/// appears when it is committed. The other ranks have none.
static Result<std::optional<AtomicFile>> writeTexts(const std::string &path,
                                                    const std::string &own,
                                                    const Ranks &ranks) {
  constexpr size_t kBlockBytes = size_t(16) << 20;
  std::optional<AtomicFile> file;
  Status status;
  if (ranks.rank() == 0) {
    Result<AtomicFile> created = AtomicFile::create(path);
    if (created)
      file.emplace(*std::move(created));
    else
      status = std::move(created).error();
  }
  ranks.gatherBlocks(own, kBlockBytes, [&](std::string_view bytes) {
    if (status && file)
      status = file->write(bytes);
  });
  if (Status s = ranks.agree(std::move(status)); !s)
    return std::move(s).error();
  return file;
}

/// Commits files that rank 0 has, in their order.
static Status commit(const Ranks &ranks,
                     std::span<std::optional<AtomicFile>> files) {
  Status status;
  for (std::optional<AtomicFile> &file : files)
    if (file && status)
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
  Result<std::optional<AtomicFile>> file =
      writeTexts(options.output, *text, ranks);
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
  Status checked = checkDevice(options);
  if (checked && model.carry_bytes > 0)
    checked = Error{"expected a prediction of one file by one process, because "
                    "a term (pid) depends on the rows before"};
  if (checked)
    checked = checkWeights(options);
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  const Options own = optionsOf(options, ranks);
  return runSessions(model, own, ranks, [&](const Session &session) {
    return predictInSession(model, own, ranks, session);
  });
}

/// The error describe(row, place in the file) of the first row in the files'
/// order of those that ranks mark; `own` are a rank's, if it has some.
template <class Describe>
static Status checkRows(const Ranks &ranks, const RankRows &rows,
                        const std::optional<WindowRows> &own,
                        const std::vector<bool> &isMarked,
                        const Describe &describe) {
  std::vector<bool> marks(isMarked.size());
  for (size_t row = 0; row < marks.size(); ++row)
    marks[own->data().fileRows()[row]] = isMarked[row];
  const std::optional<RankRow> first = rows.firstOf(marks);
  if (!first)
    return {};
  Status failed;
  if (first->rank == ranks.rank()) {
    const std::span<const uint32_t> places = own->data().fileRows();
    failed =
        describe(size_t(std::find(places.begin(), places.end(), first->row) -
                        places.begin()),
                 *first);
  }
  return ranks.agree(std::move(failed));
}

/// Fits the windows of this rank's groups, and predicts. `take` gets them in
/// order. Errors, of all ranks: those of one process.
static Status
fitWindowsOf(const Ranks &ranks, const AdaptRun &run, const RankRows &rows,
             std::optional<WindowRows> &own,
             const std::function<void(const FittedWindow &)> &take) {
  const std::vector<bool> none(own ? own->data().rowCount() : 0);
  auto placeOf = [&](size_t row, const RankRow &at, const char *column) {
    return RowPlaces::placeOf(
        run.model, at.path, run.unit, at.line, column,
        own->data().groups()[own->data().groupOf(row)].name);
  };
  Status checked = checkRows(ranks, rows, own, own ? own->lackTargets() : none,
                             [&](size_t row, const RankRow &at) -> Status {
                               return AdaptRun::describeLack(
                                   placeOf(row, at, run.model.target));
                             });
  if (!checked)
    return checked;
  if (run.weights) {
    Status predicted;
    std::vector<bool> bad = none;
    std::optional<RowPlaces> places;
    if (own) {
      predicted = run.predictBase(own->data(), own->base);
      places.emplace(run.model, own->data(), std::span<const uint64_t>(),
                     run.path);
    }
    if (Status s = ranks.agree(std::move(predicted)); !s)
      return s;
    constexpr tamrt_step_kind kKind = TAMRT_STEP_PREDICT;
    if (own)
      if (std::vector<bool> marks =
              places->notFinite(own->base.predictions, kKind);
          !marks.empty())
        bad = std::move(marks);
    checked = checkRows(
        ranks, rows, own, bad, [&](size_t row, const RankRow &at) -> Status {
          const Result<std::string> why = places->whyNotFinite(
              row, own->base.predictions, kKind, *run.weights, run.run);
          return why ? Error{placeOf(row, at, nullptr) + *why} : why.error();
        });
    if (!checked)
      return checked;
  } else if (own) {
    own->base.effects.resize(run.joint.places.size());
  }
  // Groups are in the order of ranks, so this is the first one's error.
  if (Status s = ranks.agree(own ? own->fit(take) : Status()); !s)
    return s;
  return checkRows(ranks, rows, own, own ? own->notFinite() : none,
                   [&](size_t row, const RankRow &at) -> Status {
                     return Error{placeOf(row, at, nullptr) + ": " +
                                  describeInfinite(own->predictionOf(row))};
                   });
}

/// Numbers of the rows that this rank read, given those of its windows' rows.
static std::vector<double> giveBack(const RankRows &rows,
                                    const std::optional<WindowRows> &own,
                                    const std::vector<double> &numbers) {
  std::vector<double> sent(numbers.size());
  for (size_t row = 0; row < sent.size(); ++row)
    sent[own->data().fileRows()[row]] = numbers[row];
  return rows.giveBack(sent);
}

/// The counts of all ranks.
static AdaptCounts sumOf(const Ranks &ranks, const AdaptCounts &own) {
  int64_t counts[] = {int64_t(own.groups),  int64_t(own.without),
                      int64_t(own.rows),    int64_t(own.ties),
                      int64_t(own.windows), int64_t(own.apart)};
  ranks.add(counts);
  return {size_t(counts[0]), size_t(counts[1]), size_t(counts[2]),
          size_t(counts[3]), size_t(counts[4]), size_t(counts[5])};
}

/// The error of groups of which none has a window.
static Status checkLengths(const AdaptRun &run, const RankRows &rows) {
  size_t windows = 0, longest = 0;
  for (const size_t count : rows.rowsOfGroups()) {
    windows += GroupWindows(run.adapt, count).count();
    longest = std::max(longest, count);
  }
  return windows > 0 ? Status() : run.describeShort(longest);
}

static Status adaptInSession(const tamrt_model &model, const Options &options,
                             const Ranks &ranks, const Session &session) {
  AdaptRun run(model, options, session, ranks.rank() == 0 ? STDERR_FILENO : -1);
  if (ranks.rank() > 0)
    run.run.tellRoute = {};
  const bool keepsCoefficients = !options.windowCoefficients.empty();
  Status ready;
  if (keepsCoefficients && ranks.rank() == 0)
    ready = AtomicFile::check(options.windowCoefficients);
  if (ready)
    ready = run.prepare();
  if (Status s = ranks.agree(std::move(ready)); !s)
    return s;
  run.path = options.input;
  Result<std::vector<RankPiece>> pieces =
      divideFiles(ranks, options.input, options.format);
  if (!pieces)
    return std::move(pieces).error();
  run.timings.end("divide");
  run.progress.update("read", 0, 0);
  const std::optional<TrainedTexts> trained = run.trained();
  Result<RankRows> rows =
      RankRows::read(ranks, run.joint.model(), *pieces,
                     run.reading(/*keepsKeys=*/true, /*inPlace=*/false,
                                 CsvBlocks::kBlockBytes),
                     run.run, options.input, trained ? &*trained : nullptr);
  if (!rows)
    return std::move(rows).error();
  run.timings.end("read");
  // The same on all ranks.
  if (Status s = checkLengths(run, *rows); !s)
    return s;
  if (Status s = rows->exchangeGroups(); !s)
    return s;
  RankKeys keys;
  if (keepsCoefficients)
    keys = rows->exchangeKeys();
  const int64_t sentRows = ranks.sentBytes();
  std::optional<WindowRows> own;
  if (Rows mine = rows->takeWindowRows(); mine.count > 0)
    own.emplace(
        run, std::move(mine), rows->windowColumns(),
        [&](size_t column) -> const TextIndex & {
          return rows->levelTexts(column);
        },
        rows->windowGroups());
  run.timings.end("exchange");

  std::string coefficients, text;
  CoefficientsTable windows(model, CsvWriter(coefficients), ranks.rank() == 0);
  std::function<void(const FittedWindow &)> take;
  if (keepsCoefficients)
    take = [&](const FittedWindow &window) {
      windows.add(window, keys.rows[window.row]);
    };
  if (Status s = fitWindowsOf(ranks, run, *rows, own, take); !s)
    return s;
  run.timings.end("windows");
  const std::vector<double> none;
  const std::vector<double> corrections =
      giveBack(*rows, own, own ? own->predictions : none);
  std::vector<double> base;
  if (run.weights)
    base = giveBack(*rows, own, own ? own->base.predictions : none);
  RowsTable table(run, CsvWriter(text), ranks.rank() == 0);
  const size_t width = run.names().size();
  rows->forEachRead([&](size_t row, std::string_view cells) {
    const auto numbers =
        WindowRows::numbersOf(corrections[row], base.empty() ? 0 : base[row]);
    table.add(cells, std::span(numbers).first(width));
  });
  Status written = windows.finish();
  if (written)
    written = table.finish();
  if (Status s = ranks.agree(std::move(written)); !s)
    return s;
  // Both tables are complete before one of them appears.
  std::vector<std::optional<AtomicFile>> files;
  for (const auto &[path, bytes] :
       {std::pair(&options.windowCoefficients, &coefficients),
        std::pair(&options.output, &text)}) {
    if (path == &options.windowCoefficients && !keepsCoefficients)
      continue;
    Result<std::optional<AtomicFile>> file = writeTexts(*path, *bytes, ranks);
    if (!file)
      return std::move(file).error();
    files.push_back(*std::move(file));
  }
  if (Status s = commit(ranks, files); !s)
    return s;
  run.timings.end("write");
  const AdaptCounts counts = sumOf(ranks, own ? own->counts() : AdaptCounts());
  int64_t sent = sentRows;
  ranks.add({&sent, 1});
  if (ranks.rank() > 0)
    return {};
  run.tellNotes(counts);
  run.timings.note("ranks", int64_t(ranks.size()));
  run.timings.note("bytes of rows sent", sent);
  session.finish(run.timings, options);
  return {};
}

Status adaptOnRanks(const tamrt_model &model, const Options &options,
                    const Ranks &ranks) {
  Status checked = checkDevice(options);
  if (checked && options.stream)
    checked = Error{"expected a file that one process reads for --stream, got "
                    "several files or ranks, which keep their rows; leave it "
                    "out, or start more ranks"};
  if (checked)
    checked = checkWeights(options);
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  const Options own = optionsOf(options, ranks);
  return runSessions(model, own, ranks, [&](const Session &session) {
    return adaptInSession(session.modelOf(model, own), own, ranks, session);
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
