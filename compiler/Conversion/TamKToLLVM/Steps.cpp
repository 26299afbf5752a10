//===- Steps.cpp - planned steps ------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "tamc/Dialect/TamK/IR/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tamc;

namespace {

/// Compares two steps op by op. Constants may be anywhere, so each is compared
/// at its use.
class Comparison {
public:
  bool areRungs(func::FuncOp a, func::FuncOp b) {
    if (a.getNumArguments() != b.getNumArguments() ||
        !a.getBody().hasOneBlock() || !b.getBody().hasOneBlock() ||
        a->getAttr(tam::kByLevelsAttrName) !=
            b->getAttr(tam::kByLevelsAttrName) ||
        a->getAttr(tam::kSmallBlocksAttrName) !=
            b->getAttr(tam::kSmallBlocksAttrName) ||
        kindOf(a) != kindOf(b))
      return false;
    for (auto [own, other] : llvm::zip(a.getArguments(), b.getArguments())) {
      if (tam::getArgumentSlot(a, own.getArgNumber()) !=
          tam::getArgumentSlot(b, other.getArgNumber()))
        return false;
      partners[own] = other;
    }
    auto isOther = [](Operation &op) { return !isa<arith::ConstantOp>(op); };
    auto ops = llvm::make_filter_range(a.getBody().front(), isOther);
    auto others = llvm::make_filter_range(b.getBody().front(), isOther);
    auto other = others.begin();
    for (Operation &op : ops) {
      if (other == others.end() || !match(op, *other))
        return false;
      ++other;
    }
    return other == others.end();
  }

private:
  static std::optional<tam::StepKind> kindOf(func::FuncOp step) {
    auto attribute = step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
    return attribute ? std::optional(attribute.getKind()) : std::nullopt;
  }

  bool match(Operation &a, Operation &b) {
    if (a.getName() != b.getName() ||
        a.getNumOperands() != b.getNumOperands() ||
        a.getNumResults() != b.getNumResults() ||
        a.getAttrDictionary() != b.getAttrDictionary())
      return false;
    // The offset of a view may differ, and its size does.
    size_t compared =
        isa<memref::ViewOp>(a) ? size_t(1) : size_t(a.getNumOperands());
    for (size_t i = 0; i < compared; ++i)
      if (!match(a.getOperand(i), b.getOperand(i)))
        return false;
    for (auto [own, other] : llvm::zip(a.getResults(), b.getResults()))
      partners[own] = other;
    return true;
  }

  bool match(Value a, Value b) {
    auto own = a.getDefiningOp<arith::ConstantOp>();
    auto other = b.getDefiningOp<arith::ConstantOp>();
    if (own && other)
      return own.getValue() == other.getValue();
    return partners.lookup(a) == b;
  }

  DenseMap<Value, Value> partners;
};

} // namespace

FailureOr<SmallVector<SmallVector<func::FuncOp>>>
tamc::groupRungs(ModuleOp module) {
  SmallVector<SmallVector<func::FuncOp>> groups;
  for (auto step : module.getOps<func::FuncOp>()) {
    if (auto leader =
            step->getAttrOfType<StringAttr>(tamk::kLaunchesOfAttrName)) {
      if (groups.empty() || groups.back().front().getSymNameAttr() != leader)
        return step.emitOpError("expected to follow the rungs of '")
               << leader.getValue() << "'";
      groups.back().push_back(step);
      continue;
    }
    if (!groups.empty() && Comparison().areRungs(groups.back().front(), step))
      groups.back().push_back(step);
    else
      groups.push_back({step});
  }
  return groups;
}

FailureOr<tam::SlotAttr> tamc::getSlot(BlockArgument argument) {
  auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  tam::SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
  if (!slot)
    return step.emitOpError("expected a slot of argument ")
           << argument.getArgNumber();
  if (slot.getKind() == tam::SlotKind::Capacity)
    return step.emitOpError("expected 'capacity' to be a constant");
  if (tam::getExtraStep(slot.getKind()))
    return step.emitOpError("expected no slot '")
           << tam::stringifySlotKind(slot.getKind()) << "' in a step";
  if (slot.getKind() == tam::SlotKind::Arena && slot.getOffset() != 0)
    return step.emitOpError("expected one memory space");
  return slot;
}

FailureOr<LLVM::LLVMFuncOp> tamc::getGeneratedKernel(tamk::LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel)
    return launch.emitOpError("expected a function of the LLVM dialect '")
           << launch.getKernel() << "'";
  return kernel;
}

LogicalResult tamc::emitStepOpError(Operation *op) {
  return op->emitOpError("expected only launches, views and constants in a "
                         "planned step");
}

FailureOr<int64_t> tamc::getViewOffset(memref::ViewOp view) {
  IntegerAttr offset;
  if (!matchPattern(view.getByteShift(), m_Constant(&offset)))
    return view.emitOpError("expected a constant offset");
  return offset.getInt();
}

FailureOr<SmallVector<int64_t>> tamc::getViewOffsets(func::FuncOp step) {
  SmallVector<int64_t> offsets;
  for (auto view : step.getBody().front().getOps<memref::ViewOp>()) {
    FailureOr<int64_t> offset = getViewOffset(view);
    if (failed(offset))
      return failure();
    offsets.push_back(*offset);
  }
  return offsets;
}
