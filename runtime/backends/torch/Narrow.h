//===- torch/Narrow.h - kernels of devices without binary64 --- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of a device that has no binary64, such as Apple's GPUs. Memory is
/// bytes, of which such a device cannot read doubles: operands are copied to
/// the CPU, and numbers of binary32 to the device.
///
/// The device adds in pairs of numbers, and factors in binary32; the CPU
/// refines the solution to the accuracy of binary64. Sums over the rows and
/// predictions are left to the CPU, because their errors could not be refined.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_NARROW_H
#define TAMRT_BACKENDS_TORCH_NARROW_H

#include "tamrt/abi.h"

#include <cstdint>

namespace tamrt::aten::narrow {

/// As in kernels.def; they throw as those of Kernels.h do.
void rhs_dense(const double *a, const double *y, const double *w, int64_t rows,
               int64_t n, double *sums);

/// Uses `cpu`, the CPU's cholesky_solve, and returns false if the matrix is too
/// ill-conditioned for a factor in binary32, or not definite.
bool cholesky_solve(int64_t n, double *a, double *b,
                    decltype(tamrt_kernels::cholesky_solve) cpu);

} // namespace tamrt::aten::narrow

#endif // TAMRT_BACKENDS_TORCH_NARROW_H
