//===- SomeTarget.cpp - a target that lacks kernels -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the place of the list of targets (compiler/Target/All), which the
// linker leaves out of a program that has this file.
//
//===----------------------------------------------------------------------===//

#include "SomeTarget.h"

#include "tamc/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tamc;

std::vector<std::string> lacking;

namespace {

class SomeTarget : public Target {
public:
  bool hasKernel(llvm::StringRef name) const override {
    return !llvm::is_contained(lacking, name);
  }
  tam::SumsAttr getLoopLayout(Operation *) const override { return {}; }
  std::optional<RowLoopLimits> getRowLoopLimits() const override { return {}; }
  int64_t getChunkRows(int64_t, int64_t) const override { return 1; }
  llvm::SmallVector<int64_t> getRungs(int64_t) const override { return {1}; }
  Workspace getWorkspace(llvm::StringRef, int64_t) const override { return {}; }
  int64_t getLevel() const override { return 0; }
  llvm::ArrayRef<KernelVersion> getVersions() const override { return {}; }
  std::unique_ptr<llvm::TargetMachine> createMachine() const override {
    return nullptr;
  }
  llvm::StringRef getTuneCpu() const override { return ""; }
  llvm::StringRef getCrossName() const override { return ""; }
};

} // namespace

FailureOr<std::unique_ptr<Target>> tamc::targetOf(ModuleOp) {
  return std::unique_ptr<Target>(std::make_unique<SomeTarget>());
}
