//===- Pipelines.h - phases of compilation ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The phases of compilation. Each ends with a verifier pass; a compilation can
/// start and stop at each.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_PIPELINES_PIPELINES_H
#define TAMC_PIPELINES_PIPELINES_H

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Planning/Strategy.h"

#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace tamc {

/// The phases in order. A module "at" a phase has completed it.
enum class Phase {
  /// The solver graph as imported from the spec.
  Import,
  /// Solver and encodings chosen.
  Choices,
  /// The fit split into init, chunk and finish.
  Tile,
  /// A function in upstream dialects for each loop over rows.
  Loops,
  /// Kernels selected; launches on tensors.
  Kernels,
  /// Launches on memrefs.
  Bufferize,
  /// One clone per rung; sizes static.
  Rungs,
  /// Offsets instead of allocations.
  Plan,
  /// LLVM dialect, with the model's description.
  LLVM,
};

/// The name of a phase on command lines, and back.
llvm::StringRef toString(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

/// All phases, in order.
llvm::ArrayRef<Phase> allPhases();

struct PipelineOptions {
  /// Name of the planning strategy (planning::strategies).
  std::string strategy = "tree+";
  /// When two buffers may share bytes.
  planning::Reuse reuse = planning::Reuse::Program;
  /// Rows of the largest rung; 0: the model's, if it has them, else the
  /// default.
  int64_t chunkRows = 0;
  /// Largest number of unknowns of a system that is factored.
  int64_t maxDirect = 7500;
  /// Largest number of columns of a block factored for conjugate gradients.
  int64_t blockLimit = 512;
  /// Most columns of an effect whose block is still factored if memory is
  /// short; 0: all blocks are.
  int64_t smallBlockLimit = 64;
  /// Least unknowns of a system that is compiled for both solvers, if the spec
  /// leaves the choice open and the direct one is possible. A matrix of 362
  /// unknowns takes less than 1 MiB.
  int64_t minCg = 363;
  /// Least rows of a group per level of a column that is summed by its levels;
  /// 0: never.
  int64_t rowsPerLevel = 24;
  /// Least neighbouring linear terms that become one dense matrix, and
  /// categories outside the loop, or splines if there is none, that become
  /// sparse ones (0: never).
  int64_t mergeColumns = 16;
  /// Least sums of pairs of sparse matrices that become one launch (0: never).
  int64_t joinPairs = 2;
  /// Most words of 32 bytes that a row adds to in one loop (0: no bound; -1:
  /// the target's). The remaining sums have a kernel for each pair of terms.
  int64_t rowWords = -1;
  /// Store every design matrix dense.
  bool dense = false;
  /// Compute the sums over rows of a chunk, and its predictions, in one loop.
  bool fuseRows = true;
  /// Store the sums of that loop in panels.
  bool panels = true;
  /// Least operands of the launches of a step, in all its rungs, for which its
  /// functions read tables of them instead of being code.
  int64_t tableOperands = 512;
  /// Name of the model's constant, of that of the model that is fitted in
  /// windows, and of that of the model with the steps for devices; the last one
  /// is empty if there is none.
  std::string symbol = "tam_model", windows = tam::kWindowModelName.str(),
              devices;
  /// Add a main function.
  bool entry = true;
  /// Add the functions of a library instead, named `<prefix>_fit` and so on.
  std::string prefix = {};
};

/// Appends the passes of a phase, on the way to `last`.
void buildPhase(mlir::OpPassManager &manager, Phase phase, Phase last,
                const PipelineOptions &options);

/// Lowers a verified module from the phase before `phase` to that, on the way
/// to `last`, and verifies it again. `configure`, if not null, gets the pass
/// manager before it has passes; its failure is the function's.
mlir::LogicalResult
lowerBy(mlir::ModuleOp module, Phase phase, Phase last,
        const PipelineOptions &options,
        llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> configure =
            nullptr);

} // namespace tamc

#endif // TAMC_PIPELINES_PIPELINES_H
