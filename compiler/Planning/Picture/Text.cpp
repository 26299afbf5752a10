//===- Planning/Picture/Text.cpp - names inside XML, HTML and JSON --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture/Text.h"

#include <array>
#include <cstdio>

using namespace tamc::planning;

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Calls `each` with every character, U+FFFD for invalid bytes.
template <typename Function>
void forEachCharacter(std::string_view text, Function each) {
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    each(length ? text.substr(0, length) : replacement);
    text.remove_prefix(length ? length : 1);
  }
}

} // namespace

size_t tamc::planning::sequenceLength(std::string_view text) {
  auto at = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto continues = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
  unsigned first = at(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2) || (first == 0xE0 && at(1) < 0xA0) ||
        (first == 0xED && at(1) > 0x9F))
      return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3) ||
        (first == 0xF0 && at(1) < 0x90) || (first == 0xF4 && at(1) > 0x8F))
      return 0;
    return 4;
  }
  return 0;
}

bool tamc::planning::isShown(std::string_view character) {
  auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return first >= 0x20 && first != 0x7F;
  auto second = static_cast<unsigned char>(character[1]);
  if (first == 0xC2)
    return second >= 0xA0;
  if (first != 0xE2 || character.size() < 3)
    return true;
  // U+200E and U+200F, U+2028 to U+202E, U+2066 to U+2069.
  auto third = static_cast<unsigned char>(character[2]);
  return !(second == 0x80 && (third == 0x8E || third == 0x8F ||
                              (third >= 0xA8 && third <= 0xAE))) &&
         !(second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

std::string tamc::planning::toUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  forEachCharacter(text, [&](std::string_view character) {
    valid += character; //
  });
  return valid;
}

std::string tamc::planning::escapeXml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  forEachCharacter(text, [&](std::string_view character) {
    char c = character.front();
    bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' &&
                   c != '\n' && c != '\r';
    if (control || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF")
      escaped += replacement;
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '&')
      escaped += "&amp;";
    else if (c == '"')
      escaped += "&quot;";
    else if (c == '\r')
      escaped += "&#13;"; // A bare one would be read as a line feed.
    else
      escaped += character;
  });
  return escaped;
}

std::string tamc::planning::quoteJson(std::string_view text) {
  std::string quoted = "\"";
  quoted.reserve(text.size() + 2);
  forEachCharacter(text, [&](std::string_view character) {
    auto c = static_cast<unsigned char>(character.front());
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7F || c == '<' || c == '>' || c == '&') {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      quoted += code;
    } else if (character == "\xE2\x80\xA8") {
      quoted += "\\u2028";
    } else if (character == "\xE2\x80\xA9") {
      quoted += "\\u2029";
    } else {
      quoted += character;
    }
  });
  return quoted + "\"";
}

std::string tamc::planning::shorten(std::string_view text, size_t count) {
  std::string kept, shorter;
  size_t characters = 0;
  forEachCharacter(text, [&](std::string_view character) {
    if (++characters <= count)
      kept += character;
    if (characters < count)
      shorter += character;
  });
  return characters <= count ? kept : shorter + "\xE2\x80\xA6";
}

std::string tamc::planning::toBase64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto byte = [&](size_t j) -> uint32_t {
      return i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j])
                                  : 0;
    };
    uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string tamc::planning::describeBytes(int64_t bytes) {
  constexpr std::array<const char *, 6> units = {"KiB", "MiB", "GiB",
                                                 "TiB", "PiB", "EiB"};
  std::string text = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes < 1024)
    return text;
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", value);
  std::string digits = number;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.')
    digits.pop_back();
  return text + " (" + digits + " " + units[unit] + ")";
}
