//===- PassesTest.cpp - the solver graph after each pass ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random formulas of all terms in the phases `choices` and `tile`. After each
/// pass the reference interpreter runs the module, and its results are compared
/// with those of the imported one. TAMC_PASSES_CASES in the environment is the
/// number of cases, TAMC_PASSES_SEED the seed.
///
//===----------------------------------------------------------------------===//

#include "AfterEachPass.h"
#include "ImportText.h"
#include "RandomCase.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/steps.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

TEST(Steps, HaveTheNamesOfTheRuntime) {
  ASSERT_EQ(tam::getMaxEnumValForStepKind() + 1,
            std::size(tamrt::stepDescriptions));
  for (const tamrt::StepDescription &step : tamrt::stepDescriptions)
    EXPECT_EQ(tam::stringifyStepKind(static_cast<tam::StepKind>(step.kind)),
              StringRef(step.name));
}

/// Runs the passes on one case and returns a message if it fails.
static std::string runCase(uint32_t seed, std::set<std::string> &worked) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, tam::TamDialect>();
  std::string errors;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
  });
  RandomCase sample(seed, /*terms=*/7, /*rows=*/60);
  auto module = importText(context, sample.text, sample.train, errors);
  if (!module)
    return sample.text + errors;
  Sample rows = makeSample(*module, sample.train, sample.fresh, sample.random);
  auto imported = Results::of(*module, rows, sample.chunkRows);
  if (failed(imported))
    return sample.text + errors;
  std::string found;
  PassManager manager(&context);
  for (Phase phase : {Phase::Choices, Phase::Tile})
    buildPhase(manager, phase, Phase::Tile, sample.options);
  manager.addInstrumentation(std::make_unique<AfterEachPass>(
      rows, std::move(*imported), sample.chunkRows, found, &worked));
  if (failed(manager.run(*module)) && found.empty())
    found = "a pass failed";
  return found.empty() ? "" : sample.text + found + "\n" + errors;
}

TEST(Passes, KeepTheMeaning) {
  uint32_t first = fromEnvironment("TAMC_PASSES_SEED", 0);
  uint32_t count = fromEnvironment("TAMC_PASSES_CASES", 400);
  std::set<std::string> worked;
  for (uint32_t seed = first; seed < first + count; ++seed)
    EXPECT_EQ("", runCase(seed, worked)) << "seed " << seed;
  // Each pass must have changed some module.
  std::set<std::string> all{
      "tam-merge-columns",   "tam-choose-solver",    "tam-write-sums",
      "tam-compress-levels", "tam-choose-encodings", "tam-bound-row-loops",
      "tam-merge-apart",     "tam-share-sums",       "tam-choose-layouts",
      "tam-join-pairs",      "tam-add-inference",    "tam-tile-rows",
      "tam-fuse-rows"};
  if (count >= 400) {
    EXPECT_EQ(all, worked);
  }
}
