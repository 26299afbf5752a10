//===- io/FrameRows.cpp - some rows of a frame in memory ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/FrameRows.h"

#include "io/CsvFormat.h"
#include "io/Number.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace tamrt {
namespace {

constexpr uint64_t kFractionUnits = 1'000'000'000'000'000'000;
constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

bool hasBit(const void *bits, int64_t index) {
  return static_cast<const uint8_t *>(bits)[index / 8] >> (index % 8) & 1;
}

template <class T> const T *valuesOf(const tamrt_frame_column &column) {
  return static_cast<const T *>(column.values);
}

bool isText(const tamrt_frame_column &column) {
  return column.type == TAMRT_FRAME_TEXT32 || column.type == TAMRT_FRAME_TEXT64;
}

/// Calls use(values) with the typed values of a column of numbers. Returns
/// false for other columns.
template <class Use>
bool withNumbers(const tamrt_frame_column &column, Use use) {
  switch (column.type) {
  case TAMRT_FRAME_F64:
    return use(valuesOf<double>(column)), true;
  case TAMRT_FRAME_F32:
    return use(valuesOf<float>(column)), true;
  case TAMRT_FRAME_I64:
    return use(valuesOf<int64_t>(column)), true;
  case TAMRT_FRAME_I32:
    return use(valuesOf<int32_t>(column)), true;
  case TAMRT_FRAME_I16:
    return use(valuesOf<int16_t>(column)), true;
  case TAMRT_FRAME_I8:
    return use(valuesOf<int8_t>(column)), true;
  case TAMRT_FRAME_U64:
    return use(valuesOf<uint64_t>(column)), true;
  case TAMRT_FRAME_U32:
    return use(valuesOf<uint32_t>(column)), true;
  case TAMRT_FRAME_U16:
    return use(valuesOf<uint16_t>(column)), true;
  case TAMRT_FRAME_U8:
    return use(valuesOf<uint8_t>(column)), true;
  default:
    return false;
  }
}

int64_t integerAt(const tamrt_frame_column &column, int64_t index) {
  int64_t value = 0;
  withNumbers(column,
              [&](const auto *values) { value = int64_t(values[index]); });
  return value;
}

std::string_view textAt(const tamrt_frame_column &column, int64_t index) {
  if (column.type == TAMRT_FRAME_TEXT32) {
    const int32_t *ends = valuesOf<int32_t>(column) + index;
    return {column.text + ends[0], size_t(ends[1] - ends[0])};
  }
  const int64_t *ends = valuesOf<int64_t>(column) + index;
  return {column.text + ends[0], size_t(ends[1] - ends[0])};
}

int64_t floorDivide(int64_t number, int64_t by) {
  return number / by - (number % by < 0);
}

Date timeAt(const tamrt_frame_column &column, int64_t index) {
  Date date;
  date.form = column.is_zoned ? Date::Form::Zoned : Date::Form::Local;
  if (column.type == TAMRT_FRAME_DAYS) {
    date.seconds = valuesOf<int32_t>(column)[index] * kDaySeconds;
    return date;
  }
  const int64_t ticks = valuesOf<int64_t>(column)[index];
  if (ticks == kNoTime)
    return Date();
  date.seconds = floorDivide(ticks, column.ticks);
  date.fraction = uint64_t(ticks - date.seconds * column.ticks) *
                  (kFractionUnits / uint64_t(column.ticks));
  return date;
}

/// The first and the last year of times, as in files.
constexpr int kFirstYear = 0, kLastYear = 9999;

bool isInYears(const Date &date) {
  static const int64_t begin = secondsUntil(kFirstYear, 1, 1);
  static const int64_t end = secondsUntil(kLastYear + 1, 1, 1);
  return date.form == Date::Form::Missing ||
         (date.seconds >= begin && date.seconds < end);
}

/// A time as text.
void writeTime(const Date &date, std::string &out) {
  auto to = std::back_inserter(out);
  if (!isInYears(date)) {
    fmt::format_to(to, "{} seconds since 1970", date.seconds);
    return;
  }
  const CalendarTime time = calendarTimeOf(date.seconds);
  fmt::format_to(to, "{:04}-{:02}-{:02}", time.year, time.month, time.day);
  const bool isMidnight =
      time.hour == 0 && time.minute == 0 && time.second == 0;
  if (isMidnight && date.fraction == 0 && date.form == Date::Form::Local)
    return;
  fmt::format_to(to, " {:02}:{:02}:{:02}", time.hour, time.minute, time.second);
  if (date.fraction != 0) {
    std::string digits = fmt::format("{:018}", date.fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    fmt::format_to(to, ".{}", digits);
  }
  if (date.form == Date::Form::Zoned)
    out += 'Z';
}

/// Appends a value that is no text.
void writeValue(const tamrt_frame_column &column, int64_t index,
                std::string &out) {
  auto write = [&](const auto *values) {
    const auto value = values[index];
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
      fmt::format_to(std::back_inserter(out), "{}", +value);
    } else if (!std::isnan(value)) {
      char text[kNumberLength];
      // The shortest text of a float is not that of the double next to it.
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, float>)
        if (std::isfinite(value)) {
          fmt::format_to(std::back_inserter(out), "{}", value);
          return;
        }
      out.append(text, formatNumber(value, text));
    }
  };
  if (withNumbers(column, write))
    return;
  if (column.type == TAMRT_FRAME_BOOL)
    out += valuesOf<uint8_t>(column)[index] ? "True" : "False";
  else if (column.type == TAMRT_FRAME_BITS)
    out += hasBit(column.values, index) ? "True" : "False";
  else if (const Date date = timeAt(column, index);
           date.form != Date::Form::Missing)
    writeTime(date, out);
}

} // namespace

const tamrt_frame_column *FrameRows::find(size_t row, size_t column,
                                          int64_t &index) const {
  const tamrt_frame_column *at = &batch->columns[column];
  index = at->first + int64_t(first + row);
  if (at->valid && !hasBit(at->valid, index))
    return nullptr;
  if (at->dictionary) {
    index = integerAt(*at, index);
    if (index < 0)
      return nullptr;
    at = at->dictionary;
    index += at->first;
    if (at->valid && !hasBit(at->valid, index))
      return nullptr;
  }
  return at;
}

std::string_view FrameRows::field(size_t row, size_t column) const {
  const tamrt_frame_column &stored = batch->columns[column];
  if (isText(stored.dictionary ? *stored.dictionary : stored)) {
    int64_t index;
    const tamrt_frame_column *at = find(row, column, index);
    return at ? textAt(*at, index) : std::string_view();
  }
  if (!texts[column]) {
    auto made = std::make_unique<Texts>();
    made->ends.reserve(count);
    for (size_t each = 0; each < count; ++each) {
      int64_t index;
      if (const tamrt_frame_column *at = find(each, column, index))
        writeValue(*at, index, made->bytes);
      made->ends.push_back(made->bytes.size());
    }
    texts[column] = std::move(made);
  }
  const Texts &made = *texts[column];
  const size_t start = row == 0 ? 0 : made.ends[row - 1];
  return std::string_view(made.bytes).substr(start, made.ends[row] - start);
}

void FrameRows::numbers(size_t column, double *out,
                        std::vector<size_t> &odd) const {
  const tamrt_frame_column &stored = batch->columns[column];
  const int64_t start = stored.first + int64_t(first);
  const bool isPlain = !stored.valid && !stored.dictionary &&
                       withNumbers(stored, [&](const auto *values) {
                         values += start;
                         for (size_t row = 0; row < count; ++row)
                           out[row] = double(values[row]);
                       });
  static const CsvFormat format;
  for (size_t row = 0; row < count; ++row) {
    if (!isPlain) {
      out[row] = std::numeric_limits<double>::quiet_NaN();
      int64_t index;
      if (const tamrt_frame_column *at = find(row, column, index)) {
        if (isText(*at)) {
          if (!format.parseNumber(textAt(*at, index), out[row]))
            out[row] = std::numeric_limits<double>::quiet_NaN();
        } else if (at->type == TAMRT_FRAME_BOOL) {
          out[row] = valuesOf<uint8_t>(*at)[index] ? 1 : 0;
        } else if (at->type == TAMRT_FRAME_BITS) {
          out[row] = hasBit(at->values, index) ? 1 : 0;
        } else {
          // Times are no numbers.
          withNumbers(*at, [&](const auto *values) {
            out[row] = double(values[index]);
          });
        }
      }
    }
    if (!std::isfinite(out[row]))
      odd.push_back(row);
  }
}

bool FrameRows::hasTimes(size_t column) const {
  const tamrt_frame_column &stored = batch->columns[column];
  const int32_t type =
      stored.dictionary ? stored.dictionary->type : stored.type;
  return type == TAMRT_FRAME_TIME || type == TAMRT_FRAME_DAYS;
}

Date FrameRows::time(size_t row, size_t column) const {
  int64_t index;
  const tamrt_frame_column *at = find(row, column, index);
  return at ? timeAt(*at, index) : Date();
}

std::optional<size_t> FrameRows::firstBeyond(size_t column) const {
  for (size_t row = 0; row < count && hasTimes(column); ++row)
    if (!isInYears(time(row, column)))
      return row;
  return std::nullopt;
}

} // namespace tamrt
