//===- Planning/JsonTest.cpp - problems and plans as JSON -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Json.h"

#include "Support.h"
#include "tamc/Planning/Explain.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

Problem fromJson(const std::string &text) {
  auto result = readJson(text);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << wrong->line << ": " << wrong->message;
    return {};
  }
  return std::get<Problem>(result);
}

std::string jsonError(const std::string &text) {
  auto result = readJson(text);
  auto *wrong = std::get_if<Diagnostic>(&result);
  return wrong ? std::to_string(wrong->line) + ": " + wrong->message : "";
}

TEST(Json, ReadsSpacesAndBuffers) {
  Problem problem = fromJson(R"({"name": "net",
    "spaces": [{"name": "a"}, {"name": "b", "capacity": 99, "alignment": 4}],
    "buffers": [{"name": "x", "size": 8, "space": "b", "live": [[0, 2], [4, 5]],
                 "windows": [[2, 4, 0, 3]], "pin": 4, "hint": 0,
                 "output": true}]})");
  const Buffer &x = problem.buffers[0];
  EXPECT_EQ(problem.spaces[1].capacity, 99);
  EXPECT_EQ(x.space, 1);
  EXPECT_EQ(x.live, (std::vector<Interval>{{0, 2}, {4, 5}}));
  EXPECT_EQ(x.windows, (std::vector<Window>{{{2, 4}, 0, 3}}));
  EXPECT_EQ(x.pin, 4);
  EXPECT_EQ(x.hint, 0);
  EXPECT_TRUE(x.output);
}

TEST(Json, LivesFollowFromOperations) {
  Problem problem = fromJson(R"({
    "buffers": [{"name": "in", "size": 1}, {"name": "t", "size": 1},
                {"name": "out", "size": 1, "output": true}],
    "operations": [{"name": "a", "writes": ["t"]},
                   {"name": "b", "reads": ["t", "in"], "writes": ["out"],
                    "after": ["a"]},
                   {"name": "c"}]})");
  EXPECT_EQ(problem.buffers[0].live, (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(problem.buffers[1].live, (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(problem.buffers[2].live, (std::vector<Interval>{{1, 3}}));
  EXPECT_EQ(problem.operations[1].after, (std::vector<int32_t>{0}));
}

TEST(Json, WritesWhatItReads) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    Problem problem = test::randomProblem(random, {.gaps = true,
                                                   .windows = true,
                                                   .pins = true,
                                                   .classes = true,
                                                   .spaces = true,
                                                   .alignment = true});
    // A buffer names its space, so in JSON no two spaces share a name.
    for (size_t i = 0; i < problem.spaces.size(); ++i)
      problem.spaces[i].name = "space" + std::to_string(i);
    Problem again = fromJson(writeJson(problem));
    ASSERT_EQ(again.buffers.size(), problem.buffers.size());
    EXPECT_EQ(writeCsv(fromJson(writeJson(again))), writeCsv(again));
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      EXPECT_EQ(again.buffers[i].live, problem.buffers[i].live);
      EXPECT_EQ(again.buffers[i].windows, problem.buffers[i].windows);
      EXPECT_EQ(again.buffers[i].space, problem.buffers[i].space);
    }
  }
}

TEST(Json, APlanIsWrittenAndSkippedOnReading) {
  Problem problem;
  addBuffer(problem, 0, 2, 8, "x");
  Options options;
  options.strategy = "naive";
  Plan made = plan(problem, options);
  std::string text = writeJson(problem, &made);
  EXPECT_NE(text.find("\"status\": \"optimal\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"offset\": 0"), std::string::npos);
  EXPECT_FALSE(fromJson(text).buffers[0].pin);
}

TEST(Json, ErrorsNameTheLineAndThePlace) {
  EXPECT_EQ(jsonError("{\n \"buffers\": [,]}"),
            "2: expected '[', '{', or a literal, got ','");
  EXPECT_EQ(jsonError("{}"), "1: expected a member 'buffers'");
  EXPECT_EQ(jsonError("\n[]"), "2: expected an object, got array");
  EXPECT_EQ(jsonError(R"({"buffers": [{"name": "x"}]})"),
            "1: buffers[0]: expected a member 'size'");
  EXPECT_EQ(jsonError(R"({"buffers": [
          {"name": "x", "size": 1, "lower": 0, "upper": 1},
          {"name": "y[0].size",
           "size": 9223372036854775808}]})"),
            "4: buffers[1].size: expected a whole number below 2^63, got "
            "9223372036854775808");
  EXPECT_EQ(jsonError("{\"buffers\": [{\"name\": \"x\", \"size\": 1,\n"
                      "\"sise\": {\"a\": [2, {}]}}]}"),
            "2: buffers[0]: unknown member 'sise'");
  EXPECT_EQ(jsonError("{\"buffers\": [],\n \"bufers\": [\"}]\\\"\"]}"),
            "2: unknown member 'bufers'");
  EXPECT_EQ(jsonError("{\n\"buffers\": [\n{\"name\": \"x\", \"size\": 1}]}"),
            "3: buffers[0]: buffer 'x' has no life, and no operation uses it");
  // A rule of validate().
  EXPECT_EQ(jsonError("{\"buffers\": [\n{\"name\": \"x\", \"size\": -1,\n"
                      "\"lower\": 0, \"upper\": 1}]}"),
            "2: buffer 'x': expected a size of 0 or more, got -1");
}

/// Line and byte of the line, then the message.
std::string placed(const std::string &text) {
  auto result = readJson(text);
  auto *wrong = std::get_if<Diagnostic>(&result);
  return wrong ? std::to_string(wrong->line) + ":" +
                     std::to_string(wrong->column) + ": " + wrong->message
               : "";
}

TEST(Json, ErrorsNameTheColumn) {
  EXPECT_EQ(placed(R"({"buffers": [{"name": "a", "size": 1 "lower": 0}]})"),
            "1:38: expected ',' or '}', got string literal");
  EXPECT_EQ(placed("{\"buffers\": [\n {\"name\": \"a\"}\n  {}]}"),
            "3:3: expected ',' or ']', got '{'");
  EXPECT_EQ(placed("{\"buffers\": [] 1.5e3}"),
            "1:16: expected ',' or '}', got number literal");
  EXPECT_EQ(placed(R"({"buffers": [] "a\"b"})"),
            "1:16: expected ',' or '}', got string literal");
  EXPECT_EQ(placed(R"({"buffers" []})"), "1:12: expected ':', got '['");
  EXPECT_EQ(placed("{\"buffers\": truth}").substr(0, 33),
            "1:13: expected JSON, got invalid ");
  EXPECT_EQ(placed("{").substr(0, 4), "1:2:");
  EXPECT_EQ(placed("{\"buffers\": [\n {\"name\": \"a\", \"size\": true}]}"),
            "2:24: buffers[0].size: expected a whole number below 2^63, got "
            "true");
  EXPECT_EQ(placed("{\"buffers\": [\n {\"name\": \"a\", \"size\": -1,"
                   " \"lower\": 0, \"upper\": 1}]}"),
            "2:2: buffer 'a': expected a size of 0 or more, got -1");
}

/// Deep nesting must be an error anywhere, before any function recurses.
TEST(Json, DepthIsLimitedEverywhere) {
  auto nested = [](size_t levels, const std::string &before,
                   const std::string &after) {
    return before + std::string(levels, '[') + std::string(levels, ']') + after;
  };
  const std::string message =
      "expected at most 1000 lists and objects within each other";
  for (const auto &[before, after] :
       {std::pair("", ""), std::pair("{\"buffers\": ", "}"),
        std::pair("{\"buffers\": [{\"name\": \"a\", \"size\": ", "}]}"),
        std::pair("{\"buffers\": [{\"name\": ", "}]}"),
        std::pair("{\"snapshot\": ", ", \"buffers\": []}"),
        std::pair("{\"plan\": ", ", \"buffers\": []}"),
        std::pair("{\"order\": ", ", \"buffers\": []}")}) {
    std::string deep = jsonError(nested(150000, before, after));
    EXPECT_EQ(deep, "1: " + message) << before;
    EXPECT_NE(jsonError(nested(900, before, after)), "1: " + message) << before;
  }
  EXPECT_EQ(jsonError(nested(1000, "{\"snapshot\": ", ", \"buffers\": []}")),
            "1: " + message);
  EXPECT_EQ(jsonError(nested(999, "{\"snapshot\": ", ", \"buffers\": []}")),
            "");
  // Brackets in strings do not count.
  EXPECT_EQ(jsonError("{\"name\": \"\\\"" + std::string(2000, '[') +
                      "\", \"buffers\": []}"),
            "");
}

TEST(Json, AMemberIsThereOnce) {
  EXPECT_EQ(placed("{\"buffers\": [],\n \"buffers\": []}"),
            "2:2: duplicate member 'buffers'");
  EXPECT_EQ(placed("{\"buffers\": [\n{\"name\": \"a\", \"size\": 1, "
                   "\"live\": [], \"size\": 2}]}"),
            "2:38: duplicate member 'size'");
  // In any spelling and position.
  EXPECT_EQ(placed(R"({"buffers": [], "snapshot": {"a": 1, "\u0061": 2}})"),
            "1:38: duplicate member 'a'");
  // One name in several objects, and as a value, is none.
  EXPECT_EQ(placed(R"({"name": "name", "buffers": [
                       {"name": "a", "size": 1, "live": []},
                       {"name": "b", "size": 1, "live": []}]})"),
            "");
}

TEST(Json, AnEmptyLifeIsNone) {
  Problem problem = fromJson(R"({"buffers": [
      {"name": "a", "size": 8, "live": []},
      {"name": "b", "size": 8},
      {"name": "c", "size": 8, "lower": 3, "upper": 3}],
    "operations": [{"name": "o", "writes": ["b"]}]})");
  ASSERT_EQ(problem.buffers.size(), 3u);
  EXPECT_TRUE(problem.buffers[0].live.empty());
  EXPECT_EQ(problem.buffers[1].live, (std::vector<Interval>{{0, 1}}));
  EXPECT_EQ(plan(problem, {}).totalPeak(), 8);
  EXPECT_TRUE(fromJson(writeJson(problem)).buffers[0].live.empty());
}

TEST(Json, ErrorsInTheOrder) {
  auto operations = [](const std::string &list, const std::string &more = "") {
    return jsonError(
        R"({"buffers": [{"name": "x", "size": 1, "live": [[0, 1]]}],
"operations": [
)" + list +
        "]" + more + "}");
  };
  EXPECT_EQ(operations(R"({"reads": ["x",
"q"]})"),
            "4: operations[0].reads[1]: unknown buffer 'q'");
  EXPECT_EQ(operations(R"({"after": ["q"]})"),
            "3: operations[0].after[0]: unknown operation 'q'");
  EXPECT_EQ(operations(R"({"name": "a"},
{"name": "a"})"),
            "4: operations[1]: duplicate operation 'a'");
  EXPECT_EQ(operations(R"({"name": "a"},
{"name": "b", "after": ["c"]},
{"name": "c", "after": ["b"]})"),
            "4: the order of the operations is cyclic: 'b' after 'c' after "
            "'b'");
  EXPECT_EQ(operations(R"({"name": "a", "writes": ["x"]},
{"name": "b", "reads": ["x"]})",
                       ",\n \"order\": [[\"b\", \"a\"]]"),
            "3: the order of the operations is cyclic: 'a' after 'b' after "
            "'a'");
  EXPECT_EQ(operations(R"({"name": "a", "after": ["b"]},
{"name": "b"})"),
            "3: operation 'a' is to run after 'b', which is later in the "
            "list");
  EXPECT_EQ(operations(R"({"name": "a"})", ",\n\"order\": [[\"a\"]]"),
            "4: order[0]: expected the names of 2 operations, got a list of 1");
  EXPECT_EQ(operations(R"({"name": "a"})", ",\n\"order\": [[\"a\", \"z\"]]"),
            "4: order[0]: unknown operation 'z'");
  EXPECT_EQ(jsonError("{\"buffers\": [],\n\"order\": []}"),
            "2: order: expected a member 'operations' too");
  EXPECT_EQ(
      jsonError("{\"buffers\": [\n{\"name\": \"x\", \"size\": 1, \"lower\": 0, "
                "\"upper\": 1},\n{\"name\": \"x\", \"size\": 1}]}"),
      "3: buffers[1]: duplicate buffer 'x'");
}

TEST(Explain, NamesTheLoadAndTheChain) {
  Problem problem;
  addBuffer(problem, 0, 2, 8, "low");
  addBuffer(problem, 1, 3, 4, "high");
  Options options;
  options.strategy = "naive";
  options.alignment = 16;
  Plan made = plan(problem, options);
  EXPECT_EQ(explain(problem, made, 16),
            "bound 20: the load at time 1, of 2 buffers\n"
            "    'low' at 0 to 8, alive 0 to 2\n"
            "    'high' at 16 to 20, alive 1 to 3\n"
            "peak 20: the chain below the topmost buffer\n"
            "    'high' at 16 to 20, alive 1 to 3\n"
            "    8 unused bytes\n"
            "    'low' at 0 to 8, alive 0 to 2\n");
}

} // namespace
