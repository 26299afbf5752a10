//===- Planning/SymbolicTest.cpp - plans that hold for all sizes ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Symbolic.h"

#include "Programs.h"
#include "Support.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Json.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

std::string parsed(const std::string &text, const Binding &binding = {}) {
  auto result = SizeExpression::parse(text);
  if (auto *wrong = std::get_if<std::string>(&result))
    return *wrong;
  auto value = std::get<SizeExpression>(result).evaluate(binding, 1);
  return value ? std::to_string(*value) : "overflow";
}

TEST(SizeExpression, Evaluates) {
  EXPECT_EQ(parsed("8*rows*4 + 2", {{"rows", 5}}), "162");
  EXPECT_EQ(parsed("2 + 3 * 4"), "14");
  EXPECT_EQ(parsed(" (2 + 3) * a_1 ", {{"a_1", 4}}), "20");
  EXPECT_EQ(parsed("max(rows, 7, 3*2)", {{"rows", 2}}), "7");
  EXPECT_EQ(parsed("maxi"), "1");
  EXPECT_EQ(parsed("0 * n", {{"n", INT64_MAX}}), "0");
}

TEST(SizeExpression, SaysWhatIsWrong) {
  EXPECT_EQ(parsed(""), "expected a number, a name or (, got the end at "
                        "character 1");
  EXPECT_EQ(parsed("8*"), "expected a number, a name or (, got the end at "
                          "character 3");
  EXPECT_EQ(parsed("8 rows"), "expected + or *, got 'r' at character 3");
  EXPECT_EQ(parsed("rows-1"), "expected + or *, got '-' at character 5");
  EXPECT_EQ(parsed("-1*n"), "expected a number, a name or (, got '-' at "
                            "character 1");
  EXPECT_EQ(parsed("(n"), "expected ), got the end at character 3");
  EXPECT_EQ(parsed("max(n"), "expected , or ), got the end at character 6");
  EXPECT_EQ(parsed("9223372036854775808*n"),
            "expected a number below 2^63, got '9' at character 1");
  EXPECT_EQ(parsed("n*n", {{"n", int64_t(1) << 32}}), "overflow");
  EXPECT_EQ(parsed("n+n", {{"n", INT64_MAX}}), "overflow");
  EXPECT_EQ(parsed(std::string(100000, '(')).substr(0, 30),
            "expected at most 200 parenthes");
}

Problem readSymbolic(const std::string &text, const Binding &binding = {}) {
  CsvOptions options;
  options.binding = binding;
  auto result =
      text[0] == '{' ? readJson(text, options) : readCsv(text, options);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << wrong->line << ": " << wrong->message;
    return {};
  }
  return std::get<Problem>(result);
}

TEST(Symbolic, ReadsAndWritesBothForms) {
  const char *text = "id,lower,upper,size\na,0,2,8*rows\nb,1,3,64\n";
  Problem problem = readSymbolic(text);
  EXPECT_EQ(problem.buffers[0].size, 8192);
  EXPECT_EQ(readSymbolic(text, {{"rows", 2}}).buffers[0].size, 16);
  EXPECT_EQ(writeCsv(problem), text);
  Problem again = readSymbolic(writeJson(problem));
  EXPECT_EQ(again.buffers[0].size, 8192);
  EXPECT_EQ(writeCsv(again), text);
  auto wrong = readCsv("id,lower,upper,size\na,0,2,8\nb,0,2,8*-1\n");
  EXPECT_EQ(std::get<Diagnostic>(wrong).line, 3);
  wrong = readCsv("id,lower,upper,size\na,0,2,9000000000000000000*n\n");
  EXPECT_EQ(std::get<Diagnostic>(wrong).message,
            "the size 9000000000000000000*n exceeds 2^63-1");
  EXPECT_EQ(std::get<Diagnostic>(wrong).line, 2);
}

TEST(Symbolic, OffsetsAreExpressions) {
  Problem problem =
      readSymbolic("id,lower,upper,size,alignment\na,0,3,8*rows,1\n"
                   "b,1,4,24,1\nc,2,5,4*rows,64\nd,3,5,8,1\n");
  Options options;
  std::vector<int64_t> offsets = {0, 8192, 8256, 0};
  SymbolicPlan plan = makeSymbolic(problem, offsets, options);
  EXPECT_EQ(checkSymbolic(problem, plan, options), "");
  EXPECT_EQ(offsetText(problem, plan, 0), "0");
  EXPECT_EQ(offsetText(problem, plan, 1),
            "max(offset(a) + 8*rows, offset(d) + 8)");
  EXPECT_EQ(offsetText(problem, plan, 2), "align(offset(b) + 24, 64)");
  EXPECT_EQ(*evaluate(problem, plan), offsets);
  // With few rows, d is larger than a, so that b moves up.
  ASSERT_FALSE(bindSizes(problem, {{"rows", 0}}));
  EXPECT_EQ(*evaluate(problem, plan), (std::vector<int64_t>{0, 8, 64, 0}));
  ASSERT_FALSE(bindSizes(problem, {{"rows", (int64_t(1) << 60) - 1}}));
  EXPECT_FALSE(evaluate(problem, plan));
  EXPECT_TRUE(bindSizes(problem, {{"rows", INT64_MAX}}));
}

TEST(Symbolic, TheCheckerSeesAMissingRelation) {
  Problem problem =
      readSymbolic("id,lower,upper,size\na,0,3,n\nb,1,4,n\nc,2,5,n\n");
  Options options;
  SymbolicPlan plan = makeSymbolic(problem, {0, 1024, 2048}, options);
  EXPECT_EQ(checkSymbolic(problem, plan, options), "");
  SymbolicPlan wrong = plan;
  wrong.below[2].clear();
  EXPECT_EQ(checkSymbolic(problem, wrong, options),
            "buffers 'a' and 'c' may share bytes: neither is below the other");
  wrong = plan;
  std::swap(wrong.order[0], wrong.order[1]);
  EXPECT_NE(checkSymbolic(problem, wrong, options), "");
  problem.buffers[1].alignment = 8;
  EXPECT_EQ(checkSymbolic(problem, plan, options),
            "buffer 'b' is not aligned for all values");
}

TEST(Symbolic, RefusesWhatCannotHold) {
  Problem problem = readSymbolic("id,lower,upper,size,offset\na,0,3,n,0\n");
  EXPECT_EQ(whyNotSymbolic(problem, 1),
            "buffer 'a': a pin cannot hold for all values of the symbols");
}

/// No 64-bit number could stand for the alignment of the offsets.
TEST(Symbolic, AlignmentsNeedACommonMultiple) {
  constexpr int64_t large = int64_t(1) << 62;
  Problem problem = readSymbolic("id,lower,upper,size,alignment\na,0,2,n,3\n");
  EXPECT_EQ(whyNotSymbolic(problem, 1), "");
  EXPECT_EQ(whyNotSymbolic(problem, large),
            "buffer 'a': expected alignments with a common multiple below "
            "2^63, got 3 and 4611686018427387904");
  problem.spaces[0].alignment = large;
  EXPECT_NE(whyNotSymbolic(problem, 1), "");
  problem = readSymbolic("id,lower,upper,size,alignment,alias\na,0,2,n,3,c\n"
                         "b,0,2,n,4611686018427387904,c\n");
  EXPECT_EQ(whyNotSymbolic(problem, 1),
            "buffer 'b': expected alignments with a common multiple below "
            "2^63, got 3 and 4611686018427387904");
  // 2^63-1 itself is a multiple of 7.
  problem = readSymbolic("id,lower,upper,size,alignment\na,0,2,n,7\n");
  EXPECT_EQ(whyNotSymbolic(problem, INT64_MAX), "");
  Options options;
  options.alignment = INT64_MAX;
  EXPECT_EQ(
      checkSymbolic(problem, makeSymbolic(problem, {0}, options), options), "");
}

/// Whatever operations use it: a buffer with an empty live range takes no
/// bytes.
TEST(Symbolic, AnEmptyLifeConflictsWithNothing) {
  Problem problem = readSymbolic(R"({
    "buffers": [{"name": "a", "size": "n"},
                {"name": "b", "size": 7, "lower": 1, "upper": 1}],
    "operations": [{"name": "o0", "writes": ["a"]},
                   {"name": "o1", "reads": ["a"], "writes": ["b"]},
                   {"name": "o2", "reads": ["b"]}]})");
  Options options;
  options.reuse = Reuse::BranchSafe;
  Plan made = plan(problem, options);
  ASSERT_TRUE(made.fits());
  SymbolicPlan symbolic = makeSymbolic(problem, made.offsets, options);
  EXPECT_EQ(checkSymbolic(problem, symbolic, options), "");
  EXPECT_EQ(offsetText(problem, symbolic, 1), "0");
}

std::string randomSize(std::mt19937_64 &random) {
  auto number = [&](int64_t most) { return std::to_string(random() % most); };
  switch (random() % 7) {
  case 0:
    return number(200);
  case 1:
    return number(9) + "*rows";
  case 2:
    return "8*rows*" + number(4) + " + cols";
  case 3:
    return "rows*cols";
  case 4:
    return "max(rows, " + number(9) + "*cols) + 1";
  case 5:
    return "(rows + " + number(30) + ")*3";
  default:
    return "cols";
  }
}

/// A thousand bindings for each of 60 plans; lives, gaps, classes, spaces,
/// alignment, and both kinds of reuse.
TEST(Symbolic, HoldsOnRandomBindings) {
  std::mt19937_64 random(12);
  int equal = 0;
  for (int round = 0; round < 60; ++round) {
    Problem problem;
    bool program = round % 3 == 0;
    if (program)
      problem = test::randomProgram(
          random,
          round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel, 12,
          {.inputs = true, .rewrites = true, .classes = bool(round & 4)});
    else
      problem = test::randomProblem(random, {.buffers = 20,
                                             .times = 12,
                                             .gaps = bool(round & 1),
                                             .classes = bool(round & 2),
                                             .spaces = bool(round & 4),
                                             .alignment = bool(round & 8)});
    for (Buffer &buffer : problem.buffers) {
      auto expression = SizeExpression::parse(randomSize(random));
      buffer.expression = static_cast<int32_t>(problem.expressions.size());
      problem.expressions.push_back(std::get<SizeExpression>(expression));
    }
    Options options;
    options.nodes = 300;
    options.alignment = round % 5 ? 1 : 16;
    options.strategy = strategies()[round % strategies().size()].name;
    if (program && round & 1)
      options.reuse = Reuse::BranchSafe;
    Binding origin = {{"rows", random() % 100}, {"cols", random() % 100}};
    ASSERT_FALSE(bindSizes(problem, origin));
    if (validate(problem, options.alignment))
      continue;
    Plan made = plan(problem, options);
    ASSERT_TRUE(made.fits()) << made.reason;
    SymbolicPlan symbolic = makeSymbolic(problem, made.offsets, options);
    ASSERT_EQ(checkSymbolic(problem, symbolic, options), "");
    Plan at = made;
    ASSERT_FALSE(rebind(problem, at, symbolic, origin, options));
    // Moving every buffer down onto those below it can only lower a plan.
    EXPECT_LE(at.totalPeak(), made.totalPeak());
    if (options.strategy == "auto" || options.strategy == "tree+") {
      EXPECT_EQ(at.totalPeak(), made.totalPeak()) << options.strategy;
    }
    equal += at.totalPeak() == made.totalPeak();
    for (int i = 0; i < 1000; ++i) {
      Binding binding = {{"rows", random() % (i % 2 ? 10 : 100000)},
                         {"cols", random() % (i % 3 ? 10 : 100000)}};
      Problem bound = problem;
      ASSERT_FALSE(bindSizes(bound, binding));
      std::vector<int64_t> offsets = *evaluate(bound, symbolic);
      ASSERT_TRUE(test::isCorrect(bound, offsets, options.alignment));
      CheckOptions checking;
      checking.alignment = options.alignment;
      checking.reuse = options.reuse;
      if (i % 10 == 0) {
        ASSERT_TRUE(check(bound, offsets, checking).empty());
      }
    }
  }
  EXPECT_GT(equal, 30);
}

} // namespace
