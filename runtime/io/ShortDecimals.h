//===- io/ShortDecimals.h - many numbers of few digits ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses fields of up to 8 bytes after the sign, several at a time.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_SHORTDECIMALS_H
#define TAMRT_IO_SHORTDECIMALS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamrt {

/// Fields of a column, without their signs.
struct ShortFields {
  static constexpr size_t kMaxCount = 64;

  /// Field `i`; 9 bytes from `text` on are read, whatever its length.
  void set(size_t i, const char *text, size_t length) {
    const auto negative = uint64_t(*text == '-');
    std::memcpy(words + i, text + negative, sizeof *words);
    lengths[i] = length - negative;
    signs[i] = negative << 63;
  }

  /// The first eight bytes, the number of bytes, and the sign bit.
  alignas(64) uint64_t words[kMaxCount];
  alignas(64) uint64_t lengths[kMaxCount];
  alignas(64) uint64_t signs[kMaxCount];
};

/// Whether this machine has the instructions for parseShortDecimals.
bool hasShortDecimals();

/// Parses the first `count` fields, a multiple of four, with the same bits as
/// parseShortDecimal. Returns a bit for each field that is not of up to eight
/// digits and a point; its number is undefined.
uint64_t parseShortDecimals(const ShortFields &fields, size_t count,
                            double *out);

} // namespace tamrt

#endif // TAMRT_IO_SHORTDECIMALS_H
