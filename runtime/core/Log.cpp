//===- core/Log.cpp - log messages ----------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Log.h"

#include "io/ControlCharacters.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>

namespace tamrt {
namespace {

constexpr std::string_view kWords[] = {"none", "error", "warning", "info",
                                       "debug"};

std::string_view wordOf(LogLevel level) { return kWords[int(level) + 1]; }

std::optional<LogLevel> levelOf(std::string_view word) {
  for (int i = 0; i < int(std::size(kWords)); ++i)
    if (word == kWords[i])
      return LogLevel(i - 1);
  return std::nullopt;
}

/// The level in TAMRT_LOG; none if it is not set or has another word.
std::optional<LogLevel> wanted() {
  const char *word = std::getenv("TAMRT_LOG");
  return word ? levelOf(word) : std::nullopt;
}

struct State {
  std::mutex mutex;
  std::string name = "tamrt";
  std::atomic<int> level{int(wanted().value_or(LogLevel::None))};
};

State &state() {
  static State instance;
  return instance;
}

} // namespace

bool startLog(std::string_view name, LogLevel level) {
  State &log = state();
  std::lock_guard lock(log.mutex);
  log.name = name;
  log.level = int(wanted().value_or(level));
  const char *word = std::getenv("TAMRT_LOG");
  return !word || levelOf(word);
}

bool logs(LogLevel level) {
  return level != LogLevel::None && int(level) <= state().level;
}

void logLine(LogLevel level, std::string_view message) {
  if (!logs(level))
    return;
  State &log = state();
  std::lock_guard lock(log.mutex);
  const std::string line = lineOf(log.name, wordOf(level), message);
  for (size_t done = 0; done < line.size();) {
    const ssize_t count =
        ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    // A failure here cannot be reported.
    if (count <= 0)
      return;
    done += size_t(count);
  }
}

std::string lineOf(std::string_view name, std::string_view kind,
                   std::string_view message) {
  return std::string(name) + ": " + std::string(kind) + ": " +
         escapeControls(message) + '\n';
}

} // namespace tamrt
