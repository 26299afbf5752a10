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
/// (docs/math.md section 4). The model's steps multiply by A and solve with its
/// blocks; this file has the operations on vectors. Nothing allocates or
/// throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_CONJUGATEGRADIENTS_H
#define TAMRT_CORE_RUN_CONJUGATEGRADIENTS_H

#include "core/run/GramSketch.h"
#include "core/run/Workplace.h"

#include <cstdint>

namespace tamrt {

/// The preconditioner of the iterations.
enum class Preconditioner {
  None,
  /// Solves with the diagonal blocks of A, or, for effects with many columns,
  /// only with their penalties.
  Block,
  /// The same. If effects have many columns and many iterations are needed, the
  /// Gram matrix is also approximated, from products with random vectors.
  Sketch,
};

struct CgOptions {
  /// Iterations end when |r| / max(|b|, 1e-12) is below this.
  double tolerance = 1e-10;
  int64_t maxIterations = 5000;
  Preconditioner preconditioner = Preconditioner::Sketch;
};

/// Outcome of the iterations of a group.
struct CgOutcome {
  /// Products with A, including those for a sketch.
  int64_t iterations = 0;
  /// |r| / max(|b|, 1e-12).
  double residual = 0;
  bool converged = false;
};

/// Bytes of the vectors of a `CgIteration`, a multiple of TAMRT_ALIGNMENT, and
/// of those the ones of its sketch, which are written if it is made.
int64_t cgVectorBytes(const tamrt_model &model);
int64_t cgSketchBytes(const tamrt_model &model);

/// The vectors of one group's iterations. `CgSolve` calls its functions in the
/// order in which they are declared.
class CgIteration {
public:
  /// `vectors` are cgVectorBytes, aligned to TAMRT_ALIGNMENT.
  CgIteration(const tamrt_model &model, const CgOptions &options,
              double *vectors);

  /// Whether some effects' blocks are not factored: then `weigh` needs the
  /// product with `ones`.
  bool isWeighed() const { return isOpen; }
  /// A vector of ones.
  const double *ones();
  /// Takes (P + 1e-6 I) * 1 from `product`, for a group of `groupRows` rows. A
  /// number that is not finite sets an error of `context`.
  void weigh(tamrt_context &context, int64_t groupRows);

  /// Takes b from `residual`. A number that is not finite sets an error of
  /// `context`.
  void start(tamrt_context &context);

  /// Output of the steps: b, and products with A or the preconditioner.
  double *residual() { return r; }
  double *product() { return s; }
  /// The vector to which the preconditioner, and then A, are applied.
  const double *direction() const { return p; }

  /// Whether the iterations have ended: converged, at their limit, or unable to
  /// improve.
  bool isOver() const { return over; }
  bool isPreconditioned() const {
    return options.preconditioner != Preconditioner::None;
  }

  /// Whether to make a sketch now, which `CgSolve` does; the iterations then
  /// restart from the current solution. A sketch is made after as many
  /// iterations as it needs products: if they were enough, no sketch was
  /// needed.
  bool wantsSketch() const;
  GramSketch &theSketch() { return sketch; }
  /// Vector i for the sketch, the product of P + 1e-6 I with it, and that of A.
  const double *probe(int64_t i);
  void takePenalty(int64_t i, int64_t groupRows);
  void takeProbe(int64_t i, tamrt_context &context);
  /// Takes the preconditioned row j of the sketch.
  void takeRow(int64_t j);

  /// Computes the next direction; `product` has the preconditioned residual of
  /// the factored effects.
  void turn();
  /// Takes a step along the direction; `product` has A times the direction.
  /// `groupRows` is T.
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

/// The solve of one group, interrupted where its rows are needed: `resume`
/// continues to the next pass over the rows, which the caller makes as the rows
/// are read. So one reading of rows can be used for the iterations of many
/// groups.
class CgSolve {
public:
  /// For a group of `rows` rows; the other arguments are those of
  /// `CgIteration`.
  CgSolve(const tamrt_model &model, const CgOptions &options, int64_t rows,
          double *vectors)
      : iteration(model, options, vectors), rows(rows) {}

  /// Runs the operations that need no rows, at the start and after each pass.
  /// \returns whether a pass is needed: not at the end, nor after an error of
  /// `place`, which has the group's parameter block and state.
  ///
  /// frame(kind, v, output, T) runs the step of a kind without rows on a
  /// vector, for a group of T rows; it is not called after an error of `place`.
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

  /// The pass that is needed: the kind of its steps, and the vector to which
  /// they are applied.
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
  /// The purpose of the pass.
  enum class Wanted { Start, RightHandSide, Probe, Product };

  /// Whether products for the sketch remain to be made.
  bool isProbing() {
    return wanted == Wanted::Probe && probes < iteration.theSketch().size();
  }

  /// Computes (P + 1e-6 I) v, as for a group of one row.
  template <class Frame>
  void penalize(Workplace &place, const Frame &frame, const double *v) {
    if (place.good())
      frame(TAMRT_STEP_APPLY_INIT, v, nullptr, 1);
    if (place.good())
      frame(TAMRT_STEP_APPLY_FINISH, v, iteration.product(), 1);
  }

  /// Computes the sketch from the products.
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

/// Solves for one group of `rows` rows, whose parameter block is set. The D
/// coefficients are the first numbers of `place.vectors`, unless `place` has an
/// error.
///
/// runner.frame is the `frame` of `CgSolve::resume`; runner.pass(kind, v) runs
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

/// Runs the steps on one rung, that of `apply`, a step of kind APPLY_CHUNK, in
/// chunks of at most `chunkRows` rows. setColumns(first row, rows) sets the
/// columns of a chunk.
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
    place.arrangeAndRun(model, *firstStep(model, kind), v, groupRows, 0,
                        groupRows);
  }

  void pass(tamrt_step_kind kind, const double *v) {
    const tamrt_step &step =
        kind == TAMRT_STEP_CG_CHUNK ? setupStep(model, apply) : apply;
    forEachChunk(place, rows, std::min(chunkRows, size_t(step.rung_rows)),
                 setColumns, [&](size_t first, size_t count) {
                   place.arrangeAndRun(model, step, v, int64_t(count),
                                       int64_t(first), int64_t(rows));
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
