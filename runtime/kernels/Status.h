//===- kernels/Status.h - how a kernel reports an error ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The function with which a kernel of any device reports an error to the
/// runtime.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_STATUS_H
#define TAMRT_KERNELS_STATUS_H

#include "tamrt/abi.h"

namespace tamrt {

/// Whether no kernel has failed. A kernel that runs in a stream may fail
/// meanwhile.
inline bool isGood(const tamrt_context &ctx) {
  return __atomic_load_n(&ctx.status, __ATOMIC_RELAXED) == TAMRT_OK;
}

/// Sets the status of the context unless it has an error already: the first
/// error stays until the runtime clears it; later ones are its consequences.
/// Kernels of one context run one after another.
///
/// \param detail the detail that abi.h documents for `status`.
inline void fail(tamrt_context *ctx, tamrt_status status, int64_t detail) {
  if (!isGood(*ctx))
    return;
  ctx->detail = detail;
  __atomic_store_n(&ctx->status, status, __ATOMIC_RELEASE);
}

} // namespace tamrt

#endif // TAMRT_KERNELS_STATUS_H
