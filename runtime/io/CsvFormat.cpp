//===- io/CsvFormat.cpp - format of a CSV file ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvFormat.h"
#include "io/Number.h"

#include <algorithm>
#include <limits>
#include <optional>

using namespace tamrt;

void CsvFormat::addMissing(std::string text) {
  if (std::optional<double> number = tamrt::parseNumber(text, decimal))
    numbers.push_back(*number);
  texts.emplace_back(trimBlanks(text));
}

bool CsvFormat::isMissingText(std::string_view text) const {
  if (texts.empty())
    return false;
  if (std::find(texts.begin(), texts.end(), trimBlanks(text)) != texts.end())
    return true;
  if (numbers.empty())
    return false;
  std::optional<double> number = tamrt::parseNumber(text, decimal);
  return number &&
         std::find(numbers.begin(), numbers.end(), *number) != numbers.end();
}

bool CsvFormat::parseNumber(std::string_view text, double &out) const {
  if (isMissing(text) || isMissingText(text)) {
    out = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  std::optional<double> value = tamrt::parseNumber(text, decimal);
  out = value.value_or(0);
  return value.has_value();
}

std::string_view CsvFormat::withPoint(std::string_view text,
                                      std::string &buffer) const {
  if (decimal == '.')
    return text;
  const size_t at = text.find(decimal);
  if (at == std::string_view::npos || !tamrt::parseNumber(text, decimal))
    return text;
  buffer = text;
  buffer[at] = '.';
  return buffer;
}
