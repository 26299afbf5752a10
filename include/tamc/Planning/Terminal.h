//===- Planning/Terminal.h - text for a terminal ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_TERMINAL_H
#define TAMC_PLANNING_TERMINAL_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamc::planning {

/// The text as one line without control sequences. Each byte of a control
/// character, of a character that changes the writing direction, and of invalid
/// UTF-8 is written in the form "\x1b".
std::string escapeControls(std::string_view text);

/// escapeControls() on every name of the problem. Different names may become
/// equal: afterwards the problem is only for printing.
void escapeNames(Problem &problem);

/// The spaces that a text or a picture shows, ascending: all if there are at
/// most 16, else the 16 with the highest peaks. O(spaces log spaces).
std::vector<int32_t> spacesToShow(const Problem &problem, const Plan &plan);

} // namespace tamc::planning

#endif // TAMC_PLANNING_TERMINAL_H
