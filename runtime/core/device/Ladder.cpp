//===- core/device/Ladder.cpp - the rungs of a run, and what is on them ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Ladder.h"

#include "core/Log.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tamrt {

Ladder::Ladder(const tamrt_model &model, tamrt_step_kind kind,
               int64_t groupRows, const RunOptions &options, StateOf state)
    : model(model), kind(kind), groupRows(groupRows), options(options),
      state(state), rungs(rungsFor(model, kind, groupRows, options.chunkRows)) {
}

int64_t Ladder::chunkRows(size_t i) const {
  return chunkOf(*rungs[i], groupRows, options.chunkRows);
}

ThreadMemory Ladder::memory(size_t i) const {
  ThreadMemory memory =
      kind == TAMRT_STEP_FIT_CHUNK || kind == TAMRT_STEP_APPLY_CHUNK
          ? fitMemory(model, *rungs[i])
          : predictMemory(model, *rungs[i], chunkRows(i));
  if (state == StateOf::Group)
    memory.state = memory.carry = 0;
  return memory;
}

int64_t Ladder::stateBytes() const {
  if (kind == TAMRT_STEP_FIT_CHUNK)
    return model.state_bytes;
  return kind == TAMRT_STEP_APPLY_CHUNK ? model.cg_state_bytes : 0;
}

int64_t Ladder::savedBytes(const Device &device) const {
  if (!device.hasTrait(TAMRT_DEVICE_KERNELS_MAY_RUN_OUT))
    return 0;
  return (stateBytes() > 0 ? alignedBytes(stateBytes()) : 0) +
         (model.carry_bytes > 0 ? alignedBytes(model.carry_bytes) : 0);
}

Need Ladder::need(const Device &device) const {
  Need need;
  for (size_t i = 0; i < rungs.size(); ++i)
    need.rungs.push_back(
        {chunkRows(i), memory(i).total() + savedBytes(device)});
  return need;
}

std::string Ladder::chunksOf(size_t rung) const {
  const int64_t rows = chunkRows(rung);
  return fmt::format("chunks of {} row{}", rows, rows == 1 ? "" : "s");
}

void Ladder::warn(const Device &from, size_t rung, int64_t bytes,
                  const Device &to, size_t toRung, unsigned lane) {
  ++stepsDown;
  const int64_t rows = chunkRows(toRung);
  for (int64_t least = leastRows;
       (least == 0 || rows < least) &&
       !leastRows.compare_exchange_weak(least, rows);)
    ;
  if (options.trace)
    options.trace->instant(lane, "step down",
                           {{"rows", chunkRows(rung)},
                            {"to rows", chunkRows(toRung)},
                            {"bytes", bytes}});
  log(LogLevel::Warning,
      "device '{}' had no {} bytes more for {}, of {} free; going on in {}{}",
      from.label(), bytes, chunksOf(rung), from.memory().freeBytes,
      chunksOf(toRung),
      &from == &to ? std::string() : fmt::format(" on '{}'", to.label()));
}

std::string Ladder::shortage(const Device &device, size_t rung,
                             int64_t bytes) const {
  const DeviceMemory memory = device.memory();
  std::string text = fmt::format(
      "expected {} bytes of memory on device '{}' for {}, the smallest, which "
      "take {} in all; got {} free{}",
      bytes, device.label(), chunksOf(rung), this->memory(rung).total(),
      memory.freeBytes,
      memory.source.empty() ? "" : " (" + memory.source + ")");
  if (bytes > memory.freeBytes)
    text += fmt::format("; {} bytes more would do", bytes - memory.freeBytes);
  if (!device.isCpu())
    text += bytes > memory.freeBytes ? ", or --allow-cpu-fallback"
                                     : "; --allow-cpu-fallback would help";
  return text;
}

void Ladder::summarize() const {
  if (stepsDown == 0)
    return;
  log(LogLevel::Warning,
      "memory ran out {} time{}; the work was done, at last in chunks of {} "
      "row{}; --chunk-rows {} asks for that from the start",
      stepsDown.load(), stepsDown == 1 ? "" : "s", leastRows.load(),
      leastRows == 1 ? "" : "s", leastRows.load());
}

void Worker::releaseChunkMemory() {
  arena = AlignedBuffer();
  output = AlignedBuffer();
}

void Worker::clear() {
  for (AlignedBuffer *buffer :
       {&arena, &state, &carry, &output, &parameters, &saved})
    *buffer = AlignedBuffer();
}

/// Memory that depends on the rung.
bool Worker::takeChunkMemory(const Ladder &ladder, size_t at) {
  const ThreadMemory memory = ladder.memory(at);
  arena = device->allocate(size_t(memory.arena));
  if (arena)
    output = device->allocate(size_t(memory.output));
  place.arena = arena.data();
  place.output = output.as<double>();
  if (!arena || !output) {
    releaseChunkMemory();
    return false;
  }
  index = at;
  rung = &ladder.rung(at);
  chunkRows = size_t(ladder.chunkRows(at));
  return true;
}

bool Worker::allocate(const Ladder &ladder, Device &on, size_t at) {
  clear();
  device = &on;
  const ThreadMemory memory = ladder.memory(at);
  auto take = [&](AlignedBuffer &buffer, int64_t bytes) {
    if (bytes > 0)
      buffer = on.allocate(size_t(bytes));
    return bytes == 0 || buffer;
  };
  if (!take(parameters, memory.parameters) || !take(state, memory.state) ||
      !take(carry, memory.carry) || !take(saved, ladder.savedBytes(on)) ||
      !takeChunkMemory(ladder, at)) {
    clear();
    return false;
  }
  place.parameters = parameters.as<double>();
  // Those of a group under way stay where they are.
  if (memory.vectors > 0 && !vectors)
    vectors = AlignedBuffer::allocate(size_t(memory.vectors));
  if (memory.vectors > 0 && !vectors) {
    clear();
    return false;
  }
  place.vectors = vectors.as<double>();
  if (ladder.state == StateOf::Worker) {
    place.state = state.data();
    place.carry = carry.data();
  }
  place.context.kernels =
      ladder.options.kernels ? ladder.options.kernels : on.kernels();
  return true;
}

/// Calls copy(copy of it, it, bytes) for the state and the carry, where copies
/// of them are kept.
template <class Copy>
void Worker::forEachSaved(const Ladder &ladder, const Copy &copy) {
  if (!saved)
    return;
  auto *at = saved.as<char>();
  if (place.state && ladder.stateBytes() > 0) {
    copy(at, place.state, size_t(ladder.stateBytes()));
    at += alignedBytes(ladder.stateBytes());
  }
  if (place.carry)
    copy(at, place.carry, size_t(ladder.model.carry_bytes));
}

void Worker::save(const Ladder &ladder) {
  forEachSaved(ladder, [](void *kept, const void *now, size_t bytes) {
    std::memcpy(kept, now, bytes);
  });
}

void Worker::restore(const Ladder &ladder) {
  forEachSaved(ladder, [](const void *kept, void *now, size_t bytes) {
    std::memcpy(now, kept, bytes);
  });
}

bool Worker::stepDown(Ladder &ladder) {
  int64_t bytes = place.context.detail;
  const size_t from = index;
  // The arena of the rung before, and what is kept for reuse, are what the
  // next attempt can have.
  releaseChunkMemory();
  device->purge();
  for (size_t next = from + 1; next < ladder.size(); ++next) {
    if (!takeChunkMemory(ladder, next)) {
      bytes = ladder.memory(next).arena;
      continue;
    }
    ladder.warn(*device, from, bytes, *device, next, lane);
    place.context.status = TAMRT_OK;
    return true;
  }
  if (moveToCpu(ladder, bytes))
    return true;
  shortage = ladder.shortage(*device, ladder.size() - 1, bytes);
  return false;
}

bool Worker::moveToCpu(Ladder &ladder, int64_t bytes) {
  if (!ladder.options.allowCpuFallback || device->isCpu())
    return false;
  Device &from = *device, &cpu = Device::cpu();
  // What rows before have left, and what was set for the group.
  AlignedBuffer oldState = std::move(state), oldCarry = std::move(carry),
                oldParameters = std::move(parameters),
                oldSaved = std::move(saved);
  const size_t fromRung = index;
  auto keep = [&] {
    if (oldState)
      std::memcpy(state.data(), oldState.data(), size_t(ladder.stateBytes()));
    if (oldCarry)
      std::memcpy(carry.data(), oldCarry.data(),
                  size_t(ladder.model.carry_bytes));
    std::memcpy(parameters.data(), oldParameters.data(),
                size_t(ladder.memory(fromRung).parameters));
  };
  if (oldSaved) {
    saved = std::move(oldSaved);
    restore(ladder);
    saved = AlignedBuffer();
  }
  Question question;
  question.columns = ladder.model.columns;
  // One way is asked about, whichever.
  question.direct = ladder.need(cpu);
  question.freeBytes = cpu.memory().freeBytes;
  const Decision decision = decide(question, ladder.options.oracle);
  for (size_t at = decision.rung; at < ladder.size(); ++at) {
    if (!allocate(ladder, cpu, at))
      continue;
    keep();
    ladder.warn(from, fromRung, bytes, cpu, at, lane);
    place.context.status = TAMRT_OK;
    return true;
  }
  device = &from;
  return false;
}

void Worker::setColumns(const tamrt_model &model, const Dataset &data,
                        size_t row) {
  const auto inputs = size_t(model.input_count);
  columns.resize(inputs + 2);
  for (size_t i = 0; i < inputs; ++i) {
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      columns[i] = data.codes(i) + row;
    else
      columns[i] = data.numbers(i) + row;
  }
  columns[inputs] = data.target() ? data.target() + row : nullptr;
  columns[inputs + 1] = data.weights() ? data.weights() + row : nullptr;
  place.columns = columns.data();
}

} // namespace tamrt
