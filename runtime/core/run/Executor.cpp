//===- core/run/Executor.cpp - runs a model's steps -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Executor.h"

#include "core/run/Crew.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_map>

namespace tamrt {

namespace {

/// "2.5e-07"
std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1e", value);
  return text;
}

/// What the iterations of all groups were.
CgSummary summarize(std::span<const CgOutcome> outcomes) {
  CgSummary summary;
  summary.groups = outcomes.size();
  for (const CgOutcome &outcome : outcomes) {
    summary.unconverged += !outcome.converged;
    summary.allIterations += outcome.iterations;
    summary.mostIterations =
        std::max(summary.mostIterations, outcome.iterations);
    summary.residual = std::max(summary.residual, outcome.residual);
  }
  return summary;
}

/// The error of the first group that did not converge.
Error unconverged(const tamrt_model &model, const Dataset &data,
                  std::span<const CgOutcome> outcomes,
                  const CgOptions &options) {
  size_t g = 0;
  while (outcomes[g].converged)
    ++g;
  const bool isStuck = outcomes[g].iterations < options.maxIterations;
  return Error{
      (model.group ? "group '" + data.groups()[g].name + "': " : "") +
      "expected conjugate gradients to reach a residual below " +
      shortNumber(options.tolerance) + ", got " +
      shortNumber(outcomes[g].residual) + " after " +
      std::to_string(outcomes[g].iterations) + " iterations; " +
      (isStuck ? "" : "raise --max-iterations, ") +
      "raise the penalty ap or --tolerance, or take the coefficients as they "
      "are with --allow-unconverged"};
}

/// Tells how far the iterations of group `g` are.
void tellIteration(const RunOptions &options, size_t g, size_t groups,
                   const CgOutcome &outcome) {
  if (options.progress)
    options.progress->update("fit: group " + std::to_string(g + 1) + " of " +
                                 std::to_string(groups) + ", iteration " +
                                 std::to_string(outcome.iterations) +
                                 ", residual " + shortNumber(outcome.residual),
                             0, 0);
}

/// Runs the steps of one group's fit on a rung that may fall.
class GroupFit {
public:
  GroupFit(Ladder &ladder, Worker &worker, const Dataset &data,
           const Group &group)
      : ladder(ladder), worker(worker), data(data), group(group) {}

  /// Sums over chunks and one factorization; the coefficients are the output.
  /// `done` gets the rows of each chunk.
  template <class Done> void solveDirectly(const Done &done) {
    worker.attempt(ladder, [&] {
      run(*firstStep(ladder.model, TAMRT_STEP_FIT_INIT), nullptr, 0, 0);
    });
    attemptChunks(
        ladder, worker, group.rows,
        [&](size_t first, size_t rows) {
          run(*worker.rung, nullptr, first, rows);
        },
        [&](size_t, size_t rows) { done(rows); });
    if (!worker.place.good())
      return;
    const TraceSpan span(ladder.options.trace, worker.lane, "solve");
    worker.attempt(ladder, [&] {
      run(*firstStep(ladder.model, TAMRT_STEP_FIT_FINISH), nullptr, 0,
          group.rows);
    });
  }

  // What `solveByCg` asks of a runner.

  void frame(tamrt_step_kind kind, const double *v, double *output,
             int64_t groupRows) {
    worker.attempt(ladder, [&] {
      worker.setColumns(ladder.model, data, group.first);
      worker.place.output = output;
      worker.place.run(*firstStep(ladder.model, kind), v, groupRows, 0,
                       groupRows);
    });
  }

  void pass(tamrt_step_kind kind, const double *v) {
    attemptChunks(
        ladder, worker, group.rows,
        [&](size_t first, size_t rows) {
          const tamrt_step &step = kind == TAMRT_STEP_CG_CHUNK
                                       ? setupStep(ladder.model, *worker.rung)
                                       : *worker.rung;
          const auto most = size_t(step.rung_rows);
          for (size_t at = 0; at < rows; at += most)
            run(step, v, first + at, std::min(most, rows - at));
        },
        [](size_t, size_t) {});
  }

private:
  void run(const tamrt_step &step, const double *v, size_t first, size_t rows) {
    worker.setColumns(ladder.model, data, group.first + first);
    worker.place.run(step, v, int64_t(rows), int64_t(first),
                     int64_t(group.rows));
  }

  Ladder &ladder;
  Worker &worker;
  const Dataset &data;
  const Group &group;
};

} // namespace

Result<std::vector<double>> fitGroups(const tamrt_model &model,
                                      const Dataset &data,
                                      const Normalization &normalization,
                                      const Tables &tables,
                                      const RunOptions &options) {
  const auto width = size_t(model.columns);
  const size_t groups = data.groups().size();
  std::vector<double> coefficients(groups * width);
  Result<Crew> crew = musterFit(model, groups, data.longestGroup(), options);
  if (!crew)
    return std::move(crew).error();
  const bool direct = crew->ladder->kind == TAMRT_STEP_FIT_CHUNK;
  std::vector<CgOutcome> outcomes(direct ? 0 : groups);

  Work work(model, data.groups(), *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    normalization.parameters(g, worker.place.parameters);
    worker.place.tables = tables.pointers();
    GroupFit fit(*crew->ladder, worker, data, group);
    if (direct)
      fit.solveDirectly([&](size_t rows) { work.done(rows, reports); });
    else
      outcomes[g] = solveByCg(
          model, worker.place, int64_t(group.rows), options.cg, fit,
          [&](const CgOutcome &outcome) {
            if (options.trace)
              options.trace->instant(
                  worker.lane, "iteration",
                  {{"group", int64_t(g)}, {"iteration", outcome.iterations}});
            if (reports)
              tellIteration(options, g, groups, outcome);
          });
    if (worker.place.good())
      std::memcpy(coefficients.data() + g * width,
                  direct ? worker.place.output : worker.place.vectors,
                  width * sizeof(double));
  });
  if (!done)
    return std::move(done).error();
  crew->ladder->summarize();
  const CgSummary summary = summarize(outcomes);
  if (options.summary)
    *options.summary = summary;
  if (summary.unconverged > 0 && !options.allowUnconverged)
    return unconverged(model, data, outcomes, options.cg);
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
