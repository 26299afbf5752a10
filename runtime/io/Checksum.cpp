//===- io/Checksum.cpp - the checksum that a file holds -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/checksum.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tamrt {
namespace {

constexpr size_t kDigits = 8;
constexpr size_t kPrefix = kNoChecksum.size() - kDigits;

/// Remainders of a byte followed by 0 to 7 zero bytes.
using Table = std::array<std::array<uint32_t, 256>, 8>;

constexpr Table makeTable() {
  Table table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit)
      rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
    table[0][byte] = rest;
  }
  for (size_t zeros = 1; zeros < table.size(); ++zeros)
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = table[zeros - 1][byte];
      table[zeros][byte] = before >> 8 ^ table[0][before & 0xff];
    }
  return table;
}

constexpr Table kTable = makeTable();

} // namespace

uint32_t crc32(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  const char *at = bytes.data(), *end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i)
      crc ^= kTable[7 - i][word >> 8 * i & 0xff];
  }
  for (; at != end; ++at)
    crc = crc >> 8 ^ kTable[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  return ~crc;
}

ChecksumText textOf(uint32_t crc) {
  ChecksumText result;
  std::copy_n(kNoChecksum.data(), kPrefix, result.text);
  for (size_t i = 0; i < kDigits; ++i)
    result.text[kPrefix + i] =
        "0123456789abcdef"[crc >> 4 * (kDigits - 1 - i) & 0xf];
  return result;
}

ChecksumText checksumOf(std::string_view file, size_t place) {
  // Without substr, which may throw.
  const char *digits = file.data() + place + kPrefix, *rest = digits + kDigits;
  uint32_t crc = crc32({file.data(), size_t(digits - file.data())});
  crc = crc32({kNoChecksum.data() + kPrefix, kDigits}, crc);
  return textOf(crc32({rest, size_t(file.data() + file.size() - rest)}, crc));
}

void setChecksum(std::span<char> file, size_t place) {
  const ChecksumText checksum = checksumOf({file.data(), file.size()}, place);
  std::copy_n(checksum.text, sizeof checksum.text, file.data() + place);
}

std::optional<size_t> findChecksum(std::string_view file,
                                   std::string_view checksum) {
  if (checksum.size() != kNoChecksum.size())
    return std::nullopt;
  // Inside another JSON string its quotes would be escaped.
  char quoted[kNoChecksum.size() + 2];
  quoted[0] = quoted[sizeof quoted - 1] = '"';
  std::copy_n(checksum.data(), checksum.size(), quoted + 1);
  const size_t place = file.find({quoted, sizeof quoted});
  if (place == std::string_view::npos)
    return std::nullopt;
  return place + 1;
}

} // namespace tamrt
