//===- SpecializeRungs.cpp - one clone per rung -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "EntrySizes.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Launches.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamc/Dialect/TamK/Transforms/Rungs.h"
#include "tamc/Target/TargetAnalysis.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace tamc::tamk {
#define GEN_PASS_DEF_TAMKSPECIALIZERUNGS
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Rows of the largest rung for `chunk_rows: all`.
static constexpr int64_t kMaxChunkRows = int64_t(1) << 20;

/// Rows of the largest rung of a step that reads the triangle of a matrix: rows
/// take less memory than that, and the time of each grows with its square.
static constexpr int64_t kTriangleChunkRows = 64;

/// Bytes of a buffer of static sizes; `kMaxBytes` if they are more or not
/// known.
static int64_t staticBytesOf(MemRefType type) {
  return bytesOf(type).value_or(kMaxBytes);
}

/// The value of a dynamic size in a rung of `rows` rows, if it is the capacity
/// or a minimum of functions of it, and at least 0; else nothing.
static std::optional<int64_t> sizeAt(Value size, Value capacity, int64_t rows) {
  if (size == capacity)
    return rows;
  auto least = size.getDefiningOp<affine::AffineMinOp>();
  if (!least || llvm::any_of(least.getOperands(), [&](Value operand) {
        return operand != capacity;
      }))
    return std::nullopt;
  SmallVector<Attribute> values(least.getNumOperands(),
                                Builder(size.getContext()).getIndexAttr(rows)),
      results;
  if (failed(least.getMap().constantFold(values, results)))
    return std::nullopt;
  auto valueOf = [](Attribute a) { return cast<IntegerAttr>(a).getInt(); };
  int64_t value = *llvm::min_element(llvm::map_range(results, valueOf));
  return value < 0 ? std::nullopt : std::optional(value);
}

/// The type of a buffer in a rung of `rows` rows; failure, with an error, if it
/// has a size that does not follow from the capacity.
static FailureOr<MemRefType> typeAt(memref::AllocOp alloc, Value capacity,
                                    int64_t rows) {
  SmallVector<int64_t> shape(alloc.getType().getShape());
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      std::optional<int64_t> size = sizeAt(*dynamic++, capacity, rows);
      if (!size)
        return alloc.emitOpError("expected 'capacity' rows");
      extent = *size;
    }
  return MemRefType(MemRefType::Builder(alloc.getType()).setShape(shape));
}

/// Bytes of the sums to which a step adds rows.
static int64_t bytesOfSums(func::FuncOp step) {
  int64_t sums = 0;
  for (BlockArgument argument : step.getArguments())
    if (auto slot = step.getArgAttrOfType<tam::SlotAttr>(
            argument.getArgNumber(), tam::kSlotAttrName))
      if (slot.getKind() == tam::SlotKind::State)
        sums += staticBytesOf(cast<MemRefType>(argument.getType()));
  return sums;
}

int64_t tamk::countCodeOperands(func::FuncOp step, size_t rungs) {
  auto attribute = step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
  const bool predicts =
      attribute && attribute.getKind() == tam::StepKind::Predict;
  return countLaunchOperands(step) * (predicts ? 1 : int64_t(rungs));
}

/// Whether a step reads the triangle of a matrix.
static bool readsTriangle(func::FuncOp step) {
  auto attribute = step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
  return attribute &&
         tamrt::describe(static_cast<int32_t>(attribute.getKind())).vector ==
             tamrt::StepVector::Triangle;
}

/// Default rows of a step's largest rung.
static FailureOr<int64_t> chooseRows(func::FuncOp step, Value capacity,
                                     const Target &target) {
  if (readsTriangle(step))
    return kTriangleChunkRows;
  const int64_t usual = target.getChunkRows(/*sumBytes=*/0, /*rowBytes=*/1);
  int64_t temporaries = 0;
  for (auto alloc : step.getOps<memref::AllocOp>()) {
    if (alloc.getDynamicSizes().empty())
      continue;
    FailureOr<MemRefType> type = typeAt(alloc, capacity, usual);
    if (failed(type))
      return failure();
    temporaries += staticBytesOf(*type);
  }
  return target.getChunkRows(
      bytesOfSums(step),
      std::max<int64_t>(llvm::divideCeil(temporaries, usual), 1));
}

namespace {

struct SpecializeRungs
    : public tamc::tamk::impl::TamKSpecializeRungsBase<SpecializeRungs> {
  using TamKSpecializeRungsBase::TamKSpecializeRungsBase;

  void runOnOperation() override {
    int64_t rows = chunkRows;
    if (rows == 0)
      if (tam::ModelAttr model = tam::getModel(getOperation()))
        rows = model.getChunkRows();
    if (rows < 0) {
      getOperation().emitError("expected a chunk of at least one row, got ")
          << rows;
      return signalPassFailure();
    }
    rows = std::min(rows, kMaxChunkRows);
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    for (auto step :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      Value capacity = tam::findSlotArgument(step, tam::SlotKind::Capacity);
      if (!capacity)
        continue;
      for (Type type : step.getArgumentTypes())
        if (isa<TensorType>(type)) {
          step.emitOpError("expected a step on memrefs, got an argument of ")
              << type;
          return signalPassFailure();
        }
      FailureOr<int64_t> most =
          rows ? FailureOr<int64_t>(rows) : chooseRows(step, capacity, *target);
      if (failed(most))
        return signalPassFailure();
      // A chunk that adds to sums ends with its segment.
      if (bytesOfSums(step) > 0 && !target->joinsSegments())
        most = std::min<int64_t>(*most, TAMRT_SEGMENT_ROWS);
      SmallVector<int64_t> rungs = target->getRungs(*most);
      // A rung between them would save little memory.
      if (readsTriangle(step) && rungs.size() > 2)
        rungs = {rungs.front(), rungs.back()};
      if (failed(sharesLaunches(step, rungs.size())
                     ? share(step, capacity, rungs)
                     : clone(step, rungs)))
        return signalPassFailure();
    }
  }

private:
  bool sharesLaunches(func::FuncOp step, size_t rungs) const {
    return shareLaunches >= 0 &&
           countCodeOperands(step, rungs) >= shareLaunches;
  }

  /// Replaces a step by its rungs, each with launches.
  LogicalResult clone(func::FuncOp step, ArrayRef<int64_t> rungs) {
    OpBuilder builder(step);
    for (int64_t rung : rungs) {
      auto made = cast<func::FuncOp>(builder.clone(*step));
      if (failed(name(made, step.getName(), rung)) ||
          failed(specialize(made, rung)))
        return failure();
    }
    step.erase();
    return success();
  }

  /// Makes the largest rung of a step, and the others behind it without
  /// launches.
  LogicalResult share(func::FuncOp step, Value capacity,
                      ArrayRef<int64_t> rungs) {
    const std::string own = step.getName().str();
    auto allocs = llvm::to_vector(step.getOps<memref::AllocOp>());
    // They have no row of the plan by which a buffer of another rung is found.
    llvm::erase_if(allocs, [](memref::AllocOp alloc) {
      if (!alloc->use_empty())
        return false;
      alloc.erase();
      return true;
    });
    SmallVector<func::FuncOp> others;
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(step);
    for (int64_t rung : rungs.drop_front()) {
      auto made = cast<func::FuncOp>(
          builder.insert(cast<func::FuncOp>(step->cloneWithoutRegions())));
      made.removeArgAttrsAttr();
      made.setFunctionType(builder.getFunctionType({}, {}));
      if (failed(name(made, own, rung)))
        return failure();
      OpBuilder body = OpBuilder::atBlockBegin(made.addEntryBlock());
      for (memref::AllocOp alloc : allocs) {
        FailureOr<MemRefType> type = typeAt(alloc, capacity, rung);
        if (failed(type))
          return failure();
        memref::AllocOp::create(body, alloc.getLoc(), *type,
                                alloc.getAlignmentAttr());
      }
      func::ReturnOp::create(body, step.getLoc());
      others.push_back(made);
    }
    if (failed(name(step, own, rungs.front())) ||
        failed(specialize(step, rungs.front())))
      return failure();
    for (func::FuncOp made : others)
      made->setAttr(kLaunchesOfAttrName, step.getSymNameAttr());
    return success();
  }

  /// Names a function as a rung of the step `step`.
  LogicalResult name(func::FuncOp function, StringRef step, int64_t rung) {
    const std::string name = (step + "_" + Twine(rung)).str();
    if (failed(tam::verifyFreeName(function, name)))
      return failure();
    function.setName(name);
    if (auto attribute =
            function->getAttrOfType<tam::StepAttr>(tam::kStepAttrName))
      function->setAttr(
          tam::kStepAttrName,
          tam::StepAttr::get(&getContext(), attribute.getKind(), rung));
    return success();
  }

  /// Gives the buffers of a rung their sizes.
  LogicalResult specialize(func::FuncOp function, int64_t rung) {
    BlockArgument capacity =
        tam::findSlotArgument(function, tam::SlotKind::Capacity);
    auto allocs = llvm::to_vector(function.getOps<memref::AllocOp>());
    for (memref::AllocOp alloc : allocs)
      if (!alloc.getDynamicSizes().empty() &&
          failed(makeStatic(alloc, capacity, rung)))
        return failure();
    for (auto least :
         llvm::make_early_inc_range(function.getOps<affine::AffineMinOp>()))
      if (least->use_empty())
        least.erase();
    if (!capacity.use_empty())
      return function.emitOpError("expected 'capacity' only as a buffer's "
                                  "size");
    (void)function.eraseArgument(capacity.getArgNumber());
    return success();
  }

  static LogicalResult makeStatic(memref::AllocOp alloc, Value capacity,
                                  int64_t rung) {
    FailureOr<MemRefType> type = typeAt(alloc, capacity, rung);
    if (failed(type))
      return failure();
    OpBuilder builder(alloc);
    Value fixed = memref::AllocOp::create(builder, alloc.getLoc(), *type,
                                          alloc.getAlignmentAttr());
    for (OpOperand &use : llvm::make_early_inc_range(alloc->getUses())) {
      // A launch takes any size; other users that need the dynamic type get a
      // cast.
      if (isa<LaunchOp>(use.getOwner())) {
        use.set(fixed);
        continue;
      }
      OpBuilder atUse(use.getOwner());
      use.set(memref::CastOp::create(atUse, alloc.getLoc(), alloc.getType(),
                                     fixed));
    }
    alloc.erase();
    return success();
  }
};

} // namespace
