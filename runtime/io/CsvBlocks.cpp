//===- io/CsvBlocks.cpp - a CSV file a block at a time --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvBlocks.h"
#include "io/CsvText.h"
#include "io/ShortDecimals.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <utility>

using namespace tamrt;

/// Rows of a frame that are read at once.
constexpr int64_t kFrameRows = 8192;

void CsvBlock::scan() {
  if (frame) {
    lines = frame->rowCount();
    return;
  }
  scanCsv(text.get(), 0, size, format->separator, columns, index);
  // Every row ends a line; only quotes contain further line ends.
  lines = std::memchr(text.get(), '"', size) ? lineInText(text.get(), size)
                                             : rowCount();
}

/// Parses a field that is not just a few digits; not inlined, so that the
/// common case stays small.
[[gnu::noinline]] static void parseOther(std::string_view field,
                                         const CsvFormat &format, size_t row,
                                         double *out,
                                         std::vector<size_t> &odd) {
  if (!parseCsvNumber(field, format, out[row]) || !std::isfinite(out[row]))
    odd.push_back(row);
}

void CsvBlock::numbers(size_t column, double *out,
                       std::vector<size_t> &odd) const {
  if (frame)
    return frame->numbers(column, out, odd);
  const size_t rows = rowCount(), step = columns;
  const char *const bytes = text.get();
  const uint64_t *const starts = index.rowStarts.data();
  const uint32_t *ends = index.fieldEnds.data() + column;
  // A field starts after the end of the one before it.
  const uint32_t *before = column == 0 ? nullptr : ends - 1;
  auto fieldOf = [&](size_t row) {
    const size_t start = before ? size_t(before[row * step]) + 1 : 0;
    return std::string_view(bytes + starts[row] + start,
                            ends[row * step] - start);
  };
  auto parse = [&](size_t row) {
    const std::string_view field = fieldOf(row);
    if (!parseShortDecimal(field.data(), field.size(), out[row])) [[unlikely]]
      parseOther(field, *format, row, out, odd);
  };
  size_t row = 0;
  if (!format->readsPlainNumbers())
    for (; row < rows; ++row)
      parseOther(fieldOf(row), *format, row, out, odd);
  if (hasShortDecimals()) {
    ShortFields fields;
    while (row + 4 <= rows) {
      const size_t some =
          std::min(ShortFields::kMaxCount, (rows - row) / 4 * 4);
      for (size_t i = 0; i < some; ++i) {
        const std::string_view field = fieldOf(row + i);
        fields.set(i, field.data(), field.size());
      }
      for (uint64_t others = parseShortDecimals(fields, some, out + row);
           others != 0; others &= others - 1)
        parse(row + size_t(std::countr_zero(others)));
      row += some;
    }
  }
  for (; row < rows; ++row)
    parse(row);
}

size_t CsvBlock::lineAt(size_t offset) const {
  return firstLine + lineInText(text.get(), offset) - 1;
}

void CsvBlock::rowLines(uint64_t *out) const {
  const bool isLinePerRow = lines == rowCount();
  uint64_t before = 0;
  for (size_t row = 0; row < rowCount(); ++row) {
    if (isLinePerRow)
      before = row;
    else if (row > 0)
      before += lineInText(text.get() + index.rowStarts[row - 1],
                           index.rowStarts[row] - index.rowStarts[row - 1]) -
                1;
    out[row] = before;
  }
}

Result<CsvBlocks> CsvBlocks::open(const std::string &path, size_t blockBytes,
                                  CsvFormat format, bool mayLackRows) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return std::move(file).error();
  CsvBlocks blocks(*std::move(file));
  blocks.csvFormat = std::make_shared<const CsvFormat>(std::move(format));
  blocks.blockBytes = blockBytes;
  blocks.anyRow = mayLackRows;
  if (Status s = blocks.readHeader(); !s)
    return std::move(s).error();
  return blocks;
}

Result<CsvBlocks> CsvBlocks::open(const DataSource &source, size_t blockBytes,
                                  CsvFormat format) {
  if (source.frame)
    return open(*source.frame, std::move(format));
  Result<CsvBlocks> blocks = open(source.path, blockBytes, std::move(format));
  if (!blocks || !source.range)
    return blocks;
  blocks->range = source.range;
  blocks->firstRow = source.range->begin;
  blocks->firstLine = source.range->line;
  blocks->anyRow = true;
  if (Status s = blocks->rewind(); !s)
    return std::move(s).error();
  return blocks;
}

Result<CsvBlocks> CsvBlocks::open(const tamrt_frame &frame, CsvFormat format) {
  CsvBlocks blocks(frame);
  blocks.csvFormat = std::make_shared<const CsvFormat>(std::move(format));
  blocks.frameName = frame.name;
  blocks.firstLine = 0;
  blocks.columnNames.assign(frame.names, frame.names + frame.column_count);
  std::set<std::string_view> names;
  for (const std::string &each : blocks.columnNames)
    if (!names.insert(each).second)
      return Error{fmt::format("{}: expected one column '{}', got several",
                               blocks.frameName, shownText(each))};
  size_t rows = 0;
  for (int64_t i = 0; i < frame.batch_count; ++i)
    rows += size_t(frame.batches[i].rows);
  if (rows == 0)
    return Error{fmt::format("{}: expected rows, got none", blocks.frameName)};
  blocks.frameRowCount = rows;
  return blocks;
}

std::optional<FrameNumbers> CsvBlocks::frameNumbers(size_t column,
                                                    size_t first) const {
  if (!frame || frame->batch_count != 1)
    return std::nullopt;
  return FrameNumbers::of(frame->batches[0].columns[column], first);
}

bool CsvBlocks::readFrame(CsvBlock &block) {
  while (batch < frame->batch_count && batchRow == frame->batches[batch].rows) {
    ++batch;
    batchRow = 0;
  }
  if (batch == frame->batch_count)
    return false;
  const tamrt_frame_batch &from = frame->batches[batch];
  const int64_t count = std::min(kFrameRows, from.rows - batchRow);
  block.format = csvFormat;
  block.frame.emplace(*frame, from, size_t(batchRow), size_t(count));
  block.columns = columnNames.size();
  batchRow += count;
  return true;
}

/// Reads at most `most` bytes; none at the end of the rows that are read.
Result<size_t> CsvBlocks::readText(char *at, size_t most) {
  if (!range)
    return file->read(at, most);
  const size_t wanted = std::min(most, range->end - position);
  if (wanted == 0)
    return size_t(0);
  Result<size_t> got = file->read(at, wanted);
  if (got && *got == 0)
    return Error{fmt::format("{}: expected {} bytes, got {}: the file has "
                             "changed meanwhile",
                             path(), range->end, position)};
  if (got)
    position += *got;
  return got;
}

/// Continues reading until the block, which starts with the rest of the last
/// read, has at least a row and about a block's bytes, or the file ends.
/// \returns the end of its last row, without the line end; 0 if the file has no
/// more rows. Empty lines after that row are left for later: at the end of the
/// file they are skipped.
Result<size_t> CsvBlocks::fill(CsvBlock &block) {
  const size_t left = rest.size();
  for (size_t wanted = blockBytes + left;; wanted = 2 * block.size) {
    if (block.capacity < wanted) {
      auto larger =
          std::make_unique_for_overwrite<char[]>(wanted + kShortDecimalBytes);
      std::memset(larger.get() + wanted, 0, kShortDecimalBytes);
      if (wanted > blockBytes + left)
        std::memcpy(larger.get(), block.text.get(), block.size);
      block.text = std::move(larger);
      block.capacity = wanted;
    }
    if (wanted == blockBytes + left) {
      block.size = left;
      if (left > 0)
        std::memcpy(block.text.get(), rest.data(), left);
    }
    while (block.size < wanted && !ended) {
      char *at = block.text.get() + block.size;
      Result<size_t> got = readText(at, wanted - block.size);
      if (!got)
        return got;
      block.size += *got;
      // An endless device has a zero byte somewhere, which is an error.
      ended = *got == 0 || (!file->isRegular() && std::memchr(at, 0, *got));
    }
    const char *text = block.text.get();
    // Empty lines between the byte order mark and a header are not at the end.
    const size_t mark = columnNames.empty() ? markBytes({text, block.size}) : 0;
    size_t end = trimEmptyLines(text, mark,
                                ended ? block.size
                                      : findLastRowEnd(text, mark, block.size));
    if (end > mark || ended)
      return end;
    // Stop reading a row that is invalid whatever follows.
    if (isFaultyRow(text, mark, block.size, csvFormat->separator))
      return block.size;
  }
}

Status CsvBlocks::readHeader() {
  CsvBlock block;
  Result<size_t> filled = fill(block);
  if (!filled)
    return std::move(filled).error();
  char *text = block.text.get();
  std::string_view bytes(text, block.size);
  if (std::string_view format = foreignFormat(bytes); !format.empty())
    return Error{
        fmt::format("{}: expected CSV in UTF-8, got {} data", path(), format)};
  const size_t begin = markBytes(bytes);
  if (begin >= *filled)
    return Error{fmt::format("{}: empty file, expected a header", path())};
  CsvIndex header = scanCsv(text, begin, *filled, csvFormat->separator, 0, 1);
  if (header.fault)
    return located(*header.fault,
                   [&](size_t offset) { return lineInText(text, offset); });
  Result<std::vector<std::string>> names = namesOfHeader(path(), text, header);
  if (!names)
    return std::move(names).error();
  columnNames = *std::move(names);
  firstRow = header.end;
  if (firstRow == *filled) {
    if (ended && !anyRow)
      return Error{fmt::format("{}: no rows after the header", path())};
    // Its line end.
    if (firstRow < block.size)
      firstRow += text[firstRow] == '\r' ? 2 : 1;
  }
  firstLine = lineInText(text, firstRow);
  rest.assign(text + firstRow, text + block.size);
  return {};
}

Result<bool> CsvBlocks::read(CsvBlock &block) {
  if (frame)
    return readFrame(block);
  Result<size_t> end = fill(block);
  if (!end)
    return std::move(end).error();
  if (*end == 0) {
    rest.clear();
    if (!anyRow)
      return Error{fmt::format("{}: no rows after the header", path())};
    return false;
  }
  block.format = csvFormat;
  const char *text = block.text.get();
  size_t next = *end;
  if (next < block.size)
    next += text[next] == '\r' ? 2 : 1;
  rest.assign(text + next, text + block.size);
  block.size = *end;
  block.columns = columnNames.size();
  anyRow = true;
  return true;
}

Status CsvBlocks::rewind() {
  batch = batchRow = 0;
  if (frame)
    return {};
  if (Status s = file->rewind(firstRow); !s)
    return s;
  rest.clear();
  ended = false;
  position = firstRow;
  return {};
}

Error CsvBlocks::describe(const CsvBlock &block) const {
  return located(*block.fault(),
                 [&](size_t offset) { return block.lineAt(offset); });
}

Error CsvBlocks::located(const CsvFault &fault,
                         const std::function<size_t(size_t)> &lineAt) const {
  const size_t line = lineAt(fault.offset);
  const size_t opened = fault.opened ? lineAt(*fault.opened) : line;
  return Error{fmt::format(
      "{}: line {}: {}{}", path(), line, fault.message,
      opened == line
          ? ""
          : fmt::format("; the quoted field opens on line {}", opened))};
}

std::string CsvBlocks::place(const CsvBlock &block, size_t row,
                             size_t column) const {
  return fmt::format("{}: {} {}: column '{}'", path(), unit(), block.line(row),
                     columnNames[column]);
}

Result<size_t> CsvBlocks::require(std::string_view column) const {
  return requireColumn(path(), columnNames, column, csvFormat->separator);
}
