//===- FakeTest.cpp - what the fake driver does and finds -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "backends/cuda/Fake.h"
#include "backends/cuda/Sums.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace tamrt::cuda;

namespace {

/// Writes an index to each number, and fails at one.
struct Count {
  static constexpr const char *name = "count";
  static constexpr bool hasBarriers = false;

  Buffer<double> out;
  int64_t failsAt = -1;

  template <class Block> void operator()(Block &block) const {
    auto to = block.view(out);
    for (int64_t i = block.index(); i < out.count; i += block.total()) {
      to[i] = double(i);
      if (i == failsAt)
        block.fail(1, i);
    }
  }
};

/// Doubles what is there.
struct Twice {
  static constexpr const char *name = "twice";
  static constexpr bool hasBarriers = false;

  Buffer<double> out;

  template <class Block> void operator()(Block &block) const {
    auto to = block.view(out);
    for (int64_t i = block.index(); i < out.count; i += block.total())
      to[i] *= 2.0;
  }
};

class FakeTest : public ::testing::Test {
protected:
  void begin(fake::Settings settings = {}) {
    settings.log = [this](const std::string &what) { said.push_back(what); };
    fake::start(settings);
    cudaSetDevice(0);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
              cudaSuccess);
    void *memory = nullptr, *host = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(&host, kBytes, cudaHostAllocMapped), cudaSuccess);
    numbers = static_cast<double *>(memory);
    pinned = static_cast<double *>(host);
  }
  static fake::Settings with(Order order) {
    fake::Settings settings;
    settings.order = order;
    return settings;
  }

  template <class Body>
  cudaError_t launch(Body body, FailureSlot slot = {},
                     cudaStream_t in = nullptr) {
    dim3 blocks, threads;
    threads.x = 32;
    Many<Body> many;
    many.count = 1;
    many.ends[0] = 1;
    many.slots[0] = slot;
    many.bodies[0] = body;
    void *arguments[] = {&many};
    return cudaLaunchKernel(fake::kernelOf<Body>(), blocks, threads, arguments,
                            0, in ? in : stream);
  }
  cudaError_t download(double *to) {
    return cudaMemcpyAsync(to, numbers, kBytes, cudaMemcpyDefault, stream);
  }
  bool hasSaid(const std::string &part) const {
    for (const std::string &what : said)
      if (what.find(part) != std::string::npos)
        return true;
    return false;
  }

  static constexpr int64_t kCount = 10;
  static constexpr size_t kBytes = kCount * sizeof(double);
  cudaStream_t stream = nullptr;
  double *numbers = nullptr, *pinned = nullptr;
  std::vector<std::string> said;
};

} // namespace

TEST_F(FakeTest, WorkIsLate) {
  begin(with(Order::Backward));
  pinned[3] = -1.0;
  EXPECT_EQ(launch(Count{{numbers, kCount}}), cudaSuccess);
  EXPECT_EQ(download(pinned), cudaSuccess);
  EXPECT_EQ(pinned[3], -1.0);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(pinned[3], 3.0);
  EXPECT_EQ(fake::waitingCopies(), 0u);
  // Other memory of the CPU cannot be written later.
  double own[kCount];
  EXPECT_EQ(launch(Twice{{numbers, kCount}}), cudaSuccess);
  EXPECT_EQ(download(own), cudaSuccess);
  EXPECT_EQ(own[3], 6.0);
  EXPECT_EQ(fake::waitingCopies(), 1u);
}

TEST_F(FakeTest, StreamsWaitForEvents) {
  for (Order order : {Order::Forward, Order::Backward, Order::Random}) {
    begin(with(order));
    cudaStream_t other = nullptr;
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, 0), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, 0), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
    launch(Count{{numbers, kCount}});
    EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    if (order == Order::Backward) {
      EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
    }
    EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    launch(Twice{{numbers, kCount}}, {}, other);
    EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
    download(pinned);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(pinned[4], 8.0);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  }
}

TEST_F(FakeTest, FailuresStopTheKernelsAfterThem) {
  begin(with(Order::Backward));
  void *memory = nullptr, *host = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, sizeof(Failure)), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&host, sizeof(Failure), 0), cudaSuccess);
  const FailureSlot slot = {static_cast<Failure *>(memory),
                            static_cast<Failure *>(host)};
  EXPECT_EQ(cudaMemsetAsync(memory, 0, sizeof(Failure), stream), cudaSuccess);
  launch(Count{{numbers, kCount}, 7}, slot);
  launch(Twice{{numbers, kCount}}, slot);
  download(pinned);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(slot.mirror->status, 1);
  EXPECT_EQ(slot.mirror->detail, 7);
  EXPECT_EQ(pinned[9], 9.0);
}

TEST_F(FakeTest, CallsOfALaunch) {
  for (Order order : {Order::Forward, Order::Backward, Order::Random}) {
    begin(with(order));
    // Blocks count from 0 in each.
    Many<Count> many;
    many.count = 3;
    for (int i = 0; i < many.count; ++i) {
      many.ends[i] = unsigned(2 * i + 2);
      many.bodies[i] = {{numbers + 3 * i, 3}};
    }
    dim3 blocks, threads;
    blocks.x = 6;
    threads.x = 1;
    void *arguments[] = {&many};
    const auto launchAll = [&] {
      return cudaLaunchKernel(fake::kernelOf<Count>(), blocks, threads,
                              arguments, 0, stream);
    };
    EXPECT_EQ(launchAll(), cudaSuccess);
    download(pinned);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(pinned[8], 2.0);
    EXPECT_EQ(pinned[3], 0.0);
    // They run at the same time.
    many.bodies[1] = many.bodies[0];
    EXPECT_EQ(launchAll(), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
    EXPECT_TRUE(hasSaid("race: writes what")) << said.back();
    begin(with(order));
    blocks.x = 5;
    EXPECT_EQ(launchAll(), cudaErrorInvalidValue);
  }
}

TEST_F(FakeTest, CallsThatFailedBefore) {
  for (Order order : {Order::Forward, Order::Backward, Order::Random}) {
    begin(with(order));
    void *memory = nullptr, *host = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, sizeof(Failure)), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(&host, sizeof(Failure), 0), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory, 0, sizeof(Failure), stream), cudaSuccess);
    const FailureSlot slot = {static_cast<Failure *>(memory),
                              static_cast<Failure *>(host)};
    dim3 blocks, threads;
    blocks.x = 3;
    threads.x = 1;
    for (int failing = 0; failing < 3; ++failing) {
      EXPECT_EQ(cudaMemsetAsync(memory, 0, sizeof(Failure), stream),
                cudaSuccess);
      Many<Count> count;
      Many<Twice> twice;
      count.count = twice.count = 3;
      for (int i = 0; i < 3; ++i) {
        count.ends[i] = twice.ends[i] = unsigned(i + 1);
        count.bodies[i] = {{numbers + 3 * i, 3}, i == failing ? 0 : -1};
        twice.bodies[i] = {{numbers + 3 * i, 3}};
      }
      count.slots[failing] = twice.slots[failing] = slot;
      void *first[] = {&count}, *second[] = {&twice};
      EXPECT_EQ(cudaLaunchKernel(fake::kernelOf<Count>(), blocks, threads,
                                 first, 0, stream),
                cudaSuccess);
      EXPECT_EQ(cudaLaunchKernel(fake::kernelOf<Twice>(), blocks, threads,
                                 second, 0, stream),
                cudaSuccess);
      download(pinned);
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(pinned[3 * i + 2], i == failing ? 2.0 : 4.0);
    }
  }
}

TEST_F(FakeTest, ErrorsOfTheCaller) {
  fake::Settings two;
  two.devices = 2;
  begin(two);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(launch(Count{{numbers, kCount}}), cudaErrorInvalidResourceHandle);
  EXPECT_TRUE(hasSaid("the stream is one of another device"));
  EXPECT_EQ(cudaFree(numbers), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaFree(numbers + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
  EXPECT_EQ(cudaFree(numbers), cudaErrorInvalidValue);
  EXPECT_EQ(download(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(this, dim3(), dim3(), nullptr, 0, stream),
            cudaErrorInvalidResourceHandle);
}

TEST_F(FakeTest, KernelsThatUseWrongMemory) {
  double own[kCount];
  const auto check = [&](double *memory, const char *what) {
    // Every call on the device fails from then on.
    EXPECT_EQ(launch(Count{{memory, kCount}}), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
    EXPECT_EQ(download(pinned), cudaErrorLaunchFailure);
    EXPECT_TRUE(hasSaid(what)) << said.back();
  };
  begin(with(Order::Backward));
  check(own, "kernel 'count', block 0, thread 31: expected memory of the "
             "device, got the CPU's");
  begin(with(Order::Backward));
  check(numbers + 1, "expected 80 bytes in a block of 80 bytes, got them from "
                     "byte 8 on");
  begin(with(Order::Backward));
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
  check(numbers, "bytes, got them from byte");
}

TEST_F(FakeTest, TheNthCallFails) {
  fake::Settings settings;
  settings.failAt = 2;
  settings.failures = 2;
  settings.failCall = "cudaStreamSynchronize";
  begin(settings);
  for (cudaError_t expected : {cudaSuccess, cudaErrorMemoryAllocation,
                               cudaErrorMemoryAllocation, cudaSuccess})
    EXPECT_EQ(cudaStreamSynchronize(stream), expected);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  // One of a kernel stays.
  settings.error = cudaErrorIllegalAddress;
  settings.failures = 1;
  begin(settings);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(launch(Count{{numbers, kCount}}), cudaErrorIllegalAddress);
}
