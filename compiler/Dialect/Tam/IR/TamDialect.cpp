//===- TamDialect.cpp - the tam dialect -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc::tam;

#include "tamc/Dialect/Tam/IR/TamDialect.cpp.inc"
#include "tamc/Dialect/Tam/IR/TamOpInterfaces.cpp.inc"

void TamDialect::initialize() {
  registerAttributes();
  addInterface(makeBytecode(this));
  addOperations<
#define GET_OP_LIST
#include "tamc/Dialect/Tam/IR/TamOps.cpp.inc"
      >();
}

LogicalResult TamDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kModelAttrName)
    return verifyModel(op, attribute.getValue());
  if (attribute.getName() == kPlainAttrName ||
      (isa<ModuleOp>(op) && (attribute.getName() == kByLevelsAttrName ||
                             attribute.getName() == kSmallBlocksAttrName)))
    return verifyVariant(op, attribute.getName(), attribute.getValue());
  if (attribute.getName() == kTargetAttrName) {
    if (!isa<ModuleOp>(op))
      return op->emitError("'tam.target' belongs on a module"); // target_c1
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitError("'tam.target' must be a #tam.target"); // target_c1
    return success();
  }
  if (attribute.getName() == kStepAttrName) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitError("'tam.step' belongs on a function"); // step_c1
    auto step = dyn_cast<StepAttr>(attribute.getValue());
    if (!step)
      return op->emitError("'tam.step' must be a #tam.step"); // step_c1
    if (step.getRung() < 0)
      return op->emitError("expected a rung of at least 0 rows in 'tam.step', "
                           "got ")
             << step.getRung(); // step_c2
    return success();
  }
  if (attribute.getName() == kByLevelsAttrName ||
      attribute.getName() == kSmallBlocksAttrName) {
    if (!isa<FunctionOpInterface>(op)) // step_c1
      return op->emitError() << "'" << attribute.getName().getValue()
                             << "' belongs on a function";
    if (!isa<UnitAttr>(attribute.getValue())) // step_c1
      return op->emitError()
             << "'" << attribute.getName().getValue() << "' must be a unit";
    return success();
  }
  if (attribute.getName() == kApartAttrName) {
    if (!isa<RowReductionInterface>(op))
      return op->emitError("'tam.apart' belongs on a sum over rows");
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitError("'tam.apart' must be a unit");
    return success();
  }
  return op->emitError("unknown attribute '")
         << attribute.getName().getValue() << "' of the tam dialect";
}

/// Whether a slot holds a row count or `first`.
static bool isScalarSlot(SlotKind kind) {
  return kind == SlotKind::Rows || kind == SlotKind::First ||
         kind == SlotKind::Capacity || kind == SlotKind::GroupRows;
}

static LogicalResult verifySlot(Operation *op, NamedAttribute attribute,
                                Type type) {
  if (attribute.getName() != kSlotAttrName)
    return op->emitError("unknown argument attribute '")
           << attribute.getName().getValue() << "' of the tam dialect";
  auto slot = dyn_cast<SlotAttr>(attribute.getValue());
  if (!slot)
    return op->emitError("'tam.slot' must be a #tam.slot");
  const bool isScalar = isScalarSlot(slot.getKind());
  if (isScalar != type.isIndex())
    return op->emitError("slot '") << stringifySlotKind(slot.getKind())
                                   << "' cannot hold " << type; // slot_c2
  // In later phases a slot holds a pointer.
  auto shaped = dyn_cast<ShapedType>(type);
  if (isScalar || !isa<BuiltinDialect>(type.getDialect()))
    return success();
  bool hasRows = slot.getKind() == SlotKind::Column ||
                 slot.getKind() == SlotKind::Output ||
                 slot.getKind() == SlotKind::Arena;
  if (!isa<RankedTensorType, MemRefType>(type) ||
      (!hasRows && !shaped.hasStaticShape()) ||
      (slot.getKind() == SlotKind::Column && isa<RankedTensorType>(type) &&
       (shaped.getRank() != 1 || !shaped.isDynamicDim(0))))
    return op->emitError("slot '") << stringifySlotKind(slot.getKind())
                                   << "' cannot hold " << type; // slot_c2
  return success();
}

LogicalResult TamDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned region,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError("'tam.slot' belongs on a function's argument");
  return verifySlot(op, attribute, function.getArgumentTypes()[argument]);
}

LogicalResult TamDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError("'tam.slot' belongs on a function's result");
  return verifySlot(op, attribute, function.getResultTypes()[result]);
}

SlotAttr tamc::tam::getArgumentSlot(FunctionOpInterface function,
                                    unsigned index) {
  return function.getArgAttrOfType<SlotAttr>(index, kSlotAttrName);
}

SlotAttr tamc::tam::getResultSlot(FunctionOpInterface function,
                                  unsigned index) {
  return function.getResultAttrOfType<SlotAttr>(index, kSlotAttrName);
}

std::optional<StepKind> tamc::tam::getExtraStep(SlotKind slot) {
  switch (slot) {
  case SlotKind::Inference:
    return StepKind::FitInfer;
  case SlotKind::System:
    return StepKind::FitSystem;
  default:
    return std::nullopt;
  }
}

LogicalResult tamc::tam::verifySlots(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!getArgumentSlot(function, i))
      return function->emitOpError("expected a slot of argument ") << i;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!getResultSlot(function, i))
      return function->emitOpError("expected a slot of result ") << i;
  return success();
}

LogicalResult tamc::tam::verifyFreeName(FunctionOpInterface function,
                                        StringRef name) {
  if (SymbolTable::lookupSymbolIn(function->getParentOp(), name))
    return function->emitOpError("expected no other symbol '") << name << "'";
  return success();
}

static SmallVector<DictionaryAttr> dictionariesOf(ArrayRef<SlotAttr> slots) {
  return llvm::map_to_vector(slots, [](SlotAttr slot) {
    if (!slot)
      return DictionaryAttr();
    StringAttr name = StringAttr::get(slot.getContext(), kSlotAttrName);
    return DictionaryAttr::get(slot.getContext(), NamedAttribute(name, slot));
  });
}

void tamc::tam::setArgumentSlots(FunctionOpInterface function,
                                 ArrayRef<SlotAttr> slots) {
  function.setAllArgAttrs(dictionariesOf(slots));
}

void tamc::tam::setResultSlots(FunctionOpInterface function,
                               ArrayRef<SlotAttr> slots) {
  function.setAllResultAttrs(dictionariesOf(slots));
}

BlockArgument tamc::tam::findSlotArgument(FunctionOpInterface function,
                                          SlotKind kind) {
  if (!function || function.isExternal())
    return {};
  // Every launch asks for a row count, and a fit has an argument for each pair
  // of terms: their types, which are read faster, rule out nearly all.
  const bool isScalar = isScalarSlot(kind);
  for (BlockArgument argument : function.getArguments()) {
    if (argument.getType().isIndex() != isScalar)
      continue;
    SlotAttr slot = getArgumentSlot(function, argument.getArgNumber());
    if (slot && slot.getKind() == kind)
      return argument;
  }
  return {};
}

StringRef tamc::tam::getTermText(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  return {};
}
