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
/// files.
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

} // namespace tamrt

#endif // TAMRT_SIGNALS_H
