//===- Driven.cpp - what programs of tam-drive call -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Beside the runtime's kernels: their context, and the output.
///
//===----------------------------------------------------------------------===//

#include "tamrt/abi.h"

#include <cstdio>

extern "C" {

extern const tamrt_kernels tamrt_cpu_kernels;

/// The context of all kernels.
tamrt_context *tam_driven_context() {
  static tamrt_context context = {.kernels = &tamrt_cpu_kernels,
                                  .status = TAMRT_OK,
                                  .reserved = 0,
                                  .detail = 0,
                                  .device = nullptr};
  return &context;
}

/// Prints numbers as a line of JSON, as tam-interpret does; a status of the
/// context in their place.
void tam_driven_print(const double *numbers, int64_t count) {
  if (int32_t status = tam_driven_context()->status; status != TAMRT_OK) {
    std::printf("status %d\n", status);
    return;
  }
  std::printf("[");
  for (int64_t i = 0; i < count; ++i)
    std::printf(i == 0 ? "%.17g" : ",%.17g", numbers[i]);
  std::printf("]\n");
}
}
