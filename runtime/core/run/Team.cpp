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

} // namespace

Team::Team(const tamrt_model &model, Crew &crew)
    : model(model), crew(crew), all(crew.workers.size()) {
  const size_t states = crew.spares.size() + crew.workers.size();
  spares.reserve(states);
  for (AlignedBuffer &spare : crew.spares)
    spares.push_back(spare.data());
  // Reserve memory now: nothing allocates while pieces are open.
  for (Split &split : all) {
    split.waiting.reserve(states);
    split.used.reserve(states);
    split.idle.reserve(states);
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

/// Adds rows [begin, end) of the group to the sums of a state whose first row
/// is row `origin`.
void Team::addAlone(Worker &worker, const Pass &pass, size_t begin, size_t end,
                    size_t origin) {
  attemptChunks(
      *crew.ladder, worker, pass.kind, end - begin,
      [&](const tamrt_step &step, size_t at, size_t count) {
        const size_t row = begin + at;
        worker.setColumns(model, pass.data, pass.row + row - pass.first);
        worker.run(step, pass.vector, int64_t(count), int64_t(row - origin),
                   int64_t(pass.groupRows));
      },
      [&](size_t, size_t count) {
        if (pass.done)
          pass.done(worker, count);
      });
}

/// Attempts body(accumulator) for each accumulator that steps of `kind` add to,
/// one by one: an accumulator that has been added is not added again if memory
/// runs out for the next.
template <class Body>
void Team::attemptEach(Worker &worker, tamrt_step_kind kind, const Body &body) {
  for (int64_t i = 0; i < model.accumulator_count && worker.place.good(); ++i)
    if (model.accumulators[i].kind == kind)
      worker.attempt(*crew.ladder, [&] { body(model.accumulators[i]); });
}

/// Records an error, unless there was one before, and drops waiting sums.
void Team::giveUp(Split &split, const tamrt_context &error,
                  const std::string &shortage) {
  if (!split.failed()) {
    split.error = error;
    split.shortage = shortage;
  }
  split.open -= split.waiting.size();
  split.waiting.clear();
}

/// Runs `body` on `state` for a group without holding the lock. An error of the
/// steps, or an exception, which is returned, becomes the group's error.
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

/// Whether the group's sums must end in the state in which they began: the
/// caller owns it, or keeps other data in it.
bool Team::staysInPlace(const Split &split) const {
  return crew.ladder->state == StateOf::Group ||
         !describe(split.pass->kind).isDirect();
}

/// Sums the next piece: in the group's sums, if they are free and have all
/// earlier pieces, else in a separate state. False if there is no piece or no
/// state.
bool Team::begin(Worker &worker, Split &split, Lock &lock) {
  const Pass &pass = *split.pass;
  if (split.next == split.pieces)
    return false;
  const bool apart = split.isTaken || split.joined < split.next;
  void *state = split.sums;
  bool isNew = false;
  if (apart && !split.idle.empty()) {
    state = split.idle.back();
    split.idle.pop_back();
  } else if (apart && !spares.empty()) {
    state = spares.back();
    spares.pop_back();
    split.used.push_back(state);
    isNew = true;
  } else if (apart) {
    return false;
  }
  const size_t piece = split.next++;
  ++split.open;
  if (!apart)
    split.isTaken = true;
  const std::exception_ptr exception =
      unlocked(worker, split, state, lock, [&] {
        if (apart)
          worker.attempt(*crew.ladder,
                         [&] { worker.place.clear(model, pass.kind, isNew); });
        const size_t first = beginOf(pass, piece);
        if (worker.place.good())
          addAlone(worker, pass, first, endOf(pass, piece), apart ? first : 0);
      });
  if (!apart) {
    split.isTaken = false;
    ++split.joined;
    --split.open;
  } else if (split.failed()) {
    --split.open;
  } else {
    split.waiting.push_back({piece, state});
  }
  if (exception)
    std::rethrow_exception(exception);
  return true;
}

/// Joins the next waiting sums with the group's sums, if nobody is working on
/// those. The result is in the state of the waiting sums, which has the group's
/// sums from then on.
bool Team::join(Worker &worker, Split &split, Lock &lock) {
  if (split.isTaken)
    return false;
  auto at = std::find_if(
      split.waiting.begin(), split.waiting.end(),
      [&](const auto &entry) { return entry.first == split.joined; });
  if (at == split.waiting.end())
    return false;
  const auto [piece, sums] = *at;
  const size_t first = beginOf(*split.pass, piece);
  split.waiting.erase(at);
  split.isTaken = true;
  const std::exception_ptr exception =
      unlocked(worker, split, sums, lock, [&, sums = sums] {
        const TraceSpan span(crew.ladder->options.trace, worker.lane, "join",
                             {{"first", int64_t(first)}});
        attemptEach(worker, split.pass->kind,
                    [&](const tamrt_accumulator &each) {
                      worker.place.append(each, split.sums, int64_t(first));
                    });
      });
  if (split.sums != split.place.state || !staysInPlace(split))
    split.idle.push_back(split.sums);
  split.sums = sums;
  split.isTaken = false;
  ++split.joined;
  --split.open;
  if (exception)
    std::rethrow_exception(exception);
  return true;
}

/// Does the next work for a group; false if there is none now. The group's
/// owner joins sums first, so that they stay in its cache; other workers join
/// only if they have no piece to begin.
bool Team::advance(Worker &worker, Split &split, bool isOwner, Lock &lock) {
  if (split.failed())
    return false;
  return isOwner ? join(worker, split, lock) || begin(worker, split, lock)
                 : begin(worker, split, lock) || join(worker, split, lock);
}

/// Moves the sums of a pass to the state in which the owner continues, and
/// releases the other states.
void Team::close(Worker &worker, Split &split, Lock &lock) {
  const tamrt_step_kind kind = split.pass->kind;
  void *const place = split.place.state;
  if (!split.failed())
    (void)unlocked(worker, split, split.sums, lock, [&] {
      auto add = [&](const void *other) {
        if (other != split.sums)
          attemptEach(worker, kind, [&](const tamrt_accumulator &each) {
            worker.place.addCounts(each, other);
          });
      };
      add(place);
      for (const void *other : split.used)
        add(other);
      if (split.sums == place || !staysInPlace(split))
        return;
      attemptEach(worker, kind, [&](const tamrt_accumulator &each) {
        copy(worker.place.context, *crew.device,
             static_cast<char *>(place) + each.offset,
             static_cast<char *>(split.sums) + each.offset,
             size_t(2 * each.count) * sizeof(double));
      });
    });
  const bool moves = !staysInPlace(split);
  worker.place.state = moves ? split.sums : place;
  for (void *state : split.used)
    if (state != worker.place.state)
      spares.push_back(state);
  if (worker.place.state != place)
    spares.push_back(place);
  split.used.clear();
  split.idle.clear();
  changed.notify_all();
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
  split.sums = worker.place.state;
  split.error = {};
  changed.notify_all();
  // Other threads use the pass until the split has ended, even after an
  // exception.
  std::exception_ptr exception;
  while (!split.isOver()) {
    bool moved = false;
    if (!exception) {
      try {
        moved = advance(worker, split, /*isOwner=*/true, lock);
      } catch (...) {
        exception = std::current_exception();
      }
    }
    if (!moved && !split.isOver())
      changed.wait(lock);
  }
  close(worker, split, lock);
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
  // Its own state is now free for others.
  if (crew.ladder->state == StateOf::Worker) {
    spares.push_back(worker.place.state);
    changed.notify_all();
  }
  while (entered > 0 && worker.place.good()) {
    // The split with the most remaining work.
    Split *longest = nullptr;
    for (Split &split : all)
      if (split.pass && !split.failed() && !split.isOver() &&
          (!longest ||
           longest->pieces - longest->next < split.pieces - split.next))
        longest = &split;
    if (!longest || !advance(worker, *longest, /*isOwner=*/false, lock))
      changed.wait(lock);
  }
}

} // namespace tamrt
