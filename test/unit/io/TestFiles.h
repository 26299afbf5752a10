//===- TestFiles.h - files for tests ----------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_IO_TESTFILES_H
#define TAMC_TEST_UNIT_IO_TESTFILES_H

#include "io/ReadFile.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

namespace tamrt::test {

/// A new folder, removed with all in it at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tamrt-io-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      std::abort();
    path = pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  /// The path of `name` in the folder.
  std::string at(std::string_view name) const { return path / name; }

  /// Names in the folder, hidden ones too.
  size_t count() const {
    std::filesystem::directory_iterator entries(path);
    return std::distance(begin(entries), end(entries));
  }

  std::filesystem::path path;
};

inline void put(const std::string &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  ASSERT_TRUE(file.good());
}

inline std::string get(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` as file contents, in a block of exactly its size, so that a
/// sanitizer sees every read past the end.
inline FileBytes bytesOf(std::string_view text) {
  FileBytes bytes{std::make_unique<char[]>(text.size()), text.size()};
  if (!text.empty())
    std::memcpy(bytes.data.get(), text.data(), text.size());
  return bytes;
}

} // namespace tamrt::test

#endif // TAMC_TEST_UNIT_IO_TESTFILES_H
