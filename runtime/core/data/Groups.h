//===- core/data/Groups.h - the groups of a file ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which group values are the same group, and in which order groups are
/// (docs/math.md section 2.1): where all values are numbers, 1 and 1.0 are one
/// group; else every text is a group of its own.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_GROUPS_H
#define TAMRT_CORE_DATA_GROUPS_H

#include "io/TextIndex.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tamrt {

/// The groups of a file in order.
struct GroupOrder {
  std::vector<std::string> names;
  /// For each group value, by its number in the reader, the place of its group
  /// in `names`.
  std::vector<uint32_t> places;
};

/// Whether group values are numbers: there is one, and all are but those that
/// a column of numbers lacks (`isMissing`).
bool areNumbers(const TextIndex &groups);

/// Sorts groups: as numbers where all values are, else by bytes. A group is
/// called what its first value is. Without a group column (`grouped` false)
/// there is one, "". Of numbers, a value that is missing has no place.
GroupOrder sortGroups(const TextIndex &groups, bool grouped);

/// Finds groups that were trained.
class GroupNames {
public:
  /// `names`, which are distinct, must outlive this.
  explicit GroupNames(std::span<const std::string> names);

  std::span<const std::string> names() const { return list; }
  bool numeric() const { return !numbers.empty(); }

  /// Place of the group with this value.
  std::optional<uint32_t> find(std::string_view value) const;

  /// The order of values that `find` gave the places of.
  GroupOrder order() const;

  /// The first names, for messages: "'1', '2' and 46 more".
  std::string shown() const;

private:
  std::span<const std::string> list;
  std::unordered_map<std::string_view, uint32_t> texts;
  std::map<double, uint32_t> numbers;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_GROUPS_H
