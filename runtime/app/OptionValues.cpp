//===- app/OptionValues.cpp - values of options ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/OptionValues.h"

#include "core/data/Split.h"
#include "tamrt/abi.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tamrt {

std::optional<int64_t> parseCount(const std::string &text, int64_t most) {
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 1 ||
      value > most)
    return std::nullopt;
  return value;
}

CLI::Validator oneOf(std::vector<std::string> choices) {
  return CLI::Validator(
      [choices](std::string &text) -> std::string {
        std::string list;
        for (size_t i = 0; i < choices.size(); ++i) {
          if (text == choices[i])
            return "";
          list += (i == 0                    ? ""
                   : i + 1 == choices.size() ? " or "
                                             : ", ") +
                  choices[i];
        }
        return "expected " + list + ", got '" + text + "'";
      },
      "");
}

CLI::Validator count(int64_t most) {
  return CLI::Validator(
      [most](std::string &text) -> std::string {
        if (parseCount(text, most))
          return "";
        return "expected a whole number from 1 to " + std::to_string(most) +
               ", got '" + text + "'";
      },
      "");
}

CLI::Validator file() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        return text.empty() ? "expected the name of a file, got ''" : "";
      },
      "");
}

std::optional<int64_t> parseBytes(std::string_view text) {
  const size_t digits =
      std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  constexpr std::string_view units = "KMGT";
  const size_t place = unit.empty() ? 0 : units.find(unit.front());
  if (place == std::string_view::npos)
    return std::nullopt;
  const size_t power = unit.empty() ? 0 : place + 1;
  const size_t point = std::min(text.find('.'), digits);
  if ((unit.size() > 1 && unit.substr(1) != "iB") ||
      (unit.empty() && point < digits))
    return std::nullopt;
  int64_t whole = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + point, whole);
  // A fraction may have no integer part.
  const bool isWhole = code == std::errc() || (point == 0 && digits > 0);
  if (!isWhole || end != text.data() + point ||
      whole > (INT64_MAX >> (10 * power)))
    return std::nullopt;
  double fraction = 0;
  if (point < digits) {
    const char *last = text.data() + digits;
    auto [stop, fault] = std::from_chars(text.data() + point, last, fraction);
    if (fault != std::errc() || stop != last)
      return std::nullopt;
  }
  const int64_t unitBytes = int64_t(1) << (10 * power);
  const auto part = int64_t(fraction * double(unitBytes));
  const int64_t value = whole * unitBytes;
  if (value > INT64_MAX - part || value + part < 1)
    return std::nullopt;
  return value + part;
}

CLI::Validator bytes() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        if (parseBytes(text))
          return "";
        return "expected a number of bytes such as 512M or 1.5G, got '" + text +
               "'";
      },
      "");
}

CLI::Validator positive(double most) {
  return CLI::Validator(
      [most](std::string &text) -> std::string {
        double value = 0;
        auto [end, code] =
            std::from_chars(text.data(), text.data() + text.size(), value);
        if (code == std::errc() && end == text.data() + text.size() &&
            value > 0 && value <= most)
          return "";
        return fmt::format("expected a number above 0, at most {}, got '{}'",
                           most, text);
      },
      "");
}

std::optional<double> parseTolerance(const std::string &text) {
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value > 0) ||
      !(value < 1))
    return std::nullopt;
  return value;
}

CLI::Validator tolerance() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        if (parseTolerance(text))
          return "";
        return "expected a number between 0 and 1, got '" + text + "'";
      },
      "");
}

std::optional<double> parseLevel(const std::string &text) {
  const bool isDecimal =
      text.find_first_not_of("0123456789.") == std::string::npos;
  return isDecimal ? parseTolerance(text) : std::nullopt;
}

std::string nameOfLevel(const std::string &text) {
  std::string digits = text.substr(text.find('.') + 1);
  digits.resize(std::max(digits.find_last_not_of('0') + 1, size_t(2)), '0');
  std::string whole = digits.substr(0, 2), rest = digits.substr(2);
  if (whole.front() == '0')
    whole.erase(0, 1);
  return rest.empty() ? whole : whole + "." + rest;
}

std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t first = 0; first <= text.size();) {
    const size_t comma = std::min(text.find(',', first), text.size());
    parts.push_back(text.substr(first, comma - first));
    first = comma + 1;
  }
  return parts;
}

CLI::Validator levels() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        for (const std::string &level : splitAtCommas(text))
          if (!parseLevel(level))
            return "expected levels between 0 and 1 in digits, such as 0.9, "
                   "got '" +
                   level + "'";
        return "";
      },
      "");
}

CLI::Validator split() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        Result<Split> split = parseSplit(text);
        return split ? "" : split.error().message;
      },
      "");
}

std::optional<char> parseSeparator(const std::string &text) {
  if (text == "tab" || text == "\\t")
    return '\t';
  if (text.size() == 1 &&
      std::string_view(",;|:\t ").find(text.front()) != std::string_view::npos)
    return text.front();
  return std::nullopt;
}

CLI::Validator separator() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        if (parseSeparator(text))
          return "";
        return "expected ',', ';', '|', ':', ' ' or tab, got '" + text + "'";
      },
      "");
}

std::optional<double> parseAp(const std::string &text) {
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() ||
      !(std::fabs(value) <= TAMRT_AP_LIMIT))
    return std::nullopt;
  return value;
}

CLI::Validator aps() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        for (const std::string &ap : splitAtCommas(text))
          if (!parseAp(ap))
            return fmt::format("expected numbers from -{0} to {0}, got '{1}'",
                               TAMRT_AP_LIMIT, ap);
        return "";
      },
      "");
}

} // namespace tamrt
