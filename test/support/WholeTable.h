//===- WholeTable.h - a CSV file as tests look at it ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All fields of a CSV file, read through CsvBlocks.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_WHOLETABLE_H
#define TAMC_TEST_SUPPORT_WHOLETABLE_H

#include "io/CsvBlocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tamrt::test {

class WholeTable {
public:
  static Result<WholeTable> open(const std::string &path,
                                 size_t blockBytes = CsvBlocks::kBlockBytes,
                                 CsvFormat format = {}) {
    Result<CsvBlocks> file =
        CsvBlocks::open(path, blockBytes, std::move(format));
    if (!file)
      return std::move(file).error();
    return read(*file);
  }

  /// Reads the rest of `file`.
  static Result<WholeTable> read(CsvBlocks &file) {
    WholeTable table;
    table.columnNames = file.names();
    CsvBlock block;
    size_t line = file.firstRowLine();
    while (true) {
      Result<bool> more = file.read(block);
      if (!more)
        return std::move(more).error();
      if (!*more)
        return table;
      block.startAt(line);
      block.scan();
      if (block.fault())
        return file.describe(block);
      const size_t columns = table.columnNames.size();
      std::vector<std::vector<double>> values(columns);
      for (size_t column = 0; column < columns; ++column) {
        std::vector<size_t> odd;
        values[column].resize(block.rowCount());
        block.numbers(column, values[column].data(), odd);
      }
      std::vector<uint64_t> lines(block.rowCount());
      block.rowLines(lines.data());
      for (size_t row = 0; row < block.rowCount(); ++row) {
        table.lines.push_back(line + lines[row]);
        std::vector<Field> &fields = table.rows.emplace_back();
        for (size_t column = 0; column < columns; ++column) {
          double value;
          std::string fault;
          if (!parseCsvNumber(block.raw(row, column), file.format(), value))
            fault = file.place(block, row, column) + ": " +
                    describeNoNumber(block.field(row, column), file.format());
          fields.push_back({std::string(block.field(row, column)),
                            values[column][row], std::move(fault)});
        }
      }
      line += block.lineCount();
    }
  }

  /// From a text, with the name t.csv in messages.
  static Result<WholeTable> parse(std::string_view text,
                                  size_t blockBytes = CsvBlocks::kBlockBytes,
                                  CsvFormat format = {}) {
    const int file = ::memfd_create("table", 0);
    if (file < 0 ||
        ::write(file, text.data(), text.size()) != ssize_t(text.size()))
      std::abort();
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    Result<WholeTable> table = open(path, blockBytes, std::move(format));
    ::close(file);
    auto rename = [&](std::string &message) {
      if (message.starts_with(path))
        message.replace(0, path.size(), "t.csv");
    };
    if (!table) {
      std::string message = table.error().message;
      rename(message);
      return Error{std::move(message)};
    }
    for (std::vector<Field> &row : table->rows)
      for (Field &field : row)
        rename(field.fault);
    return table;
  }

  const std::vector<std::string> &names() const { return columnNames; }
  size_t rowCount() const { return rows.size(); }
  std::optional<size_t> find(std::string_view name) const {
    auto at = std::find(columnNames.begin(), columnNames.end(), name);
    if (name.empty() || at == columnNames.end())
      return std::nullopt;
    return size_t(at - columnNames.begin());
  }
  std::string_view field(size_t row, size_t column) const {
    return rows[row][column].text;
  }
  size_t line(size_t row) const { return lines[row]; }

  /// The numbers of a column; the error is for the first field that is not a
  /// number.
  Result<std::vector<double>> numbers(size_t column) const {
    std::vector<double> values;
    for (const std::vector<Field> &row : rows) {
      if (!row[column].fault.empty())
        return Error{row[column].fault};
      values.push_back(row[column].value);
    }
    return values;
  }

private:
  struct Field {
    std::string text;
    double value;
    std::string fault;
  };
  std::vector<std::string> columnNames;
  std::vector<std::vector<Field>> rows;
  std::vector<size_t> lines;
};

} // namespace tamrt::test

#endif // TAMC_TEST_SUPPORT_WHOLETABLE_H
