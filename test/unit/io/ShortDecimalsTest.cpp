//===- io/ShortDecimalsTest.cpp - many numbers of few digits --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/ShortDecimals.h"

#include "io/ShortDecimal.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace tamrt;

namespace {

/// Parses texts together and one by one: the numbers have the same bits, and
/// the same texts are accepted. Bytes after a text do not matter.
void compare(const std::vector<std::string> &texts, char follows) {
  ShortFields fields;
  std::vector<std::string> padded;
  for (const std::string &text : texts)
    padded.push_back(text + std::string(kShortDecimalBytes, follows));
  for (size_t i = 0; i < texts.size(); ++i)
    fields.set(i, padded[i].data(), texts[i].size());
  double out[ShortFields::kMaxCount];
  const uint64_t others = parseShortDecimals(fields, texts.size(), out);
  if (!hasShortDecimals()) {
    EXPECT_EQ(others, ~uint64_t(0));
    return;
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    double alone = 0.0;
    const bool isNumber =
        parseShortDecimal(padded[i].data(), texts[i].size(), alone);
    const size_t length = texts[i].size() - (texts[i].starts_with('-'));
    ASSERT_EQ((others >> i & 1) == 0, isNumber && length <= 8) << texts[i];
    if (isNumber && length <= 8)
      ASSERT_EQ(std::bit_cast<uint64_t>(out[i]), std::bit_cast<uint64_t>(alone))
          << texts[i];
  }
  if (texts.size() < ShortFields::kMaxCount)
    EXPECT_EQ(others >> texts.size(), 0u);
}

TEST(ShortDecimals, AsOneByOne) {
  const std::vector<std::string> texts = {"0",
                                          "-0",
                                          "1",
                                          "9",
                                          "12345678",
                                          "-1234567",
                                          "-12345678",
                                          "123456789",
                                          "1234567.",
                                          ".1234567",
                                          "-.5",
                                          "5.",
                                          "-5.",
                                          "0.000000",
                                          "00000000",
                                          "99999999",
                                          "9999999.",
                                          ".9999999",
                                          "1.5",
                                          "-62.5947",
                                          "100.0000",
                                          "-100.0000",
                                          "",
                                          "-",
                                          ".",
                                          "-.",
                                          "..",
                                          "1..2",
                                          "1.2.3",
                                          "--1",
                                          "+1",
                                          "1e3",
                                          "1,2",
                                          " 1",
                                          "1 ",
                                          "0x1",
                                          "nan",
                                          "inf",
                                          "1-",
                                          "\xC2\xA0"
                                          "1",
                                          "1/2",
                                          "1:2",
                                          "a",
                                          "-1.2345678"};
  for (char follows : {'\0', ',', '.', '5', '\n', '\xff'})
    compare(texts, follows);
}

TEST(ShortDecimals, RandomTexts) {
  std::mt19937 generator(7);
  const std::string characters = "0123456789012345678901234567890123456789.-e ";
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> texts(4 * (1 + generator() % 16));
    for (std::string &text : texts) {
      text.resize(generator() % 11);
      for (char &c : text)
        c = characters[generator() % characters.size()];
      if (generator() % 2 == 0)
        for (char &c : text)
          c = static_cast<char>('0' + generator() % 10);
      if (generator() % 3 == 0 && !text.empty())
        text[generator() % text.size()] = '.';
    }
    compare(texts, static_cast<char>(generator() % 256));
  }
}

} // namespace
