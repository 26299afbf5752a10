//===- cuda/Launches.h - from kernels.def to bodies -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_LAUNCHES_H
#define TAMRT_BACKENDS_CUDA_LAUNCHES_H

#include "backends/cuda/RowLaunches.h"
#include "backends/cuda/SolveLaunches.h"
#include "backends/cuda/SumLaunches.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// The kernels of kernels.def that the device has. The others are null: they
/// run on the CPU (tamrt/backend.h).
template <class Launcher> tamrt_kernels makeKernels() {
  tamrt_kernels all = {};
  RowKernels<Launcher>::fill(all);
  SumKernels<Launcher>::fill(all);
  SolveKernels<Launcher>::fill(all);
  return all;
}

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_LAUNCHES_H
