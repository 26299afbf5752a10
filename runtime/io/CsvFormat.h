//===- io/CsvFormat.h - format of a CSV file --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options for CSV files that do not have the default format.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVFORMAT_H
#define TAMRT_IO_CSVFORMAT_H

#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

struct CsvFormat {
  /// The separator of fields: an ASCII character that is not a quote or a line
  /// end.
  char separator = ',';
  /// The separator of a number's integer part and fraction.
  char decimal = '.';

  /// Adds a text that is a missing value in every column. If it is a number,
  /// all equal numbers are missing values, too: in a column of numbers those
  /// with the same double, else those that are equal as they are written.
  void addMissing(std::string text);

  /// Whether numbers have the default format.
  bool readsPlainNumbers() const { return decimal == '.' && texts.empty(); }

  /// Whether `text`, without blanks around it, is one of the added texts or a
  /// number equal to one of them; it may have a decimal point in any case.
  bool isMissingText(std::string_view text) const;

  /// Parses an unquoted field as a number; missing values are NaN. False if it
  /// is neither. O(length).
  bool parseNumber(std::string_view text, double &out) const;

  /// `text` in the form in which levels, groups and dates are compared: numbers
  /// have a decimal point. `buffer` contains it if it is not `text` itself.
  std::string_view withPoint(std::string_view text, std::string &buffer) const;

private:
  bool isAdded(std::string_view text) const;

  /// With a decimal point, if they are numbers.
  std::vector<std::string> texts;
  std::vector<double> numbers;
};

} // namespace tamrt

#endif // TAMRT_IO_CSVFORMAT_H
