//===- torch/Refine.cpp - iterative refinement on the CPU -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Refine.h"

namespace tamrt::aten {
namespace {

/// A sum in twice the precision.
struct Twice {
  double high = 0, low = 0;

  void add(double x) {
    const double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  void addProduct(double x, double y) {
    const double product = x * y;
    add(product);
    low += std::fma(x, y, -product);
  }
};

} // namespace

std::vector<double> residual(const std::vector<double> &a,
                             const std::vector<double> &b,
                             const std::vector<double> &x) {
  const size_t n = b.size();
  std::vector<Twice> sums(n);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      sums[i].addProduct(-a[j * n + i], x[j]);
      if (i != j)
        sums[j].addProduct(-a[j * n + i], x[i]);
    }
  std::vector<double> result(n);
  for (size_t i = 0; i < n; ++i) {
    sums[i].add(b[i]);
    result[i] = sums[i].high + sums[i].low;
  }
  return result;
}

} // namespace tamrt::aten
