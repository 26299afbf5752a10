//===- Planning/Deadline.h - deadlines of searches --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_DEADLINE_H
#define TAMC_PLANNING_DEADLINE_H

#include "tamc/Planning/Strategy.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tamc::planning {

/// The end of Options::timeLimit, counted from construction, or a stop
/// requested by another thread.
class Deadline {
public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(const Options &options) : begin(Clock::now()) {
    if (options.timeLimit)
      end =
          begin +
          std::chrono::duration_cast<Clock::duration>(
              std::chrono::duration<double>(std::min(*options.timeLimit, 1e9)));
  }
  bool passed() const {
    return (stop && stop->load(std::memory_order_relaxed)) ||
           (end != Clock::time_point::max() && Clock::now() >= end);
  }
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// Seconds until the deadline; infinite without a limit.
  double left() const {
    return end == Clock::time_point::max()
               ? std::numeric_limits<double>::infinity()
               : std::chrono::duration<double>(end - Clock::now()).count();
  }
  /// The deadline also counts as passed once this flag is set.
  void stopWith(const std::atomic<bool> *flag) { stop = flag; }

private:
  Clock::time_point begin, end = Clock::time_point::max();
  const std::atomic<bool> *stop = nullptr;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_DEADLINE_H
