//===- CsvTextTest.cpp - what a CSV file may hold -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "support/WholeTable.h"

#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

using namespace tamrt;
using namespace tamrt::test;
using Table = std::vector<std::vector<std::string>>;

static Result<WholeTable> parse(std::string_view text,
                                size_t blockBytes = 1 << 17,
                                CsvFormat format = {}) {
  return WholeTable::parse(text, blockBytes, std::move(format));
}

/// The message of a fault, which must be the same for every size of block.
static std::string fault(std::string_view text) {
  std::string first;
  for (size_t bytes : {1 << 17, 1, 7, 64}) {
    Result<WholeTable> table = parse(text, bytes);
    std::string message = table ? "no error" : table.error().message;
    if (first.empty())
      first = message;
    EXPECT_EQ(message, first) << "blocks of " << bytes;
  }
  return first;
}

/// The rows of `text`, header included.
static Table rows(std::string_view text, size_t blockBytes = 1 << 17) {
  Result<WholeTable> file = parse(text, blockBytes);
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
  Result<WholeTable> file = parse("a , b,\" c\",\"d\"\"e\"\n1,2,3,4\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->names(), (std::vector<std::string>{"a", "b", " c", "d\"e"}));
  EXPECT_EQ(file->find("b"), 1u);
  EXPECT_EQ(file->find("c"), std::nullopt);
  EXPECT_EQ(file->find("a"), 0u);
  EXPECT_EQ(*requireColumn("t.csv", file->names(), "a"), 0u);
  EXPECT_EQ(requireColumn("t.csv", file->names(), "z").error().message,
            "t.csv: no column 'z', expected one of: a, b,  c, d\"e");
}

TEST(Csv, AllowsColumnsWithoutName) {
  Result<WholeTable> file = parse(",a,\n0,1,2\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->find(""), std::nullopt);
  EXPECT_EQ(file->field(0, 2), "2");
}

TEST(Csv, TakesAnEmptyLineOfOneColumnAsAField) {
  EXPECT_EQ(rows("a\n1\n\n2\n\n"), (Table{{"a"}, {"1"}, {""}, {"2"}}));
  EXPECT_EQ(rows("a\r\n\r\n2\r\n"), (Table{{"a"}, {""}, {"2"}}));
  EXPECT_EQ(rows("a\n1\n\"\"\n"), (Table{{"a"}, {"1"}, {""}}));
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
  EXPECT_EQ(fault("a,b,a\n1,2,3\n"), "t.csv: line 1: column 'a' appears twice");
  EXPECT_EQ(fault("a, a\n1,2\n"), "t.csv: line 1: column 'a' appears twice");
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

TEST(CsvFault, TellsWhereTheQuoteOpens) {
  EXPECT_EQ(fault("a,b\n1,\"x\n2,y\n3,z\"4\n5,6\n"),
            "t.csv: line 4: expected a comma or the line's end after the "
            "closing quote; the quoted field opens on line 2");
}

/// Bytes that are read of an endless text with one stray quote.
static size_t bytesRead(std::string_view start, std::string &message) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  size_t written = 0;
  std::thread writer([&] {
    std::string text(start);
    const size_t most = size_t(64) << 20;
    while (written < most) {
      const ssize_t count = ::write(ends[1], text.data(), text.size());
      if (count <= 0)
        break;
      written += size_t(count);
      text = std::string(1 << 16, 'x') + "\n";
    }
    ::close(ends[1]);
  });
  Result<WholeTable> table =
      WholeTable::open("/proc/self/fd/" + std::to_string(ends[0]));
  message = table ? "no error" : table.error().message;
  ::close(ends[0]);
  writer.join();
  return written;
}

TEST(CsvFault, AStrayQuoteTakesNoMoreThanAField) {
  // Writing to a pipe without a reader raises a signal.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::string message;
  EXPECT_LT(bytesRead("a,b\n1,2\n3,\"4\n", message), 6 * kMaxFieldBytes);
  EXPECT_TRUE(message.ends_with(
      ": line 3: expected a field of at most 1048576 bytes, got more; is the "
      "quote that opens it closed?"))
      << message;
  EXPECT_LT(bytesRead("a,b\n1,2\n3,4\"\n", message), 6 * kMaxFieldBytes);
  EXPECT_TRUE(message.ends_with(
      ": line 3: quote inside a field that does not start with one"))
      << message;
  EXPECT_LT(bytesRead("a,\"b\n1,2\n", message), 6 * kMaxFieldBytes);
  EXPECT_NE(message.find(": line 1: expected a field of at most"),
            std::string::npos)
      << message;
  std::signal(SIGPIPE, before);
}

TEST(CsvFault, AFieldHasABound) {
  for (size_t bytes : {size_t(1) << 17, size_t(1) << 22}) {
    auto message = [&](const std::string &text) {
      Result<WholeTable> table = parse(text, bytes);
      return table ? "no error" : table.error().message;
    };
    const std::string most(kMaxFieldBytes, 'x');
    const std::string inside(kMaxFieldBytes - 2, ',');
    EXPECT_EQ(message("a,b\n1," + most + "\r\n" + most + ",2\n"), "no error");
    EXPECT_EQ(message("a,b\n1,\"" + inside + "\"\n3,4\n"), "no error");
    EXPECT_EQ(message("a,b\n1,2\n3,x" + most + "\n"),
              "t.csv: line 3: expected a field of at most 1048576 bytes, got "
              "more");
    EXPECT_EQ(message("a,b\n1,2\n3,\"," + inside + "\"\n"),
              "t.csv: line 3: expected a field of at most 1048576 bytes, got "
              "more; is the quote that opens it closed?");
    // A row of many fields may be longer.
    std::string names = "c0", row = most;
    for (int i = 1; i < 4; ++i) {
      names += ",c" + std::to_string(i);
      row += "," + most;
    }
    EXPECT_EQ(message(names + "\n" + row + "\n" + row), "no error");
  }
}

TEST(Csv, SeparatorsAndDecimals) {
  CsvFormat format;
  format.separator = ';';
  format.decimal = ',';
  Result<WholeTable> table =
      parse("a;b,c\n1,5;\"x;y\"\n-0,25;NA\n", 16, format);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->names(), (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(*table->numbers(0), (std::vector<double>{1.5, -0.25}));
  EXPECT_EQ(table->field(0, 1), "x;y");
  EXPECT_EQ(parse("a\n1.5\n", 16, format)->numbers(0).error().message,
            "t.csv: line 2: column 'a': expected a number, got '1.5'; "
            "--decimal '.' reads such numbers");
  format = {};
  format.separator = '\t';
  EXPECT_EQ(parse("a\tb\n1\t\"2\"3\n", 16, format).error().message,
            "t.csv: line 2: expected a tab or the line's end after the closing "
            "quote");
}

TEST(Csv, HintsAtTheSeparatorThatAHeaderHas) {
  auto message = [](std::string name, char separator = ',') {
    return requireColumn("t.csv", {std::move(name)}, "y", separator)
        .error()
        .message;
  };
  EXPECT_EQ(message("a;y"),
            "t.csv: no column 'y', expected columns separated by commas, got "
            "one column 'a;y'; --sep ';' reads a file with a ';' between its "
            "fields");
  EXPECT_NE(message("a\ty").find("; --sep tab reads a file with tabs"),
            std::string::npos);
  EXPECT_EQ(message("a"), "t.csv: no column 'y', expected one of: a");
  // It names the separator with which the file was read.
  EXPECT_EQ(message("a;y", '|'),
            "t.csv: no column 'y', expected columns separated by '|', got one "
            "column 'a;y'; --sep ';' reads a file with a ';' between its "
            "fields");
  EXPECT_EQ(message("a,y", '\t'),
            "t.csv: no column 'y', expected columns separated by tabs, got one "
            "column 'a,y'; --sep ',' reads a file with commas between its "
            "fields");
  EXPECT_EQ(message("a;y", ';'), "t.csv: no column 'y', expected one of: a;y");
}

TEST(Csv, HeadersHaveNames) {
  EXPECT_EQ(parse("\na,b\n1,2\n").error().message,
            "t.csv: line 1: expected a header, got an empty line");
  EXPECT_EQ(parse("\xEF\xBB\xBF\r\na,b\n1,2\n").error().message,
            "t.csv: line 1: expected a header, got an empty line");
  EXPECT_EQ(parse("\"\"\na\n").error().message,
            "t.csv: line 1: expected a header, got an empty name");
}

TEST(CsvNumbers, MissingTexts) {
  CsvFormat format;
  format.addMissing("-999");
  format.addMissing("?");
  Result<WholeTable> table =
      parse("x\n1\n-999\n-999.00\n ? \nN/A\n99\nnull\nNone\nNaT\n", 16, format);
  ASSERT_TRUE(table);
  std::string seen;
  const std::vector<double> values = *table->numbers(0);
  for (double value : values)
    seen += std::isnan(value) ? "m" : "v";
  EXPECT_EQ(seen, "vmmmmvmmm");
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
  Result<WholeTable> file =
      parse("x,t\n1,a\n 2.5 ,b\n+3,c\n\"4\",d\n,e\nNA,f\nnan,g\n-NaN,h\n"
            "inf,i\n\" -inf\",j\n\"\",k\n-1e-3,l\n");
  ASSERT_TRUE(file);
  Result<std::vector<double>> values = file->numbers(0);
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

TEST(CsvNumbers, NamesTheFirstBadField) {
  Result<WholeTable> file = parse("x,y\n1,2\n\"3\n\",4\n5,six\nseven,8\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->numbers(1).error().message,
            "t.csv: line 5: column 'y': expected a number, got 'six'");
  EXPECT_EQ(file->numbers(0).error().message,
            "t.csv: line 3: column 'x': expected a number, got '3\n'");
}

TEST(CsvFault, OtherFormats) {
  using namespace std::literals;
  for (auto [bytes, format] : {std::pair{"\xFF\xFE"
                                         "a\0,\0b\0\n\0"sv,
                                         "UTF-16"},
                               {"\xFD\x37zXZ\0\0"sv, "xz"},
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

TEST(Csv, MessagesListSomeColumns) {
  std::string head = "c0";
  for (int i = 1; i < 100; ++i)
    head += ",c" + std::to_string(i);
  Result<WholeTable> file = parse(head + "\n" + std::string(99, ',') + "\n");
  ASSERT_TRUE(file);
  std::string message =
      requireColumn("t.csv", file->names(), "x").error().message;
  EXPECT_NE(message.find("c38, c39 and 60 more"), std::string::npos) << message;
}

TEST(CsvNumbers, RefusesWhatIsNoNumber) {
  for (const char *text : {"1,5", "0x1", "nan(1)", "1 2", "-", "-NA", "1.2.3",
                           "1e", "2016-01-01"}) {
    Result<WholeTable> file = parse("x\n\"" + std::string(text) + "\"\n");
    ASSERT_TRUE(file);
    Result<std::vector<double>> values = file->numbers(0);
    ASSERT_FALSE(values) << text;
    EXPECT_EQ(values.error().message,
              "t.csv: line 2: column 'x': expected a number, got '" +
                  std::string(text) + "'" +
                  (std::string(text) == "1,5"
                       ? "; --decimal ',' reads such numbers"
                       : ""));
  }
}

TEST(CsvNumbers, ShortensWhatItShows) {
  std::string text = "x\n" + std::string(59, 'y') + "\xC3\xA9zzz\n";
  EXPECT_EQ(parse(text)->numbers(0).error().message,
            "t.csv: line 2: column 'x': expected a number, got '" +
                std::string(59, 'y') + "...'");
}

TEST(Csv, TellsTheLineOfARow) {
  Result<WholeTable> file = parse("\"a\nb\",c\n1,2\n\"\n\n\",3\n4,5\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->line(0), 3u);
  EXPECT_EQ(file->line(1), 4u);
  EXPECT_EQ(file->line(2), 7u);
}

TEST(Csv, OpensFiles) {
  TemporaryFolder folder;
  put(folder.at("t.csv"), "a,b\n1,2\n");
  Result<WholeTable> file = WholeTable::open(folder.at("t.csv"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->rowCount(), 1u);
  EXPECT_EQ(WholeTable::open(folder.at("no")).error().message,
            folder.at("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(WholeTable::open(folder.path).error().message,
            folder.path.string() + ": cannot read: Is a directory");
  EXPECT_EQ(WholeTable::open("/dev/zero").error().message,
            "/dev/zero: line 1: zero byte: not a text file");
  EXPECT_EQ(WholeTable::open("/dev/null").error().message,
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
  for (int round = 0; round < 15000; ++round) {
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
    for (size_t bytes : {size_t(1) << 17, size_t(1) + random() % 90}) {
      Result<WholeTable> file = parse(text, bytes);
      ASSERT_EQ(file.ok(), expected.has_value())
          << text << "\n"
          << (file ? "" : file.error().message);
      if (!file)
        continue;
      Table got = rows(text, bytes);
      // Names are trimmed; that is not what this compares.
      got[0] = (*expected)[0];
      ASSERT_EQ(got, *expected) << text;
    }
    ++(expected ? good : bad);
    if (!expected && round % 16 == 0)
      fault(text);
  }
  EXPECT_GT(good, 5000u);
  EXPECT_GT(bad, 2500u);
}

TEST(CsvRandom, SurvivesAnyBytes) {
  std::mt19937 random(5);
  const std::string_view alphabet = "a,\"\n\r 1.e-\0N";
  for (int round = 0; round < 15000; ++round) {
    std::string text;
    for (size_t n = random() % 150; n > 0; --n)
      text += random() % 50 ? alphabet[random() % 11] : char(random());
    std::optional<Table> expected = slowParse(text);
    Result<WholeTable> file = parse(text, 1 + random() % 200);
    if (!file) {
      if (round % 16 == 0)
        fault(text);
      // Faults of names are the only ones that the slow parser ignores.
      if (expected) {
        const std::string &message = file.error().message;
        ASSERT_TRUE(message.ends_with("appears twice") ||
                    message.find("expected a header, got an empty ") !=
                        message.npos)
            << text;
      }
      continue;
    }
    ASSERT_TRUE(expected) << text;
    for (size_t column = 0; column < file->names().size(); ++column) {
      (void)file->numbers(column).ok();
      for (size_t row = 0; row < file->rowCount(); ++row)
        ASSERT_EQ(file->field(row, column), (*expected)[row + 1][column]);
    }
  }
}
