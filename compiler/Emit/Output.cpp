//===- Output.cpp - atomic output files -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Output.h"

#include "tamrt/signals.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

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

namespace {

/// Temporary files beside the files that they will replace.
class Unfinished {
public:
  Unfinished() = default;
  Unfinished(const Unfinished &) = delete;
  Unfinished &operator=(const Unfinished &) = delete;
  ~Unfinished() {
    for (Entry &entry : entries)
      consumeError(entry.file.discard());
  }

  /// Writes a temporary file for a regular file, or one that does not exist.
  Error add(StringRef path, bool exists, StringRef bytes, unsigned mode) {
    // A link stays a link: the file that it points to is replaced.
    SmallString<256> target(path);
    if (exists)
      if (std::error_code code = sys::fs::real_path(path, target))
        return writeError(path, code);
    // Also removed when a signal ends the process: none comes between its
    // creation and its listing for that.
    auto temporary = [&] {
      const tamrt::AllSignalsBlocked blocked;
      return sys::fs::TempFile::create(target + ".%%%%%%%%.tmp", mode);
    }();
    if (!temporary)
      return writeError(path, errorToErrorCode(temporary.takeError()));
    raw_fd_ostream out(temporary->FD, /*shouldClose=*/false);
    entries.push_back({path, std::string(target), std::move(*temporary)});
    out << bytes;
    out.flush();
    std::error_code code = out.error();
    out.clear_error();
    return code ? writeError(path, code) : Error::success();
  }

  /// Replaces all files. No signal comes between two of them.
  Error keep() {
    const tamrt::AllSignalsBlocked blocked;
    for (Entry &entry : entries)
      if (Error error = entry.file.keep(entry.target))
        return writeError(entry.path, errorToErrorCode(std::move(error)));
    return Error::success();
  }

private:
  struct Entry {
    StringRef path;
    std::string target;
    sys::fs::TempFile file;
  };
  std::vector<Entry> entries;
};

} // namespace

Error tamc::writeOutputs(ArrayRef<OutputFile> files, unsigned mode) {
  Unfinished unfinished;
  std::vector<const OutputFile *> direct;
  for (const OutputFile &file : files) {
    sys::fs::file_status status;
    const bool exists = !sys::fs::status(file.path, status);
    if (exists && sys::fs::is_directory(status))
      return writeError(file.path,
                        std::make_error_code(std::errc::is_a_directory));
    if (exists && !sys::fs::is_regular_file(status))
      direct.push_back(&file);
    else if (Error error = unfinished.add(file.path, exists, file.bytes, mode))
      return error;
  }
  for (const OutputFile *file : direct) {
    std::error_code code;
    raw_fd_ostream out(file->path, code, sys::fs::CD_OpenExisting,
                       sys::fs::FA_Write, sys::fs::OF_None);
    if (!code)
      code = writeAll(out, file->bytes);
    if (code)
      return writeError(file->path, code);
  }
  return unfinished.keep();
}
