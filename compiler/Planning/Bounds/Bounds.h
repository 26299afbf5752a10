//===- Planning/Bounds.h - lower bound of one instance ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_BOUNDS_H
#define TAMC_PLANNING_BOUNDS_H

#include "Problem/Instance.h"
#include "tamc/Planning/LowerBound.h"

namespace tamc::planning {

/// The bound of lowerBounds() for one space.
Bound boundOf(const Instance &instance);

} // namespace tamc::planning

#endif // TAMC_PLANNING_BOUNDS_H
