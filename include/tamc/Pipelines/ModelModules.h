//===- ModelModules.h - the modules of a model ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PIPELINES_MODELMODULES_H
#define TAMC_PIPELINES_MODELMODULES_H

#include "tamc/Dialect/Tam/IR/OtherModels.h"
#include "tamc/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <iterator>

namespace tamc {

/// The modules of a model: its own, that of the model that is fitted in
/// windows if there is one, and for both one with the steps for devices whose
/// memory the CPU cannot address. Each goes through the phases by itself.
class ModelModules {
public:
  ModelModules() = default;
  /// `windows` may be null.
  ModelModules(mlir::OwningOpRef<mlir::ModuleOp> model,
               mlir::OwningOpRef<mlir::ModuleOp> windows);
  /// Takes the other modules out of `nested`, which getNested made, at any
  /// phase.
  explicit ModelModules(mlir::OwningOpRef<mlir::ModuleOp> nested);

  mlir::ModuleOp getModel() const { return *model; }
  /// Null if there is none.
  mlir::ModuleOp getWindows() const { return *windows; }
  /// The modules that the model's refers to.
  llvm::SmallVector<mlir::ModuleOp> getOthers() const;

  /// Sets what the modules are compiled for.
  void setTarget(tam::TargetAttr target);

  /// Adds the modules with the steps for devices. The modules are at
  /// Phase::Import.
  void addDevices();
  /// Removes them again, if they are there.
  void dropDevices();

  /// Lowers the modules as lowerBy does, the model's with `options`.
  mlir::LogicalResult
  lower(Phase phase, Phase last, const PipelineOptions &options,
        llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> configure =
            nullptr);

  /// The model's module, which now contains the others, to be written. Nothing
  /// else can be done with these modules after that.
  mlir::ModuleOp getNested();

private:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;
  void nameOthers();
  /// The other modules, null ones too, in the order of tam::kOtherModels.
  std::array<Module *, std::size(tam::kOtherModels)> others() {
    return {&windows, &devices, &windowDevices};
  }

  Module model, windows, devices, windowDevices;
};

} // namespace tamc

#endif // TAMC_PIPELINES_MODELMODULES_H
