//===- Planning/IopddlTest.cpp - what a contest's file costs to read ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Iopddl.h"

#include "support/AllocationCount.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>

using namespace tamc::planning;
using tamrt::test::peakBytesIn;

namespace {

/// A problem of one node whose edge has `costs`.
std::string problemWith(const std::string &costs) {
  return R"({"problem": {"name": "one", "nodes": {"intervals": [[0, 1]], )"
         R"("costs": [[5]], "usages": [[3]]}, "edges": {"nodes": [[0, 0]], )"
         R"("costs": )" +
         costs + R"(}, "usage_limit": 4}})";
}

/// Parsing the costs of edges, most of a file, would take ten times as long as
/// reading it, and 16 bytes for each number.
TEST(Iopddl, CostsOfEdgesAreNotParsed) {
  std::string costs = "[[7";
  for (int i = 0; i < 500000; ++i)
    costs += i % 1000 == 999 ? "], [8" : ",9";
  const std::string text = problemWith(costs + "]]");
  std::variant<StrategyProblem, Diagnostic> read;
  const int64_t bytes = peakBytesIn([&] { read = readIopddl(text); });
  ASSERT_TRUE(std::holds_alternative<StrategyProblem>(read));
  EXPECT_EQ(std::get<StrategyProblem>(read).edges, 1u);
  EXPECT_EQ(std::get<StrategyProblem>(read).limit, 4);
  EXPECT_LT(bytes, 50000);
  // Costs that are no whole numbers are parsed, and it shows.
  const std::string parsed = problemWith(costs + ".5]]");
  EXPECT_GT(peakBytesIn([&] { read = readIopddl(parsed); }), 8000000);
  EXPECT_TRUE(std::holds_alternative<StrategyProblem>(read));
}

/// Of two choices whose costs saturate, neither is called optimal.
TEST(Iopddl, CostsThatSaturateAreNotCalledOptimal) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (auto [first, second, status] :
       {std::tuple(most - 1, int64_t(0), Status::Optimal),
        std::tuple(most, int64_t(0), Status::Feasible),
        std::tuple(most, most, Status::Feasible),
        std::tuple(most / 2 + 1, most / 2, Status::Feasible)}) {
    StrategyProblem problem;
    problem.intervals = {{0, 2}, {1, 1}};
    problem.costs = {{first}, {second}};
    problem.usages = {{1}, {1}};
    StrategyChoice choice = chooseStrategies(problem, {});
    EXPECT_EQ(choice.status, status) << first;
    EXPECT_EQ(choice.cost,
              std::max(first, second) == most - 1 ? most - 1 : most);
    problem.intervals[1] = {0, 1};
    EXPECT_EQ(chooseStrategies(problem, {}).status, status) << first;
  }
}

} // namespace
