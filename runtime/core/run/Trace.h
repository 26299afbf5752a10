//===- core/run/Trace.h - what a run did, and when --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A record of a run in the trace event format that Perfetto and Chrome open:
/// chunks on each thread, allocations as a counter, rungs and retries.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_TRACE_H
#define TAMRT_CORE_RUN_TRACE_H

#include "io/Error.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace tamrt {

/// A record in memory. Names and keys are literals: only their addresses are
/// kept. Safe to use from several threads; what happens on one lane must come
/// from one thread at a time.
class Trace {
public:
  /// A number that belongs to an event.
  struct Argument {
    const char *key;
    int64_t value;
  };

  /// Begins and ends a span of time on a lane; spans of a lane nest.
  void begin(unsigned lane, const char *name,
             std::initializer_list<Argument> arguments = {});
  void end(unsigned lane);

  /// Something that took no time.
  void instant(unsigned lane, const char *name,
               std::initializer_list<Argument> arguments = {});

  /// A number that several threads change: what it is when the event is noted,
  /// so that the last event has the last number.
  void counter(const char *name, const std::atomic<int64_t> &value);

  /// The events, by time, as one JSON object. Lane 0 is called `main`, others
  /// "worker N".
  std::string json(const std::string &process) const;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMostArguments = 3;
  struct Event {
    char phase;
    uint8_t arguments;
    unsigned lane;
    double microseconds;
    const char *name;
    Argument argument[kMostArguments];
  };

  void add(char phase, unsigned lane, const char *name,
           std::initializer_list<Argument> arguments);
  void add(Event &event);

  const Clock::time_point start = Clock::now();
  mutable std::mutex mutex;
  std::vector<Event> events;
};

/// A span of a trace that may not be there.
class TraceSpan {
public:
  TraceSpan(Trace *trace, unsigned lane, const char *name,
            std::initializer_list<Trace::Argument> arguments = {})
      : trace(trace), lane(lane) {
    if (trace)
      trace->begin(lane, name, arguments);
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;
  ~TraceSpan() {
    if (trace)
      trace->end(lane);
  }

private:
  Trace *trace;
  unsigned lane;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TRACE_H
