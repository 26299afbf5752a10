//===- ProcessTest.cpp - what only a process of its own shows -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRun.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tamrt::test {
namespace {

const char *const kProgram = TAMC_BINARY_DIR "/test/bin/FakeModel";
const char *const kLearned = TAMC_BINARY_DIR "/test/bin/LearnedModel";

class Process : public RunTest {
protected:
  /// Runs the model as a program through the shell. \returns its exit status.
  int shell(const std::string &command) {
    int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string data(size_t rows) {
    std::string text = "g,t,x,d,y,unused\n";
    for (size_t i = 0; i < rows; ++i)
      text += std::to_string(i % 7) + "," + std::to_string(rows - i) + "," +
              std::to_string(i % 101) + "," +
              std::string(1, char('a' + i % 3)) + "," + std::to_string(i % 13) +
              ",text\n";
    return write("t.csv", text);
  }
};

TEST_F(Process, StandardInputAndOutput) {
  std::string program = kProgram, train = data(500);
  ASSERT_EQ(shell(program + " fit " + train + " -o " + path("w")), 0);
  ASSERT_EQ(shell("cat " + train + " | " + program + " fit - -o - | cat > " +
                  path("v")),
            0);
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  ASSERT_EQ(shell(program + " predict " + train + " --weights " + path("w") +
                  " -o " + path("p")),
            0);
  ASSERT_EQ(shell("cat " + train + " | " + program + " predict - --weights " +
                  path("w") + " > " + path("q")),
            0);
  EXPECT_EQ(contents(path("p")), contents(path("q")));
  EXPECT_FALSE(contents(path("p")).empty());
}

TEST_F(Process, FullStandardOutput) {
  std::string program = kProgram, train = data(50);
  ASSERT_EQ(shell(program + " fit " + train + " -o " + path("w")), 0);
  for (const std::string &command :
       {"predict " + train + " --weights " + path("w"),
        "coefficients --weights " + path("w"), std::string("plan"),
        std::string("info"), std::string("--help"), std::string("--version"),
        "fit " + train + " -o -"}) {
    EXPECT_EQ(shell(program + " " + command + " >/dev/full 2>" + path("e")), 1)
        << command;
    EXPECT_NE(contents(path("e")).find("fake: error: standard output"),
              std::string::npos)
        << contents(path("e"));
  }
}

#ifndef TAMRT_TEST_SANITIZED
// Sanitizers reserve terabytes of address space: the limit has no meaning
// there, and the build leaves the test out.
TEST_F(Process, FitsInTheMemoryThatInfoPromises) {
  const size_t rows = 200000, groups = 7;
  std::string train = data(rows);
  for (std::string program : {kProgram, kLearned}) {
    ASSERT_EQ(shell(program + " info --format=json > " + path("info")), 0);
    auto info = nlohmann::json::parse(contents(path("info")));
    auto &fit = info["fit"];
    auto number = [](const nlohmann::json &value) {
      return value.get<size_t>();
    };
    ASSERT_EQ(info["rungs"][0]["use"], "fit");
    for (size_t threads : {1, 2}) {
      size_t limit = number(fit["constant"]) +
                     threads * number(info["rungs"][0]["total"]) +
                     (threads - 1) * number(fit["per_thread"]) +
                     rows * number(fit["per_row"]) +
                     groups * number(fit["per_group"]);
      EXPECT_EQ(shell("ulimit -v " + std::to_string(limit / 1024) + " && " +
                      program + " fit " + train + " -o " + path("w") +
                      " --threads " + std::to_string(threads)),
                0)
          << program << " " << limit;
    }
  }
  std::string program = kProgram;
  // Far less is an error of one line, and no file is left.
  std::filesystem::remove(path("w"));
  std::string tight = "ulimit -v 16000 && " + program + " fit " + train +
                      " -o " + path("w") + " --threads 1 2>" + path("e");
  EXPECT_EQ(shell(tight), 1);
  std::string error = contents(path("e"));
  EXPECT_EQ(error.rfind("fake: error: ", 0), 0u) << error;
  EXPECT_EQ(error.find('\n'), error.size() - 1) << error;
  EXPECT_FALSE(std::filesystem::exists(path("w")));
}
#endif

TEST_F(Process, WeightsDoNotGoToATerminal) {
  std::string fit = std::string(kProgram) + " fit " + data(20) + " -o -";
  std::string output = " >" + path("w") + " 2>" + path("e");
  // See FakeTerminal.cpp.
  EXPECT_EQ(shell("TAMRT_TEST_TERMINAL=1 " + fit + output), 1);
  EXPECT_NE(contents(path("e")).find("terminal"), std::string::npos);
  EXPECT_EQ(contents(path("w")), "");
  EXPECT_EQ(shell(fit + output), 0);
  EXPECT_NE(contents(path("w")), "");
}

} // namespace
} // namespace tamrt::test
