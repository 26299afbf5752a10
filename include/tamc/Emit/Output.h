//===- Output.h - atomic output files ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_OUTPUT_H
#define TAMC_EMIT_OUTPUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tamc {

/// A file to be written.
struct OutputFile {
  llvm::StringRef path, bytes;
};

/// Writes files that belong together. Regular files are written completely or
/// not at all: the bytes go to temporary files beside them, which are renamed
/// once all bytes are written. Until then the files stay as they were. Anything
/// else that exists at a path (a device, a pipe) is written to directly, before
/// files are renamed, and stays what it is. `mode` is the files' mode before
/// the umask. Errors name the path and the cause.
llvm::Error writeOutputs(llvm::ArrayRef<OutputFile> files,
                         unsigned mode = 0666);

} // namespace tamc

#endif // TAMC_EMIT_OUTPUT_H
