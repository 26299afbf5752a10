//===- PlanReport.h - what a plan of a function means -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_PLANREPORT_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_PLANREPORT_H

#include "ProgramOrder.h"

#include "tamc/Planning/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tamc::tamk {

/// Emits one remark on a function: the effect of planning, and its consequences
/// for running the function in another order.
void reportPlan(mlir::func::FuncOp function, planning::Reuse reuse,
                const planning::Problem &problem,
                const std::optional<OrderedProblem> &ordered,
                const planning::Plan &plan, const planning::Plan &program,
                const llvm::Twine &start);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PLANREPORT_H
