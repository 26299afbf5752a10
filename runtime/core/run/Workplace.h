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
#include <cstddef>
#include <cstdint>

namespace tamrt {

/// Bytes one thread needs, by use, each a multiple of TAMRT_ALIGNMENT.
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

/// Bytes of the arena of the steps of a part, `chunk` as in `fitMemory`.
int64_t fitArenaBytes(const tamrt_model &model, const tamrt_step &chunk,
                      FitPart part);

/// Memory of one thread of a fit. `chunk`, of kind FIT_CHUNK or APPLY_CHUNK, is
/// the rung's step.
ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk);

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
  /// The model's tables; null if it has none.
  const void *const *tables = nullptr;
  /// One pointer per input, then target and row weights, at a chunk's first
  /// row.
  const void **columns = nullptr;

  bool good() const { return context.status == TAMRT_OK; }

  /// Runs one step on the current columns, for a group of `groupRows` rows. It
  /// writes to `output`.
  void run(const tamrt_step &step, const double *coefficients, int64_t rows,
           int64_t first, int64_t groupRows);

  /// Zeroes the sums in `state` that steps of kind `chunk` add to, for the rows
  /// of a segment, and the row counts if `counts`.
  void clear(const tamrt_model &model, tamrt_step_kind chunk, bool counts);

  /// Adds an accumulator's sums of earlier rows, in another state, before those
  /// of the segment in `state`. `first` is the index in the group of the
  /// segment's first row. Row counts are not changed.
  void append(const tamrt_accumulator &accumulator, const void *earlier,
              int64_t first);

  /// Adds the row counts of an accumulator in another state of the group.
  void addCounts(const tamrt_accumulator &accumulator, const void *other);
};

/// Calls body(first row in the group, rows) for the chunks of a group of `rows`
/// rows, after setColumns(first row in the group, rows); stops at an error.
template <class SetColumns, class Body>
void forEachChunk(Workplace &place, size_t rows, size_t chunkRows,
                  const SetColumns &setColumns, const Body &body) {
  for (size_t first = 0; first < rows && place.good(); first += chunkRows) {
    const size_t count = std::min(chunkRows, rows - first);
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
                 place.run(chunk, nullptr, int64_t(count), int64_t(first), all);
                 if (place.good())
                   done(count);
               });
  if (!place.good())
    return;
  setColumns(0, start);
  place.run(*firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr, all, 0, all);
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
