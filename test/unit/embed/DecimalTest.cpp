//===- DecimalTest.cpp - numbers as text without memory -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Decimal.h"
#include "io/Number.h"

#include <bit>
#include <clocale>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tamrt;
using namespace tamrt::embed;

namespace {

std::string decimal(double value) {
  char text[kDecimalLength];
  return {text, formatDecimal(value, text)};
}

std::string integer(int64_t value) {
  char text[kIntegerLength];
  return {text, formatInteger(value, text)};
}

TEST(Decimal, isThatOfTheExecutable) {
  for (double value : {0.0,
                       -0.0,
                       1.0,
                       -1.5,
                       0.1,
                       1e-4,
                       9.999e-5,
                       1e15,
                       1e16,
                       123456789012.5,
                       1e22,
                       1e-300,
                       5e-324,
                       2.5,
                       100.0,
                       -7.0,
                       0.001,
                       9007199254740993.0,
                       std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::min()})
    EXPECT_EQ(decimal(value), formatNumber(value));
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    double bits = std::bit_cast<double>(random());
    if (std::isfinite(bits)) {
      EXPECT_EQ(decimal(bits), formatNumber(bits));
    }
    double plain = double(int64_t(random() % 2000001) - 1000000) / 64;
    EXPECT_EQ(decimal(plain), formatNumber(plain));
  }
}

TEST(Decimal, knowsNoLocale) {
  const char *set = nullptr;
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (!set)
      set = std::setlocale(LC_ALL, name);
  // Without such a locale this is the test above.
  EXPECT_EQ(decimal(1.25), "1.25");
  std::setlocale(LC_ALL, "C");
}

TEST(Decimal, integers) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (int64_t value : {int64_t(0), int64_t(7), int64_t(-10), most, -most}) {
    EXPECT_EQ(integer(value), std::to_string(value));
    int64_t back = 1;
    EXPECT_TRUE(parseInteger(integer(value), back));
    EXPECT_EQ(back, value);
  }
  EXPECT_EQ(integer(std::numeric_limits<int64_t>::min()),
            "-9223372036854775808");
  int64_t value;
  for (const char *text : {"", "-", "+1", "01", "-0", " 1", "1 ", "1.0", "1e3",
                           "a", "9223372036854775808", "99999999999999999999"})
    EXPECT_FALSE(parseInteger(text, value)) << text;
}

} // namespace
