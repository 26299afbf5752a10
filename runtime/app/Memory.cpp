//===- app/Memory.cpp - what a fit needs beside its arenas ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Memory.h"

#include "core/Dataset.h"

#include <pthread.h>

namespace tamrt {
namespace {

/// The executable, libstdc++ and libc take 12 MiB of address space; the rest is
/// room for other C libraries, a BLAS and the allocator's slack.
constexpr int64_t kConstant = int64_t(64) << 20;

/// The index grows by an eighth of its size (GrowingArray); those of several
/// threads are joined, which takes at most half as much besides.
constexpr int64_t indexBytes(size_t entry) {
  return int64_t(entry + (entry + 7) / 8);
}
constexpr int64_t joinedBytes(size_t entry) { return int64_t(entry + 1) / 2; }

/// Names, metadata and bookkeeping of a group, of ordinary length.
constexpr int64_t kGroupText = 512;

/// Coefficients and ranges are there three times while they are written: as
/// they were computed, as tensors and as the file's bytes.
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
  need.constant = kConstant;
  // The stack with its guard pages.
  need.perThread = stackBytes() + (int64_t(64) << 10);
  need.perFileByte = 1;
  need.perField = indexBytes(sizeof(uint32_t));
  need.perRow = indexBytes(sizeof(uint64_t)) +
                int64_t(Dataset::bytesPerRow(model, Purpose::Fit));
  need.perFieldJoined = joinedBytes(sizeof(uint32_t));
  need.perRowJoined = joinedBytes(sizeof(uint64_t));
  need.perGroup = kGroupText + kWeightCopies * int64_t(sizeof(double)) *
                                   (model.columns + 2 * model.input_count);
  return need;
}

} // namespace tamrt
