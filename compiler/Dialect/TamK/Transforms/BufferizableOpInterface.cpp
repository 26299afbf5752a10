//===- BufferizableOpInterface.cpp - bufferizing launches -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tamc::tamk;

namespace {

struct LaunchModel
    : public DstBufferizableOpInterfaceExternalModel<LaunchModel, LaunchOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto launch = cast<LaunchOp>(op);
    if (!launch.isDpsInit(&operand))
      return true;
    return launch.readsInit(operand.getOperandNumber() -
                            launch.getInits().getBeginOperandIndex());
  }

  /// The default implementation queries every operand for every result; a
  /// launch in a model of many terms has thousands of operands.
  AliasingOpOperandList getAliasingOpOperands(Operation *op, Value value,
                                              const AnalysisState &) const {
    unsigned first = cast<LaunchOp>(op).getInits().getBeginOperandIndex();
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {{&op->getOpOperand(first + index), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchOp>(op);
    auto bufferize = [&](OperandRange values, SmallVector<Value> &buffers) {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          buffers.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> inputs, inits;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    if (failed(bufferize(launch.getInputs(), inputs)) ||
        failed(bufferize(launch.getInits(), inits)))
      return failure();
    LaunchOp::create(rewriter, op->getLoc(), TypeRange(),
                     launch.getKernelAttr(), inputs, launch.getScalars(), inits,
                     launch.getAbsentAttr(), launch.getSourceAttr(),
                     launch.getGeneratedAttr());
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

} // namespace

void tamc::tamk::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TamKDialect *) {
    LaunchOp::attachInterface<LaunchModel>(*context);
  });
}
