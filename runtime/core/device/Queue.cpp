//===- core/device/Queue.cpp - a thread's work on a device ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tamrt {

/// Bytes of a slot: a copy of so many takes much longer than to start it.
static constexpr size_t kSlotBytes = size_t(128) << 10;

/// Most bytes that go with a call.
static constexpr size_t kHeldBytes = size_t(256) << 10;

Queue::Queue(Device &device) : device(device), backend(device.functions()) {
  work = device.takeStream();
  uploads = work ? device.takeStream() : nullptr;
  if (uploads)
    marked = backend.event_create(device.backendHandle());
  if (!marked) {
    device.giveStream(std::exchange(uploads, nullptr));
    device.giveStream(std::exchange(work, nullptr));
    return;
  }
  openRing();
}

/// Takes the memory of all slots; without it uploads are copied directly.
void Queue::openRing() {
  if (!device.hasPinnedMemory())
    return;
  for (Slot &slot : slots)
    if (!(slot.copied = backend.event_create(device.backendHandle())))
      return;
  ring = device.allocatePinned(kSlotBytes * slots.size(), "uploads");
  for (size_t i = 0; ring && i < slots.size(); ++i)
    slots[i].memory = ring.as<char>() + i * kSlotBytes;
  held = device.allocatePinned(kHeldBytes, "uploads");
}

Queue::~Queue() {
  if (!work)
    return;
  finishUploads();
  backend.synchronize(device.backendHandle(), work);
  for (Slot &slot : slots)
    if (slot.copied)
      backend.event_destroy(device.backendHandle(), slot.copied);
  backend.event_destroy(device.backendHandle(), marked);
  device.giveStream(uploads);
  device.giveStream(work);
}

int32_t Queue::upload(std::span<const tamrt_copy> copies) {
  hasUploads = uploads != nullptr;
  if (!ring)
    return device.copyAll(copies, uploads);
  for (size_t i = 0, done = 0; i < copies.size();) {
    Slot &slot = slots[next++ % slots.size()];
    if (int32_t status =
            backend.event_synchronize(device.backendHandle(), slot.copied))
      return status;
    pieces.clear();
    for (size_t used = 0; i < copies.size() && used < kSlotBytes;) {
      const tamrt_copy &copy = copies[i];
      const size_t bytes = std::min(copy.bytes - done, kSlotBytes - used);
      char *memory = slot.memory + used;
      std::memcpy(memory, static_cast<const char *>(copy.from) + done, bytes);
      pieces.push_back({static_cast<char *>(copy.to) + done, memory, bytes});
      used += bytes;
      done += bytes;
      if (done == copy.bytes) {
        ++i;
        done = 0;
      }
    }
    int32_t status = device.copyAll(pieces, uploads);
    if (status == TAMRT_OK)
      status =
          backend.event_record(device.backendHandle(), slot.copied, uploads);
    if (status != TAMRT_OK)
      return status;
  }
  return TAMRT_OK;
}

int32_t Queue::attach(std::span<const tamrt_copy> copies) {
  size_t bytes = 0;
  for (const tamrt_copy &copy : copies)
    bytes += copy.bytes;
  if (bytes > kHeldBytes - heldBytes)
    return upload(copies);
  for (tamrt_copy copy : copies) {
    // Without page-locked memory it is copied from where it is.
    if (held) {
      char *memory = held.as<char>() + heldBytes;
      std::memcpy(memory, copy.from, copy.bytes);
      copy.from = memory;
    }
    heldBytes += copy.bytes;
    attachments.push_back(copy);
  }
  return TAMRT_OK;
}

void Queue::dropAttached() {
  attachments.clear();
  heldBytes = 0;
}

int32_t Queue::markUploads(tamrt_event *&event) {
  event = nullptr;
  if (!hasUploads)
    return TAMRT_OK;
  if (int32_t status =
          backend.event_record(device.backendHandle(), marked, uploads))
    return status;
  hasUploads = false;
  event = marked;
  return TAMRT_OK;
}

void Queue::finishUploads() {
  // Errors were reported, or are those of work that nobody waits for.
  if (uploads)
    backend.synchronize(device.backendHandle(), uploads);
}

int32_t Queue::finish() {
  return work ? backend.synchronize(device.backendHandle(), work) : TAMRT_OK;
}

} // namespace tamrt
