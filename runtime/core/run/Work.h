//===- core/run/Work.h - groups shared by threads ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Distributes the groups of a run, and the rows of a group, among threads.
/// Internal to the code that runs steps: Executor and GroupFits.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_WORK_H
#define TAMRT_CORE_RUN_WORK_H

#include "core/run/Crew.h"
#include "core/run/Team.h"
#include "io/Parallel.h"

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace tamrt {

/// Distributes work among the crew: free workers take groups in order; when no
/// groups are left, they help with the rows of other workers' groups.
class Work {
public:
  /// All arguments must outlive the work.
  Work(const tamrt_model &model, std::span<const Group> groups, Crew &crew,
       const RunOptions &options, const char *phase)
      : model(model), groups(groups), crew(crew), options(options),
        phase(phase), members(crew) {
    for (const Group &group : groups)
      allRows += group.rows;
  }

  /// The team that adds rows.
  Team &team() { return members; }

  /// Calls process(worker, group) for every group. The error is that of the
  /// first group in order with an error, for any number of threads: all groups
  /// before it have begun, and none is interrupted.
  template <class Process> Status run(const Process &process) {
    const size_t count = groups.size();
    std::vector<tamrt_context> failures(crew.workers.size());
    std::vector<size_t> failed(crew.workers.size(), count);
    std::atomic<size_t> next = 0, firstFailed = count;
    forEachPiece(unsigned(crew.workers.size()), [&](unsigned piece) {
      Worker &worker = crew.workers[piece];
      {
        const Membership membership(members);
        for (size_t g; (g = next++) < count && g < firstFailed;) {
          worker.place.context.status = TAMRT_OK;
          const TraceSpan span(
              options.trace, worker.lane, "group",
              {{"group", int64_t(g)}, {"rows", int64_t(groups[g].rows)}});
          process(worker, g);
          if (worker.place.context.status == TAMRT_OK)
            continue;
          failures[piece] = worker.place.context;
          failed[piece] = g;
          size_t before = firstFailed;
          while (g < before && !firstFailed.compare_exchange_weak(before, g))
            ;
          return;
        }
      }
      members.help(worker);
    });
    for (size_t i = 0; i < failed.size(); ++i)
      if (failed[i] < count && failed[i] == firstFailed)
        return describe(model, nameOf(groups[failed[i]], options.namer),
                        failures[i], crew.workers[i].shortage);
    return {};
  }

  /// Records rows that a worker has done. The first worker updates the
  /// progress.
  void done(const Worker &worker, size_t rows) {
    size_t all = rowsDone += rows;
    if (worker.lane == 0 && options.progress)
      options.progress->update(phase, all, allRows);
  }

private:
  /// The scope in which a worker has groups of its own.
  class Membership {
  public:
    explicit Membership(Team &team) : team(team) { team.enter(); }
    Membership(const Membership &) = delete;
    Membership &operator=(const Membership &) = delete;
    ~Membership() { team.leave(); }

  private:
    Team &team;
  };

  const tamrt_model &model;
  std::span<const Group> groups;
  Crew &crew;
  const RunOptions &options;
  const char *phase;
  size_t allRows = 0;
  std::atomic<size_t> rowsDone = 0;
  Team members;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_WORK_H
