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
/// 1.3): empty, NA and nan in any case, nan also with a sign; blanks around
/// them do not count.
bool isMissing(std::string_view text);

/// Parses a decimal number: correctly rounded to the nearest double, ties to
/// even, whatever the locale. Blanks around it and a leading '+' are accepted;
/// so are inf and infinity in any case, with a sign or not. Everything else is
/// no number: trailing text, hexadecimal, nan, the empty text, and a number too
/// large for a double (1e400). A number too small is zero.
std::optional<double> parseNumber(std::string_view text);

/// Writes the shortest decimal text that parses back to exactly `value` to
/// `out` (kNumberLength bytes, not terminated): plain digits for magnitudes in
/// [1e-4, 1e16), else scientific as "1e+16"; integers without a point; "inf",
/// "-inf", "nan". \returns the end of the text.
char *formatNumber(double value, char *out);

/// As above, as a string.
std::string formatNumber(double value);

/// The distinct values of `values`, sorted as docs/math.md section 1.2 orders
/// groups: as numbers when every value parses as one (equal numbers written
/// differently by bytes), else by bytes. O(n log n) with n distinct values
/// after one pass over all. The views point where those of `values` did.
std::vector<std::string_view>
sortedDistinct(std::span<const std::string_view> values);

/// Numbers every value by its place in the distinct sorted values.
struct Levels {
  /// Distinct values as `sortedDistinct` gives them.
  std::vector<std::string_view> values;
  /// For each value given, its index in `values`.
  std::vector<int> codes;
};

/// As `sortedDistinct`, with the index of every value. At most 2^31 - 1
/// distinct values.
Levels numberLevels(std::span<const std::string_view> values);

} // namespace tamrt

#endif // TAMRT_IO_NUMBER_H
