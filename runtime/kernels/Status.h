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

/// Sets the status of the context unless it has an error already: the first
/// error stays until the runtime clears it; later ones are its consequences.
///
/// \param detail the detail that abi.h documents for `status`.
inline void fail(tamrt_context *ctx, tamrt_status status, int64_t detail) {
  if (ctx->status != TAMRT_OK)
    return;
  ctx->status = status;
  ctx->detail = detail;
}

} // namespace tamrt

#endif // TAMRT_KERNELS_STATUS_H
