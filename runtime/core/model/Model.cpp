//===- core/model/Model.cpp - queries on a compiled model -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Model.h"

#include "core/model/Tables.h"

#include <algorithm>

namespace tamrt {

Status checkModel(const tamrt_model &model) {
  if (model.abi_version != TAMRT_ABI_VERSION)
    return Error{"expected a model of runtime version " +
                 std::to_string(TAMRT_ABI_VERSION) + ", got " +
                 std::to_string(model.abi_version) +
                 "; compile the model again with the tamc of this runtime"};
  if (int64_t level = tamrt_cpu_level(); level < model.cpu_level)
    return Error{"expected a CPU of level x86-64-v" +
                 std::to_string(model.cpu_level) + " or above, got " +
                 (level == TAMRT_CPU_BASELINE
                      ? "the baseline"
                      : "level x86-64-v" + std::to_string(level)) +
                 "; compile the model with a lower --mcpu"};
  const bool direct = hasDirect(model), cg = hasCg(model);
  for (const StepDescription &step : stepDescriptions) {
    // For a model without any solver the error names the direct solver's steps.
    const bool isNeeded = step.isDirect() ? direct || !cg : !step.isCg() || cg;
    if (isNeeded && stepsOf(model, step.kind).empty())
      return Error{"expected a model with a step '" + std::string(step.name) +
                   "', got none"};
  }
  if (Status s = checkLearners(model); !s)
    return s;
  if (model.devices)
    if (Status s = checkModel(*model.devices); !s)
      return s;
  return model.adapt ? checkModel(*model.adapt->model) : Status();
}

/// The steps of a model and its variants.
static std::vector<tamrt_step> stepsWithVariants(const tamrt_model &model) {
  std::vector<tamrt_step> steps(model.steps, model.steps + model.step_count);
  auto addOwn = [&](const tamrt_model &other, StepVariant variant) {
    for (const StepDescription &step : stepDescriptions)
      if (step.variant == variant)
        for (const tamrt_step *own : stepsOf(other, step.kind))
          steps.push_back(*own);
  };
  if (model.compression)
    addOwn(*model.compression->model, StepVariant::Levels);
  if (model.small_blocks)
    addOwn(*model.small_blocks, StepVariant::Blocks);
  return steps;
}

AllPlans allPlans(const tamrt_model &model) {
  AllPlans plans;
  auto add = [&](const tamrt_model &of) {
    const auto first = int64_t(plans.texts.size());
    int64_t texts = 0;
    for (tamrt_step step : stepsWithVariants(of)) {
      std::vector<tamrt_buffer> &buffers = plans.buffers.emplace_back(
          step.buffers, step.buffers + step.buffer_count);
      for (tamrt_buffer &buffer : buffers)
        for (int64_t *text : {&buffer.name, &buffer.op, &buffer.term}) {
          texts = std::max(texts, *text + 1);
          *text += first;
        }
      step.buffers = buffers.data();
      plans.steps.push_back(step);
    }
    for (int64_t text = 0; text < texts; ++text)
      plans.texts.push_back(of.plan_texts[text]);
  };
  add(model);
  if (model.adapt)
    add(*model.adapt->model);
  return plans;
}

size_t findOutside(std::string_view text, char wanted, size_t from) {
  char quote = 0;
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote && c == '\\')
      ++i;
    else if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == wanted && depth == 0)
      return i;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(')
      ++depth;
    else if (c == ')')
      --depth;
  }
  return text.size();
}

std::string_view targetOf(std::string_view formula) {
  // A formula has no white space before its target.
  formula = formula.substr(0, findOutside(formula, '~'));
  return formula.substr(0, formula.find_last_not_of(" \t\n\r") + 1);
}

std::vector<const tamrt_step *> stepsOf(const tamrt_model &model,
                                        tamrt_step_kind kind) {
  std::vector<const tamrt_step *> steps;
  for (int64_t i = 0; i < model.step_count; ++i)
    if (model.steps[i].kind == kind)
      steps.push_back(&model.steps[i]);
  return steps;
}

int64_t tableBytes(const tamrt_model &model) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.table_count; ++i)
    bytes += alignedBytes(bytesOf(model.tables[i]));
  return bytes;
}

} // namespace tamrt
