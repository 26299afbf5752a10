//===- cpu/OneHot.cpp - codes as one-hot columns --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The categorical feature map (docs/math.md section 3, term c).
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"

#include <cmath>

namespace tamrt::cpu {

void onehot(tamrt_context *ctx, const double *x, int64_t rows, int64_t n,
            int32_t *index) {
  const double last = static_cast<double>(n - 1);
  for (int64_t r = 0; r < rows; ++r) {
    // Half to even: the rounding mode C programs start in.
    double code = std::nearbyint((x[r] + 1.0) / 2.0 * last);
    if (code > last)
      code = last;
    index[r] = code > 0.0 ? static_cast<int32_t>(code) : 0;
  }
}

} // namespace tamrt::cpu
