//===- core/data/RowBlock.h - the rows of a block of a file -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One block of a file, parsed by one thread: its rows and their faults.
/// Internal to RowReader.
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
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Kinds of errors in rows, in the order in which they are reported.
enum class RowFault { Group, Date, MissingDate, Number, Value, UnknownGroup };
inline constexpr size_t kRowFaults = 6;

/// The rules for reading rows, the same for all blocks.
struct RowRules {
  bool dropMissing = false;
  /// Whether line numbers and dates are kept, and whether a target may be
  /// missing.
  bool keepsLines = false, keepsDates = true, mayLackTarget = false;
  /// For a prediction: the trained groups; null for a fit.
  const GroupNames *trained = nullptr;
  /// Whether the values of the group column, and of each column of levels, are
  /// numbers; none while that is not known.
  std::optional<bool> areGroupsNumbers;
  std::vector<std::optional<bool>> areLevelsNumbers;
  /// Key columns to keep.
  std::vector<size_t> keys;
  /// A further column of texts.
  std::optional<size_t> texts;
  /// By column of numbers, whether they stay in the frame.
  std::vector<bool> inPlace;
};

/// Finds numbers that were added with 64-bit tags: a hash table with open
/// addressing.
class TagIndex {
public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  size_t size() const { return count; }

  /// The number of a tag; kNone if it has none.
  uint32_t find(uint64_t tag) const {
    return slots.empty() ? kNone : slots[placeOf(tag)].number;
  }

  /// Gives a tag, which has none yet, a number other than kNone.
  void add(uint64_t tag, uint32_t number);

private:
  struct Slot {
    uint64_t tag = 0;
    uint32_t number = kNone;
  };

  size_t placeOf(uint64_t tag) const {
    // The upper bits depend on all bits of a tag. The lower ones are 0 for most
    // doubles, such as 6.0, of which the upper bits alone differ.
    size_t at = tag * 0x9E3779B97F4A7C15 >> shift;
    while (slots[at].number != kNone && slots[at].tag != tag)
      at = (at + 1) & (slots.size() - 1);
    return at;
  }

  /// As many as a power of 2, more than one; `shift` leaves as many places.
  std::vector<Slot> slots;
  int shift = 0;
  size_t count = 0;
};

/// The texts that one thread has seen in a column, with their shared indices.
struct LocalTexts {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  TextIndex texts;
  /// Index of each text for all threads, or index of a trained group; kNone
  /// while it has none.
  std::vector<uint32_t> shared;
  std::vector<TextKind> kinds;
  /// Of a frame: the texts of tags (FrameRows::tags), and what these mean.
  TagIndex tags;
  const void *meaning = nullptr;

  /// The index of a text, the next one if it is new.
  uint32_t add(std::string_view text,
               TextKind (*kindOf)(std::string_view, const CsvFormat &),
               const CsvFormat &format) {
    const uint32_t id = texts.add(text);
    if (id == kinds.size()) {
      shared.push_back(kNone);
      kinds.push_back(kindOf(text, format));
    }
    return id;
  }
};

class RowBlock {
public:
  /// A fault of a row: its column and a message.
  struct Fault {
    size_t row, column;
    std::string text;
  };

  /// Parses the columns of `text`, which has been read. Indices of groups and
  /// levels in `rows` are those of the local texts, except those of trained
  /// groups. Rows to be left out are removed from `rows`.
  void parse(const ModelColumns &columns, const RowRules &rules);

  /// Whether a row of the block is not among `rows`.
  bool isOut(size_t row) const { return !out.empty() && out[row]; }

  /// Records a fault if it is the earliest of its kind.
  void note(RowFault kind, Fault fault);

  CsvBlock text;
  Rows rows;
  /// Formats of the dates of all rows of the block; empty if all are
  /// `commonForm`, which is not Missing.
  std::vector<Date::Form> forms;
  Date::Form commonForm = Date::Form::Missing;
  std::array<std::optional<Fault>, kRowFaults> faults;
  /// Texts that are faults if the groups, or the levels of a column, are
  /// numbers.
  std::optional<Fault> doubtfulGroup;
  std::vector<std::optional<Fault>> doubtfulLevels;
  size_t dropped = 0;
  /// For columns of the file, the number of rows in which they are missing.
  std::map<size_t, size_t> lacking;
  /// For columns of groups and levels of which it is not known whether they are
  /// numbers, the number of rows in which they are missing if they are.
  std::map<size_t, size_t> doubtful;
  LocalTexts groupTexts, furtherTexts;
  std::vector<LocalTexts> levelTexts;

private:
  void parseGroups(const ModelColumns &columns);
  bool parseTagged(size_t column, LocalTexts &local, uint32_t *out,
                   TextKind (*kindOf)(std::string_view, const CsvFormat &));
  void parseTexts(size_t column, LocalTexts &local, GrowingArray<uint32_t> &ids,
                  TextKind (*kindOf)(std::string_view, const CsvFormat &));
  void parseDates(size_t column);
  void checkTimes(const ModelColumns &columns);
  void noteBeyond(std::optional<size_t> row, size_t column);
  void checkDates(const ModelColumns &columns);
  void parseNumbers(const ModelColumns &columns);
  void checkLevels(const ModelColumns &columns);
  void checkWeights(const ModelColumns &columns);
  void findGroups(const ModelColumns &columns);
  void keepLines();
  void keepKeys();
  void leaveOut(size_t row, size_t column);
  std::string groupAt(const ModelColumns &columns, size_t row) const;

  const RowRules *rules = nullptr;
  std::vector<uint64_t> tags;
  /// Rows to be left out; empty if there are none.
  std::vector<bool> out;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWBLOCK_H
