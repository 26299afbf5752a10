//===- Planning/Explain.cpp - explains a peak -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Explain.h"

#include "Order/DataFlow.h"
#include "Problem/Buffers.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/Terminal.h"

#include <algorithm>
#include <optional>

using namespace tamc::planning;

namespace {

bool meet(const Buffer &a, const Buffer &b) {
  auto any = [](const Buffer &buffer, auto test) {
    for (const Interval &interval : buffer.live)
      if (test(interval))
        return true;
    for (const Window &window : buffer.windows)
      if (test(window.time))
        return true;
    return false;
  };
  return any(a, [&](Interval x) {
    return any(b, [&](Interval y) {
      return std::max(x.lower, y.lower) < std::min(x.upper, y.upper);
    });
  });
}

std::string describe(const Problem &problem, const Plan &plan, int32_t i) {
  const Buffer &buffer = problem.buffers[i];
  std::string text = "    '" + buffer.name + "' at " +
                     std::to_string(plan.offsets[i]) + " to " +
                     std::to_string(plan.offsets[i] + buffer.size);
  if (!buffer.live.empty())
    text += ", alive " + std::to_string(buffer.live.front().lower) + " to " +
            std::to_string(buffer.live.back().upper);
  if (buffer.pin)
    text += ", pinned";
  return text;
}

/// The buffer with the highest end among those below `top` that are alive at
/// the same time; -1 if there is none.
int32_t supportOf(const Problem &problem, const Plan &plan, int32_t top,
                  const std::optional<DataFlow> &flow) {
  int32_t found = -1;
  int64_t end = -1;
  const Buffer &above = problem.buffers[top];
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.space != above.space || !occupies(buffer) ||
        plan.offsets[i] >= plan.offsets[top] ||
        (buffer.aliasClass >= 0 && buffer.aliasClass == above.aliasClass))
      continue;
    auto index = static_cast<int32_t>(i);
    bool conflict =
        flow ? !flow->precedes(index, top) && !flow->precedes(top, index)
             : meet(buffer, above);
    if (plan.offsets[i] + buffer.size > end && conflict) {
      end = plan.offsets[i] + buffer.size;
      found = index;
    }
  }
  return found;
}

} // namespace

std::string tamc::planning::explain(const Problem &problem, const Plan &plan,
                                    int64_t alignment, Reuse reuse) {
  std::string text;
  if (plan.offsets.size() != problem.buffers.size())
    return text;
  std::vector<Bound> bounds = lowerBounds(problem, alignment);
  std::optional<DataFlow> flow;
  if (reuse == Reuse::BranchSafe)
    flow.emplace(problem);
  for (int32_t index : spacesToShow(problem, plan)) {
    auto space = static_cast<size_t>(index);
    if (space < plan.bound.size() && plan.bound[space] > bounds[space].bytes)
      text += "bound " + std::to_string(plan.bound[space]) +
              ": some order of the operations may need as much at one time; "
              "for the list's own order the\n";
    std::vector<int32_t> alive = aliveAt(problem, index, bounds[space].time);
    text += "bound " + std::to_string(bounds[space].bytes) +
            (problem.spaces[space].name.empty()
                 ? std::string()
                 : " of '" + problem.spaces[space].name + "'") +
            ": the load at time " + std::to_string(bounds[space].time) +
            ", of " + std::to_string(alive.size()) + " buffers\n";
    std::stable_sort(alive.begin(), alive.end(), [&](int32_t a, int32_t b) {
      return problem.buffers[a].size > problem.buffers[b].size;
    });
    constexpr size_t most = 20;
    for (size_t i = 0; i < alive.size() && i < most; ++i)
      text += describe(problem, plan, alive[i]) + "\n";
    if (alive.size() > most)
      text +=
          "    and " + std::to_string(alive.size() - most) + " smaller ones\n";

    int32_t top = -1;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      if (problem.buffers[i].space == index && occupies(problem.buffers[i]) &&
          (top < 0 || plan.offsets[i] + problem.buffers[i].size >
                          plan.offsets[top] + problem.buffers[top].size))
        top = static_cast<int32_t>(i);
    if (top < 0)
      continue;
    text += "peak " + std::to_string(plan.peak[space]) +
            ": the chain below the topmost buffer\n";
    // Longest chain that is printed: a chain can have as many links as there
    // are buffers.
    constexpr int maxLinks = 40;
    int links = 0;
    for (int32_t at = top; at >= 0;) {
      if (++links > maxLinks) {
        text += "    and what that one rests on\n";
        break;
      }
      text += describe(problem, plan, at) + "\n";
      int32_t below = supportOf(problem, plan, at, flow);
      int64_t end =
          below < 0 ? 0 : plan.offsets[below] + problem.buffers[below].size;
      if (end < plan.offsets[at])
        text +=
            "    " + std::to_string(plan.offsets[at] - end) + " unused bytes\n";
      at = below;
    }
  }
  return text;
}
