//===- core/data/Levels.cpp - levels of a categorical column --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Levels.h"

#include "core/data/Ranges.h"
#include "io/CsvText.h"
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

/// Most bytes of a level's name that is not a double's shortest text; a library
/// reads names with limited memory.
constexpr size_t kMaxNumberBytes = 60;

/// 0.0 for both zeros, so that a level has one name.
double plainZero(double value) { return value == 0 ? 0.0 : value; }

/// The name of the level `number`, which was written as `text`.
std::string nameOf(double number, std::string_view text) {
  std::string shortest = formatNumber(number);
  return ExactNumber{number, shortest} == ExactNumber{number, text}
             ? shortest
             : std::string(trimBlanks(text));
}

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

/// The first level that is not below `number`.
size_t LevelTable::placeOf(double number) const {
  return size_t(std::lower_bound(numbers.begin(), numbers.end(), number) -
                numbers.begin());
}

bool LevelTable::isLevel(size_t place, ExactNumber number) const {
  return place < size() && ExactNumber{numbers[place], names[place]} == number;
}

int32_t LevelTable::code(std::string_view text, tamrt_unseen unseen) const {
  if (numeric) {
    std::optional<ExactNumber> number = parseExactNumber(text);
    if (!number)
      return unseenCode(size(), unseen, size() - 1);
    const size_t place = placeOf(number->nearest);
    if (place < size() && numbers[place] == number->nearest &&
        !isLevel(place, *number))
      return unseenCode(size(), unseen, place);
    return levelCode(numbers.data(), size(), number->nearest, unseen);
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
  std::optional<ExactNumber> number = parseExactNumber(text);
  return number && isLevel(placeOf(number->nearest), *number);
}

bool LevelCollector::add(std::string_view text) {
  if (stopped || texts.contains(text))
    return !stopped;
  texts.emplace(text);
  if (isDoubtfulLevel(text))
    return true;
  if (std::optional<ExactNumber> number = parseExactNumber(text)) {
    const auto &[nearest, before] =
        *numbers.try_emplace(plainZero(number->nearest), text).first;
    if (!firstClash && ExactNumber{nearest, before} != *number)
      firstClash = {before, std::string(text)};
  } else {
    numeric = false;
  }
  // With more than this many the column is an error, whether levels are numbers
  // or texts, and continuing would only use memory. Many spellings of few
  // numbers are valid, too many numbers never are.
  const size_t enough = maximum + kLevelsNamed;
  stopped = numbers.size() > enough || (!numeric && texts.size() > enough);
  return !stopped;
}

Result<LevelTable> LevelCollector::table(const std::string &path,
                                         const std::string &column,
                                         const std::string &clashPlace) const {
  LevelTable table;
  if (numeric && firstClash)
    return Error{
        path + ": " + (clashPlace.empty() ? "" : clashPlace + ": ") +
        "column '" + column +
        "': expected levels that differ as doubles, got '" +
        shownText(firstClash->first) + "' and '" +
        shownText(firstClash->second) +
        "', which have the same nearest double; with a letter in front they "
        "are text"};
  if (numeric) {
    table.numeric = true;
    for (const auto &[number, text] : numbers) {
      table.numbers.push_back(number);
      table.names.push_back(nameOf(number, text));
      if (table.names.back().size() > kMaxNumberBytes)
        return Error{path + ": column '" + column +
                     "': expected a level of at most " +
                     std::to_string(kMaxNumberBytes) +
                     " bytes or one that is a double, got '" +
                     shownText(table.names.back()) + "'"};
    }
  } else {
    table.names.assign(texts.begin(), texts.end());
  }
  if (table.size() > maximum)
    return Error{tooMany(path, column, maximum, table.names, stopped)};
  return table;
}

} // namespace tamrt
