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

namespace tamc::tam {

/// Which of the effects of `predict` one kernel can be written for, by their
/// numbers in order; empty when there is but one, which has its own kernel.
///
/// An effect is one of them if its design matrix is made from arguments of the
/// block by feature maps that the kernel has code for. Linear in the effects.
llvm::SmallVector<unsigned> findFusibleEffects(PredictOp predict);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLEEFFECTS_H
