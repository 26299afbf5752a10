//===- cuda/Host.cpp - devices and launches -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/Host.h"
#include "backends/cuda/LaunchSupport.h"
#include "backends/cuda/Sums.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <set>

namespace tamrt::cuda {

const tamrt_core *core = nullptr;

/// The oldest devices that the kernels are compiled for.
static constexpr int kMajor = 7, kMinor = 5;

/// Constants that are copied one by one share blocks of this size.
static constexpr size_t kSlabBytes = size_t(16) << 10;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string describe(cudaError_t error, const char *call) {
  return std::string(call) + ": " + cudaGetErrorName(error) + ": " +
         cudaGetErrorString(error);
}

int32_t check(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return TAMRT_OK;
  // Otherwise a later call would report it once more.
  cudaGetLastError();
  const bool ranOut = error == cudaErrorMemoryAllocation;
  static std::mutex mutex;
  static std::set<cudaError_t> told;
  bool isNew = false;
  {
    // After some errors every call fails.
    const std::lock_guard lock(mutex);
    isNew = told.insert(error).second;
  }
  core->log(ranOut  ? TAMRT_LOG_INFO
            : isNew ? TAMRT_LOG_ERROR
                    : TAMRT_LOG_DEBUG,
            (std::string(kind()) + ": " + describe(error, call)).c_str());
  return ranOut ? TAMRT_ERROR_OUT_OF_MEMORY : TAMRT_ERROR_DEVICE;
}

void complain(const std::string &what) {
  core->log(TAMRT_LOG_ERROR, (std::string(kind()) + ": " + what).c_str());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Blocks::add(const void *start, size_t bytes, void *onDevice) {
  blocks[reinterpret_cast<uintptr_t>(start)] = {bytes, onDevice};
}

bool Blocks::remove(const void *start) {
  return blocks.erase(reinterpret_cast<uintptr_t>(start)) > 0;
}

size_t Blocks::bytesFrom(const void *address, void **onDevice) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  auto at = blocks.upper_bound(number);
  if (at == blocks.begin())
    return 0;
  --at;
  const size_t offset = number - at->first;
  if (offset >= at->second.bytes)
    return 0;
  if (onDevice)
    *onDevice = static_cast<char *>(at->second.onDevice) + offset;
  return at->second.bytes - offset;
}

//===----------------------------------------------------------------------===//
// Open devices
//===----------------------------------------------------------------------===//

static std::mutex openMutex;
static std::vector<tamrt_device *> openDevices;

void noteOpened(tamrt_device *device) {
  const std::lock_guard lock(openMutex);
  openDevices.push_back(device);
}

void noteClosed(tamrt_device *device) {
  const std::lock_guard lock(openMutex);
  std::erase(openDevices, device);
}

bool isAnyOpen() {
  const std::lock_guard lock(openMutex);
  return !openDevices.empty();
}

/// The device with a table of kernels: a kernel without a stream says no other.
static tamrt_device *deviceWith(const tamrt_kernels *kernels) {
  const std::lock_guard lock(openMutex);
  for (tamrt_device *device : openDevices)
    if (&device->kernels == kernels)
      return device;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

HostLauncher::HostLauncher(tamrt_context *ctx)
    : ctx(ctx), stream(static_cast<tamrt_stream *>(ctx->device)) {
  if (!stream) {
    tamrt_device *device = deviceWith(ctx->kernels);
    if (!device) {
      complain("a kernel without a stream, whose context has the kernels of "
               "no open device");
      fail(TAMRT_ERROR_DEVICE, 0);
      return;
    }
    quiet = std::unique_lock(device->quietMutex);
    stream = device->quiet.get();
  }
  // A batch has chosen the device.
  if (stream->batch) {
    own = &stream->batch->of(ctx);
    return;
  }
  if (int32_t status = stream->device->use())
    fail(status, 0);
}

HostLauncher::~HostLauncher() {
  if (!quiet)
    return;
  if (int32_t status = stream->synchronize())
    fail(status, 0);
}

void HostLauncher::fail(int32_t status, int64_t detail) {
  core->fail(ctx, status, detail);
}

const void *HostLauncher::find(const void *address, size_t bytes,
                               bool isWritten) {
  const void *found = nullptr;
  if (!stream)
    return nullptr;
  try {
    if (own && !own->pending.isEmpty())
      if (own->pending.adds(address, bytes) ||
          (isWritten && own->pending.reads(address, bytes)))
        flush(own->pending);
    // Blocks of a batch stay as they are.
    if (bytes <= bytesFrom(address))
      return address;
    if (int32_t status = stream->device->find(address, bytes, found))
      fail(status, int64_t(bytes));
  } catch (const std::bad_alloc &) {
    fail(TAMRT_ERROR_OUT_OF_MEMORY, int64_t(bytes));
  }
  return found;
}

size_t HostLauncher::bytesFrom(const void *address) const {
  if (!stream)
    return 0;
  return own ? own->bytesFrom(*stream->device, address)
             : stream->device->bytesFrom(address);
}

Segments HostLauncher::segments(int64_t rows) const {
  if (!own || !own->call->segments)
    return {1, rows};
  return {(rows + TAMRT_SEGMENT_ROWS - 1) / TAMRT_SEGMENT_ROWS,
          TAMRT_SEGMENT_ROWS};
}

SegmentSums HostLauncher::sums(double *address, int64_t count, double unit) {
  SegmentSums result = {buffer(address, count), {}};
  if (!own || !own->call->segments || count == 0)
    return result;
  const tamrt_call &call = *own->call;
  const int64_t first = address - static_cast<double *>(call.state);
  const int64_t stride = call.segment_bytes / int64_t(sizeof(double));
  const int64_t others = segments(call.rows).count - 1;
  if (first < 0 || first + count > stride) {
    complain("a call of several segments adds to sums that are not in its "
             "state");
    fail(TAMRT_ERROR_DEVICE, 0);
    return result;
  }
  result.stride = stride;
  result.further = buffer(static_cast<double *>(call.segments) + first,
                          (others - 1) * stride + count);
  for (const TouchedSums &each : own->touched)
    result.adds |=
        each.first < first + count && first < each.first + each.count;
  try {
    if (!result.adds)
      own->touched.push_back({first, count, unit});
  } catch (const std::bad_alloc &) {
    fail(TAMRT_ERROR_OUT_OF_MEMORY, 0);
  }
  return result;
}

void HostLauncher::flush(PendingSums &pending) {
  pending.flush([&](const Grid &grid, const AddRows &body) {
    launch(rowSumsKernel(), grid, &body);
  });
}

void HostLauncher::add(const RowProduct &product, const SegmentSums &sums) {
  PendingSums alone;
  PendingSums &pending = own ? own->pending : alone;
  try {
    auto [start, end] = pending.range();
    start = start ? std::min(start, static_cast<const double *>(sums.own.data))
                  : sums.own.data;
    end = std::max<const double *>(end, sums.own.data + sums.own.count);
    if (!pending.agrees(product, sums) ||
        bytesFrom(start) < size_t(end - start) * sizeof(double))
      flush(pending);
    pending.add(product, segments(product.rows), sums);
    if (!own)
      flush(pending);
  } catch (const std::bad_alloc &) {
    fail(TAMRT_ERROR_OUT_OF_MEMORY, 0);
  }
}

/// Sums that follow each other are joined together, with what lies between
/// them.
void HostLauncher::finish() {
  if (!own)
    return;
  try {
    flush(own->pending);
    if (own->touched.empty())
      return;
    constexpr int64_t kGap = TAMRT_ALIGNMENT / int64_t(sizeof(double));
    std::vector<TouchedSums> all;
    std::swap(all, own->touched);
    std::sort(all.begin(), all.end(),
              [](const TouchedSums &a, const TouchedSums &b) {
                return a.first < b.first;
              });
    for (size_t i = 0; i < all.size();) {
      TouchedSums joined = all[i];
      for (++i; i < all.size() && all[i].unit == joined.unit &&
                all[i].first <= joined.first + joined.count + kGap;
           ++i)
        joined.count = all[i].first + all[i].count - joined.first;
      const SegmentSums sums = this->sums(
          static_cast<double *>(own->call->state) + joined.first, joined.count);
      const JoinSegments body = {sums, joined.count,
                                 segments(own->call->rows).count, joined.unit};
      launch(joinSegmentsKernel(), gridFor(joined.count), &body);
    }
  } catch (const std::bad_alloc &) {
    fail(TAMRT_ERROR_OUT_OF_MEMORY, 0);
  }
}

/// Whether a launch of Zero continues the last one: it then zeroes both, and
/// what is between them in the same memory.
static bool extends(const HostLauncher &launcher, CallLaunch &last,
                    const Zero &next) {
  constexpr int64_t kGap = TAMRT_ALIGNMENT / int64_t(sizeof(double));
  Zero both;
  std::memcpy(&both, last.operands.data(), sizeof both);
  const int64_t gap = next.out.data - (both.out.data + both.count);
  const int64_t count = both.count + gap + next.count;
  if (gap < 0 || gap >= kGap ||
      launcher.bytesFrom(both.out.data) < size_t(count) * sizeof(double))
    return false;
  both.count = both.out.count = count;
  std::memcpy(last.operands.data(), &both, sizeof both);
  last.grid = gridFor(count);
  return true;
}

void HostLauncher::launch(const Kernel &kernel, const Grid &grid,
                          const void *body) {
  // After an error no launch runs.
  if (grid.blocks == 0 ||
      __atomic_load_n(&ctx->status, __ATOMIC_RELAXED) != TAMRT_OK)
    return;
  try {
    FailureSlot slot;
    int32_t status = stream->slotOf(ctx, slot);
    if (status == TAMRT_OK && !own) {
      status = launchIn(*stream, kernel, grid, body, slot);
      if (status == TAMRT_OK)
        ++stream->device->launches;
    }
    if (status != TAMRT_OK)
      return fail(status, 0);
    if (!own)
      return;
    if (&kernel == &zeroKernel() && !own->launches.empty() &&
        own->launches.back().kernel == &kernel &&
        extends(*this, own->launches.back(), *static_cast<const Zero *>(body)))
      return;
    const auto *bytes = static_cast<const std::byte *>(body);
    own->launches.push_back(
        {&kernel, grid, slot, {bytes, bytes + kernel.bodyBytes}});
  } catch (const std::bad_alloc &) {
    return fail(TAMRT_ERROR_OUT_OF_MEMORY, 0);
  }
}

int32_t launchIn(tamrt_stream &stream, const Kernel &kernel, const Grid &grid,
                 const void *body, FailureSlot slot) {
  const auto *bytes = static_cast<const std::byte *>(body);
  const CallLaunch one = {
      &kernel, grid, slot, {bytes, bytes + kernel.bodyBytes}};
  const CallLaunch *const part = &one;
  return kernel.launch(kernel, {&part, 1}, stream.handle);
}

CallBatch::CallBatch(const std::vector<tamrt_call> &calls) {
  for (const tamrt_call &call : calls)
    inOrder.push_back(&works.try_emplace(call.context, call).first->second);
}

size_t CallWork::bytesFrom(const tamrt_device &device, const void *address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  for (const Range &range : known)
    if (number >= range.start && number < range.end)
      return range.end - number;
  const size_t bytes = device.bytesFrom(address);
  if (bytes > 0) {
    known[nextKnown] = {number, number + bytes};
    nextKnown = (nextKnown + 1) % known.size();
  }
  return bytes;
}

int32_t CallBatch::launch(tamrt_stream &stream) {
  bool hasBegun = false;
  int32_t status = TAMRT_ERROR_OUT_OF_MEMORY;
  try {
    status = launchEach(stream, hasBegun);
  } catch (const std::bad_alloc &) {
  }
  return hasBegun && status == TAMRT_ERROR_OUT_OF_MEMORY ? TAMRT_ERROR_DEVICE
                                                         : status;
}

/// Each launch executes the next bodies of as many calls as possible. Blocks
/// that take long are at most as many as the device executes at once: a few
/// more would take as long as all of them.
int32_t CallBatch::launchEach(tamrt_stream &stream, bool &hasBegun) {
  std::vector<size_t> next(inOrder.size(), 0);
  std::vector<const CallLaunch *> parts;
  const auto nextOf = [&](size_t i) -> const CallLaunch * {
    return next[i] < inOrder[i]->launches.size()
               ? &inOrder[i]->launches[next[i]]
               : nullptr;
  };
  for (size_t first = 0; first < inOrder.size();) {
    const CallLaunch *const one = nextOf(first);
    if (!one) {
      ++first;
      continue;
    }
    parts.clear();
    int64_t left = one->kernel->isLong
                       ? stream.device->blocksAtOnce(*one->kernel, one->grid)
                       : std::numeric_limits<int64_t>::max();
    for (size_t i = first; i < inOrder.size(); ++i) {
      const CallLaunch *const each = nextOf(i);
      if (!each || each->kernel != one->kernel ||
          each->grid.threads != one->grid.threads ||
          each->grid.shared != one->grid.shared ||
          parts.size() == one->kernel->most ||
          (!parts.empty() && each->grid.blocks > left))
        continue;
      parts.push_back(each);
      left -= each->grid.blocks;
      ++next[i];
    }
    if (int32_t status =
            one->kernel->launch(*one->kernel, parts, stream.handle))
      return status;
    hasBegun = true;
    ++stream.device->launches;
  }
  return TAMRT_OK;
}

} // namespace tamrt::cuda

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

using namespace tamrt::cuda;

int32_t tamrt_device::open(std::string &why) {
  const auto attempt = [&](cudaError_t error, const char *call) {
    if (error == cudaSuccess)
      return true;
    why = describe(error, call);
    cudaGetLastError();
    return false;
  };
#define TAMRT_TRY(call, ...)                                                   \
  if (!attempt(call(__VA_ARGS__), #call))                                      \
  return TAMRT_ERROR_DEVICE
  TAMRT_TRY(cudaSetDevice, index);
  // This makes the runtime begin its work on the device.
  TAMRT_TRY(cudaFree, nullptr);
  cudaDeviceProp properties = {};
  TAMRT_TRY(cudaGetDeviceProperties, &properties, index);
  name = properties.name;
  int major = 0, minor = 0, isIntegrated = 0, maps = 0;
  TAMRT_TRY(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor,
            index);
  TAMRT_TRY(cudaDeviceGetAttribute, &minor, cudaDevAttrComputeCapabilityMinor,
            index);
  TAMRT_TRY(cudaDeviceGetAttribute, &isIntegrated, cudaDevAttrIntegrated,
            index);
  TAMRT_TRY(cudaDeviceGetAttribute, &maps, cudaDevAttrCanMapHostMemory, index);
  if (std::pair(major, minor) < std::pair(kMajor, kMinor)) {
    why = "expected compute capability " + std::to_string(kMajor) + "." +
          std::to_string(kMinor) + " or newer, got " + std::to_string(major) +
          "." + std::to_string(minor);
    return TAMRT_ERROR_DEVICE;
  }
  if (!maps) {
    why = "expected a device that can address page-locked memory";
    return TAMRT_ERROR_DEVICE;
  }
  TAMRT_TRY(cudaDeviceGetAttribute, &multiprocessors,
            cudaDevAttrMultiProcessorCount, index);
  cudaFuncAttributes attributes = {};
  TAMRT_TRY(cudaFuncGetAttributes, &attributes, zeroKernel().function);
#undef TAMRT_TRY
  if (isIntegrated)
    traits |= TAMRT_DEVICE_SHARES_RAM;
  // A constant of a model that is copied in the middle of a step may find no
  // memory. Steps that run as a whole find it before they begin.
  traits |= mostCalls() == 0 ? TAMRT_DEVICE_KERNELS_MAY_RUN_OUT
                             : TAMRT_DEVICE_JOINS_SEGMENTS;
  kernels = launchTable();
  if (TAMRT_CUDA(cudaStreamCreateWithFlags, &uploads, cudaStreamNonBlocking)) {
    why = "a stream cannot be created";
    return TAMRT_ERROR_DEVICE;
  }
  quiet = std::make_unique<tamrt_stream>(this);
  if (int32_t status = quiet->open()) {
    why = status == TAMRT_ERROR_OUT_OF_MEMORY
              ? "expected " + std::to_string(kStreamBytes) +
                    " bytes of memory for a stream, got less"
              : "a stream cannot be created";
    return status;
  }
  return TAMRT_OK;
}

tamrt_device::~tamrt_device() {
  cudaSetDevice(index);
  quiet.reset();
  if (uploads)
    TAMRT_CUDA(cudaStreamDestroy, uploads);
  for (void *slab : slabs)
    TAMRT_CUDA(cudaFree, slab);
}

int64_t tamrt_device::blocksAtOnce(const Kernel &kernel,
                                   const Grid &grid) const {
  int blocks = 0;
  if (TAMRT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &blocks,
                 kernel.function, grid.threads,
                 size_t(grid.shared) * sizeof(double)) != TAMRT_OK)
    return 1;
  return std::max<int64_t>(int64_t(blocks) * multiprocessors, 1);
}

void *tamrt_device::allocate(size_t bytes) {
  void *memory = nullptr;
  if (use() != TAMRT_OK || TAMRT_CUDA(cudaMalloc, &memory, bytes) != TAMRT_OK)
    return nullptr;
  const std::unique_lock lock(mutex);
  blocks.add(memory, bytes);
  return memory;
}

void tamrt_device::release(void *memory, size_t bytes) {
  {
    const std::unique_lock lock(mutex);
    if (blocks.bytesFrom(memory) != bytes || !blocks.remove(memory))
      return complain("released what was not allocated");
  }
  use();
  TAMRT_CUDA(cudaFree, memory);
}

void *tamrt_device::allocatePinned(size_t bytes) {
  void *memory = nullptr, *there = nullptr;
  if (use() != TAMRT_OK ||
      TAMRT_CUDA(cudaHostAlloc, &memory, bytes,
                 cudaHostAllocPortable | cudaHostAllocMapped) != TAMRT_OK)
    return nullptr;
  if (TAMRT_CUDA(cudaHostGetDevicePointer, &there, memory, 0) != TAMRT_OK) {
    TAMRT_CUDA(cudaFreeHost, memory);
    return nullptr;
  }
  const std::unique_lock lock(mutex);
  pinned.add(memory, bytes, there);
  return memory;
}

void tamrt_device::releasePinned(void *memory) {
  {
    const std::unique_lock lock(mutex);
    pinned.remove(memory);
  }
  use();
  TAMRT_CUDA(cudaFreeHost, memory);
}

size_t tamrt_device::bytesFrom(const void *address) const {
  const std::shared_lock lock(mutex);
  return blocks.bytesFrom(address);
}

void *tamrt_device::onDevice(const void *address, size_t bytes) const {
  const std::shared_lock lock(mutex);
  void *there = nullptr;
  return pinned.bytesFrom(address, &there) >= bytes ? there : nullptr;
}

void tamrt_device::countCopy(int64_t uploaded, int64_t downloaded) {
  ++copies;
  uploadedBytes += uploaded;
  downloadedBytes += downloaded;
}

/// The copy of a constant; null if there is none. Called with the mutex locked.
const void *tamrt_device::copyOf(const void *address, size_t bytes) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (auto blob = blobs.upper_bound(number); blob != blobs.begin()) {
    --blob;
    const size_t offset = number - blob->first;
    if (offset < blob->second.first && bytes <= blob->second.first - offset)
      return blob->second.second + offset;
  }
  auto one = constants.find({address, bytes});
  return one == constants.end() ? nullptr : one->second;
}

int32_t tamrt_device::find(const void *address, size_t bytes,
                           const void *&found) {
  {
    const std::shared_lock lock(mutex);
    if (const size_t there = blocks.bytesFrom(address)) {
      found = address;
      if (bytes <= there)
        return TAMRT_OK;
      complain("expected " + std::to_string(bytes) + " bytes of memory, got " +
               std::to_string(there));
      return TAMRT_ERROR_DEVICE;
    }
    if ((found = copyOf(address, bytes)))
      return TAMRT_OK;
  }
  if (!address) {
    complain("expected memory, got none");
    return TAMRT_ERROR_DEVICE;
  }
  const std::unique_lock lock(mutex);
  // Another thread may have copied it meanwhile.
  if ((found = copyOf(address, bytes)))
    return TAMRT_OK;
  return copyConstant(address, bytes, found);
}

/// Copies a constant, with the mutex locked.
int32_t tamrt_device::copyConstant(const void *address, size_t bytes,
                                   const void *&found) {
  const size_t whole =
      (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
  if (whole > slabBytes - slabUsed) {
    const size_t most = std::max(whole, kSlabBytes);
    slabs.reserve(slabs.size() + 1);
    void *slab = nullptr;
    if (int32_t status = TAMRT_CUDA(cudaMalloc, &slab, most))
      return status;
    slabs.push_back(slab);
    slabUsed = 0;
    slabBytes = most;
  }
  char *memory = static_cast<char *>(slabs.back()) + slabUsed;
  int32_t status = TAMRT_CUDA(cudaMemcpyAsync, memory, address, bytes,
                              cudaMemcpyDefault, uploads);
  if (status == TAMRT_OK)
    status = TAMRT_CUDA(cudaStreamSynchronize, uploads);
  if (status != TAMRT_OK)
    return status;
  countCopy(int64_t(bytes), 0);
  slabUsed += whole;
  constants[{address, bytes}] = memory;
  found = memory;
  return TAMRT_OK;
}

int32_t tamrt_device::copyConstants(const void *start, size_t bytes) {
  const auto number = reinterpret_cast<uintptr_t>(start);
  const auto isThere = [&] {
    auto at = blobs.find(number);
    return bytes == 0 || (at != blobs.end() && at->second.first >= bytes);
  };
  {
    const std::shared_lock lock(mutex);
    if (isThere())
      return TAMRT_OK;
  }
  const std::unique_lock lock(mutex);
  if (isThere())
    return TAMRT_OK;
  const void *found = nullptr;
  if (int32_t status = copyConstant(start, bytes, found))
    return status;
  blobs[number] = {bytes, static_cast<const char *>(found)};
  return TAMRT_OK;
}
