//===- kernels/Dispatch.cpp - from symbols to a device's kernels ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The public symbols `tamrt_<name>`, which compiled models call. Each calls
/// through the table of the context's device. Generated from kernels.def. Also
/// the machine's level, by which models choose versions of generated kernels.
///
/// After an error nothing is launched until the runtime clears it, because the
/// outputs of the failed kernel are undefined and may be used as indices.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "tamrt/abi.h"

// Each parameter becomes the pair (type, name). The definition of a dispatcher
// uses both, the call inside it only the name.
#define TAMRT_IN(type, name) (const type *, name)
#define TAMRT_IN_OPTIONAL(type, name) (const type *, name)
#define TAMRT_IN_LIST(type, name)                                              \
  (const type *const *, name), (int64_t, name##_count)
#define TAMRT_SCALAR(type, name) (type, name)
#define TAMRT_OUT(type, name) (type *, name)
#define TAMRT_INOUT(type, name) (type *, name)

#define PARAMETER(pair) PARAMETER_OF pair
#define PARAMETER_OF(type, name) type name
#define ARGUMENT(pair) ARGUMENT_OF pair
#define ARGUMENT_OF(type, name) name

// `, what(pair)` for every pair. The preprocessor does not recurse; each SCAN
// lets a postponed FOR_EACH_AGAIN expand some more times, 64 pairs in all.
#define SCAN(...) SCAN3(SCAN3(SCAN3(SCAN3(__VA_ARGS__))))
#define SCAN3(...) SCAN2(SCAN2(SCAN2(SCAN2(__VA_ARGS__))))
#define SCAN2(...) SCAN1(SCAN1(SCAN1(SCAN1(__VA_ARGS__))))
#define SCAN1(...) __VA_ARGS__
#define NOTHING
#define FOR_EACH(what, ...) SCAN(FOR_EACH_STEP(what, __VA_ARGS__))
#define FOR_EACH_STEP(what, pair, ...)                                         \
  , what(pair) __VA_OPT__(FOR_EACH_AGAIN NOTHING()(what, __VA_ARGS__))
#define FOR_EACH_AGAIN() FOR_EACH_STEP

extern "C" {

#define TAMRT_KERNEL(name, ...)                                                \
  void tamrt_##name(tamrt_context *ctx FOR_EACH(PARAMETER, __VA_ARGS__)) {     \
    if (tamrt::isGood(*ctx))                                                   \
      ctx->kernels->name(ctx FOR_EACH(ARGUMENT, __VA_ARGS__));                 \
  }
#include "tamrt/kernels.def"

int64_t tamrt_cpu_level(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  // Testing some features of each level is enough: no processor has them
  // without the others.
  const bool isV2 = __builtin_cpu_supports("ssse3") &&
                    __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("popcnt");
  const bool isV3 =
      isV2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool isV4 = isV3 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  if (isV2)
    return isV4   ? TAMRT_CPU_X86_64_V4
           : isV3 ? TAMRT_CPU_X86_64_V3
                  : TAMRT_CPU_X86_64_V2;
#endif
  return TAMRT_CPU_BASELINE;
}

} // extern "C"
