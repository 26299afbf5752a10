//===- DateTest.cpp - the dates rows are sorted by ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Date.h"

#include <ctime>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <utility>

using namespace tamrt;

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
  EXPECT_EQ(parsed("0000-01-01T01:00+01:00").seconds, -62167219200);
  EXPECT_EQ(parsed("9999-12-31T22:59:59-01:00").seconds, 253402300799);
  EXPECT_EQ(parsed("9999-12-31T24:00+00:01").seconds, 253402300740);
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
                           "2016-01-01T12:00+01:00:00",
                           "0000-01-01T00:59:59+01:00",
                           "9999-12-31T23:00-01:00",
                           "9999-12-31T24:00"}) {
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
    const CalendarTime time = calendarTimeOf(seconds);
    std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02u:%02u:%02u",
                  time.year, time.month, time.day, time.hour, time.minute,
                  time.second);
    ASSERT_EQ(parsed(text).seconds, seconds) << text;
    ASSERT_EQ(time.weekday % 7, unsigned(parts.tm_wday)) << text;
    ASSERT_EQ(seconds - secondsUntil(time.year, time.month, time.day),
              seconds % 86400 + (seconds % 86400 < 0 ? 86400 : 0));
  }
}

TEST(Calendar, ReachesBeyondWrittenYears) {
  int64_t before = secondsUntil(-200, 12, 31);
  for (int year = -199; year < 10200; year += 7)
    for (unsigned month = 1; month <= 12; ++month) {
      const int64_t first = secondsUntil(year, month, 1);
      const CalendarTime day = calendarTimeOf(first),
                         last = calendarTimeOf(first - 1);
      EXPECT_TRUE(day.year == year && day.month == month && day.day == 1);
      EXPECT_EQ(secondsUntil(last.year, last.month, last.day) + 86400, first);
      EXPECT_EQ(last.hour * 3600 + last.minute * 60 + last.second, 86399u);
      EXPECT_GT(first, before);
      before = first;
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

TEST(DateOrder, IsExactBeyondDoubles) {
  // Nanoseconds since 1970: doubles there are 256 apart.
  const char *ascending[] = {"-1600000000000000001",
                             "-1600000000000000000",
                             "-5",
                             "9007199254740992",
                             "9007199254740993",
                             "9007199254740994",
                             "1600000000000000000",
                             "1600000000000000001",
                             "1600000000000000257",
                             "1600000000000000258.0",
                             "99999999999999999999999999999998",
                             "99999999999999999999999999999999"};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    const Date a = parsed(ascending[i - 1]), b = parsed(ascending[i]);
    EXPECT_LT(a, b) << ascending[i];
    EXPECT_LT(std::pair(keyOf(a), a.fraction), std::pair(keyOf(b), b.fraction))
        << ascending[i];
  }
  EXPECT_EQ(parsed("1600000000000000001"), parsed("+1600000000000000001.00"));
  EXPECT_EQ(parsed("1e18"), parsed("1000000000000000000"));
  EXPECT_LT(parsed("1000000000000000000"), parsed("1000000000000000001"));
  EXPECT_EQ(parsed("1.600000000000000001e18"), parsed("1600000000000000001"));
  // Other numbers are doubles.
  EXPECT_EQ(parsed("1600000000000000001.5"), parsed("1.6e18"));
  EXPECT_EQ(parsed("1e35"), parsed("100000000000000000000000000000000001"));
}
