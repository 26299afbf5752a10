//===- core/data/Groups.cpp - the groups of a file ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Groups.h"

#include "io/CsvText.h"
#include "io/Number.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tamrt {

/// Most names in a message.
static constexpr size_t kMaxNamesShown = 20;

bool areNumbers(const TextIndex &groups) {
  bool any = false;
  for (uint32_t id = 0; id < groups.size(); ++id) {
    if (isMissing(groups[id]))
      continue;
    if (!parseNumber(groups[id]))
      return false;
    any = true;
  }
  return any;
}

GroupOrder sortGroups(const TextIndex &groups, bool grouped) {
  if (!grouped)
    return {{""}, {}};
  const bool numeric = areNumbers(groups);
  std::vector<uint32_t> ids;
  std::vector<ExactNumber> numbers(groups.size());
  for (uint32_t id = 0; id < groups.size(); ++id) {
    if (numeric && isMissing(groups[id]))
      continue;
    ids.push_back(id);
    if (numeric)
      numbers[id] = *parseExactNumber(groups[id]);
  }
  std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
    if (!numeric)
      return groups[a] < groups[b];
    return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : a < b;
  });
  GroupOrder order;
  order.places.assign(groups.size(), std::numeric_limits<uint32_t>::max());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i == 0 || !numeric || numbers[ids[i]] != numbers[ids[i - 1]])
      order.names.emplace_back(groups[ids[i]]);
    order.places[ids[i]] = uint32_t(order.names.size() - 1);
  }
  return order;
}

GroupNames::GroupNames(std::span<const std::string> names) : list(names) {
  for (uint32_t place = 0; place < names.size(); ++place)
    texts.emplace(names[place], place);
  for (uint32_t place = 0; place < names.size(); ++place) {
    std::optional<ExactNumber> number = parseExactNumber(names[place]);
    // Weights may have several groups whose names are equal numbers.
    if (!number || !numbers.emplace(*number, place).second) {
      numbers.clear();
      return;
    }
  }
}

std::optional<uint32_t> GroupNames::find(std::string_view value) const {
  if (auto at = texts.find(value); at != texts.end())
    return at->second;
  std::optional<ExactNumber> number;
  if (numeric())
    number = parseExactNumber(value);
  auto at = number ? numbers.find(*number) : numbers.end();
  return at == numbers.end() ? std::nullopt : std::optional(at->second);
}

GroupOrder GroupNames::order() const {
  GroupOrder order;
  order.names.assign(list.begin(), list.end());
  order.places.resize(list.size());
  std::iota(order.places.begin(), order.places.end(), uint32_t(0));
  return order;
}

std::string GroupNames::shown() const {
  std::string text;
  const size_t shown = std::min(list.size(), kMaxNamesShown);
  for (size_t i = 0; i < shown; ++i)
    text += (i > 0 ? ", '" : "'") + shownText(list[i]) + "'";
  if (shown < list.size())
    text += " and " + std::to_string(list.size() - shown) + " more";
  return text;
}

} // namespace tamrt
