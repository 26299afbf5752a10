//===- TamToTamK.cpp - kernel selection -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TamToTamK.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tamc {
#define GEN_PASS_DEF_CONVERTTAMTOTAMK
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;

ComponentTypeConverter::ComponentTypeConverter(const Target &target)
    : target(target) {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
        tam::EncodingInterface encoding = tam::getEncoding(type);
        if (!encoding)
          return std::nullopt;
        llvm::append_range(parts, encoding.getComponentTypes(type));
        return success();
      });
  auto cast = [](OpBuilder &builder, Type type, ValueRange parts,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, parts)
        .getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization(
      [](OpBuilder &builder, TypeRange types, ValueRange values, Location loc) {
        return SmallVector<Value>(
            UnrealizedConversionCastOp::create(builder, loc, types, values)
                .getResults());
      });
}

/// Checks that the target has the runtime's kernels that steps launch.
static LogicalResult verifyKernels(ModuleOp module, const Target &target) {
  for (auto step : module.getOps<func::FuncOp>())
    for (auto launch : step.getOps<tamk::LaunchOp>())
      if (!launch.getGenerated() && !target.hasKernel(launch.getKernel()))
        return launch.emitOpError("expected a kernel of the target, got '")
               << launch.getKernel() << "'";
  return success();
}

namespace {

struct ConvertTamToTamK
    : public tamc::impl::ConvertTamToTamKBase<ConvertTamToTamK> {
  void runOnOperation() override {
    WalkResult choices =
        getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
          if (tamk::isRowLoops(op))
            return WalkResult::skip();
          return succeeded(tam::verifyChoices(op)) ? WalkResult::advance()
                                                   : WalkResult::interrupt();
        });
    if (choices.wasInterrupted())
      return signalPassFailure();
    for (auto step : getOperation().getOps<func::FuncOp>())
      if (!step.isExternal() && failed(convertBoundary(step)))
        return signalPassFailure();

    const Target *machine = getAnalysis<TargetAnalysis>().get();
    if (!machine)
      return signalPassFailure();
    const ComponentTypeConverter converter(*machine);
    RewritePatternSet patterns(&getContext());
    populateTamToTamKPatterns(converter, patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<tam::TamDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))) ||
        failed(verifyKernels(getOperation(), *machine)))
      return signalPassFailure();

    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    SmallVector<UnrealizedConversionCastOp> remaining;
    reconcileUnrealizedCasts(casts, &remaining);
    for (UnrealizedConversionCastOp cast : remaining) {
      cast.emitError("expected no cast of an encoded tensor to be left");
      signalPassFailure();
    }
  }
};

} // namespace
