//===- core/run/Executor.cpp - runs a model's steps -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Executor.h"

#include "core/model/Coordinates.h"
#include "core/run/GroupFit.h"
#include "core/run/Work.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace tamrt {

namespace {

/// "2.5e-07"
std::string shortNumber(double value) { return fmt::format("{:.1e}", value); }

/// Summary of the iterations of all groups.
CgSummary summarize(std::span<const CgOutcome> outcomes) {
  CgSummary summary;
  for (const CgOutcome &outcome : outcomes)
    summary.add({1, outcome.converged ? size_t(0) : 1, outcome.iterations,
                 outcome.iterations, outcome.residual});
  return summary;
}

/// The groups of `data`, divided into slices for several threads if no row
/// depends on others; for each in `groupOf` the index of its group.
std::vector<Group> slicesOf(const tamrt_model &model, const Dataset &data,
                            const Crew &crew, std::vector<size_t> &groupOf) {
  const bool cuts = crew.workers.size() > 1 && model.carry_bytes == 0;
  const auto most =
      std::max(size_t(TAMRT_SEGMENT_ROWS), size_t(crew.ladder->chunkRows(0)));
  std::vector<Group> slices;
  for (const Group &group : data.groups()) {
    const auto index = size_t(&group - data.groups().data());
    for (size_t at = 0; at < group.rows;) {
      const size_t rows = cuts ? std::min(most, group.rows - at) : group.rows;
      slices.push_back({group.name, group.first + at, rows, group.place});
      groupOf.push_back(index);
      at += rows;
    }
  }
  return slices;
}

/// Lets the crew's device use the columns that it keeps: the caller's or, if
/// they are read more than once and there is memory, `own`.
Status keepColumns(const tamrt_model &model, const Dataset &data, Crew &crew,
                   const RunOptions &options, bool isOften,
                   ResidentColumns &own) {
  Device &device = *crew.device;
  SiteShared *shared = crew.ladder->shared(device);
  if (!shared || !needsCopies(device))
    return {};
  if (options.columns && options.columns->isOn(device)) {
    shared->columns = options.columns;
    return {};
  }
  // A limit for the run was divided among its threads.
  if (!isOften || options.memoryBytes > 0)
    return {};
  const int64_t bytes = ResidentColumns::bytesOf(model, data);
  if (bytes > budgetOf(device.memory().freeBytes,
                       options.oracle.share(device.place(), options.work)))
    return {};
  if (Status s = own.copy(model, data, device); !s)
    return s;
  if (!own.isEmpty())
    log(LogLevel::Info, "device '{}' keeps {} bytes of columns", device.label(),
        bytes);
  shared->columns = &own;
  return {};
}

} // namespace

void CgSummary::add(const CgSummary &more) {
  groups += more.groups;
  unconverged += more.unconverged;
  maxIterations = std::max(maxIterations, more.maxIterations);
  allIterations += more.allIterations;
  residual = std::max(residual, more.residual);
}

std::string describe(const CgOutcome &outcome) {
  return "iteration " + std::to_string(outcome.iterations) + ", residual " +
         shortNumber(outcome.residual);
}

Result<std::vector<double>>
fitGroups(const tamrt_model &model, const Dataset &data,
          const Normalization &normalization, const Tables &tables,
          const RunOptions &options, const FitRoute *route) {
  const size_t groups = data.groups().size();
  std::vector<double> coefficients(
      options.systems ? 0 : groups * size_t(model.columns));
  ResidentColumns columns;
  Result<Crew> crew =
      makeFitCrew(model, groups, data.longestGroup(), options, route);
  if (!crew)
    return std::move(crew).error();
  if (!crew->note.empty() && options.tellRoute)
    options.tellRoute(crew->note);
  const bool direct = describe(crew->ladder->kind).isDirect();
  if (Status s = keepColumns(model, data, *crew, options,
                             /*isOften=*/!direct, columns);
      !s)
    return std::move(s).error();
  if (Status s = startInference(model, groups, options); !s)
    return std::move(s).error();
  std::vector<CgOutcome> outcomes(direct ? 0 : groups);

  Work work(model, data.groups(), *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g) {
    const Group &group = data.groups()[g];
    normalization.parameters(model, g, worker.place.parameters,
                             options.strengthsOf(model, g));
    worker.place.tables = tables.pointers();
    GroupFit fit(*crew->ladder, g, group.rows, worker.place.vectors);
    while (fit.resume(worker)) {
      if (fit.pass() == TAMRT_STEP_APPLY_CHUNK && worker.lane == 0 &&
          options.progress)
        options.progress->update("fit: group " + std::to_string(g + 1) +
                                     " of " + std::to_string(groups) + ", " +
                                     describe(fit.outcome()),
                                 0, 0);
      work.team().add(worker, {fit.pass(), fit.vector(), data, group.first, 0,
                               group.rows, group.rows,
                               [&](const Worker &by, size_t rows) {
                                 if (direct)
                                   work.done(by, rows);
                               }});
    }
    if (!worker.place.good())
      return;
    if (!direct)
      outcomes[g] = fit.outcome();
    fit.take(worker, g, coefficients);
  });
  if (!done)
    return std::move(done).error();
  crew->ladder->summarize();
  auto nameAt = [&](size_t g) {
    return nameOf(data.groups()[g], options.namer);
  };
  if (Status s = checkConverged(model, nameAt, outcomes, options); !s)
    return std::move(s).error();
  if (Status s = checkCoefficients(model, nameAt, coefficients); !s)
    return std::move(s).error();
  return coefficients;
}

Status sumGroups(Crew &crew, const Dataset &data,
                 const Normalization &normalization, const Tables &tables) {
  const tamrt_model &model = crew.ladder->model;
  const RunOptions &options = crew.ladder->options;
  const bool direct = describe(crew.ladder->kind).isDirect();
  Work work(model, data.groups(), crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g) {
    const Group &group = data.groups()[g];
    normalization.parameters(model, group.place, worker.place.parameters);
    worker.place.tables = tables.pointers();
    GroupFit sums(*crew.ladder, g, group.rows, /*vectors=*/nullptr);
    if (!sums.resume(worker))
      return;
    work.team().add(worker, {sums.pass(), sums.vector(), data, group.first, 0,
                             group.rows, group.rows,
                             [&](const Worker &by, size_t rows) {
                               if (direct)
                                 work.done(by, rows);
                             }});
    sums.resume(worker);
    if (!worker.place.good())
      return;
    TargetSums target;
    if (direct)
      target.add(data, group);
    options.takeSums(g, worker.place.state, target.all());
  });
  if (done)
    crew.ladder->summarize();
  return done;
}

Status startInference(const tamrt_model &model, size_t groups,
                      const RunOptions &options) {
  if (!options.inference && !options.systems)
    return {};
  size_t bytes = 0;
  if (options.systems)
    bytes += size_t(systemBytes(model, groups, options));
  if (options.inference)
    bytes += groups * Inference::bytesPerGroup(model);
  try {
    if (options.systems)
      options.systems->resize(model, groups);
    if (options.inference)
      options.inference->resize(model, groups);
  } catch (const std::bad_alloc &) {
    return Error{"expected " + std::to_string(bytes) +
                 " bytes of memory for the matrices of " +
                 std::to_string(groups) + " groups, got less"};
  }
  return {};
}

Status checkConverged(const tamrt_model &model,
                      FunctionRef<std::string(size_t)> nameOf,
                      std::span<const CgOutcome> outcomes,
                      const RunOptions &options) {
  const CgSummary summary = summarize(outcomes);
  if (options.summary)
    *options.summary = summary;
  if (summary.unconverged == 0 || options.allowUnconverged)
    return {};
  size_t g = 0;
  while (outcomes[g].converged)
    ++g;
  const bool isStuck = outcomes[g].iterations < options.cg.maxIterations;
  return Error{(model.group ? "group '" + nameOf(g) + "': " : "") +
               "expected conjugate gradients to reach a residual below " +
               shortNumber(options.cg.tolerance) + ", got " +
               shortNumber(outcomes[g].residual) + " after " +
               std::to_string(outcomes[g].iterations) + " iterations; " +
               (isStuck ? "" : "raise --max-iterations, ") +
               // Beside strong penalties a sketch may lose its digits.
               (options.cg.preconditioner == Preconditioner::Sketch &&
                        cgSketchBytes(model) > 0
                    ? "try --preconditioner block, "
                    : "") +
               "raise the penalty ap, " +
               (haveLimits(model) ? "lower one above 8, " : "") +
               "raise --tolerance, or take the coefficients as they are with "
               "--allow-unconverged"};
}

Status checkCoefficients(const tamrt_model &model,
                         FunctionRef<std::string(size_t)> nameOf,
                         std::span<const double> coefficients) {
  const auto width = size_t(model.columns);
  size_t bad = firstNotFinite(coefficients.data(), coefficients.size());
  if (bad < coefficients.size())
    return overflow(model, nameOf(bad / width), int64_t(bad % width));
  return {};
}

Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                     const Dataset &data, const Weights &weights,
                     std::span<const double> vectors, const RunOptions &options,
                     double *output) {
  const auto width = size_t(outputWidth(model, kind));
  const auto vectorWidth = size_t(vectorSize(model, kind));
  ResidentColumns columns;
  Result<Crew> crew =
      makeCrew(model, kind, data.groups().size(), data.longestGroup(), options);
  if (!crew)
    return std::move(crew).error();
  if (Status s =
          keepColumns(model, data, *crew, options, /*isOften=*/false, columns);
      !s)
    return s;
  std::vector<size_t> groupOf;
  const std::vector<Group> slices = slicesOf(model, data, *crew, groupOf);
  Work work(model, slices, *crew, options, "predict");
  Status done = work.run([&](Worker &worker, size_t s) {
    const Group &slice = slices[s];
    const Group &group = data.groups()[groupOf[s]];
    const size_t before = slice.first - group.first;
    const size_t place = group.place;
    weights.normalization.parameters(model, place, worker.place.parameters);
    worker.place.tables = weights.tables.pointers();
    attemptChunks(
        *crew->ladder, worker, kind, slice.rows,
        [&](const tamrt_step &step, size_t first, size_t rows) {
          worker.setColumns(model, data, slice.first + first);
          worker.run(step, vectors.data() + place * vectorWidth, int64_t(rows),
                     int64_t(before + first), int64_t(group.rows),
                     int64_t(slice.rows - first - rows));
        },
        [&](size_t first, size_t rows) {
          std::memcpy(output + (slice.first + first) * width,
                      worker.place.output, rows * width * sizeof(double));
          work.done(worker, rows);
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
  const size_t g = data.groupOf(row);
  const Group &group = data.groups()[g];
  // Only this row, unless the model has a carry from the rows before.
  const size_t last = row - group.first;
  const size_t start = model.carry_bytes > 0 ? 0 : last;
  RunOptions alone = options;
  alone.threads = 1;
  Result<Crew> crew =
      makeCrew(model, TAMRT_STEP_TERMS, 1, last - start + 1, alone);
  if (!crew)
    return std::move(crew).error();
  Worker &worker = crew->workers.front();
  worker.place.tables = weights.tables.pointers();
  weights.normalization.parameters(model, group.place, worker.place.parameters);
  std::vector<double> terms;
  attemptChunks(
      *crew->ladder, worker, TAMRT_STEP_TERMS, last - start + 1,
      [&](const tamrt_step &step, size_t first, size_t rows) {
        worker.setColumns(model, data, group.first + start + first);
        worker.run(step, weights.of(group.place, model), int64_t(rows),
                   int64_t(start + first), int64_t(group.rows));
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
