//===- io/Sha256.h - SHA-256 ------------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hash of specs and surveys.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_SHA256_H
#define TAMRT_IO_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamrt {

/// The SHA-256 (FIPS 180-4) of a text that comes in pieces.
class Sha256 {
public:
  void add(std::string_view text);

  /// The hash of all pieces, as 64 lower-case hexadecimal digits. To be called
  /// once.
  std::string finish();

private:
  static constexpr size_t kBlock = 64;

  /// Bits of the square roots of the first primes.
  std::array<uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                  0xa54ff53a, 0x510e527f, 0x9b05688c,
                                  0x1f83d9ab, 0x5be0cd19};
  uint64_t size = 0;
  /// The bytes behind the last whole block.
  std::array<char, kBlock> block;
  size_t used = 0;
};

/// The SHA-256 of a text.
std::string sha256(std::string_view text);

} // namespace tamrt

#endif // TAMRT_IO_SHA256_H
