//===- torch/Torch.cpp - devices of LibTorch as a backend -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The backend `torch`: its kernels are ATen operations (docs/backends.md). It
/// reads these environment variables when it is loaded; most are for tests:
///
///     TAMRT_TORCH_RESERVE=BYTES    for temporary tensors; 256 MiB
///     TAMRT_TORCH_MEMORY=BYTES     all memory of each device
///     TAMRT_TORCH_LACKS=NAMES      kernels that it does not have, separated by
///                                  commas, or `binary64`
///     TAMRT_TORCH_FAIL=K           allocation K, counted from 1, fails
///     TAMRT_TORCH_FAIL_RESERVE=K   allocation K of kernels lacks memory
///     TAMRT_TORCH_FAIL_KERNEL=K    kernel K lacks memory
///     TAMRT_TORCH_FAIL_COPY=K      copy K lacks memory
///
//===----------------------------------------------------------------------===//

#include "backends/torch/Kernels.h"
#include "backends/torch/Memory.h"
#include "backends/torch/Narrow.h"
#include "backends/torch/Reserve.h"
#include "backends/torch/TorchDevices.h"
#include "core/device/BackendSettings.h"

#include "tamrt/backend.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace tamrt::aten;

struct tamrt_device {
  TorchDevice torch;
  std::string name;
  std::atomic<int64_t> launches = 0, copies = 0, uploadedBytes = 0;
  std::atomic<int64_t> usedBytes = 0;
};

namespace {

const tamrt_core *core = nullptr;
/// Kernels run one after another: ATen gets one thread.
std::mutex kernelMutex;
std::vector<TorchDevice> devices;
/// All devices' together: what is to fail is counted so.
std::atomic<int64_t> launches = 0, allocations = 0, copies = 0;
bool lacksBinary64 = false;
int64_t failAllocation = 0, failKernel = 0, failCopy = 0;
/// Bytes of memory of each device; negative: what it has.
int64_t memoryLimit = -1;
Bodies bodies, narrowBodies;
tamrt_kernels kernelTable, narrowTable;
tamrt::BackendSettings settings;

void log(tamrt_log_level level, const std::string &line) {
  core->log(level, line.c_str());
}

/// What an exception says, in one line.
std::string messageOf(const std::exception &error) {
  const auto *of = dynamic_cast<const c10::Error *>(&error);
  std::string text = of ? of->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

/// Does work of LibTorch; returns a status instead of throwing. What failed in
/// LibTorch is in `why`, or else in the log.
template <class Work>
int32_t guarded(const Work &work, std::string *why = nullptr) {
  try {
    // A setting of each thread.
    at::set_num_threads(1);
    c10::InferenceMode guard;
    work();
    return TAMRT_OK;
  } catch (const std::bad_alloc &) {
    return TAMRT_ERROR_OUT_OF_MEMORY;
  } catch (const c10::OutOfMemoryError &) {
    return TAMRT_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    if (why)
      *why = messageOf(error);
    else
      log(TAMRT_LOG_ERROR, "torch: " + messageOf(error));
    return TAMRT_ERROR_DEVICE;
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// An address of a device among a kernel's arguments; null if there is none.
const void *deviceAddress() { return nullptr; }
template <class First, class... Rest>
const void *deviceAddress(First first, Rest... rest) {
  if constexpr (std::is_pointer_v<First>)
    if (isOfDevice(first))
      return first;
  return deviceAddress(rest...);
}

/// Runs the body of a kernel for the device of its arguments.
template <class Body, class... Arguments>
void launch(tamrt_context *ctx, const Body &body, Arguments... arguments) {
  if (ctx->status != TAMRT_OK)
    return;
  if (++launches == failKernel)
    return core->fail(ctx, TAMRT_ERROR_OUT_OF_MEMORY, 4096);
  std::lock_guard lock(kernelMutex);
  Failure failure = {TAMRT_OK, 0};
  const int32_t status = guarded([&] {
    try {
      tamrt_device &device = memory().ownerOf(deviceAddress(arguments...));
      ++device.launches;
      setDevice(device.torch.device);
      ReserveScope scope;
      body(arguments...);
    } catch (const Failure &found) {
      failure = found;
    }
  });
  if (failure.status != TAMRT_OK)
    core->fail(ctx, failure.status, failure.detail);
  else if (status != TAMRT_OK)
    core->fail(ctx, status, int64_t(reserveBytes()));
}

/// Copies of the blocks of a kernel's arguments in memory of the CPU.
class Copies {
public:
  /// The argument for a kernel of the CPU.
  template <class Type> Type here(Type argument) {
    if constexpr (std::is_pointer_v<Type>) {
      if constexpr (std::is_pointer_v<std::remove_pointer_t<Type>>)
        return argument;
      else
        return isOfDevice(argument) ? place(argument) : argument;
    } else {
      return argument;
    }
  }
  /// The buffers of a list.
  std::vector<const double *> list(const double *const *all, int64_t count) {
    std::vector<const double *> buffers;
    for (int64_t i = 0; i < count; ++i)
      buffers.push_back(here(all[i]));
    return buffers;
  }
  /// Writes what kernels may have written.
  void finish() {
    for (auto &[start, copy] : blocks)
      if (copy.isWritten)
        copy.there.copy_(copy.bytes);
  }

private:
  struct Copy {
    at::Tensor there, bytes;
    bool isWritten = false;
  };

  template <class Number> Number *place(Number *address) {
    const auto [block, start] = memory().blockOf(address);
    Copy &copy = blocks[start];
    if (!copy.bytes.defined())
      copy = {block, block.cpu().clone(), false};
    copy.isWritten |= !std::is_const_v<Number>;
    return reinterpret_cast<Number *>(
        copy.bytes.data_ptr<uint8_t>() +
        (reinterpret_cast<uintptr_t>(address) - start));
  }

  std::map<uintptr_t, Copy> blocks;
};

template <class Function> struct Kernel;
template <class... Arguments>
struct Kernel<void (*)(tamrt_context *, Arguments...)> {
  template <const Bodies &all, auto member>
  static void call(tamrt_context *ctx, Arguments... arguments) {
    launch(ctx, all.*member, arguments...);
  }

  /// On a device without binary64: the CPU's kernel on copies of its blocks.
  template <auto member>
  static void onCpu(tamrt_context *ctx, Arguments... arguments) {
    launch(
        ctx,
        [](Arguments... given) {
          Copies copies;
          tamrt_context own = {};
          run<member>(&own, copies, copies.here(given)...);
          if (own.status != TAMRT_OK)
            throw Failure{tamrt_status(own.status), own.detail};
          copies.finish();
        },
        arguments...);
  }

private:
  template <auto member>
  static void run(tamrt_context *own, Copies &copies, Arguments... given) {
    auto arguments = std::make_tuple(given...);
    std::vector<const double *> list;
    replaceList<0>(arguments, copies, list);
    std::apply([&](auto... now) { (core->cpu_kernels->*member)(own, now...); },
               arguments);
  }
  template <size_t i, class All>
  static void replaceList(All &arguments, Copies &copies,
                          std::vector<const double *> &list) {
    if constexpr (i < std::tuple_size_v<All>) {
      if constexpr (std::is_same_v<std::tuple_element_t<i, All>,
                                   const double *const *>) {
        list = copies.list(std::get<i>(arguments), std::get<i + 1>(arguments));
        std::get<i>(arguments) = list.data();
      } else {
        replaceList<i + 1>(arguments, copies, list);
      }
    }
  }
};

/// cholesky_solve in binary32, with the CPU's as a last resort.
void solveNarrow(int64_t n, double *a, double *b, double *) {
  if (!narrow::cholesky_solve(n, a, b, core->cpu_kernels->cholesky_solve))
    log(TAMRT_LOG_INFO, "torch: a matrix is too ill-conditioned for binary32: "
                        "the CPU factors it");
}

/// The kernels that have a body.
template <const Bodies &all> tamrt_kernels makeKernelTable() {
  tamrt_kernels table = {};
#define TAMRT_KERNEL(name, ...)                                                \
  if (all.name)                                                                \
    table.name =                                                               \
        Kernel<decltype(tamrt_kernels::name)>::call<all, &Bodies::name>;
#include "tamrt/kernels.def"
  return table;
}

/// Sets the kernels that the user has listed to null.
void remove(tamrt_kernels &table, const std::string &lacking) {
#define TAMRT_KERNEL(name, ...)                                                \
  if (lacking.find("," #name ",") != std::string::npos)                        \
    table.name = nullptr;
#include "tamrt/kernels.def"
}

void makeKernels() {
  bodies = narrowBodies = {};
  addAssembly(bodies);
  addEncodings(bodies);
  addFeatures(bodies);
  addInference(bodies);
  addPoints(bodies);
  addSolving(bodies);
  addSums(bodies);
  narrowBodies.rhs_dense = narrow::rhs_dense;
  narrowBodies.cholesky_solve = solveNarrow;
  kernelTable = makeKernelTable<bodies>();
  narrowTable = makeKernelTable<narrowBodies>();
  // What a fit solves with, from sums of the CPU.
#define TAMRT_ON_CPU(name)                                                     \
  narrowTable.name =                                                           \
      Kernel<decltype(tamrt_kernels::name)>::onCpu<&tamrt_kernels::name>;
  TAMRT_ON_CPU(assemble_matrix)
  TAMRT_ON_CPU(assemble_vector)
  TAMRT_ON_CPU(penalty_values)
  TAMRT_ON_CPU(add_penalty)
#undef TAMRT_ON_CPU
  const char *list = std::getenv("TAMRT_TORCH_LACKS");
  const std::string lacking = "," + std::string(list ? list : "") + ",";
  remove(kernelTable, lacking);
  remove(narrowTable, lacking);
  lacksBinary64 = lacking.find(",binary64,") != std::string::npos;
}

const tamrt_kernels *kernels(tamrt_device *device) {
  return lacksBinary64 || !hasBinary64(device->torch.device) ? &narrowTable
                                                             : &kernelTable;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int32_t probe(char *why, size_t whyBytes) {
  std::string failed = "no memory";
  const int32_t status = guarded(
      [] {
        if (devices.empty())
          devices = findDevices();
      },
      &failed);
  if (status != TAMRT_OK)
    std::snprintf(why, whyBytes, "LibTorch cannot tell its devices: %s",
                  failed.c_str());
  return int32_t(devices.size());
}

const char *label(int32_t index) { return devices[size_t(index)].name.c_str(); }

tamrt_device *open(int32_t index, char *why, size_t whyBytes) {
  const int64_t bytes = settings.number("TAMRT_TORCH_RESERVE",
                                        int64_t(256) << 20, TAMRT_ALIGNMENT);
  const int64_t failReserve = settings.number("TAMRT_TORCH_FAIL_RESERVE", 0);
  if (!settings.wrong().empty()) {
    std::snprintf(why, whyBytes, "%s", settings.wrong().c_str());
    return nullptr;
  }
  tamrt_device *device = nullptr;
  std::string failed = "expected " + std::to_string(bytes) +
                       " bytes of memory for temporary tensors, got less";
  const int32_t status = guarded(
      [&] {
        makeReserve(size_t(bytes), failReserve);
        const TorchDevice &of = devices[size_t(index)];
        device = new tamrt_device{of, "LibTorch " TAMRT_TORCH_VERSION " on " +
                                          of.description};
      },
      &failed);
  if (status != TAMRT_OK)
    std::snprintf(why, whyBytes, "%s", failed.c_str());
  return device;
}

void close(tamrt_device *device) {
  const ReserveCounts counts = reserveCounts();
  log(TAMRT_LOG_DEBUG,
      "torch:" + device->torch.name + ": " + std::to_string(device->launches) +
          " kernels, " + std::to_string(device->copies) + " copies, " +
          std::to_string(counts.allocations) + " temporary tensors, " +
          std::to_string(counts.peakBytes) + " of " +
          std::to_string(reserveBytes()) + " bytes at most, " +
          std::to_string(counts.refused) + " refused");
  if (device->usedBytes != 0)
    log(TAMRT_LOG_ERROR, "torch: memory was never released");
  delete device;
}

const char *name(tamrt_device *device) { return device->name.c_str(); }

/// The CPU cannot address the memory, as on a GPU.
uint32_t traits(tamrt_device *device) {
  uint32_t all = TAMRT_DEVICE_KERNELS_MAY_RUN_OUT;
  if (device->torch.device.is_cpu() || device->torch.device.is_mps())
    all |= TAMRT_DEVICE_SHARES_RAM;
  return all;
}

void countWork(tamrt_device *device, tamrt_device_counts *counts) {
  *counts = {device->launches, device->copies, device->uploadedBytes};
}

/// Where the memory is not the CPU's, the reserve is no part of it.
int64_t reserveOf(tamrt_device *device) {
  return traits(device) & TAMRT_DEVICE_SHARES_RAM ? int64_t(reserveBytes()) : 0;
}

int32_t memoryOfDevice(tamrt_device *device, int64_t *freeBytes,
                       int64_t *totalBytes) {
  return guarded([&] {
    const int64_t limit = memoryLimit;
    const TorchMemory found =
        limit < 0 ? memoryOf(device->torch.device) : TorchMemory{limit, limit};
    *totalBytes = found.totalBytes;
    *freeBytes = found.freeBytes;
    // The others say what is free now.
    if (limit >= 0 || device->torch.device.is_cpu())
      *freeBytes = std::max<int64_t>(0, found.totalBytes - device->usedBytes);
  });
}

void *allocate(tamrt_device *device, size_t bytes) {
  if (++allocations == failAllocation)
    return nullptr;
  int64_t free = 0, total = 0;
  if (memoryOfDevice(device, &free, &total) != TAMRT_OK ||
      int64_t(bytes) > free)
    return nullptr;
  void *block = nullptr;
  guarded(
      [&] { block = memory().allocate(*device, device->torch.device, bytes); });
  if (block)
    device->usedBytes += int64_t(bytes);
  return block;
}

void release(tamrt_device *device, void *block, size_t bytes) {
  guarded([&] {
    if (memory().release(block, bytes))
      device->usedBytes -= int64_t(bytes);
    else
      log(TAMRT_LOG_ERROR, "torch: released what was not allocated");
  });
}

/// Copies wait, so that the streams of LibTorch need no others.
int32_t copy(tamrt_device *device, void *to, const void *from, size_t bytes,
             tamrt_stream *) {
  if (++copies == failCopy)
    return TAMRT_ERROR_OUT_OF_MEMORY;
  if (bytes == 0)
    return TAMRT_OK;
  ++device->copies;
  if (isOfDevice(to) && !isOfDevice(from))
    device->uploadedBytes += int64_t(bytes);
  return guarded([&] {
    auto bytesAt = [&](const void *address) {
      return isOfDevice(address)
                 ? memory().view(address, at::kByte, {int64_t(bytes)}, {},
                                 device->torch.device)
                 : at::from_blob(const_cast<void *>(address), {int64_t(bytes)},
                                 at::TensorOptions(at::kCPU).dtype(at::kByte));
    };
    bytesAt(to).copy_(bytesAt(from));
  });
}

void purgeDevice(tamrt_device *device) {
  guarded([&] { purge(device->torch.device); });
}

tamrt_backend makeTable() {
  tamrt_backend table = {};
  table.version = TAMRT_BACKEND_VERSION;
  table.abi_version = TAMRT_ABI_VERSION;
  table.kind = "torch";
  table.probe = probe;
  table.open = open;
  table.close = close;
  table.name = name;
  table.traits = traits;
  table.memory = memoryOfDevice;
  table.allocate = allocate;
  table.release = release;
  table.copy = copy;
  table.kernels = kernels;
  table.purge = purgeDevice;
  table.counts = countWork;
  table.reserve = reserveOf;
  table.label = label;
  return table;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const tamrt_backend *
tamrt_backend_register(const tamrt_core *from) {
  core = from;
  if (from->version != TAMRT_BACKEND_VERSION ||
      from->abi_version != TAMRT_ABI_VERSION)
    return nullptr;
  launches = allocations = copies = 0;
  settings = {};
  failAllocation = settings.number("TAMRT_TORCH_FAIL", 0);
  failKernel = settings.number("TAMRT_TORCH_FAIL_KERNEL", 0);
  failCopy = settings.number("TAMRT_TORCH_FAIL_COPY", 0);
  memoryLimit = settings.number("TAMRT_TORCH_MEMORY", -1);
  makeKernels();
  static const tamrt_backend table = makeTable();
  return &table;
}
