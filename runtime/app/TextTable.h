//===- app/TextTable.h - tables of text -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_TEXTTABLE_H
#define TAMRT_APP_TEXTTABLE_H

#include "io/ControlCharacters.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tamrt {

/// A table of text, with the first column on the left and the others on the
/// right. Control characters in cells are escaped.
class TextTable {
public:
  void row(std::vector<std::string> cells) {
    for (std::string &cell : cells)
      cell = escapeControls(cell);
    rows.push_back(std::move(cells));
  }

  /// O(bytes). There is at least one row.
  std::string format() const {
    std::vector<size_t> widths(rows.front().size());
    for (const std::vector<std::string> &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], widthOf(row[i]));
    std::string text;
    for (const std::vector<std::string> &row : rows) {
      std::string line =
          row.front() + std::string(widths.front() - widthOf(row.front()), ' ');
      for (size_t i = 1; i < row.size(); ++i)
        line += std::string(2 + widths[i] - widthOf(row[i]), ' ') + row[i];
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

private:
  /// Characters of UTF-8.
  static size_t widthOf(const std::string &cell) {
    return size_t(std::count_if(cell.begin(), cell.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  }

  std::vector<std::vector<std::string>> rows;
};

/// Four digits; "-" for a number that does not exist.
inline std::string shortly(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

} // namespace tamrt

#endif // TAMRT_APP_TEXTTABLE_H
