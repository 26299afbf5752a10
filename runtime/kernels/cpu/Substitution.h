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

/// Rows that inverseForms solves at a time.
inline constexpr int64_t kFormsAtOnce = 8;

/// x'A^-1 x of each of `count` rows x of n numbers, from the factor that the
/// kernel cholesky_solve leaves of A, n x n. A row's form has the same bits
/// whatever their number. `memory` has kFormsAtOnce * n numbers.
void inverseForms(const double *a, int64_t n, const double *rows, int64_t count,
                  double *memory, double *forms);

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_SUBSTITUTION_H
