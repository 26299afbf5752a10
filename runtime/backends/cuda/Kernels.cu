//===- cuda/Kernels.cu - the kernels for GPUs -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The same bodies as those of the emulator, each as a kernel of a GPU. Code
/// for every architecture; what launches it on a GPU is not built yet.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Launches.h"

using namespace tamrt::cuda;

/// Executes a body, unless an earlier kernel of the context has failed.
template <class Body>
static __global__ void execute(Body body, Failure *failure) {
  if (failure->status != TAMRT_OK)
    return;
  CudaBlock block(failure);
  body(block);
}

namespace {

/// Instantiates the kernels of Launches.h.
class Instances {
public:
  explicit Instances(tamrt_context *) {}

  template <class T> Buffer<T> buffer(T *address, int64_t count) {
    return {address, count};
  }
  template <class Body> void operator()(const Grid &grid, const Body &body) {
    execute<<<grid.blocks, grid.threads, grid.shared * sizeof(double)>>>(
        body, nullptr);
  }
  void fail(int32_t, int64_t) {}
};

} // namespace

/// Keeps the kernels.
tamrt_kernels tamrt_cuda_kernels() { return makeKernels<Instances>(); }
