//===- cuda/Levels.h - level compression ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of level compression (docs/architecture.md): a thread for each number
/// of the result.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_LEVELS_H
#define TAMRT_BACKENDS_CUDA_LEVELS_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Elementary.h"

namespace tamrt::cuda {

struct Regrid {
  static constexpr const char *name = "regrid";
  static constexpr bool hasBarriers = false;

  Buffer<const double> x, parameters;
  int64_t rows, levels;
  double step;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(x), range = block.view(parameters);
    auto to = block.view(out);
    const double factor =
        2.0 * range[1] / (step * static_cast<double>(levels - 1));
    for (int64_t r = block.index(); r < rows; r += block.total())
      to[r] = (from[r] + 1.0) * factor - 1.0;
  }
};

struct GridPoints {
  static constexpr const char *name = "grid_points";
  static constexpr bool hasBarriers = false;

  Buffer<const double> parameters;
  int64_t levels;
  double step;
  Buffer<double> x;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto range = block.view(parameters);
    auto to = block.view(x);
    for (int64_t i = block.index(); i < levels; i += block.total())
      to[i] = least(static_cast<double>(i) * step / range[1] - 1.0, 1.0);
  }
};

struct ExpandLevels {
  static constexpr const char *name = "expand_levels";
  static constexpr bool hasBarriers = false;

  Buffer<const double> sums, basis;
  int64_t outer, levels, inner, columns;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto from = block.view(sums), values = block.view(basis);
    auto to = block.view(out);
    const int64_t count = outer * columns * inner;
    for (int64_t k = block.index(); k < count; k += block.total()) {
      const int64_t o = k / (columns * inner), column = k / inner % columns;
      double sum = 0.0;
      for (int64_t level = 0; level < levels; ++level) {
        // A spline has few values; a sum beyond a double must not spoil
        // others.
        const double value = values[level * columns + column];
        if (value != 0.0)
          sum += value * from[(o * levels + level) * inner + k % inner];
      }
      to[k] = sum;
    }
  }
};

struct ExpandCounts {
  static constexpr const char *name = "expand_counts";
  static constexpr bool hasBarriers = false;

  Buffer<const double> counts, a, b;
  int64_t levels, m, n;
  Buffer<double> out;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto rows = block.view(counts);
    auto left = block.view(a), right = block.view(b);
    auto to = block.view(out);
    for (int64_t k = block.index(); k < m * n; k += block.total()) {
      double sum = 0.0;
      for (int64_t level = 0; level < levels; ++level) {
        const double value = left[level * m + k / n];
        if (value != 0.0)
          sum += value * rows[level] * right[level * n + k % n];
      }
      to[k] = sum;
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_LEVELS_H
