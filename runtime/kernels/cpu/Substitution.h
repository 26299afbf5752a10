//===- cpu/Substitution.h - half of a solution ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_SUBSTITUTION_H
#define TAMRT_KERNELS_CPU_SUBSTITUTION_H

#include <cstdint>

namespace tamrt::cpu {

/// b <- L^-1 b, from the factor that the kernel cholesky_solve leaves of A =
/// L L', n x n.
void substituteForward(const double *a, int64_t n, double *b);

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_SUBSTITUTION_H
