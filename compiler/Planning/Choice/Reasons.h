//===- Planning/Choice/Reasons.h - why a buffer is elsewhere ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_REASONS_H
#define TAMC_PLANNING_CHOICE_REASONS_H

#include "Strategies/Deadline.h"
#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

namespace tamc::planning {

/// Sets the reasons of a plan with spaces and offsets: one for each stay
/// outside the cheapest space of its buffer. O(n log n) and, for each stay that
/// would fit by its bytes, O(n); after a fixed number of steps, or when the
/// deadline has passed, such stays have Reason::Kind::Plan.
void setReasons(const Problem &problem, int64_t alignment,
                const Deadline &deadline, Plan &plan);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_REASONS_H
