//===- io/CsvBlocks.h - a CSV file a block at a time ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a CSV file in blocks of whole rows, so that memory for a file of any
/// size stays in cache. One thread at a time reads a block; any thread may then
/// parse it.
///
/// A file is RFC 4180, with these extensions:
///
/// - The first line names the columns. Names are unquoted and, unless they were
///   quoted, trimmed of blanks. A name may appear only once; columns without a
///   name are allowed and cannot be found.
/// - A line ends with LF or CR LF, the last line with the file too. A UTF-8
///   byte order mark at the start is skipped.
/// - A field that starts with a quote ends with one; inside, separators and
///   line ends are text and a doubled quote is a quote. A quote anywhere else
///   is an error, and so is text after the closing quote.
/// - A field has at most kMaxFieldBytes bytes, quotes included.
/// - Empty lines at the end of the file are skipped. Before the end, an empty
///   line in a file of one column is an empty field; in a file of more columns
///   it is an error, as is every line with more or fewer fields than the
///   header. A one-column file that ends with an empty value writes it as "",
///   as other programs do.
/// - A zero byte and a carriage return without a line feed outside quotes are
///   errors: the file is binary, UTF-16 or of another line-end convention.
///
/// The separator is a comma unless CsvFormat says otherwise. The file may be
/// compressed by gzip or zstd (InputFile.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_CSVBLOCKS_H
#define TAMRT_IO_CSVBLOCKS_H

#include "io/CsvFormat.h"
#include "io/CsvScanner.h"
#include "io/CsvText.h"
#include "io/Error.h"
#include "io/FrameRows.h"
#include "io/InputFile.h"
#include "io/ShortDecimal.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamrt {

/// Some rows of a file or frame. Rows count from 0 in the block. Its memory is
/// reused for the next block.
class CsvBlock {
public:
  size_t rowCount() const {
    return frame ? frame->rowCount() : index.rowStarts.size();
  }

  /// The field's bytes in the file, quotes included; see scanCsv for what it
  /// rewrites. O(1). Of a frame: its contents.
  std::string_view raw(size_t row, size_t column) const {
    if (frame) [[unlikely]]
      return frame->field(row, column);
    const uint32_t *ends = index.fieldEnds.data() + row * columns;
    const size_t start = column == 0 ? 0 : ends[column - 1] + size_t(1);
    return {text.get() + index.rowStarts[row] + start, ends[column] - start};
  }

  /// The field's contents: unquoted, not trimmed. O(1).
  std::string_view field(size_t row, size_t column) const {
    const std::string_view bytes = raw(row, column);
    return frame ? bytes : unquoteCsv(bytes);
  }

  /// Parses the fields of a column, as `parseCsvNumber` does, to `out`; adds
  /// to `odd` the rows whose field is missing, infinite or no number.
  void numbers(size_t column, double *out, std::vector<size_t> &odd) const;

  /// The rows of a frame in memory; null for those of a file.
  const FrameRows *frameRows() const { return frame ? &*frame : nullptr; }

  /// Finds rows and fields; to be called once for each block that was read,
  /// before other functions. The first fault is in `fault`; the rows before it
  /// are valid.
  void scan();
  const std::optional<CsvFault> &fault() const { return index.fault; }

  /// Sets the line of the file on which the block starts: 1 + the lines of the
  /// header and of the blocks before it.
  void startAt(size_t line) { firstLine = line; }
  /// Number of lines of the block; undefined after a fault. The same as the
  /// number of rows, unless there are line ends inside quotes.
  size_t lineCount() const { return lines; }
  /// Line of the file on which `row` starts; that of a byte. O(bytes). Of a
  /// frame: the row, from 0.
  size_t line(size_t row) const {
    return frame ? firstLine + row : lineAt(index.rowStarts[row]);
  }
  size_t lineAt(size_t offset) const;
  /// Writes for each row the number of lines of the block before it. O(rows),
  /// or O(bytes) if rows have several lines.
  void rowLines(uint64_t *out) const;

  /// The format of the file's fields.
  const CsvFormat &csvFormat() const { return *format; }

private:
  friend class CsvBlocks;

  /// That of the file.
  std::shared_ptr<const CsvFormat> format;
  /// `capacity` bytes and kShortDecimalBytes more.
  std::unique_ptr<char[]> text;
  size_t capacity = 0, size = 0, columns = 0, lines = 0, firstLine = 1;
  CsvIndex index;
  std::optional<FrameRows> frame;
};

/// Bytes of a file that are whole rows, of which the first starts on `line`.
struct ByteRange {
  size_t begin = 0, end = 0, line = 1;
};

/// Where rows come from: the file `path` ("-": standard input), or a frame in
/// memory, which must outlive its readers.
struct DataSource {
  DataSource(std::string path) : path(std::move(path)) {}
  DataSource(const tamrt_frame &frame) : frame(&frame) {}

  std::string path;
  const tamrt_frame *frame = nullptr;
  /// Of a file that is not compressed: the rows that are read; empty: all.
  std::optional<ByteRange> range;
};

/// An open file or frame, with the position in it.
class CsvBlocks {
public:
  /// Bytes that are read at once: a block's bytes, its index and its parsed
  /// columns fit in the second-level cache.
  static constexpr size_t kBlockBytes = size_t(1) << 17;

  /// Opens `path` ("-": standard input) and reads its header. Blocks are of
  /// about `blockBytes`. If it may lack rows, none after the header are no
  /// error.
  ///
  /// Errors, all of which start with the path: the system's; a file that is
  /// empty or binary; a fault in the header (with the line); a column name that
  /// appears twice; a header without rows, if that is already known.
  static Result<CsvBlocks> open(const std::string &path,
                                size_t blockBytes = kBlockBytes,
                                CsvFormat format = {},
                                bool mayLackRows = false);

  /// Opens the rows of `source`. Errors: those of a file, and of a frame a
  /// column name that appears twice and no rows.
  static Result<CsvBlocks> open(const DataSource &source, size_t blockBytes,
                                CsvFormat format);

  const CsvFormat &format() const { return *csvFormat; }
  /// Name of the file in messages.
  const std::string &path() const { return file ? file->path() : frameName; }
  /// Names of the columns, in the file's order.
  const std::vector<std::string> &names() const { return columnNames; }
  /// Bytes of the text; 0 if unknown, as for a pipe and a compressed file.
  size_t bytes() const {
    return range  ? range->end - range->begin
           : file ? file->bytes()
                  : frameRowCount * columnNames.size() * sizeof(double);
  }
  /// The rows of a frame; 0 for a file.
  size_t frameRows() const { return frameRowCount; }
  /// The numbers of a column of a frame of one batch, if they are stored as
  /// such; none for a file.
  std::optional<FrameNumbers> frameNumbers(size_t column, size_t first) const;
  /// What messages call a line: the rows of a frame are no lines.
  const char *unit() const { return frame ? "row" : "line"; }

  /// Index of the column named `column`; none if there is no such column.
  std::optional<size_t> find(std::string_view column) const {
    return findColumn(columnNames, column);
  }
  /// The same; a missing one is an error that names the file and lists its
  /// columns.
  Result<size_t> require(std::string_view column) const;

  /// Reads the next rows, about a block's bytes and at least one row. False at
  /// the end. Errors: the system's; a file without rows that must have some.
  Result<bool> read(CsvBlock &block);

  /// Returns to the first row. Errors: a file that cannot be read twice.
  Status rewind();

  /// The message of a block's fault.
  Error describe(const CsvBlock &block) const;

  /// The start of a message about a field: "data.csv: line 7: column 'load'".
  std::string place(const CsvBlock &block, size_t row, size_t column) const;

  /// Line on which the first row starts.
  size_t firstRowLine() const { return firstLine; }
  /// Byte of the text at which it starts.
  size_t firstRowByte() const { return firstRow; }

private:
  explicit CsvBlocks(InputFile opened) : file(std::move(opened)) {}
  CsvBlocks(const tamrt_frame &opened) : frame(&opened) {}
  static Result<CsvBlocks> open(const tamrt_frame &frame, CsvFormat format);
  bool readFrame(CsvBlock &block);
  Result<size_t> fill(CsvBlock &block);
  Status readHeader();
  Result<size_t> readText(char *at, size_t most);
  Error located(const CsvFault &fault,
                const std::function<size_t(size_t)> &lineAt) const;

  /// Of a file.
  std::optional<InputFile> file;
  std::shared_ptr<const CsvFormat> csvFormat;
  bool ended = false;
  /// Whether a row has been read, or none need be there.
  bool anyRow = false;
  size_t blockBytes = kBlockBytes;
  std::vector<std::string> columnNames;
  /// Bytes that were read and are not in a block yet; they start with a row.
  std::string rest;
  /// Offset in the text and line of the first row.
  size_t firstRow = 0, firstLine = 1;
  /// The rows that are read, and the next byte of them.
  std::optional<ByteRange> range;
  size_t position = 0;
  /// The frame; its next batch, and the next row of that.
  const tamrt_frame *frame = nullptr;
  int64_t batch = 0, batchRow = 0;
  std::string frameName;
  size_t frameRowCount = 0;
};

} // namespace tamrt

#endif // TAMRT_IO_CSVBLOCKS_H
