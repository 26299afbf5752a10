//===- sim/Sim.cpp - a simulated device that can fail ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device that runs on the CPU with its own memory and can be made to fail at
/// any point of a test. Built only with the tests. Its settings are environment
/// variables that it reads when it is loaded:
///
///     TAMRT_SIM_MEMORY=BYTES     all of its memory; 1 GiB
///     TAMRT_SIM_LARGEST=BYTES    largest free block: how fragmented it is
///     TAMRT_SIM_RESERVE=BYTES    what its kernels take beside the plan; 0
///     TAMRT_SIM_TAKEN=BYTES      what others have taken when it is opened
///     TAMRT_SIM_TAKEN_FOR=N      they give it back when the device has been
///                                asked N times for its free memory; never
///     TAMRT_SIM_FAIL=K           allocation K, counted from 1, fails
///     TAMRT_SIM_FAIL_LATER=1     and all later ones of over half its size
///     TAMRT_SIM_FAIL_KERNEL=K    kernel K, counted from 1, lacks memory
///     TAMRT_SIM_FAIL_KERNELS=N   and the N-1 after it
///     TAMRT_SIM_KERNEL=NAME      only launches of this kernel count
///     TAMRT_SIM_FAIL_COPY=K      copy K, counted from 1, fails
///     TAMRT_SIM_FAIL_COPIES=N    and the N-1 after it
///     TAMRT_SIM_COPY_STATUS=S    with this tamrt_status; 2, out of memory
///     TAMRT_SIM_FAIL_WAIT=K      wait K for a stream, counted from 1, reports
///                                that it lacked memory, after the work
///     TAMRT_SIM_WITHOUT=LIST     absent: streams, pinned, copies (copy_all),
///                                the trait of kernels that may run out
///                                (shortage)
///     TAMRT_SIM_LACKS=KERNELS    absent, separated by commas
///     TAMRT_SIM_BATCH=N          runs steps as a whole, N calls together
///     TAMRT_SIM_BATCH_STRIDE=N   each call of a batch after the first reads
///                                the columns of the call N before it
///     TAMRT_SIM_DELAY=N          work in streams begins N microseconds late
///     TAMRT_SIM_BROKEN=KERNEL    rhs_dense or cholesky_solve does nothing
///     TAMRT_SIM_KEEPS=1          what is released stays taken until a purge
///     TAMRT_SIM_OPAQUE=1         the CPU cannot address the memory
///     TAMRT_SIM_DEVICES=N        how many there are; 1
///     TAMRT_SIM_KIND=NAME        the kind that the backend says it is; sim
///
/// Opaque memory has addresses that no program can access (they have a bit
/// above those of user space), so that any access except by a kernel or a copy
/// of this device crashes. A launch clears the bit in the addresses of its
/// buffers. Addresses without it are those of the model's constants, which
/// kernels may read (tamrt/backend.h).
///
/// Streams are threads, which start when work has to wait; the library also
/// exports `tamrt_sim_hold`, which pauses one, and `tamrt_sim_call`, which
/// calls a function in one.
///
//===----------------------------------------------------------------------===//

#include "core/device/BackendSettings.h"

#include "tamrt/backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

using Task = std::function<void()>;

/// The wait before each task of a stream.
static std::chrono::microseconds delay{0};

/// A queue of work and the thread that executes it.
struct tamrt_stream {
  explicit tamrt_stream(tamrt_device *device) : device(device) {}
  ~tamrt_stream() {
    {
      std::lock_guard lock(mutex);
      ends = true;
      held = false;
    }
    changed.notify_all();
    if (worker.joinable())
      worker.join();
  }

  /// Adds work to the queue. Without a delay the caller does it if the stream
  /// is idle and the work does not wait for others: to wake the thread takes
  /// longer than most work.
  void put(Task task, bool waits = false) {
    std::unique_lock lock(mutex);
    if (waits || held || busy || !queue.empty() || delay.count() > 0) {
      queue.push_back(std::move(task));
      if (!worker.joinable())
        worker = std::thread([this] { work(); });
    } else {
      busy = true;
      lock.unlock();
      task();
      lock.lock();
      busy = false;
    }
    changed.notify_all();
  }

  void hold(bool yes) {
    {
      std::lock_guard lock(mutex);
      held = yes;
    }
    changed.notify_all();
  }

  void synchronize() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return queue.empty() && !busy; });
  }

  tamrt_device *const device;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> queue;
  bool held = false, ends = false, busy = false;

private:
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] {
        return !busy && (ends || (!held && !queue.empty()));
      });
      if (queue.empty())
        return;
      Task task = std::move(queue.front());
      queue.pop_front();
      busy = true;
      lock.unlock();
      if (delay.count() > 0)
        std::this_thread::sleep_for(delay);
      task();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  std::thread worker;
};

struct tamrt_event {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0, happened = 0;

  void happen(uint64_t which) {
    // A thread that sees the event may destroy it, so nothing is accessed after
    // this.
    std::lock_guard lock(mutex);
    happened = std::max(happened, which);
    changed.notify_all();
  }
  void wait(uint64_t which) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return happened >= which; });
  }
};

/// A step, with the memory for a batch of its calls.
struct tamrt_executable {
  const tamrt_step *step;
  int64_t batch;
};

struct tamrt_device {
  int64_t free() const { return total - used - taken; }

  std::mutex mutex;
  int64_t total = 0, largest = 0, used = 0, peak = 0;
  /// Bytes that others have taken, until `takenFor` more questions.
  int64_t taken = 0, takenFor = 0;
  /// Bytes of `used` that a purge returns.
  int64_t kept = 0;
  uint64_t calls = 0, failures = 0;
  uint64_t failAt = 0;
  bool failsLater = false, opaque = false, keeps = false;
  int64_t batch = 1, batchStride = 0, reserve = 0;
  size_t failedBytes = 0;
  std::unordered_map<void *, size_t> blocks;
  int32_t index = 0;
  std::atomic<int64_t> launches = 0, copies = 0, uploadedBytes = 0;
};

namespace {

const tamrt_core *core = nullptr;
std::atomic<uint64_t> kernelCalls = 0, copyCalls = 0, waitCalls = 0;
/// Launches without a stream, which tells the device.
std::atomic<int64_t> launchesApart = 0;
uint64_t failKernel = 0, failKernels = 1, failCopy = 0, failCopies = 1,
         failWait = 0;
int32_t copyStatus = TAMRT_OK;
tamrt_kernels kernelTable;
tamrt::BackendSettings settings;

[[gnu::format(printf, 2, 3)]] void log(tamrt_log_level level,
                                       const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  core->log(level, line);
}

/// Whether call `call` is one of the `count` calls from `first` on; if `first`
/// is 0, none is.
bool isTurn(uint64_t call, uint64_t first, uint64_t count) {
  return first > 0 && call >= first && call < first + count;
}

/// Whether this launch may run; counts it if `counts`. After an error no launch
/// runs, nor do earlier launches that wait in a stream.
bool mayRun(tamrt_context *ctx, bool counts) {
  if (ctx->status != TAMRT_OK)
    return false;
  if (!counts)
    return true;
  if (!isTurn(++kernelCalls, failKernel, failKernels))
    return true;
  core->fail(ctx, TAMRT_ERROR_OUT_OF_MEMORY, 4096);
  return false;
}

/// The bit that is set in addresses of opaque memory.
constexpr uintptr_t kOpaque = uintptr_t(1) << 52;

template <class T> T *hidden(T *address) {
  return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(address) | kOpaque);
}
template <class T> T *revealed(T *address) {
  return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(address) & ~kOpaque);
}

template <class T>
constexpr bool isList =
    std::is_pointer_v<T> &&std::is_pointer_v<std::remove_pointer_t<T>>;

/// A launch of a kernel: its arguments, with addresses for the CPU. It copies a
/// list of buffers, which the caller owns and which is valid only during the
/// call.
template <class... Arguments> class Launch {
public:
  explicit Launch(Arguments... given) : arguments(given...) {
    reveal(std::index_sequence_for<Arguments...>());
  }

  template <class Function>
  void run(Function *kernel, tamrt_context *ctx) const {
    std::apply([&](auto... now) { kernel(ctx, placed(now)...); }, arguments);
  }

private:
  template <size_t... I> void reveal(std::index_sequence<I...>) {
    (revealOne<I>(), ...);
  }
  template <size_t I> void revealOne() {
    auto &argument = std::get<I>(arguments);
    using Type = std::tuple_element_t<I, std::tuple<Arguments...>>;
    if constexpr (isList<Type>) {
      const int64_t count = std::get<I + 1>(arguments);
      for (int64_t i = 0; i < count; ++i)
        list.push_back(revealed(argument[i]));
    } else if constexpr (std::is_pointer_v<Type>) {
      argument = revealed(argument);
    }
  }
  template <class Type> Type placed(Type argument) const {
    if constexpr (isList<Type>)
      return list.data();
    else
      return argument;
  }

  std::tuple<Arguments...> arguments;
  /// What lists of buffers have: there is one at most.
  using Buffer =
      std::conditional_t<(std::is_same_v<Arguments, const void *const *> ||
                          ...),
                         const void *, const double *>;
  std::vector<Buffer> list;
};

/// Runs the CPU's kernel, unless this launch is to fail. If the context's
/// device is a stream, it runs there.
template <class Function> struct Kernel;
template <class... Arguments>
struct Kernel<void (*)(tamrt_context *, Arguments...)> {
  /// Whether its launches count.
  template <auto member> static inline bool counts = true;

  template <auto member>
  static void call(tamrt_context *ctx, Arguments... arguments) {
    auto run = [ctx, launch = Launch<Arguments...>(arguments...)] {
      if (mayRun(ctx, counts<member>))
        launch.run(core->cpu_kernels->*member, ctx);
    };
    if (auto *stream = static_cast<tamrt_stream *>(ctx->device)) {
      ++stream->device->launches;
      stream->put(run);
    } else {
      ++launchesApart;
      run();
    }
  }
  static void nothing(tamrt_context *, Arguments...) {}
};

int32_t probe(char *why, size_t whyBytes) {
  const int64_t count = settings.number("TAMRT_SIM_DEVICES", 1);
  if (!settings.wrong().empty()) {
    std::snprintf(why, whyBytes, "%s", settings.wrong().c_str());
    return 0;
  }
  if (count == 0)
    std::snprintf(why, whyBytes, "TAMRT_SIM_DEVICES says there is none");
  return int32_t(count);
}

tamrt_device *open(int32_t index, char *why, size_t whyBytes) {
  auto device = std::make_unique<tamrt_device>();
  device->index = index;
  device->total = settings.number("TAMRT_SIM_MEMORY", int64_t(1) << 30);
  device->largest = settings.number("TAMRT_SIM_LARGEST", device->total);
  device->taken = settings.number("TAMRT_SIM_TAKEN", 0);
  device->takenFor = settings.number("TAMRT_SIM_TAKEN_FOR", 0);
  device->failAt = uint64_t(settings.number("TAMRT_SIM_FAIL", 0));
  device->failsLater = settings.number("TAMRT_SIM_FAIL_LATER", 0) != 0;
  device->opaque = settings.number("TAMRT_SIM_OPAQUE", 0) != 0;
  device->keeps = settings.number("TAMRT_SIM_KEEPS", 0) != 0;
  device->batch = settings.number("TAMRT_SIM_BATCH", 1);
  device->batchStride = settings.number("TAMRT_SIM_BATCH_STRIDE", 0);
  device->reserve = settings.number("TAMRT_SIM_RESERVE", 0);
  if (!settings.wrong().empty()) {
    std::snprintf(why, whyBytes, "%s", settings.wrong().c_str());
    return nullptr;
  }
  return device.release();
}

void purge(tamrt_device *device) {
  std::lock_guard lock(device->mutex);
  device->used -= std::exchange(device->kept, 0);
}

void close(tamrt_device *device) {
  purge(device);
  log(TAMRT_LOG_DEBUG,
      "sim: %llu allocations, %llu failed, %llu kernels, %lld bytes at most, "
      "%llu copies",
      (unsigned long long)device->calls, (unsigned long long)device->failures,
      (unsigned long long)kernelCalls.load(), (long long)device->peak,
      (unsigned long long)copyCalls.load());
  if (device->used != 0)
    log(TAMRT_LOG_ERROR, "sim: %lld bytes were never released",
        (long long)device->used);
  delete device;
}

const char *name(tamrt_device *) { return "simulated device"; }

bool lacks(std::string_view what) {
  const char *list = std::getenv("TAMRT_SIM_WITHOUT");
  return list && std::string_view(list).find(what) != std::string_view::npos;
}

uint32_t traits(tamrt_device *device) {
  uint32_t all = lacks("shortage") ? 0 : TAMRT_DEVICE_KERNELS_MAY_RUN_OUT;
  if (!device->opaque)
    all |= TAMRT_DEVICE_HOST_ADDRESSABLE;
  return all;
}

int64_t reserve(tamrt_device *device) { return device->reserve; }

int32_t memory(tamrt_device *device, int64_t *freeBytes, int64_t *totalBytes) {
  std::lock_guard lock(device->mutex);
  if (device->takenFor > 0 && --device->takenFor == 0)
    device->taken = 0;
  *freeBytes = device->free();
  *totalBytes = device->total;
  return TAMRT_OK;
}

void *allocate(tamrt_device *device, size_t bytes) {
  std::lock_guard lock(device->mutex);
  ++device->calls;
  const bool isTurn = device->calls == device->failAt;
  const bool isLater = device->failsLater && device->failedBytes > 0 &&
                       bytes > device->failedBytes / 2;
  void *block = nullptr;
  if (!isTurn && !isLater && int64_t(bytes) <= device->largest &&
      int64_t(bytes) <= device->free())
    block = std::aligned_alloc(TAMRT_ALIGNMENT, bytes);
  if (!block) {
    ++device->failures;
    if (isTurn)
      device->failedBytes = bytes;
    return nullptr;
  }
  // NaN, so that reads before writes are detected.
  std::memset(block, 0xff, bytes);
  device->blocks[block] = bytes;
  device->used += int64_t(bytes);
  device->peak = std::max(device->peak, device->used);
  return device->opaque ? hidden(block) : block;
}

void release(tamrt_device *device, void *memory, size_t bytes) {
  std::lock_guard lock(device->mutex);
  void *block = revealed(memory);
  auto at = device->blocks.find(block);
  if (at == device->blocks.end() || at->second != bytes) {
    log(TAMRT_LOG_ERROR, "sim: released what was not allocated");
    return;
  }
  if (device->keeps)
    device->kept += int64_t(bytes);
  else
    device->used -= int64_t(bytes);
  device->blocks.erase(at);
  std::free(block);
}

int32_t copyAll(tamrt_device *device, const tamrt_copy *copies, int64_t count,
                tamrt_stream *stream) {
  if (isTurn(++copyCalls, failCopy, failCopies))
    return copyStatus;
  ++device->copies;
  for (int64_t i = 0; i < count; ++i)
    if (copies[i].to != revealed(copies[i].to) &&
        copies[i].from == revealed(copies[i].from))
      device->uploadedBytes += int64_t(copies[i].bytes);
  auto run = [all = std::vector<tamrt_copy>(copies, copies + count)] {
    for (const tamrt_copy &each : all)
      std::memcpy(revealed(each.to), revealed(each.from), each.bytes);
  };
  if (stream)
    stream->put(run);
  else
    run();
  return TAMRT_OK;
}

int32_t copy(tamrt_device *device, void *to, const void *from, size_t bytes,
             tamrt_stream *stream) {
  const tamrt_copy one = {to, from, bytes};
  return copyAll(device, &one, 1, stream);
}

const tamrt_kernels *kernels(tamrt_device *) { return &kernelTable; }

int32_t synchronize(tamrt_device *, tamrt_stream *stream) {
  stream->synchronize();
  return isTurn(++waitCalls, failWait, 1) ? TAMRT_ERROR_OUT_OF_MEMORY
                                          : TAMRT_OK;
}

/// Launches without a stream are those of the first device.
void countWork(tamrt_device *device, tamrt_device_counts *counts) {
  *counts = {device->launches + (device->index == 0 ? launchesApart.load() : 0),
             device->copies, device->uploadedBytes};
}

tamrt_stream *createStream(tamrt_device *device) {
  return new tamrt_stream(device);
}
void destroyStream(tamrt_device *, tamrt_stream *stream) { delete stream; }

tamrt_event *createEvent(tamrt_device *) { return new tamrt_event; }
void destroyEvent(tamrt_device *, tamrt_event *event) { delete event; }

int32_t recordEvent(tamrt_device *, tamrt_event *event, tamrt_stream *stream) {
  uint64_t which;
  {
    std::lock_guard lock(event->mutex);
    which = ++event->recorded;
  }
  stream->put([=] { event->happen(which); });
  return TAMRT_OK;
}

int32_t queryEvent(tamrt_device *, tamrt_event *event) {
  std::lock_guard lock(event->mutex);
  return event->happened >= event->recorded;
}

int32_t synchronizeEvent(tamrt_device *, tamrt_event *event) {
  uint64_t which;
  {
    std::lock_guard lock(event->mutex);
    which = event->recorded;
  }
  event->wait(which);
  return TAMRT_OK;
}

int32_t waitForEvent(tamrt_device *, tamrt_stream *stream, tamrt_event *event) {
  uint64_t which;
  {
    std::lock_guard lock(event->mutex);
    which = event->recorded;
    if (event->happened >= which)
      return TAMRT_OK;
  }
  stream->put([=] { event->wait(which); }, /*waits=*/true);
  return TAMRT_OK;
}

void *allocatePinned(tamrt_device *, size_t bytes) {
  return std::aligned_alloc(TAMRT_ALIGNMENT, (bytes + TAMRT_ALIGNMENT - 1) /
                                                 TAMRT_ALIGNMENT *
                                                 TAMRT_ALIGNMENT);
}
void releasePinned(tamrt_device *, void *block, size_t) { std::free(block); }

tamrt_executable *prepare(tamrt_device *device, const tamrt_step *step) {
  return new (std::nothrow) tamrt_executable{step, device->batch};
}
void discard(tamrt_device *, tamrt_executable *executable) {
  delete executable;
}

/// Launches each kernel for all calls, which have their own contexts. With a
/// wrong stride calls read the rows of others.
int32_t enqueue(tamrt_device *device, tamrt_executable *executable,
                const tamrt_call *calls, int64_t count, tamrt_stream *) {
  if (count < 1 || count > executable->batch)
    return TAMRT_ERROR_INVALID_ARGUMENT;
  const tamrt_launches &launches = *executable->step->launch_table;
  try {
    std::vector<tamrt_call> all(calls, calls + count);
    if (const int64_t stride = device->batchStride)
      for (int64_t i = stride; i < count; ++i)
        all[size_t(i)].columns = calls[i - stride].columns;
    std::vector<tamrt_argument> scratch(
        size_t(launches.scratch + TAMRT_SPACES * count));
    core->run_calls(&launches, scratch.data(), all.data(), count);
  } catch (const std::bad_alloc &) {
    return TAMRT_ERROR_OUT_OF_MEMORY;
  }
  return TAMRT_OK;
}

int64_t batch(tamrt_device *device) { return device->batch; }

tamrt_backend makeTable() {
  tamrt_backend table = {};
  table.version = TAMRT_BACKEND_VERSION;
  table.abi_version = TAMRT_ABI_VERSION;
  const char *kind = std::getenv("TAMRT_SIM_KIND");
  table.kind = kind ? kind : "sim";
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
  table.reserve = reserve;
  if (settings.number("TAMRT_SIM_KEEPS", 0) != 0)
    table.purge = purge;
  if (!lacks("streams")) {
    table.stream_create = createStream;
    table.stream_destroy = destroyStream;
    table.synchronize = synchronize;
    table.event_create = createEvent;
    table.event_destroy = destroyEvent;
    table.event_record = recordEvent;
    table.event_query = queryEvent;
    table.event_synchronize = synchronizeEvent;
    table.stream_wait = waitForEvent;
  }
  if (!lacks("pinned")) {
    table.pinned_allocate = allocatePinned;
    table.pinned_release = releasePinned;
  }
  if (settings.number("TAMRT_SIM_BATCH", 0) > 0) {
    table.prepare = prepare;
    table.discard = discard;
    table.enqueue = enqueue;
    table.batch = batch;
  }
  if (!lacks("copies"))
    table.copy_all = copyAll;
  table.counts = countWork;
  return table;
}

tamrt_kernels makeKernels() {
  tamrt_kernels table = {};
  const char *text = std::getenv("TAMRT_SIM_KERNEL");
  const std::string_view only = text ? text : "";
#define TAMRT_KERNEL(name, ...)                                                \
  table.name =                                                                 \
      Kernel<decltype(tamrt_kernels::name)>::call<&tamrt_kernels::name>;       \
  Kernel<decltype(tamrt_kernels::name)>::counts<&tamrt_kernels::name> =        \
      only.empty() || only == #name;
#include "tamrt/kernels.def"
  const char *list = std::getenv("TAMRT_SIM_LACKS");
  const std::string lacking = "," + std::string(list ? list : "") + ",";
#define TAMRT_KERNEL(name, ...)                                                \
  if (lacking.find("," #name ",") != std::string::npos)                        \
    table.name = nullptr;
#include "tamrt/kernels.def"
  const char *broken = std::getenv("TAMRT_SIM_BROKEN");
  if (broken && std::string_view(broken) == "rhs_dense")
    table.rhs_dense = Kernel<decltype(tamrt_kernels::rhs_dense)>::nothing;
  if (broken && std::string_view(broken) == "cholesky_solve")
    table.cholesky_solve =
        Kernel<decltype(tamrt_kernels::cholesky_solve)>::nothing;
  return table;
}

} // namespace

extern "C" {

/// Pauses a stream before its next task; 0: continues it.
__attribute__((visibility("default"))) void tamrt_sim_hold(tamrt_stream *stream,
                                                           int32_t yes) {
  stream->hold(yes != 0);
}

/// Calls a function on the CPU once all work before it in the stream is done.
__attribute__((visibility("default"))) void
tamrt_sim_call(tamrt_stream *stream, void (*function)(void *), void *argument) {
  stream->put([=] { function(argument); });
}

__attribute__((visibility("default"))) const tamrt_backend *
tamrt_backend_register(const tamrt_core *from) {
  core = from;
  if (from->version != TAMRT_BACKEND_VERSION ||
      from->abi_version != TAMRT_ABI_VERSION)
    return nullptr;
  settings = {};
  failKernel = uint64_t(settings.number("TAMRT_SIM_FAIL_KERNEL", 0));
  failKernels = uint64_t(settings.number("TAMRT_SIM_FAIL_KERNELS", 1));
  failCopy = uint64_t(settings.number("TAMRT_SIM_FAIL_COPY", 0));
  failCopies = uint64_t(settings.number("TAMRT_SIM_FAIL_COPIES", 1));
  copyStatus = int32_t(
      settings.number("TAMRT_SIM_COPY_STATUS", TAMRT_ERROR_OUT_OF_MEMORY));
  failWait = uint64_t(settings.number("TAMRT_SIM_FAIL_WAIT", 0));
  kernelCalls = copyCalls = waitCalls = 0;
  launchesApart = 0;
  delay = std::chrono::microseconds(settings.number("TAMRT_SIM_DELAY", 0));
  kernelTable = makeKernels();
  static tamrt_backend table;
  table = makeTable();
  return &table;
}

} // extern "C"
