//===- tamrt/communicator.h - the ranks of one run ---------------*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a fit on several processes, its *ranks*, needs of the library by which
/// they exchange data. C11, libc only. `libtamrt-mpi.so` gives it from MPI; a
/// model loads that library only when it was started under MPI.
///
/// All ranks call the same functions in the same order. There are no errors to
/// return: a library that cannot go on, or loses a rank, prints its reason and
/// ends the process. Buffers of no bytes may be null.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_COMMUNICATOR_H
#define TAMRT_COMMUNICATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAMRT_COMMUNICATOR_VERSION 1

typedef struct tamrt_communicator {
  int32_t version;
  /// This rank, from 0, the number of ranks, and of those on this machine.
  int32_t rank, size, local_size;
  /// Name and version of the library, for messages.
  const char *name;
  /// The library's own.
  void *state;

  /// Sends `send_bytes[r]` bytes to each rank r, and receives
  /// `receive_bytes[r]` from it; both buffers are in the order of ranks.
  void (*all_to_all)(const struct tamrt_communicator *self, const void *send,
                     const int64_t *send_bytes, void *receive,
                     const int64_t *receive_bytes);
  /// Sends bytes to rank 0, which receives `receive_bytes[r]` from each rank r,
  /// in the order of ranks. Other ranks receive nothing.
  void (*gather)(const struct tamrt_communicator *self, const void *send,
                 int64_t send_bytes, void *receive,
                 const int64_t *receive_bytes);
  /// Copies the bytes of rank 0 to all.
  void (*broadcast)(const struct tamrt_communicator *self, void *data,
                    int64_t bytes);
  /// Replaces each number by its sum over all ranks.
  void (*add)(const struct tamrt_communicator *self, int64_t *numbers,
              int64_t count);
  /// Returns when all ranks have called it.
  void (*barrier)(const struct tamrt_communicator *self);
  /// Ends all ranks at once.
  void (*abort)(const struct tamrt_communicator *self, int status);
  /// Ends the use of the library; to be called last, by all.
  void (*finish)(const struct tamrt_communicator *self);
} tamrt_communicator;

/// The function that a library exports: connects with the other ranks. Returns
/// null, with the reason in `error`, if it cannot serve `version`.
#define TAMRT_COMMUNICATOR_OPEN "tamrt_communicator_open"
typedef const tamrt_communicator *(*tamrt_communicator_open_function)(
    int32_t version, char *error, int64_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif // TAMRT_COMMUNICATOR_H
