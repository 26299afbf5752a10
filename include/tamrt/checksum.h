//===- tamrt/checksum.h - the checksum that a file holds --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The CRC-32 of a file, stored in it as "crc32:89abcdef". It is the CRC of the
/// whole file with zeros in place of these eight digits. Weights, snapshots of
/// memory and saved modules have one. Shared by the executable, the library for
/// embedding, the compiler and the planner; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CHECKSUM_H
#define TAMRT_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tamrt {

/// The CRC-32 of zlib, PNG and Ethernet: polynomial 0x04c11db7, bits reflected.
/// `crc` is that of the bytes before. Takes about a cycle per byte, on CPUs
/// with carry-less products a tenth of that.
uint32_t crc32(std::string_view bytes, uint32_t crc = 0);

/// What a piece with CRC `crc`, which `after` bytes follow, adds to the CRC of
/// the whole: this is the exclusive or of what its pieces add, in any order.
/// O(log after).
uint32_t shiftCrc32(uint32_t crc, uint64_t after);

/// The text of a checksum that is not computed yet.
inline constexpr std::string_view kNoChecksum = "crc32:00000000";

/// The text of a checksum, without a final 0.
struct ChecksumText {
  char text[kNoChecksum.size()];
  std::string_view view() const { return {text, sizeof text}; }
};

/// The text of the checksum of a file of this CRC, which is that of the file
/// with the text of one that is not computed yet.
ChecksumText textOf(uint32_t crc);

/// The checksum of `file`, whose checksum text begins at `place`.
ChecksumText checksumOf(std::string_view file, size_t place);

/// Writes the checksum of `file`, whose checksum text begins at `place`, there.
void setChecksum(std::span<char> file, size_t place);

/// The offset of `checksum` in `file` as a JSON string without escapes; none if
/// it is not there, or if the text is not a checksum.
std::optional<size_t> findChecksum(std::string_view file,
                                   std::string_view checksum);

} // namespace tamrt

#endif // TAMRT_CHECKSUM_H
