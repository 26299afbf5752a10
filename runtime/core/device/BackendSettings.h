//===- core/device/BackendSettings.h - settings of a backend ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_BACKENDSETTINGS_H
#define TAMRT_CORE_DEVICE_BACKENDSETTINGS_H

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tamrt {

/// The settings of a backend, which are environment variables. A backend cannot
/// report what is wrong with one until it is asked for its devices: it is kept
/// until then. Not for several threads at once.
class BackendSettings {
public:
  /// The whole number in the variable. `otherwise` if that is empty or not set,
  /// or, which is wrong, is not a number of at least `least`.
  int64_t number(const char *name, int64_t otherwise, int64_t least = 0) {
    const char *given = std::getenv(name);
    const std::string_view text = given ? given : "";
    if (text.empty())
      return otherwise;
    const char *end = text.data() + text.size();
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least)
      return value;
    if (reason.empty())
      reason = "expected a whole number of at least " + std::to_string(least) +
               " as " + name + ", got '" + std::string(text) + "'";
    return otherwise;
  }

  /// What is wrong with the first such variable that was read; empty if none.
  const std::string &wrong() const { return reason; }

private:
  std::string reason;
};

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_BACKENDSETTINGS_H
