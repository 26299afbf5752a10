//===- PenaltyLimits.h - how large penalties may be ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How large the penalties of terms may be.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_PENALTYLIMITS_H
#define TAMC_SPEC_PENALTYLIMITS_H

#include "tamc/Spec/ModelSpec.h"

namespace tamc::spec {

/// The largest number of the term's penalty matrix (docs/math.md section 3), or
/// a bound on it; infinity if it exceeds a double.
double largestPenalty(const Term &term);

/// How many matrices that are not diagonal the term's penalty is a sum of.
int64_t countFullMatrices(const Term &term);

/// The largest ap of the term's own matrix, with the aps of the products around
/// it added (docs/math.md section 4), a whole number of tenths; infinity if the
/// matrix is diagonal, and for a product, which has no matrix of its own.
/// `matrices` is countFullMatrices of the outermost product, else of the term.
double apLimit(const Term &term, int64_t matrices);

} // namespace tamc::spec

#endif // TAMC_SPEC_PENALTYLIMITS_H
