//===- CsvTest.cpp - tables as comma-separated values ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Csv.h"
#include "TestFiles.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tamrt;
using namespace tamrt::test;
using Texts = std::vector<std::string_view>;
using Table = std::vector<std::vector<std::string>>;

static Result<CsvFile> parse(std::string_view text, unsigned threads = 1) {
  return CsvFile::parse(bytesOf(text), "t.csv", threads);
}

/// The error of parsing `text`, the same with any number of threads.
static std::string fault(std::string_view text) {
  std::string first;
  for (unsigned threads : {1, 2, 3, 7}) {
    Result<CsvFile> file = parse(text, threads);
    std::string message = file ? "no error" : file.error().message;
    if (threads == 1)
      first = message;
    EXPECT_EQ(message, first) << threads << " threads";
  }
  return first;
}

/// The rows of `text`, header included.
static Table rows(std::string_view text, unsigned threads = 1) {
  Result<CsvFile> file = parse(text, threads);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return {};
  }
  Table table = {file->names()};
  for (size_t row = 0; row < file->rowCount(); ++row) {
    table.emplace_back();
    for (size_t column = 0; column < file->names().size(); ++column)
      table.back().emplace_back(file->field(row, column));
  }
  return table;
}

TEST(Csv, ReadsPlainRows) {
  Table expected = {{"a", "b"}, {"1", "x"}, {"", "y z"}};
  EXPECT_EQ(rows("a,b\n1,x\n,y z\n"), expected);
  EXPECT_EQ(rows("a,b\r\n1,x\r\n,y z\r\n"), expected);
  EXPECT_EQ(rows("a,b\n1,x\n,y z"), expected) << "no line end at the end";
  EXPECT_EQ(rows("\xEF\xBB\xBF"
                 "a,b\n1,x\n,y z\n"),
            expected)
      << "byte order mark";
  EXPECT_EQ(rows("a,b\n1,x\n,y z\n\n\r\n\n"), expected) << "empty lines";
  EXPECT_EQ(rows("a,b\r\n1,x\n,y z\r\n"), expected) << "line ends mixed";
}

TEST(Csv, ReadsQuotedFields) {
  EXPECT_EQ(rows("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n\"\",\"\"\"\"\n"),
            (Table{{"a", "b"}, {"1,5", "say \"hi\""}, {"", "\""}}));
  EXPECT_EQ(rows("a,b\n\"1\r\n2\n\",\"x\"\r\n\"\"\"\"\"\",\" \"\r\n"),
            (Table{{"a", "b"}, {"1\r\n2\n", "x"}, {"\"\"", " "}}));
  EXPECT_EQ(rows("a\n\"\n\n\""), (Table{{"a"}, {"\n\n"}}));
}

TEST(Csv, ReadsQuotedFieldsOfAnyLength) {
  // Across the 64-byte blocks the scanner works in.
  for (size_t length = 0; length < 200; ++length) {
    std::string text(length, ',');
    std::string doubled;
    for (size_t i = 0; i < length; ++i)
      doubled += i % 3 == 0 ? "\"\"" : "\n";
    std::string meant;
    for (size_t i = 0; i < length; ++i)
      meant += i % 3 == 0 ? '"' : '\n';
    ASSERT_EQ(rows("a,b,c\n\"" + text + "\",\"" + doubled + "\",z\n1,2,3"),
              (Table{{"a", "b", "c"}, {text, meant, "z"}, {"1", "2", "3"}}))
        << length;
  }
}

TEST(Csv, TrimsNamesUnlessQuoted) {
  Result<CsvFile> file = parse("a , b,\" c\",\"d\"\"e\"\n1,2,3,4\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->names(), (std::vector<std::string>{"a", "b", " c", "d\"e"}));
  EXPECT_EQ(file->find("b"), 1u);
  EXPECT_EQ(file->find("c"), std::nullopt);
  EXPECT_EQ(*file->require("a"), 0u);
  EXPECT_EQ(file->require("z").error().message,
            "t.csv: no column 'z', expected one of: a, b,  c, d\"e");
}

TEST(Csv, AllowsColumnsWithoutName) {
  Result<CsvFile> file = parse(",a,\n0,1,2\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->find(""), std::nullopt);
  EXPECT_EQ(file->field(0, 2), "2");
}

TEST(Csv, TakesAnEmptyLineOfOneColumnAsAField) {
  EXPECT_EQ(rows("a\n1\n\n2\n\n"), (Table{{"a"}, {"1"}, {""}, {"2"}}));
  EXPECT_EQ(rows("a\r\n\r\n2\r\n"), (Table{{"a"}, {""}, {"2"}}));
  EXPECT_EQ(rows("a\n1\n\"\"\n"), (Table{{"a"}, {"1"}, {""}}));
}

TEST(Csv, TellsQuotedFromPlain) {
  Result<CsvFile> file = parse("a,b\n1,\"1\"\n");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->quoted(0, 0));
  EXPECT_TRUE(file->quoted(0, 1));
}

TEST(CsvFault, NoTable) {
  EXPECT_EQ(fault(""), "t.csv: empty file, expected a header");
  EXPECT_EQ(fault("\n\r\n\n"), "t.csv: empty file, expected a header");
  EXPECT_EQ(fault("\xEF\xBB\xBF"), "t.csv: empty file, expected a header");
  EXPECT_EQ(fault("a,b\n"), "t.csv: no rows after the header");
  EXPECT_EQ(fault("a,b"), "t.csv: no rows after the header");
  EXPECT_EQ(fault("a,b\n\n\n"), "t.csv: no rows after the header");
}

TEST(CsvFault, ColumnTwice) {
  EXPECT_EQ(fault("a,b,a\n1,2,3\n"), "t.csv: line 1: column 'a' stands twice");
  EXPECT_EQ(fault("a, a\n1,2\n"), "t.csv: line 1: column 'a' stands twice");
}

TEST(CsvFault, RaggedRow) {
  EXPECT_EQ(fault("a,b,c\n1,2,3\n1,2\n1\n"),
            "t.csv: line 3: expected 3 fields, got 2");
  EXPECT_EQ(fault("a,b\n1,2\n1,2,\n"),
            "t.csv: line 3: expected 2 fields, got 3");
  EXPECT_EQ(fault("a\n1\n1,2\n"), "t.csv: line 3: expected 1 field, got 2");
  EXPECT_EQ(fault("a,b\n\"x\n\ny\",2\n3\n"),
            "t.csv: line 5: expected 2 fields, got 1");
  EXPECT_EQ(fault("a,b\n1,2\n3"), "t.csv: line 3: expected 2 fields, got 1");
}

TEST(CsvFault, EmptyLine) {
  EXPECT_EQ(fault("a,b\n1,2\n\n3,4\n"),
            "t.csv: line 3: expected 2 fields, got an empty line");
  EXPECT_EQ(fault("a,b\r\n\r\n3,4\r\n"),
            "t.csv: line 2: expected 2 fields, got an empty line");
}

TEST(CsvFault, MisplacedQuotes) {
  EXPECT_EQ(fault("a,b\n1,x\"y\n"),
            "t.csv: line 2: quote inside a field that does not start with one");
  EXPECT_EQ(fault("a,b\n1, \"y\"\n"),
            "t.csv: line 2: quote inside a field that does not start with one");
  EXPECT_EQ(fault("a,b\n1,\"x\"y\n"), "t.csv: line 2: expected a comma or the "
                                      "line's end after the closing quote");
  EXPECT_EQ(fault("a,b\n1,\"x\n2,y\n3,z\n"),
            "t.csv: line 2: quoted field is never closed");
  EXPECT_EQ(fault("a,\"b\n1,2\n"),
            "t.csv: line 1: quoted field is never closed");
  EXPECT_EQ(fault("a\n\""), "t.csv: line 2: quoted field is never closed");
  EXPECT_EQ(fault("a\n\"\"\""), "t.csv: line 2: quoted field is never closed");
}

TEST(CsvFault, LoneCarriageReturn) {
  std::string message = "carriage return without line feed outside quotes";
  EXPECT_EQ(fault("a,b\r1,2\r"), "t.csv: line 1: " + message);
  EXPECT_EQ(fault("a,b\n1,2\r"), "t.csv: line 2: " + message);
  EXPECT_EQ(fault("a,b\n1,\"2\"\r3\n"), "t.csv: line 2: " + message);
  EXPECT_EQ(fault("a,b\n1,2\r\r\n"), "t.csv: line 2: " + message);
}

TEST(CsvFault, BinaryFile) {
  using namespace std::literals;
  std::string message = "zero byte: not a text file";
  EXPECT_EQ(fault("a,b\n1,\0002\n"sv), "t.csv: line 2: " + message);
  EXPECT_EQ(fault("a\0,b\n1,2\n"sv), "t.csv: line 1: " + message);
  EXPECT_EQ(fault("a,b\n1,\"x\0y\"\n"sv), "t.csv: line 2: " + message);
  EXPECT_EQ(fault("a,b\n1,\"x\"\0\n"sv), "t.csv: line 2: " + message);
}

TEST(CsvNumbers, ReadsNumbersAndMissingValues) {
  Result<CsvFile> file =
      parse("x,t\n1,a\n 2.5 ,b\n+3,c\n\"4\",d\n,e\nNA,f\nnan,g\n-NaN,h\n"
            "inf,i\n\" -inf\",j\n\"\",k\n-1e-3,l\n");
  ASSERT_TRUE(file);
  for (unsigned threads : {0, 1, 2, 5, 100}) {
    Result<std::vector<double>> values = file->numbers(0, threads);
    ASSERT_TRUE(values) << values.error().message;
    double infinity = std::numeric_limits<double>::infinity();
    double missing = std::nan("");
    std::vector<double> expected = {1,        2.5,       3,       4,
                                    missing,  missing,   missing, missing,
                                    infinity, -infinity, missing, -1e-3};
    ASSERT_EQ(values->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE((*values)[i] == expected[i] ||
                  (std::isnan((*values)[i]) && std::isnan(expected[i])))
          << i;
  }
}

TEST(CsvNumbers, NamesTheFirstBadField) {
  Result<CsvFile> file = parse("x,y\n1,2\n\"3\n\",4\n5,six\nseven,8\n");
  ASSERT_TRUE(file);
  for (unsigned threads : {1, 2, 3, 4}) {
    EXPECT_EQ(file->numbers(1, threads).error().message,
              "t.csv: line 5: column 'y': expected a number, got 'six'");
    EXPECT_EQ(file->numbers(0, threads).error().message,
              "t.csv: line 3: column 'x': expected a number, got '3\n'");
    std::vector<double> x(4), y(4);
    size_t columns[] = {1, 0};
    double *out[] = {y.data(), x.data()};
    EXPECT_EQ(file->numbers(columns, out, threads).error().message,
              "t.csv: line 3: column 'x': expected a number, got '3\n'");
  }
}

TEST(CsvFault, OtherFormats) {
  using namespace std::literals;
  for (auto [bytes, format] : {std::pair{"\xFF\xFE"
                                         "a\0,\0b\0\n\0"sv,
                                         "UTF-16"},
                               {"\x1F\x8B\x08\0\0"sv, "gzip"},
                               {"PK\x03\x04,\n"sv, "zip or Excel"}})
    EXPECT_EQ(fault(bytes), "t.csv: expected CSV in UTF-8, got " +
                                std::string(format) + " data");
}

TEST(CsvNumbers, RefusesWhatNoDoubleHolds) {
  for (std::string text : {"1e400", "-1e400"})
    EXPECT_EQ(parse("x\n" + text + "\n")->numbers(0).error().message,
              "t.csv: line 2: column 'x': expected a number that a double can "
              "hold, got '" +
                  text + "'");
}

TEST(CsvNumbers, OfCompleteRows) {
  // Text matters in a row that is complete but for it, and there alone.
  Result<CsvFile> file = parse("x,y\n1,2\nred,\n,red\ninf,red\nred,3\n4,5\n");
  ASSERT_TRUE(file);
  const size_t columns[] = {0, 1};
  std::vector<double> x(6), y(6);
  double *out[] = {x.data(), y.data()};
  for (unsigned threads : {1u, 2u, 6u}) {
    EXPECT_EQ(
        file->numbersOfCompleteRows(columns, out, {}, threads).error().message,
        "t.csv: line 6: column 'x': expected a number, got 'red'");
    std::vector<bool> dropped(6);
    dropped[4] = true;
    ASSERT_TRUE(file->numbersOfCompleteRows(columns, out, dropped, threads));
    for (size_t row = 0; row < 6; ++row)
      EXPECT_EQ(std::isnan(x[row]) && std::isnan(y[row]), row > 0 && row < 5);
    EXPECT_EQ(x[5] + y[5], 9);
  }
}

TEST(CsvFile, MessagesListSomeColumns) {
  std::string head = "c0";
  for (int i = 1; i < 100; ++i)
    head += ",c" + std::to_string(i);
  Result<CsvFile> file = parse(head + "\n" + std::string(99, ',') + "\n");
  ASSERT_TRUE(file);
  std::string message = file->require("x").error().message;
  EXPECT_NE(message.find("c38, c39 and 60 more"), std::string::npos) << message;
}

TEST(CsvNumbers, RefusesWhatIsNoNumber) {
  for (const char *text : {"1,5", "0x1", "nan(1)", "1 2", "-", "-NA", "1.2.3",
                           "1e", "2016-01-01"}) {
    Result<CsvFile> file = parse("x\n\"" + std::string(text) + "\"\n");
    ASSERT_TRUE(file);
    Result<std::vector<double>> values = file->numbers(0);
    ASSERT_FALSE(values) << text;
    EXPECT_EQ(values.error().message,
              "t.csv: line 2: column 'x': expected a number, got '" +
                  std::string(text) + "'");
  }
}

TEST(CsvNumbers, ShortensWhatItShows) {
  std::string text = "x\n" + std::string(59, 'y') + "\xC3\xA9zzz\n";
  EXPECT_EQ(parse(text)->numbers(0).error().message,
            "t.csv: line 2: column 'x': expected a number, got '" +
                std::string(59, 'y') + "...'");
}

TEST(Csv, TellsTheLineOfARow) {
  Result<CsvFile> file = parse("\"a\nb\",c\n1,2\n\"\n\n\",3\n4,5\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->line(0), 3u);
  EXPECT_EQ(file->line(1), 4u);
  EXPECT_EQ(file->line(2), 7u);
  EXPECT_EQ(file->place(2, 1), "t.csv: line 7: column 'c'");
}

TEST(Csv, KeepsViewsWhenMoved) {
  Result<CsvFile> file = parse("a\nx\n\"y\"\"\"\n");
  ASSERT_TRUE(file);
  Texts texts = file->texts(0);
  CsvFile moved = *std::move(file);
  EXPECT_EQ(texts, (Texts{"x", "y\""}));
  EXPECT_EQ(moved.texts(0).data()[1].data(), texts[1].data());
}

TEST(Csv, OpensFiles) {
  TemporaryFolder folder;
  put(folder.at("t.csv"), "a,b\n1,2\n");
  Result<CsvFile> file = CsvFile::open(folder.at("t.csv"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path(), folder.at("t.csv"));
  EXPECT_EQ(file->rowCount(), 1u);
  EXPECT_EQ(CsvFile::open(folder.at("no")).error().message,
            folder.at("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(CsvFile::open(folder.path).error().message,
            folder.path.string() + ": cannot read: Is a directory");
  EXPECT_EQ(CsvFile::open("/dev/zero").error().message,
            "/dev/zero: line 1: zero byte: not a text file");
  EXPECT_EQ(CsvFile::open("/dev/null").error().message,
            "/dev/null: empty file, expected a header");
}

//===----------------------------------------------------------------------===//
// Against a slow parser that follows the rules one character at a time
//===----------------------------------------------------------------------===//

/// The rows of `text`, or nothing when it breaks a rule of Csv.h.
static std::optional<Table> slowParse(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF"))
    text.erase(0, 3);
  Table table;
  std::vector<std::string> row;
  std::vector<bool> emptyLine;
  std::string field;
  enum { Start, Plain, Quoted, Closed } state = Start;
  bool nothing = true;
  auto endRow = [&] {
    row.push_back(field);
    emptyLine.push_back(nothing);
    table.push_back(row);
    row.clear();
    field.clear();
    state = Start;
    nothing = true;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\0')
      return std::nullopt;
    if (state == Quoted) {
      if (c == '"')
        state = Closed;
      else
        field += c;
      continue;
    }
    if (c == '"') {
      nothing = false;
      if (state == Closed)
        field += c;
      else if (state != Start)
        return std::nullopt;
      state = Quoted;
      continue;
    }
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n')
        return std::nullopt;
      continue;
    }
    if (c == '\n') {
      endRow();
      continue;
    }
    nothing = false;
    if (c == ',') {
      row.push_back(field);
      field.clear();
      state = Start;
      continue;
    }
    if (state == Closed)
      return std::nullopt;
    state = Plain;
    field += c;
  }
  if (state == Quoted)
    return std::nullopt;
  if (!nothing)
    endRow();
  while (!table.empty() && emptyLine.back()) {
    table.pop_back();
    emptyLine.pop_back();
  }
  if (table.size() < 2)
    return std::nullopt;
  for (size_t i = 1; i < table.size(); ++i) {
    if (table[i].size() != table[0].size())
      return std::nullopt;
    if (emptyLine[i] && table[0].size() > 1)
      return std::nullopt;
  }
  return table;
}

TEST(CsvRandom, AgreesWithTheSlowParser) {
  std::mt19937 random(4);
  const std::string_view pieces[] = {
      ",", ",", "\n",    "\n",      "\r\n",    "\"", "\"\"", "1",
      "x", " ", "\"a\"", "\"b\n\"", ",\"c,\"", "\r", "é"};
  size_t good = 0, bad = 0;
  for (int round = 0; round < 60000; ++round) {
    // Mostly well-formed rows of the right length, with mishaps.
    size_t columns = 1 + random() % 3;
    std::string text = std::string("p,q,r").substr(0, 2 * columns - 1) + "\n";
    size_t rowCount = random() % 8;
    for (size_t r = 0; r < rowCount; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        if (c > 0)
          text += ',';
        switch (random() % 6) {
        case 0:
          break;
        case 1:
          text += "\"" + std::string(random() % 70, ',') + "\"";
          break;
        case 2:
          text += "\"x\"\"" + std::string(random() % 3, '\n') + "\"\"\"";
          break;
        default:
          text += std::string(1 + random() % 40, 'v');
        }
        if (random() % 60 == 0)
          text += pieces[random() % std::size(pieces)];
      }
      if (r + 1 < rowCount || random() % 2)
        text += random() % 4 ? "\n" : "\r\n";
    }
    if (random() % 20 == 0)
      text += '\0';
    std::optional<Table> expected = slowParse(text);
    // Starting threads costs more than all else here.
    for (unsigned threads : {1, round % 16 == 0 ? 2 + round / 16 % 8 : 1}) {
      Result<CsvFile> file = parse(text, threads);
      ASSERT_EQ(file.ok(), expected.has_value())
          << text << "\n"
          << (file ? "" : file.error().message);
      if (!file)
        continue;
      Table got = rows(text, threads);
      // Names are trimmed; that is not what this compares.
      got[0] = (*expected)[0];
      ASSERT_EQ(got, *expected) << text;
    }
    ++(expected ? good : bad);
    if (!expected && round % 16 == 0)
      fault(text);
  }
  EXPECT_GT(good, 20000u);
  EXPECT_GT(bad, 10000u);
}

TEST(CsvRandom, SurvivesAnyBytes) {
  std::mt19937 random(5);
  const std::string_view alphabet = "a,\"\n\r 1.e-\0N";
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    for (size_t n = random() % 150; n > 0; --n)
      text += random() % 50 ? alphabet[random() % 11] : char(random());
    std::optional<Table> expected = slowParse(text);
    bool threaded = round % 16 == 0;
    Result<CsvFile> file = parse(text, threaded ? 2 + random() % 5 : 1);
    if (!file) {
      if (threaded)
        fault(text);
      // Names that stand twice are the only fault the slow parser ignores.
      if (expected) {
        ASSERT_TRUE(file.error().message.ends_with("stands twice")) << text;
      }
      continue;
    }
    ASSERT_TRUE(expected) << text;
    for (size_t column = 0; column < file->names().size(); ++column) {
      (void)file->numbers(column, threaded ? 3 : 1).ok();
      Texts texts = file->texts(column);
      for (size_t row = 0; row < texts.size(); ++row)
        ASSERT_EQ(texts[row], (*expected)[row + 1][column]);
    }
  }
}
