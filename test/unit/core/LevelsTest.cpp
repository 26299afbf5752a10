//===- LevelsTest.cpp - levels of a categorical column --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Levels.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tamrt::test {
namespace {

/// The levels of lines, each of which ends with a comma.
Result<LevelTable> levels(std::string_view values, size_t maximum) {
  LevelCollector collector(maximum);
  while (!values.empty()) {
    const size_t end = values.find(",\n");
    if (!collector.add(values.substr(0, end)))
      break;
    values.remove_prefix(end + 2);
  }
  return collector.table("t.csv", "d");
}

using Names = std::vector<std::string>;

TEST(Levels, NumbersWhenAllAre) {
  auto numbers = levels("10,\n9,\n9.0,\n-0,\n0,\n1e1,\n", 3);
  ASSERT_TRUE(numbers.ok()) << numbers.error().message;
  EXPECT_TRUE(numbers->numeric);
  EXPECT_EQ(numbers->names, (Names{"0", "9", "10"}));
  auto texts = levels("10,\n9,\n9.0,\nx,\n", 4);
  ASSERT_TRUE(texts.ok());
  EXPECT_FALSE(texts->numeric);
  EXPECT_EQ(texts->names, (Names{"10", "9", "9.0", "x"}));
}

TEST(Levels, DoubtfulTextsAreMissingAmongNumbersAlone) {
  auto numbers = levels("10,\nNA,\n9,\nnull,\ninf,\n", 2);
  ASSERT_TRUE(numbers.ok()) << numbers.error().message;
  EXPECT_EQ(numbers->names, (Names{"9", "10"}));
  auto texts = levels("x,\nNA,\n9,\n", 3);
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->names, (Names{"9", "NA", "x"}));
  CsvFormat format;
  format.addMissing("?");
  EXPECT_EQ(kindOfLevel(" ", format), TextKind::Missing);
  EXPECT_EQ(kindOfLevel("?", format), TextKind::Missing);
  // Numbers are missing if they are equal as they are written.
  format.decimal = ',';
  format.addMissing("541448860000000011,0");
  EXPECT_EQ(kindOfGroup("541448860000000011", format), TextKind::Missing);
  EXPECT_EQ(kindOfGroup("541448860000000011.00", format), TextKind::Missing);
  EXPECT_EQ(kindOfGroup("541448860000000012", format), TextKind::Value);
  EXPECT_EQ(kindOfLevel("None", format), TextKind::Doubtful);
  EXPECT_EQ(kindOfLevel("-inf", format), TextKind::Doubtful);
  EXPECT_EQ(kindOfGroup("-inf", format), TextKind::Value);
  EXPECT_EQ(kindOfGroup("nan", format), TextKind::Doubtful);
}

TEST(Levels, TooMany) {
  auto few = levels("c,\nb,\na,\n", 2);
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().message, "t.csv: column 'd': expected at most 2 "
                                 "levels, got 3: 'a', 'b', 'c'");
  // If there are many, the first ones; no more are stored than the message
  // needs.
  std::string many;
  for (int i = 1000; i < 2000; ++i)
    many += std::to_string(i) + ",\n";
  auto result = levels(many, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find(
                "expected at most 1 level, got at least 22: '1000', '1001'"),
            std::string::npos)
      << result.error().message;
  EXPECT_EQ(result.error().message.substr(result.error().message.size() - 5),
            ", ...");
  // Many spellings of one number are one level.
  std::string spellings;
  std::string zeros;
  for (int i = 0; i < 300; ++i)
    spellings += "1." + (zeros += "0") + ",\n";
  EXPECT_TRUE(levels(spellings, 1).ok());
  // Unless one text, however late it comes, makes all of them texts.
  EXPECT_FALSE(levels(spellings + "x,\n", 200).ok());
}

TEST(Levels, CodesOfNumbers) {
  LevelTable table = *LevelTable::create(true, {"1", "2", "5"});
  auto edge = [&](std::string_view text) {
    return table.code(text, TAMRT_UNSEEN_EDGE);
  };
  EXPECT_TRUE(table.has("2.0"));
  EXPECT_FALSE(table.has("3"));
  EXPECT_FALSE(table.has("x"));
  EXPECT_EQ(edge("2.0"), 1);
  EXPECT_EQ(edge("-9"), 0);
  EXPECT_EQ(edge("9"), 2);
  EXPECT_EQ(edge("3.4"), 1);
  EXPECT_EQ(edge("3.5"), 1);
  EXPECT_EQ(edge("3.6"), 2);
  EXPECT_EQ(edge("x"), 2);
  EXPECT_EQ(table.code("3", TAMRT_UNSEEN_MEAN), TAMRT_INDEX_MEAN(3));
  EXPECT_EQ(table.code("3", TAMRT_UNSEEN_ZERO), TAMRT_INDEX_NONE);
  EXPECT_EQ(table.code("5", TAMRT_UNSEEN_ZERO), 2);
}

TEST(Levels, NumbersAreThoseThatWereWritten) {
  Result<LevelTable> fitted =
      levels("541448860000000011,\n+0.1000000000000000055,\n5e-1,\n", 3);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_EQ(fitted->names,
            (Names{"+0.1000000000000000055", "0.5", "541448860000000011"}));
  Result<LevelTable> read = LevelTable::create(true, fitted->names);
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (const LevelTable &table : {*fitted, *read}) {
    EXPECT_TRUE(table.has("541448860000000011.0"));
    EXPECT_FALSE(table.has("541448860000000012"));
    EXPECT_FALSE(table.has("0.1"));
    EXPECT_EQ(table.code("541448860000000011", TAMRT_UNSEEN_ZERO), 2);
    EXPECT_EQ(table.code("541448860000000012", TAMRT_UNSEEN_ZERO),
              TAMRT_INDEX_NONE);
    EXPECT_EQ(table.code("541448860000000012", TAMRT_UNSEEN_EDGE), 2);
    EXPECT_EQ(table.code("0.1", TAMRT_UNSEEN_MEAN), TAMRT_INDEX_MEAN(3));
  }
  // The name of a double is its shortest text; others are short, too.
  std::string digits = "0." + std::string(70, '0') + "1";
  EXPECT_EQ(levels(digits + ",\n", 1)->names, Names{"1e-71"});
  digits = "0." + std::string(70, '3');
  EXPECT_EQ(levels(digits + ",\n", 1).error().message,
            "t.csv: column 'd': expected a level of at most 60 bytes or one "
            "that is a double, got '" +
                digits.substr(0, 60) + "...'");
}

TEST(Levels, CodesOfTexts) {
  LevelTable table = *LevelTable::create(false, {"a", "b"});
  EXPECT_EQ(table.code("a", TAMRT_UNSEEN_EDGE), 0);
  EXPECT_EQ(table.code("A", TAMRT_UNSEEN_EDGE), 1);
  EXPECT_EQ(table.code("aa", TAMRT_UNSEEN_MEAN), TAMRT_INDEX_MEAN(2));
}

TEST(Levels, TablesAreChecked) {
  EXPECT_FALSE(LevelTable::create(true, {"2", "10", "3"}).ok());
  EXPECT_FALSE(LevelTable::create(true, {"1", "x"}).ok());
  EXPECT_FALSE(LevelTable::create(false, {"a", "a"}).ok());
  EXPECT_TRUE(LevelTable::create(false, {"10", "2"}).ok());
}

} // namespace
} // namespace tamrt::test
