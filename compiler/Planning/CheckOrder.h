//===- Planning/CheckOrder.h - is this plan safe in any order? --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHECKORDER_H
#define TAMC_PLANNING_CHECKORDER_H

#include "tamc/Planning/Check.h"

namespace tamc::planning {

/// The first `limit` pairs of buffers that share bytes though some order of
/// the operations needs both at a time. A part of check(): shares no code with
/// the strategies. Offsets and sizes do not overflow.
std::vector<Finding> checkOrderSafety(const Problem &problem,
                                      std::span<const int64_t> offsets,
                                      size_t limit);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHECKORDER_H
