//===- Object.cpp - from the LLVM dialect to machine code -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Target/Object.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;

static std::unique_ptr<llvm::TargetMachine>
createTarget(const tamc::CodeOptions &options, std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::string cpu = options.cpu, features;
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures list;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      list.AddFeature(feature.getKey(), feature.getValue());
    features = list.getString();
  }
  // Steps are calls with constant offsets: the fast selector loses nothing and
  // is several times quicker on many rungs.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Less));
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(cpu)) {
    error = "unknown CPU '" + cpu + "'";
    return nullptr;
  }
  return machine;
}

/// Adds the features that functions ask for to those of the machine, the place
/// of which they would take otherwise: a machine may lack what its name stands
/// for.
static void addFeatures(llvm::Module &module,
                        const llvm::TargetMachine &machine) {
  constexpr llvm::StringLiteral name = "target-features";
  std::string known = machine.getTargetFeatureString().str();
  if (known.empty())
    return;
  for (llvm::Function &function : module)
    if (llvm::Attribute own = function.getFnAttribute(name); own.isValid())
      function.addFnAttr(name, known + "," + own.getValueAsString().str());
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
}

LogicalResult tamc::emitCode(ModuleOp module, CodeKind kind,
                             const CodeOptions &options,
                             llvm::raw_pwrite_stream &out) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTarget(options, error);
  if (!machine)
    return module.emitError("cannot generate code: ") << error;
  llvm::LLVMContext context;
  // A constant name: the object must not tell where its source lay.
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "model");
  if (!code)
    return module.emitError("cannot translate to LLVM IR");
  code->setSourceFileName("model");
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  addFeatures(*code, *machine);
  optimize(*code, *machine);
  if (kind == CodeKind::LLVM) {
    code->print(out, nullptr);
    return success();
  }
  llvm::legacy::PassManager emit;
  auto type = kind == CodeKind::Assembly ? llvm::CodeGenFileType::AssemblyFile
                                         : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(emit, out, nullptr, type))
    return module.emitError("the target cannot write this kind of file");
  emit.run(*code);
  return success();
}
