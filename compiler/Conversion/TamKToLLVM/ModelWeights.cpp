//===- ModelWeights.cpp - weights in a library's module -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Conversion/TamKToLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <cassert>

using namespace mlir;
using namespace tamc;

void tamc::addWeights(ModuleOp module, llvm::StringRef prefix,
                      llvm::StringRef weights) {
  OpBuilder builder(module.getBodyRegion());
  builder.setInsertionPointToEnd(module.getBody());
  const Location loc = module.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type size = builder.getI64Type(), status = builder.getI32Type();
  const std::string constant = (prefix + "_weights").str();
  LLVM::GlobalOp::create(
      builder, loc,
      LLVM::LLVMArrayType::get(builder.getI8Type(), weights.size()),
      /*isConstant=*/true, LLVM::Linkage::External, constant,
      builder.getStringAttr(weights), /*alignment=*/sizeof(double));

  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, (prefix + "_forecast").str(),
      LLVM::LLVMFunctionType::get(status,
                                  {pointer, pointer, size, pointer, pointer}));
  OpBuilder body(module.getContext());
  body.setInsertionPointToEnd(function.addEntryBlock(body));
  SmallVector<Value> arguments(function.getArguments());
  const Value inserted[] = {
      LLVM::AddressOfOp::create(body, loc, pointer, constant),
      LLVM::ConstantOp::create(body, loc, size, int64_t(weights.size()))};
  arguments.insert(arguments.begin() + 1, std::begin(inserted),
                   std::end(inserted));
  auto predict =
      module.lookupSymbol<LLVM::LLVMFuncOp>((prefix + "_predict").str());
  assert(predict && "expected a library");
  auto call = LLVM::CallOp::create(body, loc, predict, arguments);
  LLVM::ReturnOp::create(body, loc, call.getResult());
}
