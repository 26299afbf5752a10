//===- memory/TagTable.h - counts by tag ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_TAGTABLE_H
#define TAMRT_MEMORY_TAGTABLE_H

#include "tamrt/memory/Statistics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The tags of an allocator; the first one, without a name, is for requests
/// without a tag. Not thread-safe.
class TagTable {
public:
  TagTable() : records(1) {}

  /// 0 if there is no memory for a new name. O(log tags); O(tags) for a new
  /// name.
  uint32_t open(std::string_view name) noexcept {
    const auto place =
        std::lower_bound(byName.begin(), byName.end(), name,
                         [&](uint32_t each, std::string_view wanted) {
                           return records[each].name < wanted;
                         });
    const bool isKnown = place != byName.end() && records[*place].name == name;
    const uint32_t tag = isKnown ? *place : add(name, place - byName.begin());
    if (tag == 0)
      return 0;
    TagStatistics &record = records[tag];
    ++record.openings;
    ++record.open;
    record.latestPeak = record.requested.now;
    return tag;
  }
  void close(uint32_t tag) noexcept {
    if (tag != 0 && tag < records.size() && records[tag].open > 0)
      --records[tag].open;
  }

  /// The tag itself, or 0 if it does not exist.
  uint32_t known(uint32_t tag) const { return tag < records.size() ? tag : 0; }
  void allocated(uint32_t tag, size_t bytes) noexcept {
    TagStatistics &record = records[tag];
    record.requested.add(bytes);
    record.latestPeak = std::max(record.latestPeak, record.requested.now);
    ++record.requests;
    record.bytes += bytes;
  }
  void released(uint32_t tag, size_t bytes) noexcept {
    records[tag].requested.subtract(bytes);
  }

  const std::vector<TagStatistics> &all() const { return records; }

private:
  uint32_t add(std::string_view name, ptrdiff_t place) noexcept {
    auto tag = static_cast<uint32_t>(records.size());
    try {
      // Names are few, and most runs have the same four.
      if (records.size() == records.capacity())
        records.reserve(records.size() + std::max(records.size(), size_t(4)));
      records.emplace_back().name = name;
      byName.insert(byName.begin() + place, tag);
    } catch (const std::exception &) {
      records.resize(tag);
      return 0;
    }
    return tag;
  }

  std::vector<TagStatistics> records;
  /// The tags except the first one, in the order of their names.
  std::vector<uint32_t> byName;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_TAGTABLE_H
