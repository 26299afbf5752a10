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
/// `tamrt_backend_register`. The core searches the folders of
/// TAMRT_BACKEND_PATH, the executable's folder, if only the user and root may
/// write to it, and the install prefix's lib/tamrt. A backend needs no symbol
/// of the executable: it gets the core's functions through a table.
///
/// Functions that can fail return a tamrt_status: TAMRT_OK or the reason. None
/// throws. All may be called from several threads at once.
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

/// Changes whenever a struct below changes. The core skips a backend for
/// another version.
#define TAMRT_BACKEND_VERSION 6

/// Severity of a message.
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
  /// Logs a line of UTF-8, given without a line end, if the user asked for that
  /// severity. A backend prints nothing itself.
  void (*log)(int32_t level, const char *message);
  /// Sets the status of a context, unless it has an error already.
  void (*fail)(tamrt_context *ctx, int32_t status, int64_t detail);
  /// The CPU's kernels: a device whose memory the CPU can address may use them
  /// for kernels that it lacks.
  const tamrt_kernels *cpu_kernels;
  /// tamrt_run_calls: launches the kernels of a step for several calls
  /// together, through the tables of their contexts.
  void (*run_calls)(const tamrt_launches *step, tamrt_argument *scratch,
                    const tamrt_call *calls, int64_t count);
} tamrt_core;

/// A device; a queue of work on it; a point in such a queue; a step that was
/// prepared for it. Defined by the backend.
typedef struct tamrt_device tamrt_device;
typedef struct tamrt_stream tamrt_stream;
typedef struct tamrt_event tamrt_event;
typedef struct tamrt_executable tamrt_executable;

/// Properties of a device's memory and kernels, combined by bitwise or.
typedef enum tamrt_device_trait {
  /// The CPU can read and write the device's memory, and kernels can read and
  /// write the CPU's. Otherwise the core copies what steps read and write.
  TAMRT_DEVICE_HOST_ADDRESSABLE = 1,
  /// The memory is the RAM that all programs share, not the device's own.
  TAMRT_DEVICE_SHARES_RAM = 2,
  /// A kernel may run out of memory after other kernels of its step have added
  /// to the sums: the core then keeps a copy of the sums to restore.
  TAMRT_DEVICE_KERNELS_MAY_RUN_OUT = 4,
  /// `enqueue` takes calls whose rows are of several segments
  /// (tamrt_call::segments): whole ones, but the last. It adds the rows of the
  /// first segment to the sums in `state`, sums each other one, and leaves the
  /// sums of all, joined in the tree of the segments, in `state`.
  TAMRT_DEVICE_JOINS_SEGMENTS = 8,
} tamrt_device_trait;

/// What a device has done since it was opened.
typedef struct tamrt_device_counts {
  /// Kernels launched, and graphs of kernels.
  int64_t launches;
  /// Copies in any direction, and the bytes of those from the CPU's memory.
  int64_t copies, uploaded_bytes;
} tamrt_device_counts;

/// A copy of `bytes` bytes.
typedef struct tamrt_copy {
  void *to;
  const void *from;
  size_t bytes;
} tamrt_copy;

/// The functions of one kind of device.
///
/// Work that is given without a stream (null) is done when the function
/// returns, or the kernel. A device without streams gets all work so.
typedef struct tamrt_backend {
  /// TAMRT_BACKEND_VERSION and TAMRT_ABI_VERSION of the backend.
  int32_t version, abi_version;
  /// "cuda": lower case, the same as in the file's name.
  const char *kind;

  /// Number of devices. If there are none, writes the reason, such as "no
  /// driver", to `why` (at most `why_bytes` bytes with the final NUL).
  int32_t (*probe)(char *why, size_t why_bytes);
  /// Opens device `index`. On failure returns null and writes the reason to
  /// `why`.
  tamrt_device *(*open)(int32_t index, char *why, size_t why_bytes);
  /// Closes a device, after all its memory has been released.
  void (*close)(tamrt_device *device);
  /// The manufacturer's name of the device; lives as long as the device.
  const char *(*name)(tamrt_device *device);
  /// tamrt_device_trait, or-ed.
  uint32_t (*traits)(tamrt_device *device);

  /// Free and total bytes of the device's memory.
  int32_t (*memory)(tamrt_device *device, int64_t *free_bytes,
                    int64_t *total_bytes);
  /// Allocates `bytes` > 0 bytes aligned to TAMRT_ALIGNMENT; null if there is
  /// not enough memory. The contents are undefined.
  void *(*allocate)(tamrt_device *device, size_t bytes);
  /// Releases a block of `bytes` bytes from `allocate`.
  void (*release)(tamrt_device *device, void *memory, size_t bytes);
  /// Copies between memory of the CPU and of the device, in any direction. A
  /// copy that reports TAMRT_ERROR_OUT_OF_MEMORY has copied nothing. In a
  /// stream both memories stay as they are until the work is done.
  int32_t (*copy)(tamrt_device *device, void *to, const void *from,
                  size_t bytes, tamrt_stream *stream);
  /// The table for `tamrt_context::kernels`; null for kernels that the device
  /// lacks: their steps run on the CPU. It has rhs_dense and cholesky_solve,
  /// with which it is tested. Kernels run in the stream
  /// `tamrt_context::device`, which is a tamrt_stream or null.
  ///
  /// The buffers of a kernel are memory of the device, or constants of the
  /// model, which are memory of the CPU. Constants are only read and never
  /// change, so that a backend may copy one when a kernel first gets its
  /// address, and keep the copy. A list of buffers (TAMRT_IN_LIST) is an array
  /// in memory of the CPU that is valid only during the call.
  const tamrt_kernels *(*kernels)(tamrt_device *device);

  // Optional functions: null if absent. The functions of a group are all
  // present or all absent.

  /// Returns memory that the backend keeps for reuse to the device.
  void (*purge)(tamrt_device *device);

  /// Streams: work of one stream runs in order, work of several at the same
  /// time. Null if there is not enough memory for another one.
  tamrt_stream *(*stream_create)(tamrt_device *device);
  /// Of a stream whose work is done.
  void (*stream_destroy)(tamrt_device *device, tamrt_stream *stream);
  /// Waits until all work in `stream` is done. The contexts of its calls have
  /// their status then. An error of the work is reported here, unless a context
  /// has it.
  int32_t (*synchronize)(tamrt_device *device, tamrt_stream *stream);
  /// Events, in the same group.
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

  /// Page-locked memory of the CPU, which the device copies from and to at full
  /// speed.
  void *(*pinned_allocate)(tamrt_device *device, size_t bytes);
  void (*pinned_release)(tamrt_device *device, void *memory, size_t bytes);

  /// Steps: work that the device runs as a whole, for several groups of rows at
  /// once. Without them the core calls the functions of steps, which launch
  /// kernels one by one.

  /// Prepares a step, which lives longer than the executable, for `enqueue`.
  /// Null: its kernels are to be launched one by one. It has launch_table.
  tamrt_executable *(*prepare)(tamrt_device *device, const tamrt_step *step);
  void (*discard)(tamrt_device *device, tamrt_executable *executable);
  /// Runs `count` calls, which do not depend on each other, in a stream, which
  /// is also that of their contexts. The arrays `calls`, `tables` and `columns`
  /// are in memory of the CPU and are valid only during the function; the
  /// contexts are valid until the work is done, and the rest is memory of the
  /// device. Each call's failures are in its own context.
  /// TAMRT_ERROR_OUT_OF_MEMORY, here or there, lets the core repeat a call: a
  /// device without TAMRT_DEVICE_KERNELS_MAY_RUN_OUT reports it only if the
  /// call has not begun.
  int32_t (*enqueue)(tamrt_device *device, tamrt_executable *executable,
                     const tamrt_call *calls, int64_t count,
                     tamrt_stream *stream);
  /// The number of calls, at least 1, that the device runs at once: the core
  /// fits and predicts so many groups at the same time, if there are enough and
  /// memory for them.
  int64_t (*batch)(tamrt_device *device);

  /// Several copies, all to the device or all from it, as one operation: one
  /// launch costs more than a copy of some kilobytes. As `copy` otherwise; the
  /// array is valid only during the function. Null: the core copies one by one.
  int32_t (*copy_all)(tamrt_device *device, const tamrt_copy *copies,
                      int64_t count, tamrt_stream *stream);

  /// Counts of the device's work, for `--timings`.
  void (*counts)(tamrt_device *device, tamrt_device_counts *counts);

  /// Bytes of the memory that `memory` tells of which are reserved for the
  /// kernels while the device is open: all that they take beside the planned
  /// buffers, however many run at once. The plan counts them. Null: none.
  int64_t (*reserve)(tamrt_device *device);

  /// The name of device `index`, which `probe` has counted, behind the kind and
  /// a colon: "cpu" for torch:cpu, "xpu:0" for torch:xpu:0. It lives as long as
  /// the program. Null: devices are numbered.
  const char *(*label)(int32_t index);
} tamrt_backend;

/// The function that a backend exports. The core calls it before all others,
/// again at each search for devices. Returns a table that lives as long as the
/// program, or null if the backend does not support this core.
typedef const tamrt_backend *(*tamrt_backend_register_function)(
    const tamrt_core *core);
#define TAMRT_BACKEND_REGISTER "tamrt_backend_register"

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TAMRT_BACKEND_H
