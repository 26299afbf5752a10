//===- ToolInput.cpp - a module, and data to run it on ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolInput.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;
using namespace tamc::reference;

ToolInput::ToolInput(MLIRContext &context)
    : context(context), handler(sources, &context) {}

LogicalResult ToolInput::read(StringRef modulePath, StringRef dataPath) {
  std::string error;
  std::optional<DataFile> known = readDataFile(dataPath, error);
  if (!known) {
    llvm::errs() << error << "\n";
    return failure();
  }
  data = std::move(*known);
  auto text = openInputFile(modulePath, &error);
  if (!text) {
    llvm::errs() << "error: " << error << "\n";
    return failure();
  }
  sources.AddNewSourceBuffer(std::move(text), {});
  module = parseSourceFile<ModuleOp>(sources, &context);
  return success(static_cast<bool>(module));
}
