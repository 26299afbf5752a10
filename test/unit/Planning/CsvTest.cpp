//===- Planning/CsvTest.cpp - problems and plans as text ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Csv.h"

#include "tamc/Planning/Symbolic.h"

#include "Support.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

Problem fromCsv(const std::string &text, CsvOptions options = {}) {
  auto result = readCsv(text, options);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << wrong->line << ": " << wrong->message;
    return {};
  }
  return std::get<Problem>(result);
}

std::string csvError(const std::string &text) {
  auto result = readCsv(text);
  auto *wrong = std::get_if<Diagnostic>(&result);
  return wrong ? std::to_string(wrong->line) + ": " + wrong->message : "";
}

TEST(Csv, ReadsEverySpelling) {
  for (const char *header : {"id,lower,upper,size", "buffer,begin,upper,SIZE",
                             " \"name\" , start,upper ,size\r"}) {
    Problem problem = fromCsv(std::string(header) + "\nx,1,4,10\n\ny,2,5,7");
    ASSERT_EQ(problem.buffers.size(), 2u);
    EXPECT_EQ(problem.buffers[0].name, "x");
    EXPECT_EQ(problem.buffers[0].live, (std::vector<Interval>{{1, 4}}));
    EXPECT_EQ(problem.buffers[1].size, 7);
  }
}

TEST(Csv, EndIsInclusive) {
  Problem problem = fromCsv("size,end,start,id\n10,4,1,x\n");
  EXPECT_EQ(problem.buffers[0].live, (std::vector<Interval>{{1, 5}}));
}

TEST(Csv, ReadsOptionalColumns) {
  Problem problem = fromCsv(
      "id,lower,upper,size,alignment,offset,hint,gaps,space,alias,output,"
      "device,stream\n"
      "a,0,9,10,8,16,,2-3 4-6@0:5,sram,,1,gpu,0\n"
      "b,0,9,10,,-1,32,,dram,q,0,gpu,1\n"
      "c,0,9,10,,,-1,,dram,q,,gpu,0\n");
  const Buffer &a = problem.buffers[0], &b = problem.buffers[1];
  EXPECT_EQ(a.alignment, 8);
  EXPECT_EQ(a.pin, 16);
  EXPECT_FALSE(a.hint);
  EXPECT_EQ(a.live, (std::vector<Interval>{{0, 2}, {3, 4}, {6, 9}}));
  EXPECT_EQ(a.windows, (std::vector<Window>{{{4, 6}, 0, 5}}));
  EXPECT_TRUE(a.output);
  EXPECT_EQ(problem.spaces[a.space].name, "sram");
  EXPECT_EQ(problem.spaces[b.space].name, "dram");
  EXPECT_FALSE(b.pin);
  EXPECT_EQ(b.hint, 32);
  EXPECT_EQ(b.aliasClass, problem.buffers[2].aliasClass);
  EXPECT_GE(b.aliasClass, 0);
  EXPECT_EQ(a.kind, problem.buffers[2].kind);
  EXPECT_NE(a.kind, b.kind);
}

TEST(Csv, WritesWhatItReads) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    Problem problem = test::randomProblem(random, {.gaps = true,
                                                   .windows = true,
                                                   .pins = true,
                                                   .classes = true,
                                                   .spaces = true,
                                                   .alignment = true});
    std::string text = writeCsv(problem);
    Problem again = fromCsv(text);
    // Numbers of classes and kinds follow the text, so compare from then on.
    EXPECT_EQ(writeCsv(fromCsv(writeCsv(again))), writeCsv(again));
    EXPECT_EQ(again.buffers.size(), problem.buffers.size());
    for (size_t i = 0; i < again.buffers.size(); ++i) {
      const Buffer &a = problem.buffers[i], &b = again.buffers[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.size, b.size);
      EXPECT_EQ(a.pin, b.pin);
      EXPECT_EQ(a.windows, b.windows);
      EXPECT_EQ(a.live, b.live) << text;
    }
  }
}

/// Names of any characters, and sizes with symbols: the text of a plan is the
/// problem, and the plan.
TEST(Csv, APlanReadsBackWithOddNamesAndSymbols) {
  std::mt19937_64 random(41);
  const std::vector<std::string> parts = {",",
                                          "\"",
                                          "\n",
                                          "\r",
                                          "\r\n",
                                          " ",
                                          "\t",
                                          "a",
                                          "\\",
                                          "{",
                                          "#",
                                          "0",
                                          "-1",
                                          "\x1b[31m",
                                          "\xC3\xA4",
                                          "\xFF",
                                          std::string(1, '\0')};
  auto name = [&](size_t index) {
    std::string text;
    for (size_t i = random() % 6; i > 0; --i)
      text += parts[random() % parts.size()];
    // Names are not blank, and differ.
    return text + std::to_string(index) + parts[random() % parts.size()];
  };
  for (int round = 0; round < 500; ++round) {
    Problem problem = test::randomProblem(random, {.gaps = true,
                                                   .pins = true,
                                                   .classes = true,
                                                   .spaces = true,
                                                   .alignment = true});
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      Buffer &buffer = problem.buffers[i];
      buffer.name = name(i);
      if (random() % 2)
        continue;
      const char *sizes[] = {"8*rows + 64", "max(rows,cols)", "rows"};
      buffer.expression = static_cast<int32_t>(problem.expressions.size());
      problem.expressions.push_back(
          std::get<SizeExpression>(SizeExpression::parse(sizes[random() % 3])));
    }
    for (Space &space : problem.spaces)
      space.name = name(100 + (&space - problem.spaces.data()));
    CsvOptions options;
    options.ignorePins = true;
    options.binding = {{"rows", 3}, {"cols", 5}};
    std::vector<int64_t> offsets;
    for (Buffer &buffer : problem.buffers) {
      offsets.push_back(static_cast<int64_t>(random() % 1000));
      if (buffer.expression >= 0)
        buffer.size = *problem.expressions[buffer.expression].evaluate(
            options.binding, unboundSymbol);
    }
    std::string text = writeCsv(problem, offsets);
    Problem again = fromCsv(text, options);
    ASSERT_EQ(again.buffers.size(), problem.buffers.size()) << text;
    for (size_t i = 0; i < again.buffers.size(); ++i) {
      const Buffer &a = problem.buffers[i], &b = again.buffers[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.size, b.size);
      EXPECT_EQ(a.live, b.live);
      EXPECT_EQ(a.expression >= 0, b.expression >= 0);
      if (a.expression >= 0 && b.expression >= 0) {
        EXPECT_EQ(problem.expressions[a.expression].text(),
                  again.expressions[b.expression].text());
      }
      EXPECT_EQ(problem.spaces[a.space].name, again.spaces[b.space].name);
    }
    auto plan = readOffsets(text, problem);
    ASSERT_TRUE(std::holds_alternative<std::vector<int64_t>>(plan)) << text;
    EXPECT_EQ(std::get<0>(plan), offsets);
  }
}

TEST(Csv, OffsetsOfAPlan) {
  Problem problem =
      fromCsv("id,lower,upper,size,offset\n\"a,b\",0,1,4,8\nc,0,1,4,\n");
  std::string text = writeCsv(problem, std::vector<int64_t>{8, 0});
  EXPECT_EQ(text, "id,lower,upper,size,offset\n\"a,b\",0,1,4,8\nc,0,1,4,0\n");
  auto offsets = readOffsets(text, problem);
  ASSERT_TRUE(std::holds_alternative<std::vector<int64_t>>(offsets));
  EXPECT_EQ(std::get<0>(offsets), (std::vector<int64_t>{8, 0}));
  CsvOptions ignore;
  ignore.ignorePins = true;
  EXPECT_FALSE(fromCsv(text, ignore).buffers[0].pin);
  auto missing = readOffsets("id,offset\nc,0\n", problem);
  EXPECT_EQ(std::get<Diagnostic>(missing).message,
            "buffer 'a,b' has no offset in the plan");
  auto unknown = readOffsets("id,offset\nd,0\n", problem);
  EXPECT_EQ(std::get<Diagnostic>(unknown).message,
            "buffer 'd' is not in the problem");
}

TEST(Csv, ErrorsCarryTheirLine) {
  const std::string head = "id,lower,upper,size\n";
  EXPECT_EQ(csvError(""),
            "1: expected a line of column names, got an empty text");
  EXPECT_EQ(csvError("id,lower,upper\n"), "1: expected a column 'size'");
  EXPECT_EQ(csvError("id,lower,size\n"),
            "1: expected one of the columns 'upper' and 'end'");
  EXPECT_EQ(csvError("id,lower,upper,size,color\n"),
            "1: unknown column 'color'");
  EXPECT_EQ(csvError("id,lower,start,upper,size\n"),
            "1: column 'start' is there twice");
  EXPECT_EQ(csvError(head + "\na,0,1\n"), "3: expected 4 fields, got 3");
  EXPECT_EQ(csvError(head + "a,0,1,--1\n"),
            "2: expected a whole number below 2^63 "
            "as a size, got '--1'");
  EXPECT_EQ(csvError(head + "a,0,1,9223372036854775808\n"),
            "2: expected a whole number below 2^63 as a size, got "
            "'9223372036854775808'");
  EXPECT_EQ(csvError(head + "a,0,1,-4\n"),
            "2: expected a size of 0 or more, got -4");
  EXPECT_EQ(csvError(head + "a,4,1,4\n"), "2: expected an end not before the "
                                          "begin, got begin 4 and end 1");
  EXPECT_EQ(csvError(head + "a,0,1,4\nb,0,1,4\na,0,1,4\n"),
            "4: duplicate buffer 'a', first on line 2");
  EXPECT_EQ(csvError("id,lower,upper,size,gaps\na,0,9,4,3\n"),
            "2: expected a gap like 'lo-hi' or 'lo-hi@wlo:whi', got '3'");
  EXPECT_EQ(csvError("id,lower,upper,size,gaps\na,0,9,4,3-5 4-6\n"),
            "2: expected sorted, disjoint gaps within the life, got '4-6'");
  EXPECT_EQ(
      csvError("id,lower,upper,size,offset\na,0,9,4,9223372036854775807\n"),
      "2: buffer 'a': expected pin + size below 2^63, got pin "
      "9223372036854775807 and size 4");
  EXPECT_EQ(csvError("\"id,lower,upper,size\n"), "1: a quote is not closed");
  EXPECT_EQ(csvError(head + "a,0,1,4\n\"b\nc,0,1,4\nd,0,1,4\n"),
            "3: a quote is not closed");
  EXPECT_EQ(csvError(head + "\"a\nb\" c,0,1,4\n"),
            "3: expected a comma or the end of the line behind a quoted field");
  // The line of what comes behind a name of several lines.
  EXPECT_EQ(csvError(head + "\"a\n\nb\",0,1,4\nc,0,1\n"),
            "5: expected 4 fields, got 3");
  EXPECT_EQ(csvError(std::string("\x7f\x45LF\x02\0\0", 7)),
            "1: unknown column '?elf??"
            "?'");
}

TEST(Csv, MessagesAreText) {
  auto column = [](const std::string &name) {
    return csvError("id,lower,upper,size," + name + "\n");
  };
  const std::string unknown = "1: unknown column '";
  EXPECT_EQ(column("gr\xC3\xB6\xC3\x9F"
                   "e"),
            unknown + "gr\xC3\xB6\xC3\x9F"
                      "e'");
  EXPECT_EQ(column("\xF0\x9F\x98\x80"), unknown + "\xF0\x9F\x98\x80'");
  // Cut, stray, overlong, a surrogate, a C1 control, beyond Unicode.
  EXPECT_EQ(column("\xC3"), unknown + "?'");
  EXPECT_EQ(column("\x80x"), unknown + "?x'");
  EXPECT_EQ(column("\xC0\xAF"), unknown + "?"
                                          "?'");
  EXPECT_EQ(column("\xED\xA0\x80"), unknown + "?"
                                              "?"
                                              "?'");
  EXPECT_EQ(column("\xC2\x9B"), unknown + "?"
                                          "?'");
  EXPECT_EQ(column("\xF4\x90\x80\x80"), unknown + "?"
                                                  "?"
                                                  "?"
                                                  "?'");
  EXPECT_EQ(column(std::string(50, 'x')),
            unknown + std::string(40, 'x') + "...'");
}

/// Mutated texts give a problem or an error, never anything else; the
/// sanitizer build gives this test its teeth.
TEST(Csv, SurvivesNonsense) {
  std::mt19937_64 random(11);
  const std::string seed = "id,lower,upper,size,gaps,offset\na,0,9,4,3-5@0:2,"
                           "8\n\"b\",1,2,33,,-1\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (int i = 0; i < 4; ++i) {
      size_t at = random() % text.size();
      if (random() % 3)
        text[at] = static_cast<char>(random() % 2 ? random() % 256
                                                  : "0-9@:,\n\""[random() % 8]);
      else
        text.erase(at, 1 + random() % 4);
      if (text.empty())
        text = ",";
    }
    auto result = readCsv(text);
    if (auto *problem = std::get_if<Problem>(&result)) {
      EXPECT_FALSE(validate(*problem));
    }
  }
}

} // namespace
