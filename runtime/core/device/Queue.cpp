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

int32_t Queue::upload(void *to, const void *from, size_t bytes) {
  hasUploads = uploads != nullptr;
  if (!ring)
    return backend.copy(device.backendHandle(), to, from, bytes, uploads);
  auto *target = static_cast<char *>(to);
  const auto *source = static_cast<const char *>(from);
  while (bytes > 0) {
    Slot &slot = slots[next++ % slots.size()];
    const size_t piece = std::min(bytes, kSlotBytes);
    int32_t status =
        backend.event_synchronize(device.backendHandle(), slot.copied);
    if (status == TAMRT_OK) {
      std::memcpy(slot.memory, source, piece);
      status = backend.copy(device.backendHandle(), target, slot.memory, piece,
                            uploads);
    }
    if (status == TAMRT_OK)
      status =
          backend.event_record(device.backendHandle(), slot.copied, uploads);
    if (status != TAMRT_OK)
      return status;
    target += piece;
    source += piece;
    bytes -= piece;
  }
  return TAMRT_OK;
}

int32_t Queue::attach(void *to, const void *from, size_t bytes) {
  if (bytes > kHeldBytes - heldBytes)
    return upload(to, from, bytes);
  // Without page-locked memory it is copied from where it is.
  if (held) {
    char *memory = held.as<char>() + heldBytes;
    std::memcpy(memory, from, bytes);
    from = memory;
  }
  heldBytes += bytes;
  attachments.push_back({to, from, bytes});
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
