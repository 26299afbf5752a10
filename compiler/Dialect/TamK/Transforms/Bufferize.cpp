//===- Bufferize.cpp - launches on memrefs ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tamc::tamk {
#define GEN_PASS_DEF_TAMKBUFFERIZE
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc::tamk;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

namespace {

/// Memory that the tensors of a chain of updates have in common.
struct Buffer {
  /// The op whose result is the first tensor of the chain.
  Operation *origin;
  /// The tensor that the memory holds at this point of the program; older ones
  /// are overwritten.
  Value newest;
  /// The argument whose memory it is; null: none yet.
  Value argument;
  /// The first launch that writes it, and the last op so far that uses it.
  Operation *firstWrite = nullptr, *lastUse = nullptr;
  bool isWritable = false;
  /// The op that makes it a result of the function.
  MaterializeInDestinationOp result;
};

/// Gives the tensors of one function their memory, in two passes: one from top
/// to bottom that finds the chains and checks that nobody needs a tensor that
/// is overwritten, and one that rewrites the ops.
class Bufferizer {
public:
  Bufferizer(func::FuncOp function, SymbolTableCollection &symbols)
      : function(function), symbols(symbols) {}

  LogicalResult run() {
    if (function.getBody().getBlocks().size() != 1)
      return function.emitOpError("expected a function of one block");
    Block &body = function.getBody().front();
    for (Operation &op : body)
      if (failed(analyze(op)))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(body))
      if (failed(rewrite(op)))
        return failure();
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    return success();
  }

private:
  Buffer &create(Operation &op) {
    buffers.push_back(std::make_unique<Buffer>());
    Buffer &buffer = *buffers.back();
    buffer.origin = &op;
    buffer.newest = op.getResult(0);
    bufferOf[op.getResult(0)] = &buffer;
    return buffer;
  }

  /// The memory of an operand of `op`, which must hold that tensor now.
  FailureOr<Buffer *> use(Operation &op, Value tensor) {
    Buffer *buffer = bufferOf.lookup(tensor);
    if (!buffer)
      return op.emitOpError("expected tensors that the function reads from "
                            "arguments, makes or has as constants");
    if (buffer->newest != tensor) {
      InFlightDiagnostic error =
          op.emitOpError("expected no use of a tensor after its memory got "
                         "other contents");
      error.attachNote(buffer->newest.getLoc()) << "they are written here";
      return error;
    }
    if (!buffer->result && isResult.contains(buffer->argument))
      return op.emitOpError("expected no use of the destination's old contents "
                            "after the first of the new ones");
    buffer->lastUse = &op;
    return buffer;
  }

  LogicalResult analyze(Operation &op) {
    if (auto tensor = dyn_cast<ToTensorOp>(op))
      return analyzeArgument(tensor);
    if (auto launch = dyn_cast<LaunchOp>(op))
      return analyzeLaunch(launch);
    if (auto result = dyn_cast<MaterializeInDestinationOp>(op))
      return analyzeResult(result);
    if (isa<tensor::EmptyOp>(op)) {
      create(op).isWritable = true;
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op);
        constant && isTensor(constant)) {
      create(op);
      return success();
    }
    WalkResult walk = op.walk([](Operation *nested) {
      return llvm::any_of(nested->getOperands(), isTensor) ||
                     llvm::any_of(nested->getResults(), isTensor)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return op.emitOpError("expected no op on tensors but launches");
    return success();
  }

  LogicalResult analyzeArgument(ToTensorOp op) {
    if (!isa<BlockArgument>(op.getBuffer()))
      return op.emitOpError("expected an argument of the function");
    auto [known, isNew] = tensorOf.try_emplace(op.getBuffer(), nullptr);
    if (!isNew)
      return op.emitOpError("expected one tensor of the argument's contents");
    Buffer &buffer = create(*op);
    buffer.argument = op.getBuffer();
    buffer.isWritable = op.getWritable();
    known->second = &buffer;
    return success();
  }

  LogicalResult analyzeLaunch(LaunchOp op) {
    if (llvm::none_of(op->getOperands(), isTensor))
      return success();
    SmallPtrSet<Buffer *, 8> read, written;
    for (Value input : op.getInputs()) {
      FailureOr<Buffer *> buffer = use(*op, input);
      if (failed(buffer))
        return failure();
      read.insert(*buffer);
    }
    for (auto [init, result] :
         llvm::zip_equal(op.getInits(), op.getResults())) {
      FailureOr<Buffer *> found = use(*op, init);
      if (failed(found))
        return failure();
      Buffer &buffer = **found;
      if (!buffer.isWritable)
        return op.emitOpError("expected destinations in memory that may be "
                              "written");
      if (buffer.result)
        return op.emitOpError("expected no update of a result");
      if (read.contains(&buffer) || !written.insert(&buffer).second)
        return op.emitOpError("expected destinations that are no inputs, each "
                              "of its own");
      if (!buffer.firstWrite)
        buffer.firstWrite = op;
    }
    for (auto [init, result] :
         llvm::zip_equal(op.getInits(), op.getResults())) {
      Buffer *buffer = bufferOf.lookup(init);
      buffer->newest = result;
      bufferOf[result] = buffer;
    }
    return success();
  }

  LogicalResult analyzeResult(MaterializeInDestinationOp op) {
    FailureOr<Buffer *> found = use(*op, op.getSource());
    if (failed(found))
      return failure();
    Buffer &buffer = **found;
    Value destination = op.getDest();
    if (!isa<BlockArgument>(destination) || isTensor(destination))
      return op.emitOpError("expected an argument of the function as the "
                            "destination");
    auto type = dyn_cast<MemRefType>(destination.getType());
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || !source || type.getShape() != source.getShape() ||
        type.getElementType() != source.getElementType() ||
        !type.getLayout().isIdentity())
      return op.emitOpError("expected a destination of the tensor's type");
    if (!isResult.insert(destination).second)
      return op.emitOpError("expected one result in a destination");
    buffer.result = op;
    if (buffer.argument == destination)
      return success();
    // Else the tensor must have been computed in the argument's memory.
    if (buffer.argument || !isa<tensor::EmptyOp>(buffer.origin))
      return op.emitOpError("expected a result that is computed in its "
                            "destination");
    if (Buffer *old = tensorOf.lookup(destination);
        old && old->lastUse &&
        (!buffer.firstWrite ||
         !old->lastUse->isBeforeInBlock(buffer.firstWrite)))
      return op.emitOpError("expected no use of the destination's old contents "
                            "after the first of the new ones");
    buffer.argument = destination;
    return success();
  }

  LogicalResult rewrite(Operation &op) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (llvm::none_of(op.getOperands(), isTensor))
        return success();
      OpBuilder builder(launch);
      LaunchOp::create(builder, launch.getLoc(), TypeRange(),
                       launch.getKernelAttr(), memoryOf(launch.getInputs()),
                       launch.getScalars(), memoryOf(launch.getInits()),
                       launch.getAbsentAttr(), launch.getSourceAttr(),
                       launch.getGeneratedAttr());
      replaced.push_back(launch);
      return success();
    }
    if (isa<MaterializeInDestinationOp>(op)) {
      replaced.push_back(&op);
      return success();
    }
    if (op.getNumResults() != 1)
      return success();
    Buffer *buffer = bufferOf.lookup(op.getResult(0));
    if (!buffer)
      return success();
    replaced.push_back(&op);
    if (buffer->argument) {
      memory[buffer] = buffer->argument;
      return success();
    }
    OpBuilder builder(&op);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      memory[buffer] = memref::AllocOp::create(
          builder, op.getLoc(), memref, empty.getDynamicSizes(),
          builder.getI64IntegerAttr(TAMRT_ALIGNMENT));
      return success();
    }
    FailureOr<memref::GlobalOp> global = bufferization::getGlobalFor(
        cast<arith::ConstantOp>(op), symbols, TAMRT_ALIGNMENT);
    if (failed(global))
      return failure();
    memory[buffer] = memref::GetGlobalOp::create(builder, op.getLoc(), memref,
                                                 global->getSymName());
    return success();
  }

  SmallVector<Value> memoryOf(ValueRange tensors) {
    return llvm::map_to_vector(tensors, [&](Value tensor) {
      return memory.lookup(bufferOf.lookup(tensor));
    });
  }

  func::FuncOp function;
  SymbolTableCollection &symbols;
  SmallVector<std::unique_ptr<Buffer>> buffers;
  DenseMap<Value, Buffer *> bufferOf;
  /// The tensors of the arguments' contents, and the arguments that get
  /// results.
  DenseMap<Value, Buffer *> tensorOf;
  DenseSet<Value> isResult;
  DenseMap<Buffer *, Value> memory;
  SmallVector<Operation *> replaced;
};

struct Bufferize : public tamc::tamk::impl::TamKBufferizeBase<Bufferize> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(Bufferizer(function, symbols).run()))
        return signalPassFailure();
  }
};

} // namespace
