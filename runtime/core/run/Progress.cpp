//===- core/run/Progress.cpp - progress of a long run ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Progress.h"

#include <unistd.h>

namespace tamrt {
namespace {

constexpr auto kQuiet = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);
/// Back to the line's start, and erase it.
constexpr std::string_view kErase = "\r\033[K";

const ProgressSink *progressSink;

} // namespace

ProgressScope::ProgressScope(const ProgressSink &sink) { progressSink = &sink; }
ProgressScope::~ProgressScope() { progressSink = nullptr; }

Progress::Progress(int descriptor, std::string_view name,
                   Clock::time_point start)
    : descriptor(descriptor), name(name), next(start + kQuiet),
      enabled(progressSink || ::isatty(descriptor) == 1) {}

void Progress::show(std::string_view line) const {
  if (progressSink)
    return (*progressSink)(line);
  const std::string text = std::string(kErase).append(line);
  // Errors do not matter for a progress line.
  [[maybe_unused]] ssize_t written =
      ::write(descriptor, text.data(), text.size());
}

void Progress::update(std::string_view phase, size_t done, size_t total) {
  if (!enabled)
    return;
  Clock::time_point now = Clock::now();
  if (now < next)
    return;
  next = now + kInterval;
  std::string line = name;
  line += ": ";
  line += phase;
  if (total > 0)
    line +=
        ": " + std::to_string(int(100.0 * double(done) / double(total))) + "%";
  show(line);
  shown = true;
}

void Progress::clear() {
  if (!shown)
    return;
  show({});
  shown = false;
}

} // namespace tamrt
