//===- core/Levels.h - levels of a categorical column -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Levels: the distinct training values of a column, sorted, and the number of
/// the level a value belongs to (docs/math.md section 2.2, `c` without n_cat).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEVELS_H
#define TAMRT_CORE_LEVELS_H

#include "io/Csv.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The levels of one input, sorted: as numbers when every training value
/// parses as one, else by bytes.
struct LevelTable {
  /// True when levels compare as numbers.
  bool numeric = false;
  /// One text per level; of numbers the shortest that reads back.
  std::vector<std::string> names;
  /// The numbers when `numeric`, else empty.
  std::vector<double> numbers;

  size_t size() const { return names.size(); }

  /// The table of levels that are texts or numbers written as text, in the
  /// order given; an error when they are not sorted and distinct, or no
  /// numbers although `numeric`.
  static Result<LevelTable> create(bool numeric,
                                   std::vector<std::string> names);

  /// The column of `text` in the one-hot matrix: its level, or what `unseen`
  /// says of a value that is none: the nearest level (the lower of two equally
  /// near; of text the last), the mean of the levels, or TAMRT_INDEX_NONE.
  /// O(log size).
  int32_t code(std::string_view text, tamrt_unseen unseen) const;
};

/// The levels of `column` in `rows` of `file`, none of them missing. O(rows)
/// and memory for the distinct texts alone.
///
/// Errors: more than `maximum` levels; names file, column and levels.
Result<LevelTable> trainingLevels(const CsvFile &file, size_t column,
                                  std::span<const uint32_t> rows,
                                  size_t maximum);

} // namespace tamrt

#endif // TAMRT_CORE_LEVELS_H
