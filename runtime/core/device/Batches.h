//===- core/device/Batches.h - calls of steps on a device -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the steps of several threads, each of which has a group, on one device.
///
/// A device that takes batches (tamrt_backend::enqueue) gets the calls of one
/// step that threads have posted together: while it works on some, others are
/// posted. When it is free, the next batch starts after the threads of the last
/// one have posted their next calls, or after a part of the time it took.
/// Groups do not depend on each other, so results do not depend on what runs
/// together.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_BATCHES_H
#define TAMRT_CORE_DEVICE_BATCHES_H

#include "core/Trace.h"
#include "core/device/Device.h"
#include "core/device/Queue.h"
#include "tamrt/abi.h"
#include "tamrt/backend.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tamrt {

/// What is done for a call, one after another.
enum class CallStage : uint8_t {
  Upload,
  WaitForUploads,
  Start,
  Output,
  Finish
};

/// What could not be done at a stage: "start its work".
const char *describe(CallStage stage);

/// A call of a step that was posted. Lives until `Batches::wait` returns.
struct PostedCall {
  tamrt_call call;
  /// What is copied from the device after the call; nothing if it has 0 bytes.
  tamrt_copy output = {};
  Queue *queue = nullptr;
  const tamrt_step *step = nullptr;
  tamrt_executable *executable = nullptr;
  /// The uploads that it reads; null: they are done.
  tamrt_event *uploads = nullptr;
  PostedCall *next = nullptr;
  /// Whether it waits for a batch or runs in one; whether it has ended.
  bool isBatched = false, isDone = false;
  int32_t status = TAMRT_OK;
  /// The stage that failed, if the status is not TAMRT_OK.
  CallStage stage = CallStage::Finish;
};

/// The calls of steps on one device in one run.
class Batches {
public:
  /// `trace` may be null. The device, the trace and all steps must outlive it.
  Batches(Device &device, Trace *trace);
  ~Batches();
  Batches(const Batches &) = delete;
  Batches &operator=(const Batches &) = delete;

  /// Gives a call to the device, or to the batch that runs next, with what is
  /// attached to the queue and before its output. Its context has the kernels
  /// and lives until `wait` returns, as the queue does, whose uploads the call
  /// reads.
  void post(PostedCall &posted, Queue &queue, const tamrt_step &step,
            const tamrt_call &call);

  /// Returns when the call is done, with a tamrt_status; the context has the
  /// call's own. `lane` is the thread's in a trace.
  [[nodiscard]] int32_t wait(PostedCall &posted, unsigned lane);

private:
  using Lock = std::unique_lock<std::mutex>;

  tamrt_executable *prepared(const tamrt_step &step);
  bool note(PostedCall &posted, int32_t status, CallStage stage) const;
  template <class List>
  void copyEach(CallStage stage, const List &listOf, tamrt_stream *stream);
  void start(PostedCall &posted);
  void lead(tamrt_stream *stream, unsigned lane, Lock &lock);
  void takeBatch();
  void runBatch(tamrt_stream *stream);

  Device &device;
  const tamrt_backend &backend;
  Trace *trace;
  const size_t most;
  std::mutex mutex;
  std::condition_variable changed;
  /// Null for steps whose kernels are launched one by one.
  std::unordered_map<const tamrt_step *, tamrt_executable *> executables;
  /// Calls that wait for a batch, in the order in which they were posted.
  PostedCall *first = nullptr, **last = &first;
  size_t waiting = 0;
  /// Threads whose calls have ended and that have not posted others.
  size_t away = 0;
  /// Whether a thread runs a batch, or is about to; its calls.
  bool isLed = false;
  std::vector<PostedCall *> taken;
  std::vector<tamrt_call> calls;
  std::vector<tamrt_copy> copies;
  std::chrono::microseconds lastTook{0};
};

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_BATCHES_H
