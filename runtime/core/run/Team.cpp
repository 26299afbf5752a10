//===- core/run/Team.cpp - threads that share a group's rows --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mutex guards all shared data. It is held only between pieces of work,
// which are thousands of rows.
//
// Pieces begin in order. So there are always enough levels for the nodes that
// wait: if no piece is under way, the finished ones are the first ones, and
// there is at most one node per level; a piece under way adds at most one per
// level, those beside its path to the root. Each worker has a state with all
// levels, and stays with a pass until it is closed.
//
//===----------------------------------------------------------------------===//

#include "core/run/Team.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace tamrt {
namespace {

constexpr auto kSegment = size_t(TAMRT_SEGMENT_ROWS);

/// The first row of piece `piece` of a pass: pieces end with segments.
size_t beginOf(const Pass &pass, size_t piece) {
  return piece == 0 ? pass.first : (pass.first / kSegment + piece) * kSegment;
}

size_t endOf(const Pass &pass, size_t piece) {
  return std::min(pass.first + pass.rows, beginOf(pass, piece + 1));
}

size_t piecesOf(const Pass &pass) {
  if (pass.rows == 0)
    return 0;
  return (pass.first + pass.rows - 1) / kSegment - pass.first / kSegment + 1;
}

} // namespace

Team::Team(Crew &crew)
    : model(crew.ladder->model), crew(crew),
      hasCounts(std::any_of(
          model.accumulators, model.accumulators + model.accumulator_count,
          [](const tamrt_accumulator &each) { return each.unit != 0; })),
      all(crew.workers.size()) {
  // Reserve memory now: nothing allocates while pieces are open.
  const size_t workers = crew.workers.size();
  const auto perState = size_t(levelsFor(crew.ladder->groupRows));
  levels.reserve(workers * perState);
  for (Split &split : all) {
    split.nodes.reserve(workers * perState);
    split.own.resize(perState);
    split.isUsed.resize(perState);
    split.counts.reserve(workers);
  }
}

void Team::enter() {
  const Lock lock(mutex);
  ++entered;
}

void Team::leave() {
  const Lock lock(mutex);
  --entered;
  changed.notify_all();
}

bool Team::splits(const Pass &pass) const {
  return crew.workers.size() > 1 && piecesOf(pass) > 1 &&
         canSplit(*crew.ladder, *crew.device);
}

/// Adds rows [begin, end) of the group, which are of one segment or in chunks
/// of several, to the sums of a state whose first row is row `origin`. The
/// worker then adds rows up to `last`.
void Team::addAlone(Worker &worker, const Pass &pass, size_t begin, size_t end,
                    size_t last, size_t origin) {
  attemptChunks(
      *crew.ladder, worker, pass.kind, begin - origin, end - begin,
      [&](size_t at) {
        const size_t row = begin + at - origin;
        if (at == 0 || row % kSegment == 0)
          worker.arrange(*crew.ladder, pass.kind, int64_t(row),
                         int64_t(pass.groupRows));
      },
      [&](const tamrt_step &step, size_t at, size_t count) {
        const size_t row = begin + at;
        worker.setColumns(model, pass.data, pass.row + row - pass.first);
        worker.run(step, pass.vector, int64_t(count), int64_t(row - origin),
                   int64_t(pass.groupRows), int64_t(last - row - count));
      },
      [&](size_t, size_t count) {
        if (pass.done)
          pass.done(worker, count);
      });
}

/// Attempts body(accumulator, place in packed sums) for the sums to which steps
/// of `kind` add, one by one: what has been joined is not joined again if
/// memory runs out for the next.
template <class Body>
void Team::attemptSums(Worker &worker, tamrt_step_kind kind, const Body &body) {
  forEachSum(model, kind, [&](const tamrt_accumulator &each, int64_t offset) {
    if (worker.place.good())
      worker.attempt(*crew.ladder, [&] { body(each, offset); });
    return worker.place.good();
  });
}

/// The same for row counts.
template <class Body>
void Team::attemptCounts(Worker &worker, tamrt_step_kind kind,
                         const Body &body) {
  for (int64_t i = 0; i < model.accumulator_count && worker.place.good(); ++i)
    if (const tamrt_accumulator &each = model.accumulators[i];
        each.kind == kind && each.unit != 0)
      worker.attempt(*crew.ladder, [&] { body(each); });
}

/// Zeroes the sums and counts in the worker's state.
void Team::clear(Worker &worker, tamrt_step_kind kind) {
  auto zero = [&](const tamrt_accumulator &each) {
    worker.place.clear(each.count, numbersIn(worker.place.state, each));
  };
  attemptSums(worker, kind,
              [&](const tamrt_accumulator &each, int64_t) { zero(each); });
  attemptCounts(worker, kind, zero);
}

/// Runs `body` for a group without holding the lock. An error of the steps, or
/// an exception, which is thrown again, becomes the group's error.
template <class Body>
void Team::unlocked(Worker &worker, Split &split, Lock &lock,
                    const Body &body) {
  const Workplace own = worker.place;
  worker.place.parameters = split.place.parameters;
  worker.place.tables = split.place.tables;
  lock.unlock();
  tamrt_context error = {};
  std::exception_ptr exception;
  try {
    body();
    error = worker.place.context;
  } catch (...) {
    exception = std::current_exception();
    error.status = TAMRT_ERROR_OUT_OF_MEMORY;
  }
  lock.lock();
  worker.place.parameters = own.parameters;
  worker.place.tables = own.tables;
  if (error.status != TAMRT_OK && !split.failed()) {
    split.error = error;
    split.shortage = worker.shortage;
  }
  changed.notify_all();
  if (exception)
    std::rethrow_exception(exception);
}

/// A free level for a node.
void *Team::takeLevel(Split &split, int64_t level) {
  if (!split.isUsed[size_t(level)]) {
    split.isUsed[size_t(level)] = true;
    return split.own[size_t(level)];
  }
  assert(!levels.empty() && "fewer levels than nodes");
  void *sums = levels.back();
  levels.pop_back();
  return sums;
}

void Team::giveLevel(Split &split, void *sums) {
  const auto at = std::find(split.own.begin(), split.own.end(), sums);
  if (at == split.own.end())
    levels.push_back(sums);
  else
    split.isUsed[size_t(at - split.own.begin())] = false;
}

/// Joins the sums of a segment, which are in the worker's state, with those of
/// its partners in the tree that have been computed, and stores the result for
/// the next partner.
void Team::climb(Worker &worker, Split &split, int64_t segment, Lock &lock) {
  const tamrt_step_kind kind = split.pass->kind;
  int64_t level = 0, index = segment;
  auto takePartner = [&]() -> void * {
    const auto at = std::find_if(
        split.nodes.begin(), split.nodes.end(), [&](const Node &node) {
          return node.level == level && node.index == (index ^ 1);
        });
    if (at == split.nodes.end())
      return nullptr;
    void *sums = at->sums;
    split.nodes.erase(at);
    return sums;
  };
  void *state = worker.place.state;
  auto inState = [&](const tamrt_accumulator &each) {
    return numbersIn(state, each);
  };
  void *partner = takePartner();
  while (!split.failed()) {
    // The partners of the segment, of the sums of both, and so on.
    std::array<void *, 64> partners;
    size_t count = 0;
    for (; partner; partner = takePartner()) {
      partners[count++] = partner;
      ++level;
      index /= 2;
    }
    void *packed = takeLevel(split, level);
    unlocked(worker, split, lock, [&] {
      const TraceSpan span(crew.ladder->options.trace, worker.lane, "join",
                           {{"segment", segment}, {"level", level}});
      // A partner may be the later one: the bits are the same.
      attemptSums(
          worker, kind, [&](const tamrt_accumulator &each, int64_t offset) {
            const double *others[64];
            for (size_t i = 0; i < count; ++i)
              others[i] = numbersAt(partners[i], offset);
            worker.place.move(each.count, inState(each),
                              numbersAt(packed, offset), {others, count});
          });
    });
    for (size_t i = 0; i < count; ++i)
      giveLevel(split, partners[i]);
    partner = takePartner();
    if (!partner) {
      split.nodes.push_back({level, index, packed});
      return;
    }
    // It came meanwhile.
    unlocked(worker, split, lock, [&] {
      attemptSums(worker, kind,
                  [&](const tamrt_accumulator &each, int64_t offset) {
                    worker.place.move(each.count, numbersAt(packed, offset),
                                      inState(each));
                  });
    });
    giveLevel(split, packed);
  }
}

/// Sums the next piece in the worker's state and joins it. The last piece stays
/// there.
void Team::begin(Worker &worker, Split &split, Lock &lock) {
  const Pass &pass = *split.pass;
  const size_t piece = split.next++;
  const size_t first = beginOf(pass, piece), segment = first / kSegment;
  const bool isLast = piece + 1 == split.pieces;
  ++split.open;
  std::exception_ptr exception;
  try {
    // The state of the group has the segment before, or the start of this one,
    // if the pass is not the first: its owner begins with it.
    if (piece == 0 && first > 0 && first % kSegment == 0)
      climb(worker, split, int64_t(segment) - 1, lock);
    unlocked(worker, split, lock, [&] {
      const size_t end = endOf(pass, piece);
      addAlone(worker, pass, first, end, /*last=*/end, segment * kSegment);
    });
    if (!isLast)
      climb(worker, split, int64_t(segment), lock);
  } catch (...) {
    exception = std::current_exception();
  }
  if (isLast && worker.place.state != split.place.state)
    split.last = worker.place.state;
  --split.open;
  changed.notify_all();
  if (exception)
    std::rethrow_exception(exception);
}

/// Makes a pass one that others may share.
void Team::open(Worker &worker, const Pass &pass) {
  Split &split = all[worker.lane];
  split.pass = &pass;
  split.place = worker.place;
  split.pieces = piecesOf(pass);
  split.next = 0;
  split.error = {};
  ++split.serial;
  const int64_t finished = finishedSegments(int64_t(pass.first));
  const LevelLayout layout = levelLayout(model, describe(pass.kind).solver);
  for (size_t i = 0; i < split.own.size(); ++i) {
    const auto level = int64_t(i);
    split.own[i] = layout.at(worker.place.state, level);
    split.isUsed[i] = finished >> level & 1;
    if (split.isUsed[i])
      split.nodes.push_back({level, (finished >> level) - 1, split.own[i]});
  }
  changed.notify_all();
}

/// Moves the sums of a pass to the group's state.
void Team::close(Worker &worker, Split &split, Lock &lock) {
  const tamrt_step_kind kind = split.pass->kind;
  const Workplace place = split.place;
  if (!split.failed())
    unlocked(worker, split, lock, [&] {
      if (split.last)
        attemptSums(worker, kind, [&](const tamrt_accumulator &each, int64_t) {
          worker.place.move(each.count, numbersIn(split.last, each),
                            numbersIn(place.state, each));
        });
      for (const Node &node : split.nodes)
        if (void *to = split.own[size_t(node.level)]; to != node.sums)
          attemptSums(
              worker, kind, [&](const tamrt_accumulator &each, int64_t offset) {
                worker.place.move(each.count, numbersAt(node.sums, offset),
                                  numbersAt(to, offset));
              });
      for (void *other : split.counts)
        attemptCounts(worker, kind, [&](const tamrt_accumulator &each) {
          worker.place.joinCounts(each, numbersIn(other, each));
        });
    });
  for (const Node &node : split.nodes)
    giveLevel(split, node.sums);
  split.nodes.clear();
  split.counts.clear();
  split.last = nullptr;
  split.pass = nullptr;
  changed.notify_all();
}

void Team::add(Worker &worker, const Pass &pass) {
  if (worker.chunkRows > kSegment) {
    const size_t end = pass.first + pass.rows;
    addAlone(worker, pass, pass.first, end, /*last=*/end, /*origin=*/0);
    return;
  }
  if (!splits(pass)) {
    for (size_t piece = 0; piece < piecesOf(pass) && worker.place.good();
         ++piece)
      addAlone(worker, pass, beginOf(pass, piece), endOf(pass, piece),
               /*last=*/pass.first + pass.rows,
               /*origin=*/0);
    return;
  }
  Lock lock(mutex);
  open(worker, pass);
  Split &split = all[worker.lane];
  // Other threads use the pass until the split has ended, even after an
  // exception.
  std::exception_ptr exception;
  while (!split.isOver())
    try {
      if (!split.failed() && split.next < split.pieces)
        begin(worker, split, lock);
      else
        changed.wait(lock);
    } catch (...) {
      exception = std::current_exception();
    }
  close(worker, split, lock);
  if (split.failed()) {
    worker.place.context.status = split.error.status;
    worker.place.context.detail = split.error.detail;
    worker.shortage = split.shortage;
  }
  if (exception)
    std::rethrow_exception(exception);
}

/// The pass with the most remaining work; null if there is none.
Team::Split *Team::findLongest() {
  Split *longest = nullptr;
  for (Split &split : all)
    if (split.pass && !split.failed() && split.next < split.pieces &&
        (!longest ||
         longest->pieces - longest->next < split.pieces - split.next))
      longest = &split;
  return longest;
}

void Team::help(Worker &worker) {
  const Ladder &ladder = *crew.ladder;
  if (!canSplit(ladder, *crew.device) || levelsFor(ladder.groupRows) == 0)
    return;
  if (ladder.state == StateOf::Group) {
    if (worker.lane >= crew.spares.size())
      return;
    worker.place.state = crew.spares[worker.lane].data();
  }
  worker.place.context.status = TAMRT_OK;
  const LevelLayout layout = levelLayout(model, describe(ladder.kind).solver);
  Lock lock(mutex);
  for (int64_t level = 0; level < levelsFor(ladder.groupRows); ++level)
    levels.push_back(layout.at(worker.place.state, level));
  while (entered > 0 && worker.place.good()) {
    Split *split = findLongest();
    if (!split) {
      changed.wait(lock);
      continue;
    }
    const size_t serial = split->serial;
    const tamrt_step_kind kind = split->pass->kind;
    if (hasCounts)
      split->counts.push_back(worker.place.state);
    ++split->open;
    try {
      unlocked(worker, *split, lock, [&] { clear(worker, kind); });
    } catch (...) {
      --split->open;
      throw;
    }
    --split->open;
    changed.notify_all();
    // Until it is closed, nodes may be in the worker's levels, and counts or
    // the last sums in its state.
    while (split->pass && split->serial == serial && worker.place.good())
      if (!split->failed() && split->next < split->pieces)
        begin(worker, *split, lock);
      else
        changed.wait(lock);
  }
}

} // namespace tamrt
