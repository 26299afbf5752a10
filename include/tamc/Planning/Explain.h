//===- Planning/Explain.h - explains a peak ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_EXPLAIN_H
#define TAMC_PLANNING_EXPLAIN_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

#include <cstdint>
#include <string>

namespace tamc::planning {

/// For each space, or those of spacesToShow() where there are many: the buffers
/// alive where the load is largest, which is the
/// bound; and the chain below the buffer that reaches the peak, each resting on
/// the next one down, with the bytes that lie unused in between. Lines of text.
/// With Reuse::BranchSafe a buffer also rests on those that it conflicts with
/// in other orders.
std::string explain(const Problem &problem, const Plan &plan,
                    int64_t alignment = 1, Reuse reuse = Reuse::Program);

} // namespace tamc::planning

#endif // TAMC_PLANNING_EXPLAIN_H
