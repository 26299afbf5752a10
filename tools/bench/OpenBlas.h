//===- OpenBlas.h - functions of OpenBLAS -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of OpenBLAS that benchmarks call. It has no header for its
/// Fortran functions.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_BENCH_OPENBLAS_H
#define TAMC_BENCH_OPENBLAS_H

#include <cstddef>

extern "C" {
void openblas_set_num_threads(int count);
char *openblas_get_corename(void);
void dgemm_(const char *, const char *, const int *, const int *, const int *,
            const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, const double *,
            double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *,
            const double *, double *, const int *, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void dpotrs_(const char *, const int *, const int *, const double *,
             const int *, double *, const int *, int *, size_t);
void dpotri_(const char *, const int *, double *, const int *, int *, size_t);
}

#endif // TAMC_BENCH_OPENBLAS_H
