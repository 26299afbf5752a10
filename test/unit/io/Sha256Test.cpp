//===- Sha256Test.cpp - SHA-256 -------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace tamrt {
namespace {

// The examples of FIPS 180-4, and lengths around a block.
TEST(Sha256, Standard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb924"
                        "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223"
                           "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039"
            "a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, Lengths) {
  EXPECT_EQ(sha256(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694"
                                          "958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(sha256(std::string(56, 'x')), "04c26261370ee7541549d16dee320c72"
                                          "3e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(sha256(std::string(63, 'x')), "75220b47218278e656f2013bb8f0c455"
                                          "a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(sha256(std::string(64, 'x')), "7ce100971f64e7001e8fe5a51973ecdf"
                                          "e1ced42befe7ee8d5fd6219506b5393c");
  EXPECT_EQ(sha256(std::string(65, 'x')), "9537c5fdf120482f7d58d25e9ed583f5"
                                          "2c02b4e304ea814db1633ad565aed7e9");
  EXPECT_EQ(sha256(std::string(119, 'x')), "000b48d4edf0fa7bee3c6236ecd2785b"
                                           "aa5db4eeb8bb54341b029e0d9fa5fb0c");
  EXPECT_EQ(sha256(std::string(120, 'x')), "13f05a0b594787f5ecd315edc96141bd"
                                           "3243203d1b7d4f0836f37308b276ba98");
}

TEST(Sha256, Pieces) {
  const std::string text = [] {
    std::string digits;
    while (digits.size() < 300)
      digits += std::to_string(digits.size());
    return digits;
  }();
  for (size_t first : {0, 1, 63, 64, 65, 128, 200})
    for (size_t second : {0, 1, 63, 64, 65}) {
      Sha256 hash;
      hash.add(text.substr(0, first));
      hash.add(text.substr(first, second));
      hash.add(text.substr(first + second));
      EXPECT_EQ(hash.finish(), sha256(text)) << first << ", " << second;
    }
}

} // namespace
} // namespace tamrt
