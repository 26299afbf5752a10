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

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {

/// Wall-clock seconds of the phases of a run, one after another from the
/// construction on.
class Timings {
public:
  /// Ends a phase: it took the time since the last one ended.
  void end(std::string phase);

  /// The phases and "total": a table, or one line of JSON. Empty for None.
  std::string format(TimingsFormat format) const;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now(), last = start;
  std::vector<std::pair<std::string, double>> phases;
};

} // namespace tamrt

#endif // TAMRT_APP_TIMINGS_H
