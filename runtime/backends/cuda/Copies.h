//===- cuda/Copies.h - several copies as one kernel -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_COPIES_H
#define TAMRT_BACKENDS_CUDA_COPIES_H

#include "backends/cuda/Elementary.h"

namespace tamrt::cuda {

/// Numbers of a copy in the table of CopyPieces: where to, where from, and how
/// many words.
constexpr int64_t kCopyNumbers = 3;

/// Copies of words of four bytes between memory of the device and page-locked
/// memory of the CPU. The blocks share the pieces, the threads of a block the
/// words of a piece. A launch costs as much as one copy, and these are often
/// a hundred small ones.
struct CopyPieces {
  static constexpr const char *name = "copy";
  static constexpr bool hasBarriers = false;

  Buffer<const int64_t> table;
  int64_t pieces;

  template <class Block> TAMRT_BODY void operator()(Block &block) const {
    auto numbers = block.view(table);
    for (int64_t i = block.block(); i < pieces; i += block.blocks()) {
      const int64_t to = numbers[kCopyNumbers * i];
      const int64_t from = numbers[kCopyNumbers * i + 1];
      const int64_t words = numbers[kCopyNumbers * i + 2];
      auto source = block.view(Buffer<const int32_t>{
          reinterpret_cast<const int32_t *>(from), words});
      auto target =
          block.view(Buffer<int32_t>{reinterpret_cast<int32_t *>(to), words});
      for (int64_t k = block.thread(); k < words; k += block.threads())
        target[k] = source[k];
    }
  }
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_COPIES_H
