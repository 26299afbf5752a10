//===- memory/StreamUses.cpp - uses of blocks on other streams ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/StreamUses.h"

#include <exception>

using namespace tamrt;

StreamUses::~StreamUses() {
  waitForAll([](uint32_t) {});
}

bool StreamUses::note(uint32_t &list, Stream stream) noexcept {
  const uint32_t queue = queueOf(stream);
  if (queue == noChunk)
    return false;
  for (uint32_t use = list; use != noChunk; use = uses[use].next)
    if (uses[use].queue == queue)
      return true;
  const uint32_t use = addUse();
  if (use == noChunk)
    return false;
  uses[use].queue = queue;
  uses[use].next = list;
  list = use;
  return true;
}

uint32_t StreamUses::record(uint32_t list, uint32_t chunk) noexcept {
  uint32_t events = 0;
  for (uint32_t use = list, next; use != noChunk; use = next) {
    next = uses[use].next;
    Queue &queue = queues[uses[use].queue];
    const StreamEvent event = streams.record(queue.stream);
    if (event == 0) {
      streams.synchronize(queue.stream);
      removeUse(use);
      continue;
    }
    uses[use].event = event;
    uses[use].chunk = chunk;
    uses[use].next = noChunk;
    if (queue.first == noChunk)
      queue.first = use;
    else
      uses[queue.last].next = use;
    queue.last = use;
    ++outstanding;
    ++events;
  }
  return events;
}

uint32_t StreamUses::queueOf(Stream stream) noexcept {
  auto known = indices.find(stream);
  if (known != indices.end())
    return known->second;
  const auto queue = static_cast<uint32_t>(queues.size());
  try {
    queues.push_back({stream});
    indices.emplace(stream, queue);
  } catch (const std::exception &) {
    queues.resize(queue);
    return noChunk;
  }
  return queue;
}

uint32_t StreamUses::addUse() noexcept {
  if (uint32_t use = firstUnused; use != noChunk) {
    firstUnused = uses[use].next;
    uses[use] = {};
    return use;
  }
  try {
    uses.emplace_back();
  } catch (const std::exception &) {
    return noChunk;
  }
  return static_cast<uint32_t>(uses.size() - 1);
}
