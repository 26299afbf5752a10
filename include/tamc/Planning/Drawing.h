//===- Planning/Drawing.h - a plan on the terminal --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_DRAWING_H
#define TAMC_PLANNING_DRAWING_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <span>
#include <string>

namespace tamc::planning {

struct DrawingOptions {
  /// Columns of the whole drawing, axis included; at least 20 are used.
  int width = 80;
  /// Rows of addresses; at least 2 are used.
  int height = 20;
  /// Largest buffers that get a letter and a line of legend; at most 62.
  int legend = 12;
};

/// Draws one space of a plan: time across, addresses up. Buffers with a legend
/// entry are drawn by their letter, others by `#`, free bytes by `.`; a cell of
/// which less than a quarter is used is drawn `-`. Times and addresses are to
/// scale. The result depends only on the arguments and ends with a newline.
/// O(n log n + n * cells touched).
std::string draw(const Problem &problem, std::span<const int64_t> offsets,
                 int32_t space = 0, const DrawingOptions &options = {});

} // namespace tamc::planning

#endif // TAMC_PLANNING_DRAWING_H
