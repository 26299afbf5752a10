//===- core/run/Ladder.h - rungs of the chunk ladder ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunk ladder: the memory that a thread has on a rung, and the step down
/// to the next rung when memory runs out. Internal to what runs steps.
///
/// Nothing is counted twice: where a kernel can run out after others of its
/// step have added to the sums (TAMRT_DEVICE_KERNELS_MAY_RUN_OUT), or the copy
/// of a step's output can, a copy of the sums is kept to go back to; elsewhere
/// a step that fails has added nothing. A rung that was left is never tried
/// again.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_LADDER_H
#define TAMRT_CORE_RUN_LADDER_H

#include "core/device/AlignedBuffer.h"
#include "core/device/Device.h"
#include "core/run/Executor.h"
#include "core/run/Placement.h"
#include "core/run/Site.h"
#include "core/run/Workplace.h"
#include "tamrt/abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tamrt {

/// Owner of a group's state, carry and vectors.
enum class StateOf {
  /// A thread's, which fits group after group.
  Worker,
  /// The group's, which gets its rows in parts; the caller has them.
  Group
};

/// The rungs of one run, the same for all its threads.
class Ladder {
public:
  /// Rungs of `kind` for groups of at most `groupRows` rows. The model, and
  /// what the options point to, must outlive it.
  Ladder(const tamrt_model &model, tamrt_step_kind kind, int64_t groupRows,
         const RunOptions &options, StateOf state);

  size_t size() const { return rungs.size(); }
  const tamrt_step &rung(size_t i) const { return *rungs[i]; }
  /// Rows of a chunk on rung `i`.
  int64_t chunkRows(size_t i) const;
  /// What a thread needs on rung `i` of `device`, on which the sums are.
  ThreadMemory memory(size_t i, Device &device) const;
  /// Where groups are solved whose sums are on `device`.
  Device &solver(Device &device) const;
  /// What a thread needs there if it is another device.
  ThreadMemory solverMemory(const Device &solver) const;
  /// Tables on the one device of a run that needs copies of them.
  DeviceTables &deviceTables() const { return tables; }
  /// Bytes of the state of a group; 0 for predictions.
  int64_t stateBytes() const;
  /// Bytes of a copy of state and carry; 0 on a device that needs none.
  int64_t savedBytes(const Device &device) const;
  /// What the oracle counts: a rung for each of the ladder's.
  Need need(Device &device) const;

  /// "chunks of 16 rows".
  std::string chunksOf(size_t rung) const;

  /// Warns of a step down from `rung`, to `to` of `device`, for lack of `bytes`
  /// bytes, and counts it.
  void warn(const Device &from, size_t rung, int64_t bytes, const Device &to,
            size_t toRung, unsigned lane);

  /// What to say when `device` lacks `bytes` bytes on its last rung.
  std::string shortage(Device &device, size_t rung, int64_t bytes) const;

  /// What to say when `solver`, which only solves, lacks `bytes` bytes.
  std::string solverShortage(const Device &solver, int64_t bytes) const;

  /// One line of all steps down of a run that ended well, if there were any.
  void summarize() const;

  const tamrt_model &model;
  const tamrt_step_kind kind;
  const int64_t groupRows;
  const RunOptions options;
  const StateOf state;

private:
  std::vector<const tamrt_step *> rungs;
  mutable DeviceTables tables;
  std::atomic<int> stepsDown = 0;
  std::atomic<int64_t> minRows = 0;
};

/// What one thread works in, and the memory of it.
class Worker {
public:
  /// Takes memory of `device` for a rung; false when there is none, then it has
  /// none at all.
  bool allocate(const Ladder &ladder, Device &device, size_t rung);

  /// Calls `body`, which has `run` run one step: of several, those that
  /// succeeded would count twice where no copy of the sums is kept. While it
  /// runs out of memory: steps down, goes back to the sums before it, and calls
  /// it again. When there is no rung left the status stays, and `shortage` says
  /// what was missing.
  template <class Body> void attempt(Ladder &ladder, const Body &body) {
    ranSolver = isSaved = false;
    do {
      // A copy may find no memory either.
      if (isSaved ? restore(ladder) : save(ladder))
        body();
    } while (place.context.status == TAMRT_ERROR_OUT_OF_MEMORY &&
             stepDown(ladder));
  }

  /// Runs a step in the worker's place, on the device it is placed on.
  void run(const tamrt_step &step, const double *coefficients, int64_t rows,
           int64_t first, int64_t groupRows);

  /// Points the columns, of inputs, target and row weights, at `row`.
  void setColumns(const tamrt_model &model, const Dataset &data, size_t row);

  Workplace place;
  std::vector<const void *> columns;
  /// The rung it is on, and rows of a chunk.
  const tamrt_step *rung = nullptr;
  size_t chunkRows = 0;
  /// Its number in the crew: its lane in a trace.
  unsigned lane = 0;
  std::string shortage;

private:
  bool stepDown(Ladder &ladder);
  bool moveToCpu(Ladder &ladder, int64_t bytes);
  bool retrySolver(Ladder &ladder, int64_t bytes);
  template <class Copy>
  bool forEachSaved(const Ladder &ladder, const Copy &copy);
  bool save(const Ladder &ladder);
  bool restore(const Ladder &ladder);
  static bool openSite(const Ladder &ladder, Site &opened, Device &on);
  bool takeSums(const Ladder &ladder, Device &on, size_t at);
  bool takeSolver(const Ladder &ladder, Device &on);
  bool takeBorrowed(const Ladder &ladder);
  bool takeChunkMemory(const Ladder &ladder, size_t index);
  void releaseChunkMemory();
  void clear();
  void clearSolver();
  void runSolver(const tamrt_step &step, const double *coefficients,
                 int64_t rows, int64_t first, int64_t groupRows);
  void runBorrowing(const tamrt_step &step, const double *coefficients,
                    int64_t rows, int64_t first, int64_t groupRows);

  const Ladder *ladder = nullptr;
  /// Where sums and predictions are.
  Device *device = nullptr;
  size_t index = 0;
  AlignedBuffer arena, state, carry, output, parameters, saved;
  Site site;
  /// Where groups are solved, if that is another device; its copy of the state.
  Site solver;
  AlignedBuffer solverArena, solverState;
  /// The device of states that are the groups' own.
  Device *groupsDevice = nullptr;
  /// Whether the step that ran last was the solver's; whether one of those was
  /// tried again.
  bool ranSolver = false, triedSolverAgain = false;
  /// Whether `saved` has the sums before the step that is attempted.
  bool isSaved = false;
  /// Vectors, which the CPU computes with wherever the steps run.
  AlignedBuffer vectors;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_LADDER_H
