//===- tam-plan/TimeLimit.cpp - limit on the process time -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeLimit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <sys/time.h>
#include <unistd.h>

namespace {

/// Variables for the signal handler.
std::atomic<bool> claimed = false;
std::string message;

void ring(int) {
  if (claimed.exchange(true))
    return;
  // An error of this write cannot be reported.
  (void)!write(STDERR_FILENO, message.data(), message.size());
  _exit(2);
}

} // namespace

void TimeLimit::start(double seconds, const std::string &place) {
  limit = seconds;
  message = place + ": error: no plan was written within the time limit\n";
  // A plan that is a little late is better than none.
  double alarm = std::clamp(1.05 * seconds + 0.15 - elapsed(), 1e-6, 1e8);
  struct sigaction action = {};
  action.sa_handler = ring;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(alarm);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (alarm - std::floor(alarm)));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void TimeLimit::claim() { claimed = true; }
