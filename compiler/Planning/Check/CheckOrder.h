//===- Planning/CheckOrder.h - checks a plan for all orders -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHECKORDER_H
#define TAMC_PLANNING_CHECKORDER_H

#include "tamc/Planning/Check.h"

#include <functional>
#include <optional>
#include <utility>

namespace tamc::planning {

/// The first `limit` pairs of buffers that share bytes although some order of
/// the operations needs both at one time. A part of check(): shares no code
/// with the strategies. Offsets plus sizes must not overflow.
std::vector<Finding> checkOrderSafety(const Problem &problem,
                                      std::span<const int64_t> offsets,
                                      size_t limit);

/// The first pair of buffers that some order of the operations needs at one
/// time and for which `isApart` is false. Sizes are ignored; a buffer whose
/// live range is empty is never needed.
std::optional<std::pair<int32_t, int32_t>>
findOrderConflict(const Problem &problem,
                  const std::function<bool(int32_t, int32_t)> &isApart);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHECKORDER_H
