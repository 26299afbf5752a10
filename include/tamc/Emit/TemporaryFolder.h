//===- TemporaryFolder.h - temporary folders --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_TEMPORARYFOLDER_H
#define TAMC_EMIT_TEMPORARYFOLDER_H

#include "llvm/Support/Error.h"

#include <string>

namespace tamc {

/// A folder for temporary files, without folders in it. It is removed with its
/// contents when the object is destroyed and when a signal ends the process, so
/// that a child process that is still running leaves no file either. There is
/// at most one such folder at a time.
class TemporaryFolder {
public:
  /// Makes one in the system's folder for temporary files. The error names that
  /// folder.
  static llvm::Expected<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  /// The path of a file in it, which need not exist yet.
  std::string at(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path;
};

/// From this call on, each signal that ends the process, except SIGKILL, first
/// removes the temporary folder and unfinished files of `writeOutputs`, and
/// then has its former effect. Only for a program's main, after llvm::InitLLVM.
void removeTemporariesOnSignals();

} // namespace tamc

#endif // TAMC_EMIT_TEMPORARYFOLDER_H
