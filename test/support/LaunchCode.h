//===- LaunchCode.h - the code of launch tables -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels and operands as tables of launches have them (tamrt/abi.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_LAUNCHCODE_H
#define TAMC_TEST_SUPPORT_LAUNCHCODE_H

#include "tamrt/abi.h"

#include <cstdint>

namespace tamrt::test {

/// `positionOf_zero` and so on.
enum KernelPosition : int64_t {
#define TAMRT_KERNEL(name, ...) positionOf_##name,
#include "tamrt/kernels.def"
};

/// An operand.
inline int64_t in(tamrt_space space, int64_t number = 0) {
  return number * TAMRT_SPACES + space;
}

} // namespace tamrt::test

#endif // TAMC_TEST_SUPPORT_LAUNCHCODE_H
