//===- app/Grid.cpp - tune --grid -----------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Grid.h"

#include "app/Commands.h"
#include "app/FitCommand.h"
#include "core/run/GridSearch.h"
#include "core/run/Quality.h"
#include "io/Number.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;

/// The rows that are held out of the fits.
class HeldOutRows {
public:
  /// Reads them. Errors: those of reading.
  static Result<HeldOutRows> read(const tamrt_model &model,
                                  const Options &options,
                                  const HeldOut &heldOut,
                                  const StrengthsQuestion &question);

  /// The root of the mean square of their residuals. Errors: those of
  /// `predictGroups`; a result that is not finite.
  Result<double> rmse(const tamrt_model &model, const Weights &weights,
                      const RunOptions &run);

  size_t rowCount() const { return data.rowCount(); }

private:
  HeldOutRows(std::string path, Dataset data)
      : path(std::move(path)), data(std::move(data)) {}

  std::string path;
  Dataset data;
  std::vector<double> numbers;
};

Result<HeldOutRows> HeldOutRows::read(const tamrt_model &model,
                                      const Options &options,
                                      const HeldOut &heldOut,
                                      const StrengthsQuestion &question) {
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.choice = {&heldOut.marks, /*wanted=*/true};
  Result<RowReader> reader = RowReader::open(
      options.source(), model,
      {question.groups, question.normalization.levels, Purpose::Evaluate},
      reading);
  if (!reader)
    return std::move(reader).error();
  Result<Rows> rows = reader->read(std::numeric_limits<size_t>::max());
  if (!rows)
    return std::move(rows).error();
  return HeldOutRows(
      reader->path(),
      Dataset::arrange(*std::move(rows), *reader, reader->groupOrder(), model,
                       question.normalization.levels, options.threads));
}

Result<double> HeldOutRows::rmse(const tamrt_model &model,
                                 const Weights &weights,
                                 const RunOptions &run) {
  numbers.resize(data.rowCount());
  if (Status s = predictGroups(model, TAMRT_STEP_PREDICT, data, weights, run,
                               numbers.data());
      !s)
    return Error{path + ": " + s.error().message};
  ResidualSums sums;
  for (size_t row = 0; row < data.rowCount(); ++row)
    if (!std::isnan(data.target()[row]))
      sums.add(data.target()[row], numbers[row],
               data.weights() ? data.weights()[row] : 1.0);
  const QualitySums all = sums.sums();
  const double rmse = qualityOf({&all, 1}).rmse;
  if (!std::isfinite(rmse))
    return Error{path + ": expected finite predictions of the held-out rows "
                        "and a positive weight, got others"};
  return rmse;
}

Result<Tables> copyOf(const tamrt_model &model, const Tables &tables) {
  Result<Tables> copy = Tables::allocate(model);
  for (size_t i = 0; copy && i < size_t(model.table_count); ++i)
    copy->set(i, tables.pointers()[i]);
  return copy;
}

/// A value as JSON: a number where it is one.
json jsonOf(const std::string &value) {
  json parsed = json::parse(value, nullptr, false);
  return parsed.is_number() ? parsed : json(value);
}

json jsonOf(const Candidates &candidates, const GridPoint &point) {
  json values = json::object();
  for (size_t i = 0; i < point.size(); ++i)
    values[candidates.tokens[i].name] =
        jsonOf(candidates.tokens[i].values[point[i]]);
  return values;
}

std::string format(const Candidates &candidates, const GridResult &result,
                   const HeldOut &heldOut, const std::string &formula,
                   InfoFormat form) {
  if (form == InfoFormat::Json) {
    json visits = json::array();
    for (const GridResult::Visit &visit : result.visits)
      visits.push_back({{"values", jsonOf(candidates, visit.point)},
                        {"score", visit.score}});
    return json{{"score", result.score},
                {"evaluations", result.visits.size()},
                {"rows", heldOut.fitted},
                {"held_out", heldOut.heldOut},
                {"values", jsonOf(candidates, result.best)},
                {"visited", visits},
                {"formula", formula}}
               .dump() +
           "\n";
  }
  std::string text =
      fmt::format("RMSE {:.10g} of {} held-out rows after {} evaluations\n\n",
                  result.score, heldOut.heldOut, result.visits.size());
  size_t width = 0;
  for (const Candidates::Token &token : candidates.tokens)
    width = std::max(width, token.name.size());
  for (size_t i = 0; i < candidates.tokens.size(); ++i) {
    const Candidates::Token &token = candidates.tokens[i];
    text += fmt::format("{:{}}  {}\n", token.name, width,
                        token.values[result.best[i]]);
  }
  return text + "\n" + formula + "\n";
}

} // namespace

Status chooseValues(const tamrt_model &model, const Options &options,
                    const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  RunOptions run = session.run(options, progress);
  CgSummary summary;
  run.summary = &summary;
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_PREDICT})
    if (Status s = checkFits(model, kind, run); !s)
      return s;
  const Candidates candidates = candidatesOf(model);
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  progress.update("read", 0, 0);
  Result<HeldOut> heldOut =
      holdOut(model, options.source(), reading, options.split);
  if (!heldOut)
    return std::move(heldOut).error();
  timings.end("split");

  auto fit = [&](const RowChoice &choice,
                 const Options &options) -> Result<Weights> {
    reading.choice = choice;
    Result<RowReader> reader =
        RowReader::open(options.source(), model, reading);
    if (!reader)
      return std::move(reader).error();
    return fitRows(model, options, *std::move(reader), run, timings);
  };

  GridResult result;
  size_t keptRows = 0;
  run.solveSystems =
      [&](const StrengthsQuestion &question) -> Result<std::vector<double>> {
    timings.end("sums");
    Result<CandidateFits> fits = CandidateFits::create(model, question, run);
    if (!fits)
      return std::move(fits).error();
    Result<HeldOutRows> rows =
        HeldOutRows::read(model, options, *heldOut, question);
    if (!rows)
      return std::move(rows).error();
    keptRows = rows->rowCount();
    timings.end("read");
    Weights weights;
    weights.groups.assign(question.groups.begin(), question.groups.end());
    weights.normalization = question.normalization;
    Result<Tables> tables = copyOf(model, question.tables);
    if (!tables)
      return std::move(tables).error();
    weights.tables = *std::move(tables);
    Result<GridResult> found = searchGrid(
        candidates,
        [&](const GridPoint &point) -> Result<double> {
          Result<std::vector<double>> coefficients =
              fits->fit(Candidate(model, candidates, point));
          if (!coefficients)
            return std::move(coefficients).error();
          weights.coefficients = *std::move(coefficients);
          return rows->rmse(model, weights, run);
        },
        [&](const GridProgress &now) {
          progress.update(
              fmt::format("tune: start {}, cycle {}, {} evaluations, score "
                          "{:.8g}",
                          now.start, now.cycle, now.evaluations, now.score),
              0, 0);
        });
    if (!found)
      return std::move(found).error();
    result = *std::move(found);
    timings.end("tune");
    return std::move(weights.coefficients);
  };
  // The last fit tells which rows were dropped.
  Options silent = options;
  silent.dropMissing = false;
  if (Result<Weights> searched =
          fit({&heldOut->marks, /*wanted=*/false}, silent);
      !searched)
    return std::move(searched).error();

  // All rows have other sums.
  const Candidate best(model, candidates, result.best);
  run.solveSystems =
      [&](const StrengthsQuestion &question) -> Result<std::vector<double>> {
    timings.end("sums");
    Result<CandidateFits> fits = CandidateFits::create(model, question, run);
    if (!fits)
      return std::move(fits).error();
    return fits->fit(best);
  };
  Result<Weights> all = fit({}, options);
  if (!all)
    return std::move(all).error();
  Result<Weights> weights = best.weightsOf(*all);
  if (!weights)
    return std::move(weights).error();
  if (Status s = serialize(best.model(), *weights).write(options.output); !s)
    return s;
  timings.end("write");
  progress.clear();
  if (options.stream)
    tell(model, "note",
         fmt::format("--stream keeps {} rows, {} bytes: --grid predicts those "
                     "held out for each candidate",
                     keptRows, keptRows * Dataset::bytesPerRow(model)));
  session.finish(timings, options);
  return print(format(candidates, result, *heldOut, best.model().formula,
                      options.infoFormat));
}

} // namespace tamrt
