//===- Planning/OrderReport.cpp - planning with the order in view ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/OrderReport.h"

#include <cstdio>

using namespace tamc::planning;

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
    report.hidden = findHiddenDependencies(problem, plan.offsets);
  }
  return report;
}

static std::string count(int64_t value, const char *one, const char *many) {
  return std::to_string(value) + " " + (value == 1 ? one : many);
}

std::string tamc::planning::toText(const Problem &problem,
                                   const OrderReport &report) {
  std::string text = "reuse     ";
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
      ", adds " +
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
