//===- cpu/Cholesky.cpp - the direct solver -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Cholesky factorisation and solution by LAPACK.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"

#include <climits>
#include <cstddef>

// Fortran passes the length of each CHARACTER argument at the end.
extern "C" {
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info, size_t uploLength);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a,
             const int *lda, double *b, const int *ldb, int *info,
             size_t uploLength);
}

namespace tamrt::cpu {

void cholesky_solve(tamrt_context *ctx, int64_t n, double *a, double *b) {
  if (n < 0 || n > INT_MAX)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
  if (n == 0)
    return;
  const int order = static_cast<int>(n), one = 1;
  int info = 0;
  dpotrf_("L", &order, a, &order, &info, 1);
  if (info > 0)
    return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, info - 1);
  // Some implementations test a pivot by `pivot <= 0`, which lets what is not a
  // number through.
  for (int64_t i = 0; i < n; ++i)
    if (!(a[i * (n + 1)] > 0.0))
      return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, i);
  dpotrs_("L", &order, &one, a, &order, b, &order, &info, 1);
}

} // namespace tamrt::cpu
