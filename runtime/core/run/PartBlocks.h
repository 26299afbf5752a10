//===- core/run/PartBlocks.h - what a part has sums of ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the rows of a part by the nodes of the groups' trees (Sums.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PARTBLOCKS_H
#define TAMRT_CORE_RUN_PARTBLOCKS_H

#include "core/FunctionRef.h"
#include "core/model/Sums.h"
#include "core/model/Survey.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tamrt {

/// Rows of a part with one node of their own.
struct PartBlock {
  SumsNode node;
  /// The first row among those of its group in the part.
  size_t first;
  size_t rows;
};

/// The rows of one part, divided into those of the largest nodes that have no
/// rows of other parts. There may be many groups, so blocks are computed when
/// they are asked for; 8 bytes a group are kept.
class PartBlocks {
public:
  /// `rows` must outlive it. The part has fewer than 2^32 rows.
  PartBlocks(const PartedRows &rows, size_t part);

  /// Number of blocks, which are ordered by group and row.
  size_t size() const { return firsts.back(); }
  /// The first block of a group; of the group behind the last, the end.
  size_t firstOf(size_t group) const { return firsts[group]; }
  /// O(log groups + blocks of the group).
  PartBlock operator[](size_t block) const;
  /// The place of a block's node among `nodes`. The same complexity.
  size_t placeOf(size_t block) const;
  /// The nodes of all blocks, in their order.
  std::vector<SumsNode> nodes() const;

  /// Calls body(block) for the blocks of a group, in order.
  void forEachOf(size_t group,
                 FunctionRef<void(const PartBlock &block)> body) const;

  /// The group's rows in the part; null if it has none.
  const GroupPart *find(size_t group) const {
    return indices[group] == kNone ? nullptr
                                   : &rows->parts[group][indices[group]];
  }

private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  size_t groupOf(size_t block) const;

  const PartedRows *rows;
  /// By group: the first block, and the index of the part among the group's.
  std::vector<uint32_t> firsts, indices;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PARTBLOCKS_H
