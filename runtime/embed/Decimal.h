//===- embed/Decimal.h - numbers as text ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_EMBED_DECIMAL_H
#define TAMRT_EMBED_DECIMAL_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tamrt::embed {

inline constexpr size_t kIntegerLength = 20, kDecimalLength = 32;

/// Writes `value` in decimal to `out` (kIntegerLength bytes). \returns the
/// number of bytes written.
size_t formatInteger(int64_t value, char *out);

/// Parses an integer in its plain decimal form: without blanks, a plus or
/// leading zeros. Returns false for any other text.
bool parseInteger(std::string_view text, int64_t &value);

/// As formatNumber (io/Number.h), which needs the C++ library: the shortest
/// decimal text that parses back to the finite number `value`, to `out`
/// (kDecimalLength bytes). \returns the number of bytes written.
size_t formatDecimal(double value, char *out);

} // namespace tamrt::embed

#endif // TAMRT_EMBED_DECIMAL_H
