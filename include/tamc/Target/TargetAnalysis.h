//===- TargetAnalysis.h - a module's target, for its passes ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_TARGETANALYSIS_H
#define TAMC_TARGET_TARGETANALYSIS_H

#include "tamc/Target/Target.h"

#include "mlir/Pass/AnalysisManager.h"

namespace tamc {

/// The target of a module (targetOf) as an analysis of MLIR: it is made once
/// for all passes of a pass manager. A pass on a module asks for it by
/// `getAnalysis<TargetAnalysis>()`, and fails if there is none.
class TargetAnalysis {
public:
  /// `op` is a module. Emits targetOf's errors.
  explicit TargetAnalysis(mlir::Operation *op)
      : module(mlir::cast<mlir::ModuleOp>(op)), attribute(getAttribute()) {
    if (auto made = targetOf(module); mlir::succeeded(made))
      target = std::move(*made);
  }

  /// Null after an error.
  const Target *get() const { return target.get(); }

  /// Passes preserve it unless they change `tam.target`.
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return getAttribute() != attribute;
  }

private:
  tam::TargetAttr getAttribute() const {
    return module->getAttrOfType<tam::TargetAttr>(tam::kTargetAttrName);
  }

  mlir::ModuleOp module;
  tam::TargetAttr attribute;
  std::unique_ptr<Target> target;
};

} // namespace tamc

#endif // TAMC_TARGET_TARGETANALYSIS_H
