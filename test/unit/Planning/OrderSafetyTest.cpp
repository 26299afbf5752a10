//===- Planning/OrderSafetyTest.cpp - what reuse does to the order --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/OrderSafety.h"

#include "Programs.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/OrderReport.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>

using namespace tamc::planning;

namespace {

Problem readOrdered(const std::string &text) {
  auto result = readJson(text);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << wrong->line << ": " << wrong->message;
    return {};
  }
  return std::get<Problem>(result);
}

/// Two branches of two operations each, between a source and a sink.
Problem diamond() {
  return readOrdered(R"({
    "buffers": [{"name": "s", "size": 8}, {"name": "a1", "size": 4},
                {"name": "a2", "size": 4}, {"name": "b1", "size": 4},
                {"name": "b2", "size": 4},
                {"name": "t", "size": 1, "output": true}],
    "operations": [{"name": "source", "writes": ["s"]},
                   {"name": "left1", "reads": ["s"], "writes": ["a1"]},
                   {"name": "left2", "reads": ["a1"], "writes": ["a2"]},
                   {"name": "right1", "reads": ["s"], "writes": ["b1"]},
                   {"name": "right2", "reads": ["b1"], "writes": ["b2"]},
                   {"name": "sink", "reads": ["a2", "b2"], "writes": ["t"]}]})");
}

Options safe(std::string_view strategy = "auto") {
  Options options;
  options.strategy = strategy;
  options.reuse = Reuse::BranchSafe;
  return options;
}

TEST(OrderSafety, ABranchDoesNotWaitForAnother) {
  Problem problem = diamond();
  Options program;
  Plan quick = plan(problem, program);
  EXPECT_EQ(quick.totalPeak(), 16);
  EXPECT_EQ(quick.status, Status::Optimal);
  // left2 may run before right1 has read s: only t can share.
  Plan slow = plan(problem, safe());
  EXPECT_EQ(slow.status, Status::Optimal) << slow.reason;
  EXPECT_EQ(slow.totalPeak(), 24);
  EXPECT_EQ(slow.totalBound(), 24);
  OrderReport report = *reportOrder(problem, slow, safe());
  EXPECT_EQ(toText(problem, report),
            "reuse     branch-safe, costs 8 bytes (50.000%): the program's own "
            "order needs 16\n");
}

TEST(OrderSafety, TheReportNamesWhatThePlanAdds) {
  Problem problem = diamond();
  // b1 lies where a1 was: right1 has to wait for left2, which reads a1.
  std::vector<int64_t> offsets = {0, 8, 12, 8, 16, 20};
  EXPECT_TRUE(check(problem, offsets).empty());
  CheckOptions options;
  options.reuse = Reuse::BranchSafe;
  std::vector<Finding> findings = check(problem, offsets, options);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Finding::Kind::Order);
  EXPECT_EQ(findings[0].message,
            "buffers 'a1' at 8 of 4 bytes and 'b1' at 8 of 4 bytes overlap, "
            "and in some order of the operations both are needed at a time");
  HiddenDependencies hidden = findHiddenDependencies(problem, offsets);
  ASSERT_EQ(hidden.count, 1);
  EXPECT_EQ(problem.operations[hidden.worst[0].before].name, "left2");
  EXPECT_EQ(problem.operations[hidden.worst[0].after].name, "right1");
  EXPECT_EQ(problem.buffers[hidden.worst[0].first].name, "a1");
  EXPECT_EQ(problem.buffers[hidden.worst[0].second].name, "b1");
  EXPECT_EQ(hidden.worst[0].bytes, 4);
  OrderReport report;
  report.hidden = hidden;
  EXPECT_EQ(toText(problem, report),
            "reuse     program, adds 1 hidden dependency\n"
            "    'right1' after 'left2': 'b1' takes 4 bytes of 'a1'\n");
}

/// A window of no bytes does not make a buffer need its bytes.
TEST(OrderSafety, ABufferThatNeverLivesMayLieAnywhere) {
  for (const char *life : {R"("lower": 1, "upper": 1)", R"("live": [])",
                           R"("live": [], "windows": [[0, 3, 2, 2]])",
                           R"("live": [], "windows": [[1, 1, 0, 2]])"}) {
    Problem problem = readOrdered(
        R"({"buffers": [{"name": "a", "size": 8},
                        {"name": "b", "size": 7, )" +
        std::string(life) + R"(}],
            "operations": [{"name": "o0", "writes": ["a"]},
                           {"name": "o1", "reads": ["a"], "writes": ["b"]},
                           {"name": "o2", "reads": ["b"]}]})");
    CheckOptions options;
    options.reuse = Reuse::BranchSafe;
    EXPECT_TRUE(check(problem, std::vector<int64_t>{0, 0}, options).empty())
        << life;
    EXPECT_EQ(plan(problem, safe()).totalPeak(), 8) << life;
  }
}

TEST(OrderSafety, ALiveRangeAloneIsRefused) {
  Problem problem;
  addBuffer(problem, 0, 1, 8);
  Plan made = plan(problem, safe());
  EXPECT_EQ(made.status, Status::Invalid);
  EXPECT_EQ(made.reason,
            "branch-safe reuse needs the operations with what they read and "
            "write; live ranges alone say only the program's own order");
}

TEST(OrderSafety, PinsOverOneAnotherAreInfeasible) {
  Problem problem = diamond();
  problem.buffers[1].pin = 8;
  problem.buffers[3].pin = 8;
  EXPECT_TRUE(plan(problem, {}).fits());
  Plan made = plan(problem, safe());
  EXPECT_EQ(made.status, Status::Infeasible);
  EXPECT_EQ(made.reason, "two pins exclude each other: buffers 'a1' and 'b1' "
                         "share bytes, and in some order of the operations "
                         "both are needed at a time");
}

TEST(OrderSafety, SaysWhyItDoesNotFit) {
  Problem problem = diamond();
  problem.spaces[0].capacity = 15;
  Plan made = plan(problem, safe());
  EXPECT_EQ(made.status, Status::Infeasible);
  EXPECT_EQ(made.reason.substr(0, 62),
            "at least 24 bytes may be needed at one time in some order of t");
}

test::Features featuresOf(int round) {
  test::Features features;
  features.inputs = round & 1;
  features.extraOrder = round & 2;
  features.rewrites = round & 4;
  features.classes = round & 8;
  features.spaces = round & 16;
  features.alignment = round & 32;
  return features;
}

/// The main test: runs on real bytes in orders that were not planned for.
TEST(OrderSafety, EveryOrderOfABranchSafePlanIsRight) {
  std::mt19937_64 random(4);
  int broken = 0, shared = 0;
  for (int round = 0; round < 96; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    int count = round % 3 ? 7 : 24;
    Problem problem =
        test::randomProgram(random, shape, count, featuresOf(round / 2));
    ASSERT_FALSE(validate(problem)) << validate(problem)->message;
    auto before = test::orderOf(problem);
    for (const Strategy &strategy : strategies()) {
      Options options = safe(strategy.name);
      options.nodes = 300;
      options.threads = 1;
      options.alignment = round % 5 ? 1 : 8;
      Plan made = plan(problem, options);
      ASSERT_TRUE(made.fits()) << strategy.name << ": " << made.reason;
      EXPECT_GE(made.totalPeak(), made.totalBound());
      int64_t sum = 0;
      for (const Buffer &buffer : problem.buffers)
        sum += buffer.size;
      shared += made.totalPeak() < sum;
      auto run = [&](const std::vector<int32_t> &order) {
        std::string wrong = test::simulate(problem, made.offsets, order);
        EXPECT_EQ(wrong, "") << strategy.name << " round " << round;
        return wrong.empty();
      };
      for (int i = 0; i < 20; ++i)
        if (!run(test::randomOrder(random, before)))
          return;
      if (int left = 300; count == 7)
        test::forEachOrder(before, [&](const std::vector<int32_t> &order) {
          return run(order) && --left > 0;
        });
    }
    Plan program = plan(problem, {});
    std::vector<int32_t> own(problem.operations.size());
    std::iota(own.begin(), own.end(), 0);
    EXPECT_EQ(test::simulate(problem, program.offsets, own), "");
    bool breaks = false;
    for (int i = 0; i < 20 && !breaks; ++i)
      breaks = !test::simulate(problem, program.offsets,
                               test::randomOrder(random, before))
                    .empty();
    broken += breaks;
    // The checker and the report must find every violation.
    CheckOptions options;
    options.reuse = Reuse::BranchSafe;
    HiddenDependencies hidden =
        findHiddenDependencies(problem, program.offsets);
    EXPECT_EQ(hidden.count > 0,
              !check(problem, program.offsets, options).empty());
    EXPECT_TRUE(!breaks || hidden.count > 0);
  }
  EXPECT_GT(broken, 15);
  EXPECT_GT(shared, 200);
}

/// The hidden dependencies are complete: with them as explicit order, the
/// program's plan is branch-safe.
TEST(OrderSafety, HiddenDependenciesMakeAProgramPlanSafe) {
  std::mt19937_64 random(5);
  int added = 0;
  for (int round = 0; round < 120; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    Problem problem =
        test::randomProgram(random, shape, 15, featuresOf(round / 2));
    Plan program = plan(problem, {});
    HiddenDependencies hidden =
        findHiddenDependencies(problem, program.offsets, 100000);
    ASSERT_EQ(hidden.count, static_cast<int64_t>(hidden.worst.size()));
    auto before = test::orderOf(problem);
    for (const HiddenDependency &each : hidden.worst) {
      EXPECT_FALSE(before[each.before][each.after]);
      EXPECT_LT(each.before, each.after);
      EXPECT_GT(each.bytes, 0);
      problem.operations[each.after].after.push_back(each.before);
    }
    added += hidden.count > 0;
    ASSERT_FALSE(validate(problem));
    CheckOptions options;
    options.reuse = Reuse::BranchSafe;
    EXPECT_TRUE(check(problem, program.offsets, options).empty());
    EXPECT_EQ(findHiddenDependencies(problem, program.offsets).count, 0);
  }
  EXPECT_GT(added, 20);
}

/// The least peak with conflicts straight from the definition: placing the
/// buffers by first fit in every order meets it.
int64_t bruteForce(const Problem &problem) {
  auto before = test::orderOf(problem);
  size_t count = problem.buffers.size();
  std::vector<std::vector<int32_t>> uses(count);
  std::vector<bool> input(count);
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    for (int32_t b : problem.operations[i].reads) {
      input[b] = input[b] || uses[b].empty();
      uses[b].push_back(static_cast<int32_t>(i));
    }
    for (int32_t b : problem.operations[i].writes)
      uses[b].push_back(static_cast<int32_t>(i));
  }
  auto precedes = [&](size_t a, size_t b) {
    if (problem.buffers[a].output || input[b])
      return false;
    for (int32_t x : uses[a])
      for (int32_t y : uses[b])
        if (!before[x][y])
          return false;
    return true;
  };
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> offset(count, 0);
    int64_t peak = 0;
    for (size_t k = 0; k < count; ++k) {
      int32_t b = order[k];
      int64_t size = problem.buffers[b].size;
      for (bool moved = size > 0; moved;) {
        moved = false;
        for (size_t j = 0; j < k; ++j) {
          int32_t a = order[j];
          int64_t other = problem.buffers[a].size;
          if (other > 0 && !precedes(a, b) && !precedes(b, a) &&
              offset[a] < offset[b] + size && offset[b] < offset[a] + other) {
            offset[b] = offset[a] + other;
            moved = true;
          }
        }
      }
      peak = std::max(peak, size > 0 ? offset[b] + size : 0);
    }
    best = std::min(best, peak);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(OrderSafety, AgreesWithBruteForce) {
  std::mt19937_64 random(6);
  int64_t costs = 0;
  for (int round = 0; round < 250; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    test::Features features;
    features.extraOrder = round & 4;
    features.rewrites = round & 8;
    features.inputs = round % 7 == 0;
    Problem problem =
        test::randomProgram(random, shape, round % 7 ? 7 : 5, features);
    Plan made = plan(problem, safe(round & 2 ? "exact" : "auto"));
    ASSERT_EQ(made.totalPeak(), bruteForce(problem)) << writeJson(problem);
    EXPECT_EQ(made.status, Status::Optimal);
    EXPECT_EQ(made.bound, made.peak);
    // So less is known not to be enough.
    problem.spaces[0].capacity = made.totalPeak() - 1;
    EXPECT_EQ(plan(problem, safe()).status, Status::Infeasible);
    problem.spaces[0].capacity.reset();
    costs += made.totalPeak() > plan(problem, {}).totalPeak();
  }
  EXPECT_GT(costs, 10);
}

/// Parallel chains have no short list of times, so that buffers are placed by
/// the graph of conflicts; this must be fast.
TEST(OrderSafety, ManyOperations) {
  for (int chains : {2, 100}) {
    Problem problem;
    constexpr int count = 10000;
    std::vector<int32_t> last(chains, -1);
    for (int i = 0; i < count; ++i) {
      Buffer buffer;
      buffer.name = "b" + std::to_string(i);
      buffer.size = 1 + i % 7;
      buffer.output = i + chains >= count;
      buffer.live = {{i, buffer.output ? count : i + chains + 1}};
      problem.buffers.push_back(buffer);
      Operation op{"op" + std::to_string(i), {}, {i}, {}};
      if (last[i % chains] >= 0)
        op.reads.push_back(last[i % chains]);
      last[i % chains] = i;
      problem.operations.push_back(op);
    }
    ASSERT_FALSE(validate(problem));
    std::clock_t begin = std::clock();
    Plan made = plan(problem, safe("skyline"));
    // Processor time, because machines may be busy; sanitizers need more.
    EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 30);
    EXPECT_TRUE(made.fits());
    // Two buffers of a chain at a time.
    EXPECT_LE(made.totalPeak(), chains * 14 * 3 / 2);
    EXPECT_GE(made.totalBound(), chains * 7);
  }
}

} // namespace
