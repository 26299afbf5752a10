//===- ProfileTest.cpp - columns of few values ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

#include <sstream>

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

/// Rows per group, and each grid as "column: first + step * levels".
std::string profileOf(llvm::StringRef formula, llvm::StringRef csv,
                      std::string group = "") {
  Sources sources;
  auto spec = sources.formula(formula);
  EXPECT_TRUE(spec) << sources.messages;
  if (!spec)
    return "";
  spec->group = std::move(group);
  const std::string before = spec->canonical();
  EXPECT_TRUE(sources.levels(*spec, csv)) << sources.messages;
  // Whatever it finds, the model is the same.
  EXPECT_EQ(spec->canonical(), before);
  if (!spec->profile)
    return "none";
  std::ostringstream text;
  text << spec->profile->rowsPerGroup;
  for (const Grid &grid : spec->profile->grids)
    text << "; " << grid.column << ": " << grid.first << " + " << grid.step
         << " * " << grid.levels;
  return text.str();
}

TEST(Profile, FindsGrids) {
  EXPECT_EQ(profileOf("y ~ s(a) + f(b) + p(c) + w(d)",
                      "a,b,c,d\n0,-0.5,3,0.1\n1,0.5,9,0.2\n3,1.5,6,0.3\n"),
            "3; a: 0 + 1 * 4; b: -0.5 + 1 * 3; c: 3 + 3 * 3; d: 0.1 + 0.1 * 3");
  // Spellings of one number are one; both zeros, too.
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n-0\n1.0\n1e0\n 1\n"),
            "5; a: 0 + 1 * 2");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\nNA\n4\n\"\"\n5\nnan\n"),
            "5; a: 4 + 1 * 2");
}

TEST(Profile, Formats) {
  Sources sources;
  auto spec = sources.formula("y ~ s(a)");
  ASSERT_TRUE(spec);
  ASSERT_TRUE(sources.levels(*spec, "a;b\n0,5;1\n1,5;1\n-9;1\n-9,0;1\n?;1\n",
                             {';', ',', {"-9", "?"}}))
      << sources.messages;
  ASSERT_TRUE(spec->profile);
  EXPECT_EQ(spec->profile->grids[0].first, 0.5);
  EXPECT_EQ(spec->profile->grids[0].levels, 2);
}

TEST(Profile, FindsNone) {
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n1\n1\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n1\n2.5001\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n1\n1e9\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n-1e308\n0\n1e308\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\none\ntwo\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "b\n1\n2\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n"), "none");
  // Others read more than the one column, or are categories.
  EXPECT_EQ(
      profileOf("y ~ l(a) + c(a, n_cat=3) + te(s(a), l(b))", "a,b\n0,0\n1,1\n"),
      "none");
}

TEST(Profile, AsManyPointsAsAreOfUse) {
  std::string text = "a\n";
  for (size_t i = 0; i < maxGridLevels; ++i)
    text += std::to_string(i) + "\n";
  EXPECT_EQ(profileOf("y ~ s(a)", text), "1024; a: 0 + 1 * 1024");
  EXPECT_EQ(profileOf("y ~ s(a)", text + "1024\n"), "none");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n1\n1023\n"), "3; a: 0 + 1 * 1024");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n1\n1024\n"), "none");
}

TEST(Profile, RowsPerGroup) {
  EXPECT_EQ(profileOf("y ~ s(a)", "g,a\nx,0\nx,1\nz,1\nz,0\nz,0\n", "g"),
            "2; a: 0 + 1 * 2");
  EXPECT_EQ(profileOf("y ~ s(a)", "a\n0\n1\n", "g"), "none");
}

} // namespace
