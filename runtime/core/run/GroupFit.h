//===- core/run/GroupFit.h - the fit of one group ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of one group's fit, by either solver, split where they need
/// rows.
/// Internal to what runs fits: Executor and GroupFits.
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

namespace tamrt {

/// The fit of one group on a rung that may fall. It asks for its rows pass by
/// pass; how they come, and which worker makes the steps between two passes,
/// does not matter.
class GroupFit {
public:
  /// Of the group at `place` of a fit, which has `rows` rows, by the solver
  /// whose ladder it is. `vectors` are `cgVectorBytes` for conjugate gradients,
  /// else unused. The ladder must outlive the fit.
  GroupFit(Ladder &ladder, size_t place, size_t rows, double *vectors);

  /// Goes on, first from the start and then after each pass, with what needs no
  /// rows, in the place of `worker`, where the parameter block, the tables and
  /// the state are the group's. \returns whether a pass is wanted: not at the
  /// end, nor after an error of the worker's place.
  bool resume(Worker &worker);

  /// The pass that is wanted: the kind of the steps, and the vector they are
  /// applied to, null if none.
  tamrt_step_kind pass() const;
  const double *vector() const;

  /// At the end, D numbers: what they are in is the worker's that came to it.
  const double *coefficients(const Worker &worker) const;
  /// Of conjugate gradients.
  const CgOutcome &outcome() const { return iterations->outcome(); }

private:
  bool resumeDirect(Worker &worker);
  void run(Worker &worker, tamrt_step_kind kind, const double *v,
           double *output, int64_t groupRows);

  Ladder &ladder;
  size_t place;
  int64_t rows;
  /// Empty for the direct solver.
  std::optional<CgSolve> iterations;
  bool isSummed = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GROUPFIT_H
