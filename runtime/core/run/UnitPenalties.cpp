//===- core/run/UnitPenalties.cpp - penalties of strength 1 ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/UnitPenalties.h"

#include "core/run/Crew.h"
#include "io/Number.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tamrt {

double strengthOf(double ap) {
  if (ap == std::floor(ap))
    return *parseNumber(fmt::format("1e{}", int64_t(ap)));
  return cpu::power(10, ap);
}

std::vector<double> strengthsOf(const tamrt_model &model,
                                std::span<const Coordinate> coordinates,
                                std::span<const double> aps) {
  std::vector<double> strengths(size_t(model.penalty_count), 1.0);
  for (size_t i = 0; i < coordinates.size(); ++i)
    strengths[coordinates[i].penalty] = strengthOf(aps[i]);
  return strengths;
}

Result<std::vector<UnitPenalty>>
unitPenalties(const tamrt_model &model, std::span<const Coordinate> coordinates,
              const Normalization &normalization, const Tables &tables,
              const RunOptions &options) {
  // With the memory of the steps that a choice needs. As the choice itself, on
  // the CPU: with one row, there is no smaller chunk for a device that lacks
  // memory.
  Systems systems;
  RunOptions alone = options;
  alone.device = &Device::cpu();
  alone.others = {};
  alone.threads = 1;
  alone.inference = nullptr;
  alone.systems = &systems;
  Result<Crew> crew = makeCrew(model, TAMRT_STEP_FIT_CHUNK, 1, 1, alone);
  if (!crew)
    return std::move(crew).error();
  Worker &worker = crew->workers.front();
  worker.place.tables = tables.pointers();
  worker.columns.assign(size_t(model.input_count) + 2, nullptr);
  worker.place.columns = worker.columns.data();
  const auto d = size_t(model.columns);
  std::vector<UnitPenalty> units;
  for (const Coordinate &coordinate : coordinates) {
    std::vector<double> strengths(size_t(model.penalty_count), 0.0);
    strengths[coordinate.penalty] = 1;
    for (size_t product : coordinate.products)
      strengths[product] = 1;
    normalization.parameters(model, 0, worker.place.parameters, strengths);
    worker.attempt(*crew->ladder, [&] {
      worker.run(*firstStep(model, TAMRT_STEP_PENALTY), nullptr, 1, 0, 1);
    });
    if (!worker.place.good())
      return describe(model, "", worker.place.context, worker.shortage);
    const tamrt_effect &effect = model.effects[coordinate.effect];
    UnitPenalty unit{size_t(effect.first_column),
                     size_t(effect.columns),
                     strengthOf(model.penalties[coordinate.penalty].limit),
                     {}};
    const size_t n = unit.columns, first = unit.first;
    unit.rows.resize(n);
    for (size_t j = 0; j < n; ++j)
      for (size_t i = 0; i < n; ++i) {
        // The step writes the lower triangle, column after column.
        double value =
            worker.place
                .output[(first + std::min(i, j)) * d + first + std::max(i, j)];
        if (i == j)
          value -= TAMRT_PENALTY_FLOOR;
        if (value != 0)
          unit.rows[j].push_back({i, value});
      }
    units.push_back(std::move(unit));
  }
  return units;
}

} // namespace tamrt
