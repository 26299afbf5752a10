//===- tam-plan/TimeLimit.h - limit on the process time ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_TIMELIMIT_H
#define TAM_PLAN_TIMELIMIT_H

#include <algorithm>
#include <chrono>
#include <limits>

/// A limit on the wall time of the whole process. It only bounds the searches,
/// each of which gets a share of the remaining time. Nothing ends the process:
/// reading, one quick plan, checking and writing always run to their end.
class TimeLimit {
public:
  using Clock = std::chrono::steady_clock;

  /// `seconds` from `begin`; no limit if they are 0.
  TimeLimit(Clock::time_point begin, double seconds) : begin(begin) {
    if (seconds > 0)
      limit = seconds;
  }

  /// Keeps a part of the limit free for the steps after the searches.
  void reserve(double seconds) { limit -= seconds; }

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// For searches. Never negative; infinite without a limit.
  double left() const { return std::max(limit - elapsed(), 0.0); }

private:
  Clock::time_point begin;
  double limit = std::numeric_limits<double>::infinity();
};

#endif // TAM_PLAN_TIMELIMIT_H
