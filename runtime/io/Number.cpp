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
#include <unordered_map>

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
