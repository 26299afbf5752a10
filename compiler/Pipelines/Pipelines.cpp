//===- Pipelines.cpp - phases of compilation ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Pipelines/Pipelines.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamc/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tamc;

namespace {
struct NamedPhase {
  Phase phase;
  StringRef name;
};
} // namespace

static constexpr NamedPhase phases[] = {
    {Phase::Import, "import"},   {Phase::Choices, "choices"},
    {Phase::Tile, "tile"},       {Phase::Loops, "loops"},
    {Phase::Kernels, "kernels"}, {Phase::Bufferize, "bufferize"},
    {Phase::Rungs, "rungs"},     {Phase::Plan, "plan"},
    {Phase::LLVM, "llvm"},
};

StringRef tamc::toString(Phase phase) {
  return phases[static_cast<size_t>(phase)].name;
}

std::optional<Phase> tamc::parsePhase(StringRef name) {
  for (const NamedPhase &entry : phases)
    if (entry.name == name)
      return entry.phase;
  return {};
}

ArrayRef<Phase> tamc::allPhases() {
  static constexpr Phase all[] = {
      Phase::Import, Phase::Choices, Phase::Tile,
      Phase::Loops,  Phase::Kernels, Phase::Bufferize,
      Phase::Rungs,  Phase::Plan,    Phase::LLVM};
  return all;
}

static void buildChoices(OpPassManager &manager,
                         const PipelineOptions &options) {
  tam::TamMergeColumnsOptions columns;
  columns.least = options.mergeColumns;
  manager.addPass(tam::createTamMergeColumns(columns));
  tam::TamChooseSolverOptions solver;
  solver.maxDirect = options.maxDirect;
  solver.blockLimit = options.blockLimit;
  solver.smallBlockLimit = options.smallBlockLimit;
  solver.minCg = options.minCg;
  manager.addPass(tam::createTamChooseSolver(solver));
  // The passes above read one op for all pairs of effects.
  manager.addPass(tam::createTamWriteSums());
  // Sums by levels need one-hot matrices.
  if (!options.dense) {
    tam::TamCompressLevelsOptions levels;
    levels.rowsPerLevel = options.rowsPerLevel;
    manager.addPass(tam::createTamCompressLevels(levels));
  }
  tam::TamChooseEncodingsOptions encodings;
  encodings.dense = options.dense;
  manager.addPass(tam::createTamChooseEncodings(encodings));
  if (options.fuseRows) {
    tam::TamBoundRowLoopsOptions loops;
    loops.mostWords = options.rowWords;
    manager.addPass(tam::createTamBoundRowLoops(loops));
  }
  if (!options.dense) {
    tam::TamMergeApartOptions apart;
    apart.least = options.mergeColumns;
    apart.loops = options.fuseRows;
    manager.addPass(tam::createTamMergeApart(apart));
  }
  if (options.fuseRows && options.panels) {
    manager.addPass(tam::createTamShareSums());
    manager.addPass(tam::createTamChooseLayouts());
  }
  if (options.fuseRows) {
    tam::TamJoinPairsOptions pairs;
    pairs.least = options.joinPairs;
    manager.addPass(tam::createTamJoinPairs(pairs));
  }
  manager.addPass(tam::createTamAddInference());
  manager.addPass(tam::createTamVerifyChoices());
}

/// Adds a canonicalizer of steps, each of which is one block: there are no
/// regions to simplify.
static void addCanonicalizer(OpPassManager &manager) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass(config));
}

static void buildBufferize(OpPassManager &manager) {
  manager.addPass(tamk::createTamKBufferize());
  addCanonicalizer(manager);
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  manager.addPass(tamk::createTamKVerifyBufferized());
}

static void buildPlan(OpPassManager &manager, const PipelineOptions &options) {
  tamk::PlanMemoryOptions plan;
  plan.strategy = options.strategy;
  plan.reuse = options.reuse;
  plan.strict = true;
  plan.report = false;
  manager.addPass(tamk::createPlanMemory(plan));
  manager.addPass(tamk::createTamKVerifyPlanned());
}

void tamc::buildPhase(OpPassManager &manager, Phase phase, Phase last,
                      const PipelineOptions &options) {
  switch (phase) {
  case Phase::Import:
    return;
  case Phase::Choices:
    return buildChoices(manager, options);
  case Phase::Tile:
    manager.addPass(tam::createTamTileRows());
    if (options.fuseRows)
      manager.addPass(tam::createTamFuseRows());
    manager.addPass(tam::createTamVerifyTiled());
    return;
  case Phase::Loops:
    manager.addPass(createConvertTamRowsToLoops());
    manager.addPass(createVerifyRowLoops());
    return;
  case Phase::Kernels:
    manager.addPass(createConvertTamToTamK());
    // Removes unused constants. There is no CSE before bufferization: it would
    // merge destinations. Row loops are left as they are, here and below.
    addCanonicalizer(manager);
    manager.addPass(tamk::createTamKVerifyLaunches());
    return;
  case Phase::Bufferize:
    return buildBufferize(manager);
  case Phase::Rungs: {
    tamk::TamKSpecializeRungsOptions rungs;
    rungs.chunkRows = options.chunkRows;
    // Rungs without launches are of use to the next two phases alone.
    if (last == Phase::LLVM && options.reuse == planning::Reuse::Program)
      rungs.shareLaunches = options.tableOperands;
    manager.addPass(tamk::createTamKSpecializeRungs(rungs));
    return;
  }
  case Phase::Plan:
    return buildPlan(manager, options);
  case Phase::LLVM: {
    ConvertTamKToLLVMOptions code;
    code.tableOperands = options.tableOperands;
    code.library = !options.prefix.empty();
    manager.addPass(createConvertTamKToLLVM(code));
    ExportModelOptions model;
    model.symbol = options.symbol;
    model.windows = options.windows;
    model.devices = options.devices;
    model.entry = options.entry;
    model.prefix = options.prefix;
    model.version = TAMC_VERSION;
    manager.addPass(createExportModel(model));
    return;
  }
  }
}

LogicalResult
tamc::lowerBy(ModuleOp module, Phase phase, Phase last,
              const PipelineOptions &options,
              llvm::function_ref<LogicalResult(PassManager &)> configure) {
  PassManager manager(module.getContext());
  if (configure && failed(configure(manager)))
    return failure();
  buildPhase(manager, phase, last, options);
  // Once for a phase: after each pass it is a tenth of the time to compile a
  // model of 300 terms.
  manager.enableVerifier(false);
  if (failed(manager.run(module)))
    return failure();
  // Rungs are clones of what has been verified, and are verified when they are
  // planned.
  if (phase == Phase::Rungs && last > phase)
    return success();
  return verify(module);
}
