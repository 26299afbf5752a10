//===- AllocatorsTest.cpp - the allocators of a device --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim.h"

#include "core/Trace.h"
#include "core/device/Device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tamrt::test {
namespace {

constexpr int64_t kTotal = 10000 * 64;

/// A device that counts its requests.
struct Counts {
  int64_t used = 0, kept = 0;
  int calls = 0, releases = 0, purges = 0;
} counts;

tamrt_backend countingBackend(bool keeps) {
  static int handle;
  tamrt_backend table = cpuBackend();
  table.kind = "counting";
  table.open = [](int32_t, char *, size_t) {
    return reinterpret_cast<tamrt_device *>(&handle);
  };
  table.traits = [](tamrt_device *) {
    return uint32_t(TAMRT_DEVICE_HOST_ADDRESSABLE);
  };
  table.memory = [](tamrt_device *, int64_t *freeBytes, int64_t *totalBytes) {
    *freeBytes = kTotal - counts.used - counts.kept;
    *totalBytes = kTotal;
    return int32_t(TAMRT_OK);
  };
  table.allocate = [](tamrt_device *, size_t bytes) -> void * {
    ++counts.calls;
    if (counts.used + counts.kept + int64_t(bytes) > kTotal)
      return nullptr;
    counts.used += int64_t(bytes);
    return std::aligned_alloc(TAMRT_ALIGNMENT, bytes);
  };
  table.release = [](tamrt_device *, void *memory, size_t bytes) {
    ++counts.releases;
    counts.used -= int64_t(bytes);
    std::free(memory);
  };
  if (keeps) {
    table.release = [](tamrt_device *, void *memory, size_t bytes) {
      ++counts.releases;
      counts.used -= int64_t(bytes);
      counts.kept += int64_t(bytes);
      std::free(memory);
    };
    table.purge = [](tamrt_device *) {
      ++counts.purges;
      counts.kept = 0;
    };
  }
  return table;
}

class Allocators : public testing::TestWithParam<AllocatorKind> {
protected:
  void SetUp() override {
    counts = {};
    open(countingBackend(/*keeps=*/false));
  }
  void TearDown() override {
    device.reset();
    EXPECT_EQ(counts.used, 0);
  }
  void open(const tamrt_backend &of, double fraction = 1) {
    device.reset();
    backend = of;
    device = *Device::open(backend, 0);
    device->useAllocator({.kind = GetParam(), .fraction = fraction});
  }
  AlignedBuffer take(int64_t units) {
    return device->allocate(size_t(units * TAMRT_ALIGNMENT), "taken");
  }
  bool isDirect() const { return GetParam() == AllocatorKind::Direct; }

  tamrt_backend backend;
  std::unique_ptr<Device> device;
};

TEST_P(Allocators, TakeWhatIsAskedForAndNoMore) {
  AlignedBuffer a = take(10), b = take(300), c = device->allocate(1, "odd");
  EXPECT_EQ(counts.calls, 3);
  EXPECT_EQ(counts.used, 311 * 64);
  const MemoryStatistics now = device->statistics();
  EXPECT_EQ(now.used.now, 311u * 64);
  EXPECT_EQ(now.reserved.now, 311u * 64);
  EXPECT_EQ(now.requested.now, 311u * 64);
  EXPECT_EQ(now.largestFree, 0u);
  EXPECT_EQ(device->usedBytes(), 311 * 64);
  EXPECT_EQ(device->memory().freeBytes, kTotal - 311 * 64);
}

TEST_P(Allocators, KeepWhatIsReleasedUnlessDirect) {
  take(300);
  EXPECT_EQ(device->memory().freeBytes, kTotal);
  EXPECT_EQ(counts.used, isDirect() ? 0 : 300 * 64);
  {
    // Two of one, for nothing is lost of a block that is cut.
    AlignedBuffer a = take(100), b = take(200);
    EXPECT_EQ(counts.calls, isDirect() ? 3 : 1);
    EXPECT_EQ(device->memory().freeBytes, kTotal - 300 * 64);
  }
  EXPECT_EQ(device->statistics().largestFree, isDirect() ? 0u : 300u * 64);
  device->purge();
  EXPECT_EQ(counts.used, 0);
  EXPECT_EQ(device->statistics().reserved.peak, 300u * 64);
}

TEST_P(Allocators, PurgeAndTryOnceMore) {
  Trace trace;
  device->follow(&trace);
  AlignedBuffer held = take(1000);
  take(5000);
  const int before = counts.calls;
  // There is room besides the memory in use, but not besides the kept memory as
  // well.
  EXPECT_TRUE(take(8000));
  EXPECT_EQ(counts.calls - before, isDirect() ? 1 : 2);
  EXPECT_EQ(device->statistics().retries, isDirect() ? 0u : 1u);
  EXPECT_EQ(trace.json("m").find("purge and retry") == std::string::npos,
            isDirect());
  device->follow(nullptr);
}

TEST_P(Allocators, WaitForWhatOtherThreadsRelease) {
  using namespace std::chrono_literals;
  Trace trace;
  device->useAllocator({.kind = GetParam(), .wait = 1h});
  device->follow(&trace);
  AlignedBuffer most = take(9000);
  std::atomic<bool> isTaken = false;
  std::thread other([&] {
    while (!isTaken &&
           trace.json("m").find("\"wait for memory\"") == std::string::npos)
      std::this_thread::sleep_for(1ms);
    most = {};
  });
  EXPECT_TRUE(take(5000));
  isTaken = true;
  other.join();
  const std::string events = trace.json("m");
  EXPECT_NE(events.find("\"wait for memory\""), std::string::npos);
  EXPECT_NE(events.find("\"waited for memory\""), std::string::npos);
  device->follow(nullptr);
}

TEST_P(Allocators, WaitNoLongerThanAllowedInAll) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  device->useAllocator({.kind = GetParam(), .wait = 40ms});
  AlignedBuffer most = take(9000);
  const Clock::time_point begin = Clock::now();
  EXPECT_FALSE(take(5000));
  EXPECT_GE(Clock::now() - begin, 40ms);
  // The time is used up: the backend is asked no more often than without waits.
  const int before = counts.calls;
  EXPECT_FALSE(take(5000));
  EXPECT_LE(counts.calls - before, 2);
  most = {};
  EXPECT_TRUE(take(5000));
}

/// Eight threads take more than there is: all get it in the end.
TEST_P(Allocators, ServeAllThatWait) {
  device->useAllocator({.kind = GetParam(), .wait = std::chrono::hours(1)});
  std::atomic<int> served = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn)
        served += bool(take(6000));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(served, 8 * 20);
}

TEST_P(Allocators, AreAskedAtMostTwice) {
  for (bool keeps : {false, true}) {
    SCOPED_TRACE(keeps);
    open(countingBackend(keeps));
    AlignedBuffer held = take(1000);
    take(5000);
    const int before = counts.calls;
    EXPECT_FALSE(take(9500));
    EXPECT_EQ(counts.calls - before, isDirect() && !keeps ? 1 : 2);
    EXPECT_EQ(device->statistics().failures, 1u);
    // All there is can be had afterwards.
    EXPECT_TRUE(take(9000));
  }
}

TEST_P(Allocators, PurgeTheBackendToo) {
  open(countingBackend(/*keeps=*/true));
  take(6000);
  device->purge();
  EXPECT_EQ(counts.purges, 1);
  EXPECT_EQ(counts.kept, 0);
  take(6000);
  EXPECT_TRUE(take(7000));
  EXPECT_EQ(counts.purges, 2);
}

TEST_P(Allocators, TakeTheirShareAlone) {
  open(countingBackend(/*keeps=*/false), 0.3);
  EXPECT_EQ(device->memory().freeBytes, 3000 * 64);
  EXPECT_EQ(device->memory().source, "--memory-fraction");
  AlignedBuffer held = take(1000);
  EXPECT_EQ(device->memory().freeBytes, 2000 * 64);
  EXPECT_FALSE(take(2001));
  // The backend would have had it.
  EXPECT_EQ(counts.calls, 1);
  AlignedBuffer rest = take(2000);
  EXPECT_TRUE(rest);
  EXPECT_EQ(device->memory().freeBytes, 0);
}

TEST_P(Allocators, SnapshotIsOfThePeak) {
  device->keepSnapshot(true);
  {
    AlignedBuffer arena = device->allocate(640, "arena");
    AlignedBuffer state = device->allocate(64, "state");
  }
  AlignedBuffer now = device->allocate(128, "output");
  MemorySnapshot snapshot = device->snapshotOfPeak();
  EXPECT_EQ(snapshot.name, "counting");
  EXPECT_EQ(snapshot.statistics.used.now, 704u);
  ASSERT_EQ(snapshot.tags.size(), 3u);
  EXPECT_EQ(snapshot.tags[1].name, "arena");
  EXPECT_EQ(snapshot.tags[1].requested.peak, 640u);
  EXPECT_EQ(snapshot.tags[2].name, "state");
  // Where now is the peak it is of now.
  AlignedBuffer more = device->allocate(6400, "output");
  snapshot = device->snapshotOfPeak();
  EXPECT_EQ(snapshot.statistics.used.now, 6528u);
  EXPECT_EQ(snapshot.tags[3].name, "output");
}

/// Two streams of the simulated device, which can be paused.
struct SimStreams : Sim {
  SimStreams()
      : one(table->stream_create(device)), other(table->stream_create(device)) {
  }
  ~SimStreams() {
    table->stream_destroy(device, one);
    table->stream_destroy(device, other);
  }

  tamrt_stream *one, *other;
};

TEST_P(Allocators, BlocksThatAStreamUsesAreNobodysBefore) {
  SimStreams sim;
  open(*sim.table);
  // Written by the stream when it goes on.
  auto write = [](void *at) { *static_cast<std::atomic<int> *>(at) = 7; };
  for (bool isOwner : {false, true}) {
    SCOPED_TRACE(isOwner);
    AlignedBuffer block = device->allocate(sizeof(std::atomic<int>), "block",
                                           isOwner ? sim.other : sim.one);
    void *const address = block.data();
    auto *number = new (address) std::atomic<int>(0);
    sim.hold(sim.other, 1);
    sim.call(sim.other, write, number);
    if (!isOwner)
      device->recordUse(block, sim.other);
    // An allocator without streams waits; one that keeps blocks by stream does
    // not.
    const bool waits = GetParam() != AllocatorKind::Caching;
    auto taken = std::async(std::launch::async, [&] {
      block = AlignedBuffer();
      AlignedBuffer next =
          device->allocate(sizeof(std::atomic<int>), "next", sim.one);
      EXPECT_TRUE(next);
      EXPECT_TRUE(waits || next.data() != address);
      auto *own = new (next.data()) std::atomic<int>(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      return own->load();
    });
    EXPECT_EQ(taken.wait_for(std::chrono::milliseconds(waits ? 100 : 20000)) ==
                  std::future_status::timeout,
              waits);
    sim.hold(sim.other, 0);
    EXPECT_EQ(taken.get(), 1);
    sim.table->synchronize(sim.device, sim.other);
    if (!waits) {
      // The stream's own, once it is done with.
      tamrt_stream *owner = isOwner ? sim.other : sim.one;
      AlignedBuffer a = device->allocate(64, "a", owner);
      AlignedBuffer b = device->allocate(64, "b", owner);
      EXPECT_TRUE(a.data() == address || b.data() == address);
    }
    device->purge();
  }
}

TEST(Growth, RegionsDoubleOrTakeTheShare) {
  for (RegionGrowth growth :
       {RegionGrowth::Exact, RegionGrowth::Double, RegionGrowth::All}) {
    SCOPED_TRACE(growthName(growth));
    counts = {};
    const tamrt_backend backend = countingBackend(/*keeps=*/false);
    const std::unique_ptr<Device> device = *Device::open(backend, 0);
    device->useAllocator({.kind = AllocatorKind::BestFit, .growth = growth},
                         {.share = 0.5});
    std::vector<AlignedBuffer> buffers;
    for (int i = 0; i < 30; ++i)
      buffers.push_back(device->allocate(100 * 64, "taken"));
    EXPECT_TRUE(buffers.back());
    const MemoryStatistics memory = device->statistics();
    const int64_t taken = int64_t(memory.reserved.now);
    EXPECT_EQ(taken, counts.used);
    switch (growth) {
    case RegionGrowth::Exact:
      EXPECT_EQ(memory.regions, 30u);
      EXPECT_EQ(taken, 3000 * 64);
      break;
    case RegionGrowth::Double:
      // All that is free is less than the first region.
      EXPECT_EQ(memory.regions, 1u);
      EXPECT_EQ(taken, kTotal);
      break;
    case RegionGrowth::All:
      EXPECT_EQ(memory.regions, 1u);
      EXPECT_EQ(taken, kTotal / 2);
      // Nothing more is taken, and it does not count as free.
      EXPECT_EQ(device->memory().freeBytes, kTotal / 2 - 3000 * 64);
      EXPECT_EQ(device->memory().source, "--memory-growth");
      EXPECT_FALSE(device->allocate(2500 * 64, "taken"));
      EXPECT_EQ(counts.used, kTotal / 2);
      break;
    }
  }
}

TEST(Growth, RegionsLeaveTheReserveToKernels) {
  constexpr int64_t reserve = 1000 * 64;
  for (RegionGrowth growth : {RegionGrowth::Double, RegionGrowth::All}) {
    SCOPED_TRACE(growthName(growth));
    counts = {};
    tamrt_backend backend = countingBackend(/*keeps=*/false);
    backend.reserve = [](tamrt_device *) { return reserve; };
    const std::unique_ptr<Device> device = *Device::open(backend, 0);
    device->useAllocator({.kind = AllocatorKind::BestFit, .growth = growth},
                         {.share = 0.5});
    const int64_t all = growth == RegionGrowth::All ? kTotal / 2 : kTotal;
    // A plan counts the reserve, so that it counts as free.
    EXPECT_EQ(device->memory().freeBytes, all);
    const AlignedBuffer buffer = device->allocate(100 * 64, "taken");
    EXPECT_TRUE(buffer);
    EXPECT_EQ(counts.used, all - reserve);
    EXPECT_EQ(device->memory().freeBytes, all - 100 * 64);
    EXPECT_FALSE(device->allocate(size_t(all - reserve), "taken"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Allocators,
                         testing::Values(AllocatorKind::Direct,
                                         AllocatorKind::BestFit,
                                         AllocatorKind::Caching),
                         [](const auto &info) {
                           return std::string(allocatorName(info.param));
                         });

TEST(AllocatorNames, AreTheDocs) {
  EXPECT_EQ(allocatorOf("bfc"), AllocatorKind::BestFit);
  EXPECT_EQ(allocatorOf("caching"), AllocatorKind::Caching);
  EXPECT_EQ(allocatorOf("direct"), AllocatorKind::Direct);
  EXPECT_FALSE(allocatorOf("malloc"));
  EXPECT_EQ(reservableBytes(0.3, 10), 3);
  EXPECT_GT(reservableBytes(1, 10), int64_t(1) << 60);
}

} // namespace
} // namespace tamrt::test
