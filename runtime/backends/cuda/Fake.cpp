//===- cuda/Fake.cpp - a driver on the host -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/Fake.h"

#include "backends/cuda/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

using namespace tamrt::cuda;

namespace {

using Task = std::function<void()>;

/// A point in a stream.
struct Mark {
  uintptr_t stream;
  bool isReached = false;
};

struct Stream {
  int device;
  std::deque<Task> queue;
};

struct Event {
  int device;
  /// The last one that was recorded, if any.
  std::shared_ptr<Mark> mark;
};

/// A launch of a kernel, with its operands.
struct Launched {
  const fake::Kernel *kernel;
  Grid grid;
  std::vector<char> many;
};

struct Device {
  Memory memory;
  /// After an error of a kernel: what every call returns.
  cudaError_t broken = cudaSuccess;
};

struct Pinned {
  size_t bytes;
  char *memory;
};

/// Everything, under one mutex: one piece of work runs at a time.
struct Driver {
  explicit Driver(const fake::Settings &settings)
      : settings(settings),
        emulator(settings.order, settings.seed, settings.countsBanks) {
    for (int i = 0; i < settings.devices; ++i)
      devices.push_back({Memory(settings.memoryBytes, i)});
  }
  ~Driver() {
    for (const auto &[address, block] : pinned)
      std::free(block.memory);
  }

  const fake::Settings settings;
  Emulator emulator;
  std::vector<Device> devices;
  std::map<uintptr_t, Pinned> pinned;
  std::map<uintptr_t, Stream> streams;
  std::map<uintptr_t, Event> events;
  /// No handle is used twice, and none is an address.
  uintptr_t nextHandle = (uintptr_t(1) << 53) + 64;
  uint64_t calls = 0, waitingCopies = 0;
};

std::recursive_mutex mutex;
std::optional<Driver> driver;
std::set<const void *> kernels;
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

Device &device() { return driver->devices[size_t(current)]; }

void log(const std::string &what) {
  if (driver->settings.log)
    driver->settings.log(what);
}

cudaError_t fail(cudaError_t error) {
  if (error != cudaSuccess)
    last = error;
  return error;
}

/// An error of the caller.
cudaError_t fail(cudaError_t error, const char *call, const std::string &what) {
  log(std::string(call) + ": " + what);
  return fail(error);
}

/// The start of a call: it fails if it is its turn, or if the device is broken.
cudaError_t enter(const char *name) {
  const fake::Settings &settings = driver->settings;
  if (settings.failCall.empty() || settings.failCall == name) {
    ++driver->calls;
    if (settings.failAt > 0 && driver->calls >= settings.failAt &&
        driver->calls - settings.failAt < settings.failures) {
      const auto error = cudaError_t(settings.error);
      // Errors of kernels stay.
      if (error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchFailure &&
          !driver->devices.empty())
        device().broken = error;
      return fail(error);
    }
  }
  return driver->devices.empty() ? cudaSuccess : fail(device().broken);
}

#define TAMRT_ENTER(name)                                                      \
  const std::lock_guard lock(mutex);                                           \
  if (cudaError_t error = enter(#name); error != cudaSuccess)                  \
  return error

uintptr_t numberOf(const void *handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

template <class Handle, class Value>
Handle add(std::map<uintptr_t, Value> &all, Value value) {
  const uintptr_t handle = driver->nextHandle += 64;
  all.emplace(handle, std::move(value));
  return reinterpret_cast<Handle>(handle);
}

/// Null if there is none.
template <class Value>
Value *get(std::map<uintptr_t, Value> &all, const void *handle) {
  auto at = all.find(numberOf(handle));
  return at == all.end() ? nullptr : &at->second;
}

/// A stream of the current device.
Stream *streamOf(cudaStream_t handle, const char *call) {
  Stream *stream = get(driver->streams, handle);
  if (!stream)
    fail(cudaErrorInvalidResourceHandle, call, "there is no such stream");
  else if (stream->device != current)
    fail(cudaErrorInvalidResourceHandle, call,
         "the stream is one of another device");
  else
    return stream;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Work in streams
//===----------------------------------------------------------------------===//

/// Does the first piece of work in a stream.
void step(Stream &stream) {
  const Task task = std::move(stream.queue.front());
  stream.queue.pop_front();
  task();
}

void drain(Stream &stream) {
  while (!stream.queue.empty())
    step(stream);
}

/// Works until a point has been reached.
void await(const std::shared_ptr<Mark> &mark) {
  while (mark && !mark->isReached)
    step(driver->streams.at(mark->stream));
}

/// Adds work to a stream.
void put(Stream &stream, Task task) {
  stream.queue.push_back(std::move(task));
  const Order order = driver->settings.order;
  if (order == Order::Forward ||
      (order == Order::Random && driver->emulator.random() % 2 == 0))
    drain(stream);
}

/// Page-locked memory; null if it is other memory.
char *pinnedAt(const void *address, size_t bytes) {
  const uintptr_t number = numberOf(address);
  auto at = driver->pinned.upper_bound(number);
  if (at == driver->pinned.begin())
    return nullptr;
  --at;
  const size_t offset = number - at->first;
  return offset < at->second.bytes && bytes <= at->second.bytes - offset
             ? at->second.memory + offset
             : nullptr;
}

/// Where a kernel finds memory.
void *placeOf(Device &on, const void *address, size_t bytes, void *&records) {
  records = nullptr;
  if (on.memory.isOwn(address))
    return on.memory.find(address, bytes, records);
  if (void *memory = pinnedAt(address, bytes))
    return memory;
  throw Fault{Memory::isOfDevice(address)
                  ? "expected memory of the device, got another device's"
                  : "expected memory of the device, got the CPU's"};
}

/// Where a copy finds memory: any of the CPU.
void *placeOfCopy(Device &on, const void *address, size_t bytes) {
  void *records;
  return Memory::isOfDevice(address) ? placeOf(on, address, bytes, records)
                                     : const_cast<void *>(address);
}

/// Whether a copy of memory of the CPU may be made while the CPU goes on.
bool isPageable(const void *address, size_t bytes) {
  return !Memory::isOfDevice(address) && !pinnedAt(address, bytes);
}

/// Runs work on a device, unless it is broken.
template <class Work> void attempt(size_t index, const Work &work) {
  Device &on = driver->devices[index];
  if (on.broken != cudaSuccess)
    return;
  try {
    work(on);
  } catch (const Fault &fault) {
    log(fault.message);
    on.broken = cudaErrorLaunchFailure;
  }
}

/// Runs a part, unless its calls have failed before.
void run(Device &on, const fake::Kernel &kernel, const fake::Part &part) {
  void *records;
  auto *failure = static_cast<Failure *>(
      part.slot.failure
          ? placeOf(on, part.slot.failure, sizeof(Failure), records)
          : nullptr);
  if (failure && failure->status != 0)
    return;
  const Failure got = kernel.run(driver->emulator, part);
  if (got.status == 0)
    return;
  if (!failure)
    throw Fault{"kernel '" + std::string(kernel.name) +
                "' has no place for its failure"};
  *failure = got;
  *static_cast<Failure *>(
      placeOf(on, part.slot.mirror, sizeof(Failure), records)) = got;
}

/// Runs the parts of a launch, in an order of their own: a later one may be
/// first.
void run(Device &on, const Launched &launched) {
  driver->emulator.usePlaces(
      [&on](const void *address, size_t bytes, void *&found) {
        return placeOf(on, address, bytes, found);
      });
  std::vector<fake::Part> parts =
      launched.kernel->parts(launched.many.data(), launched.grid);
  const Order order = driver->settings.order;
  if (order == Order::Random)
    for (size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[driver->emulator.random() % i]);
  else if (order != Order::Forward)
    std::reverse(parts.begin(), parts.end());
  driver->emulator.beginLaunch();
  for (const fake::Part &part : parts)
    run(on, *launched.kernel, part);
}

/// A launch with copies of its arguments; false if it is not valid.
bool makeLaunch(const char *call, const void *kernel, dim3 blocks, dim3 threads,
                void **arguments, size_t shared, Launched &launched) {
  constexpr size_t kMostShared = size_t(48) << 10;
  if (kernels.count(kernel) == 0 || blocks.x == 0 || threads.x == 0 ||
      threads.x > 1024 || blocks.y != 1 || blocks.z != 1 || threads.y != 1 ||
      threads.z != 1 || shared > kMostShared) {
    fail(cudaErrorInvalidValue, call, "there is no such kernel or grid");
    return false;
  }
  launched.kernel = static_cast<const fake::Kernel *>(kernel);
  launched.grid = {int64_t(blocks.x), int(threads.x),
                   int(shared / sizeof(double))};
  const auto *many = static_cast<const char *>(arguments[0]);
  launched.many.assign(many, many + launched.kernel->bytes);
  int64_t blocksOfParts = 0;
  for (const fake::Part &part :
       launched.kernel->parts(launched.many.data(), launched.grid))
    blocksOfParts += part.grid.blocks;
  if (blocksOfParts != launched.grid.blocks) {
    fail(cudaErrorInvalidValue, call, "the calls have other blocks");
    return false;
  }
  return true;
}

} // namespace

//===----------------------------------------------------------------------===//
// Settings and counts
//===----------------------------------------------------------------------===//

void fake::start(const Settings &settings) {
  const std::lock_guard lock(mutex);
  driver.emplace(settings);
  current = 0;
  last = cudaSuccess;
}

const Counts &fake::counts() { return driver->emulator.counts(); }
uint64_t fake::calls() { return driver->calls; }
uint64_t fake::waitingCopies() { return driver->waitingCopies; }

const void *fake::add(const Kernel &kernel) {
  const std::lock_guard lock(mutex);
  kernels.insert(&kernel);
  return &kernel;
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

// NOLINTBEGIN: the names are those of CUDA.

extern "C" {

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define TAMRT_NAME(name)                                                       \
  case name:                                                                   \
    return #name
    TAMRT_NAME(cudaSuccess);
    TAMRT_NAME(cudaErrorInvalidValue);
    TAMRT_NAME(cudaErrorMemoryAllocation);
    TAMRT_NAME(cudaErrorInsufficientDriver);
    TAMRT_NAME(cudaErrorNoDevice);
    TAMRT_NAME(cudaErrorInvalidDevice);
    TAMRT_NAME(cudaErrorNoKernelImageForDevice);
    TAMRT_NAME(cudaErrorInvalidResourceHandle);
    TAMRT_NAME(cudaErrorNotReady);
    TAMRT_NAME(cudaErrorIllegalAddress);
    TAMRT_NAME(cudaErrorLaunchFailure);
#undef TAMRT_NAME
  default:
    return "cudaErrorUnknown";
  }
}

const char *cudaGetErrorString(cudaError_t) {
  return "the fake driver's error";
}

cudaError_t cudaGetLastError(void) { return std::exchange(last, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int *count) {
  TAMRT_ENTER(cudaGetDeviceCount);
  if (driver->settings.driver < fake::Settings().driver)
    return fail(cudaErrorInsufficientDriver);
  *count = int(driver->devices.size());
  return *count > 0 ? cudaSuccess : fail(cudaErrorNoDevice);
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = driver->settings.driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = fake::Settings().driver;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int index) {
  TAMRT_ENTER(cudaSetDevice);
  if (index < 0 || size_t(index) >= driver->devices.size())
    return fail(cudaErrorInvalidDevice, "cudaSetDevice",
                "there is no device " + std::to_string(index));
  current = index;
  return fail(device().broken);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  TAMRT_ENTER(cudaGetDeviceProperties);
  constexpr std::string_view name = "CUDA kernels in an emulator";
  std::memcpy(properties->name, name.data(), name.size() + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  TAMRT_ENTER(cudaDeviceGetAttribute);
  switch (attribute) {
  case cudaDevAttrComputeCapabilityMajor:
    *value = driver->settings.capability / 10;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    *value = driver->settings.capability % 10;
    return cudaSuccess;
  case cudaDevAttrCanMapHostMemory:
    *value = 1;
    return cudaSuccess;
  case cudaDevAttrMultiProcessorCount:
    *value = driver->settings.multiprocessors;
    return cudaSuccess;
  default:
    *value = 0;
    return cudaSuccess;
  }
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *kernel) {
  TAMRT_ENTER(cudaFuncGetAttributes);
  attributes->maxThreadsPerBlock = 1024;
  return kernels.count(kernel) ? cudaSuccess
                               : fail(cudaErrorNoKernelImageForDevice);
}

/// A multiprocessor has a block.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int, size_t) {
  TAMRT_ENTER(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = 1;
  return kernels.count(kernel) ? cudaSuccess
                               : fail(cudaErrorNoKernelImageForDevice);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  TAMRT_ENTER(cudaMemGetInfo);
  *free = size_t(device().memory.freeBytes());
  *total = size_t(device().memory.totalBytes());
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  TAMRT_ENTER(cudaMalloc);
  *memory = device().memory.allocate(bytes);
  return *memory ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

/// As CUDA, waits for all work of the device.
cudaError_t cudaFree(void *memory) {
  TAMRT_ENTER(cudaFree);
  if (!memory)
    return cudaSuccess;
  for (auto &[handle, stream] : driver->streams)
    if (stream.device == current)
      drain(stream);
  if (!device().memory.release(memory))
    return fail(cudaErrorInvalidValue, "cudaFree",
                "expected memory of the device, got another address");
  return fail(device().broken);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
  TAMRT_ENTER(cudaHostAlloc);
  constexpr size_t kPage = 4096;
  *memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!*memory)
    return fail(cudaErrorMemoryAllocation);
  driver->pinned[numberOf(*memory)] = {bytes, static_cast<char *>(*memory)};
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory) {
  TAMRT_ENTER(cudaFreeHost);
  for (auto &[handle, stream] : driver->streams)
    drain(stream);
  auto at = driver->pinned.find(numberOf(memory));
  if (at == driver->pinned.end())
    return fail(cudaErrorInvalidValue, "cudaFreeHost",
                "expected page-locked memory, got another address");
  std::free(at->second.memory);
  driver->pinned.erase(at);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **there, void *memory, unsigned) {
  TAMRT_ENTER(cudaHostGetDevicePointer);
  *there = memory;
  return pinnedAt(memory, 1) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind, cudaStream_t handle) {
  TAMRT_ENTER(cudaMemcpyAsync);
  Stream *stream = streamOf(handle, "cudaMemcpyAsync");
  if (!stream)
    return last;
  try {
    placeOfCopy(device(), to, bytes);
    placeOfCopy(device(), from, bytes);
  } catch (const Fault &fault) {
    return fail(cudaErrorInvalidValue, "cudaMemcpyAsync", fault.message);
  }
  if (isPageable(to, bytes)) {
    // It waits for the stream.
    ++driver->waitingCopies;
    drain(*stream);
    if (device().broken == cudaSuccess)
      std::memcpy(to, placeOfCopy(device(), from, bytes), bytes);
    return fail(device().broken);
  }
  std::shared_ptr<std::vector<char>> kept;
  if (isPageable(from, bytes)) {
    const auto *start = static_cast<const char *>(from);
    kept = std::make_shared<std::vector<char>>(start, start + bytes);
  }
  put(*stream, [=, index = size_t(current)] {
    attempt(index, [&](Device &on) {
      std::memcpy(placeOfCopy(on, to, bytes),
                  kept ? kept->data() : placeOfCopy(on, from, bytes), bytes);
    });
  });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t handle) {
  TAMRT_ENTER(cudaMemsetAsync);
  Stream *stream = streamOf(handle, "cudaMemsetAsync");
  if (!stream)
    return last;
  put(*stream, [=, index = size_t(current)] {
    attempt(index, [&](Device &on) {
      std::memset(on.memory.place(memory, bytes), value, bytes);
    });
  });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  TAMRT_ENTER(cudaStreamCreateWithFlags);
  *stream = add<cudaStream_t>(driver->streams, Stream{current, {}});
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  TAMRT_ENTER(cudaStreamDestroy);
  Stream *stream = streamOf(handle, "cudaStreamDestroy");
  if (!stream)
    return last;
  drain(*stream);
  driver->streams.erase(numberOf(handle));
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  TAMRT_ENTER(cudaStreamSynchronize);
  Stream *stream = streamOf(handle, "cudaStreamSynchronize");
  if (!stream)
    return last;
  drain(*stream);
  return fail(device().broken);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event,
                                unsigned) {
  TAMRT_ENTER(cudaStreamWaitEvent);
  Stream *stream = streamOf(handle, "cudaStreamWaitEvent");
  if (!stream)
    return last;
  Event *found = get(driver->events, event);
  if (!found)
    return fail(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent",
                "there is no such event");
  put(*stream, [mark = found->mark] { await(mark); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  TAMRT_ENTER(cudaEventCreateWithFlags);
  *event = add<cudaEvent_t>(driver->events, Event{current, nullptr});
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  TAMRT_ENTER(cudaEventDestroy);
  if (driver->events.erase(numberOf(event)) == 0)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventDestroy",
                "there is no such event");
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  TAMRT_ENTER(cudaEventRecord);
  Stream *stream = streamOf(handle, "cudaEventRecord");
  if (!stream)
    return last;
  Event *found = get(driver->events, event);
  if (!found || found->device != stream->device)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord",
                "there is no such event of the device");
  found->mark = std::make_shared<Mark>(Mark{numberOf(handle)});
  put(*stream, [mark = found->mark] { mark->isReached = true; });
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  TAMRT_ENTER(cudaEventQuery);
  const Event *found = get(driver->events, event);
  if (!found)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventQuery",
                "there is no such event");
  return !found->mark || found->mark->isReached ? cudaSuccess
                                                : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  TAMRT_ENTER(cudaEventSynchronize);
  const Event *found = get(driver->events, event);
  if (!found)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventSynchronize",
                "there is no such event");
  // Work may destroy the event.
  const std::shared_ptr<Mark> mark = found->mark;
  await(mark);
  return fail(device().broken);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads,
                             void **arguments, size_t shared,
                             cudaStream_t handle) {
  TAMRT_ENTER(cudaLaunchKernel);
  Stream *stream = streamOf(handle, "cudaLaunchKernel");
  Launched launched;
  if (!stream || !makeLaunch("cudaLaunchKernel", kernel, blocks, threads,
                             arguments, shared, launched))
    return last;
  put(*stream, [launched = std::move(launched), index = size_t(current)] {
    attempt(index, [&](Device &on) { run(on, launched); });
  });
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function,
                               void *argument) {
  TAMRT_ENTER(cudaLaunchHostFunc);
  Stream *stream = streamOf(handle, "cudaLaunchHostFunc");
  if (!stream)
    return last;
  put(*stream, [=, index = size_t(current)] {
    attempt(index, [&](Device &) { function(argument); });
  });
  return cudaSuccess;
}

} // extern "C"

// NOLINTEND
