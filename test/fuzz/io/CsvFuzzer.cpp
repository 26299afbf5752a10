//===- CsvFuzzer.cpp - any bytes as CSV -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Csv.h"
#include "io/CsvBlocks.h"
#include "io/Date.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace tamrt;

static Result<CsvFile> parse(const uint8_t *data, size_t size,
                             unsigned threads) {
  FileBytes bytes{std::make_unique<char[]>(size), size};
  if (size != 0)
    std::memcpy(bytes.data.get(), data, size);
  return CsvFile::parse(std::move(bytes), "fuzz.csv", threads);
}

static void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Reads the bytes as a file, in blocks of some bytes, which must give what the
/// whole file gives.
static void checkBlocks(const uint8_t *data, size_t size,
                        const Result<CsvFile> &whole, size_t blockBytes) {
  const int file = memfd_create("fuzz", 0);
  require(file >= 0 && write(file, data, size) == ssize_t(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  auto renamed = [&](std::string message) {
    return message.starts_with(path) ? "fuzz.csv" + message.substr(path.size())
                                     : message;
  };
  std::string error;
  size_t row = 0;
  Result<CsvBlocks> blocks = CsvBlocks::open(path, blockBytes);
  if (!blocks)
    error = renamed(blocks.error().message);
  CsvBlock block;
  for (size_t line = blocks ? blocks->firstRowLine() : 0; error.empty();
       line += block.lineCount()) {
    Result<bool> more = blocks->read(block);
    if (!more || !*more) {
      error = more ? "" : renamed(more.error().message);
      break;
    }
    block.startAt(line);
    block.scan();
    if (block.fault())
      error = renamed(blocks->describe(block).message);
    for (size_t i = 0; whole && i < block.rowCount(); ++i, ++row) {
      require(row < whole->rowCount() && block.line(i) == whole->line(row));
      for (size_t column = 0; column < whole->names().size(); ++column)
        require(block.field(i, column) == whole->field(row, column));
    }
  }
  require(error == (whole ? "" : whole.error().message));
  require(!whole || row == whole->rowCount());
  close(file);
}

/// Parsing gives a table or an error, the same in one piece, in three and in
/// blocks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<CsvFile> one = parse(data, size, 1);
  Result<CsvFile> three = parse(data, size, 3);
  require(one.ok() == three.ok());
  for (size_t bytes : {1, 30, 1 << 17})
    checkBlocks(data, size, one, bytes);
  if (!one) {
    require(one.error().message == three.error().message);
    return 0;
  }
  require(one->rowCount() == three->rowCount());
  for (size_t column = 0; column < one->names().size(); ++column) {
    require(one->texts(column) == three->texts(column));
    Result<std::vector<double>> numbers = one->numbers(column, 1);
    Result<std::vector<double>> again = three->numbers(column, 2);
    require(numbers.ok() == again.ok());
    if (!numbers)
      require(numbers.error().message == again.error().message);
    (void)readDates(*one, column).ok();
  }
  return 0;
}
