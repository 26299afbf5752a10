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

/// The device that the options ask for.
Device &deviceOf(const RunOptions &options);

/// The device that runs the steps of `kind`: as the options place them. Where
/// some of those that are placed with them are code of the CPU, which cannot
/// address the device's memory, it is the CPU.
Device &deviceOf(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options);

/// Logs which steps of a run of `kind`, FIT_CHUNK for any fit, are not on the
/// device that the options ask for: a warning where that follows from the
/// model's code.
void tellPlacement(const tamrt_model &model, tamrt_step_kind kind,
                   const RunOptions &options);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PLACEMENT_H
