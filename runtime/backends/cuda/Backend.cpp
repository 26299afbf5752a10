//===- cuda/Backend.cpp - the table of functions --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of tamrt/backend.h over Host.h, and steps as graphs: a step of
/// a batch is a graph of its kernels, which is launched as a whole. To make a
/// graph executable takes long, so each is kept and updated with the operands
/// of later batches.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Host.h"

#include <cstdio>
#include <new>
#include <string>

using namespace tamrt::cuda;

namespace {

/// A graph that can be launched, and the stream of its last launch.
struct Ready {
  int64_t nodes = 0;
  cudaGraphExec_t handle = nullptr;
  tamrt_stream *stream = nullptr;
};

} // namespace

struct tamrt_executable {
  const tamrt_step *step;
  std::mutex mutex;
  /// The last ones used come first.
  std::vector<Ready> graphs;
};

namespace {

/// Batches of as many calls have the same kernels. So many numbers of calls
/// are kept.
constexpr size_t kMostGraphs = 4;

/// Calls a function that returns a tamrt_status; it may throw std::bad_alloc.
template <class Function> int32_t guarded(const Function &function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return TAMRT_ERROR_OUT_OF_MEMORY;
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int64_t batch(tamrt_device *) { return mostCalls(); }

tamrt_executable *prepare(tamrt_device *, const tamrt_step *step) {
  return new (std::nothrow) tamrt_executable{step, {}, {}};
}

void drop(const Ready &ready) {
  // It may still run.
  if (ready.stream)
    TAMRT_CUDA(cudaStreamSynchronize, ready.stream->handle);
  TAMRT_CUDA(cudaGraphExecDestroy, ready.handle);
}

void discard(tamrt_device *device, tamrt_executable *executable) {
  device->use();
  for (const Ready &ready : executable->graphs)
    drop(ready);
  delete executable;
}

/// An executable graph like the one that was built: one of those kept, with
/// these operands, or a new one. It becomes the first.
int32_t makeReady(tamrt_executable &executable, const GraphBuilder &built) {
  std::vector<Ready> &graphs = executable.graphs;
  graphs.reserve(kMostGraphs + 1);
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i].nodes != built.nodes)
      continue;
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error =
        cudaGraphExecUpdate(graphs[i].handle, built.graph, &info);
    if (error == cudaSuccess) {
      std::swap(graphs[i], graphs.front());
      return TAMRT_OK;
    }
    if (error != cudaErrorGraphExecUpdateFailure)
      return check(error, "cudaGraphExecUpdate");
    // Another step would be a different executable, but another number of rows
    // may mean other kernels.
    cudaGetLastError();
  }
  Ready ready = {built.nodes};
  if (int32_t status =
          TAMRT_CUDA(cudaGraphInstantiate, &ready.handle, built.graph, 0))
    return status;
  graphs.insert(graphs.begin(), ready);
  if (graphs.size() > kMostGraphs) {
    drop(graphs.back());
    graphs.pop_back();
  }
  return TAMRT_OK;
}

/// A graph while it is built in a stream.
class Building {
public:
  explicit Building(tamrt_stream &stream) : stream(stream) {
    stream.graph = &graph;
  }
  ~Building() {
    stream.graph = nullptr;
    if (graph.graph)
      TAMRT_CUDA(cudaGraphDestroy, graph.graph);
  }
  Building(const Building &) = delete;
  Building &operator=(const Building &) = delete;

  GraphBuilder graph;

private:
  tamrt_stream &stream;
};

/// Launches a graph of a step for all calls. Calls that fail while it is built
/// leave no kernels in it: `calls` gets the others, for which it is to be built
/// once more if there are fewer.
int32_t launchGraph(tamrt_executable &executable,
                    std::vector<tamrt_call> &calls, tamrt_stream &stream) {
  const tamrt_launches &launches = *executable.step->launch_table;
  std::vector<tamrt_argument> scratch(
      size_t(launches.scratch + TAMRT_SPACES * int64_t(calls.size())));
  if (int32_t status = stream.makeRoom(int64_t(calls.size())))
    return status;
  Building building(stream);
  const GraphBuilder &built = building.graph;
  if (int32_t status = TAMRT_CUDA(cudaGraphCreate, &building.graph.graph, 0))
    return status;
  core->run_calls(&launches, scratch.data(), calls.data(),
                  int64_t(calls.size()));
  if (std::erase_if(calls,
                    [](const tamrt_call &call) {
                      return call.context->status != TAMRT_OK;
                    }) > 0 ||
      built.nodes == 0)
    return TAMRT_OK;
  const std::lock_guard lock(executable.mutex);
  if (int32_t status = makeReady(executable, built))
    return status;
  Ready &ready = executable.graphs.front();
  ready.stream = &stream;
  ++stream.device->launches;
  return TAMRT_CUDA(cudaGraphLaunch, ready.handle, stream.handle);
}

int32_t enqueue(tamrt_device *device, tamrt_executable *executable,
                const tamrt_call *calls, int64_t count, tamrt_stream *stream) {
  if (count < 1 || count > mostCalls())
    return TAMRT_ERROR_INVALID_ARGUMENT;
  if (int32_t status = device->use())
    return status;
  const tamrt_launches &launches = *executable->step->launch_table;
  return guarded([&] {
    // If there is no memory for them, nothing has been launched yet.
    int32_t status = device->copyConstants(launches.constants,
                                           size_t(launches.constant_bytes));
    if (status != TAMRT_OK)
      return status;
    std::vector<tamrt_call> good(calls, calls + count);
    if (!stream) {
      std::vector<tamrt_argument> scratch(
          size_t(launches.scratch + TAMRT_SPACES * count));
      core->run_calls(&launches, scratch.data(), good.data(), count);
      return status;
    }
    size_t before = 0;
    do {
      before = good.size();
      status = launchGraph(*executable, good, *stream);
    } while (status == TAMRT_OK && !good.empty() && good.size() < before);
    return status;
  });
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Why no device was found.
std::string reasonFor(cudaError_t error) {
  int driver = 0, runtime = 0;
  if (error != cudaErrorInsufficientDriver ||
      cudaDriverGetVersion(&driver) != cudaSuccess ||
      cudaRuntimeGetVersion(&runtime) != cudaSuccess)
    return describe(error, "cudaGetDeviceCount");
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." +
           std::to_string(number % 1000 / 10);
  };
  return driver == 0 ? "no driver for NVIDIA GPUs was found (libcuda.so.1)"
                     : "expected a driver for CUDA " + version(runtime) +
                           ", got one for " + version(driver);
}

int32_t probe(char *why, size_t whyBytes) {
  if (const std::string wrong = checkSettings(); !wrong.empty()) {
    std::snprintf(why, whyBytes, "%s", wrong.c_str());
    return 0;
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess)
    return count;
  cudaGetLastError();
  std::snprintf(why, whyBytes, "%s", reasonFor(error).c_str());
  return 0;
}

tamrt_device *open(int32_t index, char *why, size_t whyBytes) {
  std::string reason = "expected memory";
  std::unique_ptr<tamrt_device> device;
  const int32_t status = guarded([&] {
    device = std::make_unique<tamrt_device>(index);
    if (int32_t failed = device->open(reason))
      return failed;
    noteOpened(device.get());
    return int32_t(TAMRT_OK);
  });
  if (status == TAMRT_OK)
    return device.release();
  std::snprintf(why, whyBytes, "%s", reason.c_str());
  return nullptr;
}

void close(tamrt_device *device) {
  noteClosed(device);
  std::string line = kind();
  if (device->index > 0)
    line += ":" + std::to_string(device->index);
  line += ": " + std::to_string(device->launches) + " launches, " +
          std::to_string(device->copies) + " copies, " +
          std::to_string(device->uploadedBytes) + " bytes uploaded, " +
          std::to_string(device->downloadedBytes) + " downloaded";
  if (const std::string more = furtherCounts(); !more.empty())
    line += "; " + more;
  core->log(TAMRT_LOG_DEBUG, line.c_str());
  if (!device->isEmpty())
    complain("memory was never released");
  delete device;
}

const char *name(tamrt_device *device) { return device->name.c_str(); }

uint32_t traits(tamrt_device *device) { return device->traits; }

const tamrt_kernels *kernels(tamrt_device *device) { return &device->kernels; }

void countWork(tamrt_device *device, tamrt_device_counts *counts) {
  *counts = {device->launches, device->copies, device->uploadedBytes};
}

int32_t memory(tamrt_device *device, int64_t *freeBytes, int64_t *totalBytes) {
  size_t free = 0, total = 0;
  if (int32_t status = device->use())
    return status;
  if (int32_t status = TAMRT_CUDA(cudaMemGetInfo, &free, &total))
    return status;
  *freeBytes = int64_t(free);
  *totalBytes = int64_t(total);
  return TAMRT_OK;
}

void *allocate(tamrt_device *device, size_t bytes) {
  void *memory = nullptr;
  guarded([&] {
    memory = device->allocate(bytes);
    return TAMRT_OK;
  });
  return memory;
}

void release(tamrt_device *device, void *memory, size_t bytes) {
  device->release(memory, bytes);
}

void *allocatePinned(tamrt_device *device, size_t bytes) {
  void *memory = nullptr;
  guarded([&] {
    memory = device->allocatePinned(bytes);
    return TAMRT_OK;
  });
  return memory;
}

void releasePinned(tamrt_device *device, void *memory, size_t) {
  device->releasePinned(memory);
}

int32_t copyAll(tamrt_device *device, const tamrt_copy *copies, int64_t count,
                tamrt_stream *stream) {
  return guarded([&]() -> int32_t {
    if (stream)
      return stream->copyAll(copies, count);
    const std::lock_guard lock(device->quietMutex);
    const int32_t status = device->quiet->copyAll(copies, count);
    const int32_t done = device->quiet->synchronize();
    return status != TAMRT_OK ? status : done;
  });
}

int32_t copy(tamrt_device *device, void *to, const void *from, size_t bytes,
             tamrt_stream *stream) {
  const tamrt_copy one = {to, from, bytes};
  return copyAll(device, &one, 1, stream);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

tamrt_stream *createStream(tamrt_device *device) {
  std::unique_ptr<tamrt_stream> stream;
  const int32_t status = guarded([&] {
    stream = std::make_unique<tamrt_stream>(device);
    return stream->open();
  });
  return status == TAMRT_OK ? stream.release() : nullptr;
}

void destroyStream(tamrt_device *, tamrt_stream *stream) { delete stream; }

int32_t synchronize(tamrt_device *, tamrt_stream *stream) {
  return stream->synchronize();
}

tamrt_event *createEvent(tamrt_device *device) {
  std::unique_ptr<tamrt_event> event(new (std::nothrow) tamrt_event);
  if (!event || device->use() != TAMRT_OK ||
      TAMRT_CUDA(cudaEventCreateWithFlags, &event->handle,
                 cudaEventDisableTiming) != TAMRT_OK)
    return nullptr;
  return event.release();
}

void destroyEvent(tamrt_device *device, tamrt_event *event) {
  device->use();
  TAMRT_CUDA(cudaEventDestroy, event->handle);
  delete event;
}

int32_t recordEvent(tamrt_device *device, tamrt_event *event,
                    tamrt_stream *stream) {
  if (int32_t status = device->use())
    return status;
  return TAMRT_CUDA(cudaEventRecord, event->handle, stream->handle);
}

/// An error counts as happened: what waits goes on and finds it.
int32_t queryEvent(tamrt_device *device, tamrt_event *event) {
  if (device->use() != TAMRT_OK)
    return 1;
  const cudaError_t error = cudaEventQuery(event->handle);
  if (error == cudaErrorNotReady) {
    cudaGetLastError();
    return 0;
  }
  check(error, "cudaEventQuery");
  return 1;
}

int32_t synchronizeEvent(tamrt_device *device, tamrt_event *event) {
  if (int32_t status = device->use())
    return status;
  return TAMRT_CUDA(cudaEventSynchronize, event->handle);
}

int32_t waitForEvent(tamrt_device *device, tamrt_stream *stream,
                     tamrt_event *event) {
  if (int32_t status = device->use())
    return status;
  return TAMRT_CUDA(cudaStreamWaitEvent, stream->handle, event->handle, 0);
}

tamrt_backend makeTable() {
  tamrt_backend table = {};
  table.version = TAMRT_BACKEND_VERSION;
  table.abi_version = TAMRT_ABI_VERSION;
  table.kind = kind();
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
  if (mostCalls() > 0) {
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
  if (from->version != TAMRT_BACKEND_VERSION ||
      from->abi_version != TAMRT_ABI_VERSION)
    return nullptr;
  core = from;
  // A search for devices while one is open changes nothing.
  if (!isAnyOpen())
    start(*from);
  static const tamrt_backend table = makeTable();
  return &table;
}
