//===- core/Log.h - log messages --------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Messages of the runtime, by severity, on standard error. Only the command
/// line of a model prints them; inside another program they are printed only if
/// TAMRT_LOG says so.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LOG_H
#define TAMRT_CORE_LOG_H

#include "tamrt/backend.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tamrt {

enum class LogLevel {
  /// Nothing is printed.
  None = -1,
  Error = TAMRT_LOG_ERROR,
  Warning = TAMRT_LOG_WARNING,
  Info = TAMRT_LOG_INFO,
  Debug = TAMRT_LOG_DEBUG
};

/// Starts logging for the program `name`, which is printed at the start of each
/// line, from `level` on unless TAMRT_LOG has another: none, error, warning,
/// info or debug. \returns false if TAMRT_LOG has another word, which is
/// ignored.
bool startLog(std::string_view name, LogLevel level);

/// Whether lines of that level are printed. None are before `startLog`, unless
/// TAMRT_LOG says so.
bool logs(LogLevel level);

/// Prints "name: warning: message" with a single write, so that lines of
/// several threads do not mix. Control characters, which data may contain, are
/// written as "\x0a".
void logLine(LogLevel level, std::string_view message);

/// The same, formatted only when it is printed.
template <class... Arguments>
void log(LogLevel level, fmt::format_string<Arguments...> format,
         Arguments &&...arguments) {
  if (logs(level))
    logLine(level, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// A line of `kind`, such as "load: error: no such file", with its line end.
std::string lineOf(std::string_view name, std::string_view kind,
                   std::string_view message);

} // namespace tamrt

#endif // TAMRT_CORE_LOG_H
