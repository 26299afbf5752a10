//===- Planning/JsonPlace.h - where a value stands in JSON ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_JSONPLACE_H
#define TAMC_PLANNING_JSONPLACE_H

#include <cstdint>
#include <string_view>

namespace tamc::planning {

/// The 1-based line on which the value at `place`, like "buffers[3].size",
/// begins. Where the text has no such value it is the line of the innermost
/// value around it. `text` is valid JSON. O(text).
int64_t lineOfPlace(std::string_view text, std::string_view place);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JSONPLACE_H
