//===- core/device/Kernels.h - the kernels that a device has ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device may lack kernels of kernels.def: their steps then run on the CPU.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_KERNELS_H
#define TAMRT_CORE_DEVICE_KERNELS_H

#include "tamrt/abi.h"

#include <string>
#include <vector>

namespace tamrt {

/// Whether a table has all kernels.
bool hasAllKernels(const tamrt_kernels &table);

/// The names of the kernels that a table lacks, in the order of kernels.def,
/// but for those that no device but the CPU need have (TAMRT_CPU_KERNEL).
std::vector<std::string> missingKernels(const tamrt_kernels &table);

/// The name of the first kernel of a step that a table lacks; null if there is
/// none. If the step does not tell what it launches, it may be any kernel.
/// O(operands).
const char *missingKernel(const tamrt_step &step, const tamrt_kernels &table);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_KERNELS_H
