//===- LaunchTable.cpp - steps of many launches as data ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTable.h"

#include "Steps.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

using namespace mlir;
using namespace tamc;
using tam::SlotKind;
using tamk::ParameterKind;

/// An operand of a table.
static int64_t inSpace(tamrt_space space, int64_t number) {
  return number * TAMRT_SPACES + space;
}

/// The operand of an argument of a step.
static int64_t inSlot(tam::SlotAttr slot) {
  int64_t offset = slot.getOffset();
  constexpr auto kPointer = int64_t(sizeof(void *));
  switch (slot.getKind()) {
  case SlotKind::Rows:
    return inSpace(TAMRT_SPACE_ROWS, 0);
  case SlotKind::First:
    return inSpace(TAMRT_SPACE_FIRST, 0);
  case SlotKind::GroupRows:
    return inSpace(TAMRT_SPACE_GROUP_ROWS, 0);
  case SlotKind::Column:
    return inSpace(TAMRT_SPACE_COLUMNS, offset * kPointer);
  case SlotKind::Table:
    return inSpace(TAMRT_SPACE_TABLES, offset * kPointer);
  case SlotKind::Parameters:
    return inSpace(TAMRT_SPACE_PARAMETERS, offset);
  case SlotKind::Coefficients:
    return inSpace(TAMRT_SPACE_COEFFICIENTS, offset);
  case SlotKind::State:
    return inSpace(TAMRT_SPACE_STATE, offset);
  case SlotKind::Carry:
    return inSpace(TAMRT_SPACE_CARRY, offset);
  case SlotKind::Output:
    return inSpace(TAMRT_SPACE_OUTPUT, offset);
  case SlotKind::Arena:
  case SlotKind::Capacity:
  case SlotKind::Inference:
  case SlotKind::System:
    break;
  }
  llvm_unreachable("no launch has the whole arena or a capacity");
}

int64_t LaunchEncoder::literal(int64_t bits) {
  auto [entry, isNew] = literals.try_emplace(bits, literals.size());
  return inSpace(TAMRT_SPACE_LITERALS,
                 entry->second * int64_t(sizeof(int64_t)));
}

FailureOr<int64_t> LaunchEncoder::operand(Value value) {
  while (auto castOp = value.getDefiningOp<memref::CastOp>())
    value = castOp.getSource();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    FailureOr<tam::SlotAttr> slot = getSlot(argument);
    if (failed(slot))
      return failure();
    if (slot->getKind() == SlotKind::Arena)
      return emitError(argument.getLoc(), "expected no use of the arena but by "
                                          "views");
    return inSlot(*slot);
  }
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    auto arena = dyn_cast<BlockArgument>(view.getSource());
    FailureOr<tam::SlotAttr> slot = failure();
    if (arena)
      slot = getSlot(arena);
    if (failed(slot) || slot->getKind() != SlotKind::Arena)
      return view.emitOpError("expected a view of the arena");
    return inSpace(TAMRT_SPACE_ARENA,
                   views.lookup(view) * int64_t(sizeof(int64_t)));
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return inSpace(TAMRT_SPACE_CONSTANTS, constants.lookup(global.getName()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      return literal(int64_t(real.getValue().bitcastToAPInt().getZExtValue()));
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
      int64_t number = integer.getInt();
      if (int64_t(uint64_t(number) * TAMRT_SPACES) / TAMRT_SPACES == number)
        return inSpace(TAMRT_SPACE_NUMBER, number);
      return literal(number);
    }
  }
  return emitStepOpError(op);
}

LogicalResult LaunchEncoder::append(ValueRange values) {
  for (Value value : values) {
    FailureOr<int64_t> encoded = operand(value);
    if (failed(encoded))
      return failure();
    step.code.push_back(*encoded);
  }
  return success();
}

LogicalResult LaunchEncoder::encode(tamk::LaunchOp launch) {
  size_t start = step.code.size();
  step.code.append({0, 0});
  int64_t kernelNumber, arguments = 0, listed = 0;
  if (launch.getGenerated()) {
    FailureOr<LLVM::LLVMFuncOp> kernel = getGeneratedKernel(launch);
    if (failed(kernel))
      return failure();
    auto [entry, isNew] = generated.try_emplace(*kernel, generated.size());
    kernelNumber = -1 - entry->second;
    arguments = launch->getNumOperands();
    if (failed(append(launch->getOperands())))
      return failure();
  } else {
    const tamk::Kernel &kernel = *tamk::lookupKernel(launch.getKernel());
    kernelNumber = kernel.position;
    ArrayRef<int32_t> absent =
        launch.getAbsent() ? *launch.getAbsent() : ArrayRef<int32_t>();
    auto inputs = launch.getInputs();
    for (auto [position, parameter] : llvm::enumerate(kernel.inputs())) {
      ++arguments;
      size_t count = 1;
      if (llvm::is_contained(absent, static_cast<int32_t>(position))) {
        step.code.push_back(inSpace(TAMRT_SPACE_NUMBER, 0));
        continue;
      }
      if (parameter.kind == ParameterKind::InList) {
        ++arguments;
        count = inputs.size();
        listed = int64_t(count);
        step.code.push_back(inSpace(TAMRT_SPACE_LIST, listed));
      }
      if (failed(append(inputs.take_front(count))))
        return failure();
      inputs = inputs.drop_front(count);
    }
    arguments += int64_t(launch.getScalars().size() + launch.getInits().size());
    if (failed(append(launch.getScalars())) ||
        failed(append(launch.getInits())))
      return failure();
  }
  step.code[start] = kernelNumber;
  step.code[start + 1] = arguments;
  step.scratch = std::max(step.scratch, arguments + listed);
  ++step.launches;
  return success();
}

FailureOr<EncodedStep> LaunchEncoder::encode(func::FuncOp function) {
  step = {};
  views.clear();
  for (BlockArgument argument : function.getArguments())
    if (!argument.use_empty() && failed(getSlot(argument)))
      return failure();
  for (Operation &op : function.getBody().front()) {
    if (isa<memref::ViewOp>(op))
      views.try_emplace(&op, views.size());
    else if (auto launch = dyn_cast<tamk::LaunchOp>(op)) {
      if (failed(encode(launch)))
        return failure();
    } else if (!isa<arith::ConstantOp, memref::GetGlobalOp, memref::CastOp,
                    func::ReturnOp>(op)) {
      return emitStepOpError(&op);
    }
  }
  return std::move(step);
}
