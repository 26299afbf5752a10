//===- PhaseClock.h - time of each phase ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PIPELINES_PHASECLOCK_H
#define TAMC_PIPELINES_PHASECLOCK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tamc {

/// Measures the phases of a compilation. On a terminal it shows the current
/// phase on the standard error once the compilation has taken two seconds.
class PhaseClock {
public:
  /// The line on the terminal is "NAME: PHASE". It is shown only if `isShown`,
  /// and removed when the clock stops.
  PhaseClock(llvm::StringRef name, bool isShown);
  PhaseClock(const PhaseClock &) = delete;
  PhaseClock &operator=(const PhaseClock &) = delete;
  ~PhaseClock();

  /// Ends the current phase, if there is one, and starts another.
  void start(llvm::StringRef phase);

  /// Ends the current phase and removes the line. Idempotent.
  void stop();

  /// Writes a line per phase, in order, and the total: name and seconds of
  /// wall-clock time.
  void print(llvm::raw_ostream &out) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    Clock::duration time{};
  };

  void show();
  void watch();

  std::string name;
  llvm::SmallVector<Phase> phases;
  Clock::time_point begin = Clock::now(), last = begin;
  bool isRunning = false;

  /// State shared with the thread that writes the line.
  std::mutex mutex;
  std::condition_variable wake;
  std::string shown;
  bool isLate = false, isDone = false;
  std::thread watcher;
};

} // namespace tamc

#endif // TAMC_PIPELINES_PHASECLOCK_H
