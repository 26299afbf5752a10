//===- io/HeaderLimit.h - the limit of a safetensors header -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The most bytes of a header of safetensors. Shared by the executable and the
/// library for embedding.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_HEADERLIMIT_H
#define TAMRT_IO_HEADERLIMIT_H

#include <cstdint>

namespace tamrt {

/// The format's own limit: readers refuse a longer header, so none is written.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;

} // namespace tamrt

#endif // TAMRT_IO_HEADERLIMIT_H
