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

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tamrt::test {

/// A reader of a text at its first row, with the name t.csv in messages.
class TextReader {
public:
  TextReader(std::string_view text, const tamrt_model &model,
             const ReadOptions &options = {})
      : TextReader(text, [&](const std::string &path) {
          return RowReader::open(path, model, options);
        }) {}
  TextReader(std::string_view text, const tamrt_model &model,
             const TrainedTexts &trained, const ReadOptions &options = {})
      : TextReader(text, [&](const std::string &path) {
          return RowReader::open(path, model, trained, options);
        }) {}
  TextReader(const TextReader &) = delete;
  ~TextReader() { ::close(file); }

  RowReader &operator*() { return **reader; }
  RowReader *operator->() { return &**reader; }
  bool good() const { return reader->ok(); }
  /// An error's message with the file's name.
  std::string error() const { return named(reader->error()); }
  std::string named(const Error &error) const {
    std::string message = error.message;
    if (message.starts_with(path))
      message.replace(0, path.size(), "t.csv");
    return message;
  }

private:
  template <class Open> TextReader(std::string_view text, const Open &open) {
    file = ::memfd_create("text", 0);
    EXPECT_EQ(::write(file, text.data(), text.size()), ssize_t(text.size()));
    path = "/proc/self/fd/" + std::to_string(file);
    reader.emplace(open(path));
  }
  int file;
  std::string path;
  std::optional<Result<RowReader>> reader;
};

/// All rows of a text as a fit has them, with their levels.
struct FitData {
  Dataset rows;
  std::vector<LevelTable> levels;
};

inline Result<FitData> fitData(std::string_view text, const tamrt_model &model,
                               const ReadOptions &options = {}) {
  TextReader reader(text, model, options);
  if (!reader.good())
    return Error{reader.error()};
  Result<RowReader::AllRows> all = reader->readAll();
  if (!all)
    return Error{reader.named(all.error())};
  Result<std::vector<LevelTable>> levels = reader->levelTables();
  if (!levels)
    return Error{reader.named(levels.error())};
  Dataset data = Dataset::arrange(std::move(all->rows), *reader,
                                  reader->groupOrder(), model, *levels, 1);
  return FitData{std::move(data), *std::move(levels)};
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
