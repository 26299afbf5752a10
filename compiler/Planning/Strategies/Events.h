//===- Planning/Events.h - allocations and releases in order ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_EVENTS_H
#define TAMC_PLANNING_EVENTS_H

#include "Problem/Instance.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamc::planning {

/// The begin or the end of an item's live range.
struct Event {
  int32_t time;
  bool begins;
  int32_t item;
};

/// The events of all items without a pin, in order. At one time, ends come
/// before begins. Gaps are not releases. O(n log n).
inline std::vector<Event> eventsOf(const Instance &instance) {
  std::vector<Event> events;
  for (size_t i = 0; i < instance.size(); ++i) {
    const Item &item = instance.items[i];
    if (item.pin >= 0)
      continue;
    events.push_back({item.lower, true, static_cast<int32_t>(i)});
    events.push_back({item.upper, false, static_cast<int32_t>(i)});
  }
  std::stable_sort(
      events.begin(), events.end(), [](const Event &a, const Event &b) {
        return a.time != b.time ? a.time < b.time : a.begins < b.begins;
      });
  return events;
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_EVENTS_H
