//===- Planning/SnapshotTest.cpp - allocators' snapshots as problems ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Drawing.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/Picture.h"
#include "tamc/Planning/Strategy.h"
#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tamc::planning;
using namespace tamrt;

namespace {

struct Snapshot : testing::Test {
  FakeMemory space{1 << 20};
  BestFitAllocator allocator{space, options()};
  void *kept = nullptr;

  static BestFitOptions options() {
    BestFitOptions options;
    options.firstRegion = 1024;
    return options;
  }
  Snapshot() {
    uint32_t tag = allocator.openTag("te(\"a\",\n b\\)");
    void *first = allocator.allocate({300, 1, tag});
    kept = allocator.allocate({400, 1, tag});
    allocator.allocate(2000);
    allocator.release(first);
  }
  static nlohmann::json jsonOf(const BestFitAllocator &allocator) {
    return nlohmann::json::parse(
        toPlanningJson(allocator.snapshot()))["snapshot"];
  }
};

TEST_F(Snapshot, IsJson) {
  const nlohmann::json json = jsonOf(allocator);
  EXPECT_EQ(json["name"], "fake");
  EXPECT_EQ(json["now"], 4);
  ASSERT_EQ(json["regions"].size(), 2u);
  EXPECT_EQ(json["regions"][0]["address"], "0x8000000000000000");
  ASSERT_EQ(json["regions"][0]["blocks"].size(), 2u);
  EXPECT_EQ(json["regions"][0]["blocks"][0]["state"], "free");
  EXPECT_EQ(json["regions"][0]["blocks"][1]["requested"], 400);
  EXPECT_EQ(json["regions"][0]["blocks"][1]["born"], 2);
  EXPECT_EQ(json["statistics"]["used"]["now"], 512 + 2048);
  EXPECT_EQ(json["statistics"]["used"]["peak"], 512 + 512 + 2048);
  EXPECT_EQ(json["statistics"]["releases"], 1);
  EXPECT_EQ(json["bins"][0]["least"], 512);
  EXPECT_EQ(json["tags"][1]["name"], "te(\"a\",\n b\\)");
  EXPECT_EQ(json["tags"][1]["requested"]["peak"], 700);
  EXPECT_TRUE(json["streams"].empty());
}

/// A drawing shows each region as a space, with its blocks where they lie.
TEST_F(Snapshot, IsAProblemThatCanBeDrawn) {
  auto read = readJson(toPlanningJson(allocator.snapshot()));
  ASSERT_TRUE(std::holds_alternative<Problem>(read))
      << std::get<Diagnostic>(read).message;
  const auto &problem = std::get<Problem>(read);
  ASSERT_EQ(problem.buffers.size(), 2u);
  EXPECT_EQ(problem.buffers[0].name, "te(\"a\",\n b\\)#2");
  EXPECT_EQ(problem.buffers[0].pin, 512);
  EXPECT_EQ(problem.buffers[0].size, 512);
  EXPECT_EQ(problem.buffers[0].live, (std::vector<Interval>{{2, 5}}));
  EXPECT_EQ(problem.buffers[1].name, "#3");
  EXPECT_EQ(problem.buffers[1].pin, 0);
  ASSERT_EQ(problem.spaces.size(), 2u);
  EXPECT_EQ(problem.spaces[0].capacity, 1024);
  Options options;
  options.strategy = "naive";
  Plan made = plan(problem, options);
  EXPECT_TRUE(made.fits());
  EXPECT_EQ(made.offsets, (std::vector<int64_t>{512, 0}));
  EXPECT_NE(toSvg(problem, made).find("#2"), std::string::npos);
}

/// An allocator without a block gives a problem without a buffer.
TEST_F(Snapshot, OfNothingIsEmpty) {
  BestFitAllocator unused(space);
  const nlohmann::json json = jsonOf(unused);
  EXPECT_TRUE(json["regions"].empty());
  EXPECT_EQ(json["statistics"]["fragmentation"], 0.0);
  auto read = readJson(toPlanningJson(unused.snapshot()));
  ASSERT_TRUE(std::holds_alternative<Problem>(read));
  EXPECT_TRUE(std::get<Problem>(read).buffers.empty());
}

} // namespace
