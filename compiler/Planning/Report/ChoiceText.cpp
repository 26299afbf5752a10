//===- Planning/Report/ChoiceText.cpp - chosen spaces as text -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Choice.h"

#include <algorithm>
#include <cstdio>

using namespace tamc::planning;

static std::string bytes(int64_t value) {
  return std::to_string(value) + (value == 1 ? " byte" : " bytes");
}

std::string tamc::planning::toText(const Problem &problem,
                                   const Reason &reason) {
  auto quoted = [](const std::string &name) { return "'" + name + "'"; };
  std::string text = quoted(problem.buffers[reason.buffer].name) +
                     " is outside " +
                     quoted(problem.spaces[reason.space].name) + " from " +
                     std::to_string(reason.outside.lower) + " to " +
                     std::to_string(reason.outside.upper) + ": ";
  if (reason.kind == Reason::Kind::Plan)
    return text + "there are enough bytes at every time, but no better "
                  "plan with it there was found";
  text += "at time " + std::to_string(reason.time) + " " +
          bytes(reason.lacking) +
          (reason.lacking == 1 ? " is lacking" : " are lacking");
  if (reason.kind == Reason::Kind::Stretch)
    text += " in the longest free stretch of addresses";
  if (reason.there.empty())
    return text + "; no buffer is there";
  text += "; there " + std::string(reason.count == 1 ? "is " : "are ");
  for (size_t i = 0; i < reason.there.size(); ++i) {
    const Buffer &other = problem.buffers[reason.there[i]];
    text += (i ? ", " : "") + quoted(other.name) + " (" +
            std::to_string(other.size) + ")";
  }
  if (int64_t more = reason.count - static_cast<int64_t>(reason.there.size()))
    text += " and " + std::to_string(more) + " more";
  return text;
}

std::string tamc::planning::describeChoice(const Problem &problem,
                                           const Plan &plan, size_t most) {
  if (!plan.cost)
    return {};
  std::string text = "cost      " + std::to_string(*plan.cost) +
                     "\ncost bound " + std::to_string(*plan.costBound) + "\n";
  auto list = [&](const char *title, size_t count, auto line) {
    if (count == 0)
      return;
    text += title + std::to_string(count) + "\n";
    for (size_t i = 0; i < std::min(count, most); ++i)
      text += "    " + line(i) + "\n";
    if (count > most)
      text += "    and " + std::to_string(count - most) + " more\n";
  };
  list("copies    ", plan.copies.size(), [&](size_t i) {
    const Copy &copy = plan.copies[i];
    return "before " + std::to_string(copy.time) + ": '" +
           problem.buffers[copy.buffer].name + "' from '" +
           problem.spaces[copy.from].name + "' to '" +
           problem.spaces[copy.to].name + "', " + bytes(copy.bytes);
  });
  list("outside   ", plan.reasons.size(),
       [&](size_t i) { return toText(problem, plan.reasons[i]); });
  return text;
}
