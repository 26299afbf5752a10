//===- Output.h - atomic output files ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_OUTPUT_H
#define TAMC_EMIT_OUTPUT_H

#include "llvm/Support/Error.h"

namespace tamc {

/// Writes a file. A regular file is written completely or not at all: the bytes
/// go to a temporary file beside it, which is then renamed. Anything else that
/// exists at `path` (a device, a pipe) is written to directly and stays what it
/// is. `mode` is the file's mode before the umask. Errors name the path and the
/// cause.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef bytes,
                        unsigned mode = 0666);

} // namespace tamc

#endif // TAMC_EMIT_OUTPUT_H
