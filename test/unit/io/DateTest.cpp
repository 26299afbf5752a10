//===- DateTest.cpp - the dates rows are sorted by ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Date.h"
#include "TestFiles.h"

#include <ctime>
#include <gtest/gtest.h>
#include <random>

using namespace tamrt;
using namespace tamrt::test;

static Date parsed(std::string_view text) {
  Result<Date> date = parseDate(text);
  EXPECT_TRUE(date) << text;
  return date ? *date : Date();
}

TEST(ParseDate, ReadsIso8601) {
  EXPECT_EQ(parsed("1970-01-01").seconds, 0);
  EXPECT_EQ(parsed("1970-01").seconds, 0);
  EXPECT_EQ(parsed("2016-02-29").seconds, 1456704000);
  EXPECT_EQ(parsed("2000-03-01").seconds, 951868800);
  EXPECT_EQ(parsed("0000-01-01").seconds, -62167219200);
  EXPECT_EQ(parsed("9999-12-31T23:59:59").seconds, 253402300799);
  EXPECT_EQ(parsed("1969-12-31 23:59").seconds, -60);
  EXPECT_EQ(parsed(" 2016-01-31T24:00 "), parsed("2016-02-01"));
  EXPECT_EQ(parsed("2016-01-01T00:00:00.5").fraction, 500000000000000000u);
  EXPECT_EQ(parsed("2016-01-01T00:00:00,000000000000000001").fraction, 1u);
  EXPECT_EQ(parsed("2016-01-31T23:30").form, Date::Form::Local);
}

TEST(ParseDate, BringsOffsetsToUtc) {
  EXPECT_EQ(parsed("1970-01-01T00:00Z").seconds, 0);
  EXPECT_EQ(parsed("1970-01-01T00:00Z").form, Date::Form::Zoned);
  EXPECT_EQ(parsed("1970-01-01 01:00:00+01:00").seconds, 0);
  EXPECT_EQ(parsed("1970-01-01T01:00:00.25+0100").seconds, 0);
  EXPECT_EQ(parsed("1969-12-31T18:30-05:30").seconds, 0);
  EXPECT_EQ(parsed("1970-01-01T02:00+02").seconds, 0);
}

TEST(ParseDate, ReadsNumbersAndMissingValues) {
  EXPECT_EQ(parsed("20160131").form, Date::Form::Number);
  EXPECT_EQ(parsed("-1.5").number, -1.5);
  EXPECT_EQ(parsed("2016").number, 2016);
  EXPECT_EQ(parsed("").form, Date::Form::Missing);
  EXPECT_EQ(parsed("NA").form, Date::Form::Missing);
  EXPECT_EQ(parsed("nan").form, Date::Form::Missing);
}

TEST(ParseDate, RefusesAllElse) {
  for (const char *text : {"31/01/2016",
                           "2016-1-1",
                           "2016-13-01",
                           "2016-00-01",
                           "2016-01-00",
                           "2016-01-32",
                           "2015-02-29",
                           "1900-02-29",
                           "2016-04-31",
                           "2016-W01",
                           "2016-001",
                           "2016-01-01T",
                           "2016-01-01T1",
                           "2016-01-01T12",
                           "2016-01-01T12:",
                           "2016-01-01T25:00",
                           "2016-01-01T24:01",
                           "2016-01-01T24:00:00.1",
                           "2016-01-01T12:60",
                           "2016-01-01T12:00:60",
                           "2016-01-01T12:00:00.",
                           "2016-01-01T12:00:00.0000000000000000001",
                           "2016-01-01T12:00+",
                           "2016-01-01T12:00+1",
                           "2016-01-01T12:00+24:00",
                           "2016-01-01T12:00+01:60",
                           "2016-01-01T12:00 Z",
                           "2016-01-01T12:00ZZ",
                           "2016-01-01Z",
                           "2016-01-01T12:00+01:",
                           "+2016-01-01",
                           "16-01-01",
                           "2016-01-01  12:00",
                           "2016-01-01t12:00",
                           "yesterday",
                           "inf",
                           "2016-",
                           "2016-01-",
                           "1e400",
                           "2016-01-01T12:00+01:00:00"}) {
    Result<Date> date = parseDate(text);
    ASSERT_FALSE(date) << text;
    EXPECT_EQ(date.error().message,
              std::string("expected a date (ISO 8601 or a number), got '") +
                  text + "'");
  }
}

TEST(ParseDate, AgreesWithTheCLibrary) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    // Years 0000 to 9999.
    time_t seconds =
        -62167219200 + int64_t(random() % (253402300800 + 62167219200));
    std::tm parts;
    ASSERT_TRUE(gmtime_r(&seconds, &parts));
    char text[64];
    std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d",
                  parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                  parts.tm_hour, parts.tm_min, parts.tm_sec);
    ASSERT_EQ(parsed(text).seconds, seconds) << text;
  }
}

TEST(DateOrder, IsThatOfTime) {
  EXPECT_LT(parsed("2016-01-01"), parsed("2016-01-01T00:00:00.000001"));
  EXPECT_LT(parsed("1969-12-31T23:59:59.9"), parsed("1970-01-01"));
  EXPECT_LT(parsed("9"), parsed("10"));
  EXPECT_EQ(parsed("1"), parsed("1.0"));
  EXPECT_LT(parsed("2016-10-30T02:30+02:00"), parsed("2016-10-30T02:30+01:00"));
  EXPECT_LT(parsed(""), parsed("-5"));
}

static Result<std::vector<Date>> column(std::string_view text) {
  Result<CsvFile> file = CsvFile::parse(bytesOf(text), "d.csv");
  EXPECT_TRUE(file);
  return readDates(*file, 0);
}

TEST(ReadDates, GivesOnePerRow) {
  auto dates = column("date,x\n,1\n2016-01-02,2\n2016-01-01T12:00,3\n");
  ASSERT_TRUE(dates);
  ASSERT_EQ(dates->size(), 3u);
  EXPECT_EQ((*dates)[0].form, Date::Form::Missing);
  EXPECT_LT((*dates)[2], (*dates)[1]);
}

TEST(ReadDates, NamesTheRowThatIsNoDate) {
  auto dates = column("date,x\n1,1\n\"2016\n-1\",2\nx,1\n");
  ASSERT_FALSE(dates);
  EXPECT_EQ(dates.error().message,
            "d.csv: line 3: column 'date': expected a date (ISO 8601 or a "
            "number), got '2016\n-1'");
}

TEST(ReadDates, RefusesToMixForms) {
  auto mixed = column("date,x\n,0\n2016-01-01,1\n20160102,2\n");
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().message,
            "d.csv: line 4: column 'date': expected an ISO 8601 date without "
            "offset as in the rows before, got a number '20160102'");
  auto offsets = column("date,x\n2016-01-01T00:00Z,1\n2016-01-01T00:00,2\n");
  ASSERT_FALSE(offsets);
  EXPECT_EQ(offsets.error().message,
            "d.csv: line 3: column 'date': expected an ISO 8601 date with "
            "offset as in the rows before, got an ISO 8601 date without "
            "offset '2016-01-01T00:00'");
}
