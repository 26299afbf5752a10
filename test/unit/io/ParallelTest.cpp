//===- io/ParallelTest.cpp - work shared by threads -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <new>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace tamrt;

TEST(ForEachPiece, CallsEachOnceOnAThreadOfItsOwn) {
  for (unsigned pieces : {0u, 1u, 2u, 5u}) {
    std::vector<std::atomic<int>> calls(pieces);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<unsigned> arrived = 0;
    forEachPiece(pieces, [&](unsigned piece) {
      ++calls[piece];
      // No piece continues before all have started, so that no two share a
      // thread.
      ++arrived;
      while (arrived < pieces)
        std::this_thread::yield();
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    for (const std::atomic<int> &count : calls)
      EXPECT_EQ(count, 1);
    EXPECT_EQ(threads.size(), pieces);
    EXPECT_EQ(threads.contains(std::this_thread::get_id()), pieces > 0);
  }
}

TEST(ForEachPiece, KeepsItsThreads) {
  std::set<std::thread::id> threads;
  std::mutex mutex;
  for (int round = 0; round < 200; ++round)
    forEachPiece(3, [&](unsigned) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  // Those of the calls before, at most four, count too.
  EXPECT_LE(threads.size(), 5u);
}

TEST(ForEachPiece, StartsThreadsInTheChildOfAFork) {
  forEachPiece(3, [](unsigned) {});
  const pid_t child = fork();
  if (child == 0) {
    // Ends a wait for threads of the parent.
    alarm(60);
    std::atomic<int> calls = 0;
    for (int round = 0; round < 2; ++round)
      forEachPiece(3, [&](unsigned) { ++calls; });
    _exit(calls == 6 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  forEachPiece(3, [](unsigned) {});
}

TEST(ForEachPiece, MayBeCalledFromAPiece) {
  std::atomic<int> calls = 0;
  forEachPiece(3,
               [&](unsigned) { forEachPiece(3, [&](unsigned) { ++calls; }); });
  EXPECT_EQ(calls, 9);
}

TEST(ForEachPiece, RethrowsWhenAllHaveEnded) {
  std::atomic<int> ended = 0;
  EXPECT_THROW(forEachPiece(4,
                            [&](unsigned piece) {
                              ++ended;
                              if (piece == 2)
                                throw std::bad_alloc();
                            }),
               std::bad_alloc);
  EXPECT_EQ(ended, 4);
}
