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
/// Each thread sums whole segments in a state of its own and joins them in the
/// tree of segments (Workplace.h), whose order does not depend on time: so no
/// thread waits for its turn, but at most for a partner on its way to a level,
/// and the bits are those of one thread. Row counts are exact in any order and
/// are added once, at the end.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_TEAM_H
#define TAMRT_CORE_RUN_TEAM_H

#include "core/data/Dataset.h"
#include "core/run/Crew.h"
#include "tamrt/abi.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
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
  explicit Team(Crew &crew);
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Called before and after a worker has groups of its own.
  void enter();
  void leave();

  /// Adds rows to the sums in `worker.place.state`, with the help of free
  /// workers. The status is that of the first thread that failed; what it threw
  /// is thrown again.
  void add(Worker &worker, const Pass &pass);

  /// Helps other workers until none has groups of its own. Not to be called
  /// after an error of the worker.
  void help(Worker &worker);

private:
  /// The state of a worker, and a bit for each of its levels that is in use.
  struct State {
    void *memory;
    uint64_t used = 0;
  };
  /// The packed sums of 2^level segments, the index-th of them, in that level
  /// of a state, or on their way there.
  struct Node {
    int64_t level = 0, index = 0;
    State *state = nullptr;
    bool isThere = false;
  };
  /// Pieces of a pass.
  struct Pieces {
    size_t begin, end;
  };
  /// A pass that several workers may share, in pieces within one segment each.
  struct Split {
    const Pass *pass = nullptr;
    /// Those of the group.
    double *parameters = nullptr;
    const void *const *tables = nullptr;
    /// Pieces, and the next one that no worker has taken.
    size_t pieces = 0, next = 0;
    /// Workers that add pieces, or zero their state before.
    size_t open = 0;
    /// The nodes that wait for a partner.
    std::vector<Node> nodes;
    /// Those of its workers; first the group's.
    std::vector<State> states;
    LevelLayout layout;
    /// Changes with each pass.
    size_t serial = 0;
    /// A helper's state with the sums of the last piece.
    void *last = nullptr;
    /// The first error, and what was thrown if it is an exception.
    tamrt_context error = {};
    std::string shortage;
    std::exception_ptr exception;

    std::vector<Node>::iterator find(int64_t level, int64_t index) {
      return std::find_if(nodes.begin(), nodes.end(), [&](const Node &node) {
        return node.level == level && node.index == index;
      });
    }
    void *stateOfGroup() const { return states.front().memory; }
    void *sumsOf(const Node &node) const {
      return layout.at(node.state->memory, node.level);
    }
    bool failed() const { return error.status != TAMRT_OK; }
    bool isOver() const { return open == 0 && (failed() || next == pieces); }
  };
  using Lock = std::unique_lock<std::mutex>;

  bool splits(const Pass &pass) const;
  template <class Body>
  void attemptSums(Worker &worker, tamrt_step_kind kind, const Body &body);
  template <class Body>
  void attemptCounts(Worker &worker, tamrt_step_kind kind, const Body &body);
  void addAlone(Worker &worker, const Pass &pass, size_t begin, size_t end,
                size_t last, size_t origin);
  void clear(Worker &worker, tamrt_step_kind kind);
  void open(Worker &worker, const Pass &pass);
  Pieces takePieces(Split &split);
  void addPiece(Worker &worker, Split &split, size_t piece, Lock &lock);
  void begin(Worker &worker, Split &split, Lock &lock);
  std::optional<Node> takePartner(Split &split, const Node &node, Lock &lock);
  void climb(Worker &worker, Split &split, int64_t segment, Lock &lock);
  State &takeLevel(const Worker &worker, Split &split, int64_t level);
  void gather(Worker &worker, Split &split, Lock &lock);
  void close(Split &split);
  template <class Body>
  void unlocked(Worker &worker, Split &split, Lock &lock, const Body &body);
  Split *findLongest();

  /// That of the crew's ladder.
  const tamrt_model &model;
  Crew &crew;
  /// Whether steps of the crew's ladder count rows.
  bool hasCounts;
  std::mutex mutex;
  std::condition_variable changed;
  /// One for each worker.
  std::vector<Split> all;
  /// Workers between `enter` and `leave`.
  size_t entered = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TEAM_H
