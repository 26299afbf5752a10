//===- Cpp.cpp - a planned model as C++ source ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/Cpp.h"

#include "tamc/Conversion/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/Cpp/CppEmitter.h"

using namespace mlir;

LogicalResult tamc::emitCpp(ModuleOp module, llvm::StringRef version,
                            llvm::raw_ostream &out) {
  PassManager manager(module.getContext());
  ConvertTamKToEmitCOptions options;
  options.version = version.str();
  manager.addPass(createConvertTamKToEmitC(options));
  if (failed(manager.run(module)))
    return failure();
  return emitc::translateToCpp(module, out);
}
