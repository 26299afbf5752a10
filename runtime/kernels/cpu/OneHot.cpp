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
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

TAMRT_WIDE void onehot(tamrt_context *ctx, const double *__restrict x,
                       int64_t rows, int64_t n, int32_t *__restrict index) {
  const double last = static_cast<double>(n - 1);
  // The sum of this and a number below 2^51 has no bits after the point: it is
  // rounded half to even, the default rounding mode. Calling the library for it
  // would take longer than everything else.
  const double integers = 0x1.8p52;
  for (int64_t r = 0; r < rows; ++r) {
    // Clipping first gives the same, because the ends are integers. NaN gives
    // 0.
    double code = (x[r] + 1.0) / 2.0 * last;
    code = code > 0.0 ? code : 0.0;
    code = code < last ? code : last;
    index[r] = static_cast<int32_t>((code + integers) - integers);
  }
}

} // namespace tamrt::cpu
