//===- Planning/JsonText.h - JSON text with places of errors ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_JSONTEXT_H
#define TAMC_PLANNING_JSONTEXT_H

#include "Format/JsonPlace.h"
#include "tamc/Planning/Problem.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tamc::planning {

/// An error at a value, whose place is like "buffers[3].size"; thrown by what
/// readJsonText() calls. `message` includes the place.
struct JsonError {
  std::string place, message;
};

/// The error `message` at byte `position` of a text.
Diagnostic diagnosticAt(std::string_view text, size_t position,
                        std::string message);

/// Parses a text and calls `read` with its value. Returns the error, with its
/// line and column: that of the text, or the JsonError that `read` throws.
/// Lists of lists of whole numbers at the place `ignored` are checked, not
/// parsed, which takes a tenth of the time: `read` sees an empty list there.
std::optional<Diagnostic>
readJsonText(std::string_view text,
             const std::function<void(const nlohmann::ordered_json &)> &read,
             std::string_view ignored = {});

} // namespace tamc::planning

#endif // TAMC_PLANNING_JSONTEXT_H
