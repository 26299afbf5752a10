//===- core/run/Team.h - threads that share a group's rows ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Adds the rows of groups to their sums, on one thread or, once there are
/// fewer groups than threads, on several. Internal to the code that runs fits.
///
/// Sums of a segment (abi.h) start from zero, so that any thread can compute
/// them in its own state. They are joined with the sums of earlier segments in
/// order, which gives the same bits as one thread. Row counts do not depend on
/// the order and are added once, at the end.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_TEAM_H
#define TAMRT_CORE_RUN_TEAM_H

#include "core/data/Dataset.h"
#include "core/run/Crew.h"
#include "tamrt/abi.h"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {

/// Rows of a group that are to be added to its sums.
struct Pass {
  /// FIT_CHUNK, CG_CHUNK or APPLY_CHUNK.
  tamrt_step_kind kind;
  /// The vector for APPLY, else null.
  const double *vector;
  const Dataset &data;
  /// The first row: its index in the data, and in the group.
  size_t row, first;
  size_t rows, groupRows;
  /// Called by a worker that has added some of the rows.
  std::function<void(const Worker &, size_t)> done;
};

/// The workers of a crew that add rows together. A worker's thread calls
/// `enter`, fits groups with `add`, and calls `help` when no groups are left.
class Team {
public:
  /// The crew must outlive it.
  Team(const tamrt_model &model, Crew &crew);
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Called before and after a worker has groups of its own.
  void enter();
  void leave();

  /// Adds rows to the sums in `worker.place.state`, with the help of free
  /// workers. The status is that of the first thread that failed.
  void add(Worker &worker, const Pass &pass);

  /// Helps other workers until none has groups of its own. Not to be called
  /// after an error of the worker.
  void help(Worker &worker);

private:
  /// A pass that several workers may share, in pieces within one segment each.
  struct Split {
    const Pass *pass = nullptr;
    /// The workplace of the worker that has the group.
    Workplace place;
    size_t pieces = 0;
    /// The next piece that has not begun, and the number of pieces in the
    /// group's sums.
    size_t next = 0, joined = 0;
    /// The state with the group's sums, and whether a worker is using it.
    void *sums = nullptr;
    bool isTaken = false;
    /// Pieces that have begun, are not in the group's sums, and were not
    /// dropped.
    size_t open = 0;
    /// States that have been used for the group, and those of them that are
    /// free.
    std::vector<void *> used, idle;
    /// Pieces whose sums wait for earlier pieces, and their states.
    std::vector<std::pair<size_t, void *>> waiting;
    /// The first error.
    tamrt_context error = {};
    std::string shortage;

    bool failed() const { return error.status != TAMRT_OK; }
    bool isOver() const { return open == 0 && (failed() || joined == pieces); }
  };
  using Lock = std::unique_lock<std::mutex>;

  bool splits(const Pass &pass) const;
  template <class Body>
  void attemptEach(Worker &worker, tamrt_step_kind kind, const Body &body);
  void addAlone(Worker &worker, const Pass &pass, size_t begin, size_t end,
                size_t origin);
  bool staysInPlace(const Split &split) const;
  bool begin(Worker &worker, Split &split, Lock &lock);
  bool join(Worker &worker, Split &split, Lock &lock);
  bool advance(Worker &worker, Split &split, bool isOwner, Lock &lock);
  void close(Worker &worker, Split &split, Lock &lock);
  template <class Body>
  std::exception_ptr unlocked(Worker &worker, Split &split, void *state,
                              Lock &lock, const Body &body);
  void giveUp(Split &split, const tamrt_context &error,
              const std::string &shortage);

  const tamrt_model &model;
  Crew &crew;
  std::mutex mutex;
  std::condition_variable changed;
  /// One for each worker.
  std::vector<Split> all;
  /// Free states.
  std::vector<void *> spares;
  /// Workers between `enter` and `leave`.
  size_t entered = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TEAM_H
