//===- io/InputFile.h - a file to read, perhaps compressed ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a file from its start, and perhaps again. gzip and zstd, detected by
/// their first bytes, are decompressed meanwhile.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_INPUTFILE_H
#define TAMRT_IO_INPUTFILE_H

#include "io/Error.h"
#include "tamrt/decompressor.h"

#include <cstddef>
#include <memory>
#include <string>
#include <sys/types.h>

namespace tamrt {

/// Bytes of memory to read a file of that compression: the decompressor's and
/// those of a buffer. O(1).
size_t decompressionBytes(Compression compression);

/// An open file, with the position in it.
class InputFile {
public:
  /// Opens `path` ("-": standard input).
  ///
  /// Errors, all of which start with the path: the system's; no memory; data in
  /// a compression that this build of the runtime cannot read.
  static Result<InputFile> open(const std::string &path);

  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;
  ~InputFile();

  /// Name of the file in messages.
  const std::string &path() const { return name; }
  /// Whether it is a regular file, which has an end and can be read twice.
  bool isRegular() const { return regular; }
  /// Bytes of the data; 0 if unknown, as for a pipe and a compressed file.
  size_t bytes() const {
    return compression == Compression::None ? fileBytes : 0;
  }

  /// Reads at most `size` bytes of the data to `at`; none at the end alone.
  /// Errors: the system's; data that is not valid, or ends too early, with the
  /// byte of the file.
  Result<size_t> read(char *at, size_t size);

  /// Continues at a byte of the data that was read before. Errors: a file that
  /// is not regular; those of `read`.
  Status rewind(size_t offset);

private:
  InputFile() = default;
  Result<size_t> readFile(char *at, size_t size);
  Result<size_t> readCompressed(char *at, size_t size);
  Status findCompression();
  Error failure(const char *action) const;
  void close();

  std::string name;
  int descriptor = -1;
  bool owned = false, regular = false;
  /// Bytes of the file; its offset when it was opened.
  size_t fileBytes = 0;
  off_t start = 0;
  /// Bytes that were read to find the compression, and how many of them were
  /// used.
  char magic[kMagicBytes];
  size_t magicBytes = 0, magicUsed = 0;

  Compression compression = Compression::None;
  std::unique_ptr<Decompressor> decompressor;
  /// Compressed bytes: [used, filled) are the next ones. `consumed` is the
  /// number of bytes of the file before `used`.
  std::unique_ptr<char[]> buffer;
  size_t used = 0, filled = 0, consumed = 0;
};

} // namespace tamrt

#endif // TAMRT_IO_INPUTFILE_H
