//===- minimal.cpp - a small complete backend -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The backend of docs/backends.md: one device with 256 MiB of memory of its
/// own, into which the core copies what steps read. The "device" is the CPU, so
/// that the example runs everywhere: a comment at each function says what a
/// backend for a GPU does there.
///
//===----------------------------------------------------------------------===//

#include "tamrt/backend.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// The state of an open device. For a GPU: its context and number.
struct tamrt_device {
  std::atomic<int64_t> used = 0;
};

namespace {

constexpr int64_t kTotalBytes = int64_t(256) << 20;

const tamrt_core *core = nullptr;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// Kernels of the device's own, with the parameters of kernels.def. Without
// streams their work is done when they return. For a GPU: each starts a grid in
// the stream `ctx->device`, or waits for it if that is null, and reports a
// failure by
//   core->fail(ctx, TAMRT_ERROR_DEVICE, code);

/// Adds a'Wy to `sums`. It sums the rows before it adds them, so the bytes
/// differ from those of the CPU, which adds them one by one.
void rhsDense(tamrt_context *, const double *a, const double *y,
              const double *w, int64_t rows, int64_t n, double *sums) {
  for (int64_t column = 0; column < n; ++column) {
    double sum = 0;
    for (int64_t row = 0; row < rows; ++row)
      sum += a[row * n + column] * (w ? w[row] * y[row] : y[row]);
    sums[column] += sum;
  }
}

/// Adds a'Wa to the elements of `sums` on and above the diagonal.
void gramDense(tamrt_context *, const double *a, const double *w, int64_t rows,
               int64_t n, double *sums) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j) {
      double sum = 0;
      for (int64_t row = 0; row < rows; ++row)
        sum += a[row * n + i] * a[row * n + j] * (w ? w[row] : 1);
      sums[i * n + j] += sum;
    }
}

/// Kernels that the device lacks are the CPU's: possible here because the CPU
/// can read this device's memory. For a GPU: every kernel is its own.
const tamrt_kernels *kernels(tamrt_device *) {
  static const tamrt_kernels table = [] {
    tamrt_kernels all = *core->cpu_kernels;
    all.rhs_dense = rhsDense;
    all.gram_dense = gramDense;
    return all;
  }();
  return &table;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The number of devices. For a GPU: asks the driver, and says in `why` why
/// there is none.
int32_t probe(char *, size_t) { return 1; }

tamrt_device *open(int32_t, char *, size_t) { return new tamrt_device; }

void close(tamrt_device *device) {
  if (device->used != 0)
    core->log(TAMRT_LOG_ERROR, "minimal: memory was never released");
  delete device;
}

const char *name(tamrt_device *) { return "minimal device"; }

/// No trait: the core copies what steps read and write, as for a GPU. With
/// TAMRT_DEVICE_HOST_ADDRESSABLE it passes addresses of the CPU's memory.
uint32_t traits(tamrt_device *) { return 0; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int32_t memory(tamrt_device *device, int64_t *freeBytes, int64_t *totalBytes) {
  *totalBytes = kTotalBytes;
  *freeBytes = kTotalBytes - device->used;
  return TAMRT_OK;
}

/// Null if there is not enough memory: the core then takes smaller chunks.
void *allocate(tamrt_device *device, size_t bytes) {
  const int64_t size = int64_t(bytes);
  // Other threads may allocate at the same time.
  if (device->used.fetch_add(size) > kTotalBytes - size) {
    device->used -= size;
    return nullptr;
  }
  // aligned_alloc wants a multiple of the alignment.
  const size_t whole =
      (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
  void *block = std::aligned_alloc(TAMRT_ALIGNMENT, whole);
  if (!block)
    device->used -= size;
  return block;
}

void release(tamrt_device *device, void *memory, size_t bytes) {
  std::free(memory);
  device->used -= int64_t(bytes);
}

/// For a GPU: a copy in the stream, whose direction follows from the addresses;
/// if there is none, waits for it.
int32_t copy(tamrt_device *, void *to, const void *from, size_t bytes,
             tamrt_stream *) {
  std::memcpy(to, from, bytes);
  return TAMRT_OK;
}

} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The only symbol that the core looks for.
extern "C" __attribute__((visibility("default"))) const tamrt_backend *
tamrt_backend_register(const tamrt_core *from) {
  core = from;
  if (from->version != TAMRT_BACKEND_VERSION ||
      from->abi_version != TAMRT_ABI_VERSION)
    return nullptr;
  // The optional functions (streams, pinned memory, batches) stay null: all
  // work is done when a function returns.
  static const tamrt_backend table = [] {
    tamrt_backend backend = {};
    backend.version = TAMRT_BACKEND_VERSION;
    backend.abi_version = TAMRT_ABI_VERSION;
    backend.kind = "minimal";
    backend.probe = probe;
    backend.open = open;
    backend.close = close;
    backend.name = name;
    backend.traits = traits;
    backend.memory = memory;
    backend.allocate = allocate;
    backend.release = release;
    backend.copy = copy;
    backend.kernels = kernels;
    return backend;
  }();
  return &table;
}
