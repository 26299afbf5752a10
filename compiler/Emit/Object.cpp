//===- Object.cpp - from the LLVM dialect to machine code -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Object.h"

#include "StackDepth.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/abi.h"

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

/// A level of the x86-64 psABI and the features by which a CPU of that level is
/// recognised.
struct CpuLevel {
  int64_t number;
  llvm::StringLiteral name, features;
};

static constexpr CpuLevel levels[] = {
    {TAMRT_CPU_X86_64_V4, "x86-64-v4",
     "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+avx512f,+avx512bw,+avx512cd,"
     "+avx512dq,+avx512vl"},
    {TAMRT_CPU_X86_64_V3, "x86-64-v3",
     "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"},
    {TAMRT_CPU_X86_64_V2, "x86-64-v2", "+cx16,+popcnt,+sahf,+sse4.2,+ssse3"},
    {TAMRT_CPU_BASELINE, "x86-64", ""},
};

static std::unique_ptr<llvm::TargetMachine>
createTarget(llvm::StringRef cpu, llvm::StringRef features,
             std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // Steps are calls with constant offsets: the code of the fast selector is as
  // good, and it is several times faster with many rungs.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Less));
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(cpu)) {
    error = "unknown CPU '" + cpu.str() + "'";
    return nullptr;
  }
  return machine;
}

/// The highest level of a CPU; null, with `error` set, if the CPU is unknown.
static const CpuLevel *levelOf(llvm::StringRef cpu, std::string &error) {
  std::string name = cpu.str(), features;
  if (cpu == "native") {
    // The features of the CPU's name may be wrong: a virtual machine may hide
    // some.
    name = "x86-64";
    llvm::SubtargetFeatures list;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      list.AddFeature(feature.getKey(), feature.getValue());
    features = list.getString();
  }
  std::unique_ptr<llvm::TargetMachine> machine =
      createTarget(name, features, error);
  if (!machine)
    return nullptr;
  return llvm::find_if(levels, [&](const CpuLevel &level) {
    return level.features.empty() ||
           machine->getMCSubtargetInfo()->checkFeatures(level.features.str());
  });
}

std::optional<int64_t> tamc::cpuLevel(llvm::StringRef cpu, std::string &error) {
  const CpuLevel *level = levelOf(cpu, error);
  return level ? std::optional(level->number) : std::nullopt;
}

/// Tunes for a CPU, which need not be the one whose instructions are used.
static void tuneFor(llvm::Module &module, llvm::StringRef cpu) {
  if (cpu == "native")
    cpu = llvm::sys::getHostCPUName();
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("tune-cpu", cpu);
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

FailureOr<int64_t> tamc::emitCode(ModuleOp module, CodeKind kind,
                                  const CodeOptions &options,
                                  llvm::raw_pwrite_stream &out) {
  std::string error;
  // Only the level of the requested CPU counts: that is what a model can check
  // on the machine where it runs.
  const CpuLevel *level = levelOf(options.cpu, error);
  std::unique_ptr<llvm::TargetMachine> machine =
      level ? createTarget(level->name, "", error) : nullptr;
  if (!machine)
    return module.emitError("cannot generate code: ") << error;
  auto begin = [&](llvm::StringRef stage) {
    if (options.onStage)
      options.onStage(stage);
  };
  begin("translate");
  llvm::LLVMContext context;
  // A constant name: the object must not contain the path of its source.
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "model");
  if (!code)
    return module.emitError("cannot translate to LLVM IR");
  code->setSourceFileName("model");
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  if (options.cpu != level->name)
    tuneFor(*code, options.cpu);
  begin("optimize");
  optimize(*code, *machine);
  begin("generate");
  StackDepth stack(*code);
  if (kind == CodeKind::LLVM) {
    code->print(out, nullptr);
    return 0;
  }
  llvm::legacy::PassManager emit;
  auto type = kind == CodeKind::Assembly ? llvm::CodeGenFileType::AssemblyFile
                                         : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(emit, out, nullptr, type))
    return module.emitError("the target cannot write this kind of file");
  emit.run(*code);
  constexpr int64_t kMaxStack = TAMRT_STACK_BYTES - TAMRT_RUNTIME_STACK_BYTES;
  int64_t bytes = stack.deepest();
  if (bytes > kMaxStack)
    return module.emitError("expected steps that need at most ")
           << kMaxStack << " bytes of stack, got " << bytes;
  return bytes;
}
