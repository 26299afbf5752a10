//===- cpu/CholeskyBundle.h - small systems side by side --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The direct solver of several small systems at a time, each in a lane of its
/// own: columns of one such system wait for each other.
///
/// Number k of system s of a bundle is at [k * kBundleSystems + s], so that a
/// system is an array with this stride. All kBundleSystems lanes are computed;
/// unused ones may have any numbers.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_CHOLESKYBUNDLE_H
#define TAMRT_KERNELS_CPU_CHOLESKYBUNDLE_H

#include <cstdint>

namespace tamrt::cpu {

/// Systems of a bundle.
inline constexpr int64_t kBundleSystems = 8;

/// Solves A x = b, n x n, of each system of a bundle with the bits that the
/// kernel cholesky_solve has. A is given as there. `factors`, as large as
/// `matrices`, gets its factors below the diagonal and on it; `solutions` gets
/// x.
///
/// Returns the set of the systems, bit s for system s, that are left to
/// cholesky_solve, because it refines their solution or fails: their factors
/// and solutions have no meaning. O(n^3).
uint32_t solveBundle(int64_t n, const double *matrices, const double *vectors,
                     double *factors, double *solutions);

/// x'A^-1 x of a row x of n numbers for each system of a bundle, from the
/// factors that solveBundle leaves, with the bits that inverseForms has. `rows`
/// are a bundle, and are overwritten.
void inverseFormsOfBundle(const double *factors, int64_t n, double *rows,
                          double *forms);

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_CHOLESKYBUNDLE_H
