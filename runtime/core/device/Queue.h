//===- core/device/Queue.h - a thread's work on a device --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies to and from a device, and the stream in which steps run. On a device
/// without streams, work is done when a function returns.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_QUEUE_H
#define TAMRT_CORE_DEVICE_QUEUE_H

#include "core/device/AlignedBuffer.h"
#include "core/device/Device.h"
#include "tamrt/backend.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tamrt {

/// The work of one thread on a device. It has two streams: in one the steps and
/// the downloads run, in order; in the other the uploads, so that rows are
/// copied to the device while it works on earlier ones. The functions return a
/// tamrt_status.
class Queue {
public:
  /// The device must outlive the queue. If it has no streams, or no memory for
  /// them, or is the CPU, the queue has none.
  explicit Queue(Device &device);
  /// Waits for all work.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  /// Null if there are none.
  tamrt_stream *stream() const { return work; }
  tamrt_stream *uploadStream() const { return uploads; }

  /// Copies from the CPU's memory, which stays as it is until work that has
  /// waited for the upload is finished. Earlier work must not use `to`.
  [[nodiscard]] int32_t upload(std::span<const tamrt_copy> copies);
  /// The same for data of the next call: if they are few, they are copied with
  /// it (`Batches::post`), so that all copies of a batch are one operation.
  [[nodiscard]] int32_t attach(std::span<const tamrt_copy> copies);
  /// The copies that go with the next call. They stay valid until
  /// `dropAttached`, which is called after the call, or instead of it.
  const std::vector<tamrt_copy> &attached() const { return attachments; }
  void dropAttached();
  /// A point after the uploads so far. Null if all of them are known to be
  /// done. To be called again only when nothing waits for the point any more.
  [[nodiscard]] int32_t markUploads(tamrt_event *&event);
  /// Waits for the stream's work.
  [[nodiscard]] int32_t finish();
  /// Waits for all uploads, also those that no work has waited for.
  void finishUploads();

private:
  /// Page-locked memory that a piece of an upload passes through.
  struct Slot {
    char *memory = nullptr;
    /// Its last copy to the device.
    tamrt_event *copied = nullptr;
  };

  void openRing();

  Device &device;
  const tamrt_backend &backend;
  tamrt_stream *work = nullptr, *uploads = nullptr;
  /// The point of `markUploads`, and whether there are uploads after it.
  tamrt_event *marked = nullptr;
  bool hasUploads = false;
  AlignedBuffer ring;
  std::array<Slot, 4> slots;
  size_t next = 0;
  /// Page-locked memory of what is attached, from its start on.
  AlignedBuffer held;
  size_t heldBytes = 0;
  /// What is attached, and the copies from one slot.
  std::vector<tamrt_copy> attachments, pieces;
};

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_QUEUE_H
