//===- LoopLayouts.h - layouts of sums in the CPU's loops -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_CPU_LOOPLAYOUTS_H
#define TAMC_TARGET_CPU_LOOPLAYOUTS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

namespace tamc {

/// Panels for a sum that has a band: a row then adds to whole words, which no
/// other row overlaps in part, so a CPU forwards what it has just stored. Null
/// if there is no band, or if the panels of a product would take far more
/// numbers or code than the plain layout (Target::getLoopLayout).
tam::SumsAttr getCpuLoopLayout(mlir::Operation *sum);

} // namespace tamc

#endif // TAMC_TARGET_CPU_LOOPLAYOUTS_H
