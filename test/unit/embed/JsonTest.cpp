//===- JsonTest.cpp - JSON without memory ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embed/Json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

using namespace tamrt::embed;
using nlohmann::json;

namespace {

/// All texts of a list of texts, or "error".
std::string list(std::string_view text, bool nested = false) {
  JsonReader reader(text, nested);
  std::string out;
  bool good = reader.array([&] {
    out += '<';
    bool taken = reader.string([&](char c) { out += c; });
    out += '>';
    return taken;
  });
  return good && reader.atEnd() ? out : "error";
}

std::string skipped(std::string_view text) {
  JsonReader reader(text);
  return reader.skip() && reader.atEnd() ? "good" : "error";
}

TEST(Json, readsStrings) {
  EXPECT_EQ(list("[]"), "");
  EXPECT_EQ(list(" [ \"a\" , \"b c\" ] "), "<a><b c>");
  EXPECT_EQ(list(R"(["\"\\\/\b\f\n\r\t"])"), "<\"\\/\b\f\n\r\t>");
  EXPECT_EQ(list(R"(["\u0041\u00e9\u20AC\ud83d\ude00"])"), "<Aé€😀>");
  for (const char *bad :
       {"", "[", "[\"a]", "[\"a\"", "[\"a\",]", "[\"a\" \"b\"]", "[1]",
        "[\"a\"]x", R"(["\x"])", R"(["\u12"])", R"(["\ud800"])",
        R"(["\udc00"])", R"(["\ud800\u0041"])", "[\"\n\"]", "[\"\\"})
    EXPECT_EQ(list(bad), "error") << bad;
}

TEST(Json, readsTextWithinText) {
  std::string inner = R"(["a\"b","c\\d","é"])";
  std::string outer = json(inner).dump();
  JsonReader reader(outer);
  std::string_view inside;
  ASSERT_TRUE(reader.span(inside));
  EXPECT_EQ(list(inside, /*nested=*/true), "<a\"b><c\\d><é>");
  EXPECT_EQ(list(R"([\"a\"])", true), "<a>");
  EXPECT_EQ(list(R"([\"a\)", true), "error");
  EXPECT_EQ(list(R"([\"\\u0041\"])", true), "<A>");
}

TEST(Json, skips) {
  for (const char *good : {"1", "-1.5e+3", "true", "false", "null", "\"a\"",
                           "[1,[2],{}]", R"({"a":[{"b":null}],"c":"d"})"})
    EXPECT_EQ(skipped(good), "good") << good;
  for (const char *bad :
       {"", "tru", "{\"a\"}", "{1:2}", "[1 2]", "nul", "[[[[[[[[[[1]]]]]]]]]]"})
    EXPECT_EQ(skipped(bad), "error") << bad;
}

TEST(Json, integers) {
  uint64_t value;
  EXPECT_TRUE(JsonReader("18446744073709551615").integer(value));
  EXPECT_EQ(value, UINT64_MAX);
  EXPECT_FALSE(JsonReader("18446744073709551616").integer(value));
  EXPECT_FALSE(JsonReader("-1").integer(value));
  EXPECT_FALSE(JsonReader("").integer(value));
}

/// Random text, any byte below 128 in it.
TEST(Json, writesAsTheExecutableDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (unsigned n = random() % 20; n > 0; --n)
      text += char(random() % 128);
    text += "é";
    char out[4096];
    JsonWriter once(out, sizeof out);
    once.string(text, 0);
    EXPECT_EQ(std::string(out, once.size()), json(text).dump());
    JsonWriter twice(out, sizeof out);
    twice.put('"', 0);
    twice.string(text, 1);
    twice.put('"', 0);
    const std::string outer = json(json(text).dump()).dump();
    ASSERT_EQ(std::string(out, twice.size()), outer);
    JsonWriter nowhere(nullptr, 0);
    nowhere.text(outer, 0);
    EXPECT_EQ(nowhere.size(), outer.size());
    JsonReader reader(outer);
    std::string_view inside;
    ASSERT_TRUE(reader.span(inside));
    JsonReader nested(inside, true);
    std::string back;
    ASSERT_TRUE(nested.string([&](char c) { back += c; }));
    EXPECT_EQ(back, text);
  }
}

/// Whatever the bytes, reading ends.
TEST(Json, survivesAnything) {
  std::mt19937 random(2);
  const std::string good = R"({"a":["b\u00e9\\",1,{"c":true}],"d":null})";
  for (int i = 0; i < 20000; ++i) {
    std::string text = good.substr(0, random() % (good.size() + 1));
    for (unsigned n = random() % 4; n > 0 && !text.empty(); --n)
      text[random() % text.size()] = char(random());
    JsonReader reader(text, i % 2);
    reader.skip();
    reader.atEnd();
  }
}

} // namespace
