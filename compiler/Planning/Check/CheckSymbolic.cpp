//===- Planning/CheckSymbolic.cpp - checks a symbolic plan ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CheckOrder.h"
#include "tamc/Planning/Symbolic.h"

#include <algorithm>

using namespace tamc::planning;

namespace {

/// Finds the buffers that lie above another one for all values, by following
/// the relation upwards. Ends only increase on the way: an offset is never
/// below the end of a buffer directly below it, and sizes are never negative.
class Walker {
public:
  explicit Walker(const SymbolicPlan &plan)
      : plan(plan), right(plan.below.size()), seen(plan.below.size()) {
    for (size_t top = 0; top < plan.below.size(); ++top)
      for (int32_t other : plan.below[top])
        right[other].push_back(static_cast<int32_t>(top));
  }

  /// Marks the first buffers that begin at or above the end of `buffer`.
  const std::vector<bool> &
  above(int32_t buffer, const std::vector<std::vector<int32_t>> &members) {
    std::fill(seen.begin(), seen.end(), false);
    std::vector<int32_t> stack = right[buffer];
    while (!stack.empty()) {
      int32_t at = stack.back();
      stack.pop_back();
      if (seen[at])
        continue;
      seen[at] = true;
      for (int32_t member : members[at])
        stack.insert(stack.end(), right[member].begin(), right[member].end());
    }
    return seen;
  }

private:
  const SymbolicPlan &plan;
  std::vector<std::vector<int32_t>> right;
  std::vector<bool> seen;
};

bool liveTogether(const Buffer &a, const Buffer &b) {
  for (const Interval &x : a.live)
    for (const Interval &y : b.live)
      if (std::max(x.lower, y.lower) < std::min(x.upper, y.upper))
        return true;
  return false;
}

} // namespace

std::string tamc::planning::checkSymbolic(const Problem &problem,
                                          const SymbolicPlan &plan,
                                          const Options &options) {
  size_t count = problem.buffers.size();
  if (plan.below.size() != count || plan.first.size() != count ||
      plan.alignment.size() != count)
    return "the plan is not one of this problem";
  std::vector<std::vector<int32_t>> members(count);
  for (size_t i = 0; i < count; ++i) {
    const Buffer &buffer = problem.buffers[i];
    members[plan.first[i]].push_back(static_cast<int32_t>(i));
    if (plan.alignment[i] % buffer.alignment != 0 ||
        plan.alignment[i] % options.alignment != 0 ||
        plan.alignment[i] % problem.spaces[buffer.space].alignment != 0)
      return "buffer '" + buffer.name + "' is not aligned for all values";
    int32_t name = problem.buffers[plan.first[i]].aliasClass;
    if (plan.first[i] != static_cast<int32_t>(i) &&
        (name < 0 || name != buffer.aliasClass))
      return "buffer '" + buffer.name + "' has another one's offset";
  }
  // Checks that there is no cycle: every offset is computed before it is used.
  std::vector<bool> placed(count, false);
  for (int32_t top : plan.order) {
    for (int32_t other : plan.below[top])
      if (!placed[other])
        return "buffer '" + problem.buffers[top].name +
               "' lies on one that is placed later";
    for (int32_t member : members[top])
      placed[member] = true;
  }
  if (std::count(placed.begin(), placed.end(), false) > 0)
    return "a buffer has no offset";

  Walker walker(plan);
  std::vector<std::vector<bool>> above(count);
  for (size_t i = 0; i < count; ++i)
    above[i] = walker.above(static_cast<int32_t>(i), members);
  auto isEmpty = [&](int32_t i) {
    return problem.buffers[i].size == 0 && problem.buffers[i].expression < 0;
  };
  auto isApart = [&](int32_t a, int32_t b) {
    return above[a][plan.first[b]] || above[b][plan.first[a]] || isEmpty(a) ||
           isEmpty(b);
  };
  auto message = [&](int32_t a, int32_t b) {
    return "buffers '" + problem.buffers[a].name + "' and '" +
           problem.buffers[b].name +
           "' may share bytes: neither is below the other";
  };
  for (int32_t a = 0; a < static_cast<int32_t>(count); ++a)
    for (int32_t b = 0; b < a; ++b) {
      const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
      if (x.space == y.space && !isApart(a, b) &&
          (x.aliasClass < 0 || x.aliasClass != y.aliasClass) &&
          liveTogether(x, y))
        return message(b, a);
    }
  if (options.reuse == Reuse::BranchSafe)
    if (auto pair = findOrderConflict(problem, isApart))
      return message(pair->first, pair->second);
  return {};
}
