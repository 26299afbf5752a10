//===- io/KeptMemory.h - memory kept from run to run ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Large arrays of a run whose memory the next run of the process uses again:
/// getting fresh pages from the system takes as long as reading the rows that
/// fill them. Nothing is kept unless a program asks for that; an executable,
/// which has one run, does so for the sums of a streamed part, whose
/// pieces of rows take the memory of those before.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_KEPTMEMORY_H
#define TAMRT_IO_KEPTMEMORY_H

#include <cstddef>

namespace tamrt {

/// Blocks of fewer bytes are not kept.
inline constexpr size_t kLeastKeptBytes = size_t(32) << 10;

/// Keeps at most so many bytes from now on, those of blocks that are released.
/// 0: keeps nothing, and gives back what is kept.
void keepMemory(size_t mostBytes);

/// Gives back the blocks that have not been taken since the last call.
void trimKeptMemory();

/// Bytes that are kept now.
size_t keptBytes();

/// A kept block of at least `bytes` and at most twice as many; null if there is
/// none. It may be resized and freed by std::realloc and std::free.
void *takeKeptBlock(size_t bytes);

/// Frees a block of std::malloc, or keeps it. Null is allowed.
void releaseBlock(void *block);

} // namespace tamrt

#endif // TAMRT_IO_KEPTMEMORY_H
