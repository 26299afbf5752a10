//===- io/Thread.h - threads with a known stack -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thread whose stack does not depend on the limits of the process.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_THREAD_H
#define TAMRT_IO_THREAD_H

#include "tamrt/abi.h"

#include <cstddef>
#include <pthread.h>

namespace tamrt {

/// A thread. It must be joined before it is destroyed.
class Thread {
public:
  /// Bytes of its stack. Sanitizers make the runtime's frames larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr size_t kStackBytes = 8 * size_t(TAMRT_STACK_BYTES);
#else
  static constexpr size_t kStackBytes = TAMRT_STACK_BYTES;
#endif

  /// Calls `body(argument)` on the new thread. Throws std::system_error if the
  /// system cannot start a thread or has no memory for its stack.
  Thread(void (*body)(void *), void *argument);
  Thread(const Thread &) = delete;
  Thread &operator=(const Thread &) = delete;

  /// Waits until `body` has returned.
  void join();

private:
  static void *call(void *self);

  void (*body)(void *);
  void *argument;
  pthread_t handle;
};

} // namespace tamrt

#endif // TAMRT_IO_THREAD_H
