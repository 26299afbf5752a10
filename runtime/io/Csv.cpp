//===- io/Csv.cpp - tables as comma-separated values ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Csv.h"
#include "io/CsvScanner.h"
#include "io/CsvText.h"
#include "io/Parallel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace tamrt;

/// Work below which a thread costs more than it saves.
static constexpr size_t kBytesPerThread = size_t(1) << 18;
static constexpr size_t kFieldsPerThread = size_t(1) << 14;

Result<CsvFile> CsvFile::open(const std::string &path, unsigned threads) {
  Result<FileBytes> bytes = readFile(path, ReadPolicy::TextStream);
  if (!bytes)
    return std::move(bytes).error();
  return parse(*std::move(bytes), path == "-" ? "standard input" : path,
               threads);
}

/// Splits [begin, end) into at most `pieces` parts at row starts.
static std::vector<size_t> splitRows(const char *text, size_t begin, size_t end,
                                     unsigned pieces) {
  if (pieces == 1)
    return {begin, end};
  auto cut = [&](unsigned i) { return begin + (end - begin) / pieces * i; };
  std::vector<size_t> quotes(pieces);
  forEachPiece(pieces, [&](unsigned i) {
    quotes[i] = countQuotes(text, cut(i), i + 1 == pieces ? end : cut(i + 1));
  });
  // In a text without faults quotes open and close by turns, doubled ones too,
  // so an odd number of them before a place means it is inside quotes. With a
  // fault the cuts behind it may be wrong, but it is found before they matter.
  std::vector<size_t> starts = {begin};
  size_t before = 0;
  for (unsigned i = 1; i < pieces; ++i) {
    before += quotes[i - 1];
    if (cut(i) < starts.back()) {
      starts.push_back(starts.back());
      continue;
    }
    starts.push_back(findRowStart(text, cut(i), end, before % 2 != 0));
  }
  starts.push_back(end);
  return starts;
}

Result<CsvFile> CsvFile::parse(FileBytes bytes, std::string path,
                               unsigned threads) {
  CsvFile file;
  file.name = std::move(path);
  file.bytes = std::move(bytes);
  char *text = file.bytes.data.get();
  size_t begin = 0;
  size_t end = file.bytes.size;
  auto failAt = [&](const CsvFault &fault) {
    return Error{fmt::format("{}: line {}: {}", file.name,
                             lineInText(text, fault.offset), fault.message)};
  };

  if (std::string_view format = foreignFormat(file.bytes.view());
      !format.empty())
    return Error{fmt::format("{}: expected CSV in UTF-8, got {} data",
                             file.name, format)};
  begin = markBytes(file.bytes.view());
  end = trimEmptyLines(text, begin, end);
  if (begin == end)
    return Error{fmt::format("{}: empty file, expected a header", file.name)};

  CsvIndex header = scanCsv(text, begin, end, 0, 1);
  if (header.fault)
    return failAt(*header.fault);
  Result<std::vector<std::string>> names =
      namesOfHeader(file.name, text, header);
  if (!names)
    return std::move(names).error();
  file.columnNames = *std::move(names);
  begin = header.end;
  if (begin == end)
    return Error{fmt::format("{}: no rows after the header", file.name)};

  unsigned pieces = chooseThreads(threads, end - begin, kBytesPerThread);
  std::vector<size_t> starts = splitRows(text, begin, end, pieces);
  std::vector<CsvIndex> parts(pieces);
  size_t columns = file.columnNames.size();
  forEachPiece(pieces, [&](unsigned i) {
    parts[i] = scanCsv(text, starts[i], starts[i + 1], columns);
  });

  std::vector<GrowingArray<uint64_t> *> rowStarts;
  std::vector<GrowingArray<uint32_t> *> fieldEnds;
  for (CsvIndex &part : parts) {
    if (part.fault)
      return failAt(*part.fault);
    rowStarts.push_back(&part.rowStarts);
    fieldEnds.push_back(&part.fieldEnds);
  }
  file.rowStarts = GrowingArray<uint64_t>::join(rowStarts);
  file.fieldEnds = GrowingArray<uint32_t>::join(fieldEnds);
  file.rowStarts.reserve(file.rowStarts.size() + 1);
  file.rowStarts.push_back(end);
  return file;
}

std::optional<size_t> CsvFile::find(std::string_view column) const {
  if (column.empty())
    return std::nullopt;
  auto place = std::find(columnNames.begin(), columnNames.end(), column);
  if (place == columnNames.end())
    return std::nullopt;
  return place - columnNames.begin();
}

Result<size_t> CsvFile::require(std::string_view column) const {
  return requireColumn(name, columnNames, column);
}

std::string_view CsvFile::raw(size_t row, size_t column) const {
  const uint32_t *ends = fieldEnds.data() + row * columnNames.size();
  size_t start = column == 0 ? 0 : ends[column - 1] + size_t(1);
  return {bytes.data.get() + rowStarts[row] + start, ends[column] - start};
}

std::string_view CsvFile::field(size_t row, size_t column) const {
  return unquoteCsv(raw(row, column));
}

bool CsvFile::quoted(size_t row, size_t column) const {
  return raw(row, column).starts_with('"');
}

std::vector<std::string_view> CsvFile::texts(size_t column) const {
  std::vector<std::string_view> result(rowCount());
  for (size_t row = 0; row < result.size(); ++row)
    result[row] = field(row, column);
  return result;
}

/// Calls `parseRow(row)` for every row, several at a time. It returns the place
/// in `columns` of the first field that is no number, or their count.
template <class ParseRow>
Status CsvFile::forEachRow(std::span<const size_t> columns, unsigned threads,
                           const ParseRow &parseRow) const {
  size_t rows = rowCount();
  if (columns.empty())
    return {};
  unsigned pieces = chooseThreads(
      threads, rows, std::max<size_t>(1, kFieldsPerThread / columns.size()));
  struct Bad {
    size_t row, column;
  };
  std::vector<std::optional<Bad>> bad(pieces);
  forEachPiece(pieces, [&](unsigned piece) {
    size_t last = piece + 1 == pieces ? rows : rows / pieces * (piece + 1);
    for (size_t row = rows / pieces * piece; row < last; ++row)
      if (size_t i = parseRow(row); i < columns.size()) {
        bad[piece] = {row, columns[i]};
        return;
      }
  });
  for (const std::optional<Bad> &first : bad)
    if (first) {
      return Error{
          fmt::format("{}: {}", place(first->row, first->column),
                      describeNoNumber(field(first->row, first->column)))};
    }
  return {};
}

Status CsvFile::numbers(std::span<const size_t> columns,
                        std::span<double *const> out, unsigned threads) const {
  assert(columns.size() == out.size());
  return forEachRow(columns, threads, [&](size_t row) {
    size_t i = 0;
    while (i < columns.size() &&
           parseCsvNumber(raw(row, columns[i]), out[i][row]))
      ++i;
    return i;
  });
}

Status CsvFile::numbersOfCompleteRows(std::span<const size_t> columns,
                                      std::span<double *const> out,
                                      const std::vector<bool> &dropped,
                                      unsigned threads) const {
  assert(columns.size() == out.size());
  assert(dropped.empty() || dropped.size() == rowCount());
  const size_t none = columns.size();
  return forEachRow(columns, threads, [&](size_t row) {
    bool complete = dropped.empty() || !dropped[row];
    size_t bad = none;
    for (size_t i = 0; i < columns.size() && complete; ++i) {
      if (parseCsvNumber(raw(row, columns[i]), out[i][row]))
        complete = std::isfinite(out[i][row]);
      else
        bad = std::min(bad, i);
    }
    if (complete)
      return bad;
    for (double *column : out)
      column[row] = std::numeric_limits<double>::quiet_NaN();
    return none;
  });
}

Result<std::vector<double>> CsvFile::numbers(size_t column,
                                             unsigned threads) const {
  std::vector<double> values(rowCount());
  double *out = values.data();
  if (Status status = numbers({&column, 1}, {&out, 1}, threads); !status)
    return std::move(status).error();
  return values;
}

size_t CsvFile::line(size_t row) const {
  return lineInText(bytes.data.get(), rowStarts[row]);
}

std::string CsvFile::place(size_t row, size_t column) const {
  return fmt::format("{}: line {}: column '{}'", name, line(row),
                     columnNames[column]);
}
