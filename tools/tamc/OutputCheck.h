//===- OutputCheck.h - outputs that would replace files ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TOOLS_TAMC_OUTPUTCHECK_H
#define TAMC_TOOLS_TAMC_OUTPUTCHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tamc {

/// The error if one of `outputs` would replace one of `inputs`, the compiler,
/// or another output. "-" is a standard stream, "" no file.
std::optional<std::string> findConflict(llvm::ArrayRef<std::string> inputs,
                                        llvm::ArrayRef<std::string> outputs,
                                        llvm::StringRef executable);

/// Paths of a library.
struct LibraryPaths {
  std::string archive, header;
};

/// Those of a library with a prefix. A folder gets libPREFIX.a and PREFIX.h.
/// The header of an archive is beside it and has its name without `lib`.
LibraryPaths libraryPaths(llvm::StringRef output, llvm::StringRef prefix);

/// Writes what stdout has buffered. The error if it cannot be written, for
/// example because the disk is full: otherwise LLVM would report a crash when
/// the stream is destroyed.
std::optional<std::string> flushOutput();

} // namespace tamc

#endif // TAMC_TOOLS_TAMC_OUTPUTCHECK_H
