//===- Planning/Check.cpp - is this plan correct? -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Check.h"

#include "CheckOrder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// Begin or end of a rectangle in time; `group` is what may overlap itself.
struct Event {
  int64_t time;
  int64_t begin, end; // addresses
  int64_t group;
  int32_t buffer;
  bool starts;
};

/// The live bytes, ordered by address. What one alias class holds is kept as
/// one entry that reaches to its highest live end, so that neighbours are all
/// that a new entry has to be compared with.
class Live {
public:
  struct Holder {
    int64_t end;
    int32_t buffer;
  };

  /// A buffer of another group that shares bytes with the event's, or -1.
  int32_t conflict(const Event &event) const {
    auto next = entries.lower_bound({event.begin, 0});
    for (auto it = next; it != entries.end(); ++it) {
      if (it->first.first >= event.end)
        break;
      if (it->first.second != event.group)
        return holder(it->second);
    }
    for (auto it = next; it != entries.begin();) {
      --it;
      if (it->first.second == event.group)
        continue;
      return top(it->second) > event.begin ? holder(it->second) : -1;
    }
    return -1;
  }

  void insert(const Event &event) {
    entries[{event.begin, event.group}].insert({event.end, event.buffer});
  }

  void erase(const Event &event) {
    auto found = entries.find({event.begin, event.group});
    if (found == entries.end())
      return;
    found->second.erase({event.end, event.buffer});
    if (found->second.empty())
      entries.erase(found);
  }

private:
  using Holders = std::set<std::pair<int64_t, int32_t>>;
  static int64_t top(const Holders &holders) { return holders.rbegin()->first; }
  static int32_t holder(const Holders &holders) {
    return holders.rbegin()->second;
  }
  std::map<std::pair<int64_t, int64_t>, Holders> entries;
};

class Checker {
public:
  Checker(const Problem &problem, std::span<const int64_t> offsets,
          const CheckOptions &options)
      : problem(problem), offsets(offsets), options(options) {}

  std::vector<Finding> run() {
    if (offsets.size() != problem.buffers.size()) {
      add(Finding::Kind::Count, -1, -1,
          "expected " + std::to_string(problem.buffers.size()) +
              " offsets, got " + std::to_string(offsets.size()));
      return std::move(findings);
    }
    for (size_t i = 0; i < offsets.size() && !isFull(); ++i)
      checkOne(static_cast<int64_t>(i));
    checkClasses();
    // Sums below would wrap for a buffer that has been reported already.
    for (const Finding &finding : findings)
      if (finding.kind == Finding::Kind::Overflow ||
          finding.kind == Finding::Kind::Negative)
        return std::move(findings);
    std::vector<std::vector<int32_t>> buffers(problem.spaces.size());
    for (size_t i = 0; i < offsets.size(); ++i)
      if (problem.buffers[i].size > 0)
        buffers[problem.buffers[i].space].push_back(static_cast<int32_t>(i));
    for (size_t space = 0; space < buffers.size() && !isFull(); ++space)
      sweep(buffers[space]);
    return std::move(findings);
  }

private:
  bool isFull() const { return findings.size() >= options.limit; }

  void add(Finding::Kind kind, int64_t first, int64_t second,
           std::string message) {
    if (!isFull())
      findings.push_back({kind, first, second, std::move(message)});
  }

  std::string quoted(int64_t buffer) const {
    return "'" + problem.buffers[buffer].name + "'";
  }

  static bool lives(const Buffer &buffer) {
    for (Interval interval : buffer.live)
      if (interval.upper > interval.lower)
        return true;
    for (const Window &window : buffer.windows)
      if (window.time.upper > window.time.lower)
        return true;
    return false;
  }

  void checkOne(int64_t i) {
    const Buffer &buffer = problem.buffers[i];
    const Space &space = problem.spaces[buffer.space];
    int64_t offset = offsets[i];
    std::string at = "buffer " + quoted(i) + " at " + std::to_string(offset);
    if (offset < 0)
      return add(Finding::Kind::Negative, i, -1, at + " lies below 0");
    if (offset > std::numeric_limits<int64_t>::max() - buffer.size)
      return add(Finding::Kind::Overflow, i, -1,
                 at + " of " + std::to_string(buffer.size) +
                     " bytes ends above 2^63-1");
    for (int64_t alignment :
         {buffer.alignment, space.alignment, options.alignment})
      if (offset % alignment != 0)
        return add(Finding::Kind::Alignment, i, -1,
                   at + " is not aligned to " + std::to_string(alignment));
    if (buffer.pin && *buffer.pin != offset)
      add(Finding::Kind::Pin, i, -1,
          at + " is pinned to " + std::to_string(*buffer.pin));
    if (options.capacities && space.capacity && buffer.size > 0 &&
        lives(buffer) && offset + buffer.size > *space.capacity)
      add(Finding::Kind::Capacity, i, -1,
          at + " ends at " + std::to_string(offset + buffer.size) +
              ", the capacity" +
              (space.name.empty() ? "" : " of '" + space.name + "'") + " is " +
              std::to_string(*space.capacity));
  }

  void checkClasses() {
    std::unordered_map<int32_t, int64_t> first;
    for (size_t i = 0; i < offsets.size(); ++i) {
      int32_t name = problem.buffers[i].aliasClass;
      auto index = static_cast<int64_t>(i);
      if (name < 0)
        continue;
      int64_t other = first.try_emplace(name, index).first->second;
      if (offsets[other] != offsets[i])
        add(Finding::Kind::AliasClass, other, index,
            "buffers " + quoted(other) + " at " +
                std::to_string(offsets[other]) + " and " + quoted(index) +
                " at " + std::to_string(offsets[i]) +
                " are of one alias class");
    }
  }

  /// The buffers of one space.
  void sweep(const std::vector<int32_t> &buffers) {
    std::vector<Event> events;
    for (int32_t index : buffers) {
      const Buffer &buffer = problem.buffers[index];
      // Classes and single buffers must not be mistaken for each other.
      int64_t group = buffer.aliasClass >= 0 ? -1 - int64_t(buffer.aliasClass)
                                             : int64_t(index);
      auto rectangle = [&](Interval time, int64_t from, int64_t to) {
        if (time.lower >= time.upper || from >= to)
          return;
        int64_t begin = offsets[index] + from, end = offsets[index] + to;
        events.push_back({time.lower, begin, end, group, index, true});
        events.push_back({time.upper, begin, end, group, index, false});
      };
      for (const Interval &interval : buffer.live)
        rectangle(interval, 0, buffer.size);
      for (const Window &window : buffer.windows)
        rectangle(window.time, window.lower, window.upper);
    }
    std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
      return std::tuple(a.time, a.starts, a.buffer, a.begin) <
             std::tuple(b.time, b.starts, b.buffer, b.begin);
    });
    Live live;
    for (const Event &event : events) {
      if (!event.starts) {
        live.erase(event);
        continue;
      }
      if (int32_t other = live.conflict(event); other >= 0) {
        add(Finding::Kind::Overlap, other, event.buffer,
            "buffers " + quoted(other) + " at " +
                std::to_string(offsets[other]) + " of " +
                std::to_string(problem.buffers[other].size) + " bytes and " +
                quoted(event.buffer) + " at " +
                std::to_string(offsets[event.buffer]) + " of " +
                std::to_string(problem.buffers[event.buffer].size) +
                " bytes overlap at time " + std::to_string(event.time));
        if (isFull())
          return;
      }
      live.insert(event);
    }
  }

  const Problem &problem;
  std::span<const int64_t> offsets;
  const CheckOptions &options;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> tamc::planning::check(const Problem &problem,
                                           std::span<const int64_t> offsets,
                                           const CheckOptions &options) {
  std::vector<Finding> findings = Checker(problem, offsets, options).run();
  if (options.reuse == Reuse::BranchSafe && findings.empty())
    return checkOrderSafety(problem, offsets, options.limit);
  return findings;
}
