//===- DataTest.h - data in memory for tests --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_DATATEST_H
#define TAMRT_TEST_DATATEST_H

#include "core/data/Dataset.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace tamrt::test {

/// A table from text.
inline CsvFile table(std::string_view text) {
  FileBytes bytes;
  bytes.data = std::make_unique<char[]>(text.size());
  std::memcpy(bytes.data.get(), text.data(), text.size());
  bytes.size = text.size();
  return *CsvFile::parse(std::move(bytes), "t.csv", 1);
}

/// A model that reads inputs and has no steps.
inline tamrt_model modelOf(const tamrt_input *inputs, size_t count) {
  tamrt_model model = {};
  model.target = "y";
  model.inputs = inputs;
  model.input_count = int64_t(count);
  return model;
}

inline tamrt_input input(const char *column, tamrt_rule rule,
                         int32_t levels = 0, double lo = 0, double hi = 0) {
  return {column, rule, levels, TAMRT_UNSEEN_EDGE, 0, lo, hi};
}

} // namespace tamrt::test

#endif // TAMRT_TEST_DATATEST_H
