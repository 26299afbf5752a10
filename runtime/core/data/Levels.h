//===- core/data/Levels.h - levels of a categorical column ------*- C++ -*-===//
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

#ifndef TAMRT_CORE_DATA_LEVELS_H
#define TAMRT_CORE_DATA_LEVELS_H

#include "io/CsvFormat.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// What the text of a level or a group is.
enum class TextKind : uint8_t {
  Value,
  /// An empty field, or one that the user says is missing.
  Missing,
  /// Missing in a column of numbers, a value in one of text. In a column of
  /// levels infinity is such, too.
  Doubtful,
};

TextKind kindOfLevel(std::string_view text, const CsvFormat &format);
TextKind kindOfGroup(std::string_view text, const CsvFormat &format);

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

  /// Whether `text` is one of the levels. O(log size).
  bool has(std::string_view text) const;

  /// The column of `text` in the one-hot matrix: its level, or what `unseen`
  /// says of a value that is none: the nearest level (the lower of two equally
  /// near; of text the last), the mean of the levels, or TAMRT_INDEX_NONE.
  /// O(log size).
  int32_t code(std::string_view text, tamrt_unseen unseen) const;
};

/// Finds the levels of one input from the texts of its training rows, in
/// memory for the distinct texts alone.
class LevelCollector {
public:
  explicit LevelCollector(size_t maximum) : maximum(maximum) {}

  /// Adds a text, which is a value or doubtful. False once there are so many
  /// levels that the column is an error whatever comes: no more need be added.
  bool add(std::string_view text);

  /// Whether what was added are numbers, but for what is doubtful.
  bool areNumbers() const { return numeric; }

  /// The levels of what was added. Of numbers what is doubtful is none. Errors:
  /// more than the maximum; names `path`, `column` and levels.
  Result<LevelTable> table(const std::string &path,
                           const std::string &column) const;

private:
  size_t maximum;
  std::set<std::string, std::less<>> texts;
  std::set<double> numbers;
  bool numeric = true, stopped = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_LEVELS_H
