//===- EmulatorTest.cpp - what the emulator does and finds ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "backends/cuda/Emulator.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace tamrt::cuda;

namespace {

/// A body from a function.
template <class Thread> struct Body {
  static constexpr const char *name = "test";
  static constexpr bool hasBarriers = std::is_same_v<Thread, FiberThread>;

  std::function<void(Thread &)> function;

  void operator()(Thread &thread) const { function(thread); }
};
using Loop = Body<LoopThread>;
using Fiber = Body<FiberThread>;

/// The message about a body, or "".
template <class Body>
std::string messageOf(Emulator &emulator, const Grid &grid, const Body &body) {
  try {
    emulator.run(grid, body);
  } catch (const Fault &fault) {
    return fault.message;
  }
  return "";
}

/// Doubles of global memory.
struct Numbers {
  explicit Numbers(size_t count) : numbers(count), records(2 * count) {}
  Buffer<double> buffer() {
    return {numbers.data(), int64_t(numbers.size()), records.data()};
  }
  std::vector<double> numbers;
  std::vector<Record> records;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Emulator, Orders) {
  Order order;
  EXPECT_FALSE(parseOrder("sideways", order));
  const auto sequence = [](const char *name, uint64_t seed) {
    Order order;
    EXPECT_TRUE(parseOrder(name, order));
    Emulator emulator(order, seed, false);
    std::vector<int64_t> all;
    emulator.run(Grid{3, 64}, Loop{[&](LoopThread &thread) {
                   all.push_back(thread.index());
                 }});
    std::vector<int64_t> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < 3 * 64; ++i)
      EXPECT_EQ(sorted[size_t(i)], i);
    return all;
  };
  const auto forward = sequence("forward", 0);
  EXPECT_TRUE(std::is_sorted(forward.begin(), forward.end()));
  EXPECT_EQ(sequence("backward", 0),
            std::vector<int64_t>(forward.rbegin(), forward.rend()));
  const auto warps = sequence("warps", 0);
  EXPECT_EQ(std::vector<int64_t>(warps.begin(), warps.begin() + 4),
            (std::vector<int64_t>{64, 96, 65, 97}));
  EXPECT_EQ(sequence("random", 5), sequence("random", 5));
  EXPECT_NE(sequence("random", 5), sequence("random", 6));
}

TEST(Emulator, RacesOfGlobalMemory) {
  Emulator emulator(Order::Forward, 0, false);
  Numbers numbers(100);
  const auto message = [&](auto function) {
    return messageOf(emulator, Grid{2, 32}, Loop{function});
  };
  // Each its own element; all read one that nobody writes.
  EXPECT_EQ(message([&](LoopThread &thread) {
              auto view = thread.view(numbers.buffer());
              view[thread.index()] = view[99];
            }),
            "");
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         thread.view(numbers.buffer())[0] = 1.0;
                       }),
                       "race: writes what block 0, thread 0 wrote"));
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         auto view = thread.view(numbers.buffer());
                         view[thread.index() + 1] = double(view[50]);
                       }),
                       "thread 17: race: writes what several blocks"));
  // Each thread reads it twice before one writes it.
  EXPECT_TRUE(contains(
      message([&](LoopThread &thread) {
        auto view = thread.view(numbers.buffer());
        view[thread.index() + 34] = double(view[50]) + double(view[50]);
      }),
      "thread 16: race: writes what block 0, several threads read"));
  // Each thread writes its element twice, and reads that of another after or
  // between.
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         auto view = thread.view(numbers.buffer());
                         view[thread.index()] = 1.0;
                         view[thread.index()] = 2.0;
                         const double before =
                             view[std::max<int64_t>(0, thread.index() - 1)];
                         (void)before;
                       }),
                       "thread 1: race: reads what block 0, thread 0 wrote"));
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         auto view = thread.view(numbers.buffer());
                         view[thread.index()] = 1.0;
                         const double before =
                             view[std::max<int64_t>(0, thread.index() - 1)];
                         (void)before;
                         view[thread.index()] = 2.0;
                       }),
                       "thread 1: race: reads what block 0, thread 0 wrote"));
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         auto view = thread.view(numbers.buffer());
                         view[thread.index()] =
                             view[std::max<int64_t>(0, thread.index() - 1)];
                       }),
                       "race: reads what block 0, thread 0 wrote"));
  // A later launch may read what this one wrote.
  EXPECT_EQ(message([&](LoopThread &thread) {
              double(thread.view(numbers.buffer())[0]);
            }),
            "");
  EXPECT_TRUE(contains(message([&](LoopThread &thread) {
                         thread.view(numbers.buffer())[-1] = 0.0;
                       }),
                       "expected an element below 100, got -1"));
}

TEST(Emulator, PartsOfALaunch) {
  Emulator emulator(Order::Forward, 0, false);
  Numbers numbers(4);
  const auto part = [&](int64_t element) {
    try {
      emulator.runPart(Grid{2, 1}, Loop{[&](LoopThread &thread) {
                         thread.view(
                             numbers.buffer())[element + thread.index()] = 1.0;
                       }});
      return std::string();
    } catch (const Fault &fault) {
      return fault.message;
    }
  };
  for (uint64_t launches : {1u, 2u}) {
    emulator.beginLaunch();
    EXPECT_EQ(part(0), "");
    EXPECT_EQ(part(2), "");
    // Blocks of all parts are those of one launch.
    EXPECT_TRUE(contains(part(1), "block 4, thread 0: race: writes what block "
                                  "1, thread 0 wrote"));
    EXPECT_EQ(emulator.counts().launches, launches);
    EXPECT_EQ(emulator.counts().blocks, 6 * launches);
  }
  // So is a launch all of whose parts fail.
  emulator.beginLaunch();
  EXPECT_TRUE(contains(part(4), "expected an element below 4, got 4"));
  EXPECT_EQ(emulator.counts().launches, 3u);
}

TEST(Emulator, BarriersOrderThreadsOfOneBlock) {
  for (Order order :
       {Order::Forward, Order::Backward, Order::Warps, Order::Random}) {
    Emulator emulator(order, 3, false);
    Numbers numbers(64);
    const auto shift = [&](FiberThread &thread) {
      auto view = thread.view(numbers.buffer());
      const int next = (thread.thread() + 1) % thread.threads();
      view[thread.thread()] = thread.thread();
      thread.barrier();
      const double number = view[next];
      thread.barrier();
      view[thread.thread()] = number;
    };
    EXPECT_EQ(messageOf(emulator, Grid{1, 64}, Fiber{shift}), "");
    EXPECT_EQ(numbers.numbers[0], 1.0);
    EXPECT_EQ(numbers.numbers[63], 0.0);
    // Blocks do not wait for each other.
    EXPECT_TRUE(
        contains(messageOf(emulator, Grid{2, 64}, Fiber{shift}), "race: "));
  }
}

TEST(Emulator, BarriersThatNotAllThreadsReach) {
  Emulator emulator(Order::Random, 3, false);
  EXPECT_TRUE(
      contains(messageOf(emulator, Grid{1, 64}, Fiber{[](FiberThread &thread) {
                           if (thread.thread() < 40)
                             thread.barrier();
                         }}),
               "40 of 64 threads wait, 40 of them at a barrier of "
               "line"));
  const Fiber apart{[](FiberThread &thread) {
    if (thread.thread() < 40)
      thread.barrier();
    else
      thread.barrier();
  }};
  EXPECT_TRUE(contains(messageOf(emulator, Grid{1, 64}, apart),
                       "64 of 64 threads wait, 64 of them at a barrier, at "
                       "different lines"));
  // The stacks serve the next launch.
  EXPECT_EQ(messageOf(emulator, Grid{1, 64},
                      Fiber{[](FiberThread &thread) { thread.barrier(); }}),
            "");
  EXPECT_TRUE(
      contains(messageOf(emulator, Grid{1, 40}, Fiber{[](FiberThread &) {}}),
               "expected whole warps, got 40 threads"));
}

TEST(Emulator, ErrorsBetweenBarriers) {
  Emulator emulator(Order::Forward, 0, false);
  Numbers numbers(64);
  const Fiber fails{[&](FiberThread &thread) {
    thread.barrier();
    if (thread.thread() == 0)
      thread.view(numbers.buffer())[64] = 1.0;
    thread.barrier();
  }};
  EXPECT_TRUE(contains(messageOf(emulator, Grid{1, 64}, fails),
                       "expected an element below 64, got 64"));
  // The other threads do not go on where they were.
  int begun = 0;
  const Fiber counts{[&](FiberThread &thread) {
    ++begun;
    thread.barrier();
  }};
  EXPECT_EQ(messageOf(emulator, Grid{1, 64}, counts), "");
  EXPECT_EQ(begun, 64);
}

TEST(Emulator, Shuffles) {
  Emulator emulator(Order::Random, 3, false);
  const auto message = [&](uint32_t mask, int lanes) {
    return messageOf(emulator, Grid{1, 32}, Fiber{[=](FiberThread &thread) {
                       const int lane = thread.thread();
                       if (lane >= lanes)
                         return;
                       // Beyond the warp a lane gets its own number.
                       const double got = thread.shuffleDown(mask, lane, 8);
                       EXPECT_EQ(got, lane < 24 ? lane + 8 : lane);
                     }});
  };
  EXPECT_EQ(message(kAllLanes, 32), "");
  EXPECT_TRUE(contains(message(kAllLanes, 31), "the others do not come"));
  EXPECT_TRUE(contains(message(0xffffff00, 32), "mask lacks the lane"));
  EXPECT_TRUE(contains(message(0xffff, 16), "from a lane that its mask lacks"));
}

TEST(Emulator, CountsOfLaunchesBytesAndBanks) {
  Emulator emulator(Order::Forward, 0, true);
  Numbers numbers(128);
  const auto run = [&](int stride) {
    emulator.run(Grid{2, 32, 32 * 16}, Fiber{[&](FiberThread &thread) {
                   auto shared = thread.shared(0, 32 * 16);
                   auto view = thread.view(numbers.buffer());
                   shared[thread.thread() * stride] = view[thread.index()];
                   thread.barrier();
                 }});
  };
  run(1);
  EXPECT_EQ(emulator.counts().launches, 1u);
  EXPECT_EQ(emulator.counts().blocks, 2u);
  EXPECT_EQ(emulator.counts().barriers, 2u);
  EXPECT_EQ(emulator.counts().readBytes, 64 * sizeof(double));
  EXPECT_EQ(emulator.counts().writtenBytes, 0u);
  EXPECT_EQ(emulator.counts().bankConflicts, 0u);
  // Sixteen lanes use one bank: 15 more cycles, for each half of two warps.
  run(16);
  EXPECT_EQ(emulator.counts().bankConflicts, 4 * 15u);
}

TEST(Emulator, SharedMemory) {
  Emulator emulator(Order::Forward, 0, false);
  EXPECT_TRUE(contains(
      messageOf(emulator, Grid{1, 32, 8},
                Fiber{[](FiberThread &thread) { thread.shared(4, 5); }}),
      "expected an element below 8, got 9"));
  // It has no numbers at first, not even those of the block before.
  emulator.run(Grid{2, 32, 32}, Fiber{[](FiberThread &thread) {
                 auto shared = thread.shared(0, 32);
                 const double old = shared[thread.thread()];
                 EXPECT_NE(old, old);
                 shared[thread.thread()] = 1.0;
               }});
}
