//===- ModelRun.h - runs a model's command line -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A temporary folder, and runs of `tamrt_main` with their output.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_MODELRUN_H
#define TAMRT_TEST_MODELRUN_H

#include "FakeModel.h"
#include "support/Sealed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt::test {

/// The result of a run.
struct Outcome {
  int status;
  std::string out, err;
};

/// Calls tamrt_main as the executable `fake` does.
inline Outcome run(FakeModel &model, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "./fake");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = tamrt_main(&model.get(), int(argv.size()), argv.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

inline std::string contents(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A test with a folder of its own.
class RunTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tamrtXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// Names of the files in the folder, sorted and joined by blanks.
  std::string files() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string &name : names)
      all += (all.empty() ? "" : " ") + name;
    return all;
  }

  std::string folder;
};

} // namespace tamrt::test

#endif // TAMRT_TEST_MODELRUN_H
