//===- cpu/Matern.h - the Matern function -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The Matern function of any smoothness.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_MATERN_H
#define TAMRT_KERNELS_CPU_MATERN_H

namespace tamrt::cpu {

/// M(r) = 2^(1-nu) / Gamma(nu) * r^nu * K_nu(r), M(0) = 1: the Matern function
/// of smoothness nu > 0 in Bessel form (docs/math.md section 3, term rbf).
///
/// Relative error about 1e-13; values below 1e-150 may be returned as 0.
/// Costs two Bessel functions and min(nu, 200) steps, or two exponentials for
/// nu > 200. Allocates and throws nothing.
class Matern {
public:
  explicit Matern(double nu);

  double operator()(double r) const;

private:
  double byRecurrence(double r) const;
  double byExpansion(double r) const;

  double nu;
  /// nu = mu + steps with 0 < mu <= 1.
  double mu;
  int steps;
  /// 2^(1-mu) / Gamma(mu), and 2^-mu / Gamma(mu + 1).
  double factor, nextFactor;
  /// Stirling's series: lnGamma(nu) minus its elementary part.
  double stirling;
};

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_MATERN_H
