//===- tools/tam-plan/Combinations.h - options of the others ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_COMBINATIONS_H
#define TAM_PLAN_COMBINATIONS_H

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>

/// Of the options that were given, one that would do nothing because of
/// another, and an error message; nothing if there is none. What depends on the
/// problem is not looked at.
std::optional<std::pair<std::string, std::string>>
findIdleOption(const CLI::App &app);

#endif // TAM_PLAN_COMBINATIONS_H
