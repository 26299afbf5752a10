//===- tools/tam-plan/Combinations.cpp - options of the others ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combinations.h"

#include <algorithm>

std::optional<std::pair<std::string, std::string>>
findIdleOption(const CLI::App &app) {
  const auto emit = app["--emit"]->as<std::string>();
  auto isGiven = [&](const char *option) { return app.count(option) > 0; };
  if (app["--format"]->as<std::string>() == "iopddl") {
    for (const char *option :
         {"--check", "--strategy", "--capacity", "--objective", "--evict",
          "--alignment", "--pools", "--outputs", "--reuse", "--bind",
          "--plan-at", "--schedule", "--compare", "--compare-with", "--explain",
          "--ignore-pins", "--width"})
      if (isGiven(option))
        return std::pair(option, "expected buffers, got the strategies of the "
                                 "format iopddl");
    if (emit != "json" && emit != "text")
      return std::pair("--emit",
                       "expected json with the format iopddl, got " + emit);
    return std::nullopt;
  }
  if (isGiven("--compare") && emit != "text" && emit != "html")
    return std::pair("--emit",
                     "expected text or html with --compare, got " + emit);
  if (isGiven("--explain") && emit != "text")
    return std::pair("--emit", "expected text with --explain, got " + emit);
  if (isGiven("--explain") && isGiven("--compare"))
    return std::pair("--explain", "expected no --compare with it");
  return std::nullopt;
}
