//===- PlanText.h - the memory plan as text ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_PLANTEXT_H
#define TAMC_EMIT_PLANTEXT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tamc {

enum class PlanStyle { Table, Drawing };

/// The plans of all steps of modules at Phase::Plan, as a table like that of
/// `model plan` (tamrt/plan_table.h), or as a drawing.
std::string planText(llvm::ArrayRef<mlir::ModuleOp> modules, PlanStyle style);

} // namespace tamc

#endif // TAMC_EMIT_PLANTEXT_H
