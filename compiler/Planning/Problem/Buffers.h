//===- Planning/Buffers.h - properties of buffers ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_BUFFERS_H
#define TAMC_PLANNING_BUFFERS_H

#include "tamc/Planning/Problem.h"

#include <optional>
#include <utility>
#include <vector>

namespace tamc::planning {

/// Whether a buffer holds any byte at any time.
bool occupies(const Buffer &buffer);

/// The parts of `time` in which a buffer holds bytes, and how many: first those
/// of its live intervals, then those of its windows.
std::vector<std::pair<Interval, int64_t>> holdingsWithin(const Buffer &buffer,
                                                         Interval time);

/// By buffer: its pin, or that of its alias class. The problem must be valid,
/// so that a class has at most one pin. O(n).
std::vector<std::optional<int64_t>> effectivePins(const Problem &problem);

} // namespace tamc::planning

#endif // TAMC_PLANNING_BUFFERS_H
