//===- core/device/Oracle.h - solver, rung and threads ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses the solver, the rung of the chunk ladder and the number of groups at
/// a time, before the work, from planned bytes and free memory (docs/math.md
/// section 4, "Routing"). Pure functions.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_ORACLE_H
#define TAMRT_CORE_DEVICE_ORACLE_H

#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The oracle's rule for whether the direct solver fits.
enum class OracleRule {
  /// It fits if its planned bytes are at most the share of free memory.
  Plan,
  /// It fits if factor * 8 * D^2 bytes are less than the device's share of free
  /// memory.
  Estimate
};

/// "plan", "estimate".
std::string_view ruleName(OracleRule rule);

/// A device's own memory, or the RAM that all programs share.
enum class MemoryPlace { Device, Ram };

/// Work on all rows once, or on windows that slide over them.
enum class WorkKind { Static, Sliding };

/// The shares and limits of docs/math.md section 4.
struct OracleOptions {
  OracleRule rule = OracleRule::Plan;
  /// Shares of free memory that work may use.
  double deviceShare = 0.9, ramShare = 0.7;
  double slidingDeviceShare = 0.8, slidingRamShare = 0.6;
  /// Largest number of columns for the direct solver, if the model has both.
  int64_t directColumns = 7500;
  double estimateFactor = 4;

  double share(MemoryPlace place, WorkKind work) const;
};

/// The options of a model's spec, which may be null, with defaults for the
/// others.
OracleOptions oracleOptions(const tamrt_oracle *spec);

/// A rung of the ladder: rows of a chunk, and bytes per thread.
struct RungNeed {
  int64_t rows = 0, bytes = 0;
};

/// The memory that a way to do the work needs: a rung for each thread, by
/// descending rows, and the shared bytes.
struct Need {
  std::vector<RungNeed> rungs;
  int64_t sharedBytes = 0;
  /// The shared bytes that the device's kernels take beside the plan.
  int64_t reserveBytes = 0;
  /// Several threads are faster with up to one spare of `spareBytes` each, at
  /// most `spareLimit` bytes in total, but do not need them.
  int64_t spareBytes = 0, spareLimit = std::numeric_limits<int64_t>::max();
};

enum class SolverChoice {
  Direct,
  ConjugateGradients,
  /// Conjugate gradients that factor only small blocks
  /// (tamrt_model::small_blocks).
  SmallBlocks
};

/// "the direct solver".
std::string_view nameOf(SolverChoice solver);

/// A question to the oracle. At least one of the ways exists and has a rung.
struct Question {
  /// Columns of the design.
  int64_t columns = 0;
  /// The ways the model was compiled for.
  std::optional<Need> direct, conjugateGradients, smallBlocks;
  /// Most useful threads.
  unsigned threads = 1;
  int64_t freeBytes = 0;
  MemoryPlace place = MemoryPlace::Ram;
  WorkKind work = WorkKind::Static;

  /// The need of a way, which must exist.
  const Need &needOf(SolverChoice solver) const {
    return solver == SolverChoice::Direct               ? *direct
           : solver == SolverChoice::ConjugateGradients ? *conjugateGradients
                                                        : *smallBlocks;
  }
};

/// The oracle's decision.
struct Decision {
  /// Whether anything fits; otherwise the other members describe the smallest
  /// attempt.
  bool fits = false;
  SolverChoice solver = SolverChoice::Direct;
  /// Index of the rung of the solver's need.
  size_t rung = 0;
  unsigned threads = 1;
  /// Spares, at most one per thread.
  unsigned spares = 0;
  /// The bytes of threads, spares and shared memory together, and the bytes
  /// that they may take.
  int64_t bytes = 0, budget = 0;
  /// "3 columns, planned bytes fit": why this solver.
  std::string reason;
};

/// Chunks of fewer rows waste more time per row than a second thread gains.
inline constexpr int64_t kSmallChunk = 256;

/// The share of `freeBytes`, rounded down; at most `freeBytes`.
int64_t budgetOf(int64_t freeBytes, double share);

/// Decides. The direct solver if there are at most `directColumns` columns, or
/// no other way, and it fits by the rule; else conjugate gradients, with small
/// blocks if the others do not fit. Takes the largest rung that fits on all
/// threads, but halves the number of threads rather than take chunks below
/// `kSmallChunk` rows. Spares get the rest of the budget. O(rungs * log
/// threads).
Decision decide(const Question &question, const OracleOptions &options);

/// The message that nothing fits: the bytes needed, the bytes free (`source` is
/// the limit, may be empty), and the smallest change that would help.
std::string tooLittle(const Question &question, const Decision &decision,
                      const OracleOptions &options, const std::string &source);

/// Why a fit uses conjugate gradients, or small blocks, although the model has
/// another way: "fits by conjugate gradients: the direct solver needs 985.4 MB,
/// 188.0 MB are free". Empty if it does not.
std::string routeNote(const Question &question, const Decision &decision,
                      const OracleOptions &options);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_ORACLE_H
