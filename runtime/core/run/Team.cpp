//===- core/run/Team.cpp - threads that share a group's rows --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mutex guards all that several threads see; it is held between pieces of
// work only, which are thousands of rows.
//
//===----------------------------------------------------------------------===//

#include "core/run/Team.h"

#include <algorithm>

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

/// The step that zeroes the sums of a kind's.
tamrt_step_kind initOf(tamrt_step_kind chunk) {
  return tamrt_step_kind(chunk - 1);
}

} // namespace

Team::Team(const tamrt_model &model, Crew &crew)
    : model(model), crew(crew), all(crew.workers.size()) {
  const size_t states = crew.spares.size() + crew.workers.size();
  spares.reserve(states);
  for (AlignedBuffer &spare : crew.spares)
    spares.push_back(spare.data());
  for (Split &split : all)
    split.waiting.reserve(states);
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

/// Adds rows [begin, end) of the group to the sums of a state whose first row
/// is row `origin`.
void Team::addAlone(Worker &worker, const Pass &pass, size_t begin, size_t end,
                    size_t origin) {
  attemptChunks(
      *crew.ladder, worker, end - begin,
      [&](size_t at, size_t count) {
        const tamrt_step &step = pass.kind == TAMRT_STEP_CG_CHUNK
                                     ? setupStep(model, *worker.rung)
                                     : *worker.rung;
        const auto most = size_t(step.rung_rows);
        for (size_t done = 0; done < count; done += most) {
          const size_t row = begin + at + done;
          worker.setColumns(model, pass.data, pass.row + row - pass.first);
          worker.place.run(step, pass.vector,
                           int64_t(std::min(most, count - done)),
                           int64_t(row - origin), int64_t(pass.groupRows));
        }
      },
      [&](size_t, size_t count) {
        if (pass.done)
          pass.done(worker, count);
      });
}

/// Adds a piece to `worker.place.state`: the group's, or one that is apart.
void Team::addPiece(Worker &worker, const Split &split, size_t piece,
                    bool apart) {
  const Pass &pass = *split.pass;
  const size_t begin = beginOf(pass, piece);
  if (apart)
    worker.attempt(*crew.ladder, [&] {
      worker.setColumns(model, pass.data, pass.row + begin - pass.first);
      worker.place.run(*firstStep(model, initOf(pass.kind)), pass.vector, 0, 0,
                       int64_t(pass.groupRows));
    });
  if (worker.place.good())
    addAlone(worker, pass, begin, endOf(pass, piece), apart ? begin : 0);
}

/// Puts the sums of a piece behind those of the group's state.
void Team::append(Worker &worker, const Split &split, size_t piece,
                  const void *sums) {
  const TraceSpan span(crew.ladder->options.trace, worker.lane, "join",
                       {{"first", int64_t(beginOf(*split.pass, piece))}});
  worker.attempt(*crew.ladder, [&] {
    worker.place.append(model, split.pass->kind, sums,
                        int64_t(beginOf(*split.pass, piece)));
  });
}

/// Notes an error, unless there was one before. What waits is not wanted.
void Team::giveUp(Split &split, const tamrt_context &error,
                  const std::string &shortage) {
  if (!split.failed()) {
    split.error = error;
    split.shortage = shortage;
  }
  for (auto &[piece, sums] : split.waiting) {
    spares.push_back(sums);
    --split.open;
  }
  split.waiting.clear();
}

/// Lets `body` work in `state` for a group without holding the lock. An error,
/// of the steps or an exception, which is returned, becomes the group's.
template <class Body>
std::exception_ptr Team::unlocked(Worker &worker, Split &split, void *state,
                                  Lock &lock, const Body &body) {
  const Workplace own = worker.place;
  worker.place.state = state;
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
  worker.place.state = own.state;
  worker.place.parameters = own.parameters;
  worker.place.tables = own.tables;
  if (error.status != TAMRT_OK)
    giveUp(split, error, worker.shortage);
  changed.notify_all();
  return exception;
}

/// Lets `body` work in the group's state, which then has one more piece.
template <class Body>
void Team::inGroup(Worker &worker, Split &split, Lock &lock, const Body &body) {
  split.isTaken = true;
  const std::exception_ptr exception =
      unlocked(worker, split, split.place.state, lock, body);
  split.isTaken = false;
  ++split.joined;
  --split.open;
  if (exception)
    std::rethrow_exception(exception);
}

/// Puts the sums behind the group's that are next, if they wait and nobody is
/// there.
bool Team::join(Worker &worker, Split &split, Lock &lock) {
  if (split.isTaken)
    return false;
  auto at = std::find_if(
      split.waiting.begin(), split.waiting.end(),
      [&](const auto &entry) { return entry.first == split.joined; });
  if (at == split.waiting.end())
    return false;
  const auto [piece, sums] = *at;
  split.waiting.erase(at);
  inGroup(worker, split, lock, [&, piece = piece, sums = sums] {
    append(worker, split, piece, sums);
  });
  spares.push_back(sums);
  return true;
}

/// Does what is next for a group; false when nothing can be done now.
bool Team::advance(Worker &worker, Split &split, Lock &lock) {
  if (split.failed())
    return false;
  if (join(worker, split, lock))
    return true;
  if (split.next == split.pieces)
    return false;
  const bool apart = split.isTaken || split.joined < split.next;
  if (apart && spares.empty())
    return false;
  const size_t piece = split.next++;
  ++split.open;
  auto body = [&] { addPiece(worker, split, piece, apart); };
  if (!apart) {
    inGroup(worker, split, lock, body);
    return true;
  }
  void *state = spares.back();
  spares.pop_back();
  const std::exception_ptr exception =
      unlocked(worker, split, state, lock, body);
  if (split.failed()) {
    spares.push_back(state);
    --split.open;
  } else {
    split.waiting.push_back({piece, state});
  }
  if (exception)
    std::rethrow_exception(exception);
  return true;
}

void Team::add(Worker &worker, const Pass &pass) {
  if (!splits(pass)) {
    addAlone(worker, pass, pass.first, pass.first + pass.rows, 0);
    return;
  }
  Lock lock(mutex);
  Split &split = all[worker.lane];
  split.pass = &pass;
  split.place = worker.place;
  split.pieces = piecesOf(pass);
  split.next = split.joined = 0;
  split.error = {};
  changed.notify_all();
  // Others use the pass until the split is over, whatever comes.
  std::exception_ptr exception;
  while (!split.isOver()) {
    bool moved = false;
    if (!exception) {
      try {
        moved = advance(worker, split, lock);
      } catch (...) {
        exception = std::current_exception();
      }
    }
    if (!moved && !split.isOver())
      changed.wait(lock);
  }
  split.pass = nullptr;
  if (split.failed()) {
    worker.place.context.status = split.error.status;
    worker.place.context.detail = split.error.detail;
    worker.shortage = split.shortage;
  }
  if (exception)
    std::rethrow_exception(exception);
}

void Team::help(Worker &worker) {
  if (!canSplit(*crew.ladder, *crew.device))
    return;
  worker.place.context.status = TAMRT_OK;
  Lock lock(mutex);
  // What it needs for groups of its own is of use to others.
  if (crew.ladder->state == StateOf::Worker) {
    spares.push_back(worker.place.state);
    changed.notify_all();
  }
  while (entered > 0 && worker.place.good()) {
    // Where most is left to do.
    Split *longest = nullptr;
    for (Split &split : all)
      if (split.pass && !split.failed() && !split.isOver() &&
          (!longest ||
           longest->pieces - longest->next < split.pieces - split.next))
        longest = &split;
    if (!longest || !advance(worker, *longest, lock))
      changed.wait(lock);
  }
}

} // namespace tamrt
