//===- core/Trace.cpp - traces of runs ------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <new>

namespace tamrt {

bool Trace::add(char phase, unsigned lane, const char *name,
                std::initializer_list<Argument> arguments) noexcept {
  Event event = {phase, 0, lane, 0, name, {}};
  for (const Argument &argument : arguments)
    if (event.arguments < kMaxArguments)
      event.argument[event.arguments++] = argument;
  std::lock_guard lock(mutex);
  return add(event);
}

bool Trace::add(Event &event) noexcept {
  const size_t needed = events.size() + open + (event.phase == 'B' ? 2 : 1);
  if (event.phase == 'E') {
    --open;
  } else if (needed > events.capacity()) {
    try {
      events.reserve(std::max(needed, 2 * events.capacity()));
    } catch (const std::bad_alloc &) {
      ++lostEvents;
      return false;
    }
  }
  open += event.phase == 'B';
  // Set inside the lock, so that events are in the order of time.
  event.microseconds =
      std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  events.push_back(event);
  return true;
}

bool Trace::begin(unsigned lane, const char *name,
                  std::initializer_list<Argument> arguments) noexcept {
  return add('B', lane, name, arguments);
}

void Trace::end(unsigned lane) noexcept { add('E', lane, nullptr, {}); }

void Trace::instant(unsigned lane, const char *name,
                    std::initializer_list<Argument> arguments) noexcept {
  add('i', lane, name, arguments);
}

void Trace::counter(const char *name,
                    const std::atomic<int64_t> &value) noexcept {
  std::lock_guard lock(mutex);
  Event event = {'C', 1, 0, 0, name, {{"bytes", value}}};
  add(event);
}

int64_t Trace::lost() const {
  std::lock_guard lock(mutex);
  return lostEvents;
}

/// A text of a model as a JSON string.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result + '"';
}

/// Perfetto treats thread 0 as no thread and shows its spans on the main
/// thread, whose number is that of its process.
static constexpr unsigned kProcess = 1;
static unsigned threadOf(unsigned lane) { return kProcess + lane; }

std::string Trace::json(const std::string &process) const {
  std::lock_guard lock(mutex);
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"lost events\":{}}},"
      "\"traceEvents\":[\n{{\"name\":"
      "\"process_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":"
      "{}}}}}",
      lostEvents, kProcess, threadOf(0), quoted(process));
  unsigned lanes = 1;
  for (const Event &event : events)
    lanes = std::max(lanes, event.lane + 1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    text += fmt::format(
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},"
        "\"args\":{{\"name\":\"{}\"}}}}",
        kProcess, threadOf(lane),
        lane == 0 ? "main" : fmt::format("worker {}", lane));
  auto out = std::back_inserter(text);
  for (const Event &event : events) {
    fmt::format_to(
        out, ",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f}",
        event.phase, kProcess, threadOf(event.lane), event.microseconds);
    if (event.name)
      fmt::format_to(out, ",\"name\":\"{}\"", event.name);
    if (event.phase == 'i')
      text += ",\"s\":\"t\"";
    for (unsigned i = 0; i < event.arguments; ++i)
      fmt::format_to(out, "{}\"{}\":{}", i ? "," : ",\"args\":{",
                     event.argument[i].key, event.argument[i].value);
    text += event.arguments ? "}}" : "}";
  }
  return text + "\n]}\n";
}

} // namespace tamrt
