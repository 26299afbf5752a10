//===- torch/Refine.h - iterative refinement on the CPU ------- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Iterative refinement of A x = b with residuals in twice the precision
/// (Wilkinson), as docs/math.md section 4 has it. A is symmetric, column-major,
/// of which the lower triangle is read.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_REFINE_H
#define TAMRT_BACKENDS_TORCH_REFINE_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tamrt::aten {

/// b - A x, each number rounded once; O(n^2).
std::vector<double> residual(const std::vector<double> &a,
                             const std::vector<double> &b,
                             const std::vector<double> &x);

inline double largestOf(const std::vector<double> &x) {
  double largest = 0;
  for (double number : x)
    largest = std::max(largest, std::abs(number));
  return largest;
}

/// Steps of the refinement, at most.
constexpr int kMaxRefinements = 4;

/// Refines x; `solve` returns the approximate solution for a right-hand side.
template <class Solve>
void refine(const std::vector<double> &a, const std::vector<double> &b,
            std::vector<double> &x, const Solve &solve) {
  double bound = std::numeric_limits<double>::max();
  for (int i = 0; i < kMaxRefinements; ++i) {
    const std::vector<double> step = solve(residual(a, b, x));
    const double size = largestOf(step);
    if (!(size <= bound) ||
        std::any_of(step.begin(), step.end(),
                    [](double number) { return std::isnan(number); }))
      return;
    for (size_t k = 0; k < x.size(); ++k)
      x[k] += step[k];
    if (size <= std::numeric_limits<double>::epsilon() * largestOf(x))
      return;
    bound = size / 2;
  }
}

} // namespace tamrt::aten

#endif // TAMRT_BACKENDS_TORCH_REFINE_H
