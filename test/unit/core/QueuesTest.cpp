//===- QueuesTest.cpp - work of threads on a device -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Queues and batches on the simulated device, whose streams begin their work
/// late, so that what is not waited for is not there.
///
//===----------------------------------------------------------------------===//

#include "core/device/Batches.h"
#include "core/device/Queue.h"

#include "Sim.h"
#include "support/LaunchCode.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace tamrt::test {
namespace {

/// The device of a test.
class Queues : public testing::Test {
protected:
  Queues() { set("TAMRT_SIM_DELAY", "200"); }
  ~Queues() override {
    device = nullptr;
    for (const char *name : names)
      ::unsetenv(name);
  }
  void set(const char *name, const char *value) {
    ::setenv(name, value, 1);
    names.push_back(name);
  }
  void open() {
    device = nullptr;
    sim = std::make_unique<Sim>();
    Result<std::unique_ptr<Device>> opened = Device::open(*sim->table, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    device = *std::move(opened);
  }

  std::vector<const char *> names;
  std::unique_ptr<Sim> sim;
  std::unique_ptr<Device> device;
};

int32_t upload(Queue &queue, void *to, const void *from, size_t bytes) {
  const tamrt_copy copy = {to, from, bytes};
  return queue.upload({&copy, 1});
}

TEST_F(Queues, UploadsAreThereWhenTheStreamHasWaited) {
  for (const char *without : {"", "pinned", "streams", "streams,pinned"}) {
    SCOPED_TRACE(without);
    set("TAMRT_SIM_WITHOUT", without);
    open();
    Queue queue(*device);
    const bool hasStreams =
        std::string(without).find("streams") == std::string::npos;
    EXPECT_EQ(queue.stream() != nullptr, hasStreams);
    // More than all slots of the ring together.
    std::vector<double> from(100000), to(from.size());
    std::iota(from.begin(), from.end(), 1.0);
    const size_t bytes = from.size() * sizeof(double);
    AlignedBuffer buffer = device->allocate(bytes, "test", queue.stream());
    ASSERT_TRUE(buffer);
    for (int turn = 0; turn < 3; ++turn) {
      from[0] = turn;
      ASSERT_EQ(upload(queue, buffer.data(), from.data(), bytes), TAMRT_OK);
      tamrt_event *uploads = nullptr;
      ASSERT_EQ(queue.markUploads(uploads), TAMRT_OK);
      EXPECT_EQ(uploads != nullptr, hasStreams);
      if (uploads) {
        ASSERT_EQ(device->functions().stream_wait(device->backendHandle(),
                                                  queue.stream(), uploads),
                  TAMRT_OK);
      }
      ASSERT_EQ(queue.finish(), TAMRT_OK);
      ASSERT_EQ(device->copy(to.data(), buffer.data(), bytes), TAMRT_OK);
      EXPECT_EQ(to, from);
    }
    // Nothing was uploaded since.
    tamrt_event *uploads = nullptr;
    EXPECT_EQ(queue.markUploads(uploads), TAMRT_OK);
    EXPECT_EQ(uploads, nullptr);
  }
}

TEST_F(Queues, StreamsAreTakenAgain) {
  open();
  tamrt_stream *work = nullptr, *uploads = nullptr;
  {
    Queue queue(*device);
    work = queue.stream();
    uploads = queue.uploadStream();
    ASSERT_TRUE(work && uploads && work != uploads);
    Queue other(*device);
    EXPECT_NE(other.stream(), work);
  }
  Queue third(*device);
  EXPECT_EQ(third.stream(), work);
  Queue onCpu(Device::cpu());
  EXPECT_EQ(onCpu.stream(), nullptr);
}

/// A step that adds one column of the call's rows to its state.
class Batched : public Queues {
protected:
  Batched() {
    launches = {1, 5, code, nullptr, nullptr, nullptr, 0, nullptr};
    step.kind = TAMRT_STEP_FIT_CHUNK;
    step.launch_table = &launches;
    step.run = [](tamrt_context *ctx, void *, void *state, void *,
                  const double *, const void *const *, const double *,
                  const void *const *columns, double *, int64_t rows, int64_t,
                  int64_t) {
      const double *list[] = {static_cast<const double *>(columns[0])};
      tamrt_join_sums(ctx, list, 1, rows, static_cast<double *>(state));
    };
  }

  /// Threads that each add their rows some times; returns the trace.
  nlohmann::json runThreads(size_t threads) {
    Trace trace;
    {
      Batches batches(*device, &trace);
      std::vector<std::jthread> all;
      for (size_t thread = 0; thread < threads; ++thread)
        all.emplace_back([&, thread] { runOne(batches, unsigned(thread)); });
    }
    return nlohmann::json::parse(trace.json("m"))["traceEvents"];
  }

  /// Runs a call of the step; returns its status.
  int32_t runStep(Batches &batches, Queue &queue, unsigned lane,
                  const void *const *columns, void *state, int64_t rows) {
    tamrt_context context = {};
    context.kernels = device->kernels();
    tamrt_call call = {};
    call.context = &context;
    call.state = state;
    call.columns = columns;
    call.rows = rows;
    PostedCall posted;
    batches.post(posted, queue, step, call);
    EXPECT_EQ(batches.wait(posted, lane), TAMRT_OK);
    return context.status;
  }

  void runOne(Batches &batches, unsigned lane) {
    constexpr int64_t rows = 50;
    const std::vector<double> numbers(rows, lane + 1.0), zeros(rows);
    std::vector<double> sums(rows);
    Queue queue(*device);
    const size_t bytes = rows * sizeof(double);
    AlignedBuffer column = device->allocate(bytes, "column", queue.stream());
    AlignedBuffer state = device->allocate(bytes, "state", queue.stream());
    ASSERT_TRUE(column && state);
    ASSERT_EQ(upload(queue, state.data(), zeros.data(), bytes), TAMRT_OK);
    const void *columns[] = {column.data()};
    for (int turn = 0; turn < 10; ++turn) {
      ASSERT_EQ(upload(queue, column.data(), numbers.data(), bytes), TAMRT_OK);
      ASSERT_EQ(runStep(batches, queue, lane, columns, state.data(), rows),
                TAMRT_OK);
    }
    ASSERT_EQ(queue.finish(), TAMRT_OK);
    ASSERT_EQ(device->copy(sums.data(), state.data(), bytes), TAMRT_OK);
    EXPECT_EQ(sums, std::vector<double>(rows, 10 * (lane + 1.0)));
  }

  const int64_t code[6] = {positionOf_join_sums,    4,
                           in(TAMRT_SPACE_LIST, 1), in(TAMRT_SPACE_COLUMNS),
                           in(TAMRT_SPACE_ROWS),    in(TAMRT_SPACE_STATE)};
  tamrt_launches launches;
  tamrt_step step = {};
};

TEST_F(Batched, CallsOfThreadsRunTogether) {
  set("TAMRT_SIM_BATCH", "4");
  open();
  const nlohmann::json events = runThreads(8);
  int64_t calls = 0, most = 0;
  for (const nlohmann::json &event : events)
    if (event.value("name", "") == "batch") {
      const int64_t count = event["args"]["calls"];
      calls += count;
      most = std::max(most, count);
    }
  EXPECT_EQ(calls, 80);
  EXPECT_EQ(most, 4);
}

TEST_F(Batched, OneByOneWithoutThem) {
  for (const char *batch : {"0", "1"})
    for (const char *without : {"", "streams"}) {
      SCOPED_TRACE(std::string(batch) + without);
      set("TAMRT_SIM_BATCH", batch);
      set("TAMRT_SIM_WITHOUT", without);
      open();
      for (const nlohmann::json &event : runThreads(3))
        EXPECT_NE(event.value("name", ""), "batch");
    }
}

/// An error of one call is its own.
TEST_F(Batched, ACallFailsAlone) {
  set("TAMRT_SIM_BATCH", "3");
  set("TAMRT_SIM_FAIL_KERNEL", "2");
  open();
  Batches batches(*device, nullptr);
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> all;
    for (unsigned thread = 0; thread < 3; ++thread)
      all.emplace_back([&, thread] {
        Queue queue(*device);
        std::vector<double> state(3, 1.0), column(3, 2.0);
        const void *columns[] = {column.data()};
        const int32_t status =
            runStep(batches, queue, thread, columns, state.data(), 3);
        failures += status == TAMRT_ERROR_OUT_OF_MEMORY;
        EXPECT_EQ(state[2], status == TAMRT_OK ? 3.0 : 1.0);
      });
  }
  EXPECT_EQ(failures, 1);
}

} // namespace
} // namespace tamrt::test
