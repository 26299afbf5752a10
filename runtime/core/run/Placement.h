//===- core/run/Placement.h - which device runs a step ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PLACEMENT_H
#define TAMRT_CORE_RUN_PLACEMENT_H

#include "core/device/Device.h"
#include "core/run/Executor.h"
#include "tamrt/abi.h"

namespace tamrt {

/// The device requested by the options.
Device &deviceOf(const RunOptions &options);

/// The device that runs the steps of `kind`, as the options place them. If some
/// of the steps placed together are code for the CPU and the CPU cannot address
/// the device's memory, or if the device lacks one of their kernels, it is the
/// CPU.
Device &deviceOf(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options);

/// The model whose steps a run of `kind` on `device` takes: `model.devices` if
/// there is one, the steps are placed on the device, and the CPU cannot address
/// its memory; else `model`.
const tamrt_model &modelOn(const Device &device,
                           const tamrt_placement &placement,
                           tamrt_step_kind kind, const tamrt_model &model);

/// Logs which steps of a run of `kind`, FIT_CHUNK for any fit, are not on the
/// requested device; with a warning if the model's code or a kernel that the
/// device lacks is the reason.
void tellPlacement(const tamrt_model &model, tamrt_step_kind kind,
                   const RunOptions &options);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PLACEMENT_H
