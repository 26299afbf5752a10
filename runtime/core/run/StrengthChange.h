//===- core/run/StrengthChange.h - changes of one penalty -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What another strength of one penalty changes in a fit of a group. Internal
/// to Gcv.
///
/// With P = L L' of rank r and V = sqrt(T) A^-1 L, a change of the strength by
/// c changes A^-1 by -V K V', K = c (I + c M)^-1, M = sqrt(T) L'V.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_STRENGTHCHANGE_H
#define TAMRT_CORE_RUN_STRENGTHCHANGE_H

#include "core/run/Matrix.h"

#include <vector>

namespace tamrt {

/// A change of a strength is not computed as a change of the inverse if that
/// has a pivot below this: as much of the inverse's accuracy would be lost.
inline constexpr double kLeastPivot = 1e-3;

/// What a score needs of a fit: b'beta, beta'S beta and tr(S A^-1).
struct Fit {
  double vectorBeta = 0, betaSBeta = 0, trace = 0;
};

/// What the candidates of one coordinate need of a group. With
/// V = sqrt(T) A^-1 L: M = sqrt(T) L'V, V'S V, V'b and V'S beta.
struct Visit {
  Matrix middle, gram;
  std::vector<double> vector, fitted;
  /// Whether they are in a basis in which M is tridiagonal.
  bool isReduced = false;
  /// The point's, and the strength of the coordinate there.
  Fit fit;
  double strength = 0;
};

/// A change of the visited strength by c.
struct Change {
  /// q = K V'b.
  std::vector<double> vector;
  /// tr(K V'S V), and q'V'S V q.
  double trace = 0, quadratic = 0;
};

/// Changes the basis of V to one in which M is tridiagonal, O(r^3), so that
/// each change takes O(r^2) instead of O(r^3).
void reduce(Visit &visit);

/// Finds a change by c. \returns false if it would lose digits (kLeastPivot).
bool findChange(const Visit &visit, double c, Change &change);

/// The fit after a change.
Fit fitOf(const Visit &visit, const Change &change);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_STRENGTHCHANGE_H
