//===- CsvFuzzer.cpp - any bytes as CSV -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/CsvBlocks.h"
#include "io/Date.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace tamrt;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

namespace {

/// The complete contents of a file.
struct Contents {
  std::string error;
  std::vector<std::string> fields;
  /// Bits of the numbers, and the lines of the rows.
  std::vector<uint64_t> numbers, lines;

  bool operator==(const Contents &) const = default;
};

} // namespace

static uint64_t bitsOf(double value) {
  // All NaNs are equal.
  uint64_t bits = 0;
  if (!std::isnan(value))
    std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static void addBlock(CsvBlock &block, size_t columns, const CsvFormat &format,
                     Contents &contents) {
  std::vector<uint64_t> lines(block.rowCount());
  block.rowLines(lines.data());
  for (size_t row = 0; row < block.rowCount(); ++row) {
    require(block.line(row) == block.line(0) + lines[row] - lines[0]);
    contents.lines.push_back(block.line(row));
    for (size_t column = 0; column < columns; ++column) {
      const std::string_view field = block.field(row, column);
      contents.fields.emplace_back(field);
      (void)parseDate(field).ok();
      double value;
      const bool isNumber =
          parseCsvNumber(block.raw(row, column), format, value);
      contents.numbers.push_back(isNumber ? bitsOf(value) : ~uint64_t(0));
    }
  }
  for (size_t column = 0; column < columns; ++column) {
    std::vector<double> values(block.rowCount());
    std::vector<size_t> odd;
    block.numbers(column, values.data(), odd);
    for (size_t row = 0, next = 0; row < values.size(); ++row) {
      if (next < odd.size() && odd[next] == row) {
        ++next;
        continue;
      }
      const size_t first = contents.numbers.size() - values.size() * columns;
      require(contents.numbers[first + row * columns + column] ==
              bitsOf(values[row]));
    }
  }
}

/// The contents of a file that is read in blocks of this many bytes.
static Contents read(const uint8_t *data, size_t size, size_t blockBytes,
                     const CsvFormat &format) {
  const int file = memfd_create("fuzz", 0);
  require(file >= 0 && write(file, data, size) == ssize_t(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  Contents contents;
  auto fail = [&](std::string message) {
    require(message.starts_with(path));
    contents = {message.substr(path.size()), {}, {}, {}};
  };
  Result<CsvBlocks> blocks = CsvBlocks::open(path, blockBytes, format);
  if (!blocks)
    fail(blocks.error().message);
  CsvBlock block;
  for (size_t line = blocks ? blocks->firstRowLine() : 0;
       contents.error.empty(); line += block.lineCount()) {
    Result<bool> more = blocks->read(block);
    if (!more)
      fail(more.error().message);
    if (!more || !*more)
      break;
    block.startAt(line);
    block.scan();
    if (block.fault())
      fail(blocks->describe(block).message);
    else
      addBlock(block, blocks->names().size(), format, contents);
  }
  close(file);
  return contents;
}

// The size of blocks makes no difference, and a column's numbers are those of
// its fields.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  CsvFormat plain, other;
  other.separator = ';';
  other.decimal = ',';
  other.addMissing("-9");
  for (const CsvFormat &format : {plain, other}) {
    const Contents whole = read(data, size, 1 << 17, format);
    for (size_t bytes : {1, 30})
      require(read(data, size, bytes, format) == whole);
  }
  return 0;
}
