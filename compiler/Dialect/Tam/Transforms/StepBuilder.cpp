//===- StepBuilder.cpp - a step made of another one -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

using namespace mlir;
using namespace tamc::tam;

StepBuilder::StepBuilder(OpBuilder &where, func::FuncOp source, StringRef name,
                         StepKind kind)
    : builder(where.getContext()),
      function(func::FuncOp::create(where, source.getLoc(), name,
                                    builder.getFunctionType({}, {}))),
      source(source), body(*function.addEntryBlock()) {
  function->setAttr(kStepAttrName,
                    StepAttr::get(builder.getContext(), kind, 0));
  builder.setInsertionPointToEnd(&body);
}

BlockArgument StepBuilder::addArgument(Type type, Location loc, SlotAttr slot) {
  argumentSlots.push_back(slot);
  return body.addArgument(type, loc);
}

void StepBuilder::addArgument(Value original, SlotAttr slot) {
  map(original, addArgument(original.getType(), original.getLoc(), slot));
}

void StepBuilder::addArgument(BlockArgument original) {
  if (!mapping.contains(original))
    addArgument(original, getArgumentSlot(source, original.getArgNumber()));
}

Operation *StepBuilder::clone(Operation &op) {
  return builder.clone(op, mapping);
}

void StepBuilder::addResult(Value value, SlotAttr slot) {
  results.push_back(value);
  resultSlots.push_back(slot);
}

void StepBuilder::finish() {
  func::ReturnOp::create(builder, source.getLoc(), results);
  function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  setArgumentSlots(function, argumentSlots);
  setResultSlots(function, resultSlots);
}
