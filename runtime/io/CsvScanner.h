//===- io/CsvScanner.h - finds the fields of a CSV text ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Splits a part of a CSV text into rows and fields. Internal to CsvBlocks.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVSCANNER_H
#define TAMRT_IO_CSVSCANNER_H

#include "io/GrowingArray.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tamrt {

/// Most bytes of a field, quotes included. A quote that is never closed takes
/// no more memory than this.
inline constexpr size_t kMaxFieldBytes = size_t(1) << 20;

/// A fault of a text, and its position.
struct CsvFault {
  /// Offset in the text; the line of the error is that of this byte.
  size_t offset;
  std::string message;
  /// For a fault after a quoted field, the offset of the opening quote.
  std::optional<size_t> opened = std::nullopt;
};

/// The fields of some rows of a text.
struct CsvIndex {
  /// Offset of each row's first byte.
  GrowingArray<uint64_t> rowStarts;
  /// End of each field relative to its row's start, row by row, line ends not
  /// included. A field starts at its row's start or one past the end of the
  /// field before it.
  GrowingArray<uint32_t> fieldEnds;
  /// The offset after the last row and its line end.
  size_t end = 0;
  /// The first fault; the rows before it are in the index.
  std::optional<CsvFault> fault;
};

/// Indexes rows of `text` from offset `begin`, where a row starts, to `end`,
/// where one ends (with its line end or without). Fields are separated by
/// `separator`. Every row must have `fields` fields (0: as many as the first).
/// Stops after `limit` rows or at a fault.
///
/// Quoted fields with doubled quotes are rewritten in place: `"a""b"` becomes
/// `"a"b"` and a zero byte, so that their text is contiguous. No line end
/// moves out of its order.
CsvIndex scanCsv(char *text, size_t begin, size_t end, char separator,
                 size_t fields,
                 size_t limit = std::numeric_limits<size_t>::max());

/// As above, into `index`, whose contents are replaced and whose memory is
/// reused.
void scanCsv(char *text, size_t begin, size_t end, char separator,
             size_t fields, CsvIndex &index,
             size_t limit = std::numeric_limits<size_t>::max());

/// Whether the row that starts at `begin` has a fault before `end`, which need
/// not be the row's end, so that more bytes cannot make it valid. Writes
/// nothing. The scanner reports which fault it is.
bool isFaultyRow(const char *text, size_t begin, size_t end, char separator);

/// Offset after the last line end in [begin, end) that is outside quotes, where
/// `begin` is outside them; `begin` if there is none. Reads from the end.
size_t findLastRowEnd(const char *text, size_t begin, size_t end);

} // namespace tamrt

#endif // TAMRT_IO_CSVSCANNER_H
