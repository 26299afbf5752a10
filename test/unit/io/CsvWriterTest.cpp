//===- CsvWriterTest.cpp - writes comma-separated values ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvWriter.h"
#include "TestFiles.h"
#include "support/WholeTable.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tamrt;
using namespace tamrt::test;
using Names = std::vector<std::string>;

static CsvWriter writerTo(const std::string &path) {
  Result<AtomicFile> file = AtomicFile::create(path);
  EXPECT_TRUE(file) << file.error().message;
  return CsvWriter(*std::move(file));
}

TEST(CsvWriter, WritesCells) {
  TemporaryFolder folder;
  CsvWriter out = writerTo(folder.at("t.csv"));
  out.header(Names{"a", "b,c", "d\"e"});
  out.text("plain");
  out.number(0.1);
  out.integer(-7);
  out.endRow();
  out.text("");
  out.text(" blank");
  out.number(std::nan(""));
  out.endRow();
  out.text("two\nlines");
  out.text("cr\r");
  out.text("\"");
  out.endRow();
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(get(folder.at("t.csv")), "a,\"b,c\",\"d\"\"e\"\n"
                                     "plain,0.1,-7\n"
                                     ",\" blank\",nan\n"
                                     "\"two\nlines\",\"cr\r\",\"\"\"\"\n");
}

TEST(CsvWriter, TakesCellsThatAreWritten) {
  TemporaryFolder folder;
  CsvWriter out = writerTo(folder.at("t.csv"));
  out.header(Names{"a", "b", "c"});
  std::string cells(CsvWriter::cellBytes("x,\"y\""), ' ');
  cells.resize(
      size_t(CsvWriter::writeCell("x,\"y\"", cells.data()) - cells.data()));
  out.written(cells + ",z", 2);
  out.integer(1);
  out.endRow();
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(get(folder.at("t.csv")), "a,b,c\n\"x,\"\"y\"\"\",z,1\n");
}

TEST(CsvWriter, KeepsARowOfOneEmptyCell) {
  TemporaryFolder folder;
  CsvWriter out = writerTo(folder.at("t.csv"));
  out.header(Names{"a"});
  for (const char *text : {"x", "", ""}) {
    out.text(text);
    out.endRow();
  }
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(get(folder.at("t.csv")), "a\nx\n\"\"\n\"\"\n");
  Result<WholeTable> back = WholeTable::open(folder.at("t.csv"));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rowCount(), 3u);
}

TEST(CsvWriter, ReportsErrorsAtTheEnd) {
  CsvWriter out = writerTo("/dev/full");
  out.header(Names{"a"});
  for (int i = 0; i < 200000; ++i) {
    out.number(i);
    out.endRow();
  }
  Status status = out.finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "/dev/full: cannot write: No space left on device");
}

TEST(CsvWriter, LeavesNothingWithoutFinish) {
  TemporaryFolder folder;
  {
    CsvWriter out = writerTo(folder.at("t.csv"));
    out.header(Names{"a"});
  }
  EXPECT_EQ(folder.count(), 0u);
}

TEST(CsvWriter, IsReadBackExactly) {
  TemporaryFolder folder;
  std::mt19937_64 random(3);
  std::vector<std::string> texts;
  std::vector<double> numbers;
  std::string alphabet = "ab,\"\r\n \t\xC3\xA9";
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n)
      text += alphabet[random() % alphabet.size()];
    texts.push_back(text);
    double number = std::bit_cast<double>(random());
    numbers.push_back(std::isnan(number) ? 0 : number);
  }
  // Longer than the writer's buffer.
  texts.push_back(std::string(400000, '"'));
  numbers.push_back(1);
  CsvWriter out = writerTo(folder.at("t.csv"));
  out.header(Names{"text", "number"});
  for (size_t i = 0; i < texts.size(); ++i) {
    out.text(texts[i]);
    out.number(numbers[i]);
    out.endRow();
  }
  ASSERT_TRUE(out.finish());
  Result<WholeTable> file = WholeTable::open(folder.at("t.csv"));
  ASSERT_TRUE(file) << file.error().message;
  Result<std::vector<double>> readNumbers = file->numbers(1);
  ASSERT_TRUE(readNumbers) << readNumbers.error().message;
  ASSERT_EQ(file->rowCount(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(file->field(i, 0), texts[i]);
    ASSERT_EQ(std::bit_cast<uint64_t>((*readNumbers)[i]),
              std::bit_cast<uint64_t>(numbers[i]));
  }
}
