//===- PassesTest.cpp - the solver graph after each pass ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random formulas of all terms through the phases `choices` and `tile`. After
/// each pass the reference interpreter runs the module, and what it computes is
/// compared with what the imported one does. TAMC_PASSES_CASES in the
/// environment asks for more cases than the usual ones, TAMC_PASSES_SEED for
/// other ones.
///
//===----------------------------------------------------------------------===//

#include "RandomFormula.h"
#include "Sample.h"

#include "tamc/Conversion/SpecToTam.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Pipelines/Pipelines.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

static uint32_t fromEnvironment(const char *name, uint32_t usual) {
  const char *text = std::getenv(name);
  auto value = parseNumber(text ? text : "");
  return value ? static_cast<uint32_t>(*value) : usual;
}

namespace {

/// A random spec with rows for it, and options that let passes find work.
struct Case {
  explicit Case(uint32_t seed) : random(seed) {
    std::vector<std::string> groups{"north", "south", "west"};
    groups.resize(random.integer(1, 3));
    text = "name: random\nformula: >-\n  " + randomFormula(random, 7) +
           "\ngroup: g\n";
    if (random.flip())
      text += "weights: w\n";
    train = randomRows(random, groups, 60, 1);
    fresh = randomRows(random, groups, 20, 3);
    options.mergeColumns = random.pick<int64_t>({0, 2, 2, 3});
    options.rowsPerLevel = random.pick<int64_t>({0, 1, 1});
    options.dense = random.integer(0, 9) == 0;
    options.fuseRows = random.integer(0, 9) > 0;
    options.panels = random.integer(0, 9) > 0;
    options.bothSolvers = random.integer(0, 2) == 0;
    options.maxDirect = random.integer(0, 4) == 0 ? 0 : 7500;
    options.blockLimit = random.pick<int64_t>({4, 512});
    chunkRows = random.integer(1, 40);
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context, std::string &errors);

  Random random;
  std::string text;
  Table train, fresh;
  PipelineOptions options;
  int64_t chunkRows = 1;
};

/// Interprets the module after each pass; stops at the first that changes what
/// it computes.
class AfterEachPass : public PassInstrumentation {
public:
  AfterEachPass(const Sample &sample, Results imported, int64_t chunkRows,
                std::set<std::string> &worked, std::string &found)
      : sample(sample), before(imported), imported(std::move(imported)),
        chunkRows(chunkRows), worked(worked), found(found) {}

  void runBeforePass(Pass *, Operation *op) override {
    text.clear();
    llvm::raw_string_ostream(text) << *op;
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    std::string after;
    llvm::raw_string_ostream(after) << *op;
    if (after == text || !found.empty())
      return;
    worked.insert(pass->getArgument().str());
    auto results = Results::of(cast<ModuleOp>(op), sample, chunkRows);
    if (failed(results)) {
      found = "after " + pass->getArgument().str() + ": cannot be interpreted";
      return;
    }
    // What the imported module did not have must not change from here on.
    found = imported.findDifference(*results);
    if (found.empty())
      found = before.findDifference(*results);
    if (!found.empty())
      found = "after " + pass->getArgument().str() + ": " + found;
    before = std::move(*results);
  }

private:
  const Sample &sample;
  Results before, imported;
  int64_t chunkRows;
  std::set<std::string> &worked;
  std::string &found;
  std::string text;
};

} // namespace

OwningOpRef<ModuleOp> Case::import(MLIRContext &context, std::string &errors) {
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *errors) {
        llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
        diagnostic.print(nullptr, stream);
      },
      &errors);
  unsigned buffer = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "random.yaml"), {});
  std::string profile = train.toCsv();
  auto spec = spec::parseSpec(sources, buffer);
  if (!spec || !spec::resolveLevels(
                   sources, *spec, llvm::MemoryBufferRef(profile, "train.csv")))
    return {};
  return importSpec(context, sources, *spec);
}

/// Takes one case through the passes and returns what went wrong.
static std::string runCase(uint32_t seed, std::set<std::string> &worked) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, tam::TamDialect>();
  std::string errors;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
  });
  Case sample(seed);
  auto module = sample.import(context, errors);
  if (!module)
    return sample.text + errors;
  Sample rows = makeSample(*module, sample.train, sample.fresh, sample.random);
  auto imported = Results::of(*module, rows, sample.chunkRows);
  if (failed(imported))
    return sample.text + errors;
  std::string found;
  PassManager manager(&context);
  buildPipeline(manager, Phase::Import, Phase::Tile, sample.options);
  manager.addInstrumentation(std::make_unique<AfterEachPass>(
      rows, std::move(*imported), sample.chunkRows, worked, found));
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
  // Each pass had something to do.
  std::set<std::string> all{"tam-choose-solver",   "tam-merge-columns",
                            "tam-compress-levels", "tam-choose-encodings",
                            "tam-share-sums",      "tam-choose-layouts",
                            "tam-tile-rows",       "tam-fuse-rows"};
  if (count >= 400) {
    EXPECT_EQ(all, worked);
  }
}
