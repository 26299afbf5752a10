//===- app/Timings.h - seconds per phase ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_TIMINGS_H
#define TAMRT_APP_TIMINGS_H

#include "app/CommandLine.h"
#include "tamrt/backend.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {

/// Wall-clock seconds of the consecutive phases of a run, from the construction
/// on.
class Timings {
public:
  /// Ends a phase: adds the time since the last phase ended to that of this
  /// phase.
  void end(std::string phase);

  /// Adds a number that is not a time, which is printed after the total.
  void note(std::string name, int64_t value);
  void note(std::string name, double value);

  /// Sets what the run's devices, which `name` lists, have done.
  void note(std::string name, const tamrt_device_counts &counts);

  /// The phases, "total" and the notes, as a table or as one line of JSON.
  /// Empty for None.
  std::string format(TimingsFormat format) const;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now(), last = start;
  std::vector<std::pair<std::string, double>> phases;
  std::vector<std::pair<std::string, std::string>> notes;
  std::string devices = "cpu";
  tamrt_device_counts counts = {};
};

} // namespace tamrt

#endif // TAMRT_APP_TIMINGS_H
