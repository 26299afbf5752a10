//===- core/data/GroupRuns.h - neighbouring rows of a group -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs of rows of the same group: in a file that has one group after another,
/// what is done for each run costs little for a row.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_GROUPRUNS_H
#define TAMRT_CORE_DATA_GROUPRUNS_H

#include "core/data/RowReader.h"

#include <cstddef>
#include <cstdint>

namespace tamrt {

/// Calls body(group, first, count) for the longest runs of rows of a group, in
/// the order of the rows. Without a group column all are of group 0.
template <class Body> void forEachRun(const Rows &rows, const Body &body) {
  if (rows.groups.empty()) {
    if (rows.count > 0)
      body(uint32_t(0), size_t(0), rows.count);
    return;
  }
  const uint32_t *groups = rows.groups.data();
  for (size_t first = 0, next; first < rows.count; first = next) {
    next = first + 1;
    while (next < rows.count && groups[next] == groups[first])
      ++next;
    body(groups[first], first, next - first);
  }
}

} // namespace tamrt

#endif // TAMRT_CORE_DATA_GROUPRUNS_H
