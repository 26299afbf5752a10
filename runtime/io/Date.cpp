//===- io/Date.cpp - dates ------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Date.h"
#include "io/Number.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

using namespace tamrt;

std::weak_ordering tamrt::operator<=>(const Date &a, const Date &b) {
  if (a.form != b.form)
    return a.form <=> b.form;
  switch (a.form) {
  case Date::Form::Missing:
    return std::weak_ordering::equivalent;
  case Date::Form::Number:
    if (a.number != b.number)
      return a.number < b.number ? std::weak_ordering::less
                                 : std::weak_ordering::greater;
    return a.fraction <=> b.fraction;
  case Date::Form::Local:
  case Date::Form::Zoned:
    break;
  }
  if (a.seconds != b.seconds)
    return a.seconds <=> b.seconds;
  return a.fraction <=> b.fraction;
}

namespace {

/// Reads a text from its start, piece by piece.
class Cursor {
public:
  explicit Cursor(std::string_view text) : rest(text) {}

  bool done() const { return rest.empty(); }

  bool take(char c) {
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }

  /// Exactly `count` digits, as a number.
  std::optional<int> digits(size_t count) {
    if (rest.size() < count)
      return std::nullopt;
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!isDigit(rest[i]))
        return std::nullopt;
      value = 10 * value + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }

  /// 1 to 18 digits as a fraction of 1e18.
  std::optional<uint64_t> fraction() {
    uint64_t value = 0;
    size_t count = 0;
    while (count < rest.size() && isDigit(rest[count])) {
      if (count == 18)
        return std::nullopt;
      value = 10 * value + static_cast<uint64_t>(rest[count] - '0');
      ++count;
    }
    if (count == 0)
      return std::nullopt;
    rest.remove_prefix(count);
    for (; count < 18; ++count)
      value *= 10;
    return value;
  }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  std::string_view rest;
};

} // namespace

CalendarTime tamrt::calendarTimeOf(int64_t seconds) {
  using namespace std::chrono;
  const sys_seconds time{std::chrono::seconds(seconds)};
  const auto days = floor<std::chrono::days>(time);
  const year_month_day date(days);
  const hh_mm_ss clock(time - days);
  return {int(date.year()),
          unsigned(date.month()),
          unsigned(date.day()),
          weekday(days).iso_encoding(),
          unsigned(clock.hours().count()),
          unsigned(clock.minutes().count()),
          unsigned(clock.seconds().count())};
}

static std::chrono::year_month_day dayOf(int year, unsigned month,
                                         unsigned day) {
  return {std::chrono::year(year), std::chrono::month(month),
          std::chrono::day(day)};
}

int64_t tamrt::secondsUntil(int year, unsigned month, unsigned day) {
  const std::chrono::sys_seconds time =
      std::chrono::sys_days(dayOf(year, month, day));
  return time.time_since_epoch().count();
}

/// Z, +hh, +hhmm or +hh:mm at the text's end, in seconds.
static std::optional<int64_t> parseOffset(Cursor &cursor) {
  if (cursor.take('Z'))
    return 0;
  bool negative = cursor.take('-');
  if (!negative && !cursor.take('+'))
    return std::nullopt;
  std::optional<int> hours = cursor.digits(2);
  if (!hours || *hours > 23)
    return std::nullopt;
  int64_t offset = *hours * 3600;
  if (!cursor.done()) {
    cursor.take(':');
    std::optional<int> minutes = cursor.digits(2);
    if (!minutes || *minutes > 59)
      return std::nullopt;
    offset += *minutes * 60;
  }
  return negative ? -offset : offset;
}

/// Whether a time is in the years 0000 to 9999.
static bool hasYear(int64_t seconds) {
  static const int64_t first = secondsUntil(0, 1, 1),
                       end = secondsUntil(10000, 1, 1);
  return first <= seconds && seconds < end;
}

static std::optional<Date> parseIso(std::string_view text) {
  Cursor cursor(text);
  std::optional<int> year = cursor.digits(4);
  if (!year || !cursor.take('-'))
    return std::nullopt;
  std::optional<int> month = cursor.digits(2);
  if (!month || !dayOf(*year, unsigned(*month), 1).ok())
    return std::nullopt;
  Date date;
  date.form = Date::Form::Local;
  if (cursor.done()) {
    date.seconds = secondsUntil(*year, unsigned(*month), 1);
    return date;
  }
  if (!cursor.take('-'))
    return std::nullopt;
  std::optional<int> day = cursor.digits(2);
  if (!day || !dayOf(*year, unsigned(*month), unsigned(*day)).ok())
    return std::nullopt;
  date.seconds = secondsUntil(*year, unsigned(*month), unsigned(*day));
  if (cursor.done())
    return date;

  if (!cursor.take('T') && !cursor.take(' '))
    return std::nullopt;
  std::optional<int> hour = cursor.digits(2);
  if (!hour || *hour > 24 || !cursor.take(':'))
    return std::nullopt;
  std::optional<int> minute = cursor.digits(2);
  if (!minute || *minute > 59)
    return std::nullopt;
  int second = 0;
  if (cursor.take(':')) {
    std::optional<int> digits = cursor.digits(2);
    if (!digits || *digits > 59)
      return std::nullopt;
    second = *digits;
    if (cursor.take('.') || cursor.take(',')) {
      std::optional<uint64_t> fraction = cursor.fraction();
      if (!fraction)
        return std::nullopt;
      date.fraction = *fraction;
    }
  }
  // 24:00 is the day's end and has nothing after it.
  if (*hour == 24 && (*minute != 0 || second != 0 || date.fraction != 0))
    return std::nullopt;
  date.seconds += *hour * 3600 + *minute * 60 + second;
  if (!cursor.done()) {
    std::optional<int64_t> offset = parseOffset(cursor);
    if (!offset || !cursor.done())
      return std::nullopt;
    date.form = Date::Form::Zoned;
    date.seconds -= *offset;
  }
  if (!hasYear(date.seconds))
    return std::nullopt;
  return date;
}

/// The whole number of up to 34 digits that `decimal` is: its difference to a
/// double fits in 64 bits.
static std::optional<__int128> wholeNumber(const Decimal &decimal) {
  constexpr int64_t kMaxDigits = 34;
  __int128 value = 0;
  int64_t left = decimal.exponent();
  if (left > kMaxDigits)
    return std::nullopt;
  decimal.forEachDigit([&](int digit) {
    if (left-- > 0)
      value = 10 * value + digit;
  });
  if (left < 0)
    return std::nullopt;
  for (; left > 0; --left)
    value *= 10;
  return decimal.sign() < 0 ? -value : value;
}

/// A finite number; one that a double may not represent, such as nanoseconds
/// since 1970, exactly.
static Date dateOf(ExactNumber number) {
  constexpr double kExactIntegers = 0x1p53;
  Date date;
  date.form = Date::Form::Number;
  date.number = number.nearest;
  if (std::fabs(number.nearest) < kExactIntegers)
    return date;
  std::optional<__int128> value = wholeNumber(Decimal(number.text));
  if (!value)
    return date;
  if (static_cast<__int128>(date.number) > *value)
    date.number =
        std::nextafter(date.number, -std::numeric_limits<double>::infinity());
  date.fraction =
      static_cast<uint64_t>(*value - static_cast<__int128>(date.number));
  return date;
}

Result<Date> tamrt::parseDate(std::string_view text) {
  if (isMissing(text))
    return Date();
  if (std::optional<Date> date = parseIso(trimBlanks(text)))
    return *date;
  std::optional<ExactNumber> number = parseExactNumber(text);
  if (number && std::isfinite(number->nearest))
    return dateOf(*number);
  return Error{
      fmt::format("expected a date (ISO 8601 or a number), got '{}'", text)};
}

static const char *describe(Date::Form form) {
  switch (form) {
  case Date::Form::Missing:
    return "a missing date";
  case Date::Form::Number:
    return "a number";
  case Date::Form::Local:
    return "an ISO 8601 date without offset";
  case Date::Form::Zoned:
    return "an ISO 8601 date with offset";
  }
  return "";
}

int64_t tamrt::keyOf(const Date &date) {
  if (date.form != Date::Form::Number)
    return date.seconds;
  // The bits of doubles ascend with positive numbers and descend with negative
  // ones; adding zero makes -0 a plain 0.
  const auto bits = std::bit_cast<int64_t>(date.number + 0.0);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

std::string tamrt::describeOtherForm(Date::Form before, Date::Form got,
                                     std::string_view text) {
  return fmt::format("expected {} as in the rows before, got {} '{}'",
                     describe(before), describe(got), text);
}
