//===- core/run/Reml.h - penalties by REML ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Penalties that minimise the REML score (docs/math.md section 8, REML).
/// Internal to Tune.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_REML_H
#define TAMRT_CORE_RUN_REML_H

#include "core/run/PenaltyBasis.h"
#include "core/run/PenaltySearch.h"

namespace tamrt {

/// Searches by steps of Fellner and Schall, then of Newton. The score is the
/// sum of the groups' scores. Errors: those of `tune`, and of a target of
/// zeros.
Result<TuneResult> minimizeReml(SearchGroups &groups, const PenaltyBasis &basis,
                                const TuneOptions &options,
                                const TuneReport &report);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_REML_H
