//===- cpu/Table.cpp - table of the CPU's kernels -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of the CPU's kernels. A kernel of kernels.def without a function
/// is an undefined symbol here.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"

const tamrt_kernels tamrt_cpu_kernels = {
#define TAMRT_KERNEL(name, ...) .name = tamrt::cpu::name,
#include "tamrt/kernels.def"
};
