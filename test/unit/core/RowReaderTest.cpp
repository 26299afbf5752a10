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

#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

namespace tamrt::test {
namespace {

/// A file with some contents, removed at the end.
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

std::string inBlocks(const Scratch &file, const tamrt_model &model, bool drop,
                     unsigned threads, size_t blockBytes,
                     const RowChoice &choice = {}) {
  Result<RowReader> reader = RowReader::open(
      file.path, model, {drop, threads, blockBytes, {}, choice});
  if (!reader)
    return reader.error().message;
  Result<RowReader::AllRows> all = reader->readAll();
  if (!all)
    return all.error().message;
  Result<std::vector<LevelTable>> levels = reader->levelTables();
  if (!levels)
    return levels.error().message;
  Dataset data =
      Dataset::arrange(std::move(all->rows), *reader, reader->groupOrder(),
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

TEST(RowReader, BlocksAndThreadsChangeNothing) {
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
      const std::string expected =
          inBlocks(file, model, drop, 1, CsvBlocks::kBlockBytes);
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

TEST(RowReader, AChoiceIsAFileOfTheseRows) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("d", TAMRT_RULE_LEVELS, 5)};
  std::mt19937 random(8);
  auto rowsOf = [](const std::string &text) {
    return text.substr(text.find("dropped "));
  };
  size_t good = 0, dropped = 0;
  for (int round = 0; round < 600; ++round) {
    const std::string text =
        randomTable(random, /*mishaps=*/round % 2, int(random() % 3));
    std::vector<bool> marks;
    std::string chosen;
    bool hasOther = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool isHeader = chosen.empty();
      if (!isHeader)
        marks.push_back(random() % 3 != 0);
      if (isHeader || marks.back())
        chosen += line + "\n";
      else
        hasOther = true;
    }
    tamrt_model model = modelOf(inputs, 2);
    model.group = random() % 4 ? "g" : nullptr;
    model.date = random() % 4 ? "t" : nullptr;
    Scratch whole(text), part(chosen);
    const std::string expected = inBlocks(part, model, true, 1, 1000);
    const bool isError = expected.starts_with(part.path);
    for (unsigned threads : {1, 3})
      for (size_t bytes : {1, 40, 1000}) {
        const std::string got = inBlocks(whole, model, true, threads, bytes,
                                         {&marks, /*wanted=*/true});
        // Also for rows that are not chosen.
        if (isError || got.starts_with(whole.path))
          continue;
        ++good;
        dropped += hasOther && got.front() != '0';
        ASSERT_EQ(rowsOf(got), rowsOf(expected)) << text;
      }
  }
  EXPECT_GT(good, 2000u);
  EXPECT_GT(dropped, 200u);
}

TEST(RowReader, AChoiceIsOfAFileThatStaysTheSame) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  const tamrt_model model = modelOf(&x, 1);
  const std::vector<bool> marks = {true, false, true};
  auto error = [&](std::string_view text) {
    ReadOptions options;
    options.choice = {&marks, true};
    TextReader reader(text, model, options);
    Result<Rows> rows = reader->read(100);
    return rows ? std::to_string(rows->count) : reader.named(rows.error());
  };
  EXPECT_EQ(error("x,y\n1,1\n2,1\n3,1\n"), "2");
  EXPECT_EQ(error("x,y\n1,1\n2,1\n"), "t.csv: expected 3 rows as before, got "
                                      "fewer: the file has changed meanwhile");
  EXPECT_EQ(error("x,y\n1,1\n2,1\n3,1\n4,1\n"),
            "t.csv: expected 3 rows as before, got more: the file has changed "
            "meanwhile");
}

TEST(RowReader, EvaluationsReadTargetsAndTexts) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  const std::vector<std::string> groups = {"a", "b"};
  const std::vector<LevelTable> levels(1);
  const std::vector<bool> marks = {true, true, false, true, true, true};
  ReadOptions options;
  options.dropMissing = true;
  options.blockBytes = 10;
  options.choice = {&marks, true};
  options.keepPlaces = true;
  options.textColumn = "kind";
  TextReader reader("g,kind,y,x\na,u,5,1\nb,v,,2\nb,w,3,3\na,v,4,\na,u,NA,5\n"
                    "b,,6,6\n",
                    model, {groups, levels, Purpose::Evaluate}, options);
  Rows rows = *reader->read(100);
  ASSERT_EQ(rows.count, 4u);
  EXPECT_EQ(reader->rowsRead(), 4u);
  EXPECT_EQ(reader->fileRows(), 6u);
  EXPECT_EQ(reader->dropped(), 1u);
  const uint32_t places[] = {0, 1, 4, 5};
  const char *texts[] = {"u", "v", "u", ""};
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(rows.places[row], places[row]);
    EXPECT_EQ(rows.lines[row], places[row] + 2);
    EXPECT_EQ(reader->texts()[rows.texts[row]], texts[row]);
  }
  const GrowingArray<double> &targets = rows.numbers[*reader->columns().target];
  EXPECT_EQ(targets[0], 5);
  EXPECT_TRUE(std::isnan(targets[1]));
  EXPECT_TRUE(std::isnan(targets[2]));
  EXPECT_EQ(targets[3], 6);
  EXPECT_TRUE(rows.keys.text.empty());

  TextReader infinite("g,y,x\na,inf,1\n", model,
                      {groups, levels, Purpose::Evaluate}, {});
  EXPECT_EQ(
      infinite.named(infinite->read(100).error()),
      "t.csv: line 2: column 'y': group 'a': expected a finite value, got "
      "infinity");
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
  TextReader reader("g,x,y\n10,1,1\n9,1,1\nb,,1\n", model, {true, 1});
  ASSERT_EQ(reader->read(100)->count, 2u);
  EXPECT_EQ(reader->groupOrder().names, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(reader->describeDropped(),
            "dropped 1 of 3 rows: missing values in 'x' (1)");
}

TEST(RowReader, TellsDroppedRowsByColumn) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("d", TAMRT_RULE_LEVELS, 3),
                                input("x", TAMRT_RULE_LEVELS, 3)};
  tamrt_model model = modelOf(inputs, 3);
  model.group = "g";
  model.date = "t";
  TextReader reader("g,t,x,d,y\n,,,,\n1,1,1,a,1\n1,1,NA,a,1\n1,1,1,,inf\n"
                    "1,2,2,b,2\n",
                    model, {true, 1});
  ASSERT_EQ(reader->read(100)->count, 2u);
  EXPECT_EQ(reader->describeDropped(),
            "dropped 3 of 5 rows: missing values in 'g' (1), 't' (1), 'x' (2), "
            "'d' (2) and 'y' (2)");
}

template <class T> std::vector<T> valuesOf(const GrowingArray<T> &array) {
  return {array.begin(), array.end()};
}

TEST(RowReader, AppendedRowsHaveFractionsIfAnyHas) {
  const std::vector<uint64_t> none, some = {7, 0};
  auto make = [](const std::vector<uint64_t> &fractions, double first) {
    Rows rows;
    rows.count = 2;
    rows.numbers.resize(1);
    rows.levels.resize(1);
    for (uint32_t row = 0; row < 2; ++row) {
      rows.groups.push_back(row);
      rows.dates.push_back(int64_t(first) + row);
      rows.numbers[0].push_back(first + row);
      rows.levels[0].push_back(1 - row);
    }
    rows.fractions.append(fractions);
    return rows;
  };
  auto appended = [&](const auto &before, const auto &after) {
    Rows rows = make(before, 1);
    rows.append(make(after, 3));
    EXPECT_EQ(rows.count, 4u);
    EXPECT_EQ(valuesOf(rows.groups), (std::vector<uint32_t>{0, 1, 0, 1}));
    EXPECT_EQ(valuesOf(rows.dates), (std::vector<int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(valuesOf(rows.numbers[0]), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(valuesOf(rows.levels[0]), (std::vector<uint32_t>{1, 0, 1, 0}));
    return valuesOf(rows.fractions);
  };
  EXPECT_EQ(appended(none, none), none);
  EXPECT_EQ(appended(some, none), (std::vector<uint64_t>{7, 0, 0, 0}));
  EXPECT_EQ(appended(none, some), (std::vector<uint64_t>{0, 0, 7, 0}));
  EXPECT_EQ(appended(some, some), (std::vector<uint64_t>{7, 0, 7, 0}));
}

TEST(RowReader, CountsEachColumnThatARowLacks) {
  // Only at the end are groups and levels known to be numbers.
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("d", TAMRT_RULE_LEVELS, 3),
                                input("x", TAMRT_RULE_LEVELS, 3)};
  tamrt_model model = modelOf(inputs, 3);
  model.group = "g";
  TextReader reader("g,x,d,y\n1,1,5,1\n1,2,6,2\nNA,,NA,3\nNA,4,5,5\n"
                    ",1,null,1\n2,NA,5,2\n2,2,None,2\n",
                    model, {true, 1});
  Result<Rows> rows = reader->read(100);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_TRUE(reader->resolveTexts()->drops);
  ASSERT_TRUE(reader->dropMissing(*rows).ok());
  const std::string expected = "dropped 5 of 7 rows: missing values in 'g' "
                               "(3), 'x' (2) and 'd' (3)";
  EXPECT_EQ(reader->describeDropped(), expected);
  ASSERT_TRUE(reader->rewind().ok());
  ASSERT_EQ(reader->read(100)->count, 2u);
  EXPECT_EQ(reader->describeDropped(), expected);
}

TEST(RowReader, NumbersThatDoublesCannotTellApartAreGroups) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  const std::vector<std::string> names = {"0",
                                          "1e-400",
                                          "0.1",
                                          "0.1000000000000000001",
                                          "541448860000000011",
                                          "541448860000000012"};
  std::string table = "g,x,y\n";
  for (const char *group :
       {"541448860000000012", "0.1000000000000000001", "541448860000000011",
        "0.1", "0.10", "0", "1e-400", "541448860000000012.0", "-0"})
    table += group + std::string(",1,1\n");
  TextReader reader(table, model, {true, 1});
  ASSERT_EQ(reader->read(100)->count, 9u);
  ASSERT_TRUE(reader->resolveTexts()->merges);
  EXPECT_EQ(reader->groupOrder().names, names);
  // In the second reading each group has one index.
  ASSERT_TRUE(reader->rewind().ok());
  Rows rows = *reader->read(100);
  EXPECT_EQ(reader->groups().size(), names.size());
  EXPECT_EQ(reader->groupOrder().names, names);
  EXPECT_EQ(rows.groups[0], rows.groups[7]);
  EXPECT_NE(rows.groups[0], rows.groups[2]);

  const GroupNames trained(names);
  EXPECT_TRUE(trained.numeric());
  EXPECT_EQ(trained.find("541448860000000012.00"), 5u);
  EXPECT_EQ(trained.find("1E-400"), 1u);
  EXPECT_EQ(trained.find("541448860000000013"), std::nullopt);
}

TEST(RowReader, LevelsThatDoublesCannotTellApartAreErrors) {
  const tamrt_input inputs[] = {input("d", TAMRT_RULE_LEVELS, 3)};
  const tamrt_model model = modelOf(inputs, 1);
  const std::string start = "d,y\n541448860000000011,1\n\"5\",1\n"
                            "541448860000000011.0,1\n";
  EXPECT_TRUE(fitData(start, model).ok());
  EXPECT_EQ(
      fitData(start + "541448860000000012,1\n541448860000000013,1\n", model)
          .error()
          .message,
      "t.csv: line 5: column 'd': expected levels that differ as doubles, got "
      "'541448860000000011' and '541448860000000012', which have the same "
      "nearest double; with a letter in front they are text");
  EXPECT_EQ(fitData(start + "0,1\nNA,1\n1e-400,1\n", model, {true})
                .error()
                .message.substr(0, 25),
            "t.csv: line 7: column 'd'");
  // Text keeps them apart.
  const std::string text = "d,y\n541448860000000011,1\n"
                           "541448860000000012,1\nx,1\n";
  EXPECT_EQ(fitData(text, model)->levels[0].size(), 3u);
}

TEST(RowReader, NeighboursThatDifferInOneByteAreOtherGroups) {
  // Texts of each length, after each other, with one byte that differs at each
  // place; first without quotes.
  std::vector<std::string> names;
  for (size_t size = 1; size < 20; ++size)
    for (size_t at = 0; at < size; ++at)
      for (char byte : {'b', 'a'}) {
        names.push_back(std::string(size, 'a'));
        names.back()[at] = byte;
      }
  std::string text = "g,x,y\n";
  for (const char *shown : {"", "\""})
    for (const std::string &name : names)
      text += shown + name + shown + ",1,2\n";
  tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE)};
  tamrt_model model = modelOf(inputs, 1);
  model.group = "g";
  TextReader reader(text, model);
  ASSERT_TRUE(reader.good());
  Result<RowReader::AllRows> all = reader->readAll();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->rows.count, 2 * names.size());
  for (size_t row = 0; row < all->rows.count; ++row)
    ASSERT_EQ(reader->groups()[all->rows.groups[row]],
              names[row % names.size()]);
}

TEST(RowReader, DatesAreOfOneForm) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.date = "t";
  auto error = [&](std::string_view text) {
    return fitData(text, model, {true}).error().message;
  };
  EXPECT_EQ(error("t,x,y\n1,1,1\n\"2016\n-1\",2,1\nx,1,1\n"),
            "t.csv: line 3: column 't': expected a date (ISO 8601 or a "
            "number), got '2016\n-1'");
  EXPECT_EQ(error("t,x,y\n,0,1\n2016-01-01,1,1\n20160102,2,1\n"),
            "t.csv: line 4: column 't': expected an ISO 8601 date without "
            "offset as in the rows before, got a number '20160102'");
  EXPECT_EQ(error("t,x,y\n2016-01-01T00:00Z,1,1\n2016-01-01T00:00,2,1\n"),
            "t.csv: line 3: column 't': expected an ISO 8601 date with offset "
            "as in the rows before, got an ISO 8601 date without offset "
            "'2016-01-01T00:00'");
}

TEST(RowReader, WhatIsMissingAmongNumbersIsKnownAtTheEnd) {
  const tamrt_input inputs[] = {input("d", TAMRT_RULE_LEVELS, 4)};
  tamrt_model model = modelOf(inputs, 1);
  model.group = "g";
  const std::string_view numbers = "g,d,y\nNA,1,1\n2,1,1\n2,null,1\n1,9,1\n";
  EXPECT_EQ(fitData(numbers, model).error().message,
            "t.csv: line 2: column 'g': expected a group, got a missing value");
  EXPECT_EQ(fitData("g,d,y\n2,1,1\n2,None,1\n1,9,1\n2,inf,1\n", model)
                .error()
                .message,
            "t.csv: line 3: column 'd': group '2': expected a finite value, "
            "got a missing value");
  Result<FitData> dropped = fitData(numbers, model, {true});
  ASSERT_TRUE(dropped.ok()) << dropped.error().message;
  EXPECT_EQ(dropped->rows.rowCount(), 2u);
  ASSERT_EQ(dropped->rows.groups().size(), 2u);
  EXPECT_EQ(dropped->rows.groups()[1].name, "2");
  EXPECT_EQ(dropped->levels[0].names, (std::vector<std::string>{"1", "9"}));
  // Among texts they are texts.
  Result<FitData> texts = fitData("g,d,y\nNA,x,1\nb,inf,1\nb,null,1\n", model);
  ASSERT_TRUE(texts.ok()) << texts.error().message;
  EXPECT_EQ(texts->rows.groups()[0].name, "NA");
  EXPECT_EQ(texts->levels[0].names,
            (std::vector<std::string>{"inf", "null", "x"}));
  EXPECT_EQ(fitData("g,d,y\nNA,,1\n", model).error().message,
            "t.csv: line 2: column 'd': group 'NA': expected a finite value, "
            "got a missing value");
}

/// Weights' groups and levels.
struct Trained {
  std::vector<std::string> groups;
  std::vector<LevelTable> levels;
  operator TrainedTexts() const { return {groups, levels}; }
};

TEST(RowReader, PredictionsHaveKeysAndLines) {
  const tamrt_input inputs[] = {input("d", TAMRT_RULE_LEVELS, 4)};
  tamrt_model model = modelOf(inputs, 1);
  model.group = "g";
  model.date = "t";
  const Trained trained = {{"1", "2"}, {*LevelTable::create(false, {"a"})}};
  const std::string_view text =
      "t,d,g\n2020-01-02 ,a,\"1\"\n2020-01-01,,1\n2020-01-01,\"b\n\",1.0\n"
      "2020-01-03,NA,2\n";
  for (size_t bytes : {1, 1 << 17}) {
    TextReader reader(text, model, trained, {true, 1, bytes});
    Rows all = *reader->read(100);
    ASSERT_EQ(all.count, 3u);
    EXPECT_EQ(all.keys[0], "1,\"2020-01-02 \"");
    EXPECT_EQ(all.keys[1], "1.0,2020-01-01");
    EXPECT_EQ(all.keys[2], "2,2020-01-03");
    EXPECT_EQ(std::vector<uint64_t>(all.lines.begin(), all.lines.end()),
              (std::vector<uint64_t>{2, 4, 6}));
    Dataset data =
        Dataset::arrange(std::move(all), *reader, reader->groupOrder(), model,
                         trained.levels, 1);
    ASSERT_EQ(data.groups().size(), 2u);
    EXPECT_EQ(data.groups()[0].rows, 2u);
    EXPECT_EQ(data.groups()[1].place, 1u);
    EXPECT_EQ(data.unseenRows(0), 2u);
    EXPECT_EQ(reader->read(100)->count, 0u);
  }
}

TEST(RowReader, PredictionsNeedNoDatesAndLines) {
  const tamrt_input inputs[] = {input("d", TAMRT_RULE_LEVELS, 4)};
  tamrt_model model = modelOf(inputs, 1);
  model.group = "g";
  model.date = "t";
  const Trained trained = {{"1", "2"}, {*LevelTable::create(false, {"a"})}};
  ReadOptions options;
  options.keepKeys = options.keepLines = options.keepDates = false;
  auto read = [&](std::string_view text) {
    TextReader reader(text, model, trained, options);
    Result<Rows> rows = reader->read(100);
    if (!rows)
      return reader.named(rows.error());
    EXPECT_TRUE(rows->keys.ends.empty());
    EXPECT_TRUE(rows->lines.empty());
    EXPECT_TRUE(rows->dates.empty());
    EXPECT_TRUE(rows->fractions.empty());
    const Dataset data =
        Dataset::arrange(*std::move(rows), *reader, reader->groupOrder(), model,
                         trained.levels, 1);
    std::string order;
    for (uint32_t row : data.fileRows())
      order += std::to_string(row);
    return order;
  };
  // Those of a group as they come.
  EXPECT_EQ(read("t,d,g\n2020-01-02 03:04:05.5,a,2\n2020-01-03,a,1\n"
                 "2020-01-02,a,1\n2020-01-01,a,2\n"),
            "1203");
  // Errors are the same.
  EXPECT_EQ(read("t,d,g\n2020-01-02,a,1\n,a,1\n"),
            "t.csv: line 3: column 't': group '1': expected a date, got a "
            "missing value");
  EXPECT_EQ(read("t,d,g\n2020-01-02,a,1\n1,a,1\n").substr(0, 30),
            "t.csv: line 3: column 't': exp");
}

TEST(RowReader, GroupsThatWereNotTrained) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  auto error = [&](const Trained &trained, std::string_view text) {
    TextReader reader(text, model, trained);
    Result<Rows> rows = reader->read(100);
    return rows ? std::string() : reader.named(rows.error());
  };
  const Trained numbers = {{"1", "02"}, {{}}}, texts = {{"1", "x"}, {{}}};
  EXPECT_EQ(error(numbers, "g,x\n1.0,1\n2,1\n02,1\n"), "");
  EXPECT_EQ(error(numbers, "g,x\n1,1\n3,1\n"),
            "t.csv: line 3: column 'g': expected a group that was trained, "
            "'1', '02', got '3'");
  EXPECT_EQ(error(texts, "g,x\n1,1\n1.0,1\n"),
            "t.csv: line 3: column 'g': expected a group that was trained, "
            "'1', 'x', got '1.0'");
  EXPECT_EQ(error(numbers, "g,x\n1,1\nNaN,1\n"),
            "t.csv: line 3: column 'g': expected a group, got a missing value");
  // Other errors come first, wherever they are.
  EXPECT_EQ(error(numbers, "g,x\n3,1\n1,red\n"),
            "t.csv: line 3: column 'x': expected a number, got 'red'");
  // Weights may have groups that are equal numbers.
  EXPECT_EQ(error({{"1", "1.0"}, {{}}}, "g,x\n1,1\n1.0,1\n"), "");
}

/// A frame's times may be far beyond the dates that files have.
TEST(RowReader, TimesOfFrames) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  const double numbers[] = {1, 2, 3};
  const int64_t times[] = {0, 1, int64_t(1) << 60};
  tamrt_frame_column columns[4] = {};
  for (tamrt_frame_column &column : columns) {
    column.type = TAMRT_FRAME_F64;
    column.values = numbers;
  }
  columns[3].type = TAMRT_FRAME_TIME;
  columns[3].values = times;
  columns[3].ticks = 1;
  const char *const names[] = {"g", "x", "y", "t"};
  auto error = [&](int64_t rows) {
    const tamrt_frame_batch batch = {rows, columns};
    const tamrt_frame frame = {"data", 4, names, 1, &batch};
    Result<RowReader> reader =
        RowReader::open(DataSource(frame), model, ReadOptions());
    if (!reader)
      return reader.error().message;
    Result<Rows> read = reader->read(10);
    return read ? std::to_string(read->count) : read.error().message;
  };
  const std::string beyond =
      "data: row 2: column 't': expected a time in the years 0000 to 9999, got "
      "1152921504606846976 seconds since 1970";
  for (const char **reads : {&model.date, &model.group}) {
    *reads = "t";
    EXPECT_EQ(error(2), "2");
    EXPECT_EQ(error(3), beyond);
    *reads = nullptr;
  }
  // Nobody reads them.
  EXPECT_EQ(error(3), "3");
}

TEST(RowReader, Formats) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("d", TAMRT_RULE_LEVELS, 4)};
  tamrt_model model = modelOf(inputs, 2);
  model.group = "g";
  model.date = "t";
  ReadOptions options = {true};
  options.format.separator = ';';
  options.format.decimal = ',';
  options.format.addMissing("-9");
  Result<FitData> data = fitData("g;t;x;d;y\n1,50;1,5;2,5;0,5;1\n"
                                 "1,5;1,25;3,5;1,5;2\n-9;1;1;1;1\n1;-9;1;1;1\n"
                                 "1;1;-9,0;1;1\n1;1;1;-9;1\n",
                                 model, options);
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ(data->rows.groups().size(), 1u);
  EXPECT_EQ(data->rows.groups()[0].name, "1.50");
  EXPECT_EQ(data->rows.numbers(0)[0], 3.5);
  EXPECT_EQ(data->levels[1].names, (std::vector<std::string>{"0.5", "1.5"}));
}

} // namespace
} // namespace tamrt::test
