//===- cuda/Kernels.cu - the kernels of GPUs ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each body as a kernel, compiled by nvcc, and the functions that launch them.
/// test_resources.py compiles it for every architecture.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Copies.h"
#include "backends/cuda/Host.h"

namespace tamrt::cuda {

/// Executes a body, unless an earlier kernel of the call has failed.
template <class Body>
static __global__ void execute(Body body, FailureSlot slot) {
  if (slot.failure && slot.failure->status != TAMRT_OK)
    return;
  CudaBlock block(slot);
  body(block);
}

template <class Body> const void *kernelOf() {
  return reinterpret_cast<const void *>(execute<Body>);
}

} // namespace tamrt::cuda

#include "backends/cuda/Launches.h"

namespace tamrt::cuda {

/// Calls of a step that run together. The kernels of a call use a part of a
/// GPU: a block solves one group.
static constexpr int64_t kMostCalls = 16;

const char *kind() { return "cuda"; }
tamrt_kernels launchTable() { return makeKernels<HostLauncher>(); }
const void *zeroKernel() { return kernelOf<Zero>(); }
const void *copyKernel() { return kernelOf<CopyPieces>(); }
int64_t mostCalls() { return kMostCalls; }
std::string checkSettings() { return ""; }
void start(const tamrt_core &) {}
std::string furtherCounts() { return ""; }

} // namespace tamrt::cuda
