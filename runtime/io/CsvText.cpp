//===- io/CsvText.cpp - common parts of CSV readers -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvText.h"
#include "io/Number.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <utility>

using namespace tamrt;

/// Messages show at most this much of a field.
static constexpr size_t kShownBytes = 60;

/// Messages list at most this many columns.
static constexpr size_t kShownNames = 40;

std::string_view tamrt::foreignFormat(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> formats[] = {
      {"\x1F\x8B"sv, "gzip"},           {"\x28\xB5\x2F\xFD"sv, "zstd"},
      {"\xFD\x37zXZ\0"sv, "xz"},        {"BZh91AY&SY"sv, "bzip2"},
      {"PK\x03\x04"sv, "zip or Excel"}, {"PAR1"sv, "Parquet"},
      {"\xFF\xFE"sv, "UTF-16"},         {"\xFE\xFF"sv, "UTF-16"},
  };
  for (auto [magic, format] : formats)
    if (bytes.starts_with(magic))
      return format;
  return {};
}

size_t tamrt::markBytes(std::string_view bytes) {
  return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

size_t tamrt::trimEmptyLines(const char *text, size_t begin, size_t end) {
  while (end > begin && text[end - 1] == '\n') {
    --end;
    if (end > begin && text[end - 1] == '\r')
      --end;
  }
  return end;
}

size_t tamrt::lineInText(const char *text, size_t offset) {
  return 1 + static_cast<size_t>(std::count(text, text + offset, '\n'));
}

std::string tamrt::shownText(std::string_view text) {
  if (text.size() <= kShownBytes)
    return std::string(text);
  size_t cut = kShownBytes;
  // Do not cut inside a UTF-8 sequence.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
    --cut;
  return fmt::format("{}...", text.substr(0, cut));
}

std::string tamrt::describeNoNumber(std::string_view text,
                                    const CsvFormat &format) {
  // A number with the other decimal separator.
  const char other = format.decimal == '.' ? ',' : '.';
  const bool isOther = parseNumber(text, other).has_value();
  return fmt::format(
      "expected a number{}, got '{}'{}",
      isTooLarge(text, format.decimal) ? " that a double can hold" : "",
      shownText(text),
      isOther ? fmt::format("; --decimal '{}' reads such numbers", other) : "");
}

Result<std::vector<std::string>> tamrt::namesOfHeader(const std::string &path,
                                                      const char *text,
                                                      const CsvIndex &index) {
  const size_t begin = index.rowStarts.front();
  std::vector<std::string> columns;
  uint32_t start = 0;
  for (uint32_t fieldEnd : index.fieldEnds) {
    std::string_view raw(text + begin + start, fieldEnd - start);
    bool inQuotes = !raw.empty() && raw.front() == '"';
    columns.emplace_back(inQuotes ? unquoteCsv(raw) : trimBlanks(raw));
    start = fieldEnd + 1;
  }
  if (columns.size() == 1 && columns.front().empty())
    return Error{fmt::format("{}: line {}: expected a header, got an empty {}",
                             path, lineInText(text, begin),
                             index.fieldEnds.front() == 0 ? "line" : "name")};
  std::set<std::string_view> known;
  for (const std::string &column : columns)
    if (!column.empty() && !known.insert(column).second)
      return Error{fmt::format("{}: line {}: column '{}' appears twice", path,
                               lineInText(text, begin), shownText(column))};
  return columns;
}

/// What is between the fields of a file, for messages.
static std::string separatorsOf(char separator) {
  return separator == ','    ? "commas"
         : separator == '\t' ? "tabs"
         : separator == ' '  ? "blanks"
                             : fmt::format("'{}'", separator);
}

std::optional<size_t> tamrt::findColumn(const std::vector<std::string> &names,
                                        std::string_view column) {
  auto place = std::find(names.begin(), names.end(), column);
  if (column.empty() || place == names.end())
    return std::nullopt;
  return size_t(place - names.begin());
}

Result<size_t> tamrt::requireColumn(const std::string &path,
                                    const std::vector<std::string> &names,
                                    std::string_view column, char separator) {
  if (std::optional<size_t> place = findColumn(names, column))
    return *place;
  // One name that contains a separator is probably the whole header of a file
  // with that separator.
  if (names.size() == 1)
    for (auto [byte, name] : {std::pair(';', "';'"), std::pair('\t', "tab"),
                              std::pair('|', "'|'"), std::pair(',', "','")})
      if (byte != separator && names.front().find(byte) != std::string::npos)
        return Error{fmt::format(
            "{}: no column '{}', expected columns separated by {}, got one "
            "column '{}'; --sep {} reads a file with {} between its fields",
            path, column, separatorsOf(separator), shownText(names.front()),
            name,
            byte == ';' || byte == '|' ? fmt::format("a {}", name)
                                       : separatorsOf(byte))};
  std::string there;
  for (size_t i = 0; i < std::min(names.size(), kShownNames); ++i)
    there += (i == 0 ? "" : ", ") + shownText(names[i]);
  if (names.size() > kShownNames)
    there += fmt::format(" and {} more", names.size() - kShownNames);
  return Error{fmt::format("{}: no column '{}', expected one of: {}", path,
                           column, there)};
}
