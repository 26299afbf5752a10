//===- Kernels.cu - the bodies of kernels, compiled for GPUs --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each body as a kernel of a GPU. test_resources.py compiles it for every
/// architecture. Nothing runs it: the backend for GPUs is not built yet.
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

/// Launches of Launches.h, so that nvcc compiles their bodies.
class Instances {
public:
  explicit Instances(tamrt_context *) {}

  template <class T> Buffer<T> buffer(T *address, int64_t count) {
    return {address, count};
  }
  template <class T> Buffer<T> rest(T *address) { return {address, 0}; }
  template <class Body> void operator()(const Grid &grid, const Body &body) {
    execute<<<grid.blocks, grid.threads, grid.shared * sizeof(double)>>>(
        body, nullptr);
  }
  void fail(int32_t, int64_t) {}
};

} // namespace

/// Refers to all launches.
tamrt_kernels instances() { return makeKernels<Instances>(); }
