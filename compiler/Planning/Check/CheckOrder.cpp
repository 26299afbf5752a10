//===- Planning/CheckOrder.cpp - checks a plan for all orders -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CheckOrder.h"

#include <algorithm>
#include <map>

using namespace tamc::planning;

namespace {

/// Answers queries by following the dependencies forward from one operation at
/// a time.
class OrderChecker {
public:
  OrderChecker(const Problem &problem, std::span<const int64_t> offsets,
               size_t limit)
      : problem(problem), offsets(offsets), limit(limit),
        count(problem.operations.size()), successors(count), reached(count),
        touches(problem.buffers.size()), readFirst(problem.buffers.size()),
        needs(problem.buffers.size()) {}

  std::optional<std::pair<int32_t, int32_t>>
  find(const std::function<bool(int32_t, int32_t)> &isApart) {
    connect();
    for (int32_t a = 0; a < static_cast<int32_t>(needs.size()); ++a)
      for (int32_t b = 0; b < a; ++b)
        if (everLives(problem.buffers[a]) && everLives(problem.buffers[b]) &&
            !isApart(a, b) && conflict(a, b))
          return std::pair(b, a);
    return std::nullopt;
  }

  std::vector<Finding> run() {
    connect();
    std::vector<int32_t> byAddress;
    for (size_t i = 0; i < offsets.size(); ++i)
      if (problem.buffers[i].size > 0 && everLives(problem.buffers[i]))
        byAddress.push_back(static_cast<int32_t>(i));
    std::sort(byAddress.begin(), byAddress.end(), [&](int32_t a, int32_t b) {
      return std::pair(offsets[a], a) < std::pair(offsets[b], b);
    });
    for (size_t i = 0; i < byAddress.size(); ++i)
      for (size_t j = i + 1; j < byAddress.size(); ++j) {
        int32_t a = byAddress[i], b = byAddress[j];
        if (offsets[b] >= offsets[a] + problem.buffers[a].size)
          break;
        check(std::min(a, b), std::max(a, b));
        if (findings.size() >= limit)
          return std::move(findings);
      }
    return std::move(findings);
  }

private:
  static bool everLives(const Buffer &buffer) {
    auto lasts = [](Interval time) { return time.lower < time.upper; };
    for (const Window &window : buffer.windows)
      if (lasts(window.time) && window.lower < window.upper)
        return true;
    return std::any_of(buffer.live.begin(), buffer.live.end(), lasts);
  }

  /// An operation depends on the earlier ones that access the same bytes,
  /// unless both only read, and on those in its list `after`.
  void connect() {
    // By storage: the operations that accessed it so far, and whether they
    // wrote.
    std::map<std::pair<bool, int32_t>, std::vector<std::pair<int32_t, bool>>>
        history;
    for (size_t i = 0; i < count; ++i) {
      auto op = static_cast<int32_t>(i);
      const Operation &operation = problem.operations[i];
      auto touch = [&](int32_t buffer, bool writes) {
        int32_t name = problem.buffers[buffer].aliasClass;
        auto &past = history[{name >= 0, name >= 0 ? name : buffer}];
        // Dependencies on operations before the last write follow from that on
        // the write.
        for (size_t k = past.size(); k-- > 0;) {
          auto [other, wrote] = past[k];
          if (other != op && (wrote || writes))
            successors[other].push_back(op);
          if (wrote && other != op)
            break;
        }
        past.push_back({op, writes});
        if (touches[buffer].empty())
          readFirst[buffer] = !writes;
        touches[buffer].push_back(op);
      };
      for (int32_t buffer : operation.reads)
        touch(buffer, false);
      for (int32_t buffer : operation.writes)
        touch(buffer, true);
      for (int32_t other : operation.after)
        successors[other].push_back(op);
    }
  }

  /// By operation: whether it comes after `from` in every order.
  const std::vector<bool> &after(int32_t from) {
    std::vector<bool> &seen = reached[from];
    if (!seen.empty())
      return seen;
    seen.assign(count, false);
    std::vector<int32_t> stack = {from};
    while (!stack.empty()) {
      int32_t at = stack.back();
      stack.pop_back();
      for (int32_t next : successors[at])
        if (!seen[next]) {
          seen[next] = true;
          stack.push_back(next);
        }
    }
    return seen;
  }

  /// Every operation during which the buffer is needed in the list's order. A
  /// live range that was given, and does not follow from the operations, counts
  /// in full.
  std::vector<int32_t> needed(int32_t buffer, bool &before, bool &behind) {
    const Buffer &b = problem.buffers[buffer];
    auto end = static_cast<int64_t>(count);
    std::vector<int32_t> list = touches[buffer];
    before = !list.empty() && readFirst[buffer];
    behind = b.output;
    int64_t from = list.empty() ? 0 : before ? 0 : list.front();
    int64_t to = list.empty() ? 0 : behind ? end : list.back() + 1;
    if (!list.empty() && b.windows.empty() && b.live.size() == 1 &&
        b.live[0] == Interval{from, to})
      return list;
    int64_t lower = INT64_MAX, upper = 0;
    for (const Interval &interval : b.live) {
      lower = std::min(lower, interval.lower);
      upper = std::max(upper, interval.upper);
    }
    for (const Window &window : b.windows) {
      lower = std::min(lower, window.time.lower);
      upper = std::max(upper, window.time.upper);
    }
    before |= lower == 0;
    behind |= upper >= end;
    for (int64_t op = lower; op < std::min(upper, end); ++op)
      list.push_back(static_cast<int32_t>(op));
    // If nothing says when it is needed, it may be needed at any time.
    before |= list.empty();
    behind |= list.empty();
    return list;
  }

  struct Need {
    bool known = false, before = false, behind = false;
    std::vector<int32_t> operations;
  };

  const Need &needOf(int32_t buffer) {
    Need &need = needs[buffer];
    if (!need.known)
      need.operations = needed(buffer, need.before, need.behind);
    need.known = true;
    return need;
  }

  /// Whether both are in one space and some order needs both at one time.
  bool conflict(int32_t a, int32_t b) {
    const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
    if (x.space != y.space ||
        (x.aliasClass >= 0 && x.aliasClass == y.aliasClass))
      return false;
    const Need &ofA = needOf(a), &ofB = needOf(b);
    auto allBefore = [&](const std::vector<int32_t> &early,
                         const std::vector<int32_t> &late) {
      for (int32_t use : early) {
        const std::vector<bool> &later = after(use);
        for (int32_t other : late)
          if (!later[other])
            return false;
      }
      return true;
    };
    return !(!ofA.behind && !ofB.before &&
             allBefore(ofA.operations, ofB.operations)) &&
           !(!ofB.behind && !ofA.before &&
             allBefore(ofB.operations, ofA.operations));
  }

  void check(int32_t a, int32_t b) {
    const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
    if (!conflict(a, b))
      return;
    findings.push_back(
        {Finding::Kind::Order, a, b,
         "buffers '" + x.name + "' at " + std::to_string(offsets[a]) + " of " +
             std::to_string(x.size) + " bytes and '" + y.name + "' at " +
             std::to_string(offsets[b]) + " of " + std::to_string(y.size) +
             " bytes overlap, and in some order of the operations both are "
             "needed at a time"});
  }

  const Problem &problem;
  std::span<const int64_t> offsets;
  size_t limit, count;
  std::vector<std::vector<int32_t>> successors;
  std::vector<std::vector<bool>> reached;
  std::vector<std::vector<int32_t>> touches;
  std::vector<bool> readFirst;
  std::vector<Need> needs;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> tamc::planning::checkOrderSafety(
    const Problem &problem, std::span<const int64_t> offsets, size_t limit) {
  return OrderChecker(problem, offsets, limit).run();
}

std::optional<std::pair<int32_t, int32_t>> tamc::planning::findOrderConflict(
    const Problem &problem,
    const std::function<bool(int32_t, int32_t)> &isApart) {
  return OrderChecker(problem, {}, 1).find(isApart);
}
