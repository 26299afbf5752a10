//===- StackDepth.cpp - the stack that generated code needs -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackDepth.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"

using namespace tamc;

/// Bytes that a call adds to a frame: the return address, the caller's frame
/// pointer, and the padding that aligns the stack to 64 bytes.
static constexpr int64_t kBytesPerCall = 80;

/// Records the sizes of frames and passes on LLVM's other diagnostics.
class StackDepth::Listener : public llvm::DiagnosticHandler {
public:
  explicit Listener(StackDepth &depth) : depth(depth) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (const auto *size =
            llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      depth.frames[&size->getFunction()] =
          static_cast<int64_t>(size->getStackSize());
      return true;
    }
    return depth.previous && depth.previous->handleDiagnostics(info);
  }

private:
  StackDepth &depth;
};

StackDepth::StackDepth(llvm::Module &module)
    : module(module), previous(module.getContext().getDiagnosticHandler()) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("probe-stack", "inline-asm");
      function.addFnAttr("warn-stack-size", "0");
    }
  module.getContext().setDiagnosticHandler(std::make_unique<Listener>(*this));
}

StackDepth::~StackDepth() {
  module.getContext().setDiagnosticHandler(std::move(previous));
}

int64_t StackDepth::depthOf(const llvm::Function &function) {
  auto [entry, isNew] = depths.try_emplace(&function, 0);
  // Generated functions do not recurse; one that is being visited counts as 0.
  if (!isNew)
    return entry->second;
  int64_t below = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    for (const llvm::Value *operand : instruction.operands())
      if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
        below = std::max(below, depthOf(*constant));
  return depths[&function] = frames.lookup(&function) + kBytesPerCall + below;
}

/// The depth of the deepest function that a constant refers to.
int64_t StackDepth::depthOf(const llvm::Constant &constant) {
  if (const auto *function = llvm::dyn_cast<llvm::Function>(&constant))
    return function->isDeclaration() ? 0 : depthOf(*function);
  const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant);
  if (variable) {
    auto [entry, isNew] = depths.try_emplace(&constant, 0);
    if (!isNew)
      return entry->second;
  }
  int64_t bytes = 0;
  for (const llvm::Use &operand : constant.operands())
    bytes = std::max(bytes, depthOf(*llvm::cast<llvm::Constant>(operand)));
  if (variable)
    depths[&constant] = bytes;
  return bytes;
}

int64_t StackDepth::deepest() {
  int64_t bytes = 0;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      bytes = std::max(bytes, depthOf(function));
  return bytes;
}
