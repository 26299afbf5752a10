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
// Workers take pieces in order, one or those of a subtree. Each has a state
// with all levels, and stays with a pass until it is closed. Level l of a state
// has nodes of level l alone, and there is always a free one: each worker
// accounts for one node of a level, the sibling of what its piece is a part of
// there, or what it stores there itself.
// - A node whose sibling has pieces that a worker took and has not joined yet
//   is that worker's. So are the partners that it is joining: each lies beside
//   its path.
// - Of a level there is one other node at most, the last one, whose sibling no
//   worker has taken. The worker of its last piece has not taken others since:
//   they would be the sibling's.
//
// Sums that another processor wrote last take several times as long to read or
// overwrite. So a worker takes the pieces of a subtree, if there are many, and
// prefers levels of its own: most nodes never leave its cache.
//
//===----------------------------------------------------------------------===//

#include "core/run/Team.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace tamrt {
namespace {

constexpr auto kSegment = size_t(TAMRT_SEGMENT_ROWS);

/// Pieces that a worker takes at once, a power of two; for each that it takes,
/// there are so many for every worker, so that the last ones are taken one by
/// one.
constexpr size_t kMostAtOnce = 8, kLeftForEach = 2;

/// A level in State::used.
constexpr uint64_t bitOf(int64_t level) { return uint64_t(1) << level; }

/// The segment of piece `piece` of a pass: pieces end with segments.
size_t segmentOf(const Pass &pass, size_t piece) {
  return pass.first / kSegment + piece;
}

size_t beginOf(const Pass &pass, size_t piece) {
  return std::max(pass.first, segmentOf(pass, piece) * kSegment);
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
  for (Split &split : all) {
    split.nodes.reserve(workers * perState);
    split.states.reserve(workers);
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

/// Runs `body` for a group without holding the lock. An error of the steps or
/// an exception becomes the error of the worker and, if it is the first, of the
/// group.
template <class Body>
void Team::unlocked(Worker &worker, Split &split, Lock &lock,
                    const Body &body) {
  const Workplace own = worker.place;
  worker.place.parameters = split.parameters;
  worker.place.tables = split.tables;
  lock.unlock();
  std::exception_ptr exception;
  try {
    body();
  } catch (...) {
    exception = std::current_exception();
    worker.place.context.status = TAMRT_ERROR_OUT_OF_MEMORY;
  }
  lock.lock();
  worker.place.parameters = own.parameters;
  worker.place.tables = own.tables;
  if (!worker.place.good() && !split.failed()) {
    split.error = worker.place.context;
    split.shortage = worker.shortage;
    split.exception = exception;
  }
  changed.notify_all();
}

/// Takes a free level `level` for a node, of the worker's own state if it is
/// free there.
Team::State &Team::takeLevel(const Worker &worker, Split &split,
                             int64_t level) {
  const uint64_t bit = bitOf(level);
  State *found = nullptr;
  for (State &each : split.states)
    if (!(each.used & bit) && (!found || each.memory == worker.place.state))
      found = &each;
  assert(found && "fewer levels than nodes");
  found->used |= bit;
  return *found;
}

/// Takes the other half of a node's parent, if it has been computed; if its
/// sums are on their way to its level, waits for them.
std::optional<Team::Node> Team::takePartner(Split &split, const Node &node,
                                            Lock &lock) {
  while (!split.failed()) {
    const auto at = split.find(node.level, node.index ^ 1);
    if (at == split.nodes.end())
      break;
    if (at->isThere) {
      const Node partner = *at;
      split.nodes.erase(at);
      return partner;
    }
    changed.wait(lock);
  }
  return std::nullopt;
}

/// Joins the sums of a segment, which are in the worker's state, with those of
/// its partners in the tree that have been computed, and stores the result for
/// the next partner.
void Team::climb(Worker &worker, Split &split, int64_t segment, Lock &lock) {
  const tamrt_step_kind kind = split.pass->kind;
  Node node = {0, segment};
  // The partners of the segment, of the sums of both, and so on.
  std::array<Node, 64> partners;
  size_t count = 0;
  while (std::optional<Node> partner = takePartner(split, node, lock)) {
    partners[count++] = *partner;
    ++node.level;
    node.index /= 2;
  }
  if (split.failed())
    return;
  node.state = &takeLevel(worker, split, node.level);
  split.nodes.push_back(node);
  unlocked(worker, split, lock, [&] {
    const TraceSpan span(crew.ladder->options.trace, worker.lane, "join",
                         {{"segment", segment}, {"level", node.level}});
    // A partner may be the later one: the bits are the same.
    attemptSums(
        worker, kind, [&](const tamrt_accumulator &each, int64_t offset) {
          const double *others[64];
          for (size_t i = 0; i < count; ++i)
            others[i] = numbersAt(split.sumsOf(partners[i]), offset);
          worker.place.move(each.count, numbersIn(worker.place.state, each),
                            numbersAt(split.sumsOf(node), offset),
                            {others, count});
        });
  });
  for (size_t i = 0; i < count; ++i)
    partners[i].state->used &= ~bitOf(partners[i].level);
  split.find(node.level, node.index)->isThere = true;
  changed.notify_all();
}

/// Takes the next pieces: those of a subtree, if there are enough for all.
Team::Pieces Team::takePieces(Split &split) {
  const size_t begin = split.next, left = split.pieces - begin;
  const size_t segment = segmentOf(*split.pass, begin);
  size_t count = 1;
  while (count < kMostAtOnce && segment % (2 * count) == 0 &&
         2 * count * kLeftForEach * crew.workers.size() <= left)
    count *= 2;
  split.next += count;
  return {begin, begin + count};
}

/// Sums a piece in the worker's state and joins it. The last one stays there.
void Team::addPiece(Worker &worker, Split &split, size_t piece, Lock &lock) {
  const Pass &pass = *split.pass;
  const size_t segment = segmentOf(pass, piece);
  unlocked(worker, split, lock, [&] {
    const size_t end = endOf(pass, piece);
    addAlone(worker, pass, beginOf(pass, piece), end, /*last=*/end,
             /*origin=*/segment * kSegment);
  });
  if (piece + 1 < split.pieces)
    climb(worker, split, int64_t(segment), lock);
}

/// Adds the next pieces.
void Team::begin(Worker &worker, Split &split, Lock &lock) {
  const Pieces pieces = takePieces(split);
  ++split.open;
  for (size_t piece = pieces.begin; piece < pieces.end && !split.failed();
       ++piece)
    addPiece(worker, split, piece, lock);
  if (pieces.end == split.pieces && worker.place.state != split.stateOfGroup())
    split.last = worker.place.state;
  --split.open;
  changed.notify_all();
}

/// Makes a pass one that others may share.
void Team::open(Worker &worker, const Pass &pass) {
  Split &split = all[worker.lane];
  split.pass = &pass;
  split.parameters = worker.place.parameters;
  split.tables = worker.place.tables;
  split.pieces = piecesOf(pass);
  split.next = 0;
  split.error = {};
  ++split.serial;
  split.layout = levelLayout(model, describe(pass.kind).solver);
  const auto finished = uint64_t(finishedSegments(int64_t(pass.first)));
  split.states.push_back({worker.place.state, finished});
  for (int64_t level = 0; bitOf(level) <= finished; ++level)
    if (finished & bitOf(level))
      split.nodes.push_back({level, int64_t(finished >> level) - 1,
                             &split.states.front(), /*isThere=*/true});
  changed.notify_all();
}

/// Moves the sums of a pass to the group's state.
void Team::gather(Worker &worker, Split &split, Lock &lock) {
  const tamrt_step_kind kind = split.pass->kind;
  unlocked(worker, split, lock, [&] {
    void *state = split.stateOfGroup();
    if (split.last)
      attemptSums(worker, kind, [&](const tamrt_accumulator &each, int64_t) {
        worker.place.move(each.count, numbersIn(split.last, each),
                          numbersIn(state, each));
      });
    for (const Node &node : split.nodes)
      if (void *to = split.layout.at(state, node.level),
          *from = split.sumsOf(node);
          to != from)
        attemptSums(worker, kind,
                    [&](const tamrt_accumulator &each, int64_t offset) {
                      worker.place.move(each.count, numbersAt(from, offset),
                                        numbersAt(to, offset));
                    });
    if (!hasCounts)
      return;
    // Those of helpers.
    for (size_t i = 1; i < split.states.size(); ++i)
      attemptCounts(worker, kind, [&](const tamrt_accumulator &each) {
        worker.place.joinCounts(each, numbersIn(split.states[i].memory, each));
      });
  });
}

/// Lets the workers of a pass go.
void Team::close(Split &split) {
  split.nodes.clear();
  split.states.clear();
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
  // If the pass is not the first, the group's state has the segment before it,
  // or the start of its first one, with which its owner begins.
  bool hasSegment = pass.first > 0 && pass.first % kSegment == 0;
  // Other threads use the pass until the split has ended, even after an error.
  while (!split.isOver())
    if (std::exchange(hasSegment, false))
      climb(worker, split, int64_t(pass.first / kSegment) - 1, lock);
    else if (!split.failed() && split.next < split.pieces)
      begin(worker, split, lock);
    else
      changed.wait(lock);
  if (!split.failed())
    gather(worker, split, lock);
  close(split);
  if (split.failed()) {
    worker.place.context.status = split.error.status;
    worker.place.context.detail = split.error.detail;
    worker.shortage = split.shortage;
  }
  if (std::exception_ptr exception = std::exchange(split.exception, nullptr))
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
  Lock lock(mutex);
  while (entered > 0 && worker.place.good()) {
    Split *split = findLongest();
    if (!split) {
      changed.wait(lock);
      continue;
    }
    const size_t serial = split->serial;
    const tamrt_step_kind kind = split->pass->kind;
    split->states.push_back({worker.place.state});
    ++split->open;
    unlocked(worker, *split, lock, [&] { clear(worker, kind); });
    --split->open;
    changed.notify_all();
    // Until it is closed, nodes, counts or the last sums may be in the
    // worker's state.
    while (split->pass && split->serial == serial && worker.place.good())
      if (!split->failed() && split->next < split->pieces)
        begin(worker, *split, lock);
      else
        changed.wait(lock);
  }
}

} // namespace tamrt
