//===- io/ReadFile.h - whole files in memory --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a whole file into memory.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_READFILE_H
#define TAMRT_IO_READFILE_H

#include "io/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tamrt {

/// The bytes of a file, owned, aligned for every scalar type. Files are read,
/// not mapped: with a mapping the process dies if another program truncates the
/// file meanwhile, and reading takes a tenth of the time of parsing.
struct FileBytes {
  std::unique_ptr<char[]> data;
  size_t size = 0;

  std::string_view view() const { return {data.get(), size}; }
};

/// Reads `path`, a regular file or "-", standard input, whole, in O(size).
/// Standard input may be a pipe, too.
///
/// \returns the bytes, or an error that names the path and the system's
///          reason: no such file, a directory, not regular, no permission, no
///          memory, an input error.
Result<FileBytes> readFile(const std::string &path);

} // namespace tamrt

#endif // TAMRT_IO_READFILE_H
