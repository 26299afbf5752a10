//===- Planning/PlanCache.cpp - equal problems, one plan ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/PlanCache.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

/// Whether nothing but lives, sizes, spaces, kinds and `output` makes a
/// difference.
static bool isPlain(const Problem &problem, int64_t alignment) {
  return problem.operations.empty() &&
         std::all_of(problem.spaces.begin(), problem.spaces.end(),
                     [&](const Space &space) {
                       return !space.capacity &&
                              alignment % space.alignment == 0;
                     }) &&
         std::all_of(problem.buffers.begin(), problem.buffers.end(),
                     [&](const Buffer &buffer) {
                       return alignment % buffer.alignment == 0 &&
                              buffer.expression < 0 && buffer.windows.empty() &&
                              buffer.aliasClass < 0 && !buffer.pin &&
                              !buffer.hint && buffer.choices.empty() &&
                              buffer.uses.empty();
                     });
}

/// The largest unit such that sizes divided by it are whole and multiples of
/// the alignment; 1 if there is none.
static int64_t unitOf(const Problem &problem, int64_t alignment) {
  int64_t divisor = 0;
  for (const Buffer &buffer : problem.buffers)
    divisor = std::gcd(divisor, buffer.size);
  return divisor > 0 && divisor % alignment == 0 ? divisor / alignment : 1;
}

/// What decides about a plan, besides options.
static std::vector<int64_t> keyOf(const Problem &problem, int64_t unit) {
  std::vector<int64_t> key = {static_cast<int64_t>(problem.spaces.size())};
  for (const Buffer &buffer : problem.buffers) {
    key.insert(key.end(), {buffer.size / unit, buffer.space, buffer.output,
                           buffer.kind, int64_t(buffer.live.size())});
    for (const Interval &interval : buffer.live)
      key.insert(key.end(), {interval.lower, interval.upper});
  }
  return key;
}

static void multiply(Plan &plan, int64_t unit) {
  for (std::vector<int64_t> *bytes : {&plan.offsets, &plan.peak, &plan.bound})
    for (int64_t &each : *bytes)
      each *= unit;
  for (Pool &pool : plan.pools) {
    pool.base *= unit;
    pool.size *= unit;
  }
}

Plan PlanCache::plan(const Problem &problem, const Options &options) {
  const Strategy *strategy = findStrategy(options.strategy);
  if (!strategy || options.timeLimit || options.alignment < 1 ||
      !isPlain(problem, options.alignment))
    return planning::plan(problem, options);
  const int64_t unit =
      strategy->traits & kScales ? unitOf(problem, options.alignment) : 1;
  std::pair<Options, std::vector<int64_t>> key = {options,
                                                  keyOf(problem, unit)};
  auto entry = plans.find(key);
  const bool isNew = entry == plans.end();
  if (isNew) {
    Problem small = problem;
    for (Buffer &buffer : small.buffers)
      buffer.size /= unit;
    Plan made = planning::plan(small, options);
    // Messages are about the sizes of the problem.
    if (!made.fits())
      return unit == 1 ? made : planning::plan(problem, options);
    entry = plans.emplace(std::move(key), std::move(made)).first;
  }
  // A plan of sizes in a small unit may be too large in this one.
  if (entry->second.totalPeak() > INT64_MAX / unit)
    return planning::plan(problem, options);
  found += isNew ? 0 : 1;
  Plan plan = entry->second;
  multiply(plan, unit);
  return plan;
}
