//===- Planning/Choice/Reasons.cpp - why a buffer is elsewhere ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice/Reasons.h"

#include "Choice/Build.h"
#include "Choice/Table.h"
#include "Problem/Buffers.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tamc::planning;

namespace {

/// A stay with the times at which it holds bytes.
struct TimedStay {
  int32_t buffer;
  int32_t space;
  int64_t offset;
  Interval time;
};

class Finder {
public:
  Finder(const Problem &problem, int64_t alignment, const Deadline &deadline,
         Plan &plan)
      : problem(problem), alignment(alignment), deadline(deadline), plan(plan),
        members(problem.spaces.size()) {
    std::vector<bool> moves(problem.buffers.size(), false);
    for (const Residence &stay : plan.residences)
      moves[stay.buffer] = true;
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const Buffer &buffer = problem.buffers[i];
      if (moves[i] || !occupies(buffer))
        continue;
      add({static_cast<int32_t>(i), plan.spaces[i], plan.offsets[i],
           lifeOf(buffer)});
    }
    for (const Residence &stay : plan.residences)
      add({stay.buffer, stay.space, stay.offset, stay.time});
    for (const TimedStay &stay : stays)
      for (auto [time, bytes] : holdings(stay)) {
        times.push_back(time.lower);
        times.push_back(time.upper);
      }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    for (size_t space = 0; space < members.size(); ++space) {
      loads.emplace_back(problem.spaces[space].capacity
                             ? static_cast<int32_t>(times.size())
                             : 1);
      if (problem.spaces[space].capacity)
        for (int32_t s : members[space])
          for (auto [time, bytes] : holdings(stays[s]))
            loads.back().add(rank(time.lower), rank(time.upper), bytes);
    }
    rectangles.resize(members.size());
    for (size_t s = 0; s < stays.size(); ++s)
      if (int32_t name = problem.buffers[stays[s].buffer].aliasClass; name >= 0)
        classes[name].push_back(static_cast<int32_t>(s));
  }

  void run() {
    for (const TimedStay &stay : stays)
      consider(stay);
    std::stable_sort(plan.reasons.begin(), plan.reasons.end(),
                     [](const Reason &a, const Reason &b) {
                       return std::pair(a.buffer, a.outside.lower) <
                              std::pair(b.buffer, b.outside.lower);
                     });
    list();
  }

private:
  static Interval lifeOf(const Buffer &buffer) {
    Interval life = {INT64_MAX, 0};
    auto take = [&](Interval time) {
      life.lower = std::min(life.lower, time.lower);
      life.upper = std::max(life.upper, time.upper);
    };
    for (const Interval &each : buffer.live)
      if (each.lower < each.upper)
        take(each);
    for (const Window &window : buffer.windows)
      if (window.time.lower < window.time.upper)
        take(window.time);
    return life;
  }

  void add(const TimedStay &stay) {
    members[stay.space].push_back(static_cast<int32_t>(stays.size()));
    stays.push_back(stay);
  }

  /// When a stay holds how many bytes.
  std::vector<std::pair<Interval, int64_t>>
  holdings(const TimedStay &stay) const {
    return holdingsWithin(problem.buffers[stay.buffer], stay.time);
  }

  int32_t rank(int64_t time) const {
    return static_cast<int32_t>(
        std::lower_bound(times.begin(), times.end(), time) - times.begin());
  }

  void consider(const TimedStay &stay) {
    const Buffer &buffer = problem.buffers[stay.buffer];
    if (buffer.choices.empty())
      return;
    auto cost = [](const SpaceChoice &a, const SpaceChoice &b) {
      return a.cost < b.cost;
    };
    const SpaceChoice &best =
        *std::min_element(buffer.choices.begin(), buffer.choices.end(), cost);
    for (const SpaceChoice &choice : buffer.choices)
      if (choice.space == stay.space && choice.cost == best.cost)
        return;
    Reason reason;
    reason.buffer = stay.buffer;
    reason.outside = stay.time;
    reason.space = best.space;
    reason.kind = Reason::Kind::Plan;
    reason.time = stay.time.lower;
    std::optional<int64_t> capacity = problem.spaces[best.space].capacity;
    if (capacity)
      measure(stay, *capacity, reason);
    plan.reasons.push_back(std::move(reason));
  }

  void measure(const TimedStay &stay, int64_t capacity, Reason &reason) {
    std::vector<TimedStay> together = {stay};
    if (int32_t name = problem.buffers[stay.buffer].aliasClass; name >= 0) {
      together.clear();
      for (int32_t s : classes[name])
        together.push_back(stays[s]);
    }
    const LoadTree &load = loads[reason.space];
    bool any = false;
    for (const TimedStay &each : together)
      for (auto [time, bytes] : holdings(each)) {
        int32_t lower = rank(time.lower), upper = rank(time.upper);
        int64_t lacking = load.largest(lower, upper) + bytes - capacity;
        if (any && lacking <= reason.lacking)
          continue;
        any = true;
        reason.lacking = lacking;
        reason.time = times[load.firstLargest(lower, upper)];
      }
    if (reason.lacking > 0) {
      reason.kind = Reason::Kind::Bytes;
      return;
    }
    reason.lacking = 0;
    // A few seconds at most.
    if (work > 1000000000 || deadline.passed())
      return;
    int64_t size = 0, multiple = 1;
    for (const TimedStay &each : together) {
      const Buffer &buffer = problem.buffers[each.buffer];
      size = std::max(size, buffer.size);
      multiple = commonMultiple(multiple, buffer.alignment);
    }
    multiple = commonMultiple(
        commonMultiple(multiple, problem.spaces[reason.space].alignment),
        alignment);
    int64_t stretch =
        longestStretch(together, reason.space, capacity, multiple);
    if (stretch >= size)
      return;
    reason.kind = Reason::Kind::Stretch;
    reason.lacking = size - stretch;
  }

  /// Bytes of a space, and when they are in use.
  struct Rectangle {
    int64_t from, to;
    Interval time;
  };

  /// The rectangles of a space, from the lowest.
  const std::vector<Rectangle> &rectanglesOf(int32_t space) {
    std::vector<Rectangle> &list = rectangles[space];
    if (!list.empty())
      return list;
    for (int32_t s : members[space]) {
      const TimedStay &stay = stays[s];
      const Buffer &buffer = problem.buffers[stay.buffer];
      auto take = [&](Interval time, int64_t from, int64_t to) {
        time = {std::max(time.lower, stay.time.lower),
                std::min(time.upper, stay.time.upper)};
        if (time.lower < time.upper && from < to)
          list.push_back({stay.offset + from, stay.offset + to, time});
      };
      for (const Interval &each : buffer.live)
        take(each, 0, buffer.size);
      for (const Window &window : buffer.windows)
        take(window.time, window.lower, window.upper);
    }
    std::sort(list.begin(), list.end(),
              [](const Rectangle &a, const Rectangle &b) {
                return std::pair(a.from, a.to) < std::pair(b.from, b.to);
              });
    return list;
  }

  /// The most bytes from an aligned address on that no buffer of the space uses
  /// while one of the stays holds bytes.
  int64_t longestStretch(const std::vector<TimedStay> &together, int32_t space,
                         int64_t capacity, int64_t multiple) {
    std::vector<Interval> mine;
    for (const TimedStay &each : together)
      for (auto [time, bytes] : holdings(each))
        mine.push_back(time);
    const std::vector<Rectangle> &list = rectanglesOf(space);
    work += static_cast<int64_t>(list.size() * mine.size());
    int64_t end = 0, longest = 0;
    for (const Rectangle &each : list) {
      bool meets = false;
      for (const Interval &time : mine)
        meets |= time.lower < each.time.upper && each.time.lower < time.upper;
      if (!meets)
        continue;
      longest = std::max(longest, each.from - alignUp(end, multiple));
      end = std::max(end, each.to);
    }
    return std::max(longest, capacity - alignUp(end, multiple));
  }

  /// Who holds bytes of the space at the time of each reason.
  void list() {
    struct Event {
      int64_t time;
      int kind; // 0: ends, 1: begins, 2: a question
      size_t index;
    };
    for (size_t space = 0; space < members.size(); ++space) {
      std::vector<Event> events;
      for (int32_t s : members[space])
        for (auto [time, bytes] : holdings(stays[s])) {
          events.push_back({time.lower, 1, size_t(s)});
          events.push_back({time.upper, 0, size_t(s)});
        }
      for (size_t r = 0; r < plan.reasons.size(); ++r)
        if (plan.reasons[r].space == static_cast<int32_t>(space) &&
            plan.reasons[r].kind != Reason::Kind::Plan)
          events.push_back({plan.reasons[r].time, 2, r});
      std::sort(events.begin(), events.end(),
                [](const Event &a, const Event &b) {
                  return std::tuple(a.time, a.kind, a.index) <
                         std::tuple(b.time, b.kind, b.index);
                });
      std::set<std::pair<int64_t, int32_t>> alive;
      for (const Event &event : events) {
        if (event.kind == 2) {
          Reason &reason = plan.reasons[event.index];
          reason.count = static_cast<int64_t>(alive.size());
          for (auto at = alive.begin();
               at != alive.end() && reason.there.size() < 8; ++at)
            reason.there.push_back(at->second);
          continue;
        }
        int32_t buffer = stays[event.index].buffer;
        std::pair key(-problem.buffers[buffer].size, buffer);
        if (event.kind == 1)
          alive.insert(key);
        else
          alive.erase(key);
      }
    }
  }

  const Problem &problem;
  int64_t alignment;
  const Deadline &deadline;
  Plan &plan;
  std::vector<TimedStay> stays;
  /// By space; empty if not needed yet.
  std::vector<std::vector<Rectangle>> rectangles;
  /// Rectangles that were looked at.
  int64_t work = 0;
  /// By space: its stays.
  std::vector<std::vector<int32_t>> members;
  std::vector<int64_t> times;
  std::vector<LoadTree> loads;
  std::map<int32_t, std::vector<int32_t>> classes;
};

} // namespace

void tamc::planning::setReasons(const Problem &problem, int64_t alignment,
                                const Deadline &deadline, Plan &plan) {
  plan.reasons.clear();
  Finder(problem, alignment, deadline, plan).run();
}
