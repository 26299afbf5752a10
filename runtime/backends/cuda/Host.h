//===- cuda/Host.h - the host side of CUDA devices --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Devices, streams and launches over the calls of the CUDA runtime. There is
/// one host side: with the runtime and kernels that nvcc compiled it is the
/// backend `cuda`, with a fake driver and the emulator `cuda-emulated`. What
/// differs is in Binding.h.
///
/// A failure of a kernel is a record on the device, which stops later kernels
/// of the same call, and a copy in page-locked memory, which the CPU reads when
/// it has waited for the stream. So nothing waits or copies to learn a status.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_HOST_H
#define TAMRT_BACKENDS_CUDA_HOST_H

#include "backends/cuda/Binding.h"
#include "backends/cuda/Block.h"
#include "backends/cuda/PendingSums.h"
#include "backends/cuda/Runtime.h"

#include "tamrt/backend.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tamrt::cuda {

/// The core's functions.
extern const tamrt_core *core;

/// The tamrt_status of a call of the runtime. A failure is logged with the name
/// of the call and of the error: a lack of memory as information, because the
/// core goes on with less; others once for each kind of error.
int32_t check(cudaError_t error, const char *call);
/// "cudaMalloc: cudaErrorMemoryAllocation: out of memory"
std::string describe(cudaError_t error, const char *call);
/// Logs an error of the backend.
void complain(const std::string &what);
#define TAMRT_CUDA(call, ...) ::tamrt::cuda::check(call(__VA_ARGS__), #call)

/// The blocks of one kind of memory, by address.
class Blocks {
public:
  void add(const void *start, size_t bytes, void *onDevice = nullptr);
  /// Returns whether there is such a block.
  bool remove(const void *start);
  /// The bytes from an address to the end of its block; 0 if it is in none.
  /// `onDevice` gets where kernels find it.
  size_t bytesFrom(const void *address, void **onDevice = nullptr) const;
  bool isEmpty() const { return blocks.empty(); }

private:
  struct Block {
    size_t bytes;
    void *onDevice;
  };
  std::map<uintptr_t, Block> blocks;
};

/// Page-locked memory for the copies of a stream, in two halves: one is filled
/// while copies use the other.
class Staging {
public:
  ~Staging();

  /// `bytes` bytes for work that is given to `stream` next; null if there is
  /// not enough memory. `onDevice` gets where kernels find them.
  char *take(cudaStream_t stream, size_t bytes, char *&onDevice);
  /// All work of the stream is done.
  void reset();

private:
  struct Half {
    char *memory = nullptr, *onDevice = nullptr;
    size_t bytes = 0, used = 0;
    /// After the work that uses it, once the other half is filled.
    cudaEvent_t done = nullptr;
    bool isMarked = false;
  };
  bool grow(Half &half, size_t bytes);

  std::array<Half, 2> halves;
  size_t now = 0;
};

/// Calls of a stream that have not been waited for.
constexpr size_t kSlots = 64;
/// Memory of the device that a stream takes.
constexpr size_t kStreamBytes = kSlots * sizeof(Failure);

/// An accumulator to which a call adds, by its place in the state, in doubles.
struct TouchedSums {
  int64_t first, count;
  /// As of JoinSegments.
  double unit;
};

/// What a call of a batch does.
struct CallWork {
  explicit CallWork(const tamrt_call &call) : call(&call) {}

  /// The device's, of which the last answers are kept: its blocks stay as they
  /// are during a batch.
  size_t bytesFrom(const tamrt_device &device, const void *address);

  const tamrt_call *call;
  std::vector<CallLaunch> launches;
  PendingSums pending;
  std::vector<TouchedSums> touched;

private:
  struct Range {
    uintptr_t start = 0, end = 0;
  };

  std::array<Range, 8> known;
  size_t nextKnown = 0;
};

/// The calls of a step that run together: what one has launched is executed in
/// its order, that of several at the same time.
class CallBatch {
public:
  explicit CallBatch(const std::vector<tamrt_call> &calls);
  CallWork &of(const tamrt_context *ctx) { return works.at(ctx); }
  /// Launches all. Returns a tamrt_status: TAMRT_ERROR_OUT_OF_MEMORY only if
  /// nothing was launched, so that the calls can be repeated.
  int32_t launch(tamrt_stream &stream);

private:
  int32_t launchEach(tamrt_stream &stream, bool &hasBegun);

  std::map<const tamrt_context *, CallWork> works;
  std::vector<CallWork *> inOrder;
};

} // namespace tamrt::cuda

/// A stream is used by one thread at a time.
struct tamrt_stream {
  explicit tamrt_stream(tamrt_device *device) : device(device) {}
  ~tamrt_stream();

  /// A tamrt_status.
  int32_t open();
  /// Waits for all work and tells contexts of their failures.
  int32_t synchronize();
  /// The place for failures of a call.
  int32_t slotOf(tamrt_context *ctx, tamrt::cuda::FailureSlot &slot);
  /// Waits, if there are not enough places for failures of `calls` calls more.
  int32_t makeRoom(int64_t calls);
  int32_t copyAll(const tamrt_copy *copies, int64_t count);

  tamrt_device *const device;
  cudaStream_t handle = nullptr;
  /// While the calls of a batch say what they launch.
  tamrt::cuda::CallBatch *batch = nullptr;

private:
  /// What is copied on from staging memory when a download has arrived.
  using Delivery = std::vector<tamrt_copy>;

  int32_t copyOne(const tamrt_copy &copy);
  int32_t copyPacked(const std::vector<tamrt_copy> &copies, bool &isDone);
  int32_t tell();
  static void deliver(void *delivery);

  tamrt::cuda::Staging staging;
  std::vector<std::unique_ptr<Delivery>> deliveries;
  /// Records of failures: on the device, in page-locked memory, and the
  /// contexts of those in use.
  tamrt::cuda::Failure *failures = nullptr, *mirrors = nullptr;
  tamrt::cuda::Failure *mirrorsOnDevice = nullptr;
  std::vector<tamrt_context *> waiting;
};

struct tamrt_event {
  cudaEvent_t handle = nullptr;
};

struct tamrt_device {
  explicit tamrt_device(int index) : index(index) {}
  ~tamrt_device();

  /// A tamrt_status; `why` gets the reason of a failure.
  int32_t open(std::string &why);
  /// Makes it the device of the calls of this thread.
  int32_t use() const { return TAMRT_CUDA(cudaSetDevice, index); }

  void *allocate(size_t bytes);
  void release(void *memory, size_t bytes);
  void *allocatePinned(size_t bytes);
  void releasePinned(void *memory);

  /// Where kernels find `bytes` bytes: an address of the device stays as it is,
  /// that of a constant of the model becomes the one of its copy, which is made
  /// at the first time. Returns a tamrt_status.
  int32_t find(const void *address, size_t bytes, const void *&found);
  /// Copies all constants of a model together, if that was not done.
  int32_t copyConstants(const void *start, size_t bytes);
  size_t bytesFrom(const void *address) const;
  bool isOfDevice(const void *address) const { return bytesFrom(address) > 0; }
  /// Where kernels find page-locked memory of the CPU; null if it is not.
  void *onDevice(const void *pinned, size_t bytes) const;

  /// Whether all memory has been released.
  bool isEmpty() const { return blocks.isEmpty() && pinned.isEmpty(); }

  void countCopy(int64_t uploaded, int64_t downloaded);

  /// Blocks of a kernel that the device executes at the same time; at least 1.
  int64_t blocksAtOnce(const tamrt::cuda::Kernel &kernel,
                       const tamrt::cuda::Grid &grid) const;

  const int index;
  int multiprocessors = 1;
  std::string name;
  uint32_t traits = 0;
  tamrt_kernels kernels = {};
  std::atomic<int64_t> launches{0}, copies{0};
  std::atomic<int64_t> uploadedBytes{0}, downloadedBytes{0};
  /// For work without a stream, one thread at a time.
  std::mutex quietMutex;
  std::unique_ptr<tamrt_stream> quiet;

private:
  const void *copyOf(const void *address, size_t bytes) const;
  int32_t copyConstant(const void *address, size_t bytes, const void *&found);

  mutable std::shared_mutex mutex;
  tamrt::cuda::Blocks blocks, pinned;
  /// Copies of constants: of each model's together, by address; of single ones,
  /// by address and bytes. The memory that they are in.
  std::map<uintptr_t, std::pair<size_t, const char *>> blobs;
  std::map<std::pair<const void *, size_t>, void *> constants;
  std::vector<void *> slabs;
  cudaStream_t uploads = nullptr;
  size_t slabUsed = 0, slabBytes = 0;
};

namespace tamrt::cuda {

/// Launches bodies (LaunchSupport.h) in the stream of a context; without one
/// they are done when the launcher is destroyed.
class HostLauncher {
public:
  explicit HostLauncher(tamrt_context *ctx);
  ~HostLauncher();
  HostLauncher(const HostLauncher &) = delete;
  HostLauncher &operator=(const HostLauncher &) = delete;

  template <class T> Buffer<T> buffer(T *address, int64_t count) {
    if (count == 0)
      return {};
    return {static_cast<T *>(const_cast<void *>(
                find(address, size_t(count) * sizeof(T), !std::is_const_v<T>))),
            count};
  }
  /// All from an address on, of an operand whose size the kernel is not told.
  template <class T> Buffer<T> rest(T *address) {
    return buffer(address, int64_t(bytesFrom(address) / sizeof(T)));
  }
  template <class Body> void operator()(const Grid &grid, const Body &body) {
    Body operands = body;
    launch(kernelOf<Body>(), grid, &operands);
  }
  void fail(int32_t status, int64_t detail);
  size_t bytesFrom(const void *address) const;

  /// The segments of a chunk, and the sums of an accumulator, which are counts
  /// times `unit` if that is not 0.
  Segments segments(int64_t rows) const;
  SegmentSums sums(double *address, int64_t count, double unit = 0.0);
  /// Adds a product, when something needs its sums or changes its factors at
  /// the latest.
  void add(const RowProduct &product, const SegmentSums &sums);
  /// Launches what waits, and joins the sums of segments.
  void finish();

private:
  void flush(PendingSums &pending);
  const void *find(const void *address, size_t bytes, bool isWritten);
  void launch(const Kernel &kernel, const Grid &grid, const void *body);

  tamrt_context *ctx;
  tamrt_stream *stream = nullptr;
  /// In a batch: the call's.
  CallWork *own = nullptr;
  /// Held for work without a stream.
  std::unique_lock<std::mutex> quiet;
};

/// Launches a body in a stream. Returns a tamrt_status.
int32_t launchIn(tamrt_stream &stream, const Kernel &kernel, const Grid &grid,
                 const void *body, FailureSlot slot);

template <class Body>
int32_t launchMany(const Kernel &kernel,
                   std::span<const CallLaunch *const> parts,
                   cudaStream_t stream) {
  const auto many = std::make_unique<Many<Body>>();
  int64_t blocks = 0;
  for (const CallLaunch *part : parts) {
    blocks += part->grid.blocks;
    if (blocks > INT32_MAX)
      return TAMRT_ERROR_DEVICE;
    many->ends[many->count] = uint32_t(blocks);
    many->slots[many->count] = part->slot;
    std::memcpy(&many->bodies[many->count], part->operands.data(),
                sizeof(Body));
    ++many->count;
  }
  dim3 all, threads;
  all.x = unsigned(blocks);
  const Grid &grid = parts.front()->grid;
  threads.x = unsigned(grid.threads);
  void *arguments[] = {many.get()};
  return TAMRT_CUDA(cudaLaunchKernel, kernel.function, all, threads, arguments,
                    size_t(grid.shared) * sizeof(double), stream);
}

/// Devices that are open.
void noteOpened(tamrt_device *device);
void noteClosed(tamrt_device *device);
bool isAnyOpen();

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_HOST_H
