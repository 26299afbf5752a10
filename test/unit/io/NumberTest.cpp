//===- NumberTest.cpp - numbers as text, order of group values ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tamrt;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParseNumber, TakesWhatUsersWrite) {
  EXPECT_EQ(parseNumber("1"), 1);
  EXPECT_EQ(parseNumber("+1.5"), 1.5);
  EXPECT_EQ(parseNumber("-.5"), -0.5);
  EXPECT_EQ(parseNumber("5."), 5);
  EXPECT_EQ(parseNumber(" \t2e3 "), 2000);
  EXPECT_EQ(parseNumber("1E+2"), 100);
  EXPECT_EQ(parseNumber("007"), 7);
  EXPECT_EQ(parseNumber("inf"), kInfinity);
  EXPECT_EQ(parseNumber("-Infinity"), -kInfinity);
  EXPECT_EQ(parseNumber("+INF"), kInfinity);
  EXPECT_TRUE(std::signbit(*parseNumber("-0")));
}

TEST(ParseNumber, RoundsCorrectly) {
  EXPECT_EQ(parseNumber("0.1"), 0.1);
  EXPECT_EQ(parseNumber("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(parseNumber("9007199254740993.00000000000000000001"),
            9007199254740994.0);
  EXPECT_EQ(parseNumber("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(parseNumber("4.9e-324"), 4.9e-324);
  EXPECT_EQ(parseNumber("1e-400"), 0);
  for (const char *large : {"1e400", "-1e400", " +1.5e309 "})
    EXPECT_TRUE(isTooLarge(large)) << large;
  for (const char *other :
       {"1e308", "1e-400", "inf", "-infinity", "1e400x", "0x1p3000", "", "nan"})
    EXPECT_FALSE(isTooLarge(other)) << other;
  EXPECT_EQ(parseNumber("1.7976931348623157e308"),
            std::numeric_limits<double>::max());
}

TEST(ParseNumber, RefusesAllElse) {
  for (const char *text :
       {"",      " ",         "-",     "+",       ".",         "e5",     "1e",
        "1e+",   "--1",       "+-1",   "-+1",     "- 1",       "1 2",    "1,5",
        "1_000", "0x10",      "1.5.2", "nan",     "-nan",      "nan(1)", "NA",
        "1e400", "-1e400",    "1d5",   "infinit", "infinityx", "one",    "1%",
        "\n1",   "1\xC2\xA0", "++1",   "+ 1"})
    EXPECT_EQ(parseNumber(text), std::nullopt) << text;
}

TEST(IsMissing, KnowsWhatOthersWrite) {
  for (const char *text :
       {"", " ", "\t", "NA", "na", "Na", "nan", "NaN", "NAN", "-nan", " NA ",
        "N/A", "n/a", "null", "NULL", "None", "NONE", "NaT", "nat"})
    EXPECT_TRUE(isMissing(text)) << text;
  for (const char *text : {"0", "N/", "nul", "Nones", "nan1", "n a", "-NA", "-",
                           "nan(1)", "NANA", "inf", "-NaT", "+null"})
    EXPECT_FALSE(isMissing(text)) << text;
  EXPECT_TRUE(isEmpty(" \t"));
  EXPECT_FALSE(isEmpty("NA"));
}

TEST(FormatNumber, IsShortAndPlain) {
  EXPECT_EQ(formatNumber(0), "0");
  EXPECT_EQ(formatNumber(-0.0), "-0");
  EXPECT_EQ(formatNumber(0.1), "0.1");
  EXPECT_EQ(formatNumber(100000), "100000");
  EXPECT_EQ(formatNumber(58667.346889766901), "58667.3468897669");
  EXPECT_EQ(formatNumber(1e-4), "0.0001");
  EXPECT_EQ(formatNumber(1e-5), "1e-05");
  EXPECT_EQ(formatNumber(9999999999999998.0), "9999999999999998");
  EXPECT_EQ(formatNumber(1e16), "1e+16");
  EXPECT_EQ(formatNumber(kInfinity), "inf");
  EXPECT_EQ(formatNumber(-kInfinity), "-inf");
  EXPECT_EQ(formatNumber(std::nan("")), "nan");
}

TEST(ExactNumber, ComparesAsWritten) {
  // Each line is one number, the lines ascend.
  const std::vector<std::vector<const char *>> ascending = {
      {"-inf", "-Infinity"},
      {"-541448860000000012"},
      {"-541448860000000011", "-5.41448860000000011e17"},
      {"-1.5", " -01.50"},
      {"-1e-400"},
      {"0", "-0", "0.000", "0e5", ".0", "-0e-99999999999999999999"},
      {"1e-99999999999999999999"},
      {"1e-99999999999999999", "0.01e-99999999999999997"},
      {"1e-400", "0.001e-397", "+100E-402\t"},
      {"0.1", ".1", "0.10", "1e-1", "100e-3", "0.001e+2"},
      {"0.1000000000000000001"},
      {"1", "1.0", "+1.", "001", "1e0", "0.1e01"},
      {"10", "1e1", "0.0001e5"},
      {"541448860000000011", "541448860000000011.00"},
      {"541448860000000011.5"},
      {"541448860000000012", "541448860000000.012e3"},
      {"541448860000000013"},
      {"inf", "+INF"}};
  for (size_t i = 0; i < ascending.size(); ++i)
    for (const char *a : ascending[i])
      for (size_t j = 0; j < ascending.size(); ++j)
        for (const char *b : ascending[j])
          EXPECT_EQ(*parseExactNumber(a) <=> *parseExactNumber(b), i <=> j)
              << a << ", " << b;
  // Long exponents are compared as they are written.
  EXPECT_NE(*parseExactNumber("10e-99999999999999999999"),
            *parseExactNumber("1e-99999999999999999999"));
  EXPECT_NE(*parseExactNumber("1e-99999999999999999998"),
            *parseExactNumber("1e-99999999999999999999"));
  EXPECT_EQ(parseExactNumber("1e400"), std::nullopt);
  EXPECT_EQ(parseExactNumber("x"), std::nullopt);
}

TEST(ExactNumber, ComparesIntegersAsIntegers) {
  std::mt19937_64 random(2);
  auto written = [&](int64_t value) {
    std::string text = std::to_string(value);
    if (random() % 2)
      text += ".00";
    if (random() % 2)
      text.insert(value < 0, random() % 3, '0');
    return random() % 2 ? text : text + "e0";
  };
  for (int i = 0; i < 20000; ++i) {
    const auto a = int64_t(random()) >> random() % 63;
    const int64_t b = a / 16 * 16 + int64_t(random() % 16);
    const std::string left = written(a), right = written(b);
    ASSERT_EQ(*parseExactNumber(left) <=> *parseExactNumber(right), a <=> b)
        << left << ", " << right;
  }
}

TEST(FormatNumber, ReadsBackBitForBit) {
  std::mt19937_64 random(1);
  char text[kNumberLength];
  size_t longest = 0;
  for (int i = 0; i < 200000; ++i) {
    double value = std::bit_cast<double>(random());
    // Half of them in the range of plain digits.
    if (i % 2 == 0)
      value = std::ldexp(std::fabs(std::sin(double(i))) + 1e-3,
                         int(random() % 60)) *
              1e-3;
    if (!std::isfinite(value))
      continue;
    size_t length = formatNumber(value, text) - text;
    longest = std::max(longest, length);
    std::optional<double> back = parseNumber({text, length});
    ASSERT_TRUE(back);
    ASSERT_EQ(std::bit_cast<uint64_t>(*back), std::bit_cast<uint64_t>(value))
        << std::string_view(text, length);
    // The C library agrees.
    std::string copy(text, length);
    ASSERT_EQ(std::strtod(copy.c_str(), nullptr), value) << copy;
  }
  EXPECT_LE(longest, kNumberLength);
}
