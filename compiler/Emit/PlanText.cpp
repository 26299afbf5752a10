//===- PlanText.cpp - the memory plan as text -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/PlanText.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamrt/plan_table.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>
#include <vector>

using namespace mlir;
using namespace tamc;

std::string tamc::planText(ArrayRef<ModuleOp> modules, PlanStyle style) {
  // Attributes do not guarantee a final NUL.
  std::deque<std::string> texts;
  auto text = [&](StringRef value) {
    texts.push_back(value.str());
    return int64_t(texts.size()) - 1;
  };
  std::deque<std::vector<tamrt_buffer>> buffers;
  std::vector<tamrt_step> steps;
  SmallVector<func::FuncOp> functions;
  for (ModuleOp module : modules)
    llvm::append_range(functions, module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    auto plan = function->getAttrOfType<tamk::PlanAttr>(tamk::kPlanAttrName);
    auto kind = function->getAttrOfType<tam::StepAttr>(tam::kStepAttrName);
    if (!plan)
      continue;
    std::vector<tamrt_buffer> &rows = buffers.emplace_back();
    for (tamk::BufferAttr row : plan.getBuffers())
      rows.push_back({text(row.getName()), text(row.getOp()),
                      text(row.getTerm()), row.getBytes(), row.getOffset(),
                      row.getFirst(), row.getLast()});
    texts.push_back(tam::getStepTitle(function));
    tamrt_step step = {};
    step.kind = kind ? static_cast<int32_t>(kind.getKind()) : 0;
    step.launches = static_cast<int32_t>(plan.getLength());
    step.name = texts.back().c_str();
    step.rung_rows = kind ? kind.getRung() : 0;
    step.arena_bytes = plan.getArenaBytes();
    step.lower_bound_bytes = plan.getLowerBoundBytes();
    step.naive_bytes = plan.getNaiveBytes();
    texts.push_back(plan.getMethod());
    step.strategy = texts.back().c_str();
    step.buffer_count = static_cast<int64_t>(rows.size());
    step.buffers = rows.data();
    steps.push_back(step);
  }
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  const tamrt::PlannedSteps plan = {steps, pointers.data()};
  return style == PlanStyle::Drawing
             ? tamrt::drawPlan(plan)
             : tamrt::formatPlan(plan, tamrt::PlanFormat::Text);
}
