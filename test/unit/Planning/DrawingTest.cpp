//===- Planning/DrawingTest.cpp - a plan on the terminal ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Drawing.h"

#include "Support.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace tamc::planning;

namespace {

TEST(Drawing, ShowsTimeAcrossAndAddressesUp) {
  Problem problem;
  addBuffer(problem, 0, 4, 2, "first");
  addBuffer(problem, 2, 8, 2, "second");
  std::vector<int64_t> offsets = {0, 2};
  DrawingOptions options;
  options.width = 20;
  options.height = 4;
  EXPECT_EQ(draw(problem, offsets, 0, options), "4 |....AAAAAAAAAAAA\n"
                                                "  |....AAAAAAAAAAAA\n"
                                                "  |BBBBBBBB........\n"
                                                "0 |BBBBBBBB........\n"
                                                "  +----------------\n"
                                                "   0              8\n"
                                                "  A  second  2 + 2  [2, 8)\n"
                                                "  B  first   0 + 2  [0, 4)\n");
}

TEST(Drawing, OfNothing) {
  EXPECT_EQ(draw({}, {}), "  (nothing lives here)\n");
}

TEST(Drawing, LegendNamesTheLargestAndCountsTheRest) {
  Problem problem = test::load("minimalloc/A.1048576");
  Options options;
  options.strategy = "tree";
  Plan made = plan(problem, options);
  std::string text = draw(problem, made.offsets);
  EXPECT_NE(text.find("  #  142 more buffers\n"), std::string::npos) << text;
  std::stringstream lines(text);
  std::string line;
  for (int row = 0; row < 20; ++row) {
    std::getline(lines, line);
    EXPECT_EQ(line.size(), 80u - 1);
  }
}

TEST(Drawing, FromOneBufferToManyOnNarrowTerminals) {
  std::mt19937_64 random(9);
  for (int count : {1, 10, 1000, 100000})
    for (int width : {1, 20, 33, 200}) {
      Problem problem;
      std::vector<int64_t> offsets;
      for (int i = 0; i < count; ++i) {
        auto lower = static_cast<int64_t>(random() % 1000);
        addBuffer(problem, lower, lower + 1 + random() % 50, 8);
        offsets.push_back(i * 8);
      }
      DrawingOptions options;
      options.width = width;
      options.height = width / 4;
      std::string text = draw(problem, offsets, 0, options);
      EXPECT_EQ(text, draw(problem, offsets, 0, options));
      EXPECT_EQ(text.back(), '\n');
    }
}

TEST(Drawing, HugeValues) {
  Problem problem;
  addBuffer(problem, 0, INT64_MAX, INT64_MAX);
  std::string text = draw(problem, std::vector<int64_t>{0});
  EXPECT_EQ(text.substr(0, 24), "9223372036854775807 |AAA");
}

} // namespace
