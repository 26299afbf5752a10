//===- KernelCalls.cpp - declarations of the runtime's kernels ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tamc;
using tamk::ElementType;
using tamk::ParameterKind;

LLVM::LLVMFuncOp tamc::declareKernel(ModuleOp module,
                                     const tamk::Kernel &kernel) {
  std::string symbol = ("tamrt_" + kernel.name).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types{pointer};
  for (const tamk::KernelParameter &parameter : kernel.parameters) {
    if (parameter.kind != ParameterKind::Scalar)
      types.push_back(pointer);
    else if (parameter.type == ElementType::F64)
      types.push_back(builder.getF64Type());
    else
      types.push_back(builder.getI64Type());
    if (parameter.kind == ParameterKind::InList)
      types.push_back(builder.getI64Type());
  }
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), symbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types));
}
