//===- cuda/Streams.cpp - streams and copies ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/Copies.h"
#include "backends/cuda/Host.h"
#include "backends/cuda/LaunchSupport.h"

#include <algorithm>
#include <cstring>

using namespace tamrt::cuda;

namespace {

/// Larger pieces are copied by the device's engine for copies: a block of
/// threads reads few bytes of the CPU's memory at a time.
constexpr size_t kPieceBytes = size_t(128) << 10;

/// Least and most bytes of half of the staging memory.
constexpr size_t kLeastStaging = size_t(256) << 10;
constexpr size_t kMostStaging = size_t(8) << 20;

size_t aligned(size_t bytes) {
  return (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
}

bool isOfWords(const void *address, size_t bytes) {
  return (reinterpret_cast<uintptr_t>(address) | bytes) % sizeof(int32_t) == 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// Staging memory
//===----------------------------------------------------------------------===//

Staging::~Staging() {
  for (Half &half : halves) {
    if (half.done)
      TAMRT_CUDA(cudaEventDestroy, half.done);
    if (half.memory)
      TAMRT_CUDA(cudaFreeHost, half.memory);
  }
}

/// Makes an unused half larger, if there is memory.
bool Staging::grow(Half &half, size_t bytes) {
  bytes = std::max(bytes, kLeastStaging);
  if (!half.done && TAMRT_CUDA(cudaEventCreateWithFlags, &half.done,
                               cudaEventDisableTiming) != TAMRT_OK)
    return false;
  if (half.memory)
    TAMRT_CUDA(cudaFreeHost, half.memory);
  half.memory = nullptr;
  half.bytes = 0;
  void *memory = nullptr, *there = nullptr;
  if (TAMRT_CUDA(cudaHostAlloc, &memory, bytes,
                 cudaHostAllocPortable | cudaHostAllocMapped) != TAMRT_OK)
    return false;
  if (TAMRT_CUDA(cudaHostGetDevicePointer, &there, memory, 0) != TAMRT_OK) {
    TAMRT_CUDA(cudaFreeHost, memory);
    return false;
  }
  half.memory = static_cast<char *>(memory);
  half.onDevice = static_cast<char *>(there);
  half.bytes = bytes;
  return true;
}

char *Staging::take(cudaStream_t stream, size_t bytes, char *&onDevice) {
  bytes = aligned(bytes);
  if (bytes > kMostStaging)
    return nullptr;
  Half *half = &halves[now];
  if (half->used > 0 && half->used + bytes > half->bytes) {
    if (TAMRT_CUDA(cudaEventRecord, half->done, stream) != TAMRT_OK)
      return nullptr;
    half->isMarked = true;
    now = 1 - now;
    half = &halves[now];
    if (half->isMarked &&
        TAMRT_CUDA(cudaEventSynchronize, half->done) != TAMRT_OK)
      return nullptr;
    half->isMarked = false;
    half->used = 0;
  }
  if (bytes > half->bytes && !grow(*half, bytes))
    return nullptr;
  char *memory = half->memory + half->used;
  onDevice = half->onDevice + half->used;
  half->used += bytes;
  return memory;
}

void Staging::reset() {
  for (Half &half : halves) {
    half.used = 0;
    half.isMarked = false;
  }
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

int32_t tamrt_stream::open() {
  if (int32_t status = device->use())
    return status;
  waiting.reserve(kSlots);
  void *there = nullptr, *here = nullptr, *mapped = nullptr;
  int32_t status =
      TAMRT_CUDA(cudaStreamCreateWithFlags, &handle, cudaStreamNonBlocking);
  if (status == TAMRT_OK)
    status = TAMRT_CUDA(cudaMalloc, &there, kStreamBytes);
  failures = static_cast<Failure *>(there);
  if (status == TAMRT_OK)
    status = TAMRT_CUDA(cudaHostAlloc, &here, kStreamBytes,
                        cudaHostAllocPortable | cudaHostAllocMapped);
  mirrors = static_cast<Failure *>(here);
  if (status == TAMRT_OK)
    status = TAMRT_CUDA(cudaHostGetDevicePointer, &mapped, here, 0);
  mirrorsOnDevice = static_cast<Failure *>(mapped);
  if (status == TAMRT_OK)
    status = TAMRT_CUDA(cudaMemsetAsync, failures, 0, kStreamBytes, handle);
  if (status != TAMRT_OK)
    return status;
  std::fill_n(mirrors, kSlots, Failure());
  return TAMRT_CUDA(cudaStreamSynchronize, handle);
}

tamrt_stream::~tamrt_stream() {
  device->use();
  // Memory is freed after the work that uses it.
  if (handle) {
    TAMRT_CUDA(cudaStreamSynchronize, handle);
    TAMRT_CUDA(cudaStreamDestroy, handle);
  }
  if (failures)
    TAMRT_CUDA(cudaFree, failures);
  if (mirrors)
    TAMRT_CUDA(cudaFreeHost, mirrors);
}

int32_t tamrt_stream::slotOf(tamrt_context *ctx, FailureSlot &slot) {
  auto at = std::find(waiting.begin(), waiting.end(), ctx);
  if (at == waiting.end() && waiting.size() == kSlots) {
    if (int32_t status = synchronize())
      return status;
    at = waiting.end();
  }
  const auto i = size_t(at - waiting.begin());
  if (at == waiting.end())
    waiting.push_back(ctx);
  slot = {failures + i, mirrorsOnDevice + i};
  return TAMRT_OK;
}

int32_t tamrt_stream::makeRoom(int64_t calls) {
  if (calls > int64_t(kSlots))
    return TAMRT_ERROR_INVALID_ARGUMENT;
  return waiting.size() + size_t(calls) > kSlots ? synchronize() : TAMRT_OK;
}

/// Tells contexts of failures. All work is done.
int32_t tamrt_stream::tell() {
  int32_t status = TAMRT_OK;
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (mirrors[i].status == TAMRT_OK)
      continue;
    core->fail(waiting[i], mirrors[i].status, mirrors[i].detail);
    mirrors[i] = {};
    if (status == TAMRT_OK)
      status =
          TAMRT_CUDA(cudaMemsetAsync, failures + i, 0, sizeof(Failure), handle);
  }
  waiting.clear();
  return status;
}

int32_t tamrt_stream::synchronize() {
  if (int32_t status = device->use())
    return status;
  const int32_t status = TAMRT_CUDA(cudaStreamSynchronize, handle);
  const int32_t told = tell();
  staging.reset();
  deliveries.clear();
  return status != TAMRT_OK ? status : told;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A copy by itself, by the device's engine for copies.
int32_t tamrt_stream::copyOne(const tamrt_copy &copy) {
  const bool up = device->isOfDevice(copy.to), down = !up;
  const bool isWithin = up && device->isOfDevice(copy.from);
  device->countCopy(up && !isWithin ? int64_t(copy.bytes) : 0,
                    down ? int64_t(copy.bytes) : 0);
  return TAMRT_CUDA(cudaMemcpyAsync, copy.to, copy.from, copy.bytes,
                    cudaMemcpyDefault, handle);
}

void tamrt_stream::deliver(void *delivery) {
  for (const tamrt_copy &copy : *static_cast<Delivery *>(delivery))
    std::memcpy(copy.to, copy.from, copy.bytes);
}

/// Several copies as one kernel, which accesses page-locked memory. What is not
/// page-locked passes through staging memory. `isDone`: whether there was
/// memory for that.
int32_t tamrt_stream::copyPacked(const std::vector<tamrt_copy> &copies,
                                 bool &isDone) {
  // The first part is the table, whose numbers are the pieces' addresses.
  const size_t tableBytes =
      aligned(copies.size() * kCopyNumbers * sizeof(int64_t));
  size_t bytes = tableBytes;
  for (const tamrt_copy &copy : copies) {
    const void *here = device->isOfDevice(copy.to) ? copy.from : copy.to;
    if (!device->onDevice(here, copy.bytes))
      bytes += aligned(copy.bytes);
  }
  char *mapped = nullptr;
  char *memory = staging.take(handle, bytes, mapped);
  isDone = memory != nullptr;
  if (!isDone)
    return TAMRT_OK;
  auto *table = reinterpret_cast<int64_t *>(memory);
  auto delivery = std::make_unique<Delivery>();
  size_t used = tableBytes;
  int64_t uploaded = 0, downloaded = 0;
  const auto pass = [&](const void *here, size_t size, char *&at) {
    void *there = device->onDevice(here, size);
    at = there ? nullptr : memory + used;
    if (!there) {
      there = mapped + used;
      used += aligned(size);
    }
    return there;
  };
  for (const tamrt_copy &copy : copies) {
    char *staged = nullptr;
    void *to = copy.to;
    const void *from = copy.from;
    if (device->isOfDevice(copy.to)) {
      from = pass(copy.from, copy.bytes, staged);
      if (staged)
        std::memcpy(staged, copy.from, copy.bytes);
      uploaded += int64_t(copy.bytes);
    } else {
      to = pass(copy.to, copy.bytes, staged);
      if (staged)
        delivery->push_back({copy.to, staged, copy.bytes});
      downloaded += int64_t(copy.bytes);
    }
    *table++ = int64_t(reinterpret_cast<uintptr_t>(to));
    *table++ = int64_t(reinterpret_cast<uintptr_t>(from));
    *table++ = int64_t(copy.bytes / sizeof(int32_t));
  }
  CopyPieces body = {{reinterpret_cast<const int64_t *>(mapped),
                      int64_t(copies.size()) * kCopyNumbers},
                     int64_t(copies.size())};
  Delivery *onward = nullptr;
  if (!delivery->empty()) {
    onward = delivery.get();
    deliveries.push_back(std::move(delivery));
  }
  device->countCopy(uploaded, downloaded);
  const int32_t status =
      launchIn(*this, copyKernel(), Grid{int64_t(copies.size()), kThreads},
               &body, FailureSlot());
  if (status != TAMRT_OK || !onward)
    return status;
  return TAMRT_CUDA(cudaLaunchHostFunc, handle, deliver, onward);
}

int32_t tamrt_stream::copyAll(const tamrt_copy *copies, int64_t count) {
  if (int32_t status = device->use())
    return status;
  std::vector<tamrt_copy> packed;
  for (int64_t i = 0; i < count; ++i) {
    const tamrt_copy &copy = copies[i];
    if (copy.bytes == 0)
      continue;
    const bool up = device->isOfDevice(copy.to);
    const void *here = up ? copy.from : copy.to;
    // The runtime may wait for a copy of memory that is not page-locked. So
    // does the quiet stream in any case.
    const bool isAlone = this == device->quiet.get() ||
                         (count == 1 && device->onDevice(here, copy.bytes));
    if (isAlone || (up && device->isOfDevice(copy.from)) ||
        copy.bytes > kPieceBytes || !isOfWords(copy.to, copy.bytes) ||
        !isOfWords(copy.from, 0)) {
      if (int32_t status = copyOne(copy))
        return status;
    } else {
      packed.push_back(copy);
    }
  }
  if (packed.empty())
    return TAMRT_OK;
  bool isDone = false;
  if (int32_t status = copyPacked(packed, isDone); status != TAMRT_OK || isDone)
    return status;
  for (const tamrt_copy &copy : packed)
    if (int32_t status = copyOne(copy))
      return status;
  return TAMRT_OK;
}
