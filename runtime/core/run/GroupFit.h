//===- core/run/GroupFit.h - the fit of one group ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of one group's fit, by either solver, interrupted where they need
/// rows. Internal to the code that runs fits: Executor and GroupFits.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GROUPFIT_H
#define TAMRT_CORE_RUN_GROUPFIT_H

#include "core/run/ConjugateGradients.h"
#include "core/run/Ladder.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tamrt {

/// The fit of one group on a ladder. It requests its rows pass by pass. It does
/// not matter how they are read and which worker runs the steps between two
/// passes.
class GroupFit {
public:
  /// For the group at `place` of a fit, which has `rows` rows, with the
  /// ladder's solver. `vectors` has `cgVectorBytes` bytes for conjugate
  /// gradients, else it is unused. The ladder must outlive the fit.
  GroupFit(Ladder &ladder, size_t place, size_t rows, double *vectors);

  /// Runs the operations that need no rows, at the start and after each pass,
  /// in the workplace of `worker`, which has the parameter block, the tables
  /// and the state of the group. \returns whether a pass is needed: not at the
  /// end, nor after an error of the workplace.
  bool resume(Worker &worker);

  /// Instead of a pass: the caller has put the sums of all rows, joined, in
  /// the state since it was wanted. To be called for all passes or for none.
  void skipPass() { isJoined = true; }
  /// After it, for the direct solver: takes the system of the group at `index`
  /// of the results, while the strengths are 0. \returns false after an error
  /// of the workplace.
  bool takeSystem(Worker &worker, size_t index);

  /// The pass that is needed: the kind of its steps, and the vector to which
  /// they are applied, null if none.
  tamrt_step_kind pass() const;
  const double *vector() const;

  /// At the end, by the worker that reached it: takes what the options ask for,
  /// of the group at `index` of the results: its system, or its coefficients,
  /// behind those of the groups before, and inference.
  void take(Worker &worker, size_t index, std::vector<double> &all);

  /// For conjugate gradients.
  const CgOutcome &outcome() const { return iterations->outcome(); }

private:
  bool resumeOnce(Worker &worker);
  const double *coefficients(const Worker &worker) const;
  const double *infer(Worker &worker);
  void run(Worker &worker, tamrt_step_kind kind, const double *v,
           double *output, int64_t groupRows);

  Ladder &ladder;
  size_t place;
  int64_t rows;
  /// Empty for the direct solver, and for a fit that only sums.
  std::optional<CgSolve> iterations;
  /// The pass of these.
  RunOptions::Pass once;
  bool isSummed = false, isJoined = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GROUPFIT_H
