//===- tam-plan/TimeLimit.h - limit on the process time ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_TIMELIMIT_H
#define TAM_PLAN_TIMELIMIT_H

#include <chrono>
#include <limits>
#include <string>

/// The wall time of the whole process. Long operations get a share of the
/// remaining time. If one takes longer nevertheless, an alarm ends the process
/// with an error.
class TimeLimit {
public:
  using Clock = std::chrono::steady_clock;

  explicit TimeLimit(Clock::time_point begin) : begin(begin) {}

  /// Sets the limit and the alarm. When it rings before claim(), the message
  /// that `place` ran out of time goes to standard error, and the exit status
  /// is 2. At most one object of this class may be started.
  void start(double seconds, const std::string &place);

  /// The output begins, which must not be interrupted: disables the alarm.
  static void claim();

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// Never negative; infinite without a limit.
  double left() const { return elapsed() < limit ? limit - elapsed() : 0; }

private:
  Clock::time_point begin;
  double limit = std::numeric_limits<double>::infinity();
};

#endif // TAM_PLAN_TIMELIMIT_H
