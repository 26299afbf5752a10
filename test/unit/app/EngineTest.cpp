//===- EngineTest.cpp - runs inside a program -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "tamrt/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tamrt::test {
namespace {

/// Rows of three groups and levels.
class Frame {
public:
  explicit Frame(int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      groups.push_back(i % 3);
      levels += char('a' + i / 3 % 3);
      ends.push_back(int32_t(i));
      numbers.push_back(double(i * 7 % 101));
      targets.push_back(double(i % 13));
    }
    ends.push_back(int32_t(rows));
    columns[0].type = TAMRT_FRAME_I64;
    columns[0].values = groups.data();
    columns[1].type = TAMRT_FRAME_F64;
    columns[1].values = numbers.data();
    columns[2].type = TAMRT_FRAME_TEXT32;
    columns[2].values = ends.data();
    columns[2].text = levels.data();
    columns[3].type = TAMRT_FRAME_F64;
    columns[3].values = targets.data();
    batch = {rows, columns};
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  tamrt_frame get() const { return {"frame", 4, names, 1, &batch}; }

private:
  static constexpr const char *names[] = {"g", "x", "d", "y"};
  std::vector<int64_t> groups;
  std::string levels;
  std::vector<int32_t> ends;
  std::vector<double> numbers, targets;
  tamrt_frame_column columns[4] = {};
  tamrt_frame_batch batch = {};
};

const std::vector<std::string> kOptions = {"--threads=2"};

/// The exit status of a child that calls `body`; -1 if it had to be ended.
template <class Body> int forked(const Body &body) {
  const pid_t child = fork();
  if (child == 0) {
    // Ends a wait for threads of the parent.
    alarm(60);
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Engine, RunsInTheChildOfAFork) {
  FakeModel model;
  const EngineModel engine(model.get());
  const Frame frame(3000);
  const tamrt_frame rows = frame.get();
  EngineReport report;
  const auto fitted =
      FittedModel::fit(engine, rows, "fit", kOptions, {}, report);
  ASSERT_TRUE(fitted) << report.error;
  auto predict = [&] {
    return fitted->predict(rows, "predict", kOptions, {}, report).numbers;
  };
  const std::vector<double> expected = predict();
  ASSERT_EQ(report.error, "");
  EXPECT_EQ(forked([&] { return predict() == expected ? 0 : 1; }), 0);
  EXPECT_EQ(forked([&] {
              const auto again =
                  FittedModel::fit(engine, rows, "fit", kOptions, {}, report);
              return again && again->coefficients() == fitted->coefficients()
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(predict(), expected);
}

TEST(Engine, RefusesRunsInTheChildOfAForkDuringARun) {
  FakeModel model;
  const EngineModel engine(model.get());
  const Frame frame(400'000);
  const tamrt_frame rows = frame.get();
  // The run goes on until its caller is told to go on.
  std::atomic<bool> isUnderWay = false, isForked = false;
  std::thread other([&] {
    EngineReport report;
    EngineWatch watch;
    watch.isInterrupted = [&] {
      isUnderWay = true;
      isForked.wait(false);
      return false;
    };
    // A run that ends soon is not asked whether it goes on.
    for (int64_t count = 400'000; !isUnderWay; count *= 2) {
      const Frame more(count);
      FittedModel::fit(engine, more.get(), "fit", kOptions, watch, report);
    }
  });
  while (!isUnderWay)
    std::this_thread::yield();
  EXPECT_EQ(forked([&] {
              EngineReport report;
              const auto fitted =
                  FittedModel::fit(engine, rows, "fit", kOptions, {}, report);
              return !fitted && report.error.find("forked during a run") !=
                                    std::string::npos
                         ? 0
                         : 1;
            }),
            0);
  isForked = true;
  isForked.notify_all();
  other.join();
  EngineReport report;
  EXPECT_TRUE(FittedModel::fit(engine, rows, "fit", kOptions, {}, report))
      << report.error;
}

} // namespace
} // namespace tamrt::test
