//===- ReadFileTest.cpp - whole files in memory ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

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
    for (ReadPolicy policy :
         {ReadPolicy::RegularOnly, ReadPolicy::TextStream}) {
      Result<FileBytes> bytes = readFile(folder.at("file"), policy);
      ASSERT_TRUE(bytes);
      EXPECT_TRUE(bytes->view() == text) << size;
    }
  }
}

TEST(ReadFile, NamesPathAndReason) {
  TemporaryFolder folder;
  EXPECT_EQ(message(readFile(folder.at("no"), ReadPolicy::TextStream)),
            folder.at("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(message(readFile(folder.path, ReadPolicy::RegularOnly)),
            folder.path.string() + ": cannot read: Is a directory");
  EXPECT_EQ(message(readFile("/dev/null", ReadPolicy::RegularOnly)),
            "/dev/null: not a regular file");
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(readFile(folder.at("pipe"), ReadPolicy::RegularOnly)),
            folder.at("pipe") + ": not a regular file");
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) {
  Result<FileBytes> bytes =
      readFile("/proc/self/status", ReadPolicy::TextStream);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->view().starts_with("Name:"));
}

TEST(ReadFile, ReadsPipes) {
  TemporaryFolder folder;
  std::string path = folder.at("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string text(300000, 'y');
  std::thread writer([&] { put(path, text); });
  Result<FileBytes> bytes = readFile(path, ReadPolicy::TextStream);
  writer.join();
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->view() == text);
}

TEST(ReadFile, EndsOnEndlessDevices) {
  Result<FileBytes> bytes = readFile("/dev/zero", ReadPolicy::TextStream);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size, 1u);
}
