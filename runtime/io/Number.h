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

#include "tamrt/decimal.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tamrt {

/// Room that `formatNumber(double, char *)` needs.
inline constexpr size_t kNumberLength = 32;

/// `text` without blanks and tabs at both ends.
std::string_view trimBlanks(std::string_view text);

/// True for the texts that are missing values in a column of numbers or dates
/// (docs/math.md section 2.1): empty, NA, N/A, nan, null, None and NaT in upper
/// or lower case, nan also with a sign; blanks around them are ignored. In a
/// column of text only an empty one is (`isEmpty`).
bool isMissing(std::string_view text);

/// Whether `text` is nothing but blanks.
bool isEmpty(std::string_view text);

/// Parses a decimal number: correctly rounded to the nearest double, ties to
/// even, whatever the locale. Blanks around it and a leading '+' are accepted;
/// so are inf and infinity in any case, with a sign or not. Everything else is
/// not a number: trailing text, hexadecimal, nan, the empty text, and a number
/// too large for a double (1e400). A number too small for a double is zero.
/// `decimal` is the decimal separator.
std::optional<double> parseNumber(std::string_view text, char decimal = '.');

/// As `parseNumber`, for comparisons of numbers as they are written. `text`
/// must outlive the result.
std::optional<ExactNumber> parseExactNumber(std::string_view text);

/// Whether `text` is a decimal number that is too large for a double.
bool isTooLarge(std::string_view text, char decimal = '.');

/// Writes the shortest decimal text that parses back to exactly `value` to
/// `out` (kNumberLength bytes, not terminated): plain digits for magnitudes in
/// [1e-4, 1e16), else scientific as "1e+16"; integers without a point; "inf",
/// "-inf", "nan". \returns the end of the text.
char *formatNumber(double value, char *out);

/// As above, as a string.
std::string formatNumber(double value);

} // namespace tamrt

#endif // TAMRT_IO_NUMBER_H
