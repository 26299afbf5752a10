//===- embed/Json.cpp - JSON without memory -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Json.h"

#include "embed/Decimal.h"

#include <algorithm>

namespace tamrt::embed {

void JsonReader::advance() {
  auto raw = [this] {
    return at < end ? int(static_cast<unsigned char>(*at++)) : -1;
  };
  if (!nested) {
    ahead = raw();
    return;
  }
  if (used == have) {
    used = have = 0;
    if (at == end) {
      ahead = -1;
      return;
    }
    have = unescape(raw, pending);
    if (have == 0) {
      bad = true;
      ahead = -1;
      return;
    }
  }
  ahead = static_cast<unsigned char>(pending[used++]);
}

bool JsonReader::skip(int depth) {
  blanks();
  if (bad || depth == 0)
    return fail();
  switch (ahead) {
  case '"':
    return string([](char) {});
  case '[':
    return array([&] { return skip(depth - 1); });
  case '{':
    return object([&](std::string_view) { return skip(depth - 1); });
  case 't':
    return word("true");
  case 'f':
    return word("false");
  case 'n':
    return word("null");
  default:
    break;
  }
  // Skip a number, without checking its exact form.
  bool any = false;
  while (!bad && ahead > 0 && std::strchr("+-.0123456789eE", ahead)) {
    any = true;
    advance();
  }
  return any || fail();
}

void JsonWriter::bytes(const void *data, size_t size) {
  if (size > 0 && written <= room && size <= room - written)
    std::memcpy(out + written, data, size);
  written += size;
}

void JsonWriter::put(char c, int level) {
  if (level == 0)
    return bytes(&c, 1);
  static constexpr char meanings[] = "\"\\\b\f\n\r\t", kinds[] = "\"\\bfnrt";
  static constexpr char digits[] = "0123456789abcdef";
  if (const char *found = c ? std::strchr(meanings, c) : nullptr) {
    put('\\', level - 1);
    put(kinds[found - meanings], level - 1);
  } else if (static_cast<unsigned char>(c) < 0x20) {
    text("\\u00", level - 1);
    put(digits[c >> 4], level - 1);
    put(digits[c & 15], level - 1);
  } else {
    put(c, level - 1);
  }
}

void JsonWriter::integer(int64_t value, int level) {
  char digits[kIntegerLength];
  text({digits, formatInteger(value, digits)}, level);
}

} // namespace tamrt::embed
