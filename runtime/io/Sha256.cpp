//===- io/Sha256.cpp - SHA-256 --------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Sha256.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tamrt {
namespace {

/// Bits of the cube roots of the first 64 primes, after the point.
constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Adds a block of 64 bytes to the hash.
void addBlock(std::array<uint32_t, 8> &hash, const char *block) {
  uint32_t words[64];
  for (size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (size_t byte = 0; byte < 4; ++byte)
      words[i] =
          words[i] << 8 | static_cast<unsigned char>(block[4 * i + byte]);
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
        ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
        ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const uint32_t mixed[] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < hash.size(); ++i)
    hash[i] += mixed[i];
}

} // namespace

void Sha256::add(std::string_view text) {
  size += text.size();
  while (!text.empty()) {
    if (used == 0 && text.size() >= kBlock) {
      addBlock(hash, text.data());
      text.remove_prefix(kBlock);
      continue;
    }
    const size_t count = std::min(kBlock - used, text.size());
    std::copy_n(text.data(), count, block.data() + used);
    text.remove_prefix(count);
    used += count;
    if (used < kBlock)
      continue;
    addBlock(hash, block.data());
    used = 0;
  }
}

std::string Sha256::finish() {
  const uint64_t bits = size * 8;
  std::string end(1, '\x80');
  end.resize((used + 1 + 8 + kBlock - 1) / kBlock * kBlock - 8 - used);
  for (int shift = 56; shift >= 0; shift -= 8)
    end += char(bits >> shift & 0xff);
  add(end);
  std::string digits;
  for (uint32_t word : hash)
    digits += fmt::format("{:08x}", word);
  return digits;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.finish();
}

} // namespace tamrt
