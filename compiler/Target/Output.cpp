//===- Output.cpp - files that appear whole or not at all -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/Output.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static Error failure(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

/// Writes all bytes and closes; every error is kept.
static std::error_code writeAll(raw_fd_ostream &out, StringRef bytes) {
  out << bytes;
  out.close();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

Error tamc::writeOutput(StringRef path, StringRef bytes, unsigned mode) {
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status);
  if (exists && sys::fs::is_directory(status))
    return failure(path, std::make_error_code(std::errc::is_a_directory));
  if (exists && !sys::fs::is_regular_file(status)) {
    std::error_code code;
    raw_fd_ostream out(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                       sys::fs::OF_None);
    if (!code)
      code = writeAll(out, bytes);
    return code ? failure(path, code) : Error::success();
  }

  SmallString<256> temporary;
  int descriptor = -1;
  if (std::error_code code =
          sys::fs::createUniqueFile(path + ".%%%%%%%%.tmp", descriptor,
                                    temporary, sys::fs::OF_None, mode))
    return failure(path, code);
  FileRemover remove(temporary);
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  if (std::error_code code = writeAll(out, bytes))
    return failure(path, code);
  if (std::error_code code = sys::fs::rename(temporary, path))
    return failure(path, code);
  remove.releaseFile();
  return Error::success();
}
