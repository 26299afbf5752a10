//===- Planning/ProblemTest.cpp - rules of a valid problem ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Problem.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

std::string wrong(const Problem &problem, int64_t alignment = 1) {
  std::optional<Diagnostic> found = validate(problem, alignment);
  return found ? found->message : "";
}

Problem one() {
  Problem problem;
  addBuffer(problem, 0, 4, 8, "a");
  return problem;
}

TEST(Problem, AcceptsZeroSizesAndEmptyLives) {
  Problem problem = one();
  addBuffer(problem, 3, 3, 5);
  addBuffer(problem, 3, 4, 0);
  EXPECT_EQ(wrong(problem), "");
}

TEST(Problem, NamesWhatIsWrongWithABuffer) {
  auto with = [](auto change) {
    Problem problem = one();
    change(problem.buffers[0]);
    return wrong(problem);
  };
  EXPECT_EQ(with([](Buffer &b) { b.size = -1; }),
            "buffer 'a': expected a size of 0 or more, got -1");
  EXPECT_EQ(with([](Buffer &b) { b.alignment = 0; }),
            "buffer 'a': expected an alignment of 1 or more, got 0");
  EXPECT_EQ(with([](Buffer &b) { b.space = 1; }),
            "buffer 'a': expected a space below 1, got 1");
  EXPECT_EQ(with([](Buffer &b) {
              b.live = {{3, 2}};
            }),
            "buffer 'a': expected upper >= lower, got lower 3 and upper 2");
  EXPECT_EQ(with([](Buffer &b) {
              b.live = {{-3, 2}};
            }),
            "buffer 'a': expected a time of 0 or more, got -3");
  EXPECT_EQ(with([](Buffer &b) {
              b.live = {{0, 3}, {2, 4}};
            }),
            "buffer 'a': expected sorted, disjoint intervals, got one that "
            "begins at 2 after one that ends at 3");
  EXPECT_EQ(with([](Buffer &b) {
              b.windows = {{{1, 2}, 0, 4}};
            }),
            "buffer 'a': expected windows outside the live intervals");
  EXPECT_EQ(with([](Buffer &b) {
              b.windows = {{{5, 6}, 0, 9}};
            }),
            "buffer 'a': expected a window within 0 and 8, got 0 to 9");
  EXPECT_EQ(with([](Buffer &b) {
              b.size = INT64_MAX;
              b.pin = 1;
            }),
            "buffer 'a': expected pin + size below 2^63, got pin 1 and size "
            "9223372036854775807");
}

TEST(Problem, ChecksPinsAgainstAlignment) {
  Problem problem = one();
  problem.buffers[0].pin = 8;
  // A plan that does not fit is a result, not an error.
  problem.spaces[0].capacity = 15;
  EXPECT_EQ(wrong(problem), "");
  EXPECT_EQ(wrong(problem, 64),
            "buffer 'a': expected a pin that is a multiple of 64, got 8");
}

TEST(Problem, NamesAreUnique) {
  Problem problem = one();
  addBuffer(problem, 0, 1, 1, "a");
  EXPECT_EQ(wrong(problem), "duplicate buffer 'a'");
}

TEST(Problem, AliasClassesLieInOneSpaceWithOnePin) {
  Problem problem = one();
  addBuffer(problem, 0, 1, 1, "b");
  problem.spaces.emplace_back();
  problem.buffers[0].aliasClass = problem.buffers[1].aliasClass = 0;
  EXPECT_EQ(wrong(problem), "");
  problem.buffers[1].space = 1;
  EXPECT_EQ(wrong(problem), "buffer 'b': expected the space of 'a', which is "
                            "of the same alias class");
  problem.buffers[1].space = 0;
  problem.buffers[0].pin = 0;
  problem.buffers[1].pin = 8;
  EXPECT_EQ(wrong(problem), "buffer 'b': expected the pin 0 of 'a', which is "
                            "of the same alias class, got 8");
}

TEST(Problem, OperationsAreInRangeAndAcyclic) {
  Problem problem = one();
  problem.operations = {{"x", {}, {0}, {}}, {"y", {}, {}, {0}}};
  EXPECT_EQ(wrong(problem), "");
  problem.operations[0].after = {1};
  EXPECT_EQ(wrong(problem),
            "the order of the operations is cyclic: 'x' after 'y' after 'x'");
  // What a buffer asks for counts too.
  problem.operations[1] = {"y", {0}, {}, {}};
  EXPECT_EQ(wrong(problem),
            "the order of the operations is cyclic: 'x' after 'y' after 'x'");
  problem.operations[1].reads.clear();
  EXPECT_EQ(wrong(problem), "operation 'x' is to run after 'y', which is later "
                            "in the list");
  problem.operations[0].after = {0};
  EXPECT_EQ(wrong(problem),
            "the order of the operations is cyclic: 'x' after 'x'");
  problem.operations[1].after = {2};
  EXPECT_EQ(wrong(problem),
            "operation 'y': expected an operation below 2, got 2");
}

TEST(Problem, LastAreOutputs) {
  Problem problem = one();
  addBuffer(problem, 0, 3, 1);
  addBuffer(problem, 2, 4, 1);
  markLastAsOutputs(problem);
  EXPECT_TRUE(problem.buffers[0].output);
  EXPECT_FALSE(problem.buffers[1].output);
  EXPECT_TRUE(problem.buffers[2].output);
}

} // namespace
