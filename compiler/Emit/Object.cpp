//===- Object.cpp - from the LLVM dialect to machine code -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Object.h"

#include "IdlePasses.h"
#include "KernelVersions.h"
#include "StackDepth.h"

#include "tamc/Dialect/Tam/IR/OtherModels.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Target/Target.h"
#include "tamrt/abi.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace mlir;
using namespace tamc;

/// Tunes for a CPU, which need not be the one whose instructions are used.
static void tuneFor(llvm::Module &module, llvm::StringRef cpu) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("tune-cpu", cpu);
}

/// Sets an option that LLVM reads from its command line alone, unless it is
/// there. An LLVM without the option is slower, no more.
static void setOption(llvm::StringRef name, llvm::StringRef value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find(name);
  if (option != options.end() && !option->second->getNumOccurrences())
    option->second->addOccurrence(0, name, value);
}

/// Passes that are left out. They do not change generated code, which has no
/// indirect calls, integer divisions, copies of arrays or invariant branches in
/// loops, and is vectors already. MemCpyOptPass alone, which compares each
/// store with those after it in its block, is 70% of the time for a model of
/// 300 terms with it.
static constexpr llvm::StringLiteral kIdlePasses[] = {
    "ADCEPass",
    "BDCEPass",
    "DivRemPairsPass",
    "CalledValuePropagationPass",
    "Float2IntPass",
    "GlobalOptPass",
    "LoopDeletionPass",
    "LoopIdiomRecognizePass",
    "LoopLoadEliminationPass",
    "LoopSinkPass",
    "LoopVectorizePass",
    "MemCpyOptPass",
    "PostOrderFunctionAttrsPass",
    "SCCPPass",
    "SimpleLoopUnswitchPass"};

llvm::ArrayRef<llvm::StringLiteral> tamc::getIdlePasses() {
  return kIdlePasses;
}

/// Optimises a module and, last, makes versions of its kernels.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::ArrayRef<KernelVersion> versions,
                     llvm::function_ref<bool(llvm::StringRef)> runsIdlePass) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef pass, llvm::Any) {
        return !llvm::is_contained(kIdlePasses, pass) || runsIdlePass(pass);
      });
  // Generated code is vectors already.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  if (!versions.empty())
    keepKernels(module);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
  if (versions.empty())
    return;
  // Of the passes, these alone make other code for other instruction sets.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(llvm::InstCombinePass());
  for (llvm::Function *copy : writeVersions(module, versions))
    passes.run(*copy, functions);
}

/// Translates a module for a machine; null after an error.
static std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  // A constant name: the object must not contain the path of its source.
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "model");
  if (!code) {
    module.emitError("cannot translate to LLVM IR");
    return nullptr;
  }
  code->setSourceFileName("model");
  code->setDataLayout(machine.createDataLayout());
  code->setTargetTriple(machine.getTargetTriple());
  return code;
}

/// Links the module of another model into `code`. All that has the same name in
/// both is internal, so that the linker renames it.
static LogicalResult linkOther(ModuleOp other, llvm::Module &code,
                               llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> part =
      translate(other, code.getContext(), machine);
  if (!part)
    return failure();
  if (llvm::Linker::linkModules(code, std::move(part)))
    return other.emitError("cannot link the module '@")
           << other.getSymName().value_or("") << "'";
  return success();
}

/// Makes the constants of the other models internal. It is an error if the
/// module of one that is referred to is not there.
static LogicalResult hideOthers(ModuleOp module, llvm::Module &code) {
  for (auto [name, constant] : tam::kOtherModels) {
    llvm::GlobalVariable *model = code.getNamedGlobal(constant);
    if (!model)
      continue;
    if (model->isDeclaration())
      return module.emitError("expected the module '@")
             << name << "' of the model '" << constant << "', got none";
    model->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return success();
}

FailureOr<int64_t> tamc::emitCode(ModuleOp module, CodeKind kind,
                                  const CodeOptions &options,
                                  llvm::raw_pwrite_stream &out) {
  return emitCode(
      module, kind, options, [](llvm::StringRef) { return false; }, out);
}

FailureOr<int64_t>
tamc::emitCode(ModuleOp module, CodeKind kind, const CodeOptions &options,
               llvm::function_ref<bool(llvm::StringRef)> runsIdlePass,
               llvm::raw_pwrite_stream &out) {
  FailureOr<std::unique_ptr<Target>> target = targetOf(module);
  if (failed(target))
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = (*target)->createMachine();
  auto begin = [&](llvm::StringRef stage) {
    if (options.onStage)
      options.onStage(stage);
  };
  begin("translate");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translate(module, context, *machine);
  if (!code)
    return failure();
  for (ModuleOp other : options.others)
    if (failed(linkOther(other, *code, *machine)))
      return failure();
  if (failed(hideOthers(module, *code)))
    return failure();
  if (llvm::StringRef cpu = (*target)->getTuneCpu(); !cpu.empty())
    tuneFor(*code, cpu);
  begin("optimize");
  optimize(*code, *machine, (*target)->getVersions(), runsIdlePass);
  begin("generate");
  // The scheduler compares an access to memory with so many before it in its
  // block, by default 1,000. A row loop is one block of some hundreds:
  // comparing all takes longer, and makes the code no faster. But where only 64
  // are compared the load model's loop keeps vectors on the stack, and takes 3%
  // longer.
  setOption("dag-maps-huge-region", "256");
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
