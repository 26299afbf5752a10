//===- KernelVersions.cpp - kernels for several instruction sets ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVersions.h"

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace tamc;
using namespace llvm;

static SmallVector<Function *> findKernels(Module &module) {
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.hasFnAttribute(tamk::kVersionsAttrName))
      kernels.push_back(&function);
  return kernels;
}

void tamc::keepKernels(Module &module) {
  for (Function *kernel : findKernels(module))
    kernel->addFnAttr(Attribute::NoInline);
}

/// Writes a function that returns the best of a kernel's versions for the
/// machine; `kernel` itself is for every machine. Appends the others to
/// `copies`.
static Function *writeChoice(Function &kernel, StringRef name,
                             ArrayRef<KernelVersion> versions,
                             SmallVectorImpl<Function *> &copies) {
  Module &module = *kernel.getParent();
  IRBuilder<> builder(module.getContext());
  auto *choice =
      Function::Create(FunctionType::get(builder.getPtrTy(), false),
                       Function::InternalLinkage, name + "_choice", module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", choice));
  Value *level = builder.CreateCall(
      module.getOrInsertFunction("tamrt_cpu_level", builder.getInt64Ty()));
  Value *best = &kernel;
  // The best version comes first, so it is tested last.
  for (const KernelVersion &version : reverse(versions)) {
    ValueToValueMapTy values;
    Function *copy = CloneFunction(&kernel, values);
    copy->setName(name + "_" + version.name);
    copy->addFnAttr("target-features", version.features);
    copies.push_back(copy);
    best = builder.CreateSelect(
        builder.CreateICmpSGE(level, builder.getInt64(version.level)), copy,
        best);
  }
  builder.CreateRet(best);
  return choice;
}

/// Writes a function with a kernel's former name, linkage and users that calls
/// what `choice` returns.
static void writeForwarder(Function &kernel, StringRef name,
                           GlobalValue::LinkageTypes linkage,
                           Function &choice) {
  auto *forwarder = Function::Create(kernel.getFunctionType(), linkage, name,
                                     kernel.getParent());
  forwarder->setCallingConv(kernel.getCallingConv());
  kernel.replaceUsesWithIf(forwarder, [&](Use &use) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    return !user || user->getFunction() != &choice;
  });
  IRBuilder<> builder(BasicBlock::Create(kernel.getContext(), "", forwarder));
  SmallVector<Value *> arguments;
  for (Argument &argument : forwarder->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(kernel.getFunctionType(),
                                      builder.CreateCall(&choice), arguments);
  call->setCallingConv(kernel.getCallingConv());
  builder.CreateRetVoid();
}

SmallVector<Function *> tamc::writeVersions(Module &module,
                                            ArrayRef<KernelVersion> versions) {
  SmallVector<Function *> copies;
  for (Function *kernel : findKernels(module)) {
    kernel->removeFnAttr(tamk::kVersionsAttrName);
    const std::string name = kernel->getName().str();
    const GlobalValue::LinkageTypes linkage = kernel->getLinkage();
    kernel->setName(name + "_baseline");
    kernel->setLinkage(Function::InternalLinkage);
    SmallVector<CallInst *> calls;
    for (User *user : kernel->users())
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledOperand() == kernel)
        calls.push_back(call);
    Function *choice = writeChoice(*kernel, name, versions, copies);
    // Chosen first, so that no argument has to be kept meanwhile.
    for (CallInst *call : calls) {
      BasicBlock &entry = call->getFunction()->getEntryBlock();
      IRBuilder<> builder(&*entry.getFirstNonPHIOrDbgOrAlloca());
      call->setCalledOperand(builder.CreateCall(choice));
    }
    // All that is left to use the kernel itself are addresses in constants.
    if (!GlobalValue::isLocalLinkage(linkage) || !kernel->hasNUses(1))
      writeForwarder(*kernel, name, linkage, *choice);
  }
  return copies;
}
