//===- Planning/Sections.h - maximal sections of time -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SECTIONS_H
#define TAMC_PLANNING_SECTIONS_H

#include "Problem/Instance.h"

#include <cstdint>
#include <vector>

namespace tamc::planning {

/// The maximal sections of an instance: the sets of items alive at one time
/// that no other such set contains. Two items conflict if and only if they
/// share a section. Gaps are ignored: an item lives from its first to its last
/// piece. O(n log n).
struct Sections {
  explicit Sections(const Instance &instance);

  /// Number of sections.
  int32_t count = 0;
  /// By item: it is alive in the sections [lower, upper).
  std::vector<int32_t> lower, upper;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_SECTIONS_H
