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
  std::string buffer;
  texts.emplace_back(trimBlanks(withPoint(text, buffer)));
}

bool CsvFormat::isAdded(std::string_view text) const {
  return std::find(texts.begin(), texts.end(), trimBlanks(text)) != texts.end();
}

bool CsvFormat::isMissingText(std::string_view text) const {
  if (texts.empty())
    return false;
  std::string buffer;
  text = withPoint(text, buffer);
  if (isAdded(text))
    return true;
  if (numbers.empty())
    return false;
  std::optional<ExactNumber> number = parseExactNumber(text);
  return number && std::any_of(texts.begin(), texts.end(),
                               [&](const std::string &missing) {
                                 return parseExactNumber(missing) == number;
                               });
}

bool CsvFormat::parseNumber(std::string_view text, double &out) const {
  std::optional<double> value;
  if (!isMissing(text) && !isAdded(text))
    value = tamrt::parseNumber(text, decimal);
  else
    value = std::numeric_limits<double>::quiet_NaN();
  if (value &&
      std::find(numbers.begin(), numbers.end(), *value) != numbers.end())
    value = std::numeric_limits<double>::quiet_NaN();
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
