//===- Output.cpp - atomic output files -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Output.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static Error writeError(StringRef path, std::error_code code) {
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
    return writeError(path, std::make_error_code(std::errc::is_a_directory));
  if (exists && !sys::fs::is_regular_file(status)) {
    std::error_code code;
    raw_fd_ostream out(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                       sys::fs::OF_None);
    if (!code)
      code = writeAll(out, bytes);
    return code ? writeError(path, code) : Error::success();
  }

  // A link stays a link: the file that it points to is replaced.
  SmallString<256> target(path);
  if (exists)
    if (std::error_code code = sys::fs::real_path(path, target))
      return writeError(path, code);
  // Also removed when a signal ends the process.
  Expected<sys::fs::TempFile> temporary =
      sys::fs::TempFile::create(target + ".%%%%%%%%.tmp", mode);
  if (!temporary)
    return writeError(path, errorToErrorCode(temporary.takeError()));
  raw_fd_ostream out(temporary->FD, /*shouldClose=*/false);
  out << bytes;
  out.flush();
  if (std::error_code code = out.error()) {
    out.clear_error();
    consumeError(temporary->discard());
    return writeError(path, code);
  }
  if (Error error = temporary->keep(target))
    return writeError(path, errorToErrorCode(std::move(error)));
  return Error::success();
}
