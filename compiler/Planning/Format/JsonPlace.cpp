//===- Planning/JsonPlace.cpp - line and column in JSON text --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/JsonPlace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Steps through JSON from one value to the next. In a text that is not JSON it
/// ends somewhere.
class Walker {
public:
  explicit Walker(std::string_view text) : text(text) {
    if (text.starts_with("\xef\xbb\xbf"))
      at = 3;
  }

  void skipBlanks() {
    while (at < text.size() && isBlank(text[at]))
      ++at;
  }

  /// Skips a string; returns its text between the quotes, with escapes as
  /// written.
  std::string_view string() {
    size_t begin = ++at;
    for (; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    size_t end = std::min(at, text.size());
    at = std::min(at + 1, text.size());
    return text.substr(begin, end - begin);
  }

  /// Goes to the first byte from here on that begins or ends a list, an object
  /// or a string, and returns it; 0 at the end.
  char skipToStructure() {
    while (at < text.size() && !isStructure[byteAt(at)])
      ++at;
    return peek();
  }

  /// Skips one byte.
  void skipByte() { ++at; }

  void skipValue() {
    skipBlanks();
    int depth = 0;
    do {
      if (depth > 0)
        skipToStructure();
      char c = peek();
      if (c == '"') {
        string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == ']' || c == '}'))
        return;
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      ++at;
      if (depth == 0 && (c == '}' || c == ']'))
        return;
    } while (at < text.size());
  }

  /// Goes to the value of `key`; true if there is one. With several, goes to
  /// the last, which a reader keeps.
  bool enterMember(std::string_view key) {
    if (peek() != '{')
      return false;
    ++at;
    size_t found = text.npos;
    while (nextEntry('}')) {
      if (peek() != '"')
        return false; // not JSON
      std::string_view name = string();
      skipBlanks();
      if (peek() != ':')
        return false; // not JSON
      ++at;
      skipBlanks();
      if (name == key)
        found = at;
      skipValue();
    }
    if (found == text.npos)
      return false;
    at = found;
    return true;
  }

  bool enterElement(size_t index) {
    if (peek() != '[')
      return false;
    ++at;
    for (size_t i = 0; nextEntry(']'); ++i) {
      if (i == index)
        return true;
      const size_t before = at;
      skipValue();
      if (at == before)
        return false; // not JSON
    }
    return false;
  }

  /// Skips a list of lists of whole numbers; false, without moving, if
  /// something else is here.
  bool skipNumberLists() {
    constexpr int deepest = 16;
    // Longer ones need not fit a number.
    constexpr size_t mostDigits = 100;
    auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    int depth = 0;
    // Whether a value may begin here; and if so, whether its list may end here,
    // too.
    bool mayBegin = true, mayEnd = false;
    for (size_t i = at; i < text.size(); ++i) {
      char c = text[i];
      if (isBlank(c))
        continue;
      if (mayBegin && c == '[' && depth < deepest) {
        ++depth;
        mayEnd = true;
      } else if (c == ']' && depth > 0 && (!mayBegin || mayEnd)) {
        if (--depth == 0) {
          at = i + 1;
          return true;
        }
        mayBegin = false;
      } else if (c == ',' && !mayBegin) {
        mayBegin = true;
        mayEnd = false;
      } else if (mayBegin && depth > 0 && isDigit(c)) {
        size_t begin = i;
        while (i + 1 < text.size() && isDigit(text[i + 1]))
          ++i;
        if ((c == '0' && i > begin) || i - begin >= mostDigits)
          return false;
        mayBegin = false;
      } else {
        return false;
      }
    }
    return false;
  }

  size_t position() const { return at; }

  char peek() const { return at < text.size() ? text[at] : '\0'; }

private:
  /// By byte: whether it begins or ends a list, an object or a string.
  static constexpr std::array<bool, 256> isStructure = [] {
    std::array<bool, 256> found = {};
    for (unsigned char c : {'{', '}', '[', ']', '"'})
      found[c] = true;
    return found;
  }();

  unsigned char byteAt(size_t i) const {
    return static_cast<unsigned char>(text[i]);
  }

  bool nextEntry(char close) {
    skipBlanks();
    if (peek() == ',') {
      ++at;
      skipBlanks();
    }
    return at < text.size() && peek() != close;
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace

tamc::planning::TextPlace tamc::planning::placeOfByte(std::string_view text,
                                                      size_t position) {
  std::string_view before = text.substr(0, std::min(position, text.size()));
  size_t begin = before.rfind('\n') + 1; // 0 when there is none
  return {1 + std::count(before.begin(), before.end(), '\n'),
          static_cast<int64_t>(before.size() - begin) + 1};
}

namespace {

/// Goes towards the value at `place`; true if there is one. `reached` becomes
/// the first byte of the innermost value on the way.
bool enter(Walker &walker, std::string_view place, size_t &reached) {
  walker.skipBlanks();
  reached = walker.position();
  while (!place.empty()) {
    bool entered = false;
    if (place.front() == '[') {
      size_t index = 0;
      std::from_chars(place.data() + 1, place.data() + place.size(), index);
      entered = walker.enterElement(index);
      place.remove_prefix(std::min(place.find(']'), place.size() - 1) + 1);
    } else {
      if (place.front() == '.')
        place.remove_prefix(1);
      size_t end = std::min(place.find_first_of(".["), place.size());
      entered = walker.enterMember(place.substr(0, end));
      place.remove_prefix(end);
    }
    if (!entered)
      return false;
    reached = walker.position();
  }
  return true;
}

} // namespace

size_t tamc::planning::byteOfPlace(std::string_view text,
                                   std::string_view place) {
  Walker walker(text);
  size_t reached = 0;
  enter(walker, place, reached);
  return reached;
}

namespace {

/// A member's name as written, without the quotes, and its position.
struct Member {
  std::string_view name;
  size_t position;
};

/// The name without escapes: "\u0061" is "a".
std::string unescape(std::string_view name) {
  nlohmann::json value = nlohmann::json::parse(
      "\"" + std::string(name) + "\"", nullptr, /*allow_exceptions=*/false);
  return value.is_string() ? value.get<std::string>() : std::string(name);
}

std::optional<tamc::planning::JsonFlaw>
findTwice(std::span<const Member> members) {
  std::vector<std::pair<std::string, size_t>> names;
  names.reserve(members.size());
  for (const Member &member : members)
    names.push_back({member.name.find('\\') == member.name.npos
                         ? std::string(member.name)
                         : unescape(member.name),
                     member.position});
  std::sort(names.begin(), names.end());
  for (size_t i = 1; i < names.size(); ++i)
    if (names[i].first == names[i - 1].first)
      return tamc::planning::JsonFlaw{
          "duplicate member '" + names[i].first + "'", names[i].second};
  return std::nullopt;
}

} // namespace

tamc::planning::JsonScan tamc::planning::scanJson(std::string_view text,
                                                  std::string_view place) {
  JsonScan scan;
  Walker walker(text);
  // For each open list or object, the index of its first member in `members`
  // and what is left of the place if the place is in it, else nothing.
  struct Level {
    size_t firstMember;
    std::string_view wanted;
  };
  std::vector<Level> open;
  std::vector<Member> members;
  // What is left of the place for the value that begins next; empty if the
  // place is not in it.
  std::string_view wanted = place;
  while (char c = walker.skipToStructure()) {
    const size_t at = walker.position();
    if (c == '"') {
      const std::string_view name = walker.string();
      wanted = {};
      walker.skipBlanks();
      if (walker.peek() != ':' || open.empty())
        continue;
      members.push_back({name, at});
      const std::string_view left = open.back().wanted;
      const size_t end = std::min(left.find('.'), left.size());
      if (left.empty() || name != left.substr(0, end))
        continue;
      wanted = left.substr(std::min(end + 1, left.size()));
      if (!wanted.empty() || scan.numberLists)
        continue;
      walker.skipByte();
      walker.skipBlanks();
      const size_t begin = walker.position();
      if (walker.skipNumberLists())
        scan.numberLists = {begin, walker.position() - begin};
      continue;
    }
    walker.skipByte();
    if (c == '{' || c == '[') {
      if (open.size() == maxJsonLevels) {
        scan.flaw = {"expected at most " + std::to_string(maxJsonLevels) +
                         " lists and objects within each other",
                     at};
        return scan;
      }
      open.push_back({members.size(), c == '{' ? wanted : std::string_view()});
      wanted = {};
    } else if (!open.empty()) {
      const size_t first = open.back().firstMember;
      scan.flaw = findTwice(std::span(members).subspan(first));
      if (scan.flaw)
        return scan;
      members.resize(first);
      open.pop_back();
    }
  }
  return scan;
}
