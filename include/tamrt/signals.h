//===- tamrt/signals.h - signals that end a process -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The signals after which compiled models and tamc remove their temporary
/// files, and times without signals.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_SIGNALS_H
#define TAMRT_SIGNALS_H

#include <csignal>

namespace tamrt {

/// Whether a signal whose action is the default ends the process, and a handler
/// can run before that.
constexpr bool endsProcess(int signal) {
  switch (signal) {
  case SIGKILL:
  case SIGSTOP:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGCONT:
  case SIGCHLD:
  case SIGURG:
  case SIGWINCH:
    return false;
  default:
    return true;
  }
}

/// While it lives, no signal comes to the thread that made it, nor ever to
/// threads that it starts meanwhile, but for SIGKILL, SIGSTOP and faults of its
/// own, which end the process. Others may still get those of the process.
class AllSignalsBlocked {
public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  AllSignalsBlocked(const AllSignalsBlocked &) = delete;
  AllSignalsBlocked &operator=(const AllSignalsBlocked &) = delete;
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

} // namespace tamrt

#endif // TAMRT_SIGNALS_H
