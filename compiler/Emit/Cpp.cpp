//===- Cpp.cpp - a planned model as C++ source ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Cpp.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/Cpp/CppEmitter.h"

using namespace mlir;
using namespace tamc;

LogicalResult tamc::emitCpp(ModuleOp module, llvm::StringRef version,
                            llvm::StringRef prefix, llvm::raw_ostream &out) {
  PassManager manager(module.getContext());
  ConvertTamKToEmitCOptions options;
  options.version = version.str();
  options.prefix = prefix.str();
  manager.addPass(createConvertTamKToEmitC(options));
  if (failed(manager.run(module)))
    return failure();
  return emitc::translateToCpp(module, out);
}

bool tamc::hasGeneratedKernels(ModuleOp module) {
  return static_cast<bool>(tamk::findRowLoops(module));
}

LogicalResult tamc::emitGeneratedKernels(ModuleOp module,
                                         llvm::StringRef prefix,
                                         const CodeOptions &code,
                                         llvm::raw_pwrite_stream &out) {
  OwningOpRef<ModuleOp> kernels = module.clone();
  tam::removeModel(*kernels);
  SmallVector<std::string> names;
  for (Operation &op : llvm::make_early_inc_range(*kernels->getBody()))
    if (!tamk::isRowLoops(&op))
      op.erase();
  for (auto loop : tamk::findRowLoops(*kernels).getOps<func::FuncOp>())
    if (loop->hasAttr(tamk::kKernelAttrName))
      names.push_back(loop.getName().str());
  PassManager manager(module.getContext());
  manager.addPass(createConvertTamKToLLVM());
  if (failed(manager.run(*kernels)))
    return failure();
  for (const std::string &name : names) {
    auto kernel = kernels->lookupSymbol<LLVM::LLVMFuncOp>(name);
    kernel.setLinkage(LLVM::Linkage::External);
    kernel.setName(tamk::symbolOf(prefix, name));
  }
  return LogicalResult(emitCode(*kernels, CodeKind::Object, code, out));
}
