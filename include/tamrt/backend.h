//===- tamrt/backend.h - interface of backends --------------------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One table of functions per kind of device. C11, libc only.
///
/// A backend is a shared object `libtamrt-backend-<kind>.so` that exports
/// `tamrt_backend_register`. The core looks for it in the folders of
/// TAMRT_BACKEND_PATH, beside the executable, if nobody but the user and root
/// may write there, and in the install prefix's lib/tamrt. A backend needs no
/// symbol of the executable: it gets the core's functions through a
/// table.
///
/// Functions that can fail return a tamrt_status: TAMRT_OK or the reason;
/// none throws. All may be called from several threads at once.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKEND_H
#define TAMRT_BACKEND_H

#include "tamrt/abi.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Changes whenever a struct below changes. A backend for another version is
/// skipped.
#define TAMRT_BACKEND_VERSION 1

/// How urgent a message is.
typedef enum tamrt_log_level {
  TAMRT_LOG_ERROR = 0,
  TAMRT_LOG_WARNING = 1,
  TAMRT_LOG_INFO = 2,
  TAMRT_LOG_DEBUG = 3,
} tamrt_log_level;

/// The core's functions for backends. Lives as long as the program.
typedef struct tamrt_core {
  /// TAMRT_BACKEND_VERSION of the core, and TAMRT_ABI_VERSION.
  int32_t version, abi_version;
  /// Logs a line of UTF-8 without a line end, where the user asked for that
  /// level. A backend prints nothing itself.
  void (*log)(int32_t level, const char *message);
  /// Notes an error in a context, unless one is there already.
  void (*fail)(tamrt_context *ctx, int32_t status, int64_t detail);
  /// The CPU's kernels: for what a device lacks, where the CPU can address its
  /// memory.
  const tamrt_kernels *cpu_kernels;
} tamrt_core;

/// A device, a queue of work on it, and a mark in such a queue; a captured
/// graph of work. The backend's own.
typedef struct tamrt_device tamrt_device;
typedef struct tamrt_stream tamrt_stream;
typedef struct tamrt_event tamrt_event;
typedef struct tamrt_graph tamrt_graph;

/// Properties of a device's memory and kernels, combined by bitwise or.
typedef enum tamrt_device_trait {
  /// The CPU can read and write the device's memory, and kernels the CPU's.
  /// Else the core copies what steps read and write.
  TAMRT_DEVICE_HOST_ADDRESSABLE = 1,
  /// The memory is the RAM that all programs share, not the device's own.
  TAMRT_DEVICE_SHARES_RAM = 2,
  /// A kernel may run out of memory after others of its step have added to the
  /// sums: the core then keeps a copy of the sums to go back to.
  TAMRT_DEVICE_KERNELS_MAY_RUN_OUT = 4,
} tamrt_device_trait;

/// The functions of one kind of device. `stream` may be null where it is a
/// parameter: the device's default order, in which one thing follows another.
typedef struct tamrt_backend {
  /// TAMRT_BACKEND_VERSION and TAMRT_ABI_VERSION of the backend.
  int32_t version, abi_version;
  /// "cuda": lower case, the same as in the file's name.
  const char *kind;

  /// How many devices there are; when none, `why` (at most `why_bytes` bytes
  /// with the final NUL) says why: "no driver".
  int32_t (*probe)(char *why, size_t why_bytes);
  /// Opens device `index`; null with `why` when that fails.
  tamrt_device *(*open)(int32_t index, char *why, size_t why_bytes);
  /// Ends all use of a device, whose memory has all been released.
  void (*close)(tamrt_device *device);
  /// The manufacturer's name for it; lives as long as the device.
  const char *(*name)(tamrt_device *device);
  /// tamrt_device_trait, or-ed.
  uint32_t (*traits)(tamrt_device *device);

  /// Bytes free now, and in all.
  int32_t (*memory)(tamrt_device *device, int64_t *free_bytes,
                    int64_t *total_bytes);
  /// `bytes` > 0 bytes aligned to TAMRT_ALIGNMENT, or null when there is no
  /// such memory. Contents undefined.
  void *(*allocate)(tamrt_device *device, size_t bytes);
  /// Releases a block of `bytes` bytes from `allocate`.
  void (*release)(tamrt_device *device, void *memory, size_t bytes);
  /// Copies between memory of the CPU and of the device, in any direction. A
  /// copy that reports TAMRT_ERROR_OUT_OF_MEMORY has copied nothing.
  int32_t (*copy)(tamrt_device *device, void *to, const void *from,
                  size_t bytes, tamrt_stream *stream);
  /// The table for `tamrt_context::kernels`. Kernels take the order they run
  /// in from `tamrt_context::device`, which is a tamrt_stream or null.
  ///
  /// Buffers that a kernel gets are memory of the device, or constants of the
  /// model, which are memory of the CPU: only ever read, unchanged as long as
  /// the program runs, so that a backend may copy one when a kernel first gets
  /// its address and keep the copy. A list of buffers (TAMRT_IN_LIST) is an
  /// array in memory of the CPU that is there during the call alone.
  const tamrt_kernels *(*kernels)(tamrt_device *device);
  /// Waits until all work in `stream` is done; null: in all streams.
  int32_t (*synchronize)(tamrt_device *device, tamrt_stream *stream);

  // Optional functions: null if absent. The functions of a group are all
  // there or all absent.

  /// Gives memory that the backend keeps for reuse back to the device.
  void (*purge)(tamrt_device *device);

  /// Streams: work of one runs in order, of several at the same time.
  tamrt_stream *(*stream_create)(tamrt_device *device);
  void (*stream_destroy)(tamrt_device *device, tamrt_stream *stream);
  /// Calls `function` on the CPU once all work before it in the stream is done.
  int32_t (*stream_call)(tamrt_device *device, tamrt_stream *stream,
                         void (*function)(void *argument), void *argument);

  /// Events, where there are streams.
  tamrt_event *(*event_create)(tamrt_device *device);
  void (*event_destroy)(tamrt_device *device, tamrt_event *event);
  /// The event has happened once all work now in the stream is done.
  int32_t (*event_record)(tamrt_device *device, tamrt_event *event,
                          tamrt_stream *stream);
  /// 1: happened, or never recorded; 0: not yet.
  int32_t (*event_query)(tamrt_device *device, tamrt_event *event);
  int32_t (*event_synchronize)(tamrt_device *device, tamrt_event *event);
  /// Later work of the stream waits for the event.
  int32_t (*stream_wait)(tamrt_device *device, tamrt_stream *stream,
                         tamrt_event *event);

  /// Memory of the CPU that the device copies from and to at full speed.
  void *(*pinned_allocate)(tamrt_device *device, size_t bytes);
  void (*pinned_release)(tamrt_device *device, void *memory, size_t bytes);

  /// Graphs: what is put into a stream between begin and end is kept, not run.
  int32_t (*capture_begin)(tamrt_device *device, tamrt_stream *stream);
  tamrt_graph *(*capture_end)(tamrt_device *device, tamrt_stream *stream);
  int32_t (*graph_launch)(tamrt_device *device, tamrt_graph *graph,
                          tamrt_stream *stream);
  void (*graph_destroy)(tamrt_device *device, tamrt_graph *graph);
} tamrt_backend;

/// The function that a backend exports. Called first, and again for each
/// search for devices. The table lives as long as the program; null when the
/// backend cannot serve this core.
typedef const tamrt_backend *(*tamrt_backend_register_function)(
    const tamrt_core *core);
#define TAMRT_BACKEND_REGISTER "tamrt_backend_register"

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TAMRT_BACKEND_H
