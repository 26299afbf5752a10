//===- Planning/Snapshot/PickleStore.cpp - values of a pickle -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snapshot/Pickle.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace tamc::planning;

namespace {

constexpr char digits[] = "0123456789abcdef";

/// A text in JSON; surrogates, which UTF-8 does not have, are escaped.
void appendText(std::string_view text, std::string &out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<uint8_t>(text[i]);
    auto escape = [&](uint32_t code) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4)
        out += digits[code >> shift & 15];
    };
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else if (byte < 0x20) {
      escape(byte);
    } else if (byte == 0xED && static_cast<uint8_t>(text[i + 1]) >= 0xA0) {
      escape(0xD000u | (uint32_t(text[i + 1]) & 0x3F) << 6 |
             (uint32_t(text[i + 2]) & 0x3F));
      i += 2;
    } else {
      out += text[i];
    }
  }
  out += '"';
}

/// The decimal form of little-endian two's complement.
std::string decimal(std::string_view text) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bool isNegative = !bytes.empty() && bytes.back() & 0x80;
  if (isNegative) {
    unsigned carry = 1;
    for (uint8_t &byte : bytes) {
      carry += static_cast<uint8_t>(~byte);
      byte = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
    bytes.push_back(static_cast<uint8_t>(carry));
  }
  std::string result;
  while (!bytes.empty()) {
    unsigned rest = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
      rest = rest << 8 | bytes[i];
      bytes[i] = static_cast<uint8_t>(rest / 10);
      rest %= 10;
    }
    result += static_cast<char>('0' + rest);
    while (!bytes.empty() && bytes.back() == 0)
      bytes.pop_back();
  }
  if (isNegative)
    result += '-';
  std::reverse(result.begin(), result.end());
  return result.empty() ? "0" : result;
}

void appendFloat(const std::string &bytes, std::string &out) {
  double value;
  std::memcpy(&value, bytes.data(), sizeof value);
  // As Python's json writes and reads them.
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    char text[40];
    char *last = std::to_chars(text, text + sizeof text, value).ptr;
    std::string_view written(text, static_cast<size_t>(last - text));
    out += written;
    if (written.find_first_of(".e") == written.npos)
      out += ".0";
  }
}

} // namespace

size_t PickleStore::count(PickleValue value) const {
  auto at = static_cast<size_t>(value.number);
  word(at);
  uint64_t count = word(at);
  return value.kind == PickleValue::Dictionary ? shapes[count].keys.size()
                                               : count;
}

std::optional<PickleValue> PickleStore::member(PickleValue value,
                                               std::string_view key) const {
  std::optional<PickleValue> found;
  if (value.kind == PickleValue::Dictionary)
    forMembers(value, [&](PickleValue name, PickleValue member) {
      if (name.kind == PickleValue::String && text(name) == key)
        found = member;
    });
  return found;
}

std::optional<int64_t> PickleStore::integer(PickleValue value) const {
  if (value.kind == PickleValue::Integer)
    return value.number;
  if (value.kind != PickleValue::LongInteger || text(value).size() > 8)
    return std::nullopt;
  const std::string &bytes = text(value);
  uint64_t number = bytes.back() & 0x80 ? ~uint64_t(0) : 0;
  for (size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(number);
}

bool PickleStore::append(PickleValue value, size_t most,
                         std::string &out) const {
  if (out.size() > most)
    return false;
  bool isFirst = true, isWhole = true;
  auto comma = [&] {
    out += isFirst ? "" : ",";
    isFirst = false;
  };
  auto elements = [&] {
    out += '[';
    forElements(value, [&](PickleValue each) {
      if (!isWhole)
        return;
      comma();
      isWhole = append(each, most, out);
    });
    out += ']';
  };
  switch (value.kind) {
  case PickleValue::None:
    out += "null";
    break;
  case PickleValue::False:
    out += "false";
    break;
  case PickleValue::True:
    out += "true";
    break;
  case PickleValue::Integer:
    out += std::to_string(value.number);
    break;
  case PickleValue::LongInteger:
    out += decimal(text(value));
    break;
  case PickleValue::Float:
    appendFloat(text(value), out);
    break;
  case PickleValue::String:
    appendText(text(value), out);
    break;
  case PickleValue::Bytes:
    out += "{\"!bytes\":\"";
    for (char each : text(value)) {
      out += digits[static_cast<uint8_t>(each) >> 4];
      out += digits[each & 15];
    }
    out += "\"}";
    break;
  case PickleValue::List:
    elements();
    break;
  case PickleValue::Tuple:
    out += "{\"!tuple\":";
    elements();
    out += '}';
    break;
  case PickleValue::Dictionary: {
    bool isObject = true;
    forMembers(value, [&](PickleValue key, PickleValue) {
      isObject &=
          key.kind == PickleValue::String && !text(key).starts_with('!');
    });
    out += isObject ? "{" : "{\"!dict\":[";
    forMembers(value, [&](PickleValue key, PickleValue member) {
      if (!isWhole)
        return;
      comma();
      out += isObject ? "" : "[";
      isWhole = append(key, most, out);
      out += isObject ? ":" : ",";
      isWhole = isWhole && append(member, most, out);
      out += isObject ? "" : "]";
    });
    out += isObject ? "}" : "]}";
    break;
  }
  case PickleValue::Events:
    out += "{\"!events\":" + std::to_string(value.number) + "}";
    break;
  case PickleValue::Open:
    break;
  }
  return isWhole && out.size() <= most;
}

std::optional<std::string> PickleStore::toJson(PickleValue value,
                                               size_t most) const {
  std::string out;
  if (!append(value, most, out))
    return std::nullopt;
  return out;
}
