//===- ToolInput.h - a module, and data to run it on ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_TOOLINPUT_H
#define TAMC_TEST_REFERENCE_TOOLINPUT_H

#include "DataFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace tamc::reference {

/// What tam-interpret and tam-drive read. As long as it lives, diagnostics of
/// the context are printed to stderr, with the lines of the module's file.
class ToolInput {
public:
  explicit ToolInput(mlir::MLIRContext &context);

  /// Reads the files at these paths, `-` for stdin. Prints an error if that
  /// fails.
  llvm::LogicalResult read(llvm::StringRef modulePath,
                           llvm::StringRef dataPath);

  /// What has been read.
  mlir::ModuleOp getModule() { return *module; }
  const DataFile &getData() const { return data; }

private:
  mlir::MLIRContext &context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  DataFile data;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_TOOLINPUT_H
