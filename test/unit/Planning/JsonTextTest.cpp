//===- JsonTextTest.cpp - texts of which a part is not parsed -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/JsonText.h"
#include "Draws.h"

#include <gtest/gtest.h>

#include <ostream>

using namespace tamc::planning;
using namespace tamc::planning::test;
using Json = nlohmann::ordered_json;

namespace {

/// What readJsonText() does with a text: the error, or the value without its
/// part at a.b.
struct Outcome {
  bool operator==(const Outcome &) const = default;

  std::string value, message;
  int64_t line = 0, column = 0;

  friend std::ostream &operator<<(std::ostream &out, const Outcome &outcome) {
    return out << outcome.value << outcome.line << ':' << outcome.column << ": "
               << outcome.message;
  }
};

Outcome outcomeOf(std::string_view text, std::string_view ignored,
                  bool &parsed) {
  Outcome result;
  auto read = [&](const Json &root) {
    Json rest = root;
    parsed = true;
    if (rest.is_object() && rest.contains("a") && rest["a"].is_object() &&
        rest["a"].contains("b")) {
      parsed = !rest["a"]["b"].empty();
      rest["a"]["b"] = nullptr;
    }
    result.value = rest.dump();
    if (rest.is_object() && rest.contains("c"))
      throw JsonError{"c", "a member 'c'"};
  };
  if (auto wrong = readJsonText(text, read, ignored))
    result = {"", wrong->message, wrong->line, wrong->column};
  return result;
}

std::string drawValue(std::mt19937_64 &random, int depth) {
  static constexpr const char *blanks[] = {"", "", "", " ", "\n", "\t", "\r"};
  auto blank = [&] { return std::string(blanks[draw(random, 0, 6)]); };
  if (depth == 0 || chance(random, 30))
    return blank() + std::to_string(draw(random, 0, 20)) +
           (chance(random, 1) ? std::string(400, '7') : "") + blank();
  std::string list = blank() + "[";
  for (int64_t i = draw(random, 0, 3); i > 0; --i)
    list += drawValue(random, depth - 1) + (i > 1 ? "," : blank());
  return list + "]" + blank();
}

/// Texts are spoilt by up to three changes of a byte, so that most have an
/// error before, in or behind the part.
TEST(JsonText, ReadsTheSameWhateverIsIgnored) {
  std::mt19937_64 random(25);
  static constexpr std::string_view bytes =
      "[]{}\",:0123456789 \n-.eatru\\\xc3";
  int saved = 0, wrong = 0;
  for (int run = 0; run < 20000; ++run) {
    std::string text = R"({"x": [1, "}"], "a": {"z": [[2]], "b":)" +
                       drawValue(random, 3) +
                       R"(, "y": -1.5}, "d": [{}, "\"b"])";
    text += chance(random, 20) ? ",\"c\":\n 0}" : "}";
    for (int64_t change = draw(random, 0, 3); change > 0; --change) {
      auto at = static_cast<size_t>(
          draw(random, 0, static_cast<int64_t>(text.size()) - 1));
      char byte = bytes[static_cast<size_t>(
          draw(random, 0, static_cast<int64_t>(bytes.size()) - 1))];
      switch (draw(random, 0, 2)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      default:
        text.erase(at, 1);
      }
    }
    bool all = false, some = false;
    Outcome expected = outcomeOf(text, {}, all);
    ASSERT_EQ(outcomeOf(text, "a.b", some), expected) << text;
    saved += all && !some;
    wrong += !expected.message.empty();
  }
  // Both happen often.
  EXPECT_GT(saved, 3000);
  EXPECT_GT(wrong, 5000);
}

} // namespace
