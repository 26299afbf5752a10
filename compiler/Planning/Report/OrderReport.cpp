//===- Planning/OrderReport.cpp - plans with an order report --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/OrderReport.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace tamc::planning;

Plan tamc::planning::planMinPeak(Problem &problem, const Options &options,
                                 Scheduling &scheduling) {
  auto begin = std::chrono::steady_clock::now();
  ScheduleOptions limits;
  limits.seed = options.seed;
  limits.nodes = options.nodes;
  Options part = options;
  if (options.timeLimit) {
    limits.timeLimit = *options.timeLimit / 4;
    part.timeLimit = *options.timeLimit / 4;
  }
  scheduling.schedule = minimizeLoad(problem, limits);
  Plan before = plan(problem, part);
  auto hasPlan = [&](const Plan &made) {
    return !made.offsets.empty() || problem.buffers.empty();
  };
  if (hasPlan(before))
    scheduling.peakBefore = scheduling.peakAfter = before.totalPeak();
  if (scheduling.schedule.load >= scheduling.schedule.given)
    return before;
  if (options.timeLimit) {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    part.timeLimit = std::max(*options.timeLimit - spent.count(), 0.0);
  }
  Problem moved = reorder(problem, scheduling.schedule.order);
  Plan after = plan(moved, part);
  if (!hasPlan(after) || (before.fits() && !after.fits()) ||
      (before.fits() == after.fits() && hasPlan(before) &&
       after.totalPeak() >= before.totalPeak()))
    return before;
  scheduling.peakAfter = after.totalPeak();
  scheduling.changed = true;
  problem = std::move(moved);
  return after;
}

std::optional<OrderReport> tamc::planning::reportOrder(const Problem &problem,
                                                       const Plan &plan,
                                                       const Options &options,
                                                       double seconds) {
  if (problem.operations.empty())
    return std::nullopt;
  OrderReport report;
  report.reuse = options.reuse;
  if (plan.offsets.empty() && !problem.buffers.empty())
    return report;
  report.peak = plan.totalPeak();
  if (options.reuse == Reuse::BranchSafe) {
    Options program = options;
    program.reuse = Reuse::Program;
    if (program.timeLimit)
      program.timeLimit = seconds;
    Plan other = tamc::planning::plan(problem, program);
    if (!other.offsets.empty() || problem.buffers.empty())
      report.programPeak = other.totalPeak();
  } else if (whyNotBranchSafe(problem).empty()) {
    std::optional<double> limit;
    if (options.timeLimit)
      limit = seconds;
    report.hidden = findHiddenDependencies(problem, plan.offsets, 20, limit);
  }
  return report;
}

static std::string count(int64_t value, const char *one, const char *many) {
  return std::to_string(value) + " " + (value == 1 ? one : many);
}

static std::string toText(const Problem &problem,
                          const Scheduling &scheduling) {
  const Schedule &schedule = scheduling.schedule;
  std::string text = "schedule  min-peak, ";
  text += scheduling.changed ? "another order"
          : schedule.load < schedule.given
              ? "the given order, as the plan of another is no better"
              : "the given order, as no better one was found";
  auto peak = [](int64_t bytes) {
    return bytes < 0 ? "none" : std::to_string(bytes);
  };
  text += "\n    peak before " + peak(scheduling.peakBefore) + ", after " +
          peak(scheduling.peakAfter) + "\n    load before " +
          std::to_string(schedule.given) + ", after " +
          std::to_string(scheduling.changed ? schedule.load : schedule.given);
  if (schedule.isOptimal())
    text += "; no order has less than " + std::to_string(schedule.load);
  else
    text += "; every order has at least " + std::to_string(schedule.bound);
  text += "\n";
  if (!scheduling.changed)
    return text;
  text += "    order";
  for (const Operation &operation : problem.operations)
    text += " " + operation.name;
  return text + "\n";
}

std::string tamc::planning::toText(const Problem &problem,
                                   const OrderReport &report) {
  std::string text =
      report.scheduling ? ::toText(problem, *report.scheduling) : "";
  text += "reuse     ";
  if (report.reuse == Reuse::BranchSafe) {
    text += "branch-safe";
    if (int64_t less = report.programPeak; less >= 0 && report.peak >= 0) {
      int64_t cost = report.peak - less;
      char percent[32] = "";
      if (less > 0)
        std::snprintf(percent, sizeof percent, " (%.3f%%)",
                      100 * static_cast<double>(cost) /
                          static_cast<double>(less));
      text += ", costs " + count(cost, "byte", "bytes") + percent +
              ": the program's own order needs " + std::to_string(less);
    }
    return text + "\n";
  }
  text += "program";
  if (!report.hidden)
    return text + "\n";
  text +=
      std::string(", adds ") + (report.hidden->complete ? "" : "at least ") +
      count(report.hidden->count, "hidden dependency", "hidden dependencies") +
      "\n";
  for (const HiddenDependency &each : report.hidden->worst)
    text += "    '" + problem.operations[each.after].name + "' after '" +
            problem.operations[each.before].name + "': '" +
            problem.buffers[each.second].name + "' takes " +
            count(each.bytes, "byte", "bytes") + " of '" +
            problem.buffers[each.first].name + "'\n";
  auto listed = static_cast<int64_t>(report.hidden->worst.size());
  if (int64_t rest = report.hidden->count - listed; rest > 0)
    text += "    and " + std::to_string(rest) + " more\n";
  return text;
}
