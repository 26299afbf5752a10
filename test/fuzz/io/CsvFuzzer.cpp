//===- CsvFuzzer.cpp - any bytes as CSV -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Csv.h"
#include "io/Date.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

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

/// Parsing gives a table or an error, the same in one piece and in three.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<CsvFile> one = parse(data, size, 1);
  Result<CsvFile> three = parse(data, size, 3);
  require(one.ok() == three.ok());
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
