//===- core/device/Oracle.h - solver, rung and threads ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which solver, which rung of the chunk ladder and how many groups at once,
/// decided before the work from planned bytes and free memory (docs/math.md
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

/// How the oracle knows whether the direct solver fits.
enum class OracleRule {
  /// Its planned bytes are at most the share of free memory.
  Plan,
  /// factor * 8 * D^2 bytes are less than the device's share of what is free.
  Estimate
};

/// "plan", "estimate".
std::string_view ruleName(OracleRule rule);

/// Whose memory it is: a device's own, or the RAM that all programs share.
enum class MemoryPlace { Device, Ram };

/// Work on all rows once, or on windows that slide over them.
enum class WorkKind { Static, Sliding };

/// The shares and limits of docs/math.md section 4.
struct OracleOptions {
  OracleRule rule = OracleRule::Plan;
  /// Parts of free memory that work may take.
  double deviceShare = 0.9, ramShare = 0.7;
  double slidingDeviceShare = 0.8, slidingRamShare = 0.6;
  /// Largest number of columns for the direct solver, if there is another.
  int64_t directColumns = 7500;
  double estimateFactor = 4;

  double share(MemoryPlace place, WorkKind work) const;
};

/// What a model's spec says, which may be null, over the defaults.
OracleOptions oracleOptions(const tamrt_oracle *spec);

/// A rung of the ladder: rows of a chunk, and bytes that a thread needs.
struct RungNeed {
  int64_t rows = 0, bytes = 0;
};

/// What a way to do the work needs: a rung for each thread, by falling rows,
/// and what they share.
struct Need {
  std::vector<RungNeed> rungs;
  int64_t sharedBytes = 0;
  /// Several threads gain from up to `sparesPerThread` pieces of memory of
  /// `spareBytes` more for each of them, `spareLimit` bytes in all, but can do
  /// without.
  int64_t spareBytes = 0, spareLimit = std::numeric_limits<int64_t>::max();
  unsigned sparesPerThread = 0;
};

enum class SolverChoice {
  Direct,
  ConjugateGradients,
  /// Conjugate gradients that factor small blocks alone
  /// (tamrt_model::small_blocks).
  SmallBlocks
};

/// "the direct solver".
std::string_view nameOf(SolverChoice solver);

/// What the oracle is asked. At least one of the ways is there and has a rung.
struct Question {
  /// Columns of the design.
  int64_t columns = 0;
  /// The ways the model was compiled for.
  std::optional<Need> direct, conjugateGradients, smallBlocks;
  /// Most threads that are of use.
  unsigned threads = 1;
  int64_t freeBytes = 0;
  MemoryPlace place = MemoryPlace::Ram;
  WorkKind work = WorkKind::Static;

  /// The need of a way that is there.
  const Need &needOf(SolverChoice solver) const {
    return solver == SolverChoice::Direct               ? *direct
           : solver == SolverChoice::ConjugateGradients ? *conjugateGradients
                                                        : *smallBlocks;
  }
};

/// What the oracle says.
struct Decision {
  /// Whether anything fits; else the rest is the least that was tried.
  bool fits = false;
  SolverChoice solver = SolverChoice::Direct;
  /// Index of the rung of the solver's need.
  size_t rung = 0;
  unsigned threads = 1;
  /// Pieces of memory that the threads may share besides.
  unsigned spares = 0;
  /// What threads, spares and the shared bytes take together, and what they may
  /// take.
  int64_t bytes = 0, budget = 0;
  /// "3 columns, planned bytes fit": why this solver.
  std::string reason;
};

/// Chunks of fewer rows waste more time per row than a second thread gains.
inline constexpr int64_t kSmallChunk = 256;

/// The share of `freeBytes`, rounded down; at most `freeBytes`.
int64_t budgetOf(int64_t freeBytes, double share);

/// Decides. Direct when there are at most `directColumns` columns, or no other
/// way, and it fits by the rule; else conjugate gradients, with small blocks
/// where others do not fit. Of a way the largest rung that fits on all threads;
/// rather than chunks below `kSmallChunk` rows, half as many threads. Spares
/// get what is left. O(rungs * log threads).
Decision decide(const Question &question, const OracleOptions &options);

/// Says that nothing fits: what is needed, what is there (`source` names what
/// keeps it small, may be empty), and the smallest change that would help.
std::string tooLittle(const Question &question, const Decision &decision,
                      const OracleOptions &options, const std::string &source);

/// Why a fit goes to conjugate gradients, or to their small blocks, though the
/// model has another way: "fits by conjugate gradients: the direct solver needs
/// 985.4 MB, 188.0 MB are free". Empty where it does not.
std::string routeNote(const Question &question, const Decision &decision,
                      const OracleOptions &options);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_ORACLE_H
