//===- core/run/ConjugateGradients.h - the matrix-free solver ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Preconditioned conjugate gradients for the normal equations of one group
/// (docs/math.md section 4). The model's steps multiply with A and solve with
/// blocks of it; here are the vectors. Nothing allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_CONJUGATEGRADIENTS_H
#define TAMRT_CORE_RUN_CONJUGATEGRADIENTS_H

#include "core/run/GramSketch.h"
#include "core/run/Workplace.h"

#include <cstdint>

namespace tamrt {

/// What to do before each iteration.
enum class Preconditioner {
  None,
  /// Solves with the diagonal blocks of A, or where effects have many columns
  /// with their penalties alone.
  Block,
  /// The same; where effects have many columns and it takes many iterations,
  /// the Gram matrix is approximated besides, from products with random
  /// vectors.
  Sketch,
};

struct CgOptions {
  /// Ends when |r| / max(|b|, 1e-12) is below.
  double tolerance = 1e-10;
  int64_t maxIterations = 5000;
  Preconditioner preconditioner = Preconditioner::Sketch;
};

/// How the iterations of a group ended.
struct CgOutcome {
  /// Products with A, those for a sketch included.
  int64_t iterations = 0;
  /// |r| / max(|b|, 1e-12).
  double residual = 0;
  bool converged = false;
};

/// Bytes of the vectors that `CgIteration` works in, a multiple of
/// TAMRT_ALIGNMENT.
int64_t cgVectorBytes(const tamrt_model &model);

/// The vectors of one group's iterations. Its functions are called in the order
/// given; `CgSolve` does that.
class CgIteration {
public:
  /// `vectors` are cgVectorBytes, aligned to TAMRT_ALIGNMENT.
  CgIteration(const tamrt_model &model, const CgOptions &options,
              double *vectors);

  /// Whether some effects' blocks are not factored: then `weigh` wants the
  /// product with `ones`.
  bool isWeighed() const { return isOpen; }
  /// All one.
  const double *ones();
  /// Takes (P + 1e-6 I) * 1 from `product`, for a group of `groupRows` rows. A
  /// number that is not finite: an error of `context`.
  void weigh(tamrt_context &context, int64_t groupRows);

  /// Takes b from `residual`. A number that is not finite: an error of
  /// `context`.
  void start(tamrt_context &context);

  /// Where the steps write: b; what A or the preconditioner make.
  double *residual() { return r; }
  double *product() { return s; }
  /// What the preconditioner, and then A, are applied to.
  const double *direction() const { return p; }

  /// Whether it is over: converged, out of iterations, or stuck.
  bool isOver() const { return over; }
  bool isPreconditioned() const {
    return options.preconditioner != Preconditioner::None;
  }

  /// Whether to make a sketch now (`CgSolve` knows how); the iterations then
  /// start anew from where they are. As many are made before as it takes
  /// products: where they were enough, it was not missed.
  bool wantsSketch() const;
  GramSketch &theSketch() { return sketch; }
  /// Vector i for it, what P + 1e-6 I is times it, and what A is.
  const double *probe(int64_t i);
  void takePenalty(int64_t i, int64_t groupRows);
  void takeProbe(int64_t i, tamrt_context &context);
  /// Takes the preconditioned row j of the sketch.
  void takeRow(int64_t j);

  /// Makes the next direction; `product` has the preconditioned residual of the
  /// effects that are factored.
  void turn();
  /// Goes along the direction; `product` has A times it. `groupRows` is T.
  void advance(tamrt_context &context, int64_t groupRows);

  const CgOutcome &outcome() const { return result; }
  /// The solution.
  const double *solution() const { return x; }

private:
  void judge();
  void divide(const double *from);

  const tamrt_model &model;
  const CgOptions &options;
  int64_t stride;
  double *x, *r, *p, *s, *weight;
  /// Whether there are effects that are not factored.
  bool isOpen;
  GramSketch sketch;
  bool triedSketch = false;
  double norm = 0, previous = 0;
  bool over = false, fresh = true;
  CgOutcome result;
};

/// The solve of one group, cut where its rows are needed: `resume` goes on to
/// the next pass over them, which the caller makes as the rows come. So one
/// reading of rows can serve the iterations of many groups.
class CgSolve {
public:
  /// For a group of `rows` rows; the rest as for `CgIteration`.
  CgSolve(const tamrt_model &model, const CgOptions &options, int64_t rows,
          double *vectors)
      : iteration(model, options, vectors), rows(rows) {}

  /// Goes on, first from the start and then after each pass, with what needs no
  /// rows. \returns whether a pass is wanted: not at the end, nor after an
  /// error of `place`, in which the group's parameter block and state are.
  ///
  /// frame(kind, v, output, T) runs the step of a kind that takes no rows on a
  /// vector, as for a group of T rows; not once `place` has an error.
  /// `beforeIteration(outcome)` is called with the outcome so far.
  template <class Frame, class BeforeIteration>
  bool resume(Workplace &place, const Frame &frame,
              const BeforeIteration &beforeIteration) {
    auto run = [&](tamrt_step_kind kind, const double *v, double *output) {
      if (place.good())
        frame(kind, v, output, rows);
    };
    switch (wanted) {
    case Wanted::Start:
      run(TAMRT_STEP_CG_INIT, nullptr, nullptr);
      wanted = Wanted::RightHandSide;
      return place.good();
    case Wanted::RightHandSide:
      run(TAMRT_STEP_CG_FINISH, nullptr, iteration.residual());
      if (iteration.isPreconditioned() && iteration.isWeighed()) {
        penalize(place, frame, iteration.ones());
        if (place.good())
          iteration.weigh(place.context, rows);
      }
      if (place.good())
        iteration.start(place.context);
      break;
    case Wanted::Probe:
      run(TAMRT_STEP_APPLY_FINISH, vector(), iteration.product());
      if (place.good())
        iteration.takeProbe(probes++, place.context);
      if (place.good() && !iteration.isOver() && !isProbing())
        closeSketch(place, run);
      break;
    case Wanted::Product:
      run(TAMRT_STEP_APPLY_FINISH, vector(), iteration.product());
      if (place.good())
        iteration.advance(place.context, rows);
      break;
    }
    if (!place.good() || iteration.isOver())
      return false;

    if (!isProbing()) {
      beforeIteration(iteration.outcome());
      wanted = iteration.wantsSketch() ? Wanted::Probe : Wanted::Product;
    }
    if (wanted == Wanted::Probe) {
      penalize(place, frame, iteration.probe(probes));
      if (place.good())
        iteration.takePenalty(probes, rows);
    } else {
      if (iteration.isPreconditioned())
        run(TAMRT_STEP_PRECONDITION, iteration.residual(), iteration.product());
      if (place.good())
        iteration.turn();
    }
    run(TAMRT_STEP_APPLY_INIT, vector(), nullptr);
    return place.good();
  }

  /// The pass that is wanted: the kind of the steps, and the vector they are
  /// applied to.
  tamrt_step_kind pass() const {
    return wanted == Wanted::RightHandSide ? TAMRT_STEP_CG_CHUNK
                                           : TAMRT_STEP_APPLY_CHUNK;
  }
  const double *vector() const {
    return wanted == Wanted::RightHandSide ? nullptr : iteration.direction();
  }

  const CgOutcome &outcome() const { return iteration.outcome(); }
  /// The solution, in the vectors.
  const double *solution() const { return iteration.solution(); }

private:
  /// What the pass is for.
  enum class Wanted { Start, RightHandSide, Probe, Product };

  /// Whether there are products for the sketch to be made.
  bool isProbing() {
    return wanted == Wanted::Probe && probes < iteration.theSketch().size();
  }

  /// Makes (P + 1e-6 I) v, as for a group of one row: accumulators of more than
  /// a segment mean nothing before all rows are in them.
  template <class Frame>
  void penalize(Workplace &place, const Frame &frame, const double *v) {
    if (place.good())
      frame(TAMRT_STEP_APPLY_INIT, v, nullptr, 1);
    if (place.good())
      frame(TAMRT_STEP_APPLY_FINISH, v, iteration.product(), 1);
  }

  /// Makes the sketch of the products.
  template <class Run> void closeSketch(Workplace &place, const Run &run) {
    GramSketch &sketch = iteration.theSketch();
    if (!sketch.reduce())
      return;
    for (int64_t j = 0; j < sketch.size(); ++j) {
      run(TAMRT_STEP_PRECONDITION, sketch.row(j), iteration.product());
      if (!place.good())
        return;
      iteration.takeRow(j);
    }
    sketch.close();
  }

  CgIteration iteration;
  int64_t rows, probes = 0;
  Wanted wanted = Wanted::Start;
};

/// Solves for one group of `rows` rows, whose parameter block is set: D
/// coefficients, the first of `place.vectors`, unless `place` has an error.
///
/// runner.frame is what `CgSolve::resume` asks for; runner.pass(kind, v) runs
/// the steps of a kind on all rows, unless `place` has an error.
template <class Runner>
CgOutcome solveByCg(const tamrt_model &model, Workplace &place, int64_t rows,
                    const CgOptions &options, Runner &runner) {
  CgSolve solve(model, options, rows, place.vectors);
  auto frame = [&](tamrt_step_kind kind, const double *v, double *output,
                   int64_t groupRows) {
    runner.frame(kind, v, output, groupRows);
  };
  while (solve.resume(place, frame, [](const CgOutcome &) {}))
    runner.pass(solve.pass(), solve.vector());
  return solve.outcome();
}

/// Runs the steps on one rung, `apply` of kind APPLY_CHUNK, in chunks of at
/// most `chunkRows` rows, whose columns setColumns(first row, rows) sets.
template <class SetColumns> class RungRunner {
public:
  RungRunner(const tamrt_model &model, const tamrt_step &apply,
             Workplace &place, size_t rows, size_t chunkRows,
             const SetColumns &setColumns)
      : model(model), apply(apply), place(place), rows(rows),
        chunkRows(chunkRows), setColumns(setColumns) {}

  void frame(tamrt_step_kind kind, const double *v, double *output,
             int64_t groupRows) {
    setColumns(0, std::min(chunkRows, rows));
    place.output = output;
    place.run(*firstStep(model, kind), v, groupRows, 0, groupRows);
  }

  void pass(tamrt_step_kind kind, const double *v) {
    const tamrt_step &step =
        kind == TAMRT_STEP_CG_CHUNK ? setupStep(model, apply) : apply;
    forEachChunk(place, rows, std::min(chunkRows, size_t(step.rung_rows)),
                 setColumns, [&](size_t first, size_t count) {
                   place.run(step, v, int64_t(count), int64_t(first),
                             int64_t(rows));
                 });
  }

private:
  const tamrt_model &model;
  const tamrt_step &apply;
  Workplace &place;
  size_t rows, chunkRows;
  const SetColumns &setColumns;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_CONJUGATEGRADIENTS_H
