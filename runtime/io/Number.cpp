//===- io/Number.cpp - numbers as text, order of group values -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tamrt;

char *tamrt::formatNumber(double value, char *out) {
  auto copy = [&](std::string_view text) {
    return std::copy(text.begin(), text.end(), out);
  };
  if (std::isnan(value))
    return copy("nan");
  if (std::isinf(value))
    return copy(value < 0 ? "-inf" : "inf");
  double magnitude = std::fabs(value);
  bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  return std::to_chars(out, out + kNumberLength, value,
                       plain ? std::chars_format::fixed
                             : std::chars_format::scientific)
      .ptr;
}

std::string tamrt::formatNumber(double value) {
  char text[kNumberLength];
  return std::string(text, formatNumber(value, text));
}

std::optional<ExactNumber> tamrt::parseExactNumber(std::string_view text) {
  std::optional<double> nearest = parseNumber(text);
  if (!nearest)
    return std::nullopt;
  return ExactNumber{*nearest, text};
}
