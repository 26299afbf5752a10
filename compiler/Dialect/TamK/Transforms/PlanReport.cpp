//===- PlanReport.cpp - what a plan of a function means -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanReport.h"

#include "tamc/Planning/OrderSafety.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Name of an op in remarks about buffers.
static std::string nameOf(Operation *op) {
  return op ? ("'" + op->getName().getStringRef() + "'").str() : "the end";
}

void tamc::tamk::reportPlan(func::FuncOp function, planning::Reuse reuse,
                            const planning::Problem &problem,
                            const std::optional<OrderedProblem> &ordered,
                            const planning::Plan &plan,
                            const planning::Plan &program, const Twine &start) {
  InFlightDiagnostic remark = emitRemark(function.getLoc(), start);
  if (reuse == planning::Reuse::BranchSafe) {
    // A plan that is valid for every order is valid for the program's own.
    int64_t least = std::min(plan.totalPeak(), program.totalPeak());
    remark << ", branch-safe costs " << plan.totalPeak() - least
           << " bytes: the order of the program needs " << least;
    return;
  }
  if (problem.buffers.empty())
    return;
  if (!ordered) {
    remark.attachNote() << "hidden dependencies were not looked for: "
                        << (plan.copies.empty()
                                ? "the function has several blocks"
                                : "buffers move");
    return;
  }
  if (std::string reason = planning::whyNotBranchSafe(ordered->problem);
      !reason.empty()) {
    remark.attachNote() << "hidden dependencies were not looked for: "
                        << reason;
    return;
  }
  planning::HiddenDependencies hidden =
      planning::findHiddenDependencies(ordered->problem, plan.offsets);
  if (hidden.count == 0)
    return;
  remark << ", adds " << hidden.count
         << (hidden.count == 1 ? " hidden dependency" : " hidden dependencies");
  for (const planning::HiddenDependency &each : hidden.worst) {
    Operation *after = ordered->ops[each.after];
    remark.attachNote(after ? after->getLoc() : function.getLoc())
        << nameOf(after) << " has to wait for "
        << nameOf(ordered->ops[each.before]) << ": buffer " << each.second
        << " takes " << each.bytes << " bytes of buffer " << each.first;
  }
  if (auto listed = int64_t(hidden.worst.size()); listed < hidden.count)
    remark.attachNote() << "and " << hidden.count - listed << " more";
}
