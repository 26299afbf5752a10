//===- Planning/ChoiceBrute.cpp - brute force for choices -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChoiceBrute.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tamc::planning;
using namespace tamc::planning::test;

Problem tamc::planning::test::randomChoice(std::mt19937_64 &random,
                                           const ChoiceKinds &kinds) {
  auto upTo = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  Problem problem;
  problem.spaces.clear();
  int spaces = 1 + static_cast<int>(upTo(kinds.spaces - 1));
  for (int i = 0; i < spaces; ++i) {
    Space space;
    space.name = std::string(1, static_cast<char>('p' + i));
    if (i == 0 || upTo(2) > 0)
      space.capacity = 3 + upTo(9);
    if (kinds.alignment && upTo(3) == 0)
      space.alignment = 1 + upTo(3);
    problem.spaces.push_back(space);
  }
  auto buffers = static_cast<int>(1 + upTo(kinds.buffers - 1));
  int moving = 0;
  for (int i = 0; i < buffers; ++i) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(i);
    buffer.size = upTo(6);
    int64_t lower = upTo(6);
    buffer.live = {{lower, lower + upTo(5)}};
    if (kinds.gaps && upTo(2) == 0)
      buffer.live.push_back(
          {buffer.live[0].upper + 1, buffer.live[0].upper + 1 + upTo(2)});
    if (kinds.alignment && upTo(2) == 0)
      buffer.alignment = 1 + upTo(3);
    std::vector<int32_t> order(spaces);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    order.resize(1 + static_cast<size_t>(upTo(spaces - 1)));
    buffer.space = order.front();
    if (order.size() > 1 || upTo(1))
      for (int32_t space : order)
        buffer.choices.push_back({space, upTo(3) * upTo(4)});
    if (kinds.uses && moving < 3) {
      for (int64_t t = buffer.live[0].lower; t < buffer.live[0].upper; ++t)
        if (upTo(2) == 0 && buffer.uses.size() < 2)
          buffer.uses.push_back(t);
      moving += !buffer.uses.empty();
    }
    problem.buffers.push_back(buffer);
  }
  if (kinds.classes && buffers > 2 && upTo(1)) {
    Buffer &a = problem.buffers[0], &b = problem.buffers[1];
    a.aliasClass = b.aliasClass = 0;
    b.space = a.space;
    b.choices = a.choices;
    for (SpaceChoice &choice : b.choices)
      choice.cost = upTo(5);
  }
  return problem;
}

namespace {

/// A stay in ticks: moment t is the tick 2 t, and between the moments before
/// and at t is the tick 2 t - 1.
struct Stay {
  int buffer;
  std::vector<int> ticks;
};

class Brute {
public:
  Brute(const Problem &problem, bool evict, bool byPeak)
      : problem(problem), evict(evict), byPeak(byPeak),
        stays(problem.spaces.size()) {}

  std::optional<Best> run() {
    choose(0, 0);
    return best;
  }

private:
  static constexpr int64_t none = INT64_MAX;

  bool isWorse(int64_t cost, int64_t peak) const {
    if (!best)
      return false;
    return byPeak ? std::pair(peak, cost) >= std::pair(best->peak, best->cost)
                  : std::pair(cost, peak) >= std::pair(best->cost, best->peak);
  }

  bool moves(const Buffer &buffer) const {
    return evict && !buffer.uses.empty() && buffer.choices.size() > 1 &&
           buffer.live.size() == 1 && buffer.aliasClass < 0;
  }

  std::vector<std::pair<int32_t, int64_t>> optionsOf(const Buffer &buffer) {
    if (buffer.choices.empty())
      return {{buffer.space, 0}};
    std::vector<std::pair<int32_t, int64_t>> options;
    for (const SpaceChoice &choice : buffer.choices)
      options.push_back({choice.space, choice.cost});
    return options;
  }

  static bool livesAt(const Buffer &buffer, int64_t moment) {
    for (const Interval &each : buffer.live)
      if (each.lower <= moment && moment < each.upper)
        return true;
    return false;
  }

  /// Chooses for a buffer, and all that follow.
  void choose(size_t at, int64_t cost) {
    if (!byPeak && best && cost > best->cost)
      return;
    if (at == problem.buffers.size())
      return evaluate(cost);
    const Buffer &buffer = problem.buffers[at];
    if (moves(buffer)) {
      std::vector<int32_t> spaces(buffer.live[0].upper - buffer.live[0].lower);
      return walk(at, cost, buffer.live[0].lower, spaces);
    }
    int64_t times = std::max<int64_t>(1, int64_t(buffer.uses.size()));
    for (auto [space, each] : optionsOf(buffer)) {
      // The members of a class are together.
      if (buffer.aliasClass >= 0 && at > 0 &&
          problem.buffers[0].aliasClass == buffer.aliasClass &&
          space != spaceOfFirst)
        continue;
      if (at == 0)
        spaceOfFirst = space;
      Stay stay{static_cast<int>(at), {}};
      for (int64_t t = 0; t < 40; ++t) {
        if (livesAt(buffer, t))
          stay.ticks.push_back(static_cast<int>(2 * t));
        if (livesAt(buffer, t) && livesAt(buffer, t + 1))
          stay.ticks.push_back(static_cast<int>(2 * t + 1));
      }
      stays[space].push_back(stay);
      choose(at + 1, cost + times * each);
      stays[space].pop_back();
    }
  }

  /// A space for each moment of a buffer that moves; it moves only directly
  /// before or after a use.
  void walk(size_t at, int64_t cost, int64_t moment,
            std::vector<int32_t> &spaces) {
    const Buffer &buffer = problem.buffers[at];
    int64_t lower = buffer.live[0].lower, upper = buffer.live[0].upper;
    if (moment == upper)
      return settle(at, cost, spaces);
    auto isUse = [&](int64_t time) {
      return std::find(buffer.uses.begin(), buffer.uses.end(), time) !=
             buffer.uses.end();
    };
    for (auto [space, each] : optionsOf(buffer)) {
      int64_t more = isUse(moment) ? each : 0;
      if (moment > lower && space != spaces[moment - lower - 1]) {
        if (!isUse(moment) && !isUse(moment - 1))
          continue;
        more += buffer.size;
      }
      spaces[moment - lower] = space;
      walk(at, cost + more, moment + 1, spaces);
    }
  }

  void settle(size_t at, int64_t cost, const std::vector<int32_t> &spaces) {
    int64_t lower = problem.buffers[at].live[0].lower;
    std::vector<int32_t> added;
    for (size_t i = 0; i < spaces.size(); ++i) {
      auto tick = static_cast<int>(2 * (lower + static_cast<int64_t>(i)));
      if (i == 0 || spaces[i] != spaces[i - 1]) {
        // The copy: the old place is held, too.
        if (i > 0)
          stays[spaces[i - 1]].back().ticks.push_back(tick - 1);
        stays[spaces[i]].push_back({static_cast<int>(at), {}});
        added.push_back(spaces[i]);
      }
      if (i > 0)
        stays[spaces[i]].back().ticks.push_back(tick - 1);
      stays[spaces[i]].back().ticks.push_back(tick);
    }
    if (spaces.empty()) {
      // It never lives; it costs what its cheapest space does.
      int64_t least = none;
      for (auto [space, each] : optionsOf(problem.buffers[at]))
        least =
            std::min(least, each * int64_t(problem.buffers[at].uses.size()));
      cost += least;
    }
    choose(at + 1, cost);
    for (auto space = added.rbegin(); space != added.rend(); ++space)
      stays[*space].pop_back();
  }

  void evaluate(int64_t cost) {
    int64_t sum = 0;
    for (size_t space = 0; space < stays.size(); ++space) {
      int64_t peak = peakOf(static_cast<int32_t>(space));
      if (peak == none)
        return;
      sum += peak;
    }
    if (!isWorse(cost, sum))
      best = Best{cost, sum};
  }

  /// The lowest peak of a space; `none` if nothing fits.
  int64_t peakOf(int32_t space) {
    std::vector<int> key = {space};
    std::vector<Stay> list;
    for (const Stay &stay : stays[space])
      if (!stay.ticks.empty() && problem.buffers[stay.buffer].size > 0) {
        list.push_back(stay);
        key.push_back(-stay.buffer - 1);
        key.insert(key.end(), stay.ticks.begin(), stay.ticks.end());
      }
    auto [found, fresh] = known.try_emplace(key, none);
    if (fresh) {
      lowest = problem.spaces[space].capacity
                   ? *problem.spaces[space].capacity + 1
                   : 1000;
      int64_t limit = lowest;
      std::vector<int64_t> load(100, 0);
      floor = 0;
      for (const Stay &stay : list)
        if (problem.buffers[stay.buffer].aliasClass < 0)
          for (int tick : stay.ticks)
            floor = std::max(floor,
                             load[tick] += problem.buffers[stay.buffer].size);
      std::vector<int64_t> offsets;
      place(list, offsets, std::vector<bool>(list.size(), false), space, 0, 0);
      found->second = lowest == limit ? none : lowest;
    }
    return found->second;
  }

  static bool meet(const Stay &a, const Stay &b) {
    for (int tick : a.ticks)
      if (std::find(b.ticks.begin(), b.ticks.end(), tick) != b.ticks.end())
        return true;
    return false;
  }

  /// Places the remaining stays in every order, each at the lowest offset from
  /// `from` on that is free: every plan can be brought into this form without
  /// a higher peak.
  void place(const std::vector<Stay> &list, std::vector<int64_t> &offsets,
             std::vector<bool> placed, int32_t space, int64_t from,
             int64_t peak) {
    if (peak >= lowest || lowest <= floor)
      return;
    offsets.resize(list.size(), -1);
    bool done = true;
    for (size_t i = 0; i < list.size(); ++i) {
      if (placed[i])
        continue;
      done = false;
      const Buffer &buffer = problem.buffers[list[i].buffer];
      int64_t multiple =
          std::lcm(buffer.alignment, problem.spaces[space].alignment);
      // Members of a class have one offset, a multiple for both.
      std::vector<size_t> together = {i};
      for (size_t j = 0; j < list.size(); ++j)
        if (const Buffer &other = problem.buffers[list[j].buffer];
            j != i && buffer.aliasClass >= 0 &&
            other.aliasClass == buffer.aliasClass)
          together.push_back(j);
      for (const Buffer &other : problem.buffers)
        if (buffer.aliasClass >= 0 && other.aliasClass == buffer.aliasClass)
          multiple = std::lcm(multiple, other.alignment);
      int64_t offset = (from + multiple - 1) / multiple * multiple;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t me : together)
          for (size_t j = 0; j < list.size(); ++j) {
            int64_t size = problem.buffers[list[me].buffer].size;
            int64_t end = offsets[j] + problem.buffers[list[j].buffer].size;
            if (placed[j] && meet(list[me], list[j]) && offset < end &&
                offsets[j] < offset + size) {
              offset = (end + multiple - 1) / multiple * multiple;
              moved = true;
            }
          }
      }
      std::vector<bool> next = placed;
      int64_t end = peak;
      for (size_t me : together) {
        offsets[me] = offset;
        next[me] = true;
        end = std::max(end, offset + problem.buffers[list[me].buffer].size);
      }
      place(list, offsets, next, space, offset, end);
    }
    if (done)
      lowest = std::min(lowest, peak);
  }

  const Problem &problem;
  bool evict, byPeak;
  std::vector<std::vector<Stay>> stays; // by space
  int32_t spaceOfFirst = -1;
  std::map<std::vector<int>, int64_t> known;
  int64_t lowest = 0, floor = 0;
  std::optional<Best> best;
};

} // namespace

std::optional<Best> tamc::planning::test::bestChoice(const Problem &problem,
                                                     bool evict, bool byPeak) {
  return Brute(problem, evict, byPeak).run();
}
