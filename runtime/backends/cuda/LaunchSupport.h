//===- cuda/LaunchSupport.h - common parts of launches ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Common parts of the functions that launch bodies. Each is a kernel of
/// kernels.def: it checks its arguments, computes how many elements each buffer
/// has, and launches bodies. `Launcher` says where:
///
///     Launcher launch(ctx);              work for the stream of a context
///     launch.buffer(address, count)      a Buffer of device memory; a constant
///                                        of the model is copied there first
///     launch(grid, body)                 executes a body
///     launch.segments(rows)              the segments of the rows
///     launch.sums(address, count, unit)  a SegmentSums of device memory
///     launch.add(product, sums)          executes AddRows, now or with others
///     launch.fail(status, detail)        sets the status of the context
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_LAUNCHSUPPORT_H
#define TAMRT_BACKENDS_CUDA_LAUNCHSUPPORT_H

#include "backends/cuda/Block.h"
#include "backends/cuda/Encodings.h"

#include "tamrt/abi.h"

namespace tamrt::cuda {

/// Threads of a block of bodies without barriers.
constexpr int kThreads = 128;

/// A thread for each of `count` pieces of work, up to a limit beyond which each
/// has several.
inline Grid gridFor(int64_t count) {
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  return {blocks < 4096 ? blocks : 4096, kThreads};
}

inline bool isMode(int64_t mode) {
  return mode >= TAMRT_CONTINUE && mode <= TAMRT_SATURATION;
}

/// Encoded matrices from the operands of kernels.
template <class Launcher> class LaunchSupport {
protected:
  static Dense dense(Launcher &launch, const double *a, int64_t rows,
                     int64_t n) {
    return {launch.buffer(a, rows * n), n};
  }
  static Banded banded(Launcher &launch, const double *a, const int32_t *start,
                       int64_t rows, int64_t z) {
    return {launch.buffer(a, rows * z), launch.buffer(start, rows), z};
  }
  static OneHot oneHot(Launcher &launch, const int32_t *a, int64_t rows) {
    return {launch.buffer(a, rows)};
  }
  static MultiHot multiHot(Launcher &launch, const int32_t *a, int64_t rows,
                           int64_t z, double scale) {
    return {launch.buffer(a, rows * z), z, scale};
  }
  static Sparse sparse(Launcher &launch, const double *a, const int32_t *index,
                       int64_t rows, int64_t z) {
    return {launch.buffer(a, rows * z), launch.buffer(index, rows * z), z};
  }
  /// Null: all are one.
  static Buffer<const double> weightsOf(Launcher &launch, const double *w,
                                        int64_t rows) {
    return launch.buffer(w, w ? rows : 0);
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_LAUNCHSUPPORT_H
