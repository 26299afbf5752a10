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
#include <fast_float/fast_float.h>
#include <unordered_map>

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

bool tamrt::isMissing(std::string_view text) {
  text = trimBlanks(text);
  if (text.empty())
    return true;
  if (text.size() == 2)
    return equalsIgnoringCase(text, "na");
  if (text.front() == '-' || text.front() == '+')
    text.remove_prefix(1);
  return equalsIgnoringCase(text, "nan");
}

/// A decimal number; infinite without saying so where it is too large.
static std::optional<double> parseAnyNumber(std::string_view text) {
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
  auto [stop, error] = fast_float::from_chars(text.data(), end, value);
  // Older versions of fast_float give infinity, or zero, for what is out of
  // range, and newer ones an error besides.
  if ((error != std::errc() && error != std::errc::result_out_of_range) ||
      stop != end || std::isnan(value))
    return std::nullopt;
  return value;
}

/// Only text that says infinity means it.
static bool hasDigits(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

bool tamrt::isTooLarge(std::string_view text) {
  std::optional<double> value = parseAnyNumber(text);
  return value && std::isinf(*value) && hasDigits(text);
}

std::optional<double> tamrt::parseNumber(std::string_view text) {
  std::optional<double> value = parseAnyNumber(text);
  if (value && std::isinf(*value) && hasDigits(text))
    return std::nullopt;
  return value;
}

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

Levels tamrt::findLevels(std::span<const std::string_view> column) {
  // Distinct texts in order of first occurrence, each with a provisional code.
  std::unordered_map<std::string_view, int32_t> seen;
  std::vector<std::string_view> texts;
  Levels levels;
  levels.codes.reserve(column.size());
  for (std::string_view text : column) {
    auto [entry, isNew] =
        seen.try_emplace(text, static_cast<int32_t>(texts.size()));
    if (isNew)
      texts.push_back(text);
    levels.codes.push_back(entry->second);
  }

  std::vector<double> numbers;
  levels.numeric = !texts.empty();
  for (std::string_view text : texts) {
    std::optional<double> number = parseNumber(text);
    if (!number) {
      levels.numeric = false;
      break;
    }
    numbers.push_back(*number);
  }

  std::vector<int32_t> order(texts.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int32_t>(i);
  auto less = [&](int32_t a, int32_t b) {
    return levels.numeric ? numbers[a] < numbers[b] : texts[a] < texts[b];
  };
  std::stable_sort(order.begin(), order.end(), less);

  std::vector<int32_t> final(texts.size());
  for (size_t i = 0; i < order.size(); ++i) {
    int32_t provisional = order[i];
    if (i == 0 || less(order[i - 1], provisional)) {
      levels.values.push_back(texts[provisional]);
      if (levels.numeric)
        levels.numbers.push_back(numbers[provisional]);
    }
    final[provisional] = static_cast<int32_t>(levels.values.size()) - 1;
  }
  for (int32_t &code : levels.codes)
    code = final[code];
  return levels;
}

std::optional<size_t> Levels::find(std::string_view text) const {
  if (numeric) {
    std::optional<double> number = parseNumber(text);
    if (!number)
      return std::nullopt;
    auto place = std::lower_bound(numbers.begin(), numbers.end(), *number);
    if (place == numbers.end() || *place != *number)
      return std::nullopt;
    return place - numbers.begin();
  }
  auto place = std::lower_bound(values.begin(), values.end(), text);
  if (place == values.end() || *place != text)
    return std::nullopt;
  return place - values.begin();
}
