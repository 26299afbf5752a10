//===- InputFileTest.cpp - files to read, perhaps compressed --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/InputFile.h"

#include "TestFiles.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

namespace tamrt::test {
namespace {

using namespace std::string_literals;

const std::string kText = "hello\nworld\n";
/// That text by gzip and by zstd.
const std::string kGzip =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xe7\x2a\xcf"
    "\x2f\xca\x49\xe1\x02\x00\xff\x5d\xc5\xc4\x0c\x00\x00\x00"s;
const std::string kZstd =
    "\x28\xb5\x2f\xfd\x04\x58\x61\x00\x00\x68\x65\x6c\x6c\x6f\x0a\x77\x6f\x72"
    "\x6c\x64\x0a\xb5\x0e\x87\x17"s;

/// The rest of the data, some bytes at a time.
Result<std::string> readAll(InputFile &file, size_t step) {
  std::string text;
  while (true) {
    char some[64];
    Result<size_t> got = file.read(some, std::min(step, sizeof some));
    if (!got)
      return std::move(got).error();
    if (*got == 0)
      return text;
    EXPECT_LE(*got, step);
    text.append(some, *got);
  }
}

class Contents : public testing::Test {
protected:
  /// What reading a file with these bytes gives, or the error after the path.
  std::string read(const std::string &bytes, size_t step = 5) {
    put(path, bytes);
    Result<InputFile> file = InputFile::open(path);
    Result<std::string> text =
        file ? readAll(*file, step) : Result<std::string>(file.error());
    if (text)
      return *text;
    EXPECT_TRUE(text.error().message.starts_with(path + ": "));
    return text.error().message.substr(path.size() + 2);
  }

  TemporaryFolder folder;
  std::string path = folder.at("data");
};

TEST_F(Contents, AreTheText) {
  for (const std::string &bytes : {kText, kGzip, kZstd})
    for (size_t step : {1, 2, 7, 64})
      EXPECT_EQ(read(bytes, step), kText);
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("ab"), "ab");
}

TEST_F(Contents, AreThoseOfAllMembers) {
  const std::string skipped = "\x50\x2a\x4d\x18\x02\0\0\0xy"s;
  EXPECT_EQ(read(kGzip + kGzip), kText + kText);
  EXPECT_EQ(read(kGzip + std::string(70'000, '\0')), kText);
  EXPECT_EQ(read(kZstd + skipped + kZstd), kText + kText);
  EXPECT_EQ(read(skipped + kZstd), kText);
  EXPECT_EQ(read(skipped), "");
}

TEST_F(Contents, AreAnErrorIfCutOff) {
  for (size_t length = 2; length < kGzip.size(); ++length)
    EXPECT_EQ(read(kGzip.substr(0, length)),
              "byte " + std::to_string(length) +
                  ": truncated gzip data: the file ends here");
  for (size_t length = 4; length < kZstd.size(); ++length)
    EXPECT_EQ(read(kZstd.substr(0, length)),
              "byte " + std::to_string(length) +
                  ": truncated zstd data: the file ends here");
}

TEST_F(Contents, AreAnErrorIfChanged) {
  std::string bytes = kGzip;
  bytes[24] ^= 1;
  EXPECT_EQ(read(bytes), "byte 28: corrupt gzip data: incorrect data check");
  bytes = kZstd;
  bytes.back() ^= 1;
  EXPECT_EQ(read(bytes), "byte 21: corrupt zstd data: restored data doesn't "
                         "match checksum");
  EXPECT_EQ(read(kGzip + "\0x"s),
            "byte 33: corrupt gzip data: expected the end of the file after "
            "zero bytes");
  EXPECT_EQ(read(kZstd + "rest"),
            "byte 29: corrupt zstd data: expected a frame or the end of the "
            "file");
}

TEST_F(Contents, AreTheSameAgain) {
  for (const std::string &bytes : {kText, kGzip, kZstd, kGzip + kGzip}) {
    put(path, bytes);
    Result<InputFile> opened = InputFile::open(path);
    ASSERT_TRUE(opened);
    InputFile file = *std::move(opened);
    EXPECT_EQ(file.bytes(), bytes == kText ? kText.size() : 0);
    for (int round = 0; round < 2; ++round) {
      const std::string whole = *readAll(file, 3);
      for (size_t offset : {6, 0, 12, 1}) {
        ASSERT_TRUE(file.rewind(offset));
        EXPECT_EQ(*readAll(file, 4), whole.substr(offset));
      }
      ASSERT_TRUE(file.rewind(0));
    }
  }
}

TEST(InputFile, KnowsItsMemory) {
  EXPECT_EQ(decompressionBytes(Compression::None), 0u);
  EXPECT_LE(decompressionBytes(Compression::Gzip), size_t(1) << 17);
  EXPECT_LE(decompressionBytes(Compression::Zstd), size_t(10) << 20);
  ASSERT_TRUE(canDecompress());
  for (Compression kind : kCompressions)
    EXPECT_TRUE(makeDecompressor(kind));
}

} // namespace
} // namespace tamrt::test
