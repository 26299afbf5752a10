//===- core/run/GroupFit.cpp - the fit of one group -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/GroupFit.h"

#include <algorithm>
#include <utility>

namespace tamrt {

GroupFit::GroupFit(Ladder &ladder, size_t place, size_t rows, double *vectors)
    : ladder(ladder), place(place), rows(int64_t(rows)) {
  if (describe(ladder.kind).isCg() && !ladder.options.takeSums)
    iterations.emplace(ladder.model, ladder.options.cg, this->rows, vectors);
  if (ladder.options.passOf)
    once = ladder.options.passOf(place);
}

/// Runs a step without rows for a group of `groupRows` rows. The direct
/// solver's output is the worker's.
void GroupFit::run(Worker &worker, tamrt_step_kind kind, const double *v,
                   double *output, int64_t groupRows) {
  // A start has no rows yet.
  const int64_t had = kind == TAMRT_STEP_FIT_INIT ? 0 : groupRows;
  // The step reads no rows.
  worker.columns.assign(size_t(ladder.model.input_count) + 2, nullptr);
  worker.place.columns = worker.columns.data();
  if (!isJoined)
    worker.arrange(ladder, kind, /*first=*/0, groupRows);
  if (!worker.place.good())
    return;
  worker.attempt(ladder, [&] {
    if (iterations)
      worker.place.output = output;
    worker.run(*firstStep(ladder.model, kind), v, had, 0, groupRows);
  });
}

/// Sums over chunks and one factorization; the coefficients are the output.
bool GroupFit::resumeOnce(Worker &worker) {
  const StepDescription &chunks = describe(pass());
  if (!isSummed) {
    run(worker, tamrt_step_kind(chunks.init), vector(), nullptr, rows);
    isSummed = true;
    return worker.place.good();
  }
  if (!worker.place.good())
    return false;
  if (ladder.options.takeSums) {
    worker.arrange(ladder, tamrt_step_kind(chunks.finish), /*first=*/0, rows);
    return false;
  }
  const bool solves = ladder.options.solves();
  const TraceSpan span(ladder.options.trace, worker.lane,
                       solves ? "solve" : "system");
  run(worker, solves ? TAMRT_STEP_FIT_FINISH : TAMRT_STEP_FIT_SYSTEM, nullptr,
      nullptr, rows);
  return false;
}

bool GroupFit::takeSystem(Worker &worker, size_t index) {
  const TraceSpan span(ladder.options.trace, worker.lane, "system");
  run(worker, TAMRT_STEP_FIT_SYSTEM, nullptr, nullptr, rows);
  if (worker.place.good())
    ladder.options.systems->take(index, worker.place.output);
  return worker.place.good();
}

bool GroupFit::resume(Worker &worker) {
  if (!iterations)
    return resumeOnce(worker);
  return iterations->resume(
      worker.place,
      [&](tamrt_step_kind kind, const double *v, double *output,
          int64_t groupRows) { run(worker, kind, v, output, groupRows); },
      [&](const CgOutcome &outcome) {
        if (ladder.options.trace)
          ladder.options.trace->instant(
              worker.lane, "iteration",
              {{"group", int64_t(place)}, {"iteration", outcome.iterations}});
      });
}

/// After the coefficients of the direct solver have been taken: computes the
/// numbers of InferenceLayout (steps.h), in the same memory. Null after an
/// error of the workplace.
const double *GroupFit::infer(Worker &worker) {
  const TraceSpan span(ladder.options.trace, worker.lane, "infer");
  // The state has the sums of all segments since the solve.
  worker.attempt(ladder, [&] {
    worker.run(*firstStep(ladder.model, TAMRT_STEP_FIT_INFER), nullptr, rows, 0,
               rows);
  });
  return worker.place.good() ? worker.place.output : nullptr;
}

tamrt_step_kind GroupFit::pass() const {
  return iterations ? iterations->pass() : once.kind;
}

const double *GroupFit::vector() const {
  return iterations ? iterations->vector() : once.vector;
}

/// At the end, D numbers in the memory of the worker that reached the end; the
/// output of FIT_SYSTEM if the options ask for systems.
const double *GroupFit::coefficients(const Worker &worker) const {
  return iterations ? iterations->solution() : worker.place.output;
}

void GroupFit::take(Worker &worker, size_t index, std::vector<double> &all) {
  const RunOptions &options = ladder.options;
  if (!options.solves())
    return options.systems->take(index, coefficients(worker));
  const auto width = size_t(ladder.model.columns);
  std::copy_n(coefficients(worker), width,
              all.begin() + ptrdiff_t(index * width));
  if (!ladder.extra().infers)
    return;
  if (const double *inferred = infer(worker))
    options.inference->take(ladder.model, index, inferred);
}

} // namespace tamrt
