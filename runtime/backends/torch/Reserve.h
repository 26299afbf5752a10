//===- torch/Reserve.h - memory for ATen's temporary tensors -- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory that ATen's operations take on the CPU while a kernel runs. One
/// block is reserved for it when a device is opened, and no operation gets
/// memory from anywhere else: this is LibTorch's allocator of the CPU, which
/// also counts.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_RESERVE_H
#define TAMRT_BACKENDS_TORCH_RESERVE_H

#include <cstddef>
#include <cstdint>

namespace tamrt::aten {

/// What kernels have asked of the reserve since it was made.
struct ReserveCounts {
  /// Allocations, the most bytes in use at one time, and allocations that it
  /// was too small for.
  int64_t allocations = 0, peakBytes = 0, refused = 0;
};

/// Makes this LibTorch's allocator of the CPU, and reserves `bytes` bytes,
/// which the operating system provides where they are used. Allocation
/// `failAt` of kernels, counted from 1, fails; 0: none. Throws std::bad_alloc.
void makeReserve(size_t bytes, int64_t failAt);

/// Bytes of the reserve.
size_t reserveBytes();

ReserveCounts reserveCounts();

/// While one lives, allocations of its thread are those of a kernel. One thread
/// has one at a time. An allocation that does not fit throws std::bad_alloc.
class ReserveScope {
public:
  ReserveScope();
  ~ReserveScope();
  ReserveScope(const ReserveScope &) = delete;
  ReserveScope &operator=(const ReserveScope &) = delete;
};

} // namespace tamrt::aten

#endif // TAMRT_BACKENDS_TORCH_RESERVE_H
