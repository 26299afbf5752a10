//===- core/data/Levels.cpp - levels of a categorical column --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Levels.h"

#include "core/data/Ranges.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tamrt {
namespace {

/// Most texts in a message.
constexpr size_t kLevelsNamed = 20;

std::string tooMany(const std::string &path, const std::string &column,
                    size_t maximum, const std::vector<std::string> &levels,
                    bool more) {
  std::string list;
  size_t shown = std::min(levels.size(), kLevelsNamed);
  for (size_t i = 0; i < shown; ++i)
    list += (i ? ", '" : "'") + levels[i] + "'";
  if (more || shown < levels.size())
    list += ", ...";
  return path + ": column '" + column + "': expected at most " +
         std::to_string(maximum) +
         (maximum == 1 ? " level, got " : " levels, got ") +
         (more ? "at least " : "") + std::to_string(levels.size()) + ": " +
         list;
}

/// 0.0 for both zeros, so that a level has one name.
double plainZero(double value) { return value == 0 ? 0.0 : value; }

} // namespace

Result<LevelTable> LevelTable::create(bool numeric,
                                      std::vector<std::string> names) {
  LevelTable table;
  table.numeric = numeric;
  table.names = std::move(names);
  for (size_t i = 0; i < table.names.size(); ++i) {
    if (numeric) {
      std::optional<double> number = parseNumber(table.names[i]);
      if (!number || !std::isfinite(*number))
        return Error{"expected a level that is a number, got '" +
                     table.names[i] + "'"};
      table.numbers.push_back(*number);
    }
    if (i > 0 && (numeric ? !(table.numbers[i - 1] < table.numbers[i])
                          : !(table.names[i - 1] < table.names[i])))
      return Error{"expected sorted levels, got '" + table.names[i] +
                   "' after '" + table.names[i - 1] + "'"};
  }
  return table;
}

int32_t LevelTable::code(std::string_view text, tamrt_unseen unseen) const {
  if (numeric) {
    std::optional<double> number = parseNumber(text);
    return number ? levelCode(numbers.data(), size(), *number, unseen)
                  : unseenCode(size(), unseen, size() - 1);
  }
  auto at = std::lower_bound(names.begin(), names.end(), text);
  if (at != names.end() && *at == text)
    return int32_t(at - names.begin());
  return unseenCode(size(), unseen, size() - 1);
}

/// Whether `text` is missing in a column of numbers.
static bool isDoubtfulLevel(std::string_view text) {
  if (isMissing(text))
    return true;
  std::optional<double> number = parseNumber(text);
  return number && !std::isfinite(*number);
}

TextKind kindOfLevel(std::string_view text, const CsvFormat &format) {
  if (isEmpty(text) || format.isMissingText(text))
    return TextKind::Missing;
  return isDoubtfulLevel(text) ? TextKind::Doubtful : TextKind::Value;
}

TextKind kindOfGroup(std::string_view text, const CsvFormat &format) {
  if (isEmpty(text) || format.isMissingText(text))
    return TextKind::Missing;
  return isMissing(text) ? TextKind::Doubtful : TextKind::Value;
}

bool LevelTable::has(std::string_view text) const {
  if (!numeric)
    return std::binary_search(names.begin(), names.end(), text);
  std::optional<double> number = parseNumber(text);
  return number && std::binary_search(numbers.begin(), numbers.end(), *number);
}

bool LevelCollector::add(std::string_view text) {
  if (stopped || texts.contains(text))
    return !stopped;
  texts.emplace(text);
  if (isDoubtfulLevel(text))
    return true;
  if (std::optional<double> number = parseNumber(text))
    numbers.insert(plainZero(*number));
  else
    numeric = false;
  // With more than this many the column is an error, whether levels are numbers
  // or texts, and continuing would only use memory. Many spellings of few
  // numbers are valid, too many numbers never are.
  const size_t enough = maximum + kLevelsNamed;
  stopped = numbers.size() > enough || (!numeric && texts.size() > enough);
  return !stopped;
}

Result<LevelTable> LevelCollector::table(const std::string &path,
                                         const std::string &column) const {
  LevelTable table;
  if (numeric) {
    table.numeric = true;
    table.numbers.assign(numbers.begin(), numbers.end());
    for (double number : numbers)
      table.names.push_back(formatNumber(number));
  } else {
    table.names.assign(texts.begin(), texts.end());
  }
  if (table.size() > maximum)
    return Error{tooMany(path, column, maximum, table.names, stopped)};
  return table;
}

} // namespace tamrt
