//===- io/CsvFormat.h - format of a CSV file --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options for CSV files that are not written in the default format.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVFORMAT_H
#define TAMRT_IO_CSVFORMAT_H

#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

struct CsvFormat {
  /// Between the fields of a row: a byte of ASCII, no quote and no line end.
  char separator = ',';
  /// Between the whole part and the fraction of a number.
  char decimal = '.';

  /// Adds a text that is a missing value in every column. One that is a number
  /// stands for all that are equal to it.
  void addMissing(std::string text);

  /// Whether numbers are read as they are by default.
  bool readsPlainNumbers() const { return decimal == '.' && texts.empty(); }

  /// Whether `text`, blanks around it aside, is one of the added texts.
  bool isMissingText(std::string_view text) const;

  /// Parses an unquoted field as a number; missing values are NaN. False when
  /// it is neither. O(length).
  bool parseNumber(std::string_view text, double &out) const;

  /// `text` as what levels, groups and dates are compared by: a number with a
  /// point. `buffer` holds it where it is not `text` itself.
  std::string_view withPoint(std::string_view text, std::string &buffer) const;

private:
  std::vector<std::string> texts;
  std::vector<double> numbers;
};

} // namespace tamrt

#endif // TAMRT_IO_CSVFORMAT_H
