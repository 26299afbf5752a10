//===- embed/Json.h - JSON without memory -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the JSON of a file of weights (core/model/Weights.h) in
/// place. Its metadata contains JSON within strings of JSON, so both support
/// nested texts: the characters of a text inside a string are read and written
/// through the escapes of the outer one. Nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_EMBED_JSON_H
#define TAMRT_EMBED_JSON_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tamrt::embed {

/// A position in a JSON text. A copy reads independently from the same
/// position. After an error every further call fails.
class JsonReader {
public:
  /// Reads `text`; if `nested`, `text` is the inside of a JSON string, and its
  /// contents are read.
  explicit JsonReader(std::string_view text, bool nested = false)
      : at(text.data()), end(text.data() + text.size()), nested(nested) {
    advance();
  }

  bool failed() const { return bad; }

  /// Whether only blanks are left.
  bool atEnd() {
    blanks();
    return !bad && ahead < 0;
  }

  /// Takes `c` if it comes next, after blanks.
  bool take(char c) {
    blanks();
    if (bad || ahead != static_cast<unsigned char>(c))
      return false;
    advance();
    return true;
  }

  /// Takes a string and passes each of its bytes to sink(char).
  template <class Sink> bool string(const Sink &sink) {
    if (!take('"'))
      return fail();
    while (!bad && ahead != '"') {
      char bytes[4];
      const int count = unescape(
          [this] {
            const int c = ahead;
            advance();
            return c;
          },
          bytes);
      if (count == 0)
        return fail();
      for (int i = 0; i < count; ++i)
        sink(bytes[i]);
    }
    if (bad)
      return false;
    advance();
    return true;
  }

  /// Takes a string of at most `room` bytes.
  bool string(char *out, size_t room, size_t &length) {
    length = 0;
    bool fits = true;
    return string([&](char c) {
             if (length < room)
               out[length++] = c;
             else
               fits = false;
           }) &&
           (fits || fail());
  }

  /// Takes a string and returns its inside. Only for a text that is not nested.
  bool span(std::string_view &inside) {
    blanks();
    const char *first = at;
    if (!string([](char) {}))
      return false;
    // `at` is one character, the lookahead, past the quote.
    const char *last = ahead < 0 ? at - 1 : at - 2;
    inside = {first, size_t(last - first)};
    return true;
  }

  /// Takes a non-negative integer.
  bool integer(uint64_t &value) {
    blanks();
    value = 0;
    bool any = false;
    while (!bad && ahead >= '0' && ahead <= '9') {
      if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
          __builtin_add_overflow(value, uint64_t(ahead - '0'), &value))
        return fail();
      any = true;
      advance();
    }
    return any || fail();
  }

  /// Takes true or false.
  bool boolean(bool &value) {
    blanks();
    value = ahead == 't';
    return word(value ? "true" : "false");
  }

  /// Takes any value; nesting deeper than `depth` is an error.
  bool skip(int depth = 8);

  /// Takes an array; element() must take each of its elements.
  template <class Element> bool array(const Element &element) {
    if (!take('['))
      return fail();
    if (take(']'))
      return true;
    do {
      if (!element())
        return fail();
    } while (take(','));
    return take(']') || fail();
  }

  /// Takes an object; the bytes of each key go to key(char), and member() must
  /// take its value.
  template <class Key, class Member>
  bool object(const Key &key, const Member &member) {
    if (!take('{'))
      return fail();
    if (take('}'))
      return true;
    do {
      if (!string(key) || !take(':') || !member())
        return fail();
    } while (take(','));
    return take('}') || fail();
  }

  /// The same; member(key) must take each of the values. Keys are cut after 32
  /// bytes.
  template <class Member> bool object(const Member &member) {
    char key[32];
    size_t length = 0;
    return object(
        [&](char c) {
          if (length < sizeof key)
            key[length++] = c;
        },
        [&] {
          const std::string_view taken(key, length);
          length = 0;
          return member(taken);
        });
  }

private:
  bool fail() {
    bad = true;
    return false;
  }
  void blanks() {
    while (ahead == ' ' || ahead == '\t' || ahead == '\n' || ahead == '\r')
      advance();
  }
  bool word(const char *text) {
    for (; *text; ++text) {
      if (bad || ahead != *text)
        return fail();
      advance();
    }
    return true;
  }
  void advance();
  template <class Next> static int unescape(const Next &next, char *out);

  const char *at, *end;
  bool nested;
  bool bad = false;
  /// The next character; -1 at the end.
  int ahead = -1;
  /// The bytes of an escape of the outer text, and the number of them already
  /// read.
  char pending[4] = {};
  int have = 0, used = 0;
};

/// The code of four hexadecimal digits; -1 if they are none.
template <class Next> int readHex(const Next &next) {
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = next();
    int digit;
    if (c >= '0' && c <= '9')
      digit = c - '0';
    else if (c >= 'a' && c <= 'f')
      digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
      digit = c - 'A' + 10;
    else
      return -1;
    code = code * 16 + digit;
  }
  return code;
}

/// Reads the bytes of one character of a string from next(), which returns -1
/// at the end. \returns their number; 0 if the character is invalid.
template <class Next> int JsonReader::unescape(const Next &next, char *out) {
  const int c = next();
  if (c < 0x20)
    return 0;
  if (c != '\\') {
    out[0] = char(c);
    return 1;
  }
  const int kind = next();
  static constexpr char kinds[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (kind > 0)
    if (const char *found = std::strchr(kinds, kind)) {
      out[0] = meanings[found - kinds];
      return 1;
    }
  if (kind != 'u')
    return 0;
  int code = readHex(next);
  if (code >= 0xd800 && code < 0xdc00) {
    if (next() != '\\' || next() != 'u')
      return 0;
    const int low = readHex(next);
    if (low < 0xdc00 || low > 0xdfff)
      return 0;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code < 0 || (code >= 0xdc00 && code < 0xe000)) {
    return 0;
  }
  if (code < 0x80) {
    out[0] = char(code);
    return 1;
  }
  const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = length - 1; i > 0; --i, code >>= 6)
    out[i] = char(0x80 | (code & 0x3f));
  out[0] = char((0xf00 >> length & 0xff) | code);
  return length;
}

/// Writes JSON, or only measures it if there is no memory to write to.
class JsonWriter {
public:
  JsonWriter(char *out, size_t room) : out(out), room(room) {}

  /// Bytes so far, including those for which there was no room.
  size_t size() const { return written; }

  /// A character of a text within `level` strings.
  void put(char c, int level);
  void text(std::string_view text, int level) {
    for (char c : text)
      put(c, level);
  }
  /// A string.
  void string(std::string_view inside, int level) {
    put('"', level);
    text(inside, level + 1);
    put('"', level);
  }
  void integer(int64_t value, int level);
  /// Bytes as they are.
  void bytes(const void *data, size_t size);

private:
  char *out;
  size_t room, written = 0;
};

} // namespace tamrt::embed

#endif // TAMRT_EMBED_JSON_H
