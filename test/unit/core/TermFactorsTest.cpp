//===- core/TermFactorsTest.cpp - columns of a term -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/TermFactors.h"

#include <gtest/gtest.h>

using namespace tamrt;

namespace {

using Columns = std::vector<std::string>;

TEST(TermFactors, OfOneTerm) {
  const std::vector<TermFactor> factors =
      factorsOf("f(x, m=3, period=(0, 24), cyclic=True)");
  ASSERT_EQ(factors.size(), 1u);
  EXPECT_EQ(factors[0].kind, "f");
  EXPECT_EQ(factors[0].columns, Columns{"x"});
  EXPECT_EQ(factors[0].parameters.at("period"), "(0, 24)");
  EXPECT_EQ(factors[0].parameters.at("m"), "3");
  EXPECT_TRUE(factorsOf("offset").empty());
}

TEST(TermFactors, WithOtherColumns) {
  EXPECT_EQ(factorsOf("rbf(a, others='b|c d', seed=1)")[0].columns,
            (Columns{"a", "b", "c d"}));
  EXPECT_EQ(factorsOf("t(a,others=b|c)")[0].columns, (Columns{"a", "b", "c"}));
  EXPECT_EQ(factorsOf("lt(a, slope='a')")[0].columns, Columns{"a"});
  EXPECT_EQ(factorsOf("lt(a, slope=s)")[0].columns, (Columns{"a", "s"}));
}

TEST(TermFactors, WithQuotes) {
  EXPECT_EQ(factorsOf("s('x, (y=1) \\'z\\'', k=2)")[0].columns,
            Columns{"x, (y=1) 'z'"});
  EXPECT_EQ(factorsOf("c (\"te(a)\", topo='fourier')")[0].columns,
            Columns{"te(a)"});
  EXPECT_EQ(factorsOf("c(x, topo='fourier')")[0].parameters.at("topo"),
            "fourier");
}

TEST(TermFactors, OfProducts) {
  const std::vector<TermFactor> factors = factorsOf(
      "te(s(a, k=3), te(c(b, n_cat=2), l(c)), rbf(d, others='a'), ap=-3)");
  ASSERT_EQ(factors.size(), 4u);
  EXPECT_EQ(factors[0].kind, "s");
  EXPECT_EQ(factors[1].columns, Columns{"b"});
  EXPECT_EQ(factors[2].kind, "l");
  EXPECT_EQ(factors[3].columns, (Columns{"d", "a"}));
}

} // namespace
