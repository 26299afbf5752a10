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
#include "kernels/InstructionSets.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

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

/// The bits of a number, which differ if its text does.
template <class T> uint64_t bitsOf(T value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return uint64_t(value);
}

template <class T>
TAMRT_INLINE bool areAllFinite(const T *values, size_t count) {
  // Added to an exponent with all bits, the lowest one carries into the sign.
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr Bits kExponent =
      std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr Bits kOne = kExponent & (~kExponent << 1);
  Bits carried = 0;
  for (size_t row = 0; row < count; ++row)
    carried |= (std::bit_cast<Bits>(values[row]) & kExponent) + kOne;
  return carried >> (8 * sizeof(Bits) - 1) == 0;
}

TAMRT_WIDE bool areFinite(const double *values, size_t count) {
  return areAllFinite(values, count);
}

TAMRT_WIDE bool areFinite(const float *values, size_t count) {
  return areAllFinite(values, count);
}

/// Adds the indices of values that are not finite to `odd`.
template <class T>
void findInfinite(const T *values, size_t count, std::vector<size_t> &odd) {
  if (areFinite(values, count))
    return;
  for (size_t row = 0; row < count; ++row)
    if (!std::isfinite(values[row]))
      odd.push_back(row);
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

/// A point in time; what is missing has no form.
struct Time {
  Date::Form form = Date::Form::Missing;
  int64_t seconds = 0;
  uint64_t fraction = 0;
};

/// Seconds from 1970 to the start of a year.
constexpr int64_t secondsUntilYear(int year) {
  using namespace std::chrono;
  return sys_seconds(sys_days(std::chrono::year(year) / 1 / 1))
      .time_since_epoch()
      .count();
}

/// The years of times in files.
constexpr int64_t kYearsBegin = secondsUntilYear(0);
constexpr int64_t kYearsEnd = secondsUntilYear(10'000);

bool isInYears(const Time &time) {
  return time.seconds >= kYearsBegin && time.seconds < kYearsEnd;
}

template <class T>
TAMRT_INLINE bool areAllWithin(const T *values, size_t count, T least, T most) {
  bool areAll = true;
  for (size_t row = 0; row < count; ++row)
    areAll &= values[row] >= least && values[row] <= most;
  return areAll;
}

TAMRT_WIDE bool areWithin(const int64_t *values, size_t count, int64_t least,
                          int64_t most) {
  return areAllWithin(values, count, least, most);
}

TAMRT_WIDE bool areWithin(const int32_t *values, size_t count, int32_t least,
                          int32_t most) {
  return areAllWithin(values, count, least, most);
}

/// The points in time of a column. `Ticks` of them are a second.
template <int64_t Ticks> struct TimesOf {
  explicit TimesOf(const tamrt_frame_column &column)
      : values(valuesOf<int64_t>(column)),
        form(column.is_zoned ? Date::Form::Zoned : Date::Form::Local) {}

  Time operator[](int64_t index) const {
    const int64_t ticks = values[index];
    if (ticks == kNoTime)
      return {};
    const int64_t seconds = floorDivide(ticks, Ticks);
    return {form, seconds,
            // The product wraps around next to the least ticks.
            (uint64_t(ticks) - uint64_t(seconds) * Ticks) *
                (kFractionUnits / uint64_t(Ticks))};
  }

  /// Whether those of `count` rows are in the years of files, and their ticks,
  /// if `seconds` are wanted, whole seconds.
  bool arePlain(int64_t first, size_t count, int64_t *seconds) const {
    using Limits = std::numeric_limits<int64_t>;
    constexpr int64_t least = kYearsBegin < (Limits::min() + 1) / Ticks
                                  ? Limits::min() + 1
                                  : kYearsBegin * Ticks;
    constexpr int64_t most = kYearsEnd > Limits::max() / Ticks
                                 ? Limits::max()
                                 : kYearsEnd * Ticks - 1;
    const int64_t *from = values + first;
    if (!areWithin(from, count, least, most))
      return false;
    int64_t odd = 0;
    for (size_t row = 0; seconds && row < count; ++row) {
      seconds[row] = from[row] / Ticks;
      odd |= from[row] % Ticks;
    }
    return odd == 0;
  }

  const int64_t *values;
  Date::Form form;
};

struct DaysOf {
  explicit DaysOf(const tamrt_frame_column &column)
      : values(valuesOf<int32_t>(column)) {}

  Time operator[](int64_t index) const {
    return {form, values[index] * kDaySeconds, 0};
  }

  bool arePlain(int64_t first, size_t count, int64_t *seconds) const {
    if (!areWithin(values + first, count, int32_t(kYearsBegin / kDaySeconds),
                   int32_t(kYearsEnd / kDaySeconds - 1)))
      return false;
    for (size_t row = 0; seconds && row < count; ++row)
      seconds[row] = values[first + int64_t(row)] * kDaySeconds;
    return true;
  }

  const int32_t *values;
  Date::Form form = Date::Form::Local;
};

/// Calls use(times) with the points in time of a column, by their indices.
template <class Use>
void withTimes(const tamrt_frame_column &column, const Use &use) {
  if (column.type == TAMRT_FRAME_DAYS)
    use(DaysOf(column));
  else if (column.ticks == 1)
    use(TimesOf<1>(column));
  else if (column.ticks == 1'000)
    use(TimesOf<1'000>(column));
  else if (column.ticks == 1'000'000)
    use(TimesOf<1'000'000>(column));
  else
    use(TimesOf<1'000'000'000>(column));
}

/// A time as text.
void writeTime(const Time &at, std::string &out) {
  auto to = std::back_inserter(out);
  if (!isInYears(at)) {
    fmt::format_to(to, "{} seconds since 1970", at.seconds);
    return;
  }
  const CalendarTime time = calendarTimeOf(at.seconds);
  fmt::format_to(to, "{:04}-{:02}-{:02}", time.year, time.month, time.day);
  const bool isMidnight =
      time.hour == 0 && time.minute == 0 && time.second == 0;
  if (isMidnight && at.fraction == 0 && at.form == Date::Form::Local)
    return;
  fmt::format_to(to, " {:02}:{:02}:{:02}", time.hour, time.minute, time.second);
  if (at.fraction != 0) {
    std::string digits = fmt::format("{:018}", at.fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    fmt::format_to(to, ".{}", digits);
  }
  if (at.form == Date::Form::Zoned)
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
  else
    withTimes(column, [&](const auto &times) {
      if (const Time time = times[index]; time.form != Date::Form::Missing)
        writeTime(time, out);
    });
}

} // namespace

std::optional<FrameNumbers> FrameNumbers::of(const tamrt_frame_column &column,
                                             size_t first) {
  std::optional<FrameNumbers> numbers;
  if (column.valid || column.dictionary)
    return numbers;
  withNumbers(column, [&](const auto *values) {
    values += column.first + int64_t(first);
    // Arrays of Python need not be aligned.
    if (reinterpret_cast<uintptr_t>(values) % sizeof(*values) == 0)
      numbers = FrameNumbers(tamrt_frame_type(column.type), values);
  });
  return numbers;
}

void FrameNumbers::gather(std::span<const uint32_t> rows, double *out) const {
  tamrt_frame_column column = {};
  column.type = type;
  column.values = values;
  withNumbers(column, [&](const auto *from) {
    for (size_t i = 0; i < rows.size(); ++i)
      out[i] = double(from[rows[i]]);
  });
}

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

std::string_view FrameRows::field(size_t row, size_t column,
                                  std::string &buffer) const {
  int64_t index;
  const tamrt_frame_column *at = find(row, column, index);
  if (!at)
    return {};
  if (isText(*at))
    return textAt(*at, index);
  buffer.clear();
  writeValue(*at, index, buffer);
  return buffer;
}

const void *FrameRows::tags(size_t column, uint64_t *out) const {
  const tamrt_frame_column &stored = batch->columns[column];
  if (stored.valid || isText(stored))
    return nullptr;
  const int64_t start = stored.first + int64_t(first);
  auto write = [&](const auto *values) {
    for (size_t row = 0; row < count; ++row)
      out[row] = bitsOf(values[start + int64_t(row)]);
  };
  if (!withNumbers(stored, write)) {
    switch (stored.type) {
    case TAMRT_FRAME_BOOL:
      write(valuesOf<uint8_t>(stored));
      break;
    case TAMRT_FRAME_TIME:
      write(valuesOf<int64_t>(stored));
      break;
    case TAMRT_FRAME_DAYS:
      write(valuesOf<int32_t>(stored));
      break;
    default:
      return nullptr;
    }
  }
  return stored.dictionary ? static_cast<const void *>(stored.dictionary)
                           : frame;
}

void FrameRows::findOdd(size_t column, std::vector<size_t> &odd) const {
  const tamrt_frame_column &stored = batch->columns[column];
  const int64_t start = stored.first + int64_t(first);
  if (stored.type == TAMRT_FRAME_F64)
    findInfinite(valuesOf<double>(stored) + start, count, odd);
  else if (stored.type == TAMRT_FRAME_F32)
    findInfinite(valuesOf<float>(stored) + start, count, odd);
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

std::optional<Date::Form> FrameRows::plainTimes(size_t column,
                                                int64_t *seconds) const {
  const tamrt_frame_column &stored = batch->columns[column];
  if (stored.valid || stored.dictionary)
    return std::nullopt;
  std::optional<Date::Form> form;
  withTimes(stored, [&](const auto &times) {
    // Arrays of Python need not be aligned.
    if (reinterpret_cast<uintptr_t>(times.values) % sizeof(*times.values) ==
            0 &&
        times.arePlain(stored.first + int64_t(first), count, seconds))
      form = times.form;
  });
  return form;
}

std::optional<size_t>
FrameRows::times(size_t column, Date::Form *forms, int64_t *seconds,
                 GrowingArray<uint64_t> &fractions) const {
  std::optional<size_t> beyond;
  auto put = [&](size_t row, const Time &time) {
    forms[row] = time.form;
    seconds[row] = time.seconds;
    if (!isInYears(time) && !beyond)
      beyond = row;
    if (time.fraction == 0 && fractions.empty())
      return;
    if (fractions.empty())
      std::fill_n(fractions.extend(row), row, 0);
    fractions.push_back(time.fraction);
  };
  const tamrt_frame_column &stored = batch->columns[column];
  if (!stored.valid && !stored.dictionary) {
    withTimes(stored, [&](const auto &times) {
      const int64_t start = stored.first + int64_t(first);
      for (size_t row = 0; row < count; ++row)
        put(row, times[start + int64_t(row)]);
    });
    return beyond;
  }
  for (size_t row = 0; row < count; ++row) {
    Time time;
    int64_t index;
    if (const tamrt_frame_column *at = find(row, column, index))
      withTimes(*at, [&](const auto &times) { time = times[index]; });
    put(row, time);
  }
  return beyond;
}

} // namespace tamrt
