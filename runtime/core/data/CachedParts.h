//===- core/data/CachedParts.h - rows copied while cached -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In which order rows are copied from the order of a file to that of groups.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_CACHEDPARTS_H
#define TAMRT_CORE_DATA_CACHEDPARTS_H

#include "core/data/Dataset.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamrt {

/// Parts of the rows `order` of groups, in an order in which rows that are next
/// to each other in the file are copied at almost the same time: the groups of
/// a file may alternate.
std::vector<std::span<const uint32_t>>
partsOf(std::span<const uint32_t> order, const std::vector<Group> &groups);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_CACHEDPARTS_H
