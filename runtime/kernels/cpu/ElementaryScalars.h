//===- cpu/ElementaryScalars.h - elementary functions -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions of one number, for code that is not hot. They replace
/// those of the C library, whose last digits depend on the release and on
/// whether the machine fuses products with sums: here the bits are the same
/// everywhere. NaN gives NaN.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_ELEMENTARYSCALARS_H
#define TAMRT_KERNELS_CPU_ELEMENTARYSCALARS_H

namespace tamrt::cpu {

/// exp(x), within an ulp.
double exponential(double x);

/// The natural logarithm of x >= 0, within an ulp; minus infinity at 0.
double logarithm(double x);

/// logarithm(1 + x) for x >= 0, within an ulp.
double logarithmOfOnePlus(double x);

/// x to the power y, x >= 0, |y| <= 2^20: within an ulp for |y| <= 8, and
/// |y| / 256 ulps more beyond.
double power(double x, double y);

/// cos and sin of x, within three ulps.
void cosineAndSine(double x, double &cosine, double &sine);

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_ELEMENTARYSCALARS_H
