//===- core/data/RowParts.h - rows divided into parts -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the rows of all groups into parts from whose sums the fit of all
/// rows follows, with its bytes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWPARTS_H
#define TAMRT_CORE_DATA_ROWPARTS_H

#include "core/FunctionRef.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tamrt {

/// Rows of one group that one part has: `rows` from the group's row `first` on.
struct PartRange {
  size_t group, first, rows, part;
};

/// Divides groups of so many rows into at most `parts` parts of about as many
/// rows each, at segments (TAMRT_SEGMENT_ROWS), and groups that are whole only
/// between them. Some parts may have no rows. \returns the ranges of all groups
/// in their order; the part never decreases, and a group has one range of a
/// part. The number of all rows times `parts` must be below 2^64.
std::vector<PartRange> divideRows(std::span<const size_t> groupRows,
                                  size_t parts,
                                  FunctionRef<bool(size_t group)> isWhole);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWPARTS_H
