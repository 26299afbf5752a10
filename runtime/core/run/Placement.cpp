//===- core/run/Placement.cpp - which device runs a step ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Placement.h"

#include "core/Log.h"
#include "core/model/Steps.h"
#include "core/run/Site.h"

namespace tamrt {
namespace {

/// Whether steps of these kinds are on one device. Each kind of prediction is a
/// run of its own.
bool arePlacedTogether(int32_t a, int32_t b) {
  const StepPart part = describe(a).part;
  return part == StepPart::Predict ? a == b : part == describe(b).part;
}

int32_t placeOf(const tamrt_placement &placement, tamrt_step_kind kind) {
  switch (describe(kind).part) {
  case StepPart::Sums:
    return placement.sums;
  case StepPart::Solve:
    return placement.solve;
  case StepPart::Predict:
    return placement.predict;
  }
  return TAMRT_PLACE_DEVICE;
}

bool isCpuCode(const tamrt_model &model, tamrt_step_kind kind) {
  for (int64_t i = 0; i < model.step_count; ++i)
    if (model.steps[i].is_cpu_code &&
        arePlacedTogether(model.steps[i].kind, kind))
      return true;
  return false;
}

} // namespace

Device &deviceOf(const RunOptions &options) {
  return options.device ? *options.device : Device::cpu();
}

Device &deviceOf(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options) {
  Device &device = deviceOf(options);
  if (placeOf(options.placement, kind) == TAMRT_PLACE_CPU ||
      (needsCopies(device) && isCpuCode(model, kind)))
    return Device::cpu();
  return device;
}

void tellPlacement(const tamrt_model &model, tamrt_step_kind kind,
                   const RunOptions &options) {
  auto tell = [&](tamrt_step_kind of, const char *what) {
    const Device &asked = deviceOf(options);
    if (&deviceOf(model, of, options) == &asked)
      return;
    if (placeOf(options.placement, of) == TAMRT_PLACE_CPU)
      log(LogLevel::Info, "{} on 'cpu', by placement", what);
    else
      log(LogLevel::Warning,
          "{} on 'cpu': the model has code of the CPU for it, which cannot "
          "address the memory of device '{}'; tamc --fuse-rows=false makes "
          "models without",
          what, asked.label());
  };
  if (describe(kind).predicts()) {
    tell(kind, "predicting");
    return;
  }
  tell(TAMRT_STEP_FIT_CHUNK, "summing rows");
  tell(TAMRT_STEP_FIT_FINISH, "solving");
}

} // namespace tamrt
