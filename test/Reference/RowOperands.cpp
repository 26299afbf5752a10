//===- RowOperands.cpp - operands of ops over rows --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOperands.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc;

SmallVector<Value> tamc::reference::rowOperandsOf(Operation *op) {
  SmallVector<Value> operands;
  auto addIfThere = [&](Value value) {
    if (value)
      operands.push_back(value);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tam::GramOp, tam::RhsOp>([&](auto sum) {
        operands.append({sum->getOperand(0), sum->getOperand(1)});
        addIfThere(sum.getWeights());
      })
      .Case([&](tam::SquaresOp sum) {
        operands.push_back(sum.getA());
        addIfThere(sum.getWeights());
      })
      .Case([&](tam::LinearColumnsOp columns) {
        llvm::append_range(operands, columns.getInputs());
      })
      .Case([&](tam::NormalEquationsOp equations) {
        llvm::append_range(operands, equations.getDesigns());
        operands.push_back(equations.getY());
        addIfThere(equations.getWeights());
      })
      .Case<tam::PredictOp>([&](auto predict) {
        llvm::append_range(operands, predict.getDesigns());
        addIfThere(predict.getStart());
      })
      .Case<tam::DecomposeOp, tam::DesignOp, tam::ColumnsOp,
            tam::QuadraticFormsOp>(
          [&](auto all) { llvm::append_range(operands, all.getDesigns()); })
      .Case<tam::NeuralOp, tam::RadialOp, tam::TreeOp>([&](auto map) {
        operands.push_back(map.getPoints());
        addIfThere(map.getOnly());
      })
      .Case<tam::StackOp, tam::KroneckerOp, tam::BlendOp>([&](Operation *all) {
        llvm::append_range(operands, all->getOperands());
      });
  return operands;
}
