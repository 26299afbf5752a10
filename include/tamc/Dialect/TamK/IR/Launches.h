//===- Launches.h - the launches of a step ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_LAUNCHES_H
#define TAMC_DIALECT_TAMK_IR_LAUNCHES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tamc::tamk {

/// On a rung of a step that has buffers and no launches: the name of the rung
/// before it that has the launches of both, a string. The buffers are those of
/// that rung, one by one, with other sizes. Not a symbol, which would count as
/// a call of that rung.
inline constexpr llvm::StringLiteral kLaunchesOfAttrName = "tamk.launches_of";

/// The operands of the launches in a step's body. O(ops).
int64_t countLaunchOperands(mlir::Operation *step);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_IR_LAUNCHES_H
