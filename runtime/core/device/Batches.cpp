//===- core/device/Batches.cpp - calls of steps on a device ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Batches.h"

#include "tamrt/steps.h"

#include <algorithm>

namespace tamrt {

/// How long a batch waits for the threads of the last one: at least this, and
/// at most a part of the time that the last one took. Between two calls a
/// thread copies some rows to pinned memory.
static constexpr std::chrono::microseconds kMoment(50);
static constexpr int kPart = 2;

const char *describe(CallStage stage) {
  switch (stage) {
  case CallStage::Upload:
  case CallStage::Output:
    return "copy";
  case CallStage::WaitForUploads:
    return "wait for copies";
  case CallStage::Start:
    return "start its work";
  case CallStage::Finish:
    break;
  }
  return "finish its work";
}

Batches::Batches(Device &device, Trace *trace)
    : device(device), backend(device.functions()), trace(trace),
      most(size_t(device.batch())) {
  taken.reserve(most);
  calls.reserve(most);
}

Batches::~Batches() {
  for (auto [step, executable] : executables)
    if (executable)
      backend.discard(device.backendHandle(), executable);
}

/// Prepares a step at its first call.
tamrt_executable *Batches::prepared(const tamrt_step &step) {
  if (!backend.prepare || !step.launch_table || step.is_cpu_code)
    return nullptr;
  const Lock lock(mutex);
  const auto [entry, isNew] = executables.try_emplace(&step, nullptr);
  if (isNew)
    entry->second = backend.prepare(device.backendHandle(), &step);
  return entry->second;
}

/// Notes the first failure of a call. \returns whether there is none.
bool Batches::note(PostedCall &posted, int32_t status, CallStage stage) const {
  if (posted.status == TAMRT_OK && status != TAMRT_OK) {
    posted.status = status;
    posted.stage = stage;
  }
  return posted.status == TAMRT_OK;
}

void Batches::post(PostedCall &posted, Queue &queue, const tamrt_step &step,
                   const tamrt_call &call) {
  posted.call = call;
  posted.queue = &queue;
  posted.step = &step;
  posted.executable = prepared(step);
  posted.isBatched = posted.executable && most > 1;
  if (!note(posted, queue.markUploads(posted.uploads), CallStage::Upload)) {
    posted.isBatched = false;
    return;
  }
  if (!posted.isBatched)
    return start(posted);
  const Lock lock(mutex);
  *last = &posted;
  last = &posted.next;
  ++waiting;
  if (away > 0)
    --away;
  changed.notify_all();
}

/// Starts a call in its own queue.
void Batches::start(PostedCall &posted) {
  const tamrt_call &call = posted.call;
  tamrt_stream *stream = posted.queue->stream();
  if (posted.uploads &&
      !note(posted,
            backend.stream_wait(device.backendHandle(), stream, posted.uploads),
            CallStage::WaitForUploads))
    return;
  if (!note(posted, device.copyAll(posted.queue->attached(), stream),
            CallStage::Upload))
    return;
  // Code for the CPU does not wait for a stream.
  call.context->device = posted.step->is_cpu_code ? nullptr : stream;
  if (posted.executable) {
    if (!note(posted,
              backend.enqueue(device.backendHandle(), posted.executable, &call,
                              1, stream),
              CallStage::Start))
      return;
  } else if (call.segments) {
    // There was no memory to prepare the step, and its kernels alone do not
    // join segments.
    note(posted, TAMRT_ERROR_OUT_OF_MEMORY, CallStage::Start);
    return;
  } else {
    runCall(*posted.step, call);
  }
  if (posted.output.bytes > 0)
    note(posted, device.copyAll({&posted.output, 1}, stream),
         CallStage::Output);
}

/// Copies what listOf(call) adds to a list, for all calls of the batch that
/// have not failed: as one operation, or call by call.
template <class List>
void Batches::copyEach(CallStage stage, const List &listOf,
                       tamrt_stream *stream) {
  copies.clear();
  for (PostedCall *each : taken) {
    if (each->status == TAMRT_OK)
      listOf(*each);
    if (!backend.copy_all) {
      note(*each, device.copyAll(copies, stream), stage);
      copies.clear();
    }
  }
  const int32_t status = device.copyAll(copies, stream);
  for (PostedCall *each : taken)
    note(*each, status, stage);
}

void Batches::runBatch(tamrt_stream *stream) {
  for (PostedCall *each : taken)
    if (each->uploads)
      note(*each,
           backend.stream_wait(device.backendHandle(), stream, each->uploads),
           CallStage::WaitForUploads);
  copyEach(
      CallStage::Upload,
      [&](PostedCall &each) {
        const std::vector<tamrt_copy> &own = each.queue->attached();
        copies.insert(copies.end(), own.begin(), own.end());
      },
      stream);
  for (PostedCall *each : taken)
    if (each->status == TAMRT_OK) {
      each->call.context->device = stream;
      calls.push_back(each->call);
    }
  if (!calls.empty()) {
    const int32_t status =
        backend.enqueue(device.backendHandle(), taken.front()->executable,
                        calls.data(), int64_t(calls.size()), stream);
    for (PostedCall *each : taken)
      note(*each, status, CallStage::Start);
    copyEach(
        CallStage::Output,
        [&](PostedCall &each) {
          if (each.output.bytes > 0)
            copies.push_back(each.output);
        },
        stream);
  }
  // Some of the work may have begun even after a failure.
  const int32_t done =
      stream ? backend.synchronize(device.backendHandle(), stream) : TAMRT_OK;
  for (PostedCall *each : taken)
    note(*each, done, CallStage::Finish);
}

/// Takes the first call that waits, and others of its step.
void Batches::takeBatch() {
  taken.clear();
  calls.clear();
  const tamrt_executable *executable = first->executable;
  last = &first;
  while (PostedCall *call = *last) {
    if (call->executable != executable || taken.size() == most) {
      last = &call->next;
      continue;
    }
    taken.push_back(call);
    *last = call->next;
  }
  waiting -= taken.size();
}

/// Runs a batch of the calls that wait.
void Batches::lead(tamrt_stream *stream, unsigned lane, Lock &lock) {
  isLed = true;
  changed.wait_for(lock, std::max(kMoment, lastTook / kPart),
                   [&] { return away == 0 || waiting >= most; });
  away = 0;
  takeBatch();
  lock.unlock();
  {
    const TraceSpan span(trace, lane, "batch",
                         {{"calls", int64_t(taken.size())},
                          {"kind", taken.front()->step->kind}});
    const auto begin = std::chrono::steady_clock::now();
    runBatch(stream);
    lastTook = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
  }
  lock.lock();
  for (PostedCall *each : taken)
    each->isDone = true;
  away = taken.size();
  isLed = false;
  changed.notify_all();
}

int32_t Batches::wait(PostedCall &posted, unsigned lane) {
  if (!posted.isBatched) {
    // Work that has begun ends in any case.
    note(posted, posted.queue->finish(), CallStage::Finish);
    return posted.status;
  }
  Lock lock(mutex);
  while (!posted.isDone)
    if (first && !isLed)
      lead(posted.queue->stream(), lane, lock);
    else
      changed.wait(lock);
  return posted.status;
}

} // namespace tamrt
