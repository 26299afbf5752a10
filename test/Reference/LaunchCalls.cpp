//===- LaunchCalls.cpp - launches as calls of C functions -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCalls.h"

#include "tamc/Dialect/TamK/IR/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

void LaunchCalls::replaceLaunches() {
  if (ModuleOp loops = tamk::findRowLoops(module)) {
    for (Operation &op : llvm::make_early_inc_range(*loops.getBody()))
      op.moveBefore(loops);
    loops.erase();
  }
  module.walk([&](Operation *op) {
    b.setInsertionPoint(op);
    if (auto launch = dyn_cast<tamk::LaunchOp>(op)) {
      launch.getGenerated() ? callLoop(launch) : callKernel(launch);
      op->erase();
    } else if (auto launder = dyn_cast<tamk::LaunderOp>(op)) {
      launder.replaceAllUsesWith(launder.getBuffer());
      op->erase();
    }
  });
  // Notes for tamc's own lowering.
  module.walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      op->removeDiscardableAttr(attribute.getName());
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.removeArgAttrsAttr();
  });
}

void LaunchCalls::call(StringRef name, ValueRange arguments) {
  LLVM::CallOp::create(b, module.getLoc(), declare(name, arguments.getTypes()),
                       arguments);
}

Value LaunchCalls::integer(Value index) {
  return arith::IndexCastOp::create(b, index.getLoc(), b.getI64Type(), index);
}

Value LaunchCalls::addressOf(Value buffer) {
  Location loc = buffer.getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  if (!type.getLayout().isIdentity()) {
    auto parts = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Value size = arith::ConstantIndexOp::create(
        b, loc, type.getElementTypeBitWidth() / 8);
    Value bytes = arith::MulIOp::create(b, loc, parts.getOffset(), size);
    address = arith::AddIOp::create(b, loc, address, bytes);
  }
  return LLVM::IntToPtrOp::create(b, loc, pointer, integer(address));
}

LLVM::LLVMFuncOp LaunchCalls::declare(StringRef name, TypeRange arguments,
                                      Type result) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  if (!result)
    result = LLVM::LLVMVoidType::get(b.getContext());
  return LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments)));
}

void LaunchCalls::callLoop(tamk::LaunchOp launch) {
  auto loop = module.lookupSymbol<func::FuncOp>(launch.getKernel());
  SmallVector<Value> arguments;
  for (auto [value, type] :
       llvm::zip_equal(launch->getOperands(), loop.getArgumentTypes()))
    arguments.push_back(value.getType() == type
                            ? value
                            : memref::CastOp::create(b, launch.getLoc(),
                                                     cast<MemRefType>(type),
                                                     value));
  func::CallOp::create(b, launch.getLoc(), loop, arguments);
}

void LaunchCalls::callKernel(tamk::LaunchOp launch) {
  Location loc = launch.getLoc();
  SmallVector<Value> arguments{
      LLVM::CallOp::create(b, loc, declare("tam_driven_context", {}, pointer),
                           ValueRange())
          .getResult()};
  ValueRange operands = launch->getOperands();
  auto absent = launch.getAbsent().value_or(ArrayRef<int32_t>());
  const tamk::Kernel &kernel = *tamk::lookupKernel(launch.getKernel());
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
    if (parameter.kind == tamk::ParameterKind::InList) {
      // After all other inputs.
      size_t count = launch.getInputs().size() + absent.size() - index;
      addList(operands.take_front(count), arguments);
      operands = operands.drop_front(count);
      continue;
    }
    if (llvm::is_contained(absent, static_cast<int32_t>(index)) &&
        parameter.kind == tamk::ParameterKind::InOptional) {
      arguments.push_back(LLVM::ZeroOp::create(b, loc, pointer));
      continue;
    }
    Value value = operands.front();
    operands = operands.drop_front();
    arguments.push_back(isa<MemRefType>(value.getType()) ? addressOf(value)
                        : value.getType().isIndex()      ? integer(value)
                                                         : value);
  }
  call(("tamrt_" + kernel.name).str(), arguments);
}

void LaunchCalls::addList(ValueRange buffers,
                          SmallVectorImpl<Value> &arguments) {
  Location loc = module.getLoc();
  auto number = [&](size_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                    static_cast<int64_t>(value));
  };
  Value list = LLVM::AllocaOp::create(b, loc, pointer, pointer,
                                      number(buffers.size() + 1));
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Value place = LLVM::GEPOp::create(b, loc, pointer, pointer, list,
                                      ValueRange(number(index)));
    LLVM::StoreOp::create(b, loc, addressOf(buffer), place);
  }
  arguments.append({list, number(buffers.size())});
}
