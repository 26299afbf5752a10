//===- cuda/Block.h - what the body of a kernel sees ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between the body of a kernel and what executes it.
///
/// A body is a struct with the kernel's operands and a template
///
///     template <class Block> TAMRT_BODY void operator()(Block &block) const;
///
/// which does the work of one thread of a block of threads. It has `name`, and
/// `hasBarriers`, which says whether its threads wait for each other. All that
/// a thread knows of the others comes from `Block`:
///
///     block(), blocks()     index and number of the blocks of the launch
///     thread(), threads()   index and number of the threads of the block
///     index(), total()      the same for the threads of all blocks
///     view(buffer)          the elements of a buffer, by operator[]
///     fail(status, detail)  sets the status of the kernel
///
/// and, if it has barriers:
///
///     shared(first, count)       `count` doubles of the block's shared memory
///     barrier()                  waits for all threads of the block
///     shuffleDown(mask, x, d)    x of the lane d after this one in the warp
///
/// There are three executions: `CudaBlock` here, for nvcc; and, on the host,
/// `LoopThread`, a plain loop over the threads of a body without barriers, and
/// `FiberThread`, in which each thread has a stack of its own (Emulator.h).
///
/// Products are never fused with sums: nvcc and the host's compiler get the
/// options for that, so a body has the same bits in all executions.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_BLOCK_H
#define TAMRT_BACKENDS_CUDA_BLOCK_H

#include <cstdint>
#include <utility>

#ifdef __CUDACC__
/// On each function that a body calls.
#define TAMRT_BODY __device__ __forceinline__
/// On functions that the code which launches bodies calls, too.
#define TAMRT_BOTH __host__ __device__
#else
#define TAMRT_BODY inline
#define TAMRT_BOTH
#endif

namespace tamrt::cuda {

/// Threads of a warp.
constexpr int kWarp = 32;

/// An operand of a kernel: `count` elements in memory of the device.
template <class T> struct Buffer {
  T *data = nullptr;
  int64_t count = 0;
  /// The emulator's records of the elements; null elsewhere.
  void *records = nullptr;

  bool operator==(const Buffer &) const = default;
};

/// A kernel that has a list of buffers is launched for so many at a time.
constexpr int64_t kMaxList = 64;

/// A part of a list of buffers. Operands of a body have at most 4 KB.
template <class T> struct List {
  int64_t count = 0;
  Buffer<T> buffers[kMaxList];
};

/// How many threads execute a body.
struct Grid {
  int64_t blocks;
  int threads;
  /// Doubles of shared memory of a block.
  int shared = 0;
};

/// The status of a kernel (abi.h): the first failure stays.
struct Failure {
  int32_t status = 0;
  int64_t detail = 0;
};

/// Where the kernels of a call note a failure, and a copy of it that the CPU
/// can read. Null for kernels that cannot fail.
struct FailureSlot {
  Failure *failure = nullptr;
  Failure *mirror = nullptr;
};

/// Bodies of several calls that one launch executes: the blocks of one follow
/// those of the other. A launch's operands have at most 32 KB.
template <class Body> struct Many {
  static constexpr int kRoom = 32000;
  static constexpr int kFit =
      (kRoom - 16) /
      static_cast<int>(sizeof(Body) + sizeof(FailureSlot) + sizeof(uint32_t));
  /// So many at most.
  static constexpr int most = kFit < 64 ? kFit : 64;

  int32_t count = 0;
  /// The first block that is not the call's.
  uint32_t ends[most];
  FailureSlot slots[most];
  Body bodies[most];
};

/// What `view` of a block returns for a buffer.
template <class Block, class T>
using ViewOf =
    decltype(std::declval<Block &>().view(std::declval<const Buffer<T> &>()));

/// What `shared` of a block returns.
template <class Block>
using SharedOf = decltype(std::declval<Block &>().shared(0, 0));

/// All lanes of a warp.
constexpr uint32_t kAllLanes = 0xffffffff;

/// Combines a number of each thread of a block, whose threads are whole warps:
/// first those of a warp in a binary tree, then those of the warps in order, so
/// that the bits do not depend on the order in which threads run. All threads
/// get the result. `scratch` has a double for each warp.
template <class Block, class Combine>
TAMRT_BODY double reduce(Block &block, SharedOf<Block> scratch, double number,
                         Combine combine) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const double other = block.shuffleDown(kAllLanes, number, distance);
    number = combine(number, other);
  }
  if (block.thread() % kWarp == 0)
    scratch[block.thread() / kWarp] = number;
  block.barrier();
  double all = scratch[0];
  for (int warp = 1; warp < block.threads() / kWarp; ++warp) {
    const double next = scratch[warp];
    all = combine(all, next);
  }
  // The next reduction may use the same scratch memory.
  block.barrier();
  return all;
}

struct Add {
  TAMRT_BODY double operator()(double x, double y) const { return x + y; }
};
/// NaN is never the greater.
struct Greater {
  TAMRT_BODY double operator()(double x, double y) const {
    return y > x ? y : x;
  }
};

#ifdef __CUDACC__

/// Execution on a GPU.
class CudaBlock {
public:
  /// The blocks of a call are [first, end) of the launch's.
  TAMRT_BODY CudaBlock(const FailureSlot &slot, uint32_t first, uint32_t end)
      : slot(slot), first(first), count(end - first) {}

  TAMRT_BODY int64_t block() const { return blockIdx.x - first; }
  TAMRT_BODY int64_t blocks() const { return count; }
  TAMRT_BODY int thread() const { return static_cast<int>(threadIdx.x); }
  TAMRT_BODY int threads() const { return static_cast<int>(blockDim.x); }
  TAMRT_BODY int64_t index() const { return block() * threads() + thread(); }
  TAMRT_BODY int64_t total() const { return blocks() * threads(); }

  template <class T> TAMRT_BODY T *view(const Buffer<T> &buffer) const {
    return buffer.data;
  }
  TAMRT_BODY double *shared(int first, int) const {
    extern __shared__ double memory[];
    return memory + first;
  }
  TAMRT_BODY void barrier() const { __syncthreads(); }
  TAMRT_BODY double shuffleDown(uint32_t mask, double x, int distance) const {
    return __shfl_down_sync(mask, x, distance);
  }
  TAMRT_BODY void fail(int32_t status, int64_t detail) const {
    if (atomicCAS(&slot.failure->status, 0, status) != 0)
      return;
    slot.failure->detail = detail;
    slot.mirror->detail = detail;
    slot.mirror->status = status;
  }

private:
  const FailureSlot &slot;
  uint32_t first, count;
};

#endif

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_BLOCK_H
