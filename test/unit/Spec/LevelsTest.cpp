//===- LevelsTest.cpp - levels counted from a profile ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

/// The canonical formula after the levels of `csv`, or the messages.
std::string resolved(llvm::StringRef formula, llvm::StringRef csv,
                     const ProfileFormat &format = {}) {
  Sources sources;
  auto spec = sources.formula(formula);
  EXPECT_TRUE(spec) << sources.messages;
  if (!spec)
    return "";
  bool good = sources.levels(*spec, csv, format);
  EXPECT_EQ(good, sources.messages.empty()) << sources.messages;
  return good ? spec->canonicalFormula() : sources.messages;
}

TEST(Levels, CountsDistinctValues) {
  EXPECT_EQ(resolved("y ~ c(day)", "y,day\n1,mon\n2,tue\n3,mon\n"),
            "y ~ c(day, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(day) + c(x) + te(s(a), te(c(x), c(day)))",
                     "day,x,a,y\nmon,1,0,0\ntue,1.0,0,0\nwed,2,0,0\n"),
            "y ~ c(day, n_cat=3, levels=True) + c(x, n_cat=2, levels=True) + "
            "te(s(a), te(c(x, n_cat=2, levels=True), c(day, n_cat=3, "
            "levels=True)))");
}

TEST(Levels, NumbersCompareAsNumbersWhenAllAre) {
  EXPECT_EQ(resolved("y ~ c(x)", "x\n0\n0.0\n-0\n1e0\n1\n +1\n"),
            "y ~ c(x, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\n0\n0.0\n-0\na\n"),
            "y ~ c(x, n_cat=4, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\na\n0\n0.0\n-0\n"),
            "y ~ c(x, n_cat=4, levels=True)");
}

TEST(Levels, NumbersThatDoublesCannotTellApart) {
  EXPECT_EQ(resolved("y ~ c(x)", "x\n541448860000000011\n5\n"
                                 "541448860000000011.0\n541448860000000012\n"),
            "5:1 error: expected levels of 'x' that differ as doubles, got "
            "'541448860000000011' and '541448860000000012', which have the "
            "same nearest double; with a letter in front they are text\n"
            "1:5 note: the levels of this term are counted\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x\n0\n1e-400\nt\n"),
            "y ~ c(x, n_cat=3, levels=True)");
}

TEST(Levels, MissingIsSkipped) {
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n,1\nNA,1\nnan,1\nNaN,1\n3,1\n\"\",1\n"),
            "y ~ c(x, n_cat=1, levels=True)");
}

TEST(Levels, MissingAmongNumbersIsALevelAmongTexts) {
  EXPECT_EQ(resolved("y ~ c(x)", "x\n1\nN/A\nnull\nNone\nNaT\n2\n"),
            "y ~ c(x, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\nNA\nb\n  \ninf\n"),
            "y ~ c(x, n_cat=3, levels=True)");
}

/// As the runtime, which collects the levels, has it.
TEST(Levels, BlanksAndCase) {
  EXPECT_EQ(resolved("y ~ c(x)", "y, x \n1, na\n1,  \n1,-NaN \n1, 2\n1,2.0\n"),
            "y ~ c(x, n_cat=1, levels=True)");
  EXPECT_EQ(resolved("y ~ c(' x')", "y,\" x\"\n1, a\n1,a\n"),
            "y ~ c(\" x\", n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\ninf\n+Infinity\n-inf\n1\n1.0\n"),
            "y ~ c(x, n_cat=1, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\n1\n1.0\n1e999\n"),
            "y ~ c(x, n_cat=3, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\n1\n1.0\n1e-999\n"),
            "y ~ c(x, n_cat=2, levels=True)");
}

TEST(Levels, TextOfCsv) {
  EXPECT_EQ(resolved("y ~ c('a,\"b')", "\xef\xbb\xbf\"a,\"\"b\",y\r\n"
                                       "\"x\ny\",1\r\n"
                                       "\r\n"
                                       "\"x\ny\",2\r\n"
                                       "\"q\"\"\",3\r\n"
                                       "q\",3\r\n"),
            "8:1 error: unexpected quote inside a field\n");
  EXPECT_EQ(resolved("y ~ c('a,\"b')", "\xef\xbb\xbf\"a,\"\"b\",y\r\n"
                                       "\"x\ny\",1\r\n"
                                       "\r\n"
                                       "\"x\ny\",2\r\n"
                                       "\"q\"\"\",3\r\n"
                                       "\"q\",3"),
            "y ~ c(\"a,\\\"b\", n_cat=3, levels=True)");
}

TEST(Levels, Formats) {
  EXPECT_EQ(resolved("y ~ c(x)", "a;x\n1;\"2;5\"\n1;2,5\n1;2.5\n1;t\n",
                     {';', ',', {}}),
            "y ~ c(x, n_cat=3, levels=True)");
  EXPECT_EQ(
      resolved("y ~ c(x)", "a\t x \n1\t2,5\n1\t2,50\n1\t2,\n", {'\t', ',', {}}),
      "y ~ c(x, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "a\tx\n1\t\"2\"3\n", {'\t', '.', {}}),
            "2:1 error: expected a tab or the end of the line after a quoted "
            "field\n");
  // Missing texts are missing in every column, numbers as they are written.
  EXPECT_EQ(resolved("y ~ c(x)", "x\nt\n?\n ? \nu\n", {',', '.', {"?"}}),
            "y ~ c(x, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x;y\n1;1\n-9;1\n-9,0;1\n 2;1\n",
                     {';', ',', {"-9,00"}}),
            "y ~ c(x, n_cat=2, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "x\n541448860000000012\n541448860000000011\n",
                     {',', '.', {"541448860000000011.0"}}),
            "y ~ c(x, n_cat=1, levels=True)");
}

TEST(Levels, HintsAtTheSeparatorThatAHeaderHas) {
  const char *start = "1:1 error: expected columns separated by ";
  for (const char *formula : {"y ~ c(x)", "y ~ s(x)"}) {
    EXPECT_EQ(resolved(formula, "g;x;y\n1;1;1\n"),
              start + std::string("commas, got one column\n1:1 note: --sep ';' "
                                  "reads a file with a ';' between its "
                                  "fields\n"));
    EXPECT_EQ(resolved(formula, "g\tx\n1\t1\n", {'|', '.', {}}),
              start + std::string("'|', got one column\n1:1 note: --sep tab "
                                  "reads a file with tabs between its "
                                  "fields\n"));
  }
  // Such a name is valid.
  EXPECT_EQ(resolved("y ~ c('a;b')", "a;b\n1\n"),
            "y ~ c(\"a;b\", n_cat=1, levels=True)");
}

TEST(Levels, LineEnds) {
  EXPECT_EQ(resolved("y ~ c(x)", "y,x\r\n1,a\r\n2,a"),
            "y ~ c(x, n_cat=1, levels=True)");
  EXPECT_EQ(resolved("y ~ c(x)", "y,x\n1,a\n2,a\r\n\n\n"),
            "y ~ c(x, n_cat=1, levels=True)");
}

TEST(Levels, ExplicitNCatStays) {
  Sources sources;
  auto spec = sources.formula("y ~ c(x, n_cat=3)");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(resolveLevels(sources.manager, *spec, std::nullopt));
  EXPECT_TRUE(sources.levels(*spec, "broken\"\n"));
  EXPECT_EQ(spec->canonicalFormula(), "y ~ c(x, n_cat=3)");
  EXPECT_FALSE(spec->terms[0].getBool("levels"));
}

TEST(Levels, FourierTakesCodes) {
  EXPECT_EQ(resolved("y ~ c(x, topo=fourier)", "x\n0\n3.0\n11\n"),
            "y ~ c(x, n_cat=12, topo=fourier)");
  EXPECT_EQ(resolved("y ~ c(x, topo=fourier)", "x\n0\n1.5\n"),
            "3:1 error: expected integer codes from 0 in column 'x', got "
            "'1.5'\n1:5 note: topo='fourier' needs codes\n");
  EXPECT_EQ(resolved("y ~ c(x, topo=fourier)", "x\n-1\n"),
            "2:1 error: expected integer codes from 0 in column 'x', got "
            "'-1'\n1:5 note: topo='fourier' needs codes\n");
  EXPECT_EQ(resolved("y ~ c(x, topo=fourier)", "x\n1\nmon\n"),
            "3:1 error: expected integer codes from 0 in column 'x', got "
            "'mon'\n1:5 note: topo='fourier' needs codes\n");
  EXPECT_EQ(resolved("y ~ c(x, topo=fourier)", "x\n1e9\n"),
            "1:1 error: expected codes below 100000 in column 'x', got "
            "1000000000\n1:5 note: topo='fourier' needs codes\n");
}

TEST(Levels, OrdinalOrderIsChecked) {
  EXPECT_EQ(resolved("y ~ c(x, topo=ordinal, p_order=2)", "x\n1\n2\n3\n"),
            "y ~ c(x, n_cat=3, levels=True, topo=ordinal, p_order=2)");
  EXPECT_EQ(resolved("y ~ c(x, topo=ordinal, p_order=2)", "x\n1\n2\n"),
            "1:5 error: expected 'p_order' below n_cat = 2, got 2\n");
}

TEST(Levels, WithoutProfile) {
  Sources sources;
  auto spec = sources.yaml("formula: |\n  y ~ c(x, n_cat=2) +\n  te(s(a), "
                           "c('my day'))\n");
  ASSERT_TRUE(spec);
  EXPECT_FALSE(resolveLevels(sources.manager, *spec, std::nullopt));
  EXPECT_EQ(sources.messages,
            "3:12 error: expected the number of levels of 'my day', got "
            "neither n_cat nor a profile\n"
            "3:12 note: write c(\"my day\", n_cat=N) for codes 0 to N-1, or "
            "give '--profile train.csv' to count the levels\n");
}

TEST(Levels, MissingColumn) {
  EXPECT_EQ(resolved("y ~ c(weekday)", "y,week_day\n1,2\n"),
            "1:1 error: expected a column 'weekday', got none of that name\n"
            "1:1 note: did you mean 'week_day'?\n"
            "1:5 note: the levels of this term are counted\n");
  EXPECT_EQ(resolved("y ~ c(x)", "y,z\n1,2\n").substr(0, 60),
            "1:1 error: expected a column 'x', got none of that name\n1:5 ");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y,x\n1,2,3\n"),
            "1:1 error: expected one column 'x', got several\n");
}

TEST(Levels, MessagesNameTheProfile) {
  Sources sources;
  auto spec = sources.formula("y ~ c(x)");
  ASSERT_TRUE(spec);
  EXPECT_FALSE(sources.levels(*spec, "x,y\n1\n"));
  EXPECT_EQ(sources.file, "train.csv");
}

TEST(Levels, BadRows) {
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n1,2\n1\n"),
            "3:1 error: expected 2 fields as in the header, got 1\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n1,2\n\n1,2,3\n"),
            "4:1 error: expected 2 fields as in the header, got 3\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n1,\"2\n1,2\n"),
            "2:1 error: this quote is never closed\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n1,\"2\"3\n1,2\n"),
            "2:1 error: expected ',' or the end of the line after a quoted "
            "field\n");
}

TEST(Levels, EmptyProfiles) {
  EXPECT_EQ(resolved("y ~ c(x)", ""),
            "1:1 error: expected a header, got an empty file\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\n"),
            "1:1 error: expected values in column 'x', got none\n"
            "1:5 note: the levels of this term are counted\n");
  EXPECT_EQ(resolved("y ~ c(x)", "x,y\nNA,3\n"),
            "1:1 error: expected values in column 'x', got none\n"
            "1:5 note: the levels of this term are counted\n");
}

TEST(Levels, TooMany) {
  std::string csv = "x\n";
  for (int i = 0; i <= 100000; ++i)
    csv += std::to_string(i) + "\n";
  EXPECT_EQ(resolved("y ~ c(x)", csv),
            "100002:1 error: expected at most 100000 levels of 'x', got "
            "more\n");
}

TEST(Levels, ResolvedReadsBack) {
  Sources sources;
  auto spec = sources.formula("y ~ c(x, unseen=mean) + c(z, topo=fourier)");
  ASSERT_TRUE(spec);
  ASSERT_TRUE(sources.levels(*spec, "x,z\na,1\nb,5\n")) << sources.messages;
  auto again = sources.yaml(spec->canonical());
  ASSERT_TRUE(again) << sources.messages;
  EXPECT_EQ(sources.messages, "");
  EXPECT_TRUE(sameModel(*spec, *again));
  EXPECT_TRUE(resolveLevels(sources.manager, *again, std::nullopt));
}

} // namespace
