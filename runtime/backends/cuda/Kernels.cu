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

/// Executes the bodies of several calls, but those of calls of which an earlier
/// kernel has failed.
template <class Body>
static __global__ void execute(const __grid_constant__ Many<Body> all) {
  int call = 0;
  for (int last = all.count - 1; call < last;) {
    const int middle = (call + last) / 2;
    if (blockIdx.x < all.ends[middle])
      last = middle;
    else
      call = middle + 1;
  }
  const FailureSlot &slot = all.slots[call];
  if (slot.failure && slot.failure->status != TAMRT_OK)
    return;
  CudaBlock block(slot, call > 0 ? all.ends[call - 1] : 0, all.ends[call]);
  all.bodies[call](block);
}

template <class Body> const Kernel &kernelOf() {
  static const Kernel kernel = {reinterpret_cast<const void *>(execute<Body>),
                                sizeof(Body), Many<Body>::most,
                                Body::hasBarriers, launchMany<Body>};
  return kernel;
}

} // namespace tamrt::cuda

#include "backends/cuda/Launches.h"

namespace tamrt::cuda {

/// Calls of a step that run together. The kernels of a call use a part of a
/// GPU: a block solves one group.
static constexpr int64_t kMostCalls = 64;

const char *kind() { return "cuda"; }
tamrt_kernels launchTable() { return makeKernels<HostLauncher>(); }
const Kernel &zeroKernel() { return kernelOf<Zero>(); }
const Kernel &copyKernel() { return kernelOf<CopyPieces>(); }
const Kernel &rowSumsKernel() { return kernelOf<AddRows>(); }
const Kernel &joinSegmentsKernel() { return kernelOf<JoinSegments>(); }
int64_t mostCalls() { return kMostCalls; }
std::string checkSettings() { return ""; }
void start(const tamrt_core &) {}
std::string furtherCounts() { return ""; }

} // namespace tamrt::cuda
