//===- tamrt/decompressor.h - compressed bytes to plain ones ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decompresses gzip and zstd, some bytes at a time. A decompressor allocates
/// its memory when it is made, and no more. The runtime and tam-plan use it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_DECOMPRESSOR_H
#define TAMRT_DECOMPRESSOR_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tamrt {

enum class Compression { None, Gzip, Zstd };
inline constexpr Compression kCompressions[] = {Compression::Gzip,
                                                Compression::Zstd};

/// Bytes at the start of a file from which its compression is known.
inline constexpr size_t kMagicBytes = 4;

/// The compression of a file that starts with `bytes`: its first kMagicBytes,
/// or all if it has less.
Compression compressionOf(std::string_view bytes);

/// "gzip", "zstd".
std::string_view nameOf(Compression compression);

/// A file as a sequence of members (gzip) or frames (zstd), which follow one
/// another without gaps. Zero bytes after the last member of gzip are padding.
class Decompressor {
public:
  struct Step {
    /// Bytes of the input and of the output that were used.
    size_t read = 0, written = 0;
    /// Why the data is not valid, or no memory; empty: it is.
    std::string fault;
  };

  virtual ~Decompressor() = default;

  /// Continues with `in`, the next bytes of the file. Neither reads nor writes
  /// only if it needs more of `in`, or if there is no room.
  virtual Step step(std::string_view in, char *out, size_t room) = 0;

  /// Whether the bytes so far are complete: the file may end here.
  virtual bool mayEnd() const = 0;

  /// Starts again with the first byte of a file.
  virtual void restart() = 0;
};

/// Upper bound, in bytes, on the memory of a decompressor: for zstd that of the
/// largest window it accepts, 8 MiB, which is the largest of `zstd -19`.
inline constexpr size_t kGzipBytes = size_t(64) << 10;
inline constexpr size_t kZstdBytes = size_t(9) << 20;

/// A decompressor; null if there is no memory.
std::unique_ptr<Decompressor> makeGzipDecompressor();
std::unique_ptr<Decompressor> makeZstdDecompressor();

/// The same by name. Null also if the runtime was built without decompressors
/// (canDecompress).
std::unique_ptr<Decompressor> makeDecompressor(Compression compression);
bool canDecompress();

} // namespace tamrt

#endif // TAMRT_DECOMPRESSOR_H
