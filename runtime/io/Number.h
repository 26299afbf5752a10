//===- io/Number.h - numbers as text, order of group values -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Numbers as users write and read them, and the order of group values.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_NUMBER_H
#define TAMRT_IO_NUMBER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Room that `formatNumber(double, char *)` needs.
inline constexpr size_t kNumberLength = 32;

/// `text` without blanks and tabs at both ends.
std::string_view trimBlanks(std::string_view text);

/// True for the texts that stand for a missing value (docs/math.md section
/// 2.1): empty, NA and nan in any case, nan also with a sign; blanks around
/// them do not count.
bool isMissing(std::string_view text);

/// Parses a decimal number: correctly rounded to the nearest double, ties to
/// even, whatever the locale. Blanks around it and a leading '+' are accepted;
/// so are inf and infinity in any case, with a sign or not. Everything else is
/// no number: trailing text, hexadecimal, nan, the empty text, and a number too
/// large for a double (1e400). A number too small is zero.
std::optional<double> parseNumber(std::string_view text);

/// Whether `text` is a decimal number that is too large for a double.
bool isTooLarge(std::string_view text);

/// Writes the shortest decimal text that parses back to exactly `value` to
/// `out` (kNumberLength bytes, not terminated): plain digits for magnitudes in
/// [1e-4, 1e16), else scientific as "1e+16"; integers without a point; "inf",
/// "-inf", "nan". \returns the end of the text.
char *formatNumber(double value, char *out);

/// As above, as a string.
std::string formatNumber(double value);

/// The distinct values of a column and the place of each row's value in them.
struct Levels {
  /// Distinct values, sorted as docs/math.md sections 2.1 and 2.2 order groups
  /// and levels: as numbers when every value parses as one, else by bytes. Of
  /// equal numbers written differently (0, 0.0) the first is kept.
  std::vector<std::string_view> values;
  /// True when every value parses as a number.
  bool numeric = false;
  /// The numbers of `values` when numeric, else empty.
  std::vector<double> numbers;
  /// For each value given, its index in `values`.
  std::vector<int32_t> codes;

  /// Index of `text` in `values`: by number when numeric, else by bytes. O(log
  /// n).
  std::optional<size_t> find(std::string_view text) const;
};

/// Finds the levels of `column`: one pass over it, then O(n log n) in the n
/// distinct values, of which there may be 2^31 - 1. The views point where those
/// of `column` did. Missing values are the caller's to remove: they are text
/// like any other here, and no number.
Levels findLevels(std::span<const std::string_view> column);

} // namespace tamrt

#endif // TAMRT_IO_NUMBER_H
