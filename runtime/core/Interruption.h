//===- core/Interruption.h - ends a run early -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ends the run of a program that contains the runtime: an executable ends by
/// its signal. Loops that take long call `checkInterruption`, whose exception
/// passes through the runtime as std::bad_alloc does, so that all memory and
/// files of the run are released.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_INTERRUPTION_H
#define TAMRT_CORE_INTERRUPTION_H

#include <atomic>
#include <exception>

namespace tamrt {

struct Interrupted : std::exception {
  const char *what() const noexcept override { return "interrupted"; }
};

/// Whether the current run is to end. Runs of a process take turns; the one
/// that begins sets it to false.
inline std::atomic<bool> isInterrupted = false;

/// Throws Interrupted if the run is to end. O(1), a load.
inline void checkInterruption() {
  if (isInterrupted.load(std::memory_order_relaxed)) [[unlikely]]
    throw Interrupted();
}

} // namespace tamrt

#endif // TAMRT_CORE_INTERRUPTION_H
