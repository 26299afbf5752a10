//===- Planning/Csv.h - problems and plans as CSV ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CSV_H
#define TAMC_PLANNING_CSV_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tamc::planning {

struct CsvOptions {
  /// Ignore the column `offset` instead of reading it as pins, and the column
  /// `space` of a buffer with `spaces`.
  bool ignorePins = false;
  /// Values of the symbols in sizes; others are `unboundSymbol`.
  Binding binding;
};

/// Reads a problem. The first line that is not blank names the columns, in any
/// order and case:
///
///   id, buffer, name       the buffer's name; unique
///   lower, begin, start    first time it lives
///   upper                  first time it does not live any more
///   end                    last time it lives (upper = end + 1)
///   size                   bytes; also an expression, see SizeExpression.h
///   alignment              default 1
///   offset, pin            fixed offset; blank or -1 is none
///   hint                   blank or -1 is none
///   gaps                   "lo-hi" or "lo-hi@wlo:whi", separated by blanks:
///                          in [lo, hi) the buffer is not in use, or its bytes
///                          [wlo, whi) only
///   space                  name of the memory; next to `spaces` the one of
///                          them that the buffer is pinned to
///   spaces                 "sram:0|dram:12": spaces to choose from, with costs
///   uses                   "3 9": times of the uses
///   alias                  name of the alias class
///   output                 0 or 1
///   device, dtype, stream  kinds that strategy `reuse` keeps apart
///
/// Name, a begin, an end and a size are required; any other column is an error.
/// Lines end in LF or CRLF; blank lines are skipped; a UTF-8 byte order mark is
/// skipped; fields are trimmed and may be in double quotes, which may hold
/// commas and line ends. Errors carry the line. O(n log n).
std::variant<Problem, Diagnostic> readCsv(std::string_view text,
                                          const CsvOptions &options = {});

/// Reads a plan: the column `offset` of a text in the form above, matched to
/// the problem by name. Every buffer must have a line with an offset. With
/// `spaces`, for a problem with a choice, also the column `space`.
std::variant<std::vector<int64_t>, Diagnostic>
readOffsets(std::string_view text, const Problem &problem,
            std::vector<int32_t> *spaces = nullptr);

/// The problem in the form above, with the columns that it needs. With
/// `offsets` (one a buffer) the column `offset` holds the plan, else the pins;
/// with `chosen` the column `space` holds its spaces. Sizes with symbols are
/// written as they were read.
std::string writeCsv(const Problem &problem,
                     std::span<const int64_t> offsets = {},
                     std::span<const int32_t> chosen = {});

} // namespace tamc::planning

#endif // TAMC_PLANNING_CSV_H
