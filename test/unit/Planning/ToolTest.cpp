//===- Planning/ToolTest.cpp - tam-plan from the outside ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Csv.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/wait.h>

using namespace tamc::planning;

namespace {

struct Result {
  int code;
  std::string text; // standard output and error
};

/// Runs tam-plan with these arguments; `input` is its standard input. Neither
/// may hold a single quote. `before` are commands of the shell.
Result run(const std::string &arguments, const std::string &input = "",
           const std::string &before = "") {
  std::string command = "printf '%s' '" + input + "' | (" + before +
                        "'" TAM_PLAN "' " + arguments + " 2>&1)";
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return {-1, "cannot run " + command};
  Result result{0, ""};
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    result.text.append(buffer, count);
  int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string file(const std::string &name) {
  return "'" TAMC_SOURCE_DIR "/test/data/planning/" + name + "' ";
}

const char *const four = "id,lower,upper,size\n"
                         "a,0,1,128\nb,1,3,64\nc,2,4,64\nd,3,6,64\n";

TEST(Tool, PlansFromStandardInput) {
  Result tree = run("- --strategy tree --alignment 64", four);
  EXPECT_EQ(tree.code, 0) << tree.text;
  EXPECT_NE(tree.text.find("peak      192\n"), std::string::npos) << tree.text;
  Result automatic = run("-", four);
  EXPECT_NE(automatic.text.find("status    optimal\n"), std::string::npos);
  EXPECT_NE(automatic.text.find("peak      128\n"), std::string::npos);
}

/// A plan is the same for any number of threads, also if there are fewer than
/// asked for: with this limit there is room for the stacks of two.
TEST(Tool, MakesDoWithFewThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve address space";
#endif
  const std::string arguments =
      file("minimalloc/A.1048576.csv") + "--nodes 1000 --emit csv --threads ";
  Result one = run(arguments + "1");
  EXPECT_EQ(one.code, 0) << one.text;
  if (std::system("ulimit -s 1000000 && ulimit -v 2500000") != 0)
    GTEST_SKIP() << "stacks have a lower limit";
  Result few =
      run(arguments + "8", "", "ulimit -s 1000000 && ulimit -v 2500000 && ");
  EXPECT_EQ(few.code, 0) << few.text;
  EXPECT_EQ(few.text, one.text);
}

TEST(Tool, ReplaysAllocators) {
  Result bfc = run("- --strategy bfc", four);
  EXPECT_EQ(bfc.code, 0) << bfc.text;
  EXPECT_NE(bfc.text.find("peak      320\n"), std::string::npos) << bfc.text;
  Result caching = run("- --strategy caching --capacity 1000", four);
  EXPECT_EQ(caching.code, 2);
  EXPECT_NE(caching.text.find("not found"), std::string::npos) << caching.text;
}

TEST(Tool, CsvIsTheInputWithOffsets) {
  Result result = run("- --emit=csv", four);
  EXPECT_EQ(result.code, 0);
  auto problem = readCsv(four);
  auto offsets = readOffsets(result.text, std::get<Problem>(problem));
  ASSERT_TRUE(std::holds_alternative<std::vector<int64_t>>(offsets))
      << result.text;
  EXPECT_TRUE(check(std::get<Problem>(problem), std::get<0>(offsets)).empty());
}

TEST(Tool, ReadsAndWritesJson) {
  Result result = run("- --emit=json",
                      R"({"buffers": [{"name": "x", "size": 8, "lower": 0,
                          "upper": 3}]})");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find("\"offset\": 0"), std::string::npos);
}

TEST(Tool, ExitsWithTwoWhenItDoesNotFit) {
  Result result = run("- --capacity 100", four);
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.text.find("error: does not fit (proved): at time 0 at least "
                             "128 bytes are needed, 28 bytes over the capacity "
                             "of 100 bytes; alive are "),
            std::string::npos)
      << result.text;
  // The bound would fit, but naive's plan does not.
  Result found = run("- --strategy naive --capacity 128 --emit=csv", four);
  EXPECT_EQ(found.code, 2);
  EXPECT_EQ(found.text.find("id,"), std::string::npos);
  EXPECT_EQ(found.text.find("proved"), std::string::npos);
}

TEST(Tool, ExitsWithOneOnBadInput) {
  EXPECT_EQ(run("-", "id,lower,upper,size\na,4,1,8\n").text,
            "-:2: error: expected an end not before the begin, got begin 4 and "
            "end 1\n");
  EXPECT_EQ(run("-", "id,lower,upper,size\na,4,1,8\n").code, 1);
  EXPECT_EQ(run("/nonexistent").code, 1);
  EXPECT_EQ(run("- --strategy magic", four).code, 1);
  EXPECT_EQ(run("- --alignment 0", four).code, 1);
  EXPECT_EQ(run("- --frobnicate", four).code, 1);
  EXPECT_EQ(run("").code, 1);
  EXPECT_EQ(run("--help").code, 0);
}

TEST(Tool, RefusesAlignmentsWithoutACommonMultiple) {
  Result result = run("- --alignment 4611686018427387904",
                      "id,lower,upper,size,alignment\na,0,2,n,3\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.text,
            "-: error: buffer 'a': expected alignments with a common multiple "
            "below 2^63, got 3 and 4611686018427387904\n");
}

TEST(Tool, RefusesOptionsThatMeanNothing) {
  for (const char *limit : {"nan", "inf", "0", "-1", "1s", "1e999"}) {
    Result result = run("- --time-limit " + std::string(limit), four);
    EXPECT_EQ(result.code, 1) << limit;
    EXPECT_NE(result.text.find("expected seconds above 0, got "),
              std::string::npos)
        << result.text;
  }
  EXPECT_EQ(run("- --time-limit 1e9", four).code, 0);
  const char *text = "id,lower,upper,size\na,0,2,8*rows\n";
  EXPECT_EQ(run("- --bind rows=4 --bind rows=5", text).text,
            "--bind: error: expected one value of 'rows', got 4 and 5\n");
  EXPECT_EQ(run("- --plan-at rows=4 --plan-at rows=4", text).text,
            "--plan-at: error: expected one value of 'rows', got 4 and 4\n");
  EXPECT_EQ(run("- --bind rows=4 --plan-at rows=5", text).code, 0);
}

/// Control characters never reach a terminal, through any message.
TEST(Tool, NamesDoNotSteerATerminal) {
  // An escape sequence, a bell, a C1 control, a line end, a reversal, a stray
  // byte; JSON has escapes for all but the last.
  const char *json = R"({"name": "n\u001b[2J",
    "spaces": [{"name": "s\u001b[1m"}, {"name": "t"}],
    "buffers": [
      {"name": "x\u001b[31m\u0007\u009b\nstatus\u202e", "size": 8,
       "space": "s\u001b[1m"},
      {"name": "y\u001b", "size": 8, "space": "s\u001b[1m"}],
    "operations": [
      {"name": "a\u001b", "writes": ["x\u001b[31m\u0007\u009b\nstatus\u202e"]},
      {"name": "b\u001b", "writes": ["y\u001b"]}]})";
  std::string csv = "id,lower,upper,size,offset\nx\x1b[31m\xff,0,1,8,0\n"
                    "y\x1b,0,1,8,4\n";
  auto isText = [](const std::string &text) {
    for (char c : text)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f)
        return false;
    return text.find("\xc2\x9b") == text.npos &&
           text.find("\xe2\x80\xae") == text.npos &&
           text.find('\xff') == text.npos &&
           text.find("\nstatus\\") == text.npos;
  };
  for (const char *options :
       {"", "--explain", "--capacity 7",
        "--capacity 4 --emit=json -o /dev/null", "--reuse=branch-safe",
        "--schedule=min-peak --explain", "--compare"}) {
    Result result = run(std::string("- ") + options, json);
    EXPECT_TRUE(isText(result.text)) << options << "\n" << result.text;
  }
  EXPECT_NE(run("- --explain", json).text.find("x\\x1b[31m\\x07"),
            std::string::npos);
  for (const char *options : {"", "--ignore-pins", "--ignore-pins --explain"}) {
    Result result = run(std::string("- ") + options, csv);
    EXPECT_TRUE(isText(result.text)) << options << "\n" << result.text;
    EXPECT_NE(result.text.find("x\\x1b[31m\\xff"), std::string::npos)
        << result.text;
  }
  // Errors that quote a name.
  for (const char *text :
       {"id,lower,upper,size\na\x1b,0,1,-8\n",
        "id,lower,upper,size,gaps\na,0,9,8,\x1b[2J\n",
        "id,lower,upper,size\na\x1b,0,1,8\na\x1b,0,1,8\n", "\x1b[2J\n",
        R"({"buffers": [], "\u001b[2J": 1})", "{\"buffers\": \x1b[2J}"}) {
    Result result = run("-", text);
    EXPECT_EQ(result.code, 1) << text;
    EXPECT_TRUE(isText(result.text)) << result.text;
  }
}

/// A text says what can be read: the highest of many spaces.
TEST(Tool, ShowsTheHighestOfManySpaces) {
  std::string text = "id,lower,upper,size,space\n";
  for (int i = 0; i < 3000; ++i)
    text += "b" + std::to_string(i) + ",0,1," + std::to_string(1 + i % 1000) +
            ",s" + std::to_string(i) + "\n";
  for (const char *options : {"", "--explain", "--emit=svg"}) {
    Result result = run(std::string("- ") + options, text);
    EXPECT_EQ(result.code, 0);
    EXPECT_LT(result.text.size(), 200000u) << options;
    EXPECT_NE(result.text.find("2984 more spaces of lower peaks"),
              std::string::npos)
        << options;
    EXPECT_NE(result.text.find("s2999"), std::string::npos) << options;
  }
}

TEST(Tool, ChecksAPlanMadeElsewhere) {
  std::string path = testing::TempDir() + "tam-plan-check.csv";
  std::string problem = file("minimalloc/input.12.csv");
  EXPECT_EQ(run(problem + "--emit=csv -o '" + path + "'").code, 0);
  Result good = run(problem + "--check '" + path + "'");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.text, "the plan is correct\n");
  std::FILE *plan = std::fopen(path.c_str(), "w");
  std::fputs("id,offset\nb1,0\nb2,0\nb3,2\nb4,4\nb5,8\n", plan);
  std::fclose(plan);
  Result bad = run(problem + "--check '" + path + "'");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.text.find("'b3' at 2 of 4 bytes"), std::string::npos)
      << bad.text;
  std::remove(path.c_str());
}

/// Peaks, bounds and the status of a plan are checked, too.
TEST(Tool, ChecksWhatAPlanSaysOfItself) {
  std::string path = testing::TempDir() + "tam-plan-says.json";
  auto check = [&](const std::string &says, const std::string &options = "") {
    std::FILE *plan = std::fopen(path.c_str(), "w");
    std::fputs((R"({"buffers": [{"name": "a", "offset": 0},
                 {"name": "b", "offset": 0}, {"name": "c", "offset": 64},
                 {"name": "d", "offset": 0}], "plan": )" +
                says + "}")
                   .c_str(),
               plan);
    std::fclose(plan);
    return run("- --check '" + path + "' " + options, four);
  };
  auto summary = [](const char *status, int peak, int bound) {
    auto list = [](int bytes) {
      return R"([{"space": "", "bytes": )" + std::to_string(bytes) + "}]";
    };
    return R"({"status": ")" + std::string(status) + R"(", "peak": )" +
           list(peak) + R"(, "bound": )" + list(bound) + "}";
  };
  EXPECT_EQ(check(summary("optimal", 128, 128)).text, "the plan is correct\n");
  EXPECT_EQ(check(summary("feasible", 128, 100)).code, 0);
  EXPECT_EQ(check("{}").code, 0);
  EXPECT_EQ(check(R"({"peak": [{"space": "", "bytes": 144}],
                      "pools": [{"space": "", "base": 128, "size": 16}]})")
                .code,
            0);
  for (auto [says, wrong] : {
           std::pair(summary("optimal", 100, 100),
                     "expected the peak 128, got 100"),
           std::pair(summary("feasible", 200, 100),
                     "expected the peak 128, got 200"),
           std::pair(summary("feasible", 128, 129),
                     "expected a bound up to the peak 128, got 129"),
           std::pair(summary("optimal", 128, 100),
                     "the bound of an optimal plan is the peak 128, got 100"),
           std::pair(summary("infeasible", 128, 128),
                     "a plan that fits has another status than 'infeasible'"),
           std::pair(summary("best", 128, 128),
                     "expected a plan that fits, got the status 'best'"),
           std::pair(std::string(R"({"pools": [{"space": "", "base": 1,
                                    "size": 9223372036854775807}]})"),
                     "expected a pool between 0 and 2^63-1, got "),
           std::pair(std::string(R"({"pools": [{"space": "", "base": -1,
                                    "size": 1}]})"),
                     "expected a pool between 0 and 2^63-1, got "),
       }) {
    Result got = check(says);
    EXPECT_EQ(got.code, 1) << says;
    EXPECT_NE(got.text.find(wrong), std::string::npos) << got.text;
  }
  // What exceeds a capacity is drawn, unless it is wrong in another way.
  const std::string over = "--capacity 127 --emit=";
  std::string good = summary("infeasible", 128, 128);
  EXPECT_EQ(check(good, over + "text").code, 2);
  for (std::string_view form : {"html", "svg", "trace"}) {
    Result drawn = check(good, over + std::string(form));
    EXPECT_EQ(drawn.code, 2) << form;
    EXPECT_NE(drawn.text.find("infeasible"), std::string::npos) << form;
    EXPECT_NE(check("{}", over + std::string(form)).text.find("not found"),
              std::string::npos);
    Result wrong =
        check(summary("infeasible", 99, 99), over + std::string(form));
    EXPECT_EQ(wrong.text.find("not found"), std::string::npos);
    EXPECT_EQ(wrong.code, 1) << form;
  }
  std::remove(path.c_str());
}

/// Many buffers beyond the capacity do not hide what else is wrong.
TEST(Tool, ChecksTheRestOfAPlanBeyondItsCapacity) {
  std::string path = testing::TempDir() + "tam-plan-rest.json";
  std::string problem = "id,lower,upper,size\n", buffers;
  for (int i = 0; i < 12; ++i) {
    std::string name = "b" + std::to_string(i);
    problem += name + ",0,1,8\n";
    buffers += (i ? ", " : "") + std::string(R"({"name": ")") + name +
               R"(", "offset": )" + std::to_string(1000 + 8 * i) + "}";
  }
  auto check = [&](int peak) {
    std::ofstream(path) << R"({"buffers": [)" << buffers
                        << R"(], "plan": {"status": "infeasible", "peak": )"
                        << R"([{"space": "", "bytes": )" << peak << "}]}}";
    return run("- --capacity 100 --check '" + path + "'", problem);
  };
  EXPECT_EQ(check(1096).code, 2);
  Result wrong = check(96);
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.text.find("expected the peak 1096, got 96"),
            std::string::npos)
      << wrong.text;
  std::remove(path.c_str());
}

/// JSON cannot have names of other bytes than UTF-8; two could become one.
TEST(Tool, RefusesJsonOfOtherBytes) {
  for (std::string_view row :
       {"a\xff,0,1,8,s\na\xfe,0,1,8,s\n", "a,0,1,8,s\nb,0,1,8,\xc3\n"}) {
    std::string csv = "id,lower,upper,size,space\n" + std::string(row);
    Result json = run("- --emit=json", csv);
    EXPECT_EQ(json.code, 1);
    EXPECT_NE(json.text.find("in UTF-8, as JSON has to be, got '"),
              std::string::npos)
        << json.text;
    Result same = run("- --emit=csv", csv);
    EXPECT_EQ(same.code, 0);
    EXPECT_EQ(same.text.find("\xef\xbf\xbd"), std::string::npos) << same.text;
  }
  Result good = run("- --emit=json", "id,lower,upper,size\n\xc3\xa4,0,1,8\n");
  EXPECT_EQ(good.code, 0);
  EXPECT_NE(good.text.find("\xc3\xa4"), std::string::npos) << good.text;
}

TEST(Tool, ComparesAndExplains) {
  Result all = run("- --compare", four);
  EXPECT_EQ(all.code, 0);
  for (const char *name :
       {"naive ", "tree ", "tree+ ", "bfc ", "caching ", "auto "})
    EXPECT_NE(all.text.find(name), std::string::npos) << all.text;
  Result why = run("- --explain", four);
  EXPECT_NE(why.text.find("bound 128: the load at time 0"), std::string::npos)
      << why.text;
}

const char *const diamond = R"({
  "buffers": [{"name": "s", "size": 8}, {"name": "a", "size": 4},
              {"name": "b", "size": 4}, {"name": "a2", "size": 4},
              {"name": "b2", "size": 4},
              {"name": "t", "size": 1, "output": true}],
  "operations": [{"name": "source", "writes": ["s"]},
                 {"name": "left", "reads": ["s"], "writes": ["a"]},
                 {"name": "left2", "reads": ["a"], "writes": ["a2"]},
                 {"name": "right", "reads": ["s"], "writes": ["b"]},
                 {"name": "right2", "reads": ["b"], "writes": ["b2"]},
                 {"name": "sink", "reads": ["a2", "b2"], "writes": ["t"]}]})";

TEST(Tool, ReportsWhatReuseDoesToTheOrder) {
  Result program = run("-", diamond);
  EXPECT_EQ(program.code, 0);
  EXPECT_NE(program.text.find("reuse     program, adds 2 hidden dependencies"),
            std::string::npos)
      << program.text;
  Result safe = run("- --reuse=branch-safe", diamond);
  EXPECT_EQ(safe.code, 0);
  EXPECT_NE(safe.text.find("reuse     branch-safe, costs 8 bytes (50.000%): "
                           "the program's own order needs 16\n"),
            std::string::npos)
      << safe.text;
  EXPECT_NE(
      run("- --emit=json", diamond).text.find("\"hiddenDependencies\": 2"),
      std::string::npos);
  EXPECT_EQ(run("- --reuse=branch-safe --compare", diamond).code, 0);
  EXPECT_NE(run("- --reuse=branch-safe --explain", diamond)
                .text.find("bound 24: some order of the operations may need"),
            std::string::npos);
  EXPECT_EQ(run("- --reuse=branch-safe --capacity 23", diamond).code, 2);
  // A plan for the list's order is refused where every order counts.
  std::string path = testing::TempDir() + "tam-plan-order.csv";
  EXPECT_EQ(run("- --emit=csv -o '" + path + "'", diamond).code, 0);
  EXPECT_EQ(run("- --check '" + path + "'", diamond).code, 0);
  EXPECT_EQ(run("- --reuse=branch-safe --check '" + path + "'", diamond).code,
            1);
  std::remove(path.c_str());
  Result csv = run("- --reuse=branch-safe", four);
  EXPECT_EQ(csv.code, 1);
  EXPECT_EQ(csv.text.substr(0, 44),
            "-: error: branch-safe reuse needs the operat");
}

TEST(Tool, SchedulesForAMinimalPeak) {
  const char *wide = R"({
    "buffers": [{"name": "x", "size": 90}, {"name": "y", "size": 90},
                {"name": "p", "size": 1}, {"name": "q", "size": 1}],
    "operations": [{"name": "a", "writes": ["x"]},
                   {"name": "b", "writes": ["y"]},
                   {"name": "c", "reads": ["x"], "writes": ["p"]},
                   {"name": "d", "reads": ["y"], "writes": ["q"]},
                   {"name": "e", "reads": ["p", "q"]}]})";
  Result result = run("- --schedule=min-peak", wide);
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.text.find("schedule  min-peak, another order\n"
                             "    peak before 181, after 92\n"
                             "    load before 181, after 92; no order has less "
                             "than 92\n"
                             "    order a c b d e\n"),
            std::string::npos)
      << result.text;
  EXPECT_NE(run("- --schedule=min-peak --emit=json", wide)
                .text.find("\"peakAfter\": 92"),
            std::string::npos);
  EXPECT_EQ(run("- --schedule=min-peak", four).code, 1);
}

TEST(Tool, BindsSymbols) {
  const char *text = "id,lower,upper,size\na,0,2,8*rows\nb,1,3,64\n";
  Result result = run("- --bind rows=4096", text);
  EXPECT_NE(result.text.find("peak      32832\n"), std::string::npos)
      << result.text;
  result = run("- --bind rows=2 --plan-at rows=4096 --emit=json", text);
  EXPECT_NE(result.text.find("\"offsetExpression\": \"offset("),
            std::string::npos)
      << result.text;
  result = run("- --bind rows=2 --reuse=branch-safe",
               R"({"buffers": [{"name": "x", "size": "8*rows"},
                               {"name": "y", "size": "4*rows"}],
                   "operations": [{"name": "a", "writes": ["x"]},
                                  {"name": "b", "writes": ["y"]}]})");
  EXPECT_NE(result.text.find("status    optimal\n"), std::string::npos)
      << result.text;
  EXPECT_NE(result.text.find("bound     24\n"), std::string::npos);
  EXPECT_EQ(run("- --bind rows=2 --plan-at rows=100 --emit=csv", text).code, 0);
  EXPECT_EQ(run("- --bind rows=2 --capacity 79", text).code, 2);
  EXPECT_EQ(run("- --bind rows=2 --capacity 80", text).code, 0);
  EXPECT_EQ(run("- --bind cols=2", text).text,
            "--bind or --plan-at: error: no size has a symbol 'cols'\n");
  EXPECT_EQ(run("- --bind rows=-2", text).code, 1);
  EXPECT_EQ(run("- --bind rows", text).code, 1);
  Result wrapped = run("- --bind rows=9223372036854775807", text);
  EXPECT_EQ(wrapped.text, "-:2: error: the size 8*rows exceeds 2^63-1\n");
  EXPECT_EQ(wrapped.code, 1);
}

TEST(Tool, PoolsGiveInductorsTotal) {
  Result result = run(file("tvm/five.csv") +
                      "--strategy tree --alignment 64 --pools outputs "
                      "--outputs last");
  EXPECT_NE(result.text.find("177019"), std::string::npos) << result.text;
}

} // namespace
