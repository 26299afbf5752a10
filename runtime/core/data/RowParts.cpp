//===- core/data/RowParts.cpp - rows divided into parts -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowParts.h"

#include "tamrt/abi.h"

#include <algorithm>
#include <numeric>

using namespace tamrt;

std::vector<PartRange>
tamrt::divideRows(std::span<const size_t> groupRows, size_t parts,
                  FunctionRef<bool(size_t group)> isWhole) {
  const size_t all =
      std::accumulate(groupRows.begin(), groupRows.end(), size_t(0));
  std::vector<PartRange> ranges;
  size_t before = 0;
  for (size_t group = 0; group < groupRows.size(); ++group) {
    const size_t rows = groupRows[group];
    const size_t step = isWhole(group) ? rows : size_t(TAMRT_SEGMENT_ROWS);
    for (size_t first = 0; first < rows; first += step) {
      const size_t part = before * parts / all;
      const size_t count = std::min(step, rows - first);
      if (ranges.empty() || ranges.back().group != group ||
          ranges.back().part != part)
        ranges.push_back({group, first, 0, part});
      ranges.back().rows += count;
      before += count;
    }
  }
  return ranges;
}
