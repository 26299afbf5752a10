//===- core/data/Groups.h - the groups of a file ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The identity and the order of groups (docs/math.md section 2.1): if all
/// values are numbers, 1 and 1.0 are one group, and numbers that differ are
/// different groups, even if a double cannot tell; otherwise every text is a
/// group of its own.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_GROUPS_H
#define TAMRT_CORE_DATA_GROUPS_H

#include "io/TextIndex.h"
#include "tamrt/decimal.h"

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
  /// For each group value, by its index in the reader, the index of its group
  /// in `names`.
  std::vector<uint32_t> places;
};

/// Whether group values are numbers: there is at least one number, and all
/// others are missing values (`isMissing`).
bool areNumbers(const TextIndex &groups);

/// Sorts groups: as numbers if all values are numbers, else by bytes. A group's
/// name is its first value. Without a group column (`grouped` false) there is
/// one group, "". Among numbers, a missing value has no place.
GroupOrder sortGroups(const TextIndex &groups, bool grouped);

/// Finds groups that were trained.
class GroupNames {
public:
  /// `names`, which are distinct, must outlive this.
  explicit GroupNames(std::span<const std::string> names);

  std::span<const std::string> names() const { return list; }
  bool numeric() const { return !numbers.empty(); }

  /// Index of the group with this value.
  std::optional<uint32_t> find(std::string_view value) const;

  /// The order of values whose places `find` returned.
  GroupOrder order() const;

  /// The first names, for messages: "'1', '2' and 46 more".
  std::string shown() const;

private:
  std::span<const std::string> list;
  std::unordered_map<std::string_view, uint32_t> texts;
  std::map<ExactNumber, uint32_t> numbers;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_GROUPS_H
