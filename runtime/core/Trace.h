//===- core/Trace.h - traces of runs ----------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A trace of a run in the event format that Perfetto and Chrome open:
/// chunks on each thread, allocations as a counter, rungs and retries.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_TRACE_H
#define TAMRT_CORE_TRACE_H

#include "io/Error.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace tamrt {

/// A record of events in memory. Names and keys must be literals: only their
/// addresses are kept. May be used from several threads; events of one lane
/// must come from one thread at a time.
///
/// No function throws, because events are also recorded when memory is
/// released. An event is lost if there is no memory for it; spans that have
/// begun always end.
class Trace {
public:
  /// A numeric argument of an event.
  struct Argument {
    const char *key;
    int64_t value;
  };

  /// Begins a span of time on a lane; spans of a lane nest. Returns false if it
  /// is lost: then it must not be ended.
  bool begin(unsigned lane, const char *name,
             std::initializer_list<Argument> arguments = {}) noexcept;
  void end(unsigned lane) noexcept;

  /// An event without duration.
  void instant(unsigned lane, const char *name,
               std::initializer_list<Argument> arguments = {}) noexcept;

  /// Records a number that several threads change: its value is read when the
  /// event is recorded, so that the last event has the last value.
  void counter(const char *name, const std::atomic<int64_t> &value) noexcept;

  /// Events that were lost.
  int64_t lost() const;

  /// The events, by time, as one JSON object. Lane 0 is named `main`, others
  /// "worker N".
  std::string json(const std::string &process) const;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxArguments = 3;
  struct Event {
    char phase;
    uint8_t arguments;
    unsigned lane;
    double microseconds;
    const char *name;
    Argument argument[kMaxArguments];
  };

  bool add(char phase, unsigned lane, const char *name,
           std::initializer_list<Argument> arguments) noexcept;
  bool add(Event &event) noexcept;

  const Clock::time_point start = Clock::now();
  mutable std::mutex mutex;
  std::vector<Event> events;
  /// Spans that have begun and not ended; `events` has reserved room for their
  /// ends.
  size_t open = 0;
  int64_t lostEvents = 0;
};

/// A span of a trace, which may be null.
class TraceSpan {
public:
  TraceSpan(Trace *trace, unsigned lane, const char *name,
            std::initializer_list<Trace::Argument> arguments = {})
      : trace(trace && trace->begin(lane, name, arguments) ? trace : nullptr),
        lane(lane) {}
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

#endif // TAMRT_CORE_TRACE_H
