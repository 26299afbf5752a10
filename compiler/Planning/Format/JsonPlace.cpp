//===- Planning/JsonPlace.cpp - where a value stands in JSON --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/JsonPlace.h"

#include <algorithm>
#include <charconv>

namespace {

/// Goes through valid JSON from one value to the next.
class Walker {
public:
  explicit Walker(std::string_view text) : text(text) {
    if (text.starts_with("\xef\xbb\xbf"))
      at = 3;
  }

  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' ||
                                text[at] == '\n' || text[at] == '\r'))
      ++at;
  }

  /// Past the quotes; what is between them, escapes as they are written.
  std::string_view string() {
    size_t begin = ++at;
    for (; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    size_t end = std::min(at, text.size());
    at = std::min(at + 1, text.size());
    return text.substr(begin, end - begin);
  }

  void skipValue() {
    skipBlanks();
    int depth = 0;
    do {
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

  /// Goes to the value of `key`; true when there is one. With several, to the
  /// last, which is the one that a reader keeps.
  bool enterMember(std::string_view key) {
    if (peek() != '{')
      return false;
    ++at;
    size_t found = text.npos;
    while (nextEntry('}')) {
      std::string_view name = string();
      skipBlanks();
      ++at; // the colon
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
      skipValue();
    }
    return false;
  }

  int64_t line(size_t position) const {
    return 1 + std::count(text.begin(),
                          text.begin() + std::min(position, text.size()), '\n');
  }

  size_t position() const { return at; }

private:
  char peek() const { return at < text.size() ? text[at] : '\0'; }

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

int64_t tamc::planning::lineOfPlace(std::string_view text,
                                    std::string_view place) {
  Walker walker(text);
  walker.skipBlanks();
  size_t reached = walker.position();
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
      break;
    reached = walker.position();
  }
  return walker.line(reached);
}
