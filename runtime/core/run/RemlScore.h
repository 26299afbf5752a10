//===- core/run/RemlScore.h - the REML score --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The REML score V of groups and its derivatives (docs/math.md section 8,
/// REML). Internal to Reml.
///
/// The sums of each group are rotated once into the basis in which all
/// penalties are diagonal. A point then costs one inverse per group.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_REMLSCORE_H
#define TAMRT_CORE_RUN_REMLSCORE_H

#include "core/run/Matrix.h"
#include "core/run/PenaltyBasis.h"
#include "core/run/PenaltySearch.h"

#include <cstddef>
#include <vector>

namespace tamrt {

/// V at some aps, and by each coordinate's ln lambda its derivatives.
struct RemlPoint {
  double score = 0;
  /// Where V is infinite: the first group without a fit.
  size_t group = 0;
  /// About the rounding errors of V.
  double noise = 0;
  std::vector<double> gradient;
  Matrix hessian;
  /// tr(S_lam^-1 S_i) - tr(A^-1 S_i), and T beta'S_i beta / D_p, whose ratio is
  /// the step of Fellner and Schall.
  std::vector<double> freedom, size;

  void add(const RemlPoint &other);
};

class RemlScore {
public:
  /// Both must outlive the score.
  RemlScore(SearchGroups &groups, const PenaltyBasis &basis);

  /// Rotates the groups' sums. Errors: a target of zeros, or one beyond
  /// doubles.
  Status prepare();

  /// The sum of the groups' scores. Where a fit is not possible it is infinite,
  /// without derivatives; if there must be one, equations without a solution
  /// are an error.
  Result<RemlPoint> at(const std::vector<double> &aps, bool mustFit = false);

  SearchGroups &groups;

private:
  /// The equations of a group in the basis.
  struct Rotated {
    /// S + 1e-6 N I, and Phi'Wy.
    Matrix matrix;
    std::vector<double> vector;
  };
  bool compute(size_t group, const std::vector<double> &strengths, bool mustFit,
               SearchScratch &own, RemlPoint &point);
  bool isFit(size_t group, const std::vector<double> &strengths,
             const std::vector<double> &beta, SearchScratch &own) const;

  const PenaltyBasis &basis;
  std::vector<Rotated> rotated;
  /// Of the threads: A^-1.
  std::vector<std::vector<double>> inverses;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_REMLSCORE_H
