//===- Planning/NameTable.h - buffers by name -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_NAMETABLE_H
#define TAMC_PLANNING_NAMETABLE_H

#include "tamc/Planning/Problem.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace tamc::planning {

/// Finds duplicates among the names of a problem's buffers. An open-addressing
/// table of hashes and indices: a million names take 16 MiB, without an
/// allocation for each.
class NameTable {
public:
  /// Reserves room for this many names.
  void reserve(size_t names) {
    if (size_t size = std::bit_ceil(2 * names + 2); size > entries.size())
      resize(size);
  }

  /// Inserts the name of buffer `index`; returns the index of a previous buffer
  /// with that name, or -1.
  int64_t insert(const Problem &problem, std::string_view name, size_t index) {
    if (2 * (count + 1) > entries.size())
      grow();
    auto hash = static_cast<uint32_t>(std::hash<std::string_view>{}(name));
    size_t at = hash & (entries.size() - 1);
    for (; entries[at].index >= 0; at = (at + 1) & (entries.size() - 1))
      if (entries[at].hash == hash &&
          problem.buffers[entries[at].index].name == name)
        return entries[at].index;
    entries[at] = {hash, static_cast<int32_t>(index)};
    ++count;
    return -1;
  }

private:
  struct Entry {
    uint32_t hash = 0;
    int32_t index = -1;
  };

  void grow() { resize(entries.empty() ? 64 : 2 * entries.size()); }

  void resize(size_t size) {
    std::vector<Entry> old(size);
    old.swap(entries);
    for (const Entry &entry : old) {
      if (entry.index < 0)
        continue;
      size_t at = entry.hash & (entries.size() - 1);
      while (entries[at].index >= 0)
        at = (at + 1) & (entries.size() - 1);
      entries[at] = entry;
    }
  }

  std::vector<Entry> entries;
  size_t count = 0;
};

/// As validate(). `unique`: names are known to be distinct and are not
/// compared.
std::optional<Diagnostic> validateNamed(const Problem &problem,
                                        int64_t alignment, bool unique);

} // namespace tamc::planning

#endif // TAMC_PLANNING_NAMETABLE_H
