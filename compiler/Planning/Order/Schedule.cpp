//===- Planning/Schedule.cpp - schedules of lower peak --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Schedule.h"

#include "Order/DataFlow.h"
#include "Order/IdealSearch.h"
#include "Order/ListScheduler.h"
#include "Problem/Arithmetic.h"
#include "Problem/Program.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>

using namespace tamc::planning;

std::string tamc::planning::whyNotScheduled(const Problem &problem) {
  if (problem.operations.empty())
    return "another schedule needs the operations with what they read and "
           "write; live ranges alone say only the program's own order";
  if (problem.operations.size() > maxOrdered)
    return "schedules have at most " + std::to_string(maxOrdered) +
           " operations, got " + std::to_string(problem.operations.size());
  std::vector<std::optional<Interval>> implied = impliedLives(problem);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.size > 0 &&
        !(implied[i] && buffer.windows.empty() && buffer.live.size() == 1 &&
          buffer.live[0] == *implied[i]))
      return "another schedule needs lives that follow from the operations; "
             "buffer '" +
             buffer.name + "' has one of its own";
  }
  return {};
}

Problem tamc::planning::reorder(const Problem &problem,
                                std::span<const int32_t> order) {
  Problem moved = problem;
  std::vector<int32_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = static_cast<int32_t>(i);
  for (size_t i = 0; i < order.size(); ++i) {
    moved.operations[i] = problem.operations[order[i]];
    for (int32_t &before : moved.operations[i].after)
      before = position[before];
  }
  std::vector<std::optional<Interval>> implied = impliedLives(moved);
  for (size_t i = 0; i < moved.buffers.size(); ++i)
    if (implied[i])
      moved.buffers[i].live = {*implied[i]};
  return moved;
}

namespace {

/// The bytes that are alive while an operation runs in every order: its own
/// buffers, and those that are accessed before it and after it in every order.
/// Of the operations that are looked at before it is late.
Load floorOf(const Problem &problem, const Program &program,
             const std::function<bool()> &isLate) {
  DataFlow flow(problem);
  Load floor(program.spaces, 0);
  for (int32_t op = 0;
       op < static_cast<int32_t>(program.size()) && (op % 16 || !isLate());
       ++op) {
    Load load(program.spaces, 0);
    for (const std::vector<int32_t> &group : program.groups) {
      int64_t most = 0;
      for (int32_t member : group) {
        const Program::Bytes &bytes = program.buffers[member];
        bool begun = bytes.input, needed = bytes.output;
        for (int32_t touch : bytes.touches) {
          begun |= touch == op || flow.before(touch, op);
          needed |= touch == op || flow.before(op, touch);
          if (begun && needed)
            break;
        }
        if (begun && needed)
          most = std::max(most, bytes.size);
      }
      int64_t &bytes = load[program.buffers[group.front()].space];
      bytes = saturatingAdd(bytes, most);
    }
    for (size_t space = 0; space < load.size(); ++space)
      floor[space] = std::max(floor[space], load[space]);
  }
  return floor;
}

class Scheduler {
public:
  Scheduler(const Problem &problem, const ScheduleOptions &options)
      : program(problem), backward(program.reversed()), options(options),
        random(options.seed), begin(Clock::now()) {
    int64_t work = std::max<int64_t>(
        static_cast<int64_t>(program.size()) + program.touches(), 1);
    // The bound takes every pair of an operation and an access.
    floor = work <= 40000
                ? floorOf(problem, program, [this] { return isLate(); })
                : Load(program.spaces, 0);
    for (size_t op = 0; op < program.size(); ++op) {
      Load touched(program.spaces, 0);
      for (int32_t buffer : program.buffersOf[op])
        if (program.groups[program.buffers[buffer].group].size() == 1) {
          int64_t &bytes = touched[program.buffers[buffer].space];
          bytes = saturatingAdd(bytes, program.buffers[buffer].size);
        }
      for (size_t space = 0; space < floor.size(); ++space)
        floor[space] = std::max(floor[space], touched[space]);
    }
    budget = options.nodes ? options.nodes
                           : std::clamp<int64_t>(100000000 / work, 20, 50000);
    rounds = std::clamp<int64_t>(4000000 / work, 2, 200);
  }

  Schedule run() {
    Schedule schedule;
    std::vector<int32_t> own(program.size());
    std::iota(own.begin(), own.end(), 0);
    schedule.bound = total(floor);
    schedule.order = own;
    best = &schedule;
    target = peakOf(program, own);
    schedule.given = schedule.load = total(target);
    improveByLists(own);
    if (!schedule.isOptimal() && !isLate()) {
      LoadSearch found = searchIdeals(program, floor, schedule.load, budget,
                                      [this] { return isLate(); });
      schedule.nodes += found.nodes;
      schedule.bound = std::max(schedule.bound, found.bound);
      if (!found.order.empty())
        offer(found.order);
    }
    return schedule;
  }

private:
  using Clock = std::chrono::steady_clock;

  bool isLate() const {
    return options.timeLimit &&
           std::chrono::duration<double>(Clock::now() - begin).count() >
               *options.timeLimit;
  }

  void offer(const std::vector<int32_t> &order) {
    Load peak = peakOf(program, order);
    if (total(peak) >= best->load)
      return;
    best->load = total(peak);
    best->order = order;
    target = peak;
  }

  void tryRule(const ListRule &rule, bool fromTheEnd) {
    std::vector<int32_t> order =
        tamc::planning::schedule(fromTheEnd ? backward : program, rule);
    if (fromTheEnd)
      std::reverse(order.begin(), order.end());
    offer(order);
  }

  void improveByLists(const std::vector<int32_t> &own) {
    for (int variant = 0; variant < 16; ++variant) {
      ListRule rule;
      bool fromTheEnd = variant & 1;
      rule.deep = variant & 2;
      rule.rankFirst = variant & 4;
      rule.target = variant & 8 ? between() : floor;
      rule.rank = own;
      if (fromTheEnd)
        std::reverse(rule.rank.begin(), rule.rank.end());
      tryRule(rule, fromTheEnd);
      if (best->isOptimal() || isLate())
        return;
    }
    for (int64_t round = 0; round < rounds; ++round) {
      ListRule rule;
      rule.deep = random() & 1;
      rule.rankFirst = random() & 1;
      rule.target = random() & 1 ? between() : floor;
      rule.rank = own;
      // Part of the list keeps its order.
      for (size_t i = rule.rank.size(); i > 1; --i)
        if (random() & 1)
          std::swap(rule.rank[i - 1], rule.rank[random() % i]);
      tryRule(rule, random() & 1);
      if (best->isOptimal() || isLate())
        return;
    }
  }

  /// A load between the bound and the best one.
  Load between() {
    Load load = floor;
    for (size_t space = 0; space < load.size(); ++space)
      load[space] += (std::max(target[space], floor[space]) - floor[space]) /
                     4 * static_cast<int64_t>(random() % 4);
    return load;
  }

  Program program, backward;
  ScheduleOptions options;
  std::mt19937_64 random;
  Clock::time_point begin;
  Load floor, target;
  int64_t budget = 0, rounds = 0;
  Schedule *best = nullptr;
};

} // namespace

Schedule tamc::planning::minimizeLoad(const Problem &problem,
                                      const ScheduleOptions &options) {
  return Scheduler(problem, options).run();
}
