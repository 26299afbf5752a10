//===- Planning/CheckSummary.cpp - what a plan says of itself -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Check.h"

#include <algorithm>

using namespace tamc::planning;

namespace {

/// The end of the highest byte in use, by space, pools included.
std::vector<int64_t> peaksOf(const Problem &problem, const Plan &plan) {
  std::vector<int64_t> peaks(problem.spaces.size(), 0);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    bool isAlive = std::any_of(buffer.live.begin(), buffer.live.end(),
                               [](const Interval &each) {
                                 return each.lower < each.upper;
                               }) ||
                   std::any_of(buffer.windows.begin(), buffer.windows.end(),
                               [](const Window &each) {
                                 return each.time.lower < each.time.upper &&
                                        each.lower < each.upper;
                               });
    int64_t &peak = peaks[buffer.space];
    if (isAlive && buffer.size > 0)
      peak = std::max(peak, plan.offsets[i] + buffer.size);
  }
  for (const Pool &pool : plan.pools)
    peaks[pool.space] = std::max(peaks[pool.space], pool.base + pool.size);
  return peaks;
}

} // namespace

std::vector<Finding> tamc::planning::check(const Problem &problem,
                                           const Plan &plan,
                                           const CheckOptions &options) {
  if (hasChoice(problem))
    return checkChoice(problem, plan, options);
  std::vector<Finding> findings = check(problem, plan.offsets, options);
  if (!std::all_of(findings.begin(), findings.end(), [](const Finding &each) {
        return each.kind == Finding::Kind::Capacity;
      }))
    return findings;
  auto add = [&](Finding::Kind kind, const std::string &message) {
    if (findings.size() < options.limit)
      findings.push_back({kind, -1, -1, message});
  };
  std::vector<int64_t> peaks = peaksOf(problem, plan);
  for (const Pool &pool : plan.pools)
    if (std::optional<int64_t> capacity = problem.spaces[pool.space].capacity;
        options.capacities && capacity && findings.empty() &&
        peaks[pool.space] > *capacity)
      add(Finding::Kind::Capacity, "a pool ends at " +
                                       std::to_string(peaks[pool.space]) +
                                       ", beyond the capacity of " +
                                       std::to_string(*capacity) + " bytes");
  if (options.capacities && findings.empty() && !plan.fits())
    add(Finding::Kind::Bound, "a plan that fits has another status than '" +
                                  std::string(toString(plan.status)) + "'");
  for (size_t space = 0; space < peaks.size(); ++space) {
    std::string of = std::to_string(peaks[space]) +
                     (problem.spaces[space].name.empty()
                          ? ""
                          : " of space '" + problem.spaces[space].name + "'");
    if (!plan.peak.empty() && plan.peak[space] != peaks[space])
      add(Finding::Kind::Peak, "expected the peak " + of + ", got " +
                                   std::to_string(plan.peak[space]));
    if (plan.bound.empty())
      continue;
    std::string got = ", got " + std::to_string(plan.bound[space]);
    if (plan.bound[space] > peaks[space])
      add(Finding::Kind::Bound, "expected a bound up to the peak " + of + got);
    else if (plan.status == Status::Optimal && plan.bound[space] < peaks[space])
      add(Finding::Kind::Bound,
          "the bound of an optimal plan is the peak " + of + got);
  }
  return findings;
}
