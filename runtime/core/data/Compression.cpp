//===- core/data/Compression.cpp - choice of level compression ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Compression.h"

#include "io/Parallel.h"

#include <atomic>

namespace tamrt {

FitSteps chooseSteps(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization, unsigned threads) {
  if (!model.compression)
    return {&model};
  const auto grids = size_t(model.compression->grid_count);
  const size_t groups = data.groups().size();
  std::vector<Spread> spreads(grids * groups);
  std::vector<std::atomic<bool>> isOff(grids);
  std::atomic<size_t> next = 0;
  forEachPiece(
      chooseThreads(threads, data.rowCount(), kRowsPerThread), [&](unsigned) {
        for (size_t at; (at = next++) < spreads.size();) {
          const size_t grid = at / groups;
          const tamrt_grid &own = model.compression->grids[grid];
          const Group &group = data.groups()[at % groups];
          if (!isOff[grid] &&
              !areOnGrid(own, {data.numbers(size_t(own.input)) + group.first},
                         group.rows, spreads[at]))
            isOff[grid] = true;
        }
      });
  return chooseSteps(
      model, normalization, [&](size_t grid) { return !isOff[grid]; },
      [&](size_t group, size_t grid) {
        return spreads[grid * groups + group];
      });
}

FitSteps
chooseSteps(const tamrt_model &model, const Normalization &normalization,
            const std::function<bool(size_t grid)> &areOnGrid,
            const std::function<Spread(size_t group, size_t grid)> &spread) {
  if (!model.compression)
    return {&model};
  const size_t inputs = normalization.inputs();
  const size_t groups = normalization.ranges.size() / (2 * inputs);
  for (size_t i = 0; i < size_t(model.compression->grid_count); ++i) {
    const tamrt_grid &grid = model.compression->grids[i];
    if (!areOnGrid(i))
      return {&model, &grid};
    for (size_t g = 0; g < groups; ++g) {
      const double *range =
          normalization.ranges.data() + 2 * (g * inputs + size_t(grid.input));
      const Spread own = spread(g, i);
      if (!isWithinGrid(grid, own, {range[0], range[1]}))
        return {&model, &grid, own.lo == own.hi};
    }
  }
  return {model.compression->model};
}

} // namespace tamrt
