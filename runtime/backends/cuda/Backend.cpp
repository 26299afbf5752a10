//===- cuda/Backend.cpp - the table of functions --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of tamrt/backend.h over Host.h.
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Host.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

using namespace tamrt::cuda;

struct tamrt_executable {
  const tamrt_step *step;
};

namespace {

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
  return new (std::nothrow) tamrt_executable{step};
}

void discard(tamrt_device *, tamrt_executable *executable) {
  delete executable;
}

/// Makes a stream note what the calls of a batch launch.
class Noting {
public:
  Noting(tamrt_stream &stream, CallBatch &batch) : stream(stream) {
    stream.batch = &batch;
  }
  ~Noting() { stream.batch = nullptr; }
  Noting(const Noting &) = delete;
  Noting &operator=(const Noting &) = delete;

private:
  tamrt_stream &stream;
};

/// Launches a step for all calls. Calls that fail before that launch nothing:
/// `calls` gets the others, for which it is to be done once more if there are
/// fewer.
int32_t launchCalls(tamrt_executable &executable,
                    std::vector<tamrt_call> &calls, tamrt_stream &stream) {
  const tamrt_launches &launches = *executable.step->launch_table;
  std::vector<tamrt_argument> scratch(
      size_t(launches.scratch + TAMRT_SPACES * int64_t(calls.size())));
  if (int32_t status = stream.makeRoom(int64_t(calls.size())))
    return status;
  CallBatch batch(calls);
  {
    const Noting noting(stream, batch);
    core->run_calls(&launches, scratch.data(), calls.data(),
                    int64_t(calls.size()));
    for (const tamrt_call &call : calls)
      HostLauncher(call.context).finish();
  }
  if (std::any_of(calls.begin(), calls.end(), [](const tamrt_call &call) {
        return call.context->status != TAMRT_OK;
      })) {
    std::erase_if(calls, [](const tamrt_call &call) {
      return call.context->status != TAMRT_OK;
    });
    return TAMRT_OK;
  }
  return batch.launch(stream);
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
    // Kernels without a stream are launched one by one.
    if (!stream &&
        std::any_of(good.begin(), good.end(), [](const tamrt_call &call) {
          return call.segments != nullptr;
        }))
      return int32_t(TAMRT_ERROR_INVALID_ARGUMENT);
    if (!stream) {
      std::vector<tamrt_argument> scratch(
          size_t(launches.scratch + TAMRT_SPACES * count));
      core->run_calls(&launches, scratch.data(), good.data(), count);
      return status;
    }
    size_t before = 0;
    do {
      before = good.size();
      status = launchCalls(*executable, good, *stream);
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
