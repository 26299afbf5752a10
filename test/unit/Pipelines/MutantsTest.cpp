//===- MutantsTest.cpp - what passes do with modules nobody wrote ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Mutants: solver graphs of random formulas, after a random number of passes,
/// with random changes (Mutator.h). A verifier, a pass or the reference
/// interpreter must report an error, or the mutant must go through all other
/// passes and be interpreted. Anything else is a finding: a failure without a
/// diagnostic, a module that a pass leaves invalid, a crash. Each mutant has
/// its own process, so that the test survives a crash.
///
/// A mutant that can be interpreted before a pass on tam must compute the same
/// after it.
///
/// In the environment: TAMC_MUTANTS is the number of mutants,
/// TAMC_MUTANTS_FIRST the first one. TAMC_MUTANTS_FOLDER is a folder for a file
/// per finding, whose comments have the command that reproduces it.
///
//===----------------------------------------------------------------------===//

#include "AfterEachPass.h"
#include "ImportText.h"
#include "Mutator.h"
#include "RandomCase.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/InitAll.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

/// Mutants of one formula: importing a formula takes as long as several
/// mutants.
static constexpr uint32_t kMutantsPerCase = 20;

/// Most seconds of processor time that a mutant takes.
static constexpr rlim_t kMaxSeconds = 60;

/// Largest size of a tensor of a module that is interpreted.
static constexpr int64_t kMaxSize = 1024;

namespace {

/// Outcome of a mutant, which is the exit status of its process. Compared ones
/// are compiled, too.
enum class Fate : uint8_t { Refused, Failed, Compiled, Compared, Finding };

/// The passes of a pipeline as the command line has them.
struct Passes {
  explicit Passes(const PipelineOptions &options) {
    tiled = add(Phase::Import, Phase::Tile, options);
    planned = add(Phase::Tile, Phase::Plan, options);
    add(Phase::Plan, Phase::LLVM, options);
  }

  /// Runs passes first..end-1, watched if it is for a mutant, and with
  /// `comparison`, unless it is null.
  LogicalResult run(ModuleOp module, size_t first, size_t end,
                    bool isWatched = true,
                    std::unique_ptr<AfterEachPass> comparison = nullptr) const;

  std::vector<std::string> all;
  /// Number of passes to a tiled module, the last form that the interpreter
  /// supports, and to a planned one, the last form that is mutated: later ones
  /// are in MLIR's dialects.
  size_t tiled, planned;

private:
  size_t add(Phase from, Phase to, const PipelineOptions &options) {
    OpPassManager manager(ModuleOp::getOperationName());
    for (Phase phase : allPhases())
      if (phase > from && phase <= to)
        buildPhase(manager, phase, to, options);
    for (Pass &pass : manager.getPasses()) {
      llvm::raw_string_ostream text(all.emplace_back());
      pass.printAsTextualPipeline(text);
    }
    return all.size();
  }
};

/// Prints the running pass on the standard error, and ends the process if a
/// pass leaves an invalid module.
class Watch : public PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *) override {
    llvm::errs() << "pass " << pass->getArgument() << "\n";
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (succeeded(verify(op)))
      return;
    llvm::errs() << "finding: " << pass->getArgument()
                 << " leaves a broken module\n";
    _exit(static_cast<int>(Fate::Finding));
  }
};

/// A random formula, and its module before each pass.
class Family {
public:
  Family(MLIRContext &context, uint32_t seed)
      : source(seed, /*terms=*/4, /*rows=*/18), passes(source.options) {
    std::string errors;
    auto module = importText(context, source.text, source.train, errors);
    EXPECT_TRUE(module) << source.text << errors;
    if (!module)
      return;
    sample = makeSample(*module, source.train, source.fresh, source.random);
    for (size_t i = 0; i <= passes.planned; ++i) {
      modules.push_back(module->clone());
      if (i < passes.planned &&
          failed(passes.run(*module, i, i + 1, /*isWatched=*/false))) {
        ADD_FAILURE() << source.text << passes.all[i];
        return;
      }
    }
  }

  /// The outcome of another mutant. A finding is in `text`, and in a file
  /// `name` in `folder` if there is one.
  Fate mutate(Random &random, const std::string &name, const char *folder,
              std::string &text);

private:
  /// In a process of its own.
  Fate judge(ModuleOp mutant, size_t next) const;
  bool canBeInterpreted(ModuleOp mutant) const;

  RandomCase source;
  Passes passes;
  Sample sample;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

/// Counts and keeps the errors of a context.
class Errors {
public:
  explicit Errors(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return;
          llvm::errs() << "error: " << diagnostic.str() << "\n";
          ++count;
        }) {}
  size_t count = 0;

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

LogicalResult Passes::run(ModuleOp module, size_t first, size_t end,
                          bool isWatched,
                          std::unique_ptr<AfterEachPass> comparison) const {
  PassManager manager(module.getContext());
  auto some = ArrayRef(all).slice(first, end - first);
  if (failed(parsePassPipeline(llvm::join(some, ","), manager, llvm::errs())))
    return failure();
  if (isWatched) {
    manager.enableVerifier(false);
    // After a pass the last instrumentation comes first: no broken module is
    // interpreted.
    if (comparison)
      manager.addInstrumentation(std::move(comparison));
    manager.addInstrumentation(std::make_unique<Watch>());
  }
  return manager.run(module);
}

/// Whether a function has the name of its step, such as @cg_small_blocks_init
/// that of cg_init: passes go by the step, the interpreter by the name. A
/// function that is not tiled yet has the step of its last part, but a fit has
/// none.
static bool hasNameOfStep(func::FuncOp function) {
  auto step = function->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
  if (!step)
    return function.getName() == "fit" || function.getName() == "fit_by_levels";
  StringRef kind = tam::stringifyStepKind(step.getKind());
  StringRef name = function.getName();
  for (StringRef part : {"_init", "_chunk", "_finish", "_infer", "_system"}) {
    const bool isNamed = name.consume_back(part);
    if (kind.consume_back(part))
      return name.starts_with(kind) && (isNamed || part == "_finish");
    if (isNamed)
      return false;
  }
  return name.starts_with(kind);
}

/// The interpreter skips mutants with huge tensors, and those with functions
/// that are not what their names say.
bool Family::canBeInterpreted(ModuleOp mutant) const {
  bool isSmall = true;
  mutant.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                  llvm::to_vector(op->getResultTypes())))
      if (auto shaped = dyn_cast<ShapedType>(type))
        for (int64_t size : shaped.getShape())
          isSmall &= size <= kMaxSize;
  });
  return isSmall && llvm::all_of(mutant.getOps<func::FuncOp>(), hasNameOfStep);
}

Fate Family::judge(ModuleOp mutant, size_t next) const {
  Errors errors(*mutant.getContext());
  auto isQuiet = [&](StringRef what) {
    if (errors.count > 0)
      return false;
    llvm::errs() << "finding: " << what << " without a diagnostic\n";
    return true;
  };
  if (failed(verify(mutant)))
    return isQuiet("refused by the verifier") ? Fate::Finding : Fate::Refused;
  Fate end = Fate::Compiled;
  if (next < passes.tiled) {
    std::string found;
    std::unique_ptr<AfterEachPass> comparison;
    if (canBeInterpreted(mutant)) {
      llvm::errs() << "interpreted\n";
      auto results = Results::of(mutant, sample, source.chunkRows);
      if (failed(results) && isQuiet("not interpreted"))
        return Fate::Finding;
      errors.count = 0;
      // Numbers that are not finite differ from themselves, and so do systems
      // that are too badly conditioned, and an @apply of another matrix than
      // that of @fit: those are left out.
      if (succeeded(results) && results->findDifference(*results).empty()) {
        comparison = std::make_unique<AfterEachPass>(
            sample, std::move(*results), source.chunkRows, found);
        end = Fate::Compared;
      }
    }
    LogicalResult status =
        passes.run(mutant, next, passes.tiled,
                   /*isWatched=*/true, std::move(comparison));
    if (!found.empty()) {
      llvm::errs() << "finding: " << found << "\n";
      return Fate::Finding;
    }
    if (failed(status))
      return isQuiet("failed") ? Fate::Finding : Fate::Failed;
    next = passes.tiled;
  }
  if (next == passes.tiled && canBeInterpreted(mutant)) {
    llvm::errs() << "interpreted after passes\n";
    if (failed(Results::of(mutant, sample, source.chunkRows)) &&
        isQuiet("not interpreted"))
      return Fate::Finding;
    errors.count = 0;
  }
  if (failed(passes.run(mutant, next, passes.all.size())))
    return isQuiet("failed") ? Fate::Finding : Fate::Failed;
  return end;
}

/// Runs `body` in a process of its own, whose standard error is `text`.
static Fate isolate(llvm::function_ref<Fate()> body, std::string &text) {
  std::FILE *file = std::tmpfile();
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(file), STDERR_FILENO);
    const rlimit limit = {kMaxSeconds, kMaxSeconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    // One that only waits takes none.
    alarm(20 * kMaxSeconds);
    Fate fate = body();
    _exit(static_cast<int>(fate));
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::rewind(file);
  std::array<char, 4096> buffer;
  while (size_t count = std::fread(buffer.data(), 1, buffer.size(), file))
    text.append(buffer.data(), count);
  std::fclose(file);
  if (WIFEXITED(status) &&
      WEXITSTATUS(status) <= static_cast<int>(Fate::Finding))
    return static_cast<Fate>(WEXITSTATUS(status));
  text += WIFSIGNALED(status)
              ? std::string("finding: ") + strsignal(WTERMSIG(status)) + "\n"
              : "finding: exit status " + std::to_string(WEXITSTATUS(status)) +
                    "\n";
  return Fate::Finding;
}

Fate Family::mutate(Random &random, const std::string &name, const char *folder,
                    std::string &text) {
  size_t next = random.integer(0, static_cast<int64_t>(modules.size()) - 1);
  OwningOpRef<ModuleOp> mutant = modules[next]->clone();
  std::string changes;
  {
    ScopedDiagnosticHandler ignored(mutant->getContext(),
                                    [](Diagnostic &) { return success(); });
    // What a verifier refuses may lack what a change needs.
    for (int64_t i = random.pick<int64_t>({1, 1, 1, 2, 3});
         i > 0 && succeeded(verify(*mutant)); --i)
      changes += "// " + tamc::reference::mutate(*mutant, random) + "\n";
  }
  Fate fate = isolate([&] { return judge(*mutant, next); }, text);
  if (fate != Fate::Finding)
    return fate;
  text = changes + text;
  if (!folder)
    return fate;
  std::error_code error;
  llvm::raw_fd_ostream file(std::string(folder) + "/" + name + ".mlir", error);
  if (error)
    return fate;
  std::vector<std::string> rest(passes.all.begin() + next, passes.all.end());
  file << "// tam-opt FILE --pass-pipeline='builtin.module("
       << llvm::join(rest, ",") << ")'\n"
       << changes;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines)
    file << "// " << line << "\n";
  mutant->print(file, OpPrintingFlags().printGenericOpForm());
  return fate;
}

TEST(Mutants, AreRefusedOrCompiled) {
  uint32_t first = fromEnvironment("TAMC_MUTANTS_FIRST", 0);
  uint32_t count = fromEnvironment("TAMC_MUTANTS", 500);
  const char *folder = std::getenv("TAMC_MUTANTS_FOLDER");
  llvm::sys::PrintStackTraceOnErrorSignal("MutantsTest");
  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  std::array<uint32_t, 5> fates{};
  std::optional<MLIRContext> context;
  std::optional<Family> family;
  for (uint32_t i = first; i < first + count; ++i) {
    uint32_t seed = i / kMutantsPerCase;
    if (!family || i % kMutantsPerCase == 0) {
      family.reset();
      context.emplace(registry, MLIRContext::Threading::DISABLED);
      context->loadAllAvailableDialects();
      ScopedDiagnosticHandler ignored(&*context,
                                      [](Diagnostic &) { return success(); });
      family.emplace(*context, seed);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    Random random(i);
    std::string text;
    Fate fate = family->mutate(random, std::to_string(i), folder, text);
    ++fates[static_cast<size_t>(fate)];
    if (fate == Fate::Finding)
      ADD_FAILURE() << "mutant " << i << "\n" << text;
  }
  // Enough mutants must pass the verifiers to test the passes.
  auto of = [&](Fate fate) { return fates[static_cast<size_t>(fate)]; };
  uint32_t compiled = of(Fate::Compiled) + of(Fate::Compared);
  std::printf("refused by verifiers %u, by passes %u; compiled %u, compared "
              "%u; findings %u\n",
              of(Fate::Refused), of(Fate::Failed), compiled, of(Fate::Compared),
              of(Fate::Finding));
  if (count >= 500) {
    EXPECT_GT(5 * compiled, count);
    EXPECT_GT(20 * of(Fate::Failed), count);
    EXPECT_GT(20 * of(Fate::Compared), count);
  }
}
