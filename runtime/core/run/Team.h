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
/// fewer groups than threads, on several. Internal to what runs fits.
///
/// Sums of a segment (abi.h) start from zero, so that any thread can make them
/// in a state of its own. They are put behind those of the segments before in
/// order, which gives the bits that one thread's sums have. Numbers of rows are
/// the same in any order and are added up once, at the end.
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
  /// What APPLY is applied to, else null.
  const double *vector;
  const Dataset &data;
  /// The first of the rows: in the data, and in the group.
  size_t row, first;
  size_t rows, groupRows;
  /// Called by a worker that has added some of them.
  std::function<void(const Worker &, size_t)> done;
};

/// The workers of a crew who add up rows together. A worker's thread enters,
/// fits groups with `add`, and when there are no more calls `help`.
class Team {
public:
  /// The crew must outlive it.
  Team(const tamrt_model &model, Crew &crew);
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Around the groups that a worker has of its own.
  void enter();
  void leave();

  /// Adds rows to the sums in `worker.place.state`, with the help of who is
  /// free. The status is that of the first thread that failed.
  void add(Worker &worker, const Pass &pass);

  /// Helps others until nobody has groups of his own. Not after an error of
  /// the worker's.
  void help(Worker &worker);

private:
  /// A pass that several may work on, in pieces that lie in one segment each.
  struct Split {
    const Pass *pass = nullptr;
    /// Of the worker whose group it is.
    Workplace place;
    size_t pieces = 0;
    /// The next piece that nobody has begun, and how many are in the group's
    /// sums.
    size_t next = 0, joined = 0;
    /// Where the group's sums are, and whether somebody works there.
    void *sums = nullptr;
    bool isTaken = false;
    /// Pieces begun that are not in the group's sums, nor given up.
    size_t open = 0;
    /// States that have had rows of the group, and those of them that are free
    /// for others.
    std::vector<void *> used, idle;
    /// Pieces whose sums wait for those before, and where they are.
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
  /// States that nobody uses.
  std::vector<void *> spares;
  /// Workers between `enter` and `leave`.
  size_t entered = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TEAM_H
