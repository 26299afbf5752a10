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
  const auto chunkRows = size_t(crew->chunkRows);

  Work work(model, data.groups(), *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    normalization.parameters(g, worker.place.parameters);
    worker.place.tables = tables.pointers();
    fitGroup(model, *crew->rung, worker.place, group.rows, chunkRows,
             columnsOf(worker, model, data, group),
             [&](size_t rows) { work.done(rows, reports); });
    if (worker.place.good())
      std::memcpy(coefficients.data() + g * width, worker.place.output,
                  width * sizeof(double));
  });
  if (!done)
    return std::move(done).error();
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
  return work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    const size_t place = (*places)[g];
    weights.normalization.parameters(place, worker.place.parameters);
    worker.place.tables = weights.tables.pointers();
    predictGroup(
        *crew->rung, worker.place, weights.of(place, model), group.rows,
        size_t(crew->chunkRows), columnsOf(worker, model, data, group),
        [&](size_t first, size_t rows) {
          std::memcpy(output + (group.first + first) * width,
                      worker.place.output, rows * width * sizeof(double));
          work.done(rows, reports);
        });
  });
}

Result<std::vector<double>> decomposeRow(const tamrt_model &model,
                                         const Dataset &data,
                                         const Weights &weights, size_t row,
                                         const tamrt_kernels *kernels) {
  Result<std::vector<size_t>> places = trainedPlaces(data, weights);
  if (!places)
    return std::move(places).error();
  const size_t g = data.groupOf(row);
  const Group &group = data.groups()[g];
  // Alone, unless a carry makes the rows before it matter.
  const auto last = int64_t(row - group.first);
  const int64_t start = model.carry_bytes > 0 ? 0 : last;
  Worker worker;
  const tamrt_step *step = nullptr;
  int64_t chunk = 0;
  for (const tamrt_step *rung :
       rungsFor(model, TAMRT_STEP_TERMS, last - start + 1, 0)) {
    chunk = chunkOf(*rung, last - start + 1, 0);
    if (worker.allocate(predictMemory(model, *rung, chunk))) {
      step = rung;
      break;
    }
  }
  if (!step)
    return Error{"expected memory for one row, got less"};
  worker.place.context.kernels = kernels;
  worker.place.tables = weights.tables.pointers();
  weights.normalization.parameters((*places)[g], worker.place.parameters);
  int64_t rows = 0;
  for (int64_t first = start; first <= last; first += rows) {
    rows = std::min(chunk, last - first + 1);
    worker.setColumns(model, data, group.first + size_t(first));
    worker.place.run(*step, weights.of((*places)[g], model), rows, first,
                     int64_t(group.rows));
    if (!worker.place.good())
      return describe(model, group.name, worker.place.context);
  }
  const double *terms = worker.place.output + (rows - 1) * model.effect_count;
  return std::vector<double>(terms, terms + model.effect_count);
}

} // namespace tamrt
