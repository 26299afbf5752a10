//===- app/Memory.cpp - what a fit needs beside its arenas ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Memory.h"

#include "core/data/Dataset.h"
#include "core/learn/Learn.h"
#include "core/model/Model.h"
#include "io/CsvBlocks.h"

#include <pthread.h>

namespace tamrt {
namespace {

/// The executable, libstdc++ and libc with their data take 7 MiB of address
/// space on Debian 12 (5.6 MiB with --static-blas); the rest is for the C
/// libraries of other systems and for the allocator, which keeps up to a MiB at
/// the heap's top and rounds up. The first thread's stack is in it.
constexpr int64_t kConstant = int64_t(12) << 20;

/// A block of a file with its index and the columns that are made of it. Fields
/// of one byte make the most of it.
constexpr int64_t kBlock = 16 * int64_t(CsvBlocks::kBlockBytes);

/// Names, metadata and bookkeeping of a group, of ordinary length.
constexpr int64_t kGroupText = 512;

/// Coefficients, ranges and tables are there three times while they are
/// written: as they were computed, as tensors and as the file's bytes.
constexpr int64_t kWeightCopies = 3;

int64_t stackBytes() {
  pthread_attr_t attributes;
  size_t bytes = size_t(8) << 20;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return int64_t(bytes);
}

} // namespace

MemoryNeed memoryNeed(const tamrt_model &model) {
  MemoryNeed need;
  // Tables are learnt before the arenas are there, when the text is gone: a
  // column of more rows, which quantiles take, is less than reading took.
  need.constant = kConstant + kBlock + kWeightCopies * tableBytes(model) +
                  int64_t(learningBytes(model, kMostRowsKept));
  // The stack with its guard pages, a block, and one that is laid aside.
  need.perThread = stackBytes() + (int64_t(64) << 10) + 2 * kBlock;
  need.perRow = int64_t(Dataset::bytesPerRow(model));
  need.perGroup = kGroupText + kWeightCopies * int64_t(sizeof(double)) *
                                   (model.columns + 2 * model.input_count);
  return need;
}

} // namespace tamrt
