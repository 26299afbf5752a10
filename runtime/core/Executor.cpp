//===- core/Executor.cpp - runs a model's steps ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Executor.h"

#include "core/Crew.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

namespace tamrt {

Result<std::vector<double>> fitGroups(const tamrt_model &model,
                                      const Dataset &data,
                                      const Normalization &normalization,
                                      const Tables &tables,
                                      const RunOptions &options) {
  const auto width = size_t(model.columns);
  std::vector<double> coefficients(data.groups().size() * width);
  Result<Crew> crew = muster(model, TAMRT_STEP_FIT_CHUNK, data.groups().size(),
                             data.longestGroup(), options);
  if (!crew)
    return std::move(crew).error();

  Work work(model, data.groups(), *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    normalization.parameters(g, worker.place.parameters);
    worker.place.tables = tables.pointers();
    const auto all = int64_t(group.rows);
    auto run = [&](const tamrt_step &step, size_t first, int64_t rows) {
      worker.setColumns(model, data, group.first + first);
      worker.place.run(step, nullptr, rows, int64_t(first), all);
    };
    Ladder &ladder = *crew->ladder;
    worker.attempt(ladder,
                   [&] { run(*firstStep(model, TAMRT_STEP_FIT_INIT), 0, 0); });
    attemptChunks(
        ladder, worker, group.rows,
        [&](size_t first, size_t rows) {
          run(*worker.rung, first, int64_t(rows));
        },
        [&](size_t, size_t rows) { work.done(rows, reports); });
    if (worker.place.good()) {
      const TraceSpan span(options.trace, worker.lane, "solve");
      worker.attempt(ladder, [&] {
        run(*firstStep(model, TAMRT_STEP_FIT_FINISH), 0, all);
      });
    }
    if (worker.place.good())
      std::memcpy(coefficients.data() + g * width, worker.place.output,
                  width * sizeof(double));
  });
  if (!done)
    return std::move(done).error();
  crew->ladder->summarize();
  std::vector<std::string> names;
  for (const Group &group : data.groups())
    names.push_back(group.name);
  if (Status s = checkCoefficients(model, names, coefficients); !s)
    return std::move(s).error();
  return coefficients;
}

Status checkCoefficients(const tamrt_model &model,
                         std::span<const std::string> groups,
                         std::span<const double> coefficients) {
  const auto width = size_t(model.columns);
  size_t bad = firstNotFinite(coefficients.data(), coefficients.size());
  if (bad < coefficients.size())
    return overflow(model, groups[bad / width], int64_t(bad % width));
  return {};
}

/// For every group of `data` the place of its weights.
static Result<std::vector<size_t>> trainedPlaces(const Dataset &data,
                                                 const Weights &weights) {
  std::unordered_map<std::string_view, size_t> trained;
  for (size_t g = 0; g < weights.groups.size(); ++g)
    trained.emplace(weights.groups[g], g);
  std::vector<size_t> places;
  for (const Group &group : data.groups()) {
    auto at = trained.find(group.name);
    if (at == trained.end())
      return Error{"expected groups that were trained, got group '" +
                   group.name + "'"};
    places.push_back(at->second);
  }
  return places;
}

Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                     const Dataset &data, const Weights &weights,
                     const RunOptions &options, double *output) {
  Result<std::vector<size_t>> places = trainedPlaces(data, weights);
  if (!places)
    return std::move(places).error();
  const auto width = size_t(outputWidth(model, kind));
  Result<Crew> crew =
      muster(model, kind, data.groups().size(), data.longestGroup(), options);
  if (!crew)
    return std::move(crew).error();
  Work work(model, data.groups(), *crew, options, "predict");
  Status done = work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    const size_t place = (*places)[g];
    weights.normalization.parameters(place, worker.place.parameters);
    worker.place.tables = weights.tables.pointers();
    attemptChunks(
        *crew->ladder, worker, group.rows,
        [&](size_t first, size_t rows) {
          worker.setColumns(model, data, group.first + first);
          worker.place.run(*worker.rung, weights.of(place, model),
                           int64_t(rows), int64_t(first), int64_t(group.rows));
        },
        [&](size_t first, size_t rows) {
          std::memcpy(output + (group.first + first) * width,
                      worker.place.output, rows * width * sizeof(double));
          work.done(rows, reports);
        });
  });
  if (done)
    crew->ladder->summarize();
  return done;
}

Result<std::vector<double>> decomposeRow(const tamrt_model &model,
                                         const Dataset &data,
                                         const Weights &weights, size_t row,
                                         const RunOptions &options) {
  Result<std::vector<size_t>> places = trainedPlaces(data, weights);
  if (!places)
    return std::move(places).error();
  const size_t g = data.groupOf(row);
  const Group &group = data.groups()[g];
  // Alone, unless a carry makes the rows before it matter.
  const size_t last = row - group.first;
  const size_t start = model.carry_bytes > 0 ? 0 : last;
  RunOptions alone = options;
  alone.threads = 1;
  Result<Crew> crew =
      muster(model, TAMRT_STEP_TERMS, 1, last - start + 1, alone);
  if (!crew)
    return std::move(crew).error();
  Worker &worker = crew->workers.front();
  worker.place.tables = weights.tables.pointers();
  weights.normalization.parameters((*places)[g], worker.place.parameters);
  std::vector<double> terms;
  attemptChunks(
      *crew->ladder, worker, last - start + 1,
      [&](size_t first, size_t rows) {
        worker.setColumns(model, data, group.first + start + first);
        worker.place.run(*worker.rung, weights.of((*places)[g], model),
                         int64_t(rows), int64_t(start + first),
                         int64_t(group.rows));
      },
      [&](size_t, size_t rows) {
        const double *of =
            worker.place.output + int64_t(rows - 1) * model.effect_count;
        terms.assign(of, of + model.effect_count);
      });
  if (!worker.place.good())
    return describe(model, group.name, worker.place.context, worker.shortage);
  return terms;
}

} // namespace tamrt
