//===- core/run/Gcv.h - generalised cross-validation ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Penalties that minimise the generalised cross-validation score (docs/math.md
/// section 4, GCV).
///
/// A visit of a coordinate, whose penalty P = L L' has n columns and rank r,
/// costs O(D r^2) per group, with strong penalties O(D^2 r), and each candidate
/// for its strength O(r^3), many O(r^2): a change of the strength is a change
/// of A of rank r. A move costs O(D r^2 + D^2), a cycle with gains an inverse.
/// Internal to Tune.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GCV_H
#define TAMRT_CORE_RUN_GCV_H

#include "core/run/PenaltySearch.h"

namespace tamrt {

/// Searches from the aps `start`, which are clipped to the bounds, coordinate
/// by coordinate. The score is the mean of the groups' scores. Errors: those of
/// `tune`.
Result<TuneResult> minimizeGcv(SearchGroups &groups, std::vector<double> start,
                               const TuneOptions &options,
                               const TuneReport &report);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GCV_H
