//===- core/data/Levels.h - levels of a categorical column ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Levels: the distinct training values of a column, sorted, and the index of a
/// value's level (docs/math.md section 2.2, `c` without n_cat).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_LEVELS_H
#define TAMRT_CORE_DATA_LEVELS_H

#include "io/CsvFormat.h"
#include "io/Error.h"
#include "tamrt/abi.h"
#include "tamrt/decimal.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Kinds of texts of levels and groups.
enum class TextKind : uint8_t {
  Value,
  /// An empty field, or a text that the user declared as missing.
  Missing,
  /// Missing in a column of numbers, a value in a column of text. In a column
  /// of levels this includes infinity.
  Doubtful,
};

TextKind kindOfLevel(std::string_view text, const CsvFormat &format);
TextKind kindOfGroup(std::string_view text, const CsvFormat &format);

/// The levels of one input, sorted: as numbers if every training value parses
/// as one, else by bytes.
struct LevelTable {
  /// True when levels compare as numbers.
  bool numeric = false;
  /// One text per level; for a number the shortest text of its double if that
  /// is the number itself, else the number as it was written.
  std::vector<std::string> names;
  /// The doubles nearest to the numbers if `numeric`, else empty. They differ.
  std::vector<double> numbers;

  size_t size() const { return names.size(); }

  /// The table of the given levels, which are texts or numbers written as text.
  /// An error if they are not sorted and distinct, or are not numbers although
  /// `numeric`.
  static Result<LevelTable> create(bool numeric,
                                   std::vector<std::string> names);

  /// Whether `text` is one of the levels. O(log size).
  bool has(std::string_view text) const;

  /// The column of `text` in the one-hot matrix: its level. For a value that is
  /// not a level, `unseen` decides: the nearest level (the lower of two equally
  /// near ones; the last for text), the mean of the levels, or
  /// TAMRT_INDEX_NONE. Numbers are compared as they are written. O(log size).
  int32_t code(std::string_view text, tamrt_unseen unseen) const;

private:
  size_t placeOf(double number) const;
  bool isLevel(size_t place, ExactNumber number) const;
};

/// Finds the levels of one input from the texts of its training rows, with
/// memory only for the distinct texts.
class LevelCollector {
public:
  explicit LevelCollector(size_t maximum) : maximum(maximum) {}

  /// Adds a text, which is a value or doubtful. False once there are so many
  /// levels that the column is an error in any case; no more need be added.
  bool add(std::string_view text);

  /// Whether all added texts that are not doubtful are numbers.
  bool areNumbers() const { return numeric; }

  /// Two texts, the later one last, that are different numbers with the same
  /// double: an error in a column of numbers.
  struct Clash {
    std::string first, second;
  };
  const std::optional<Clash> &clash() const { return firstClash; }

  /// The levels of the added texts. Among numbers, doubtful texts are not
  /// levels. Errors, with `path`, `column` and levels: a clash, for which the
  /// error also has the place of the later text unless that is empty; a number
  /// that needs more than 60 bytes; more levels than the maximum.
  Result<LevelTable> table(const std::string &path, const std::string &column,
                           const std::string &clashPlace = "") const;

private:
  size_t maximum;
  std::set<std::string, std::less<>> texts;
  /// Numbers with the texts in which they appeared first.
  std::map<double, std::string> numbers;
  std::optional<Clash> firstClash;
  bool numeric = true, stopped = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_LEVELS_H
