//===- KernelWriter.cpp - emits the code of kernels -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tamc;

KernelWriter::KernelWriter(OpBuilder &builder, Location loc)
    : b(builder), loc(loc),
      pointer(LLVM::LLVMPointerType::get(builder.getContext())),
      f64(builder.getF64Type()), i32(builder.getI32Type()),
      i64(builder.getI64Type()) {}

SmallVector<Value>
KernelWriter::loop(Value end, int64_t step, ValueRange start,
                   function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Block *before = b.getBlock();
  Region *region = before->getParent();
  SmallVector<Type> types{i64};
  llvm::append_range(types, start.getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Block *header = b.createBlock(region, region->end(), types, locs);
  Block *inside = b.createBlock(region, region->end());
  Block *after = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(before);
  SmallVector<Value> first{constant(0)};
  llvm::append_range(first, start);
  LLVM::BrOp::create(b, loc, first, header);
  b.setInsertionPointToEnd(header);
  Value i = header->getArgument(0);
  LLVM::CondBrOp::create(b, loc, isLess(i, end), inside, after);
  b.setInsertionPointToEnd(inside);
  SmallVector<Value> carried = body(i, header->getArguments().drop_front());
  SmallVector<Value> next{add(i, constant(step))};
  llvm::append_range(next, carried);
  LLVM::BrOp::create(b, loc, next, header);
  b.setInsertionPointToEnd(after);
  return llvm::to_vector_of<Value>(header->getArguments().drop_front());
}

void KernelWriter::onlyIf(Value condition, function_ref<void()> body) {
  Block *before = b.getBlock();
  Region *region = before->getParent();
  Block *inside = b.createBlock(region, region->end());
  Block *after = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, inside, after);
  b.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToEnd(after);
}

LLVM::LLVMFunctionType KernelWriter::typeOf(const tamk::Kernel &kernel) const {
  SmallVector<Type> types{pointer};
  for (const tamk::KernelParameter &parameter : kernel.parameters) {
    bool isScalar = parameter.kind == tamk::ParameterKind::Scalar;
    bool isReal = parameter.type == tamk::ElementType::F64;
    types.push_back(!isScalar ? pointer : isReal ? f64 : i64);
  }
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                     types);
}

/// The declaration has the type that kernels.def says: arguments of other types
/// are an error of the call.
void KernelWriter::call(StringRef kernel, ArrayRef<Value> arguments) {
  SmallVector<Value> all{context};
  llvm::append_range(all, arguments);
  std::string symbol = ("tamrt_" + kernel).str();
  const tamk::Kernel *declared = tamk::lookupKernel(kernel);
  assert(declared && "expected a kernel of kernels.def");
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee =
        LLVM::LLVMFuncOp::create(b, module.getLoc(), symbol, typeOf(*declared));
  }
  LLVM::CallOp::create(b, loc, callee, all);
}

LLVM::LLVMFuncOp KernelWriter::startFunction(StringRef name,
                                             ArrayRef<Type> arguments) {
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), arguments);
  auto function =
      LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Internal);
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  return function;
}

Value KernelWriter::scratch(int64_t bytes, int64_t align) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&b.getBlock()->getParent()->front());
  return LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), constant(bytes),
                                align);
}
