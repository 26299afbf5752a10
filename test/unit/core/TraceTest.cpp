//===- core/TraceTest.cpp - a trace when memory ends ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Trace.h"
#include "core/device/Device.h"
#include "support/FailingNew.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tamrt::test {
namespace {

/// Phases of the events of a trace, without those that name threads.
std::string phasesOf(const nlohmann::json &trace) {
  std::string phases;
  for (const auto &event : trace["traceEvents"])
    if (event["ph"] != "M")
      phases += event["ph"];
  return phases;
}

TEST(Trace, SpansEndWithoutMemory) {
  Trace trace;
  std::vector<std::optional<TraceSpan>> spans(100);
  {
    std::optional<NoMemory> noMemory;
    for (std::optional<TraceSpan> &span : spans) {
      if (&span == &spans[9])
        noMemory.emplace();
      span.emplace(&trace, 0, "span");
      trace.instant(0, "instant");
      trace.counter("bytes", 1);
    }
    while (!spans.empty())
      spans.pop_back();
  }
  const auto json = nlohmann::json::parse(trace.json("m"));
  const std::string phases = phasesOf(json);
  // Spans that began before memory ended, and some more where there was room.
  EXPECT_EQ(phases.substr(0, 27), "BiCBiCBiCBiCBiCBiCBiCBiCBiC");
  const auto begun = std::count(phases.begin(), phases.end(), 'B');
  EXPECT_GE(begun, 9);
  EXPECT_EQ(std::count(phases.begin(), phases.end(), 'E'), begun);
  EXPECT_GT(trace.lost(), 0);
  EXPECT_EQ(json["otherData"]["lost events"], trace.lost());
  EXPECT_EQ(int64_t(phases.size()) + trace.lost(), 300 + begun);
  // There is memory again.
  trace.instant(0, "instant");
  EXPECT_EQ(phasesOf(nlohmann::json::parse(trace.json("m"))), phases + "i");
}

TEST(Trace, ABufferIsReleasedWithoutMemory) {
  Trace trace;
  Device &cpu = Device::cpu();
  cpu.follow(&trace);
  std::vector<AlignedBuffer> buffers(64);
  for (AlignedBuffer &buffer : buffers)
    buffer = cpu.allocate(64, "test");
  {
    const NoMemory noMemory;
    for (AlignedBuffer &buffer : buffers)
      buffer = AlignedBuffer();
  }
  cpu.follow(nullptr);
  EXPECT_EQ(cpu.usedBytes(), 0);
}

} // namespace
} // namespace tamrt::test
