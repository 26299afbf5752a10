//===- app/AdaptRanks.cpp - adapt on several processes --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Adapt.h"
#include "app/AdaptRun.h"
#include "app/AdaptTables.h"
#include "app/RankSessions.h"
#include "app/RowPlaces.h"
#include "app/RunRanks.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankRows.h"
#include "core/run/Windows.h"
#include "io/AtomicFile.h"
#include "io/CsvWriter.h"
#include "io/GrowingArray.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unistd.h>
#include <utility>

namespace tamrt {

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
                             bool keepsCoefficients, const Ranks &ranks,
                             const Session &session) {
  AdaptRun run(model, options, session, ranks.rank() == 0 ? STDERR_FILENO : -1);
  Status ready;
  if (keepsCoefficients && ranks.rank() == 0)
    ready = AtomicFile::check(options.windowCoefficients);
  if (Status s = ranks.agree(std::move(ready)); !s)
    return s;
  if (Status s = ranks.agree(run.prepare(ranks)); !s)
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
  std::optional<WindowRows> own;
  if (Rows mine = rows->takeWindowRows(); mine.count > 0)
    own.emplace(
        run, std::move(mine), rows->windowColumns(),
        [&](size_t column) -> const TextIndex & {
          return rows->levelTexts(column);
        },
        rows->windowGroups());
  RankKeys keys;
  if (keepsCoefficients)
    keys = rows->exchangeKeys(own ? own->firstPredicted()
                                  : std::vector<uint32_t>());
  const int64_t sentRows = ranks.sentBytes();
  run.timings.end("exchange");

  GrowingArray<char> coefficients, text;
  CoefficientsTable windows(model, CsvWriter(coefficients), ranks.rank() == 0);
  std::function<void(const FittedWindow &)> take;
  if (keepsCoefficients)
    take = [&, next = keys.rows.begin()](const FittedWindow &window) mutable {
      windows.add(window, *next++);
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
    Result<std::optional<AtomicFile>> file =
        writeTexts(*path, {bytes->data(), bytes->size()}, ranks);
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
  Status checked;
  if (options.stream)
    checked = Error{"expected a file that one process reads for --stream, got "
                    "several files or ranks, which keep their rows; leave it "
                    "out, or start more ranks"};
  return runSessions(model, options, ranks, std::move(checked),
                     [&](const Options &own, const Session &session) {
                       return adaptInSession(
                           session.modelOf(model, own), own,
                           !options.windowCoefficients.empty(), ranks, session);
                     });
}

} // namespace tamrt
