//===- kernels/InstructionSets.h - code for several machines ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Macros that compile a function for several instruction sets.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_INSTRUCTIONSETS_H
#define TAMRT_KERNELS_INSTRUCTIONSETS_H

/// TAMRT_HOT, on a function with a hot loop: it is compiled for the baseline
/// and for AVX2, and the machine's best version is chosen when the program
/// starts. TAMRT_WIDE: also for AVX-512, if measurements show that it is
/// faster. TAMRT_AVX2 and TAMRT_AVX512, if they are defined, on a version of a
/// function that is written for that instruction set. TAMRT_INLINE and
/// TAMRT_LAMBDA, on functions and lambdas that these call: they must be
/// compiled for the caller's instruction set.
///
/// TAMRT_NO_CLONES switches this off for sanitizers: the choice is made before
/// their runtime is initialised, and with their checks forced inlining makes
/// functions far too large.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(TAMRT_NO_CLONES)
#define TAMRT_HOT __attribute__((target_clones("avx2", "default")))
#define TAMRT_WIDE                                                             \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#define TAMRT_AVX2 __attribute__((target("avx2")))
#define TAMRT_AVX512 __attribute__((target("arch=x86-64-v4")))
#define TAMRT_INLINE inline __attribute__((always_inline))
#define TAMRT_LAMBDA __attribute__((always_inline))
#else
// As above, none of them is inlined: the stack of several would add up.
#define TAMRT_HOT __attribute__((noinline))
#define TAMRT_WIDE __attribute__((noinline))
#define TAMRT_INLINE inline
#define TAMRT_LAMBDA
#endif

#endif // TAMRT_KERNELS_INSTRUCTIONSETS_H
