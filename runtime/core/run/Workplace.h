//===- core/run/Workplace.h - runs the steps of one group -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The order in which the steps of a model run for one group, and their memory.
/// Shared by the executable, which runs groups on threads and allocates memory,
/// and the library for embedding, which uses only the caller's memory. Nothing
/// here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_WORKPLACE_H
#define TAMRT_CORE_RUN_WORKPLACE_H

#include "core/model/Steps.h"
#include "tamrt/abi.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamrt {

/// Bytes one thread needs, by use, each a multiple of TAMRT_ALIGNMENT. The
/// state's include its levels (see `levelsFor`).
struct ThreadMemory {
  int64_t arena = 0, state = 0, carry = 0, output = 0, parameters = 0;
  /// For conjugate gradients, in the CPU's memory.
  int64_t vectors = 0;
  /// Copies of the data that steps read, on a device that needs them.
  int64_t copies = 0;

  int64_t total() const {
    return arena + state + carry + output + parameters + vectors + copies;
  }
};

/// The steps of a fit that share an arena: all of them, or those with one
/// placement (tamrt_placement).
enum class FitPart { All, Sums, Solve };

/// The steps of a direct fit beside those that every fit runs.
struct FitExtra {
  /// FIT_INFER, after FIT_FINISH; FIT_SYSTEM, instead of it or before it, and
  /// PENALTY.
  bool infers = false, takesSystem = false;
};

/// Whether a fit runs steps of `kind`.
bool isRun(FitExtra extra, int32_t kind);

/// Bytes of the arena of the steps of a part, `chunk` and `extra` as in
/// `fitMemory`.
int64_t fitArenaBytes(const tamrt_model &model, const tamrt_step &chunk,
                      FitPart part, FitExtra extra);

/// The sums of a group's segments (abi.h) are joined in a binary tree over
/// their indices: those of segments 2i and 2i + 1, of the halves that result,
/// and so on; halves that lack a partner are joined at the end, from the last
/// one to the first. So segments may be summed and joined in any order of time,
/// and the bits are the same.
///
/// The segment under way is in the state. Behind the state are *levels*: level
/// l has the sums of 2^l finished segments, packed, if bit l of their number
/// is 1.

/// Number of the finished segments of a group of `rows` rows: all but the last.
constexpr int64_t finishedSegments(int64_t rows) {
  return rows > 0 ? (rows - 1) / TAMRT_SEGMENT_ROWS : 0;
}

/// Levels for a group of `rows` rows; 0 if it has one segment.
constexpr int64_t levelsFor(int64_t rows) {
  return std::bit_width(uint64_t(finishedSegments(rows)));
}

/// Where the levels of a group's sums are.
struct LevelLayout {
  /// Of level 0 behind the start of the state; of one level.
  int64_t offset = 0, bytes = 0;

  void *at(void *state, int64_t level) const {
    return static_cast<char *>(state) + offset + level * bytes;
  }
};

/// O(accumulators).
LevelLayout levelLayout(const tamrt_model &model, StepSolver solver);

/// Bytes of the state of a group of `rows` rows and of its levels.
int64_t groupBytes(const tamrt_model &model, StepSolver solver, int64_t rows);

/// Memory of one thread of a fit of groups of at most `rows` rows. `chunk`, of
/// kind FIT_CHUNK or APPLY_CHUNK, is the rung's step.
ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk,
                       int64_t rows, FitExtra extra = {});

/// Bytes of the output of the direct solver's steps.
int64_t fitOutputBytes(const tamrt_model &model, FitExtra extra);

/// Memory of one thread of a prediction with `step`, of kind PREDICT, TERMS or
/// DESIGN, with at most `rows` rows at a time.
ThreadMemory predictMemory(const tamrt_model &model, const tamrt_step &step,
                           int64_t rows);

/// Rows of a chunk on `step`, for groups of at most `groupRows` rows: at most
/// `chunkRows`, if not 0.
int64_t chunkOf(const tamrt_step &step, int64_t groupRows, int64_t chunkRows);

/// The memory for the steps of one thread (see `ThreadMemory`), aligned to
/// TAMRT_ALIGNMENT.
struct Workplace {
  tamrt_context context = {};
  void *arena = nullptr, *state = nullptr, *carry = nullptr;
  double *output = nullptr, *parameters = nullptr, *vectors = nullptr;
  /// For the sums of the segments of a chunk but the first (tamrt_call), each
  /// of `segmentBytes`; null if chunks are of one segment.
  void *segments = nullptr;
  int64_t segmentBytes = 0;
  /// The first of the segments whose sums are in the state, if they are of a
  /// chunk of several; else -1: there is one, the last that has rows.
  int64_t openSegment = -1;
  /// The model's tables; null if it has none.
  const void *const *tables = nullptr;
  /// One pointer per input, then target and row weights, at a chunk's first
  /// row.
  const void **columns = nullptr;

  bool good() const { return context.status == TAMRT_OK; }

  /// The call of a step on the current columns, for a group of `groupRows`
  /// rows, which writes to `output`. It refers to `context`.
  tamrt_call callOf(const tamrt_step &step, const double *coefficients,
                    int64_t rows, int64_t first, int64_t groupRows);

  /// Runs the step of such a call.
  void run(const tamrt_step &step, const double *coefficients, int64_t rows,
           int64_t first, int64_t groupRows);

  /// `tamrt::arrange`, and the step.
  void arrangeAndRun(const tamrt_model &model, const tamrt_step &step,
                     const double *coefficients, int64_t rows, int64_t first,
                     int64_t groupRows);

  /// Kernels on `count` numbers: zeroes them; adds others to them; moves them,
  /// which leaves zeros, after others have been added to them.
  void clear(int64_t count, double *sums) {
    context.kernels->zero(&context, count, sums);
  }
  void join(int64_t count, std::span<const double *const> others,
            double *sums) {
    context.kernels->join_sums(&context, others.data(), int64_t(others.size()),
                               count, sums);
  }
  void move(int64_t count, double *from, double *to,
            std::span<const double *const> others = {}) {
    context.kernels->move_sums(&context, others.data(), int64_t(others.size()),
                               count, from, to);
  }
  /// Adds row counts to those of an accumulator in `state`.
  void joinCounts(const tamrt_accumulator &accumulator, const double *more);
};

/// The numbers of an accumulator in a state, and those at a place of packed
/// sums.
double *numbersIn(void *state, const tamrt_accumulator &accumulator);
double *numbersAt(void *packed, int64_t offset);

/// Calls body(accumulator, place in packed sums) for the sums to which steps of
/// kind `sums` add, while it returns true.
template <class Body>
void forEachSum(const tamrt_model &model, int32_t sums, const Body &body) {
  int64_t offset = 0;
  for (int64_t i = 0; i < model.accumulator_count; ++i) {
    const tamrt_accumulator &each = model.accumulators[i];
    if (each.kind != sums || each.unit != 0)
      continue;
    if (!body(each, offset))
      return;
    offset += alignedBytes(each.count * int64_t(sizeof(double)));
  }
}

/// Whether `arrange` has something to do.
inline bool arranges(tamrt_step_kind kind, int64_t first, int64_t groupRows) {
  const StepDescription &about = describe(kind);
  return about.hasSums() &&
         (about.takesRows() ? first > 0 && first % TAMRT_SEGMENT_ROWS == 0
                            : finishedSegments(groupRows) > 0);
}

/// What must happen to the sums before a step of a kind that adds rows from row
/// `first` of the group on: those of a segment that has ended become part of a
/// level. Before one that reads the sums of a group of `groupRows` rows: the
/// state gets those of all its segments. To be called once per step.
///
/// attempt(body) calls body(place) once or, if it finds no memory, again, with
/// the sums as they were, which may be elsewhere by then: it runs one kernel.
/// Stops at an error of `place`.
template <class Attempt>
void arrange(const Workplace &place, const tamrt_model &model,
             tamrt_step_kind kind, int64_t first, int64_t groupRows,
             const Attempt &attempt) {
  if (!arranges(kind, first, groupRows))
    return;
  const StepDescription &about = describe(kind);
  // Before a chunk the state has the sums of the segment before row `first`,
  // which go to the lowest free level, with those of the levels below.
  const bool moves = about.takesRows();
  const int64_t finished =
      moves ? first / TAMRT_SEGMENT_ROWS - 1 : finishedSegments(groupRows);
  const int64_t free = std::countr_one(uint64_t(finished));
  // A level has the sums of 2^level segments before the open ones. Those of the
  // open ones, a power of two or the last, are joined.
  const int64_t open = place.openSegment < 0 ? finished : place.openSegment;
  const uint64_t used =
      uint64_t(open) & (moves ? (uint64_t(1) << free) - 1 : ~uint64_t(0));
  if (!moves && used == 0)
    return;
  const LevelLayout levels = levelLayout(model, about.solver);
  forEachSum(model, about.sums,
             [&](const tamrt_accumulator &each, int64_t offset) {
               attempt([&](Workplace &here) {
                 auto sumsAt = [&](int64_t level) {
                   return numbersAt(levels.at(here.state, level), offset);
                 };
                 const double *earlier[64];
                 size_t count = 0;
                 for (int64_t level = 0; used >> level > 0; ++level)
                   if (used >> level & 1)
                     earlier[count++] = sumsAt(level);
                 double *sums = numbersIn(here.state, each);
                 if (moves)
                   here.move(each.count, sums, sumsAt(free), {earlier, count});
                 else
                   here.join(each.count, {earlier, count}, sums);
               });
               return place.good();
             });
}

/// Calls body(first row in the group, rows) for the chunks of a group of `rows`
/// rows, after setColumns(first row in the group, rows); stops at an error. A
/// chunk ends with its segment.
template <class SetColumns, class Body>
void forEachChunk(Workplace &place, size_t rows, size_t chunkRows,
                  const SetColumns &setColumns, const Body &body) {
  constexpr auto segment = size_t(TAMRT_SEGMENT_ROWS);
  for (size_t first = 0, count = 0; first < rows && place.good();
       first += count) {
    count = std::min({chunkRows, rows - first, segment - first % segment});
    setColumns(first, count);
    body(first, count);
  }
}

/// Fits one group of `rows` rows, whose parameter block is set, with `chunk` as
/// the rung's step. The D coefficients are in `place.output`, unless `place`
/// has an error. `done(rows)` is called after every chunk.
template <class SetColumns, class Done>
void fitGroup(const tamrt_model &model, const tamrt_step &chunk,
              Workplace &place, size_t rows, size_t chunkRows,
              const SetColumns &setColumns, const Done &done) {
  const size_t start = std::min(chunkRows, rows);
  setColumns(0, start);
  const auto all = int64_t(rows);
  place.run(*firstStep(model, TAMRT_STEP_FIT_INIT), nullptr, 0, 0, all);
  forEachChunk(place, rows, chunkRows, setColumns,
               [&](size_t first, size_t count) {
                 place.arrangeAndRun(model, chunk, nullptr, int64_t(count),
                                     int64_t(first), all);
                 if (place.good())
                   done(count);
               });
  if (!place.good())
    return;
  setColumns(0, start);
  place.arrangeAndRun(model, *firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr,
                      all, 0, all);
}

/// Predicts rows of one group, whose parameter block is set, with `step` of
/// kind PREDICT, TERMS or DESIGN. `take(first, rows)` is called after every
/// chunk, with the results in `place.output`.
template <class SetColumns, class Take>
void predictGroup(const tamrt_step &step, Workplace &place,
                  const double *coefficients, size_t rows, size_t chunkRows,
                  const SetColumns &setColumns, const Take &take) {
  forEachChunk(place, rows, chunkRows, setColumns,
               [&](size_t first, size_t count) {
                 place.run(step, coefficients, int64_t(count), int64_t(first),
                           int64_t(rows));
                 if (place.good())
                   take(first, count);
               });
}

/// The first of D coefficients that is not finite; D if all are. The
/// factorisation's test of its pivots does not detect all sums that overflow.
size_t firstNotFinite(const double *values, size_t count);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_WORKPLACE_H
