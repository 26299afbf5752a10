//===- io/Date.h - dates ----------------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Dates as sortable keys.
///
/// A date is ISO 8601 in its extended format, or a number:
///
///     2016-01-31                     midnight
///     2016-01                        midnight of the month's first day
///     2016-01-31T23:30               a blank may stand for the T
///     2016-01-31 23:30:00.5          up to 18 digits, after '.' or ','
///     2016-01-31T24:00               midnight at the day's end
///     2016-01-31T23:30Z              also +01:00, +0100, +01, -05:30
///     1454279400.25                  any finite number, as a double
///     1454279400000000001            whole numbers up to 34 digits, exactly
///
/// Years run from 0000 to 9999, also in UTC, days follow the Gregorian
/// calendar. Blanks around a date do not count. 20160131 is a number; week
/// dates and ordinal dates are errors.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_DATE_H
#define TAMRT_IO_DATE_H

#include "io/Error.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamrt {

/// A point in time, exact: two dates compare equal only when they are.
struct Date {
  /// The format in which it was written. Only dates of one form can be
  /// compared; RowReader checks that a column has one form.
  enum class Form : uint8_t {
    /// A missing value (`isMissing`).
    Missing,
    /// A plain number.
    Number,
    /// A date or date-time without an offset.
    Local,
    /// A date-time with an offset, converted to UTC.
    Zoned,
  };

  Form form = Form::Missing;
  /// For Number: the double; for an integer the largest double not above it.
  double number = 0;
  /// For Local and Zoned: seconds since 1970-01-01T00:00:00.
  int64_t seconds = 0;
  /// For Local and Zoned: the fraction in 1e-18 seconds, in [0, 1e18). For an
  /// integer: the difference to `number`.
  uint64_t fraction = 0;
};

/// Numbers compare by value, times in time, forms (which do not mix in a
/// column) by their order in Form; missing dates equal each other. A strict
/// weak order of all dates.
std::weak_ordering operator<=>(const Date &a, const Date &b);
inline bool operator==(const Date &a, const Date &b) { return (a <=> b) == 0; }

/// Parses one date. Missing text (`isMissing`) gives Form::Missing. The error
/// has no location: "expected a date, got '31/01/16'".
Result<Date> parseDate(std::string_view text);

/// A number with the order of dates of one form, except that dates that differ
/// only in their fractions are equal. Not for missing dates.
int64_t keyOf(const Date &date);

/// A point in time by the Gregorian calendar; in UTC for Zoned dates.
struct CalendarTime {
  int year;
  /// From 1.
  unsigned month, day;
  /// Of ISO 8601: 1 is Monday, 7 Sunday.
  unsigned weekday;
  unsigned hour, minute, second;
};

/// `seconds` since 1970-01-01T00:00:00, in the years -9999 to 19999.
CalendarTime calendarTimeOf(int64_t seconds);

/// Seconds from 1970-01-01 to the midnight with which a day begins, in the
/// years -9999 to 19999.
int64_t secondsUntil(int year, unsigned month, unsigned day);

/// The message for a date, written as `text`, that has not the form of the rows
/// before.
std::string describeOtherForm(Date::Form before, Date::Form got,
                              std::string_view text);

} // namespace tamrt

#endif // TAMRT_IO_DATE_H
