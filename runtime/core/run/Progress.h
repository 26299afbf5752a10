//===- core/run/Progress.h - progress of a long run -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A line on the terminal with the progress of a long run.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PROGRESS_H
#define TAMRT_CORE_RUN_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tamrt {

/// Where lines of progress go instead of a terminal; an empty one removes the
/// line before. Called by the thread of the run.
using ProgressSink = std::function<void(std::string_view line)>;

/// While it lives, progress calls a sink. One at a time.
class ProgressScope {
public:
  explicit ProgressScope(const ProgressSink &sink);
  ProgressScope(const ProgressScope &) = delete;
  ProgressScope &operator=(const ProgressScope &) = delete;
  ~ProgressScope();
};

/// Shows "load: fit: 35%" on a terminal once the run has taken a second, and
/// removes it at the end. Used by one thread.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  /// Writes to `descriptor`, if that is a terminal, lines that start with
  /// `name`. The run started at `start`.
  Progress(int descriptor, std::string_view name,
           Clock::time_point start = Clock::now());
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress() { clear(); }

  /// Reports that `done` of `total` of `phase` is done. Cheap: writes at most
  /// five times a second.
  void update(std::string_view phase, size_t done, size_t total);

  /// Removes the line.
  void clear();

private:
  void show(std::string_view line) const;

  int descriptor;
  std::string name;
  Clock::time_point next;
  bool enabled;
  bool shown = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PROGRESS_H
