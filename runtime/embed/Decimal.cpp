//===- embed/Decimal.cpp - numbers as text without memory -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Decimal.h"

#include "io/Number.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace tamrt::embed {

size_t formatInteger(int64_t value, char *out) {
  char digits[kIntegerLength];
  size_t count = 0, length = 0;
  uint64_t rest = value < 0 ? -uint64_t(value) : uint64_t(value);
  do
    digits[count++] = char('0' + rest % 10);
  while (rest /= 10);
  if (value < 0)
    out[length++] = '-';
  while (count > 0)
    out[length++] = digits[--count];
  return length;
}

bool parseInteger(std::string_view text, int64_t &value) {
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative)
    digits.remove_prefix(1);
  if (digits.empty() || digits.size() >= kIntegerLength)
    return false;
  uint64_t number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return false;
    number = number * 10 + uint64_t(c - '0');
  }
  if (number > uint64_t(INT64_MAX))
    return false;
  value = negative ? -int64_t(number) : int64_t(number);
  char plain[kIntegerLength];
  return text == std::string_view(plain, formatInteger(value, plain));
}

namespace {

/// value = 0.d1 d2 d3... * 10^point, with the fewest digits that give the value
/// back.
struct Digits {
  char digits[20];
  int count, point;
};

Digits shortest(double magnitude) {
  Digits result = {};
  for (int precision = 0; precision < 17; ++precision) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*e", precision, magnitude);
    // After the first digit comes the locale's decimal point.
    const char *exponent = std::strchr(text, 'e');
    result.count = 0;
    for (const char *at = text; at != exponent; ++at)
      if (*at >= '0' && *at <= '9')
        result.digits[result.count++] = *at;
    result.point = std::atoi(exponent + 1) + 1;
    char plain[32];
    std::memcpy(plain, result.digits, size_t(result.count));
    size_t length = size_t(result.count);
    plain[length++] = 'e';
    length += formatInteger(result.point - result.count, plain + length);
    std::optional<double> back = parseNumber({plain, length});
    if (back && *back == magnitude)
      break;
  }
  // Remove zeros at the end, which are not needed.
  while (result.count > 1 && result.digits[result.count - 1] == '0')
    --result.count;
  return result;
}

} // namespace

size_t formatDecimal(double value, char *out) {
  char *at = out;
  if (std::signbit(value))
    *at++ = '-';
  const double magnitude = std::fabs(value);
  const Digits number = shortest(magnitude);
  const int count = number.count;
  auto copy = [&](int first, int last) {
    for (int i = first; i < last; ++i)
      *at++ = i < count ? number.digits[i] : '0';
  };
  if (magnitude == 0) {
    *at++ = '0';
  } else if (magnitude >= 1e-4 && magnitude < 1e16) {
    if (number.point <= 0) {
      *at++ = '0';
      *at++ = '.';
      for (int i = number.point; i < 0; ++i)
        *at++ = '0';
      copy(0, count);
    } else {
      copy(0, number.point);
      if (count > number.point) {
        *at++ = '.';
        copy(number.point, count);
      }
    }
  } else {
    copy(0, 1);
    if (count > 1) {
      *at++ = '.';
      copy(1, count);
    }
    const int exponent = number.point - 1;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    const int size = exponent < 0 ? -exponent : exponent;
    if (size < 10)
      *at++ = '0';
    at += formatInteger(size, at);
  }
  return size_t(at - out);
}

} // namespace tamrt::embed
