//===- Verify.cpp - verifiers of phases -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tamc::tamk {
#define GEN_PASS_DEF_TAMKVERIFYLAUNCHES
#define GEN_PASS_DEF_TAMKVERIFYBUFFERIZED
#define GEN_PASS_DEF_TAMKVERIFYPLANNED
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Runs `check`, which emits its own errors, on every op of the module.
static LogicalResult
verifyOps(ModuleOp module,
          llvm::function_ref<LogicalResult(Operation *)> check) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isRowLoops(op))
      return WalkResult::skip();
    return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct VerifyLaunches
    : public tamc::tamk::impl::TamKVerifyLaunchesBase<VerifyLaunches> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    auto check = [](Operation *op) -> LogicalResult {
      if (isa_and_present<tam::TamDialect>(op->getDialect()))
        return op->emitOpError("expected no op of the solver graph");
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                                op->getResultTypes()))
        if (tam::getEncoding(type))
          return op->emitOpError("expected no encoded tensor, got ") << type;
      return success();
    };
    if (failed(verifyOps(getOperation(), check)))
      signalPassFailure();
  }
};

struct VerifyBufferized
    : public tamc::tamk::impl::TamKVerifyBufferizedBase<VerifyBufferized> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    auto check = [](Operation *op) -> LogicalResult {
      if (isa<memref::CopyOp>(op))
        return op->emitOpError("expected every destination updated in place");
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                                op->getResultTypes()))
        if (isa<TensorType>(type))
          return op->emitOpError("expected no tensor, got ") << type;
      return success();
    };
    if (failed(verifyOps(getOperation(), check)))
      signalPassFailure();
  }
};

struct VerifyPlanned
    : public tamc::tamk::impl::TamKVerifyPlannedBase<VerifyPlanned> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    auto check = [](Operation *op) -> LogicalResult {
      if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
        return op->emitOpError("expected no allocation after planning");
      auto function = dyn_cast<func::FuncOp>(op);
      if (function && !function.isExternal() && !op->hasAttr(kPlanAttrName))
        return op->emitOpError("expected a '") << kPlanAttrName << "'";
      return success();
    };
    if (failed(verifyOps(getOperation(), check)))
      signalPassFailure();
  }
};

} // namespace
