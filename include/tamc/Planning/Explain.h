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

/// Explains the peak of each space, or of those of spacesToShow() if there are
/// many, in lines of text. Lists the buffers alive when the load is largest,
/// which is the bound; and, from the buffer that reaches the peak downwards,
/// the chain of buffers each of which lies on the next, with the unused bytes
/// between them. With Reuse::BranchSafe a buffer also lies on those that it
/// conflicts with in other orders.
std::string explain(const Problem &problem, const Plan &plan,
                    int64_t alignment = 1, Reuse reuse = Reuse::Program);

} // namespace tamc::planning

#endif // TAMC_PLANNING_EXPLAIN_H
