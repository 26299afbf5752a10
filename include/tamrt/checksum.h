//===- tamrt/checksum.h - the checksum that a file holds --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The CRC-32 of a file, which the file holds as "crc32:89abcdef": that of the
/// whole file with zeros in place of its eight digits. Files of weights,
/// snapshots of memory and saved modules have one. Shared by the executable,
/// the library for embedding, the compiler and the planner; nothing here
/// allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CHECKSUM_H
#define TAMRT_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tamrt {

/// The CRC-32 of zlib, PNG and Ethernet: polynomial 0x04c11db7, bits reflected.
/// `crc` is that of the bytes before. About a byte per cycle.
uint32_t crc32(std::string_view bytes, uint32_t crc = 0);

/// The text of a checksum that is still to be found, and its length.
inline constexpr std::string_view kNoChecksum = "crc32:00000000";

/// The text of a checksum, without a 0 behind it.
struct ChecksumText {
  char text[kNoChecksum.size()];
  std::string_view view() const { return {text, sizeof text}; }
};

/// The checksum of `file`, in which the text of one begins at `place`.
ChecksumText checksumOf(std::string_view file, size_t place);

/// Where `file` holds `checksum` as a JSON string without escapes; none if it
/// does not, or if that is the text of no checksum.
std::optional<size_t> findChecksum(std::string_view file,
                                   std::string_view checksum);

} // namespace tamrt

#endif // TAMRT_CHECKSUM_H
