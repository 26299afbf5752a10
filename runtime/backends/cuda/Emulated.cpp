//===- cuda/Emulated.cpp - the backend cuda-emulated ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device that executes the bodies of the CUDA kernels in the emulator. Its
/// settings are environment variables that it reads when it is loaded:
///
///     TAMRT_EMULATOR_ORDER=NAME    forward, backward, warps, random; forward
///     TAMRT_EMULATOR_SEED=N        of random orders; 0
///     TAMRT_EMULATOR_MEMORY=BYTES  all of its memory; 1 GiB
///     TAMRT_EMULATOR_LACKS=NAMES   kernels that it does not have
///     TAMRT_EMULATOR_BATCH=N       calls of a step that it runs together; 16;
///                                  0: launches kernels one by one
///     TAMRT_EMULATOR_BANKS=1       counts bank conflicts
///
/// A step of a batch is captured as a graph of its kernels, which is launched
/// as a whole.
///
/// The order is also that of streams: `forward` does work in a stream at once,
/// `backward` and `warps` when somebody waits for it, `random` one or the
/// other. Everything runs in the threads of the caller, one launch at a time.
/// When the device is closed, it logs its counts (TAMRT_LOG=debug).
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Emulator.h"
#include "backends/cuda/Launches.h"
#include "backends/cuda/Memory.h"

#include "tamrt/backend.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace tamrt::cuda;

/// A point in a stream; the streams that wait for it share it.
struct Mark {
  tamrt_stream *stream;
  bool isReached = false;
};

struct tamrt_event {
  /// The last one that was recorded, if any.
  std::shared_ptr<Mark> mark;
};

using Task = std::function<void()>;

/// Work that is done in its order.
struct tamrt_stream {
  std::deque<Task> queue;
  /// While work is captured: where it is added instead.
  std::vector<Task> *graph = nullptr;
};

struct tamrt_executable {
  const tamrt_step *step;
};

struct tamrt_device {
  explicit tamrt_device(int64_t total) : memory(total) {}

  Memory memory;
  /// Launches of kernels that are in no graph, and of graphs.
  uint64_t launches = 0;
  uint64_t copies = 0, uploadedBytes = 0, downloadedBytes = 0;
};

namespace {

const tamrt_core *core = nullptr;
/// One launch, copy or change of a queue at a time.
std::mutex mutex;
std::optional<Emulator> emulator;
/// The only device: a kernel without a stream does not say which it is for.
tamrt_device *opened = nullptr;
tamrt_kernels kernelTable;

int64_t number(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoll(text, nullptr, 10) : otherwise;
}

void logFault(const Fault &fault) {
  core->log(TAMRT_LOG_ERROR, ("cuda-emulated: " + fault.message).c_str());
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Does the first piece of work in a stream.
void step(tamrt_stream &stream) {
  const Task task = std::move(stream.queue.front());
  stream.queue.pop_front();
  task();
}

void drain(tamrt_stream &stream) {
  while (!stream.queue.empty())
    step(stream);
}

/// Works until a point has been reached.
void await(const std::shared_ptr<Mark> &mark) {
  while (mark && !mark->isReached)
    step(*mark->stream);
}

/// Adds work to a stream; without one does it at once.
void put(tamrt_stream *stream, Task task) {
  if (!stream)
    return task();
  if (stream->graph)
    return stream->graph->push_back(std::move(task));
  stream->queue.push_back(std::move(task));
  const Order order = emulator->order();
  if (order == Order::Forward ||
      (order == Order::Random && emulator->random() % 2 == 0))
    drain(*stream);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Executes bodies in the emulator (Launches.h).
class EmulatedLauncher {
public:
  explicit EmulatedLauncher(tamrt_context *ctx) : ctx(ctx), lock(mutex) {}

  template <class T> Buffer<T> buffer(T *address, int64_t count) {
    Buffer<T> result = {nullptr, count, nullptr};
    if (count == 0)
      return {};
    try {
      result.data = static_cast<T *>(
          opened->memory.find(address, size_t(count) * sizeof(T),
                              result.records, opened->uploadedBytes));
    } catch (const Fault &fault) {
      logFault(fault);
      fail(TAMRT_ERROR_DEVICE, 0);
    }
    return result;
  }

  /// All from an address on, of an operand whose size the kernel is not told.
  template <class T> Buffer<T> rest(T *address) {
    return buffer(address,
                  int64_t(opened->memory.bytesFrom(address) / sizeof(T)));
  }

  template <class Body> void operator()(const Grid &grid, const Body &body) {
    if (grid.blocks == 0 || !isGood(ctx))
      return;
    auto *stream = static_cast<tamrt_stream *>(ctx->device);
    if (!stream || !stream->graph)
      ++opened->launches;
    put(stream, [ctx = ctx, grid, body] {
      // After an error no launch runs.
      if (!isGood(ctx))
        return;
      try {
        const Failure failure = emulator->run(grid, body);
        if (failure.status != TAMRT_OK)
          core->fail(ctx, failure.status, failure.detail);
      } catch (const Fault &fault) {
        logFault(fault);
        core->fail(ctx, TAMRT_ERROR_DEVICE, 0);
      }
    });
  }

  void fail(int32_t status, int64_t detail) { core->fail(ctx, status, detail); }

private:
  static bool isGood(const tamrt_context *ctx) {
    return __atomic_load_n(&ctx->status, __ATOMIC_RELAXED) == TAMRT_OK;
  }

  tamrt_context *ctx;
  std::lock_guard<std::mutex> lock;
};

const tamrt_kernels *kernels(tamrt_device *) { return &kernelTable; }

constexpr int64_t kBatch = 16;

int64_t batch(tamrt_device *) { return number("TAMRT_EMULATOR_BATCH", kBatch); }

tamrt_executable *prepare(tamrt_device *, const tamrt_step *step) {
  return new (std::nothrow) tamrt_executable{step};
}
void discard(tamrt_device *, tamrt_executable *executable) {
  delete executable;
}

/// Captures what the kernels of a step launch for all calls, and launches it as
/// one graph.
int32_t enqueue(tamrt_device *device, tamrt_executable *executable,
                const tamrt_call *calls, int64_t count, tamrt_stream *stream) {
  if (count < 1 || count > batch(device))
    return TAMRT_ERROR_INVALID_ARGUMENT;
  const tamrt_launches &launches = *executable->step->launch_table;
  try {
    std::vector<Task> graph;
    {
      std::lock_guard lock(mutex);
      stream->graph = &graph;
    }
    std::vector<tamrt_argument> scratch(
        size_t(launches.scratch + TAMRT_SPACES * count));
    core->run_calls(&launches, scratch.data(), calls, count);
    std::lock_guard lock(mutex);
    stream->graph = nullptr;
    ++device->launches;
    put(stream, [graph = std::move(graph)] {
      for (const Task &task : graph)
        task();
    });
  } catch (const std::bad_alloc &) {
    std::lock_guard lock(mutex);
    stream->graph = nullptr;
    return TAMRT_ERROR_OUT_OF_MEMORY;
  }
  return TAMRT_OK;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

int32_t probe(char *why, size_t whyBytes) {
  if (emulator)
    return 1;
  std::snprintf(why, whyBytes,
                "expected forward, backward, warps or random as "
                "TAMRT_EMULATOR_ORDER, got '%s'",
                std::getenv("TAMRT_EMULATOR_ORDER"));
  return 0;
}

tamrt_device *open(int32_t, char *why, size_t whyBytes) {
  std::lock_guard lock(mutex);
  if (opened) {
    std::snprintf(why, whyBytes, "the device is in use");
    return nullptr;
  }
  const int64_t total = number("TAMRT_EMULATOR_MEMORY", int64_t(1) << 30);
  if (total < 0) {
    std::snprintf(why, whyBytes, "expected a size as TAMRT_EMULATOR_MEMORY");
    return nullptr;
  }
  opened = new tamrt_device(total);
  return opened;
}

void close(tamrt_device *device) {
  std::lock_guard lock(mutex);
  const Counts &counts = emulator->counts();
  char line[320];
  std::snprintf(
      line, sizeof(line),
      "cuda-emulated: %llu launches, %llu kernels, %llu blocks, %llu barriers, "
      "%llu copies, "
      "%llu bytes uploaded, %llu downloaded, %llu read, %llu written, %llu "
      "bank "
      "conflicts",
      (unsigned long long)device->launches, (unsigned long long)counts.launches,
      (unsigned long long)counts.blocks, (unsigned long long)counts.barriers,
      (unsigned long long)device->copies,
      (unsigned long long)device->uploadedBytes,
      (unsigned long long)device->downloadedBytes,
      (unsigned long long)counts.readBytes,
      (unsigned long long)counts.writtenBytes,
      (unsigned long long)counts.bankConflicts);
  core->log(TAMRT_LOG_DEBUG, line);
  if (device->memory.usedBytes() != 0)
    core->log(TAMRT_LOG_ERROR, "cuda-emulated: memory was never released");
  opened = nullptr;
  delete device;
}

const char *name(tamrt_device *) { return "CUDA kernels in an emulator"; }

void countWork(tamrt_device *device, tamrt_device_counts *counts) {
  std::lock_guard lock(mutex);
  *counts = {int64_t(device->launches), int64_t(device->copies),
             int64_t(device->uploadedBytes)};
}

/// The CPU cannot address the memory.
uint32_t traits(tamrt_device *) { return 0; }

int32_t memory(tamrt_device *device, int64_t *freeBytes, int64_t *totalBytes) {
  std::lock_guard lock(mutex);
  *freeBytes = device->memory.freeBytes();
  *totalBytes = device->memory.totalBytes();
  return TAMRT_OK;
}

void *allocate(tamrt_device *device, size_t bytes) {
  std::lock_guard lock(mutex);
  return device->memory.allocate(bytes);
}

void release(tamrt_device *device, void *memory, size_t bytes) {
  std::lock_guard lock(mutex);
  if (!device->memory.release(memory, bytes))
    core->log(TAMRT_LOG_ERROR,
              "cuda-emulated: released what was not allocated");
}

int32_t copyAll(tamrt_device *device, const tamrt_copy *copies, int64_t count,
                tamrt_stream *stream) {
  std::lock_guard lock(mutex);
  try {
    std::vector<tamrt_copy> all(copies, copies + count);
    for (tamrt_copy &each : all) {
      if (Memory::isOfDevice(each.to) && !Memory::isOfDevice(each.from))
        device->uploadedBytes += each.bytes;
      if (!Memory::isOfDevice(each.to))
        device->downloadedBytes += each.bytes;
      each.to = device->memory.place(each.to, each.bytes);
      each.from = device->memory.place(each.from, each.bytes);
    }
    ++device->copies;
    put(stream, [all = std::move(all)] {
      for (const tamrt_copy &each : all)
        std::memcpy(each.to, each.from, each.bytes);
    });
    return TAMRT_OK;
  } catch (const Fault &fault) {
    logFault(fault);
    return TAMRT_ERROR_DEVICE;
  } catch (const std::bad_alloc &) {
    return TAMRT_ERROR_OUT_OF_MEMORY;
  }
}

int32_t copy(tamrt_device *device, void *to, const void *from, size_t bytes,
             tamrt_stream *stream) {
  const tamrt_copy one = {to, from, bytes};
  return copyAll(device, &one, 1, stream);
}

tamrt_stream *createStream(tamrt_device *) { return new tamrt_stream; }
void destroyStream(tamrt_device *, tamrt_stream *stream) { delete stream; }

int32_t synchronize(tamrt_device *, tamrt_stream *stream) {
  std::lock_guard lock(mutex);
  drain(*stream);
  return TAMRT_OK;
}

tamrt_event *createEvent(tamrt_device *) { return new tamrt_event; }
void destroyEvent(tamrt_device *, tamrt_event *event) { delete event; }

int32_t recordEvent(tamrt_device *, tamrt_event *event, tamrt_stream *stream) {
  std::lock_guard lock(mutex);
  event->mark = std::make_shared<Mark>(Mark{stream});
  put(stream, [mark = event->mark] { mark->isReached = true; });
  return TAMRT_OK;
}

int32_t queryEvent(tamrt_device *, tamrt_event *event) {
  std::lock_guard lock(mutex);
  return !event->mark || event->mark->isReached;
}

int32_t synchronizeEvent(tamrt_device *, tamrt_event *event) {
  std::lock_guard lock(mutex);
  await(event->mark);
  return TAMRT_OK;
}

int32_t waitForEvent(tamrt_device *, tamrt_stream *stream, tamrt_event *event) {
  std::lock_guard lock(mutex);
  put(stream, [mark = event->mark] { await(mark); });
  return TAMRT_OK;
}

void *allocatePinned(tamrt_device *, size_t bytes) {
  return std::aligned_alloc(TAMRT_ALIGNMENT, (bytes + TAMRT_ALIGNMENT - 1) /
                                                 TAMRT_ALIGNMENT *
                                                 TAMRT_ALIGNMENT);
}
void releasePinned(tamrt_device *, void *block, size_t) { std::free(block); }

tamrt_backend makeTable() {
  tamrt_backend table = {};
  table.version = TAMRT_BACKEND_VERSION;
  table.abi_version = TAMRT_ABI_VERSION;
  table.kind = "cuda-emulated";
  table.probe = probe;
  table.open = open;
  table.close = close;
  table.name = name;
  table.traits = traits;
  table.memory = memory;
  table.allocate = allocate;
  table.release = release;
  table.copy = copy;
  table.kernels = kernels;
  table.stream_create = createStream;
  table.stream_destroy = destroyStream;
  table.synchronize = synchronize;
  table.event_create = createEvent;
  table.event_destroy = destroyEvent;
  table.event_record = recordEvent;
  table.event_query = queryEvent;
  table.event_synchronize = synchronizeEvent;
  table.stream_wait = waitForEvent;
  table.pinned_allocate = allocatePinned;
  table.pinned_release = releasePinned;
  table.copy_all = copyAll;
  table.counts = countWork;
  if (number("TAMRT_EMULATOR_BATCH", kBatch) > 0) {
    table.prepare = prepare;
    table.discard = discard;
    table.enqueue = enqueue;
    table.batch = batch;
  }
  return table;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const tamrt_backend *
tamrt_backend_register(const tamrt_core *from) {
  core = from;
  if (from->version != TAMRT_BACKEND_VERSION ||
      from->abi_version != TAMRT_ABI_VERSION)
    return nullptr;
  static const tamrt_backend table = makeTable();
  // A search for devices while one is open changes nothing.
  std::lock_guard lock(mutex);
  if (opened)
    return &table;
  kernelTable = makeKernels<EmulatedLauncher>();
  const char *list = std::getenv("TAMRT_EMULATOR_LACKS");
  const std::string lacking = "," + std::string(list ? list : "") + ",";
#define TAMRT_KERNEL(name, ...)                                                \
  if (lacking.find("," #name ",") != std::string::npos)                        \
    kernelTable.name = nullptr;
#include "tamrt/kernels.def"
  const char *name = std::getenv("TAMRT_EMULATOR_ORDER");
  Order order = Order::Forward;
  emulator.reset();
  if (!name || !*name || parseOrder(name, order))
    emulator.emplace(order, uint64_t(number("TAMRT_EMULATOR_SEED", 0)),
                     number("TAMRT_EMULATOR_BANKS", 0) != 0);
  return &table;
}
