//===- io/CsvWriter.h - writes comma-separated values -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes tables that `CsvBlocks` and other CSV readers can read.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVWRITER_H
#define TAMRT_IO_CSVWRITER_H

#include "io/AtomicFile.h"
#include "io/Error.h"
#include "io/GrowingArray.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tamrt {

/// A buffered CSV output: a header, then rows cell by cell. Lines end with LF.
///
///     CsvWriter out(std::move(*file));
///     out.header(names);
///     for (...) { out.text(group); out.number(value); out.endRow(); }
///     if (Status done = out.finish(); !done) ...
///
/// After the first error the calls do nothing, and `complete` and `finish`
/// return the error. Without `finish` no file appears under the target's name.
class CsvWriter {
public:
  /// Writes to `file`, as yet empty.
  explicit CsvWriter(AtomicFile file);
  /// Appends to `text`, which must outlive the writer; a header is not needed.
  explicit CsvWriter(GrowingArray<char> &text);

  /// Writes the line of names; all rows must have as many cells (asserted).
  void header(std::span<const std::string> names);

  /// A cell of text. It is in quotes, with inner quotes doubled, if it contains
  /// a comma, a quote or a line end, or has a blank at either end, which
  /// readers may trim.
  void text(std::string_view value);

  /// Cells that were written by `writeCell`, `count` of them, with commas
  /// between them.
  void written(std::string_view text, size_t count);

  /// Room that `writeCell` needs.
  static size_t cellBytes(std::string_view value) {
    return 2 * value.size() + 2;
  }
  /// Writes to `out` what `text` would write; returns the end.
  static char *writeCell(std::string_view value, char *out);

  /// A cell with the shortest text that parses back to exactly `value`; NaN is
  /// "nan".
  void number(double value);

  /// A cell with an integer.
  void integer(int64_t value);

  /// Ends the row. A row of one empty cell is written as "", since readers
  /// skip empty lines.
  void endRow();

  /// Writes the buffer: what is left to do is the commit of the file. For a run
  /// with several files, of which none may appear before all are complete.
  Status complete();

  /// Writes the buffer and commits the file. To be called once.
  Status finish();

private:
  char *reserve(size_t bytes);
  void separate();
  void flush();

  /// Either of them.
  std::optional<AtomicFile> file;
  GrowingArray<char> *memory = nullptr;
  Status status;
  std::string buffer;
  size_t used = 0;
  /// No byte of the current row is written yet.
  bool rowEmpty = true;
  size_t cells = 0;
  size_t width = 0;
};

} // namespace tamrt

#endif // TAMRT_IO_CSVWRITER_H
