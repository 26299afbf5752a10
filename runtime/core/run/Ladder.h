//===- core/run/Ladder.h - rungs of the chunk ladder ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunk ladder: the memory of a thread on a rung, and the step down to the
/// next rung when memory runs out. Internal to the code that runs steps.
///
/// No row is added twice. If a kernel can run out of memory after others of its
/// step have added to the sums (TAMRT_DEVICE_KERNELS_MAY_RUN_OUT), a copy of
/// the sums is kept and restored; otherwise a step that fails has added
/// nothing. A rung that was left is never tried again.
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
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tamrt {

/// Owner of a group's state, carry and vectors.
enum class StateOf {
  /// The thread, which fits group after group.
  Worker,
  /// The group, whose rows come in parts; the caller keeps its state.
  Group
};

/// The rungs of one run, the same for all its threads.
class Ladder {
public:
  /// Rungs of `kind` for groups of at most `groupRows` rows. The model, and the
  /// objects that the options point to, must outlive it. `isWhole`: groups are
  /// fitted from their first row to their last, so that a device may join the
  /// segments of a chunk.
  Ladder(const tamrt_model &model, tamrt_step_kind kind, int64_t groupRows,
         const RunOptions &options, StateOf state, bool isWhole = false);

  size_t size() const { return rungs.size(); }
  const tamrt_step &rung(size_t i) const { return *rungs[i]; }
  /// Rows of a chunk on rung `i`: of several segments a power of two of them,
  /// or the group.
  int64_t chunkRows(size_t i) const;
  /// The first rung, from `i` on, for which `device` has the steps.
  size_t rungOn(const Device &device, size_t i) const;
  /// Memory of a thread on rung `i` of `device`, which has the sums.
  ThreadMemory memory(size_t i, Device &device) const;
  /// The device that solves groups whose sums are on `device`; that device if
  /// none are solved.
  Device &solver(Device &device) const;
  /// Memory of a thread there, if it is another device.
  ThreadMemory solverMemory(const Device &solver) const;
  /// What threads have in common on a device; null for the CPU.
  SiteShared *shared(Device &device) const;
  /// Bytes of the state of a group without its levels; 0 for predictions.
  int64_t stateBytes() const;
  /// The same with the levels of the longest group.
  int64_t groupBytes() const;
  /// Bytes of a copy of state and carry; 0 on a device that needs none.
  int64_t savedBytes(const Device &device) const;
  /// The need for the oracle, with a rung for each of the ladder's.
  Need need(Device &device) const;

  /// The question to the oracle for one thread of a device with `freeBytes`
  /// free, which only decides on rung and threads: there is one way of solving,
  /// and which one does not matter.
  Question question(Device &device, int64_t freeBytes) const;

  /// The steps that the fits of groups run beside the usual ones.
  FitExtra extra() const {
    const bool isDirect = describe(kind).isDirect();
    return {options.inference && isDirect, options.systems && isDirect};
  }

  /// "chunks of 16 rows".
  std::string chunksOf(size_t rung) const;

  /// Logs a warning for a step down from `rung` to rung `to` of `device`, for
  /// lack of `bytes` bytes, and counts it.
  void warn(const Device &from, size_t rung, int64_t bytes, const Device &to,
            size_t toRung, unsigned lane);

  /// The message when `device` lacks `bytes` bytes on its last rung.
  std::string shortage(Device &device, size_t rung, int64_t bytes) const;

  /// The message when `solver`, which only solves, lacks `bytes` bytes.
  std::string solverShortage(const Device &solver, int64_t bytes) const;

  /// Logs one line with all steps down of a successful run, if there were any
  /// since the last such line.
  void summarize();

  const tamrt_model &model;
  const tamrt_step_kind kind;
  const int64_t groupRows;
  const RunOptions options;
  const StateOf state;

private:
  /// Of a chunk, if not 0.
  int64_t mostRows;
  std::vector<const tamrt_step *> rungs;
  mutable std::mutex sharedMutex;
  mutable std::map<const Device *, SiteShared> sites;
  std::atomic<int> stepsDown = 0;
  std::atomic<int64_t> minRows = 0;
};

/// The workplace of one thread, and its memory.
class Worker {
public:
  /// Allocates memory of `device` for a rung. If there is not enough, returns
  /// false and keeps none.
  bool allocate(const Ladder &ladder, Device &device, size_t rung);

  /// Calls `body`, which runs exactly one step with `run`: if it ran several,
  /// those that succeeded could add their rows twice. While it runs out of
  /// memory, steps down, restores the sums and calls it again. When no rung is
  /// left, the status remains, and `shortage` has the message.
  template <class Body> void attempt(Ladder &ladder, const Body &body) {
    ranSolver = isSaved = false;
    do {
      // A copy may run out of memory, too.
      if (isSaved ? restore(ladder) : save(ladder))
        body();
    } while (place.context.status == TAMRT_ERROR_OUT_OF_MEMORY &&
             stepDown(ladder));
  }

  /// `tamrt::arrange`, on the device of the sums.
  void arrange(Ladder &ladder, tamrt_step_kind kind, int64_t first,
               int64_t groupRows);

  /// Runs a step in the worker's workplace, on the device of the step. If the
  /// worker's next step takes rows after these, `rowsLeft` is their number.
  void run(const tamrt_step &step, const double *coefficients, int64_t rows,
           int64_t first, int64_t groupRows, int64_t rowsLeft = 0);

  /// Adds the sums of another state, on the device of the worker's, to those of
  /// its state. What lies between accumulators is not read.
  void join(Ladder &ladder, const void *other);

  /// Rows of the worker's next chunk, which starts at `row` of its group;
  /// `left` rows follow, and `most` are the step's.
  int64_t rowsAt(tamrt_step_kind kind, int64_t row, int64_t left,
                 int64_t most) const;

  /// Points the columns, of inputs, target and row weights, at `row`.
  void setColumns(const tamrt_model &model, const Dataset &data, size_t row);

  Workplace place;
  std::vector<const void *> columns;
  /// The current rung, and the rows of a chunk.
  const tamrt_step *rung = nullptr;
  size_t chunkRows = 0;
  /// Its index in the crew, which is its lane in a trace.
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
  void runSolver(const StepRun &what);
  bool isBorrowing() const;
  template <class Body> void borrow(int64_t stateBytes, const Body &body);

  const Ladder *ladder = nullptr;
  /// The device of sums and predictions.
  Device *device = nullptr;
  size_t index = 0;
  AlignedBuffer arena, state, carry, output, parameters, saved;
  Site site;
  /// The site of the solver, if it is another device, with its copy of the
  /// state.
  Site solver;
  AlignedBuffer solverArena, solverState;
  /// The device of states that groups own.
  Device *groupsDevice = nullptr;
  /// Whether the last step was one of the solver; whether such a step was tried
  /// again.
  bool ranSolver = false, triedSolverAgain = false;
  /// Whether `saved` has the sums before the current attempt.
  bool isSaved = false;
  /// Vectors for the CPU's own computations, wherever the steps run.
  AlignedBuffer vectors;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_LADDER_H
