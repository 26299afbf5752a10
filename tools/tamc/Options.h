//===- Options.h - the command line of tamc ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TOOLS_TAMC_OPTIONS_H
#define TAMC_TOOLS_TAMC_OPTIONS_H

#include "tamc/Pipelines/Pipelines.h"
#include "tamc/Planning/Strategy.h"

#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

namespace tamc::options {

/// What --emit makes.
enum class Emit {
  Spec,
  MLIR,
  Plan,
  Drawing,
  Cpp,
  LLVM,
  Assembly,
  Object,
  Library,
  Executable
};

/// The phase from whose module an output is made; none for the spec and for
/// modules.
std::optional<Phase> getSource(Emit emit);

/// The options, each with its help in Options.cpp.
extern llvm::cl::opt<std::string> inputFile, formula, outputFile, compileFrom,
    compileTo, name, group, date, weights, solver, device, profile, separator,
    decimal, strategy, cpu, triple, prefix, bake;
extern llvm::cl::list<std::string> missing;
extern llvm::cl::opt<Emit> emit;
extern llvm::cl::opt<planning::Reuse> reuse;
extern llvm::cl::opt<int64_t> chunkRows, maxDirect, minCg, blockLimit,
    smallBlockLimit, mergeColumns, joinPairs, rowWords, rowsPerLevel,
    tableOperands;
extern llvm::cl::opt<bool> dense, fuseRows, deviceSteps, panels, staticBlas,
    timings;

/// The value of an option, if it is given.
std::optional<std::string> given(const llvm::cl::opt<std::string> &option);

/// A valid value of --sep as the separator of fields.
char getSeparator();

/// Hides the options of LLVM's libraries from --help.
void hideOthers();

/// The first error of the options that have been parsed: a value that is
/// invalid, two that contradict each other, or one that cannot take effect.
/// Sets the phases, and what to make if only --compile-to says it.
std::optional<std::string> findOptionError(Phase &from, Phase &to);

} // namespace tamc::options

#endif // TAMC_TOOLS_TAMC_OPTIONS_H
