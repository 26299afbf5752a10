//===- Table.h - rows of text, and how they form groups ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_TABLE_H
#define TAMC_TEST_REFERENCE_TABLE_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tamc::reference {

/// A CSV file: names of columns and rows of fields.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  /// The column of that name; the name must exist.
  size_t column(const std::string &name) const;

  /// As CSV: quotes where needed, lines end in LF.
  std::string toCsv() const;
};

/// Reads CSV as `toCsv` writes it. A CR at the end of a line is dropped after a
/// field without quotes.
Table parseCsv(const std::string &text);

/// `text` as a number; nullopt if it is not a number.
std::optional<double> parseNumber(const std::string &text);

/// The shortest text that parses back to `value`.
std::string toText(double value);

/// One group: its name and its rows in time order.
struct GroupRows {
  std::string name;
  std::vector<size_t> rows;
};

/// The groups of a table (docs/math.md section 2.1). Without names there is no
/// group column, and rows keep their order. Dates are numbers or ISO dates of
/// one form, which sort as text.
std::vector<GroupRows> groupsOf(const Table &table, const std::string &group,
                                const std::string &date);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_TABLE_H
