//===- ReadFileTest.cpp - whole files in memory ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tamrt;
using namespace tamrt::test;

static std::string message(const Result<FileBytes> &result) {
  return result ? "no error" : result.error().message;
}

TEST(ReadFile, ReadsFilesOfAllSizes) {
  TemporaryFolder folder;
  for (size_t size : {0, 1, 65535, 65536, 65537, 1000000}) {
    std::string text(size, 'x');
    put(folder.at("file"), text);
    Result<FileBytes> bytes = readFile(folder.at("file"));
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(bytes->view() == text) << size;
  }
}

TEST(ReadFile, NamesPathAndReason) {
  TemporaryFolder folder;
  EXPECT_EQ(message(readFile(folder.at("no"))),
            folder.at("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(message(readFile(folder.path)),
            folder.path.string() + ": cannot read: Is a directory");
  EXPECT_EQ(message(readFile("/dev/null")), "/dev/null: not a regular file");
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(readFile(folder.at("pipe"))),
            folder.at("pipe") + ": not a regular file");
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) {
  Result<FileBytes> bytes = readFile("/proc/self/status");
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->view().starts_with("Name:"));
}

/// Reads standard input, which is `descriptor` meanwhile.
static Result<FileBytes> readInput(int descriptor) {
  const int before = dup(STDIN_FILENO);
  dup2(descriptor, STDIN_FILENO);
  Result<FileBytes> bytes = readFile("-");
  dup2(before, STDIN_FILENO);
  close(before);
  return bytes;
}

TEST(ReadFile, ReadsAPipeAsStandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text(300000, '\0');
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], text.data(), text.size()), ssize_t(text.size()));
    close(ends[1]);
  });
  Result<FileBytes> bytes = readInput(ends[0]);
  writer.join();
  close(ends[0]);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->view() == text);
}

TEST(ReadFile, RefusesDevicesAsStandardInput) {
  const int zeros = open("/dev/zero", O_RDONLY);
  EXPECT_EQ(message(readInput(zeros)), "standard input: not a regular file");
  close(zeros);
}
