//===- core/data/RowBlock.h - the rows of a block of a file -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What one thread makes of one block of a file: its rows, and what is wrong
/// with them. Internal to RowReader.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWBLOCK_H
#define TAMRT_CORE_DATA_ROWBLOCK_H

#include "core/data/RowReader.h"
#include "io/CsvBlocks.h"
#include "io/Date.h"
#include "io/TextIndex.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Kinds of errors in rows, in the order in which they are told.
enum class RowFault { Group, Date, MissingDate, Number, Value };
inline constexpr size_t kRowFaults = 5;

/// The texts one thread has met in a column, and what they are to all threads.
struct LocalTexts {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  TextIndex texts;
  /// Number of each text for all threads; kNone as long as it has none.
  std::vector<uint32_t> shared;
  /// Whether a text is no group, or no level.
  std::vector<bool> missing;
};

class RowBlock {
public:
  /// A fault of a row: in which column, and what is wrong.
  struct Fault {
    size_t row, column;
    std::string text;
  };

  /// Parses the columns of `text`, which was read. Numbers of groups and levels
  /// in `rows` are those of the local texts. Rows that are to be left out are
  /// gone from `rows` when this returns.
  void parse(const ModelColumns &columns, bool dropMissing);

  /// The earliest fault of its kind, noted.
  void note(RowFault kind, Fault fault);

  CsvBlock text;
  Rows rows;
  /// Forms of the dates of all rows of the block.
  std::vector<Date::Form> forms;
  std::array<std::optional<Fault>, kRowFaults> faults;
  size_t dropped = 0;
  LocalTexts groupTexts;
  std::vector<LocalTexts> levelTexts;

private:
  void parseTexts(size_t column, LocalTexts &local, GrowingArray<uint32_t> &ids,
                  bool levels);
  void parseDates(size_t column);
  void parseNumbers(const ModelColumns &columns);
  void checkLevels(const ModelColumns &columns);
  void checkWeights(const ModelColumns &columns);
  void leaveOut(size_t row);
  void compact();
  std::string groupAt(const ModelColumns &columns, size_t row) const;

  bool drop = false;
  /// Rows to be left out; empty while there is none.
  std::vector<bool> out;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWBLOCK_H
