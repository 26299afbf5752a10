//===- core/run/Placement.cpp - which device runs a step ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Placement.h"

#include "core/Log.h"
#include "core/device/Kernels.h"
#include "core/model/Steps.h"
#include "core/run/Site.h"

#include "core/run/Workplace.h"

#include <algorithm>

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

/// Calls is(step) for the steps of a run that are placed with those of `kind`
/// until it returns true.
template <class Is>
bool isAnyOf(const tamrt_model &model, tamrt_step_kind kind,
             const RunOptions &options, const Is &is) {
  const FitExtra extra = {options.inference != nullptr,
                          options.systems != nullptr};
  return std::any_of(model.steps, model.steps + model.step_count,
                     [&](const tamrt_step &step) {
                       return arePlacedTogether(step.kind, kind) &&
                              isRun(extra, step.kind) && is(step);
                     });
}

bool isCpuCode(const tamrt_model &model, tamrt_step_kind kind,
               const RunOptions &options) {
  return isAnyOf(model, kind, options,
                 [](const tamrt_step &step) { return step.is_cpu_code != 0; });
}

/// The name of a kernel that steps placed with those of `kind` need and a
/// device lacks; null if there is none.
const char *missingKernel(const tamrt_model &model, tamrt_step_kind kind,
                          const RunOptions &options, const Device &device) {
  if (!device.lacksKernels())
    return nullptr;
  const tamrt_kernels &table = *device.kernels();
  const char *missing = nullptr;
  if (isAnyOf(model, kind, options, [&](const tamrt_step &step) {
        return (missing = tamrt::missingKernel(step, table)) != nullptr;
      }))
    return missing;
  // The runtime joins sums.
  if (describe(kind).part != StepPart::Sums)
    return nullptr;
  return !table.zero          ? "zero"
         : !table.join_sums   ? "join_sums"
         : !table.move_sums   ? "move_sums"
         : !table.join_counts ? "join_counts"
                              : nullptr;
}

} // namespace

Device &deviceOf(const RunOptions &options) {
  return options.device ? *options.device : Device::cpu();
}

Device &deviceOf(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options) {
  Device &device = deviceOf(options);
  if (placeOf(options.placement, kind) == TAMRT_PLACE_CPU ||
      (needsCopies(device) && isCpuCode(model, kind, options)) ||
      missingKernel(model, kind, options, device))
    return Device::cpu();
  return device;
}

const tamrt_model &modelOn(const Device &device,
                           const tamrt_placement &placement,
                           tamrt_step_kind kind, const tamrt_model &model) {
  return model.devices && needsCopies(device) &&
                 placeOf(placement, kind) == TAMRT_PLACE_DEVICE
             ? *model.devices
             : model;
}

void tellPlacement(const tamrt_model &model, tamrt_step_kind kind,
                   const RunOptions &options) {
  auto tell = [&](tamrt_step_kind of, const char *what) {
    const Device &asked = deviceOf(options);
    if (&deviceOf(model, of, options) == &asked)
      return;
    if (placeOf(options.placement, of) == TAMRT_PLACE_CPU)
      log(LogLevel::Info, "{} on 'cpu', by placement", what);
    else if (const char *kernel = missingKernel(model, of, options, asked))
      log(LogLevel::Warning, "{} on 'cpu': device '{}' has no kernel '{}'",
          what, asked.label(), kernel);
    else
      log(LogLevel::Warning,
          "{} on 'cpu': the model has code of the CPU for it, which cannot "
          "address the memory of device '{}'; tamc --device-steps adds steps "
          "without",
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
