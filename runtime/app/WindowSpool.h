//===- app/WindowSpool.h - windows that wait for their turn -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_WINDOWSPOOL_H
#define TAMRT_APP_WINDOWSPOOL_H

#include "core/FunctionRef.h"
#include "io/AtomicFile.h"
#include "io/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The fits of windows of groups whose turn in a table has not come. They wait
/// in a file beside the table, which disappears; memory does not depend on
/// their number.
class WindowSpool {
public:
  /// `path` is the table's.
  WindowSpool(std::string path, size_t groups)
      : path(std::move(path)), queues(groups) {}

  /// What waits of a window: the keys of a row, the window's number in its
  /// group, and its coefficients.
  struct Fit {
    std::string_view keys;
    uint64_t index = 0;
    std::span<const double> coefficients;
  };

  /// Adds a fit behind those of its group. Errors: those of AtomicFile; a table
  /// that is no regular file.
  Status add(size_t group, const Fit &fit);

  /// Calls body(fit) for the fits of a group, in the order in which they were
  /// added. To be called once for a group, which gets none later. Errors: those
  /// of AtomicFile.
  Status take(size_t group, FunctionRef<void(const Fit &)> body);

private:
  /// Fits of a group: those in memory, and the places of the first and the last
  /// of its segments in the file, each of which has the place of the next one.
  struct Queue {
    std::string text;
    std::optional<uint64_t> first, last;
  };
  struct Segment {
    uint64_t next = 0, bytes = 0;
  };

  Status flush();

  std::string path;
  std::vector<Queue> queues;
  std::optional<AtomicFile> file;
  uint64_t end = 0;
  /// In all queues.
  size_t bytes = 0;
};

} // namespace tamrt

#endif // TAMRT_APP_WINDOWSPOOL_H
