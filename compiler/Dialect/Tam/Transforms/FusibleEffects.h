//===- FusibleEffects.h - which effects share a loop over rows --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLEEFFECTS_H
#define TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLEEFFECTS_H

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Target/Target.h"

namespace tamc::tam {

/// The indices of the effects of `predict` that one kernel can compute,
/// ascending; empty if there is only one, which has its own kernel.
///
/// These are the effects whose design matrix is made from arguments of the
/// block by feature maps that the kernel supports, up to the limits.
/// Linear in the effects.
llvm::SmallVector<unsigned> findFusibleEffects(PredictOp predict,
                                               const RowLoopLimits &limits);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLEEFFECTS_H
