//===- core/ThreadsTest.cpp - what the threads of a run share -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Crews whose threads run out of memory at once, devices, traces, logs and
/// streams, used by more threads than there are processors. Under the preset
/// tsan it detects races, too.
///
//===----------------------------------------------------------------------===//

#include "Sim.h"

#include "core/Log.h"
#include "core/device/Devices.h"
#include "core/run/Crew.h"
#include "core/run/Work.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <poll.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tamrt::test {
namespace {

constexpr int kThreads = 8;
const std::string kFolder = TAMC_BINARY_DIR "/test/backends";
constexpr AllocatorKind kAllocators[] = {
    AllocatorKind::Direct, AllocatorKind::BestFit, AllocatorKind::Caching};

/// Calls work(round) for TAMC_THREADS_SECONDS, or for a fifth of one.
void again(const std::function<void(int)> &work) {
  const char *asked = std::getenv("TAMC_THREADS_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(asked ? std::atof(asked) : .2);
  for (int round = 0; round == 0 || std::chrono::steady_clock::now() < end;
       ++round)
    work(round);
}

/// Calls work(thread) in eight threads.
void inThreads(const std::function<void(int)> &work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&work, i] { work(i); });
}

// Steps that sum the indices of rows, and the failures to inject.

struct State {
  int64_t sum, calls;
};

/// One of so many chunks runs out of memory once it has been added; on the
/// CPU none does.
std::atomic<int64_t> failEvery = 0;
/// Rows of a chunk for which none does.
std::atomic<int64_t> safeRows = 1;
std::atomic<int64_t> chunks = 0;

void init(tamrt_context *, void *, void *state, void *, const double *,
          const void *const *, const double *, const void *const *, double *,
          int64_t, int64_t, int64_t) {
  *static_cast<State *>(state) = {};
}

void chunk(tamrt_context *ctx, void *arena, void *state, void *carry,
           const double *, const void *const *, const double *,
           const void *const *, double *, int64_t rows, int64_t first,
           int64_t groupRows) {
  auto *sums = static_cast<State *>(state);
  auto *next = static_cast<int64_t *>(carry);
  auto *temporary = static_cast<int64_t *>(arena);
  // Rows of a group come in order, each once.
  if (first > 0 && *next != first)
    return void(ctx->status = TAMRT_ERROR_INVALID_ARGUMENT);
  for (int64_t i = 0; i < rows; ++i)
    temporary[i] = first + i;
  for (int64_t i = 0; i < rows; ++i)
    sums->sum += temporary[i];
  *next = first + rows;
  ++sums->calls;
  if (groupRows % 100 == 99) {
    ctx->status = TAMRT_ERROR_NOT_POSITIVE_DEFINITE;
    ctx->detail = 0;
  } else if (failEvery > 0 && rows > safeRows && ++chunks % failEvery == 0 &&
             ctx->kernels != Device::cpu().kernels()) {
    ctx->status = TAMRT_ERROR_OUT_OF_MEMORY;
    ctx->detail = 64;
  }
}

void finish(tamrt_context *, void *, void *state, void *, const double *,
            const void *const *, const double *, const void *const *,
            double *output, int64_t, int64_t, int64_t) {
  output[0] = double(static_cast<State *>(state)->sum);
}

tamrt_step step(tamrt_step_kind kind, tamrt_step_function run, int64_t rows) {
  tamrt_step step = {};
  step.kind = kind;
  step.run = run;
  step.rung_rows = rows;
  step.arena_bytes = rows * int64_t(sizeof(int64_t));
  return step;
}

class Threads : public testing::Test {
protected:
  Threads() {
    steps.push_back(step(TAMRT_STEP_FIT_INIT, init, 0));
    for (int64_t rows : {64, 32, 16, 8, 4, 2, 1})
      steps.push_back(step(TAMRT_STEP_FIT_CHUNK, chunk, rows));
    steps.push_back(step(TAMRT_STEP_FIT_FINISH, finish, 0));
    model.name = "m";
    model.group = "g";
    model.solver = "direct";
    model.columns = 1;
    model.effects = &effect;
    model.effect_count = 1;
    model.state_bytes = sizeof(State);
    model.carry_bytes = sizeof(int64_t);
    model.steps = steps.data();
    model.step_count = int64_t(steps.size());
    for (size_t i = 0; i < 40; ++i)
      groups.push_back({"G" + std::to_string(i), 0, 150 + i, i});
    failEvery = 0;
    safeRows = 1;
    ::setenv("TAMRT_SIM_MEMORY", "10000000", 1);
    Result<ChosenDevice> found = chooseDevice("sim", {{kFolder}});
    EXPECT_TRUE(found);
    device = *std::move(found);
    options.threads = kThreads;
    options.device = &*device;
  }
  ~Threads() override { ::unsetenv("TAMRT_SIM_MEMORY"); }

  /// Fits all groups. \returns the error, or "".
  std::string fit() {
    Result<Crew> crew = makeFitCrew(model, groups.size(), 200, options);
    if (!crew)
      return crew.error().message;
    EXPECT_EQ(crew->workers.size(), size_t(kThreads));
    std::vector<double> sums(groups.size(), -1.0);
    Work work(model, groups, *crew, options, "fit");
    Status done = work.run([&](Worker &worker, size_t g) {
      Ladder &ladder = *crew->ladder;
      const auto all = int64_t(groups[g].rows);
      worker.attempt(
          ladder, [&] { worker.place.run(steps.front(), nullptr, 0, 0, all); });
      attemptChunks(
          ladder, worker, TAMRT_STEP_FIT_CHUNK, groups[g].rows,
          [&](const tamrt_step &step, size_t first, size_t rows) {
            worker.place.run(step, nullptr, int64_t(rows), int64_t(first), all);
          },
          [&](size_t, size_t rows) { work.done(worker, rows); });
      if (worker.place.good())
        worker.attempt(ladder, [&] {
          worker.place.run(steps.back(), nullptr, all, 0, all);
        });
      if (worker.place.good())
        sums[g] = worker.place.output[0];
    });
    if (!done)
      return done.error().message;
    crew->ladder->summarize();
    for (size_t g = 0; g < groups.size(); ++g)
      EXPECT_EQ(sums[g],
                double(groups[g].rows) * double(groups[g].rows - 1) / 2)
          << g;
    return "";
  }

  std::vector<tamrt_step> steps;
  tamrt_effect effect = {"offset", "offset", 0, 1, 1, 0};
  tamrt_model model = {};
  std::vector<Group> groups;
  ChosenDevice device;
  RunOptions options;
};

TEST_F(Threads, StepDownTogether) {
  for (AllocatorKind kind : kAllocators) {
    device->useAllocator({.kind = kind});
    again([&](int) {
      failEvery = 29;
      EXPECT_EQ(fit(), "");
      EXPECT_EQ(device->usedBytes(), 0);
    });
  }
}

TEST_F(Threads, MoveToTheCpuTogether) {
  options.allowCpuFallback = true;
  // At once, and never again.
  safeRows = 0;
  again([&](int round) {
    failEvery = 1 + round % 7;
    EXPECT_EQ(fit(), "");
    EXPECT_EQ(device->usedBytes(), 0);
    EXPECT_EQ(Device::cpu().usedBytes(), 0);
  });
}

TEST_F(Threads, RunOutTogether) {
  safeRows = 0;
  failEvery = 1;
  again([&](int) {
    EXPECT_NE(fit().find("group 'G0': expected "), std::string::npos);
    EXPECT_EQ(device->usedBytes(), 0);
  });
}

TEST_F(Threads, TheErrorIsTheFirstGroups) {
  groups[11].rows = groups[12].rows = groups[39].rows = 199;
  again([&](int) {
    failEvery = 31;
    EXPECT_NE(fit().find("group 'G11': effect 'offset': expected a positive "
                         "definite system"),
              std::string::npos);
  });
}

/// Events of a trace as Perfetto reads them: by time, spans that nest.
void checkTrace(const std::string &text, int64_t used) {
  const auto events = nlohmann::json::parse(text)["traceEvents"];
  std::map<int, std::vector<std::string>> open;
  double last = 0;
  int64_t bytes = 0;
  for (const auto &event : events) {
    const std::string phase = event["ph"];
    EXPECT_EQ(event["pid"], 1);
    if (phase == "M")
      continue;
    EXPECT_GE(event["ts"], last);
    last = event["ts"];
    std::vector<std::string> &stack = open[event["tid"]];
    if (phase == "B") {
      stack.push_back(event["name"]);
    } else if (phase == "E") {
      ASSERT_FALSE(stack.empty());
      stack.pop_back();
    } else if (phase == "C") {
      bytes = event["args"]["bytes"];
      EXPECT_GE(bytes, 0);
    }
  }
  for (const auto &[lane, stack] : open)
    EXPECT_TRUE(stack.empty()) << lane;
  EXPECT_EQ(bytes, used);
}

TEST_F(Threads, TraceOfThreadsThatStepDown) {
  again([&](int) {
    Trace trace;
    device->follow(&trace);
    options.trace = &trace;
    failEvery = 29;
    EXPECT_EQ(fit(), "");
    device->follow(nullptr);
    checkTrace(trace.json("m"), 0);
  });
}

TEST_F(Threads, DeviceAndTrace) {
  auto work = [&](int round, AllocatorKind kind) {
    device->useAllocator({.kind = kind});
    device->keepSnapshot(true);
    Trace trace;
    device->follow(&trace);
    std::array<AlignedBuffer, kThreads> kept;
    inThreads([&](int thread) {
      const auto lane = unsigned(thread);
      for (int turn = 0; turn < 50; ++turn) {
        const TraceSpan span(&trace, lane, "turn", {{"turn", turn}});
        const size_t bytes = size_t(64) << ((thread + turn + round) % 8);
        AlignedBuffer block = device->allocate(bytes, "test");
        ASSERT_TRUE(block);
        *block.as<int>() = thread;
        trace.instant(lane, "taken", {{"bytes", int64_t(bytes)}});
        EXPECT_FALSE(device->allocate(size_t(1) << 40, "test"));
        device->purge();
        EXPECT_LE(device->memory().freeBytes, 10000000);
        EXPECT_EQ(*block.as<int>(), thread);
        if (turn % 10 == 9)
          kept[lane] = std::move(block);
      }
    });
    const int64_t used = device->usedBytes();
    EXPECT_GE(device->statistics().used.peak, size_t(used));
    EXPECT_EQ(device->memory().freeBytes, 10000000 - used);
    // What it says last is what is in use.
    checkTrace(trace.json("m"), used);
    device->follow(nullptr);
    kept = {};
    EXPECT_EQ(device->usedBytes(), 0);
    const MemoryStatistics peak = device->snapshotOfPeak().statistics;
    EXPECT_GT(peak.used.now, 0u);
    EXPECT_LE(peak.used.now, device->statistics().used.peak);
  };
  again([&](int round) {
    for (AllocatorKind kind : kAllocators)
      work(round, kind);
  });
}

TEST_F(Threads, LinesOfALogStayWhole) {
  startLog("m", LogLevel::Info);
  testing::internal::CaptureStderr();
  inThreads([](int thread) {
    for (int i = 0; i < 50; ++i) {
      log(LogLevel::Warning, "{} {}", thread,
          std::string(300, char('a' + i % 26)));
      log(LogLevel::Debug, "not printed");
    }
  });
  std::istringstream lines(testing::internal::GetCapturedStderr());
  startLog("m", LogLevel::None);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_EQ(line.find("m: warning: "), 0u) << line;
    ASSERT_EQ(line.size(), 12u + 2 + 300) << line;
    EXPECT_EQ(line.find_first_not_of(line.back(), 14), std::string::npos);
  }
  EXPECT_EQ(count, 50 * kThreads);
}

TEST_F(Threads, ProgressIsOneThreads) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  // See FakeTerminal.cpp.
  ::setenv("TAMRT_TEST_TERMINAL", std::to_string(ends[1]).c_str(), 1);
  {
    Progress progress(ends[1], "m",
                      Progress::Clock::now() - std::chrono::seconds(2));
    options.progress = &progress;
    // The thread that tells of it may come too late for any group.
    pollfd shown = {ends[0], POLLIN, 0};
    for (int turn = 0; turn < 1000 && ::poll(&shown, 1, 0) == 0; ++turn)
      EXPECT_EQ(fit(), "");
  }
  ::unsetenv("TAMRT_TEST_TERMINAL");
  ::close(ends[1]);
  char text[64] = {};
  EXPECT_GT(::read(ends[0], text, sizeof(text) - 1), 0);
  ::close(ends[0]);
  EXPECT_NE(std::string(text).find("m: fit: "), std::string::npos) << text;
}

/// A number that streams increment alternately, ordered only by events.
TEST(Streams, EventsOrderThreads) {
  // Streams work in threads of their own.
  ::setenv("TAMRT_SIM_DELAY", "1", 1);
  Sim sim;
  ::unsetenv("TAMRT_SIM_DELAY");
  const tamrt_backend &table = *sim.table;
  std::array<tamrt_stream *, 4> streams;
  for (tamrt_stream *&stream : streams)
    stream = table.stream_create(sim.device);
  auto add = [](void *at) { ++*static_cast<int64_t *>(at); };
  again([&](int) {
    inThreads([&](int thread) {
      int64_t count = 0;
      tamrt_event *event = table.event_create(sim.device);
      for (int turn = 0; turn < 20; ++turn) {
        tamrt_stream *one = streams[size_t(thread + turn) % 4];
        tamrt_stream *other = streams[size_t(thread + turn / 4 + 1) % 4];
        sim.call(one, add, &count);
        table.event_record(sim.device, event, one);
        table.stream_wait(sim.device, other, event);
        sim.call(other, add, &count);
        table.event_record(sim.device, event, other);
        if (turn % 2 == 0)
          table.event_synchronize(sim.device, event);
        else
          while (!table.event_query(sim.device, event))
            std::this_thread::yield();
        EXPECT_EQ(count, 2 * (turn + 1));
      }
      table.event_destroy(sim.device, event);
    });
    for (tamrt_stream *stream : streams)
      table.synchronize(sim.device, stream);
  });
  for (tamrt_stream *stream : streams)
    table.stream_destroy(sim.device, stream);
}

/// Kernels of contexts that have streams.
TEST(Streams, KernelsOfThreads) {
  ::setenv("TAMRT_SIM_DELAY", "1", 1);
  Sim sim;
  ::unsetenv("TAMRT_SIM_DELAY");
  const tamrt_backend &table = *sim.table;
  again([&](int) {
    inThreads([&](int) {
      tamrt_stream *stream = table.stream_create(sim.device);
      tamrt_context context = {};
      context.kernels = table.kernels(sim.device);
      context.device = stream;
      const size_t bytes = 64 * sizeof(double);
      auto *values = static_cast<double *>(table.allocate(sim.device, bytes));
      std::array<double, 64> got{};
      for (int turn = 0; turn < 10; ++turn) {
        context.kernels->offset(&context, 64, values);
        table.copy(sim.device, got.data(), values, bytes, stream);
        table.synchronize(sim.device, stream);
        EXPECT_EQ(got[63], 1.0);
        got[63] = 0;
      }
      table.release(sim.device, values, bytes);
      table.stream_destroy(sim.device, stream);
    });
  });
}

} // namespace
} // namespace tamrt::test
