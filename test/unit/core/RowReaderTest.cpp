//===- RowReaderTest.cpp - training rows off a file -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTest.h"

#include "core/data/RowReader.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <unistd.h>

namespace tamrt::test {
namespace {

/// A file with some contents, gone at the end.
class Scratch {
public:
  explicit Scratch(std::string_view text) {
    path = testing::TempDir() + "rowsXXXXXX";
    const int file = ::mkstemp(path.data());
    EXPECT_GE(file, 0);
    ::close(file);
    std::ofstream(path, std::ios::binary) << text;
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() { std::remove(path.c_str()); }

  std::string path;
};

/// A data set as text: groups, then rows with all their bits.
std::string textOf(const Dataset &data, const tamrt_model &model) {
  std::string text;
  auto add = [&](const void *value, size_t bytes) {
    text.append(static_cast<const char *>(value), bytes);
  };
  for (const Group &group : data.groups())
    text += group.name + ":" + std::to_string(group.first) + "+" +
            std::to_string(group.rows) + " ";
  for (size_t row = 0; row < data.rowCount(); ++row) {
    for (size_t i = 0; i < size_t(model.input_count); ++i)
      if (data.codes(i))
        add(data.codes(i) + row, sizeof(int32_t));
      else
        add(data.numbers(i) + row, sizeof(double));
    add(data.target() + row, sizeof(double));
    if (data.weights())
      add(data.weights() + row, sizeof(double));
  }
  return text;
}

/// The slow obvious way: the file whole, as text.
std::string slowly(const Scratch &file, const tamrt_model &model, bool drop) {
  Result<CsvFile> table = CsvFile::open(file.path, 1);
  if (!table)
    return table.error().message;
  Result<Dataset> data = Dataset::read(*table, model, {Purpose::Fit, drop, 1});
  if (!data)
    return data.error().message;
  Result<std::vector<LevelTable>> levels = data->levels(*table);
  if (!levels)
    return levels.error().message;
  data->encode(*table, *levels);
  return std::to_string(data->droppedCount()) + " dropped " +
         textOf(*data, model);
}

std::string inBlocks(const Scratch &file, const tamrt_model &model, bool drop,
                     unsigned threads, size_t blockBytes) {
  Result<RowReader> reader =
      RowReader::open(file.path, model, {drop, threads, blockBytes});
  if (!reader)
    return reader.error().message;
  Result<Rows> rows = reader->read(std::numeric_limits<size_t>::max());
  if (!rows)
    return rows.error().message;
  Result<std::vector<LevelTable>> levels = reader->levelTables();
  if (!levels)
    return levels.error().message;
  Dataset data = Dataset::arrange(*std::move(rows), *reader,
                                  sortGroups(reader->groups(), model.group),
                                  model, *levels, threads);
  return std::to_string(reader->dropped()) + " dropped " + textOf(data, model);
}

/// A random table with columns g, t, x, d, y, w; with mishaps or without.
std::string randomTable(std::mt19937 &random, bool mishaps, int form) {
  auto pick = [&](std::initializer_list<const char *> choices) {
    return std::string(choices.begin()[random() % choices.size()]);
  };
  const bool numbered = random() % 2;
  std::string text = "g,t,x,d,y,w\n";
  for (size_t rows = 1 + random() % 40; rows > 0; --rows) {
    auto mishap = [&](int one) { return mishaps && random() % one == 0; };
    std::string g = numbered ? pick({"1", "10", "9", "1.0"})
                             : pick({"n", "s", "\"a,\"\"b\"", "10"});
    text += (mishap(60) ? pick({"", "NA", " "}) : g) + ",";
    const size_t day = 10 + random() % 15;
    std::string t = form == 0 ? "2020-01-" + std::to_string(day)
                    : form == 1
                        ? std::to_string(int(day) - 17) + pick({"", ".5", ".0"})
                        : "2020-01-" + std::to_string(day) + "T12:00:00" +
                              pick({"", ".25", ".250", ".3"}) + "Z";
    text +=
        (mishap(60) ? pick({"", "nan", "31/1/20", "2020", "2020-01-01"}) : t) +
        ",";
    text += (mishap(40) ? pick({"", "NA", "inf", "red", "1e400", "\"-NaN\""})
                        : pick({"0", "-0", "1.5", "+3", " 2 ", "\"7\"",
                                "12345678.25", "1e-3", "-0.001"})) +
            ",";
    text += (mishap(40) ? pick({"", "NA", "inf"})
                        : pick({"a", "b", "\"c\"", "1", "1.0"})) +
            ",";
    text += (mishap(40) ? pick({"", "inf", "x"})
                        : std::to_string(random() % 1000 / 8.0)) +
            ",";
    text += mishap(40) ? pick({"", "-1", "-inf"}) : pick({"0", "1", "2.5"});
    text += mishap(200) ? pick({",", "\"", "\n\n", "\r"}) : "";
    text += "\n";
  }
  return text;
}

TEST(RowReader, AgreesWithTheDatasetOfAWholeFile) {
  const tamrt_input inputs[] = {
      input("x", TAMRT_RULE_RANGE), input("d", TAMRT_RULE_LEVELS, 4),
      input("x", TAMRT_RULE_CODES, 4), input("d", TAMRT_RULE_LEVELS, 5),
      input("x", TAMRT_RULE_LEVELS, 12)};
  std::mt19937 random(3);
  size_t good = 0, bad = 0, dropped = 0;
  for (int round = 0; round < 1500; ++round) {
    const bool mishaps = random() % 4 != 0;
    Scratch file(randomTable(random, mishaps, int(random() % 3)));
    tamrt_model model = modelOf(inputs, 1 + random() % 5);
    model.group = random() % 4 ? "g" : nullptr;
    model.date = random() % 4 ? "t" : nullptr;
    model.weights = random() % 2 ? "w" : nullptr;
    for (bool drop : {false, true}) {
      const std::string expected = slowly(file, model, drop);
      for (unsigned threads : {1, 3})
        for (size_t bytes : {1, 40, 1000})
          ASSERT_EQ(inBlocks(file, model, drop, threads, bytes), expected)
              << threads << " threads, blocks of " << bytes;
      const bool isError = expected.starts_with(file.path);
      ++(isError ? bad : good);
      dropped += !isError && !expected.starts_with("0 ");
    }
  }
  EXPECT_GT(good, 500u);
  EXPECT_GT(bad, 500u);
  EXPECT_GT(dropped, 100u);
}

TEST(RowReader, ReadsInPartsAndAgain) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  std::string text = "g,x,y\n";
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(i % 7) + "," + std::to_string(i) + ",1\n";
  Scratch file(text);
  for (unsigned threads : {1u, 3u}) {
    RowReader reader = *RowReader::open(file.path, model, {false, threads, 50});
    for (int pass = 0; pass < 2; ++pass) {
      size_t next = 0, parts = 0;
      while (true) {
        Result<Rows> rows = reader.read(100);
        ASSERT_TRUE(rows.ok());
        if (rows->count == 0)
          break;
        ++parts;
        EXPECT_LT(rows->count, 150u);
        for (size_t row = 0; row < rows->count; ++row, ++next) {
          ASSERT_EQ(rows->numbers[0][row], double(next));
          ASSERT_EQ(rows->groups[row], next % 7);
        }
      }
      EXPECT_EQ(next, 1000u);
      EXPECT_GE(parts, 7u);
      EXPECT_EQ(reader.fileRows(), 1000u);
      ASSERT_TRUE(reader.rewind().ok());
    }
    EXPECT_EQ(reader.groups().size(), 7u);
  }
}

TEST(RowReader, DroppedGroupsDoNotDecideTheOrder) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  Scratch file("g,x,y\n10,1,1\n9,1,1\nb,,1\n");
  RowReader reader = *RowReader::open(file.path, model, {true, 1});
  ASSERT_EQ(reader.read(100)->count, 2u);
  EXPECT_EQ(sortGroups(reader.groups(), true).names,
            (std::vector<std::string>{"9", "10"}));
}

} // namespace
} // namespace tamrt::test
