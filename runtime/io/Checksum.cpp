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

// Carry-less products fold 64 bytes at a time.
#if defined(__x86_64__) && defined(__GNUC__)
#define TAMRT_FOLDS
#include <immintrin.h>
#endif

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

// Polynomials over two elements modulo that of the CRC: the highest bit is the
// coefficient of x^0, the lowest one that of x^31.
constexpr uint32_t kOne = 0x80000000u;

constexpr uint32_t timesX(uint32_t a) {
  return a >> 1 ^ (a & 1 ? 0xedb88320u : 0);
}

constexpr uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (; a != 0; a <<= 1, b = timesX(b))
    product ^= a & kOne ? b : 0;
  return product;
}

/// x^(8 * 2^i), by i.
constexpr std::array<uint32_t, 64> makePowers() {
  std::array<uint32_t, 64> powers = {};
  powers[0] = kOne >> 8;
  for (size_t i = 1; i < powers.size(); ++i)
    powers[i] = multiply(powers[i - 1], powers[i - 1]);
  return powers;
}

constexpr std::array<uint32_t, 64> kPowers = makePowers();

#ifdef TAMRT_FOLDS
/// x^n for a product of reflected polynomials, which lacks a factor of x.
constexpr long long foldingBy(int n) {
  uint32_t power = kOne;
  for (int i = 0; i < n; ++i)
    power = timesX(power);
  return (long long)power << 1;
}

/// Moves 128 bits over those of `by`'s powers, and adds `next`, which are
/// there.
__attribute__((target("pclmul"))) inline __m128i fold(__m128i bits, __m128i by,
                                                      __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(bits, by, 0x00),
                                     _mm_clmulepi64_si128(bits, by, 0x11)),
                       next);
}

/// Replaces bytes from `at` on, of which there are at least 64, by 16 bytes
/// with the same CRC, which go before those that are left: `at` is moved to
/// these. Source: V. Gopal et al., Fast CRC Computation for Generic Polynomials
/// Using PCLMULQDQ Instruction, Intel, 2009.
__attribute__((target("pclmul"))) void
foldBytes(const char *&at, const char *end, uint32_t crc, char (&folded)[16]) {
  auto load = [](const char *from) {
    __m128i bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  };
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(int(crc))),
          b = load(at + 16), c = load(at + 32), d = load(at + 48);
  at += 64;
  const __m128i by64 = _mm_set_epi64x(foldingBy(512 - 32), foldingBy(512 + 32)),
                by16 = _mm_set_epi64x(foldingBy(128 - 32), foldingBy(128 + 32));
  for (; end - at >= 64; at += 64) {
    a = fold(a, by64, load(at));
    b = fold(b, by64, load(at + 16));
    c = fold(c, by64, load(at + 32));
    d = fold(d, by64, load(at + 48));
  }
  a = fold(fold(fold(a, by16, b), by16, c), by16, d);
  for (; end - at >= 16; at += 16)
    a = fold(a, by16, load(at));
  std::memcpy(folded, &a, sizeof folded);
}
#endif

/// Adds bytes to a remainder by the table.
uint32_t addBytes(uint32_t crc, const char *at, const char *end) {
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
  return crc;
}

} // namespace

uint32_t crc32(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  const char *at = bytes.data(), *end = at + bytes.size();
#ifdef TAMRT_FOLDS
  if (end - at >= 64 && __builtin_cpu_supports("pclmul")) {
    char folded[16];
    foldBytes(at, end, crc, folded);
    crc = addBytes(0, folded, folded + sizeof folded);
  }
#endif
  return ~addBytes(crc, at, end);
}

uint32_t shiftCrc32(uint32_t crc, uint64_t after) {
  for (size_t i = 0; after != 0; ++i, after >>= 1)
    if (after & 1)
      crc = multiply(kPowers[i], crc);
  return crc;
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
