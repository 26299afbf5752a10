//===- Planning/Picture/Columns.h - compact columns for the page *- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PICTURE_COLUMNS_H
#define TAMC_PLANNING_PICTURE_COLUMNS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamc::planning {

/// Columns of integers and texts, stored one after another as bytes, with a
/// directory in JSON of where each begins. Page/data.js reads them. A column of
/// integers has the shortest of these kinds:
///
///   constant   all are `value`; no bytes
///   plain      each as a zigzag LEB128 number
///   delta the differences to the one before, modulo 2^64, likewise
///
/// It is `wide` if a value or its code is above 2^53, which a double cannot
/// represent. A column of `kind` text has for each text the number of bytes
/// shared with the one before, the number of bytes that follow (both LEB128),
/// and these bytes; `size` is the length of all texts together.
class Columns {
public:
  /// O(n).
  void add(std::string_view name, const std::vector<int64_t> &values);
  /// Adds texts of any bytes, converted to UTF-8. O(length).
  void addTexts(std::string_view name,
                const std::vector<std::string_view> &texts);

  /// A JSON array.
  std::string directory() const { return "[" + entries + "]"; }
  const std::string &bytes() const { return data; }

private:
  void addEntry(std::string_view name, std::string_view kind, size_t count,
                const std::string &more);

  std::string entries, data;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_PICTURE_COLUMNS_H
