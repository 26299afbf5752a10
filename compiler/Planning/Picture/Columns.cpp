//===- Planning/Picture/Columns.cpp - compact columns for the page --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture/Columns.h"

#include "Picture/Text.h"

#include <algorithm>

using namespace tamc::planning;

namespace {

void append(std::string &to, uint64_t code) {
  for (; code > 127; code >>= 7)
    to += static_cast<char>(code | 128);
  to += static_cast<char>(code);
}

uint64_t zigzag(uint64_t value) {
  return value << 1 ^ (value >> 63 ? ~uint64_t(0) : 0);
}

/// The codes of a column, and whether a double can represent them all.
struct Coded {
  std::string bytes;
  bool wide = false;
};

Coded encode(const std::vector<int64_t> &values, bool delta) {
  constexpr uint64_t exact = uint64_t(1) << 53;
  Coded coded;
  uint64_t before = 0;
  for (int64_t signedValue : values) {
    auto value = static_cast<uint64_t>(signedValue);
    uint64_t code = zigzag(delta ? value - before : value);
    // A delta may wrap around and have a small code; so the value is checked,
    // too.
    coded.wide |= code > exact || zigzag(value) > 2 * exact;
    append(coded.bytes, code);
    before = value;
  }
  return coded;
}

} // namespace

void Columns::addEntry(std::string_view name, std::string_view kind,
                       size_t count, const std::string &more) {
  entries += (entries.empty() ? "" : ",\n") + std::string("{\"name\":") +
             quoteJson(name) + ",\"kind\":" + quoteJson(kind) +
             ",\"count\":" + std::to_string(count) +
             ",\"at\":" + std::to_string(data.size()) + more + "}";
}

void Columns::add(std::string_view name, const std::vector<int64_t> &values) {
  if (std::all_of(values.begin(), values.end(),
                  [&](int64_t value) { return value == values.front(); })) {
    int64_t value = values.empty() ? 0 : values.front();
    addEntry(name, "constant", values.size(),
             ",\"value\":\"" + std::to_string(value) + "\"");
    return;
  }
  Coded plain = encode(values, false), delta = encode(values, true);
  bool shorter = delta.bytes.size() < plain.bytes.size();
  const Coded &chosen = shorter ? delta : plain;
  addEntry(name, shorter ? "delta" : "plain", values.size(),
           chosen.wide ? ",\"wide\":true" : "");
  data += chosen.bytes;
}

void Columns::addTexts(std::string_view name,
                       const std::vector<std::string_view> &texts) {
  std::string coded, before;
  size_t size = 0;
  for (std::string_view text : texts) {
    std::string valid = toUtf8(text);
    auto differs =
        std::mismatch(before.begin(), before.end(), valid.begin(), valid.end());
    auto shared = static_cast<size_t>(differs.second - valid.begin());
    append(coded, shared);
    append(coded, valid.size() - shared);
    coded.append(valid, shared);
    size += valid.size();
    before = std::move(valid);
  }
  addEntry(name, "text", texts.size(), ",\"size\":" + std::to_string(size));
  data += coded;
}
