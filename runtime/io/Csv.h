//===- io/Csv.h - tables as comma-separated values --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a CSV file: RFC 4180, with the liberties users expect.
///
/// - The first line names the columns. Names are unquoted and, unless they were
///   quoted, trimmed of blanks. A name may stand once; columns without a name
///   are allowed and cannot be found.
/// - A line ends with LF or CR LF, the last line with the file too. A UTF-8
///   byte order mark at the start is skipped.
/// - A field that starts with a quote ends with one; inside, commas and line
///   ends are text and a doubled quote is a quote. A quote anywhere else is an
///   error, and so is text after the closing quote.
/// - Empty lines at the end of the file are skipped. Before the end, an empty
///   line in a file of one column is an empty field; in a file of more columns
///   it is an error, as is every line with more or fewer fields than the
///   header. A one-column file that ends with an empty value writes it as "",
///   as other programs do.
/// - A zero byte and a carriage return without a line feed outside quotes are
///   errors: the file is binary, UTF-16 or of another line-end convention.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSV_H
#define TAMRT_IO_CSV_H

#include "io/Error.h"
#include "io/GrowingArray.h"
#include "io/ReadFile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A table of text fields, held in memory: the file's bytes and four bytes of
/// index per field. Immutable once open; all functions may be called from
/// several threads at once. Rows and columns count from 0, lines from 1.
class CsvFile {
public:
  /// Reads and indexes `path`; "-" is standard input. O(bytes), on `threads`
  /// threads (0: as many as the machine has).
  ///
  /// Errors: what `readFile` reports; an empty file; a header without rows; a
  /// column name that stands twice; a row with another number of fields than
  /// the header (with its line); misplaced or unclosed quotes (with the line);
  /// a binary file; a row of 4 GiB or more. All start with the path.
  static Result<CsvFile> open(const std::string &path, unsigned threads = 0);

  /// As `open`, from bytes in memory; `path` is what messages call it.
  static Result<CsvFile> parse(FileBytes bytes, std::string path,
                               unsigned threads = 0);

  /// What the file was opened as.
  const std::string &path() const { return name; }

  /// Names of the columns, in the file's order.
  const std::vector<std::string> &names() const { return columnNames; }

  /// Number of data rows, at least 1.
  size_t rowCount() const { return rowStarts.size() - 1; }

  /// Index of the column called `column`, if there is one. The empty name is
  /// never found. O(columns).
  std::optional<size_t> find(std::string_view column) const;

  /// As `find`, but an absent column is an error that names the file and lists
  /// the columns that are there.
  Result<size_t> require(std::string_view column) const;

  /// The field as its writer meant it: unquoted, not trimmed. O(1).
  std::string_view field(size_t row, size_t column) const;

  /// True when the field was written in quotes. O(1).
  bool quoted(size_t row, size_t column) const;

  /// The values of one column, `rowCount()` long. Missing values
  /// (`isMissing`) are NaN; other text is parsed by `parseNumber`. The first
  /// field that is no number is an error with file, line, column and text.
  /// Any number of threads gives the same result and the same error.
  Result<std::vector<double>> numbers(size_t column,
                                      unsigned threads = 0) const;

  /// Several columns in one pass over the file, faster than one by one:
  /// `out[i]` gets the `rowCount()` values of `columns[i]`. The error is that
  /// of the first bad row, and in it of the first column asked for.
  Status numbers(std::span<const size_t> columns, std::span<double *const> out,
                 unsigned threads = 0) const;

  /// As `numbers`, for a reader that leaves out incomplete rows: rows that are
  /// in `dropped` (empty: none) and rows with a missing or infinite value in
  /// one of `columns`. They get NaN in all of them, and text in them is no
  /// error.
  Status numbersOfCompleteRows(std::span<const size_t> columns,
                               std::span<double *const> out,
                               const std::vector<bool> &dropped,
                               unsigned threads = 0) const;

  /// The fields of one column as `field` gives them. The views live as long as
  /// this object, also when it is moved.
  std::vector<std::string_view> texts(size_t column) const;

  /// Line of the file on which `row` starts, for messages; lines inside quoted
  /// fields count. O(bytes before the row).
  size_t line(size_t row) const;

  /// The start of a message about a field: "data.csv: line 7: column 'load'".
  std::string place(size_t row, size_t column) const;

private:
  CsvFile() = default;
  template <class ParseRow>
  Status forEachRow(std::span<const size_t> columns, unsigned threads,
                    const ParseRow &parseRow) const;

  /// The field's bytes in the file, but for what scanCsv rewrites.
  std::string_view raw(size_t row, size_t column) const;

  std::string name;
  FileBytes bytes;
  std::vector<std::string> columnNames;
  /// Offset of each row's first byte, then the end of the last row.
  GrowingArray<uint64_t> rowStarts;
  /// End of each field relative to its row's start, row by row.
  GrowingArray<uint32_t> fieldEnds;
};

} // namespace tamrt

#endif // TAMRT_IO_CSV_H
