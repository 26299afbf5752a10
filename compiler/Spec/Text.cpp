//===- Text.cpp - spelling of names and values in a formula ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <charconv>
#include <cmath>

namespace tamc::spec {
namespace {

bool isReserved(llvm::StringRef text) {
  return text == "True" || text == "False" || text == "None";
}

std::string quote(llvm::StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Code point at the start of `text`, and its number of bytes; 0 bytes if it is
/// not UTF-8.
std::pair<uint32_t, size_t> decode(llvm::StringRef text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  auto *at = begin;
  llvm::UTF32 point = 0;
  if (llvm::convertUTF8Sequence(
          &at, reinterpret_cast<const llvm::UTF8 *>(text.end()), &point,
          llvm::strictConversion) != llvm::conversionOK)
    return {0, 0};
  return {point, static_cast<size_t>(at - begin)};
}

/// YAML's printable characters, except those that some readers treat as a line
/// break: a name with one could not be written to YAML.
bool isPrintable(uint32_t point) {
  if (point < 0x80)
    return point >= 0x20 && point < 0x7f;
  return point >= 0xa0 && point != 0x2028 && point != 0x2029 &&
         point != 0xfeff && point != 0xfffe && point != 0xffff;
}

} // namespace

std::string formatNumber(double number) {
  // The shortest form of 100000 would be 1e+05.
  if (std::abs(number) < 1e15 && number == std::trunc(number))
    return llvm::itostr(static_cast<int64_t>(number));
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, std::end(buffer), number);
  assert(error == std::errc() && "the shortest form fits");
  return std::string(buffer, end);
}

std::string formatColumn(llvm::StringRef name) {
  return isIdentifier(name) && !isReserved(name) ? name.str() : quote(name);
}

std::string formatValue(const Value &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  if (auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (auto *number = std::get_if<double>(&value))
    return formatNumber(*number);
  if (auto *pair = std::get_if<Pair>(&value))
    return ("(" + llvm::Twine(formatNumber(pair->first)) + ", " +
            formatNumber(pair->second) + ")")
        .str();
  if (auto *text = std::get_if<std::string>(&value))
    return formatColumn(*text);
  return "None";
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool isIdentifierStart(char c) {
  return llvm::isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool isIdentifierBody(char c) {
  return isIdentifierStart(c) || llvm::isDigit(c) || c == '.';
}

bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && isIdentifierStart(text.front()) &&
         llvm::all_of(text, isIdentifierBody);
}

size_t findUnprintable(llvm::StringRef text) {
  for (size_t i = 0; i != text.size();) {
    auto [point, bytes] = decode(text.substr(i));
    if (bytes == 0 || !isPrintable(point))
      return i;
    i += bytes;
  }
  return llvm::StringRef::npos;
}

size_t findNotText(llvm::StringRef text) {
  for (size_t i = 0; i != text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      if (text[i] == '\0')
        return i;
      ++i;
      continue;
    }
    size_t bytes = decode(text.substr(i)).second;
    if (bytes == 0)
      return i;
    i += bytes;
  }
  return llvm::StringRef::npos;
}

std::optional<double> parseNumber(llvm::StringRef text) {
  // std::from_chars takes no plus, and takes "inf" and "nan".
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  if (text.empty() || !(llvm::isDigit(text[0]) || text[0] == '.'))
    return std::nullopt;
  double number;
  auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (end != text.end())
    return std::nullopt;
  // A number too small for a double is read as 0 or the nearest number; one too
  // large is an error.
  if (error != std::errc() && text.getAsDouble(number, /*AllowInexact=*/true))
    return std::nullopt;
  if (!std::isfinite(number))
    return std::nullopt;
  return negative && number != 0 ? -number : number;
}

std::optional<int64_t> parseInteger(llvm::StringRef text) {
  if (text.consume_front("+") && text.starts_with("-"))
    return std::nullopt;
  int64_t integer;
  auto [end, error] = std::from_chars(text.begin(), text.end(), integer);
  if (text.empty() || error != std::errc() || end != text.end())
    return std::nullopt;
  return integer;
}

std::string listed(llvm::ArrayRef<llvm::StringRef> words,
                   llvm::StringRef conjunction) {
  std::string text;
  for (size_t i = 0; i != words.size(); ++i) {
    if (i != 0)
      text += i + 1 == words.size() ? (" " + conjunction + " ").str() : ", ";
    text += words[i];
  }
  return text;
}

llvm::StringRef closest(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> candidates) {
  // A third of the letters may be wrong; a single letter is not a misspelling
  // of another one.
  unsigned best = static_cast<unsigned>(word.size() + 2) / 3 + 1;
  llvm::StringRef found;
  std::string lower = word.lower();
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = llvm::StringRef(lower).edit_distance(
        candidate.lower(), /*AllowReplacements=*/true, best);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

} // namespace tamc::spec
