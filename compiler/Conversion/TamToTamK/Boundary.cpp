//===- Boundary.cpp - a step's arguments and results as memrefs -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TamToTamK.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tamc;
using tam::SlotAttr;
using tam::SlotKind;

/// The plain type of the contents of a slot.
static FailureOr<RankedTensorType> plainType(func::FuncOp step, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  tam::EncodingInterface encoding = tam::getEncoding(type);
  if (!encoding)
    return tensor;
  SmallVector<RankedTensorType> parts = encoding.getComponentTypes(tensor);
  if (parts.size() != 1)
    return step.emitOpError("expected a slot of one component, got ") << type;
  return parts.front();
}

static MemRefType memrefOf(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// `value` with the type `type`: itself, or a cast that disappears when the ops
/// around it are converted.
static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

LogicalResult tamc::convertBoundary(func::FuncOp step) {
  Block &body = step.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  OpBuilder builder(step.getContext());
  SmallVector<SlotAttr> slots;
  DenseMap<SlotAttr, Value> memrefs;

  DenseSet<Attribute> written;
  for (unsigned i = 0; i < step.getNumResults(); ++i) {
    SlotAttr slot = tam::getResultSlot(step, i);
    if (!slot)
      return step.emitOpError("expected a slot of result ") << i;
    written.insert(slot);
  }

  for (BlockArgument argument : body.getArguments()) {
    SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
    if (!slot)
      return step.emitOpError("expected a slot of argument ")
             << argument.getArgNumber();
    slots.push_back(slot);
    if (argument.getType().isIndex())
      continue;
    FailureOr<RankedTensorType> plain = plainType(step, argument.getType());
    if (failed(plain))
      return failure();
    Type type = argument.getType();
    Location loc = argument.getLoc();
    argument.setType(memrefOf(*plain));
    memrefs[slot] = argument;
    if (argument.use_empty())
      continue;
    builder.setInsertionPointToStart(&body);
    auto tensor = bufferization::ToTensorOp::create(
        builder, loc, *plain, argument, /*restrict=*/true,
        /*writable=*/written.contains(slot));
    Value value = castTo(builder, loc, tensor, type);
    argument.replaceAllUsesExcept(value, tensor);
  }

  builder.setInsertionPoint(ret);
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    SlotAttr slot = tam::getResultSlot(step, index);
    FailureOr<RankedTensorType> plain = plainType(step, value.getType());
    if (failed(plain))
      return failure();
    Value &memref = memrefs[slot];
    if (!memref) {
      memref = body.addArgument(memrefOf(*plain), value.getLoc());
      slots.push_back(slot);
    } else if (memref.getType() != memrefOf(*plain)) {
      return step.emitOpError("expected one type in slot ")
             << slot << ", got " << memref.getType() << " and "
             << memrefOf(*plain);
    }
    Value tensor = castTo(builder, value.getLoc(), value, *plain);
    bufferization::MaterializeInDestinationOp::create(
        builder, value.getLoc(), /*result=*/Type(), tensor, memref,
        /*restrict=*/true, /*writable=*/true);
  }
  ret.getOperandsMutable().clear();
  step.setType(builder.getFunctionType(body.getArgumentTypes(), TypeRange()));
  step.removeResAttrsAttr();
  tam::setArgumentSlots(step, slots);
  return success();
}
