//===- Planning/ChoiceTest.cpp - choice of spaces -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChoiceBrute.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Choice.h"
#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace tamc::planning;
using namespace tamc::planning::test;

namespace {

Options optionsOf(bool evict, Objective objective) {
  Options options;
  options.threads = 1;
  options.evict = evict;
  options.objective = objective;
  return options;
}

std::string messages(const std::vector<Finding> &findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += finding.message + "\n";
  return text;
}

void compareWithBruteForce(int problems, const ChoiceKinds &kinds, bool evict,
                           Objective objective, uint64_t seed) {
  std::mt19937_64 random(seed);
  int feasible = 0;
  for (int i = 0; i < problems; ++i) {
    Problem problem = randomChoice(random, kinds);
    while (!hasChoice(problem))
      problem = randomChoice(random, kinds);
    ASSERT_FALSE(validate(problem)) << validate(problem)->message;
    std::optional<Best> best =
        bestChoice(problem, evict, objective == Objective::Peak);
    Plan made = plan(problem, optionsOf(evict, objective));
    std::string where =
        "problem " + std::to_string(i) + "\n" + writeJson(problem, &made);
    if (!best) {
      ASSERT_EQ(made.status, Status::Infeasible) << where;
      continue;
    }
    ++feasible;
    ASSERT_EQ(made.status, Status::Optimal) << where;
    ASSERT_EQ(*made.cost, best->cost) << where;
    if (objective == Objective::Cost) {
      ASSERT_EQ(*made.costBound, best->cost) << where;
    }
    ASSERT_EQ(made.totalPeak(), best->peak) << where;
    CheckOptions checking;
    checking.costDecides = objective == Objective::Cost;
    std::vector<Finding> findings = checkChoice(problem, made, checking);
    ASSERT_TRUE(findings.empty()) << messages(findings) << where;
    auto read = readPlan(writeJson(problem, &made), problem);
    ASSERT_TRUE(std::holds_alternative<Plan>(read))
        << std::get<Diagnostic>(read).message << where;
    findings = checkChoice(problem, std::get<Plan>(read), checking);
    ASSERT_TRUE(findings.empty()) << messages(findings) << where;
  }
  EXPECT_GT(feasible, problems / 3);
}

TEST(Choice, EqualsBruteForce) {
  compareWithBruteForce(1200, {}, false, Objective::Cost, 1);
  ChoiceKinds kinds;
  kinds.gaps = kinds.alignment = kinds.classes = true;
  compareWithBruteForce(800, kinds, false, Objective::Cost, 2);
}

TEST(Choice, EqualsBruteForceWithEviction) {
  ChoiceKinds kinds;
  kinds.uses = true;
  compareWithBruteForce(1500, kinds, true, Objective::Cost, 3);
  kinds.alignment = kinds.classes = true;
  compareWithBruteForce(500, kinds, true, Objective::Cost, 4);
}

TEST(Choice, EqualsBruteForceByPeak) {
  ChoiceKinds kinds;
  kinds.buffers = 6;
  compareWithBruteForce(300, kinds, false, Objective::Peak, 5);
  kinds.uses = true;
  compareWithBruteForce(300, kinds, true, Objective::Peak, 6);
}

/// A problem whose plan has copies and reasons of both kinds.
Problem sample() {
  auto read = readJson(R"({
    "spaces": [{"name": "sram", "capacity": 100, "alignment": 4},
               {"name": "dram", "alignment": 8}],
    "buffers": [
      {"name": "w", "size": 60, "lower": 0, "upper": 10, "uses": [0, 9],
       "spaces": {"sram": 0, "dram": 500}},
      {"name": "x", "size": 80, "lower": 3, "upper": 6,
       "spaces": {"sram": 0, "dram": 900}, "alignment": 16},
      {"name": "y", "size": 90, "lower": 4, "upper": 5,
       "spaces": {"sram": 0, "dram": 7}},
      {"name": "p", "size": 8, "lower": 0, "upper": 2, "space": "sram",
       "pin": 92},
      {"name": "m", "size": 4, "lower": 0, "upper": 1, "alias": "c",
       "spaces": {"sram": 0, "dram": 3}},
      {"name": "n", "size": 4, "lower": 1, "upper": 2, "alias": "c",
       "spaces": {"sram": 0, "dram": 3}}]})");
  return std::get<Problem>(read);
}

std::set<Finding::Kind> kindsOf(const Problem &problem, const Plan &plan) {
  CheckOptions checking;
  checking.alignment = 2;
  std::set<Finding::Kind> kinds;
  for (const Finding &finding : checkChoice(problem, plan, checking))
    kinds.insert(finding.kind);
  return kinds;
}

/// A strategy that packs badly proves nothing by its own packing.
TEST(Choice, WeakStrategiesProveNothingFalse) {
  ChoiceKinds kinds;
  for (std::string_view strategy : {"naive", "bfc", "caching", "tree"})
    for (Objective objective : {Objective::Cost, Objective::Peak}) {
      std::mt19937_64 random(11);
      int proofs = 0;
      for (int i = 0; i < 60; ++i) {
        Problem problem = randomChoice(random, kinds);
        if (!hasChoice(problem))
          continue;
        Options options = optionsOf(false, objective);
        options.strategy = strategy;
        Plan made = plan(problem, options);
        std::optional<Best> best =
            bestChoice(problem, false, objective == Objective::Peak);
        std::string where =
            std::string(strategy) + "\n" + writeJson(problem, &made);
        if (made.status == Status::Infeasible) {
          EXPECT_FALSE(best) << where;
        }
        if (made.status != Status::Optimal)
          continue;
        ++proofs;
        ASSERT_TRUE(best) << where;
        if (objective == Objective::Cost) {
          EXPECT_EQ(*made.cost, best->cost) << where;
        } else {
          EXPECT_EQ(made.totalPeak(), best->peak) << where;
        }
      }
      EXPECT_GT(proofs, 0) << strategy;
    }
}

TEST(Choice, CheckerRejectsPlantedFaults) {
  Problem problem = sample();
  Options options = optionsOf(true, Objective::Cost);
  options.alignment = 2;
  const Plan good = plan(problem, options);
  ASSERT_EQ(good.status, Status::Optimal);
  ASSERT_EQ(*good.cost, 127); // two copies of w, and y in dram
  ASSERT_EQ(good.residences.size(), 3u);
  ASSERT_EQ(good.copies.size(), 2u);
  ASSERT_TRUE(kindsOf(problem, good).empty());
  ASSERT_EQ(good.reasons.size(), 2u);
  using Kind = Finding::Kind;
  const int w = 0, x = 1, y = 2, p = 3, n = 5, sram = 0, dram = 1;
  struct Fault {
    const char *name;
    Kind kind;
    std::function<void(Plan &)> plant;
  };
  const Fault faults[] = {
      {"no offset", Kind::Count, [](Plan &a) { a.offsets.pop_back(); }},
      {"no space", Kind::Count, [](Plan &a) { a.spaces.pop_back(); }},
      {"below 0", Kind::Negative, [&](Plan &a) { a.offsets[y] = -8; }},
      {"above 2^63", Kind::Overflow,
       [&](Plan &a) { a.offsets[y] = INT64_MAX - 7; }},
      {"the buffer's alignment", Kind::Alignment,
       [&](Plan &a) { a.offsets[x] += 8; }},
      {"the space's alignment", Kind::Alignment,
       [&](Plan &a) { a.offsets[y] += 4; }},
      {"pin", Kind::Pin, [&](Plan &a) { a.offsets[p] = 88; }},
      {"alias apart", Kind::AliasClass, [&](Plan &a) { a.offsets[n] += 4; }},
      {"alias in two spaces", Kind::AliasClass,
       [&](Plan &a) { a.spaces[n] = dram; }},
      {"capacity", Kind::Capacity, [&](Plan &a) { a.offsets[x] = 32; }},
      {"overlap", Kind::Overlap,
       [&](Plan &a) { a.residences[0].offset = a.offsets[w] = 40; }},
      {"a space it cannot choose", Kind::Space,
       [&](Plan &a) { a.spaces[p] = dram; }},
      {"another space than the first stay", Kind::Space,
       [&](Plan &a) { a.spaces[w] = dram; }},
      {"another offset than the first stay", Kind::Residence,
       [&](Plan &a) { a.offsets[w] += 16; }},
      {"stays with a hole", Kind::Residence,
       [&](Plan &a) { a.residences[1].time.lower = 2; }},
      {"stays that end early", Kind::Residence,
       [&](Plan &a) { a.residences[2].time.upper = 9; }},
      {"a move far from the uses", Kind::Residence,
       [&](Plan &a) {
         a.residences[0].time.upper = a.residences[1].time.lower = 3;
         a.copies[0].time = 3;
       }},
      {"two stays in one space", Kind::Residence,
       [&](Plan &a) { a.residences[1].space = sram; }},
      {"a copy too few", Kind::Copy, [](Plan &a) { a.copies.pop_back(); }},
      {"a copy too many", Kind::Copy,
       [](Plan &a) { a.copies.push_back(a.copies[0]); }},
      {"a copy at another time", Kind::Copy,
       [](Plan &a) { ++a.copies[0].time; }},
      {"a copy of fewer bytes", Kind::Copy,
       [](Plan &a) { --a.copies[1].bytes; }},
      {"a copy the other way", Kind::Copy,
       [](Plan &a) { std::swap(a.copies[0].from, a.copies[0].to); }},
      {"cost", Kind::Cost, [](Plan &a) { --*a.cost; }},
      {"bound above the cost", Kind::CostBound,
       [](Plan &a) { *a.costBound += 1; }},
      {"optimal without a proof", Kind::CostBound,
       [](Plan &a) { *a.costBound -= 1; }},
      {"peak", Kind::Peak, [](Plan &a) { ++a.peak[1]; }},
      {"no reason", Kind::Reason, [](Plan &a) { a.reasons.pop_back(); }},
      {"a reason for nothing", Kind::Reason,
       [&](Plan &a) {
         a.reasons.push_back(a.reasons[0]);
         a.reasons.back().buffer = x;
       }},
      {"other bytes lacking", Kind::Reason,
       [](Plan &a) { ++a.reasons[1].lacking; }},
      {"a moment outside the life", Kind::Reason,
       [](Plan &a) { a.reasons[1].time = 9; }},
      {"others there", Kind::Reason,
       [&](Plan &a) { a.reasons[1].there = {w}; }},
      {"another number there", Kind::Reason,
       [](Plan &a) { ++a.reasons[1].count; }},
      {"a reason for another space", Kind::Reason,
       [&](Plan &a) { a.reasons[1].space = dram; }},
  };
  for (const Fault &fault : faults) {
    Plan bad = good;
    fault.plant(bad);
    EXPECT_TRUE(kindsOf(problem, bad).count(fault.kind)) << fault.name;
  }
}

/// Buffers with short lives at random times, half of whose largest load is the
/// capacity of a fast space. The slow space costs one to five times the bytes.
Problem manyBuffers(int count, bool uses) {
  std::mt19937_64 random(count);
  auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
  };
  Problem problem;
  problem.spaces.resize(2);
  problem.spaces[0].name = "fast";
  problem.spaces[1].name = "slow";
  std::vector<int64_t> load(count + 100, 0);
  for (int i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.name = std::to_string(i);
    buffer.size = 1 + below(1000);
    int64_t lower = below(count), upper = lower + 1 + below(99);
    buffer.live = {{lower, upper}};
    buffer.choices = {{0, 0}, {1, buffer.size + below(4 * buffer.size)}};
    if (uses)
      for (int64_t use = lower + below(20); use < upper; use += 1 + below(40))
        buffer.uses.push_back(use);
    for (int64_t time = lower; time < upper; ++time)
      load[time] += buffer.size;
    problem.buffers.push_back(std::move(buffer));
  }
  problem.spaces[0].capacity = *std::max_element(load.begin(), load.end()) / 2;
  return problem;
}

/// The gap between the cost and its bound, as a share of the bound.
double gapOf(const Problem &problem, const Options &options) {
  Plan made = plan(problem, options);
  EXPECT_TRUE(made.fits()) << made.reason;
  if (!made.fits())
    return 1e9;
  std::vector<Finding> findings = checkChoice(problem, made);
  EXPECT_TRUE(findings.empty()) << messages(findings);
  return (static_cast<double>(*made.cost) -
          static_cast<double>(*made.costBound)) /
         static_cast<double>(*made.costBound);
}

// Without a time limit, so that the result is the same on every machine: 0.377.
TEST(Choice, ManyBuffersStayNearTheBound) {
  EXPECT_LT(gapOf(manyBuffers(10000, false), optionsOf(false, Objective::Cost)),
            0.385);
}

TEST(Choice, ManyBuffersStayNearTheBoundWithEviction) {
  EXPECT_LT(gapOf(manyBuffers(4000, true), optionsOf(true, Objective::Cost)),
            0.65);
}

/// Beside a space without a capacity everything fits. What leaves a space that
/// cannot be packed must not come back, when another one is as full.
TEST(Choice, LargeAlignmentsLeaveSmallSpaces) {
  for (uint64_t seed : {180, 209, 274, 341}) {
    std::mt19937_64 random(seed);
    auto draw = [&](int64_t least, int64_t most) {
      return least + int64_t(random() % uint64_t(most - least + 1));
    };
    Problem problem;
    problem.spaces.resize(3);
    problem.spaces[0].capacity = 192;
    problem.spaces[1].capacity = 128;
    const int64_t count = draw(3, 24), unit = draw(0, 1) ? 64 : 1;
    for (int64_t i = 0; i < count; ++i) {
      Buffer buffer;
      buffer.name = "b" + std::to_string(i);
      buffer.size = unit > 1 ? unit * draw(1, 4) : draw(1, 200);
      const int64_t lower = draw(0, 30), upper = lower + draw(4, 16);
      buffer.live = {{lower, upper}};
      if (draw(0, 1)) {
        const int64_t gap = draw(lower + 1, upper - 2);
        buffer.live = {{lower, gap}, {gap + 1, upper}};
      }
      for (int64_t time = lower; time < upper; time += draw(1, 5))
        if (buffer.live.size() == 1 || time != buffer.live[0].upper)
          buffer.uses.push_back(time);
      if (draw(0, 5) == 0)
        buffer.uses.clear();
      buffer.alignment = int64_t(1) << draw(0, 7);
      buffer.choices = {
          {0, buffer.size}, {1, 3 * buffer.size}, {2, 9 * buffer.size}};
      problem.buffers.push_back(std::move(buffer));
    }
    ASSERT_FALSE(validate(problem)) << validate(problem)->message;
    for (bool evict : {false, true})
      for (int64_t nodes : {20, 1000}) {
        Options options = optionsOf(evict, Objective::Cost);
        options.alignment = unit;
        options.nodes = nodes;
        const Plan made = plan(problem, options);
        ASSERT_TRUE(made.fits()) << "seed " << seed << ": " << made.reason;
        // The space without a capacity has not all.
        Problem none = problem;
        none.spaces[0].capacity = none.spaces[1].capacity = 0;
        EXPECT_LT(*made.cost, *plan(none, options).cost) << "seed " << seed;
      }
  }
}

TEST(Choice, DecisionsBoundThePackingsToo) {
  // Gaps make packings hard to prove. Each choice that is tried has its own.
  std::mt19937_64 random(7);
  auto draw = [&](int64_t least, int64_t most) {
    return least + int64_t(random() % uint64_t(most - least + 1));
  };
  Options options = optionsOf(false, Objective::Cost);
  options.nodes = 100;
  double seconds = 0;
  for (int round = 0; round < 12; ++round) {
    Problem problem;
    problem.spaces.resize(2);
    problem.spaces[0].name = "sram";
    problem.spaces[0].capacity = 640;
    problem.spaces[1].name = "dram";
    for (int i = 0; i < 20; ++i) {
      Buffer buffer;
      buffer.name = "b" + std::to_string(i);
      buffer.size = 64 * draw(1, 7);
      const int64_t lower = draw(0, 30), upper = lower + draw(6, 16);
      const int64_t gap = draw(lower + 2, upper - 3);
      buffer.live = {{lower, gap}, {gap + 1, upper}};
      buffer.choices = {{0, 0}, {1, buffer.size}};
      problem.buffers.push_back(buffer);
    }
    ASSERT_FALSE(validate(problem)) << validate(problem)->message;
    const Plan made = plan(problem, options);
    EXPECT_TRUE(made.fits());
    seconds += made.seconds;
  }
  EXPECT_LT(seconds, 1);
}

/// Plans whose costs saturate cannot be told apart: the cheaper space of the
/// buffers of a class is not found.
TEST(Choice, CostsThatSaturateAreNotCalledOptimal) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  Problem problem;
  problem.spaces.resize(2);
  for (int i = 0; i < 2; ++i) {
    addBuffer(problem, 0, 1, 8, std::string(1, char('a' + i)));
    problem.buffers.back().aliasClass = 0;
    problem.buffers.back().choices = {{0, most}, {1, most / 2}};
  }
  EXPECT_EQ(plan(problem, optionsOf(false, Objective::Cost)).cost, most - 1);
  EXPECT_EQ(plan(problem, optionsOf(false, Objective::Cost)).status,
            Status::Optimal);
  problem.buffers[0].choices[1].cost += 1;
  Plan made = plan(problem, optionsOf(false, Objective::Cost));
  EXPECT_EQ(made.cost, most);
  EXPECT_EQ(made.status, Status::Feasible);
  EXPECT_TRUE(checkChoice(problem, made).empty());
}

TEST(Choice, ReadsAndWritesCsv) {
  const char *text = "id,lower,upper,size,spaces,uses\n"
                     "a,0,4,8,sram:0|dram:3,0 3\n"
                     "b,1,3,8,sram:0|dram:2,\n"
                     "c,2,5,8,dram:0,\n";
  auto read = readCsv(text);
  ASSERT_TRUE(std::holds_alternative<Problem>(read))
      << std::get<Diagnostic>(read).message;
  Problem problem = std::get<Problem>(read);
  EXPECT_EQ(writeCsv(problem), text);
  problem.spaces[0].capacity = 8;
  Plan made = plan(problem, optionsOf(false, Objective::Cost));
  EXPECT_EQ(*made.cost, 2);
  std::string answer = writeCsv(problem, made.offsets, made.spaces);
  EXPECT_EQ(answer, "id,lower,upper,size,spaces,uses,space,offset\n"
                    "a,0,4,8,sram:0|dram:3,0 3,sram,0\n"
                    "b,1,3,8,sram:0|dram:2,,dram,8\n"
                    "c,2,5,8,dram:0,,dram,0\n");
  auto given = readPlan(answer, problem);
  ASSERT_TRUE(std::holds_alternative<Plan>(given));
  EXPECT_TRUE(checkChoice(problem, std::get<Plan>(given)).empty());
  // As a problem, the answer pins the buffers to their spaces and offsets.
  auto pinned = readCsv(answer);
  ASSERT_TRUE(std::holds_alternative<Problem>(pinned));
  EXPECT_EQ(std::get<Problem>(pinned).buffers[1].choices,
            (std::vector<SpaceChoice>{{1, 2}}));
  CsvOptions ignoring;
  ignoring.ignorePins = true;
  EXPECT_EQ(writeCsv(std::get<Problem>(readCsv(answer, ignoring))), text);
}

TEST(Choice, RefusesBadChoices) {
  auto message = [](const std::string &line) {
    auto read = readCsv("id,lower,upper,size,spaces,uses,offset\n" + line);
    return std::holds_alternative<Problem>(read)
               ? std::string()
               : std::get<Diagnostic>(read).message;
  };
  const std::string like = "expected spaces like 'sram:0|dram:12', got ";
  EXPECT_EQ(message("a,0,2,8,,,\n"), like + "a blank field");
  EXPECT_EQ(message("a,0,2,8,sram,,\n"), like + "'sram'");
  EXPECT_EQ(message("a,0,2,8,sram:-1,,\n"), like + "'sram:-1'");
  EXPECT_EQ(message("a,0,2,8,sram:0|,,\n"), like + "'sram:0|'");
  EXPECT_EQ(message("a,0,2,8,sram:0|sram:1,,\n"),
            "buffer 'a': expected distinct spaces, got 'sram' twice");
  EXPECT_EQ(message("a,0,2,8,sram:0|dram:1,,0\n"),
            "buffer 'a': a buffer with a pin needs one space, got a choice of "
            "2");
  EXPECT_EQ(message("a,0,2,8,sram:0,1 1,\n"),
            "buffer 'a': expected ascending uses of 0 or more, got 1 after 1");
  EXPECT_EQ(message("a,0,2,8,sram:0,2,\n"),
            "buffer 'a': expected uses within the live range, got 2");
  EXPECT_EQ(message("a,0,2,8,sram:0,1,\n"), "");
}

} // namespace
