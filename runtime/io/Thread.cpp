//===- io/Thread.cpp - threads with a known stack -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Thread.h"

#include <system_error>

namespace tamrt {

Thread::Thread(void (*body)(void *), void *argument)
    : body(body), argument(argument) {
  pthread_attr_t attributes;
  int status = pthread_attr_init(&attributes);
  if (status == 0) {
    status = pthread_attr_setstacksize(&attributes, kStackBytes);
    if (status == 0)
      status = pthread_create(&handle, &attributes, call, this);
    pthread_attr_destroy(&attributes);
  }
  if (status != 0)
    throw std::system_error(status, std::generic_category());
}

void *Thread::call(void *self) {
  const auto *thread = static_cast<const Thread *>(self);
  thread->body(thread->argument);
  return nullptr;
}

void Thread::join() { pthread_join(handle, nullptr); }

} // namespace tamrt
