//===- CsvBlocksTest.cpp - a CSV file a block at a time -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvBlocks.h"
#include "TestFiles.h"
#include "support/WholeTable.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace tamrt;
using namespace tamrt::test;

/// Rows of a file with their lines, or its error.
struct Seen {
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> lines;
  std::string error;

  bool operator==(const Seen &) const = default;
};

static Seen whole(std::string_view text) {
  Seen seen;
  Result<WholeTable> file = WholeTable::parse(text);
  if (!file) {
    seen.error = file.error().message;
    return seen;
  }
  for (size_t row = 0; row < file->rowCount(); ++row) {
    seen.lines.push_back(file->line(row));
    seen.rows.emplace_back();
    for (size_t column = 0; column < file->names().size(); ++column)
      seen.rows.back().emplace_back(file->field(row, column));
  }
  return seen;
}

/// All of `file` from its first row.
static Seen readOn(CsvBlocks &file, bool rowsOfFaults = false) {
  Seen seen;
  CsvBlock block;
  size_t line = file.firstRowLine();
  while (true) {
    Result<bool> more = file.read(block);
    if (!more)
      return {{}, {}, more.error().message};
    if (!*more)
      return seen;
    block.startAt(line);
    block.scan();
    if (block.fault() && !rowsOfFaults)
      return {{}, {}, file.describe(block).message};
    line += block.lineCount();
    EXPECT_GT(block.rowCount(), 0u);
    for (size_t row = 0; row < block.rowCount(); ++row) {
      seen.lines.push_back(block.line(row));
      seen.rows.emplace_back();
      for (size_t column = 0; column < file.names().size(); ++column)
        seen.rows.back().emplace_back(block.field(row, column));
    }
  }
}

static Seen inBlocks(const std::string &path, size_t bytes) {
  Result<CsvBlocks> file = CsvBlocks::open(path, bytes);
  if (!file)
    return {{}, {}, file.error().message};
  Seen seen = readOn(*file);
  if (!seen.error.empty())
    return seen;
  // Again from the start.
  EXPECT_TRUE(file->rewind().ok());
  EXPECT_EQ(readOn(*file), seen);
  return seen;
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  if (size_t at = text.find(from); at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

TEST(CsvBlocks, AgreesWithTheWholeFile) {
  std::mt19937 random(7);
  TemporaryFolder folder;
  const std::string path = folder.at("t.csv");
  const std::string_view pieces[] = {",",    "\n",     "\r\n",    "\"",
                                     "\"\"", "x",      " ",       "\"a\"",
                                     "\r",   "\n\n\n", "\"b\n\"", "\r\n\r\n"};
  size_t good = 0, bad = 0;
  for (int round = 0; round < 4000; ++round) {
    size_t columns = 1 + random() % 3;
    std::string text = random() % 4 ? "" : "\xEF\xBB\xBF";
    if (random() % 50 == 0)
      text += "\n\r\n";
    text += std::string("p,q,r").substr(0, 2 * columns - 1) +
            (random() % 3 ? "\n" : "\r\n");
    size_t rows = random() % 12;
    const bool mishaps = random() % 2;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        text += column > 0 ? "," : "";
        if (size_t kind = random() % 8; kind == 1)
          text += "\"" + std::string(random() % 70, ',') + "\"";
        else if (kind == 2)
          text += "\"x\"\"" + std::string(random() % 3, '\n') + "\"\"\"";
        else if (kind > 2)
          text += std::string(1 + random() % 20, 'v');
        if (mishaps && random() % 40 == 0)
          text += pieces[random() % std::size(pieces)];
      }
      if (row + 1 < rows || random() % 2)
        text += random() % 4 ? "\n" : "\r\n";
    }
    if (random() % 4 == 0)
      text += random() % 2 ? "\n\n" : "\r\n\n";
    if (random() % 40 == 0)
      text += '\0';
    put(path, text);
    Seen expected = whole(text);
    for (size_t bytes : {1, 2, 5, 16, 64, 1000}) {
      Seen got = inBlocks(path, bytes);
      got.error = replaced(got.error, path, "t.csv");
      ASSERT_EQ(got.error, expected.error) << bytes << " bytes\n" << text;
      ASSERT_EQ(got.rows, expected.rows) << bytes << " bytes\n" << text;
      ASSERT_EQ(got.lines, expected.lines) << bytes << " bytes\n" << text;
    }
    ++(expected.error.empty() ? good : bad);
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 500u);
}

TEST(CsvBlocks, ParsesNumbersAsTheWholeFileDoes) {
  std::mt19937 random(8);
  TemporaryFolder folder;
  const std::string path = folder.at("t.csv");
  const char alphabet[] = "0123456789.-+e nai";
  std::string text = "p,q\n";
  for (int row = 0; row < 60000; ++row) {
    for (int column = 0; column < 2; ++column) {
      std::string field;
      size_t length = random() % 20, kind = random() % 4;
      for (size_t i = 0; i < length; ++i)
        field += kind ? char('0' + random() % 10) : alphabet[random() % 18];
      if (kind >= 2 && length > 0)
        field[random() % length] = '.';
      if (kind == 3 && length > 0)
        field[0] = '-';
      if (random() % 30 == 0)
        field = "\"" + field + "\"";
      text += field + (column ? "\n" : ",");
    }
  }
  put(path, text);
  WholeTable file = *WholeTable::open(path);
  CsvBlocks blocks = *CsvBlocks::open(path);
  CsvBlock block;
  size_t first = 0, numbers = 0;
  while (*blocks.read(block)) {
    block.scan();
    for (size_t column : {0, 1}) {
      std::vector<double> values(block.rowCount());
      std::vector<size_t> odd;
      block.numbers(column, values.data(), odd);
      size_t next = 0;
      for (size_t row = 0; row < block.rowCount(); ++row) {
        std::string_view field = file.field(first + row, column);
        double alone;
        if (!parseCsvNumber(field, CsvFormat(), alone) ||
            !std::isfinite(alone)) {
          ASSERT_LT(next, odd.size()) << field;
          ASSERT_EQ(odd[next++], row) << field;
          continue;
        }
        ++numbers;
        // Bit for bit, zeros with their sign.
        ASSERT_EQ(std::memcmp(&values[row], &alone, sizeof(double)), 0)
            << field;
      }
      ASSERT_EQ(next, odd.size());
    }
    first += block.rowCount();
  }
  EXPECT_EQ(first, file.rowCount());
  EXPECT_GT(numbers, 60000u);
}

TEST(CsvBlocks, ReadsAPipeOnce) {
  TemporaryFolder folder;
  const std::string path = folder.at("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string text = "a,b\n";
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i) + ",\"x\ny\"\n";
  std::thread writer([&] { put(path, text); });
  Result<CsvBlocks> file = CsvBlocks::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->bytes(), 0u);
  EXPECT_EQ(readOn(*file), whole(text));
  writer.join();
  EXPECT_EQ(file->rewind().error().message,
            path + ": expected a file that can be read twice, got a pipe or a "
                   "device");
}

TEST(CsvBlocks, FaultsBeforeTheFirstRow) {
  using namespace std::literals;
  TemporaryFolder folder;
  const std::string path = folder.at("t.csv");
  auto fault = [&](std::string_view text) {
    put(path, text);
    return replaced(inBlocks(path, 16).error, path, "t.csv");
  };
  EXPECT_EQ(fault("\xEF\xBB\xBF\n"), "t.csv: empty file, expected a header");
  EXPECT_EQ(fault("a,b\n\n"), "t.csv: no rows after the header");
  EXPECT_EQ(fault("a,a\n1,2\n"), "t.csv: line 1: column 'a' appears twice");
  EXPECT_EQ(fault("PAR1\n"), "t.csv: expected CSV in UTF-8, got Parquet data");
  EXPECT_EQ(CsvBlocks::open(folder.at("no")).error().message,
            folder.at("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(CsvBlocks::open(folder.path).error().message,
            folder.path.string() + ": cannot read: Is a directory");
  Result<CsvBlocks> zeros = CsvBlocks::open("/dev/zero");
  EXPECT_EQ(zeros.error().message,
            "/dev/zero: line 1: zero byte: not a text file");
}
