//===- io/ParseNumber.cpp - numbers from text -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <fast_float/fast_float.h>

using namespace tamrt;

static bool isBlank(char c) { return c == ' ' || c == '\t'; }

static bool equalsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) {
                      return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
                    });
}

std::string_view tamrt::trimBlanks(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

bool tamrt::isEmpty(std::string_view text) { return trimBlanks(text).empty(); }

bool tamrt::isMissing(std::string_view text) {
  text = trimBlanks(text);
  if (text.empty())
    return true;
  // The longest of these texts is shorter than most numbers.
  if (text.size() > 4)
    return false;
  for (std::string_view marker : {"na", "n/a", "nat", "null", "none"})
    if (text.size() == marker.size() && equalsIgnoringCase(text, marker))
      return true;
  if (text.front() == '-' || text.front() == '+')
    text.remove_prefix(1);
  return text.size() == 3 && equalsIgnoringCase(text, "nan");
}

static std::optional<double> parseAnyNumber(std::string_view text,
                                            char decimal) {
  text = trimBlanks(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-')
      return std::nullopt;
  }
  if (text.empty())
    return std::nullopt;
  const char *end = text.data() + text.size();
  double value = 0;
  const fast_float::parse_options options(fast_float::chars_format::general,
                                          decimal);
  auto [stop, error] =
      fast_float::from_chars_advanced(text.data(), end, value, options);
  // For numbers out of range, older versions of fast_float return infinity or
  // zero, newer ones also an error.
  if ((error != std::errc() && error != std::errc::result_out_of_range) ||
      stop != end || std::isnan(value))
    return std::nullopt;
  return value;
}

static bool hasDigits(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

bool tamrt::isTooLarge(std::string_view text, char decimal) {
  std::optional<double> value = parseAnyNumber(text, decimal);
  return value && std::isinf(*value) && hasDigits(text);
}

std::optional<double> tamrt::parseNumber(std::string_view text, char decimal) {
  std::optional<double> value = parseAnyNumber(text, decimal);
  if (value && std::isinf(*value) && hasDigits(text))
    return std::nullopt;
  return value;
}
