//===- Jit.cpp - runs modules in this process -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "tamc/InitAll.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <cstdlib>
#include <cstring>

using namespace mlir;

std::unique_ptr<MLIRContext> tamc::test::makeContext() {
  [[maybe_unused]] static const bool once = [] {
    mlir::registerAllPasses();
    tamc::registerTamcPasses();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  tamc::registerTamcDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Added by `execute` to every program.
  context->loadDialect<linalg::LinalgDialect>();
  return context;
}

OwningOpRef<ModuleOp> tamc::test::parse(MLIRContext &context,
                                        const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module;
}

LogicalResult tamc::test::runPasses(ModuleOp module,
                                    const std::string &pipeline) {
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager)))
    return failure();
  return manager.run(module);
}

/// Runs what is asynchronous at one time that is allowed: where it is started,
/// or where it is waited for.
static void runAtOnce(ModuleOp module, bool isLate) {
  SmallVector<async::AwaitOp> awaits;
  module->walk([&](async::AwaitOp await) { awaits.push_back(await); });
  for (async::AwaitOp await : awaits) {
    auto execute = await.getOperand().getDefiningOp<async::ExecuteOp>();
    Block &body = execute.getBodyRegion().front();
    Operation *place = isLate ? await.getOperation() : execute.getOperation();
    body.getTerminator()->erase();
    place->getBlock()->getOperations().splice(place->getIterator(),
                                              body.getOperations());
    await.erase();
    execute.erase();
  }
}

/// Generates code without optimisation: each program runs once.
/// `ExecutionEngineOptions::jitCodeGenOptLevel` does not change the target
/// machine that the engine compiles with.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine() {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  return builder->createTargetMachine();
}

/// Calls a compiled program once; appends what `%out` then holds.
static void call(ExecutionEngine &engine, int64_t seed, int64_t outputs,
                 uint8_t garbage, const tamc::test::Sizes *sizes,
                 std::vector<int64_t> arenaBytes,
                 std::vector<uint64_t> &results) {
  std::vector<uint64_t> result(size_t(outputs), 0);
  auto describe = [](void *data, int64_t size) {
    return StridedMemRefType<char, 1>{
        static_cast<char *>(data), static_cast<char *>(data), 0, {size}, {1}};
  };
  auto out = describe(result.data(), outputs);
  std::vector<StridedMemRefType<char, 1>> descriptors;
  descriptors.reserve(arenaBytes.size() + 1);
  // What is called takes the addresses of values and of descriptors.
  std::vector<int64_t> values{seed};
  if (sizes)
    values.insert(values.end(), {(*sizes)[0], (*sizes)[1]});
  std::vector<void *> pointers{&out};
  pointers.reserve(arenaBytes.size() + 2);
  if (sizes)
    pointers.push_back(
        &descriptors.emplace_back(describe(nullptr, (*sizes)[2])));
  std::vector<void *> arguments{pointers.data()};
  for (int64_t &value : values)
    arguments.push_back(&value);
  if (sizes)
    arguments.push_back(&pointers[1]);

#ifdef __SANITIZE_ADDRESS__
  // Programs need not free what they allocate.
  __lsan::ScopedDisabler leaks;
#endif
  auto invoke = [&](const char *name) {
    if (llvm::Error error = engine.invokePacked(name, arguments))
      ADD_FAILURE() << llvm::toString(std::move(error));
  };
  if (llvm::any_of(arenaBytes, ShapedType::isDynamic)) {
    std::vector<int64_t> found(arenaBytes.size(), 0);
    // Several results are written to memory named by the first argument.
    void *several = found.data();
    std::vector<void *> saved = arguments;
    if (found.size() > 1)
      arguments.insert(arguments.begin(), &several);
    else
      arguments.push_back(found.data());
    invoke("_mlir_ciface_program_arena_size");
    arguments = saved;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(ShapedType::isDynamic(arenaBytes[i]) ||
                  arenaBytes[i] == found[i]);
      arenaBytes[i] = found[i];
    }
  }
  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
  for (int64_t bytes : arenaBytes) {
    // Exactly the requested bytes, so that a sanitizer detects accesses beyond
    // the end.
    memory.emplace_back(
        std::aligned_alloc(128, size_t((bytes + 127) / 128 * 128)), &std::free);
    std::memset(memory.back().get(), garbage, size_t(bytes));
    pointers.push_back(
        &descriptors.emplace_back(describe(memory.back().get(), bytes)));
    arguments.push_back(&pointers.back());
  }
  invoke("_mlir_ciface_program");
  results.insert(results.end(), result.begin(), result.end());
}

std::vector<uint64_t> tamc::test::execute(ModuleOp original, int64_t seed,
                                          int64_t outputs, uint8_t garbage,
                                          llvm::ArrayRef<Sizes> sizes) {
  OwningOpRef<ModuleOp> module(original.clone());
  auto program = module->lookupSymbol<func::FuncOp>("program");
  std::vector<int64_t> arenaBytes;
  for (Type type : program.getArgumentTypes().drop_front(sizes.empty() ? 2 : 5))
    arenaBytes.push_back(cast<MemRefType>(type).getDimSize(0));
  runAtOnce(*module, seed % 2 == 0);
  // Upstream frees only memory of the default space.
  module->walk([](memref::DeallocOp dealloc) {
    if (cast<MemRefType>(dealloc.getMemref().getType()).getMemorySpace())
      dealloc.erase();
  });
  // Upstream's copy of strided memory is a call into a library.
  module->walk([](memref::CopyOp copy) {
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  });
  if (failed(runPasses(
          *module, "func.func(convert-linalg-to-loops),expand-strided-metadata,"
                   "lower-affine,convert-scf-to-cf,convert-to-llvm,"
                   "reconcile-unrealized-casts"))) {
    ADD_FAILURE() << "cannot lower the program";
    return {};
  }
  auto machine = makeTargetMachine();
  if (!machine) {
    ADD_FAILURE() << llvm::toString(machine.takeError());
    return {};
  }
  auto engine = ExecutionEngine::create(*module, {}, std::move(*machine));
  if (!engine) {
    ADD_FAILURE() << llvm::toString(engine.takeError());
    return {};
  }
  std::vector<uint64_t> results;
  if (sizes.empty())
    call(**engine, seed, outputs, garbage, nullptr, arenaBytes, results);
  for (const Sizes &some : sizes)
    call(**engine, seed, outputs, garbage, &some, arenaBytes, results);
  return results;
}
