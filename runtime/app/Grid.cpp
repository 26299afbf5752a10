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
#include "app/Prediction.h"
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

/// Opens a file at the rows that are held out of the fits.
Result<RowReader> openHeldOut(const tamrt_model &model, const Options &options,
                              const HeldOut &heldOut,
                              const StrengthsQuestion &question) {
  ReadOptions reading = {options.dropMissing, options.threads,
                         CsvBlocks::kBlockBytes, options.format};
  reading.choice = {&heldOut.marks, /*wanted=*/true};
  return RowReader::open(
      options.source(), model,
      {question.groups, question.normalization.levels, Purpose::Evaluate},
      reading);
}

/// The root of the mean square of the residuals of rows; an error if it is not
/// finite.
Result<double> rmseOf(const PredictedRows &rows, const std::string &path) {
  const Dataset &data = rows.data;
  ResidualSums sums;
  for (size_t row = 0; row < data.rowCount(); ++row)
    if (!std::isnan(data.target()[row]))
      sums.add(data.target()[row], rows.numbers[row],
               data.weights() ? data.weights()[row] : 1.0);
  const QualitySums all = sums.sums();
  const double rmse = qualityOf({&all, 1}).rmse;
  if (!std::isfinite(rmse))
    return Error{path + ": expected held-out rows with a positive weight and "
                        "residuals whose squares are finite, got others"};
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

  // Calls use(fits) for the sums of a fit.
  auto fitSums = [&](auto use) {
    run.solveSystems =
        [&, use](
            const StrengthsQuestion &question) -> Result<std::vector<double>> {
      timings.end("sums");
      Result<CandidateFits> fits = CandidateFits::create(model, question, run);
      if (!fits)
        return std::move(fits).error();
      return use(*fits, question);
    };
  };

  GridResult result;
  size_t keptRows = 0;
  fitSums([&](const CandidateFits &fits, const StrengthsQuestion &question)
              -> Result<std::vector<double>> {
    Weights weights;
    weights.groups.assign(question.groups.begin(), question.groups.end());
    weights.normalization = question.normalization;
    Result<Tables> tables = copyOf(model, question.tables);
    if (!tables)
      return std::move(tables).error();
    weights.tables = *std::move(tables);
    Result<RowReader> reader = openHeldOut(model, options, *heldOut, question);
    if (!reader)
      return std::move(reader).error();
    Prediction prediction(model, options, weights, run);
    if (Status s = prediction.keepAll(*reader, timings); !s)
      return std::move(s).error();
    keptRows = prediction.keptRows();
    Result<GridResult> found = searchGrid(
        candidates,
        [&](const GridPoint &point) -> Result<double> {
          Result<std::vector<double>> coefficients =
              fits.fit(Candidate(model, candidates, point));
          if (!coefficients)
            return std::move(coefficients).error();
          weights.coefficients = *std::move(coefficients);
          double rmse = 0;
          Status predicted = prediction.predictKept(
              *reader, [&](const PredictedRows &rows) -> Status {
                Result<double> of = rmseOf(rows, reader->path());
                if (!of)
                  return std::move(of).error();
                rmse = *of;
                return {};
              });
          if (!predicted)
            return std::move(predicted).error();
          return rmse;
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
  });
  // The last fit tells which rows were dropped.
  Options silent = options;
  silent.dropMissing = false;
  if (Result<Weights> searched =
          fit({&heldOut->marks, /*wanted=*/false}, silent);
      !searched)
    return std::move(searched).error();

  // All rows have other sums.
  const Candidate best(model, candidates, result.best);
  fitSums([&](const CandidateFits &fits, const StrengthsQuestion &) {
    return fits.fit(best);
  });
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
